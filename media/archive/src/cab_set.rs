//! The cabinets of a set: which folder of one goes on in the next.

use super::cab_block::{Folder, Method, Piece};
use super::cab_header::{Header, text};
use super::member::failure;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le16, le32, read};
use pfh_bytes::node::Failure;
use std::sync::Arc;

const BEGINS_BEFORE: u16 = 0xfffd;
const GOES_ON: u16 = 0xfffe;
const BOTH: u16 = 0xffff;

/// A cabinet.
pub struct Cabinet {
    pub bytes: Arc<dyn Bytes>,
    /// Where it begins in the set.
    pub base: u64,
    pub header: Header,
    /// Its folders among those of the set.
    pub folders: Vec<usize>,
    /// Whether files of it begin in the cabinet before, and go on in the next one.
    pub begins_before: bool,
    pub goes_on: bool,
    /// Whether the cabinet before and the next one are there for that.
    pub has_previous: bool,
    pub has_next: bool,
}

/// A file in the list of a cabinet.
pub struct File {
    pub path: Vec<u8>,
    pub size: u64,
    /// Where it begins in its folder.
    pub start: u64,
    /// The number of the folder, or one of the marks in place of it.
    pub folder: u16,
    /// The offset of the next one.
    pub end: u64,
}

impl File {
    pub fn begins_before(&self) -> bool {
        matches!(self.folder, BEGINS_BEFORE | BOTH)
    }

    pub fn goes_on(&self) -> bool {
        matches!(self.folder, GOES_ON | BOTH)
    }
}

impl Cabinet {
    /// The cabinet of these bytes, which begins at `base` of its set.
    ///
    /// # Errors
    /// When its header cannot be read.
    pub fn read(bytes: Arc<dyn Bytes>, base: u64) -> Result<Cabinet, Failure> {
        let shifted = |failed: Failure| Failure { offset: failed.offset.map(|offset| offset + base), ..failed };
        let header = Header::read(&*bytes).map_err(shifted)?;
        let (folders, mut at, count) = (Vec::new(), header.files, header.count);
        let (begins_before, goes_on, has_previous, has_next) = (false, false, false, false);
        let mut found = Cabinet { bytes, base, header, folders, begins_before, goes_on, has_previous, has_next };
        for _ in 0..count {
            // A list that is cut off fails when its files come.
            let Ok(file) = found.file(at) else { break };
            at = file.end;
            found.begins_before |= file.begins_before();
            found.goes_on |= file.goes_on();
        }
        Ok(found)
    }

    /// The file that is listed at `place`.
    ///
    /// # Errors
    /// When the list ends there.
    pub fn file(&self, place: u64) -> Result<File, Failure> {
        let raw = read(&*self.bytes, place, 16)?;
        let name = text(&*self.bytes, place + 16)?;
        let at = Some(self.base + place);
        let mut path = name.ok_or_else(|| Failure { offset: at, ..failure(b"", "a name that does not end") })?;
        let end = place + 17 + path.len() as u64;
        path.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
        let (size, start, folder) = (u64::from(le32(&raw, 0)), u64::from(le32(&raw, 4)), le16(&raw, 8));
        Ok(File { path, size, start, folder, end })
    }

    /// Its folder of this number.
    fn folder(&self, index: u16) -> Result<(Method, Piece), Failure> {
        let header = &self.header;
        let raw = read(&*self.bytes, header.end + u64::from(index) * u64::from(header.folder), 8)?;
        let (bytes, base, reserved) = (self.bytes.clone(), self.base, header.block);
        let (start, blocks) = (u64::from(le32(&raw, 0)), le16(&raw, 4));
        Ok((Method::of(le16(&raw, 6)), Piece { bytes, base, start, blocks, reserved }))
    }
}

/// The folders of all cabinets, those that go on put together; and where cabinets contradict each
/// other.
///
/// # Errors
/// When a folder's header cannot be read.
pub fn joined(cabinets: &mut [Cabinet]) -> Result<(Vec<Folder>, Vec<Failure>), Failure> {
    let (mut folders, mut faults): (Vec<Folder>, Vec<Failure>) = Default::default();
    for at in 0..cabinets.len() {
        for index in 0..cabinets[at].header.folders {
            let (method, piece) = cabinets[at].folder(index)?;
            let (before, own) = cabinets.split_at_mut(at);
            let (own, before) = (&mut own[0], before.last_mut());
            if index == 0
                && let Some(before) = before
                && (before.goes_on || own.begins_before)
            {
                let last = before.folders.last().copied().filter(|_| before.goes_on && own.begins_before);
                if let Some(last) = last.filter(|last| folders[*last].method == method) {
                    folders[last].pieces.push(piece);
                    own.folders.push(last);
                    (before.has_next, own.has_previous) = (true, true);
                    continue;
                }
                let cause = "two cabinets of a set contradict each other about the folder that goes on in the next one";
                faults.push(Failure { offset: Some(own.base), ..failure(b"", cause) });
            }
            let lost = (index == 0 && own.begins_before).then(|| own.header.previous.clone());
            own.folders.push(folders.len());
            folders.push(Folder { pieces: vec![piece], method, lost });
        }
    }
    Ok((folders, faults))
}
