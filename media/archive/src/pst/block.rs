//! The blocks of a store ([MS-PST], 2.2.2.8). Each is compared with its trailer: its length, its
//! number and the CRC of its stored bytes. A block of Outlook 2013 may be compressed by zlib; its
//! bytes were encoded before that.

use super::check::{crc, wrong};
use super::cipher::Cipher;
use super::layout::Layout;
use flate2::{Decompress, FlushDecompress, Status};
use pfh_bytes::field::{le16, le32};
use pfh_bytes::node::Failure;

/// Where a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub id: u64,
    /// Where it begins in the store.
    pub offset: u64,
    /// Bytes of it in the store.
    pub stored: usize,
    /// Bytes of its content.
    pub length: usize,
}

/// The content of a block out of all its bytes.
pub fn content(mut bytes: Vec<u8>, place: &Place, layout: Layout, cipher: Cipher) -> Result<Vec<u8>, Failure> {
    let named = |cause: String| wrong(place.offset, cause);
    let fields = layout.block();
    let end = &bytes[bytes.len() - fields.size..];
    let (sum, id) = (le32(end, fields.crc), layout.number(end, fields.id));
    if usize::from(le16(end, 0)) != place.stored || id & !1 != place.id & !1 {
        return Err(named(format!("another block than {:#x}, of {} bytes", place.id, place.stored)));
    }
    if let Some(length) = fields.inflated.map(|at| usize::from(le16(end, at)))
        && length != place.length
    {
        let (id, stated) = (place.id, place.length);
        return Err(named(format!("block {id:#x} inflates to {length} bytes, and the tree of blocks says {stated}")));
    }
    bytes.truncate(place.stored);
    if crc(&bytes) != sum {
        return Err(named(format!("the CRC of block {:#x}", place.id)));
    }
    if place.stored != place.length {
        bytes = inflate(&bytes, place.length).map_err(|cause| named(format!("block {:#x}: {cause}", place.id)))?;
    }
    // Blocks that lead to others are not encoded.
    if place.id & 2 == 0 {
        cipher.decode(&mut bytes, place.id);
    }
    Ok(bytes)
}

/// The bytes of a stream of zlib, which must be exactly `length`.
fn inflate(packed: &[u8], length: usize) -> Result<Vec<u8>, String> {
    let mut stream = Decompress::new(true);
    // A byte more shows a stream that goes on.
    let mut bytes = vec![0; length + 1];
    let mut status = Status::Ok;
    while status != Status::StreamEnd && stream.total_out() as usize <= length {
        let (from, to) = (stream.total_in() as usize, stream.total_out() as usize);
        let found = stream.decompress(&packed[from..], &mut bytes[to..], FlushDecompress::Finish);
        status = found.map_err(|_| "the compressed bytes contradict themselves")?;
        let is_stuck = (from, to) == (stream.total_in() as usize, stream.total_out() as usize);
        if is_stuck && status != Status::StreamEnd {
            return Err("the compressed bytes end too early".into());
        }
    }
    let (used, found) = (stream.total_in() as usize, stream.total_out() as usize);
    if found > length {
        return Err(format!("inflates to more than the {length} bytes that it states"));
    }
    if found < length {
        return Err(format!("inflates to {found} of the {length} bytes that it states"));
    }
    if used != packed.len() {
        return Err(format!("{} bytes follow the compressed ones", packed.len() - used));
    }
    bytes.truncate(length);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    #[test]
    fn what_was_encoded_and_then_compressed() {
        let text = b"the same words ".repeat(100);
        let mut table: Vec<u8> = (0..=255).collect();
        Cipher::Permute.decode(&mut table, 0);
        let code = |byte: &u8| table.iter().position(|found| found == byte).expect("a permutation") as u8;
        let coded: Vec<u8> = text.iter().map(code).collect();
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&coded).expect("memory");
        let mut bytes = encoder.finish().expect("memory");
        let place = Place { id: 4, offset: 0, stored: bytes.len(), length: text.len() };
        let sum = crc(&bytes);
        bytes.resize(512 - 24, 0);
        bytes.extend((place.stored as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(sum.to_le_bytes());
        bytes.extend(4_u64.to_le_bytes());
        bytes.extend([2, 0]);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend([0, 0]);
        assert_eq!(content(bytes, &place, Layout::Large, Cipher::Permute).map_err(|failed| failed.cause), Ok(text));
    }
}
