//! The header of a physical volume: its first 512 bytes, and a copy at its end.

use crate::failure::Failure;
use crate::field::{array, le16, le32, le64, read};
use pfh_container::{Bytes, crc32c};

const SIZE: usize = 512;
/// AES-XTS-128, the method of the metadata.
const XTS: u32 = 2;

/// The content of a header.
pub struct Header {
    /// Bytes of a block.
    pub block_size: u64,
    /// Bytes of each copy of the plain metadata.
    pub metadata_size: u64,
    /// The blocks where the copies begin.
    pub metadata: [u64; 4],
    /// Both halves of the key of the encrypted metadata: that of the data, and the UUID of this
    /// volume.
    pub key: [u8; 32],
}

/// Whether a physical volume begins with these bytes.
fn is_header(raw: &[u8]) -> bool {
    raw.get(88..90) == Some(b"CS") && le16(raw, 8) == 1 && le16(raw, 10) == 0x10
}

/// Whether the checksum of a block, CRC-32C without the last inversion, is that of its bytes.
pub fn is_whole(raw: &[u8]) -> bool {
    raw.len() > 8 && le32(raw, 4) == u32::MAX && le32(raw, 0) == crc32c(u32::MAX, &raw[8..])
}

impl Header {
    /// The header of the volume in `bytes`; if it is damaged, its copy and the fault; `None` if
    /// there is neither.
    pub fn find(bytes: &dyn Bytes) -> Result<Option<(Header, Option<Failure>)>, Failure> {
        let Some(last) = (bytes.size() / SIZE as u64).checked_sub(1) else { return Ok(None) };
        let first = read(bytes, 0, SIZE)?;
        if is_header(&first) && is_whole(&first) {
            return Header::new(&first, 0).map(|header| Some((header, None)));
        }
        let copy = read(bytes, last * SIZE as u64, SIZE)?;
        if !is_header(&copy) || !is_whole(&copy) {
            let damaged = || Failure::damaged(0, "the checksum of CoreStorage's header is wrong, and so is its copy's");
            return if is_header(&first) { Err(damaged()) } else { Ok(None) };
        }
        let warning = Failure::damaged(0, "CoreStorage's header is damaged: its copy at the end is used");
        Header::new(&copy, last * SIZE as u64).map(|header| Some((header, Some(warning))))
    }

    fn new(raw: &[u8], at: u64) -> Result<Header, Failure> {
        let (block_size, metadata_size) = (u64::from(le32(raw, 96)), u64::from(le32(raw, 100)));
        if !(512..=65536).contains(&block_size) || !block_size.is_power_of_two() {
            return Err(Failure::damaged(at + 96, "CoreStorage with blocks of a size that there is not"));
        }
        if le32(raw, 168) != 16 || le32(raw, 172) != XTS {
            return Err(Failure::Unread("CoreStorage whose metadata another method encrypts".to_owned()));
        }
        let mut key = [0; 32];
        key[..16].copy_from_slice(&raw[176..192]);
        key[16..].copy_from_slice(&raw[304..320]);
        let metadata = [104, 112, 120, 128].map(|at| le64(raw, at));
        Ok(Header { block_size, metadata_size, metadata, key })
    }

    /// The UUID of the volume.
    pub fn id(&self) -> [u8; 16] {
        array(&self.key, 16)
    }
}
