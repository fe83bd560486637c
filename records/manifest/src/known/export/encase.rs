//! EnCase's `.hash`, in the layout that public readers know: a header of 0x480 bytes with the
//! number of entries, and a name and a category in UTF-16; then entries of 18 bytes, an MD5 digest
//! and two zeros.

use super::Item;

const HEADER: usize = 0x480;
const COUNT: usize = 0x10;
const NAME: usize = 0x408;
const LONGEST_NAME: usize = 39;

pub fn head(out: &mut Vec<u8>, name: &str, count: u64) {
    let start = out.len();
    out.resize(start + HEADER, 0);
    let header = &mut out[start..];
    header[..8].copy_from_slice(b"HASH\r\n\xFF\0");
    // The version that readers ask for.
    header[8..12].copy_from_slice(&[2, 0, 0, 0]);
    header[COUNT..COUNT + 4].copy_from_slice(&(count as u32).to_le_bytes());
    for (at, unit) in name.encode_utf16().take(LONGEST_NAME).enumerate() {
        header[NAME + 2 * at..NAME + 2 * at + 2].copy_from_slice(&unit.to_le_bytes());
    }
}

pub fn item(out: &mut Vec<u8>, item: &Item<'_>) -> bool {
    let Some(md5) = item.digests.iter().find(|digest| digest.algorithm().name() == "md5") else { return false };
    out.extend_from_slice(md5.bytes());
    out.extend_from_slice(&[0, 0]);
    true
}
