//! Writes zip archives of stored members.

use super::sum;

/// The archive of these members, with a comment. Of a member whose flag is set the deflated form is
/// written: one stored block.
pub fn write(members: &[(String, Vec<u8>)], comment: &str) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in members {
        let deflates = name.ends_with(".turtle") && bytes.len() < 65_536;
        let data = if deflates { stored_block(bytes) } else { bytes.clone() };
        let mut crc = sum("crc32", bytes);
        crc.reverse();
        let mut head = 20_u16.to_le_bytes().to_vec();
        head.extend([0_u16, if deflates { 8 } else { 0 }, 0, 0].map(u16::to_le_bytes).concat());
        head.extend(crc);
        head.extend([data.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).concat());
        head.extend([name.len() as u16, 0].map(u16::to_le_bytes).concat());
        let at = out.len() as u32;
        out.extend(b"PK\x03\x04");
        out.extend(&head);
        out.extend(name.as_bytes());
        out.extend(data);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&head);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (place, count) = (out.len() as u32, members.len() as u16);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].map(u16::to_le_bytes).concat());
    out.extend([directory.len() as u32, place].map(u32::to_le_bytes).concat());
    out.extend((comment.len() as u16).to_le_bytes());
    out.extend(comment.as_bytes());
    out
}

/// Deflate without compression: one block of less than 64 KiB.
fn stored_block(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u16;
    [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), bytes].concat()
}
