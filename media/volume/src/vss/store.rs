//! A store: the blocks of a shadow copy that are not on the volume any more, and facts about the
//! copy.

use super::bitmap::Bitmap;
use super::block::{BLOCK, HEAD, Kind, block, wrong};
use super::catalog::StorePlace;
use super::table::Table;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, guid, le32, le64};
use pfh_bytes::node::Failure;

/// Facts about a shadow copy in the header of its store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The GUID of the shadow copy.
    pub id: String,
    /// The GUID of the set that was made with it.
    pub set: String,
    /// Its attributes (`_VSS_VOLUME_SNAPSHOT_ATTRIBUTES`).
    pub flags: u32,
}

impl Facts {
    /// Reads the header of a store.
    pub fn read(bytes: &dyn Bytes, placed: &StorePlace) -> Result<Facts, Failure> {
        let raw = block(bytes, placed.header, Kind::Store)?;
        let length = le64(&raw, 48);
        if !(64..=BLOCK - HEAD as u64).contains(&length) {
            return Err(wrong(placed.header + 48, format_args!("header of a store: {length} bytes about it")));
        }
        let about = &raw[HEAD..];
        Ok(Facts { id: guid(array(about, 16)), set: guid(array(about, 32)), flags: le32(about, 56) })
    }
}

/// A store that is open.
#[derive(Debug)]
pub struct Store {
    pub table: Table,
    /// Blocks that it does not keep, because they were free.
    bitmap: Bitmap,
    /// The map of the store before, if there is one.
    previous: Option<Bitmap>,
}

impl Store {
    /// Reads its list and its maps. `room` is how many descriptors may be held.
    pub fn read(bytes: &dyn Bytes, placed: &StorePlace, volume: u64, room: &mut usize) -> Result<Store, Failure> {
        if placed.blocks == 0 || placed.bitmap == 0 {
            return Err(wrong(placed.at, "catalogue: a store without a list of blocks or without a map"));
        }
        let previous = (placed.previous != 0).then(|| Bitmap::read(bytes, placed.previous, volume)).transpose()?;
        Ok(Store {
            table: Table::read(bytes, placed.blocks, room)?,
            bitmap: Bitmap::read(bytes, placed.bitmap, volume)?,
            previous,
        })
    }

    /// Whether a block was free when the copy was made, so that its content is not kept.
    pub fn is_free(&self, offset: u64) -> bool {
        self.bitmap.is_free(offset) && self.previous.as_ref().is_none_or(|previous| previous.is_free(offset))
    }
}
