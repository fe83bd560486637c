//! The header of a cabinet.

use super::member::failure;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, le16, le32, read, read_some};
use pfh_bytes::node::Failure;

/// The first bytes of a cabinet.
pub const MAGIC: &[u8] = b"MSCF\0\0\0\0";
/// The longest name.
const NAME: usize = 256;

const HAS_PREVIOUS: u16 = 1;
const HAS_NEXT: u16 = 2;
const HAS_RESERVE: u16 = 4;

/// The header of a cabinet.
pub struct Header {
    pub size: u64,
    /// Where the files are listed, and how many.
    pub files: u64,
    pub count: u16,
    pub folders: u16,
    /// Bytes of a folder's header, and of a block's that are the application's.
    pub folder: u16,
    pub block: u8,
    reserve: Vec<u8>,
    /// The identifier of the set, and the number of the cabinet in it.
    pub set: (u16, u16),
    /// Names of the cabinets around it.
    pub previous: Vec<u8>,
    pub next: Vec<u8>,
    /// The offset behind it.
    pub end: u64,
}

impl Header {
    /// Reads the header of a cabinet.
    ///
    /// # Errors
    /// When there is none, or one of a version that is not read.
    pub fn read(bytes: &dyn Bytes) -> Result<Header, Failure> {
        let raw = read(bytes, 0, 36)?;
        let fail = |at, cause: &str| Err(Failure { offset: Some(at), ..failure(b"", cause) });
        if byte(&raw, 25) != 1 {
            return fail(24, "a cabinet of a version that is not read");
        }
        let flags = le16(&raw, 30);
        let mut end = 36;
        let (mut folder, mut block, mut reserve) = (8, 0, Vec::new());
        if flags & HAS_RESERVE != 0 {
            let sizes = read(bytes, end, 4)?;
            reserve = read(bytes, end + 4, usize::from(le16(&sizes, 0)))?;
            (folder, block) = (8 + u16::from(sizes[2]), sizes[3]);
            end += 4 + reserve.len() as u64;
        }
        let mut around = [Vec::new(), Vec::new()];
        for (names, flag) in around.iter_mut().zip([HAS_PREVIOUS, HAS_NEXT]) {
            // The cabinet, and the disk that it is on.
            for is_cabinet in [true, false] {
                if flags & flag == 0 {
                    continue;
                }
                let Some(name) = text(bytes, end)? else { return fail(end, "a name that does not end") };
                end += name.len() as u64 + 1;
                if is_cabinet {
                    *names = name;
                }
            }
        }
        let [previous, next] = around;
        let (size, files) = (u64::from(le32(&raw, 8)), u64::from(le32(&raw, 16)));
        let (folders, count) = (le16(&raw, 26), le16(&raw, 28));
        let set = (le16(&raw, 32), le16(&raw, 34));
        Ok(Header { size, files, count, folders, folder, block, reserve, set, previous, next, end })
    }

    /// Whether the bytes behind the cabinet are its signature, as the application's part of the
    /// header says.
    pub fn is_signed(&self, behind: u64) -> bool {
        let places = 0..self.reserve.len().saturating_sub(7);
        places.into_iter().any(|at| {
            u64::from(le32(&self.reserve, at)) == self.size && u64::from(le32(&self.reserve, at + 4)) == behind
        })
    }
}

/// The place of a cabinet in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfSet {
    /// The identifier of the set.
    pub id: u16,
    /// Its number there, from 0.
    pub number: u16,
    /// The name of the cabinet before; empty if it is the first.
    pub previous: Vec<u8>,
    /// The name of the next one; empty if it is the last.
    pub next: Vec<u8>,
}

/// The place of a cabinet in its set; `None` for a cabinet that stands alone, or for other bytes.
pub fn of_set(bytes: &dyn Bytes) -> Option<OfSet> {
    if read_some(bytes, 0, MAGIC.len()).ok()? != MAGIC {
        return None;
    }
    let Header { set: (id, number), previous, next, .. } = Header::read(bytes).ok()?;
    (!previous.is_empty() || !next.is_empty()).then_some(OfSet { id, number, previous, next })
}

/// Bytes in front of a zero.
///
/// # Errors
/// Those of the medium.
pub fn text(bytes: &dyn Bytes, at: u64) -> Result<Option<Vec<u8>>, Failure> {
    let mut name = read_some(bytes, at, NAME + 1)?;
    let end = name.iter().position(|byte| *byte == 0);
    Ok(end.map(|end| {
        name.truncate(end);
        name
    }))
}
