//! The look of bytes by their first ones.

use pfh_container::signature;

/// Signatures of formats that are read: where they stand, and the name of the format in output.
/// Readers check more than these; a name of bytes that nothing claims need not be a proof.
const READ: &[(usize, &[u8], &str)] = &[
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"\x1f\x8b\x08", "gzip"),
    (4, b"1AY&SY", "bzip2"),
    (4, b"\x17\x72\x45\x38\x50\x90", "bzip2"),
    (0, b"\xfd7zXZ\0", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (0, b"\x04\x22\x4d\x18", "lz4"),
    (0, b"\x02\x21\x4c\x18", "lz4"),
    (0, b"!<arch>\n", "ar"),
    (0, b"\xed\xab\xee\xdb", "rpm"),
    (0, b"MSCF\0\0\0\0", "cab"),
    (0, b"MSWIM\0\0\0", "wim"),
    (0, b"Rar!\x1a\x07\0", "rar"),
    (0, b"Rar!\x1a\x07\x01\0", "rar"),
    (2, b"-lh", "lha"),
    (2, b"-lz", "lha"),
    (0, b"070701", "cpio"),
    (0, b"070702", "cpio"),
    (0, b"070707", "cpio"),
    (257, b"ustar", "tar"),
    (0, b"!BDN", "pst"),
    (0, b"\x78\x9f\x3e\x22", "tnef"),
    (0, b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3", "onenote"),
    (0, b"\0\x05\x16\0", "apple"),
    (0, b"\0\x05\x16\x07", "apple"),
    (0, b"LVF\x09\x0d\x0a\xff\0", "l01"),
    (0, b"LEF2\r\n\x81\0", "lx01"),
    (0, b"ADSEGMENTEDFILE\0", "ad1"),
];

/// Bytes of a text that are shown.
const SHOWN: usize = 24;

/// The look of bytes by the first of them: a format, text, or their values.
pub fn looks_like(start: &[u8]) -> String {
    let begins = start.iter().position(|byte| *byte != 0).unwrap_or(0);
    let start = &start[begins..];
    let read = READ.iter().find(|(at, bytes, _)| start.get(*at..).is_some_and(|rest| rest.starts_with(bytes)));
    if let Some(name) = read.map(|(.., name)| *name).or_else(|| signature::any_in(start)) {
        return name.to_owned();
    }
    let known: [(&[u8], &str); 9] = [
        (b"PK\x01\x02", "zip directory"),
        (b"\xff\xd8\xff", "JPEG"),
        (b"\x89PNG", "PNG"),
        (b"GIF8", "GIF"),
        (b"%PDF-", "PDF"),
        (b"MZ", "program"),
        (b"\x7fELF", "program"),
        (b"SQLite format 3", "SQLite"),
        (b"\xd0\xcf\x11\xe0", "OLE"),
    ];
    if let Some((_, name)) = known.iter().find(|(bytes, _)| start.starts_with(bytes)) {
        return (*name).to_owned();
    }
    let length = start.iter().take_while(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')).count();
    if length >= 4 {
        let shown: String = start[..length.min(SHOWN)].iter().map(|byte| char::from(*byte)).collect();
        return format!("text: {}", shown.replace(['\n', '\r', '\t'], " ").trim());
    }
    let shown: Vec<String> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_text_and_bytes() {
        let pairs: [(&[u8], &str); 5] = [
            (b"\0\0PK\x03\x04....", "zip"),
            (b"\xff\xd8\xff\xe0", "JPEG"),
            (b"hello\nworld", "text: hello world"),
            (&[1, 2, 3], "01 02 03"),
            (b"", ""),
        ];
        for (bytes, expected) in pairs {
            assert_eq!(looks_like(bytes), expected);
        }
    }
}
