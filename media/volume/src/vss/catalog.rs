//! The header in the boot area of a volume, and the catalogue of its shadow copies.

use super::block::{BLOCK, Chain, GUID, HEAD, Kind, wrong};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, is_at, le32, le64, read_some};
use pfh_bytes::node::Failure;

/// Where the header stands, in bytes.
pub const HEADER: u64 = 0x1e00;
/// Bytes of an entry of the catalogue.
const ENTRY: usize = 128;
/// More blocks than any catalogue has: Windows keeps 512 copies.
const MOST: usize = 1024;
/// The most shadow copies of a volume.
pub const MOST_COPIES: usize = 4096;

/// The fields of the header of a volume.
#[derive(Debug, Clone)]
pub struct Header {
    /// Where the catalogue begins.
    pub catalogue: u64,
    /// The GUID of the volume.
    pub volume: [u8; 16],
    /// The GUID of the volume that the stores are on.
    pub storage: [u8; 16],
}

impl Header {
    /// Reads it; `None` if there is none, or nothing was kept yet.
    ///
    /// # Errors
    /// When it is there and contradicts itself.
    pub fn read(bytes: &dyn Bytes) -> Result<Option<Header>, Failure> {
        let Ok(raw) = read_some(bytes, HEADER, 512) else { return Ok(None) };
        if !is_at(&raw, 0, GUID) || le64(&raw, 48) == 0 {
            return Ok(None);
        }
        let (version, kind) = (le32(&raw, 16), le32(&raw, 20));
        if !matches!(version, 1 | 2) || kind != 1 {
            return Err(wrong(HEADER + 16, format_args!("a header of version {version} and kind {kind} is not read")));
        }
        Ok(Some(Header { catalogue: le64(&raw, 48), volume: array(&raw, 64), storage: array(&raw, 80) }))
    }
}

/// A shadow copy as the catalogue has it.
#[derive(Debug, Clone)]
pub struct CatalogEntry {
    /// Where the entry stands.
    pub at: u64,
    /// The GUID of its store.
    pub store: [u8; 16],
    /// Bytes of the volume at that time.
    pub size: u64,
    /// A number that grows from copy to copy.
    pub sequence: u64,
    /// When it was made, in units of 100 ns since 1601.
    pub created: u64,
}

/// Where the store of a shadow copy lies.
#[derive(Debug, Clone)]
pub struct StorePlace {
    /// Where the entry stands.
    pub at: u64,
    /// The GUID of the store.
    pub store: [u8; 16],
    /// Where its list of blocks begins.
    pub blocks: u64,
    /// Where its header stands.
    pub header: u64,
    /// Where its map of blocks that are not in use begins.
    pub bitmap: u64,
    /// Where the map of the store before begins; 0 if there is none.
    pub previous: u64,
}

/// The content of a catalogue.
#[derive(Debug, Default)]
pub struct Catalogue {
    pub described: Vec<CatalogEntry>,
    pub placed: Vec<StorePlace>,
    /// The parts of it that cannot be read.
    pub failed: Vec<Failure>,
}

impl Catalogue {
    /// Reads all of it that can be read.
    pub fn read(bytes: &dyn Bytes, first: u64) -> Catalogue {
        let mut found = Catalogue::default();
        for block in Chain::new(bytes, Kind::Catalogue, first, MOST) {
            match block {
                Ok((at, raw)) => found.entries(at, &raw),
                Err(failed) => found.failed.push(failed),
            }
        }
        found
    }

    fn entries(&mut self, block: u64, raw: &[u8]) {
        for start in (HEAD..BLOCK as usize).step_by(ENTRY) {
            let (at, entry) = (block + start as u64, &raw[start..start + ENTRY]);
            let store = array(entry, 16);
            match le64(entry, 0) {
                // Empty, or no longer used.
                0 | 1 => {}
                2 if self.described.iter().any(|other| other.store == store) => {
                    self.failed.push(wrong(at, "catalogue: a second entry of one copy"));
                }
                3 if self.placed.iter().any(|other| other.store == store) => {
                    self.failed.push(wrong(at, "catalogue: a second store of one copy"));
                }
                2 | 3 if self.described.len() + self.placed.len() >= 2 * MOST_COPIES => {
                    self.failed.push(wrong(at, format_args!("catalogue: more than {MOST_COPIES} copies")));
                    return;
                }
                2 => self.described.push(CatalogEntry {
                    at,
                    store,
                    size: le64(entry, 8),
                    sequence: le64(entry, 32),
                    created: le64(entry, 48),
                }),
                3 => self.placed.push(StorePlace {
                    at,
                    store,
                    blocks: le64(entry, 8),
                    header: le64(entry, 32),
                    bitmap: le64(entry, 48),
                    previous: le64(entry, 72),
                }),
                kind => self.failed.push(wrong(at, format_args!("catalogue: an entry of the unknown kind {kind}"))),
            }
        }
    }
}
