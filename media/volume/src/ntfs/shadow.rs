//! Shadow copies (VSS): whether there are any. They are not read; what they keep of older states of
//! files must not pass for free space.

use crate::bytes::Bytes;
use crate::field::{failure, is_at, le32, le64, read_some};
use crate::node::Failure;

/// Where the header stands, in bytes.
const HEADER: u64 = 0x1e00;
/// What each block begins with: {3808876b-c176-4e48-b7ae-04046e6cc752}.
const GUID: &[u8] = b"\x6b\x87\x08\x38\x76\xc1\x48\x4e\xb7\xae\x04\x04\x6e\x6c\xc7\x52";
/// Bytes of a block of the catalogue.
const BLOCK: usize = 16 << 10;
/// Bytes of an entry, and of the header in front of the first.
const ENTRY: usize = 128;
/// An entry that describes a store.
const STORE: u64 = 2;
/// More blocks than any catalogue has.
const MOST: usize = 1024;

/// A remark on the shadow copies of a volume; `None` if there are none.
pub fn copies(bytes: &dyn Bytes) -> Option<Failure> {
    let header = read_some(bytes, HEADER, 512).ok().filter(|raw| is_at(raw, 0, GUID))?;
    let first = le64(&header, 0x30);
    if first == 0 {
        return None;
    }
    let (mut at, mut stores, mut blocks) = (first, 0_u64, 0);
    let is_whole = loop {
        let block = read_some(bytes, at, BLOCK).unwrap_or_default();
        if block.len() < BLOCK || !is_at(&block, 0, GUID) || le32(&block, 20) != 2 || blocks >= MOST {
            break false;
        }
        stores += (1..BLOCK / ENTRY).filter(|entry| le64(&block, entry * ENTRY) == STORE).count() as u64;
        blocks += 1;
        at = le64(&block, 0x28);
        if at == 0 {
            break true;
        }
    };
    let what = match (stores, is_whole) {
        (0, true) => return None,
        (1, true) => "1 shadow copy (VSS) of the volume is there".to_owned(),
        (stores, true) => format!("{stores} shadow copies (VSS) of the volume are there"),
        (_, false) => "there are shadow copies (VSS) whose catalogue cannot be read".to_owned(),
    };
    Some(failure(Some(HEADER), format!("{what}: older states of files in them are not read")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_counted() {
        let mut volume = vec![0; 0x10000];
        assert_eq!(copies(&volume), None);
        volume[HEADER as usize..][..16].copy_from_slice(GUID);
        assert_eq!(copies(&volume), None);
        volume[HEADER as usize + 0x31] = 0x40;
        assert!(copies(&volume).unwrap().cause.contains("cannot be read"));
        volume[0x4000..0x4010].copy_from_slice(GUID);
        volume[0x4014] = 2;
        assert_eq!(copies(&volume), None);
        volume[0x4000 + 128] = 2;
        volume[0x4000 + 256] = 3;
        assert!(copies(&volume).unwrap().cause.starts_with("1 shadow copy"), "{:?}", copies(&volume));
        // A catalogue that leads to itself ends.
        volume[0x4029] = 0x40;
        assert!(copies(&volume).unwrap().cause.contains("cannot be read"));
    }
}
