//! The look of bytes by their first ones.

use crate::archive::Format;
use pfh_container::signature;

/// Bytes of a text that are shown.
const SHOWN: usize = 24;

/// The look of bytes by the first of them: a format, text, or their values.
pub fn looks_like(start: &[u8]) -> String {
    let begins = start.iter().position(|byte| *byte != 0).unwrap_or(0);
    let start = &start[begins..];
    if let Some(name) = Format::recognize(start).map(Format::name).or_else(|| signature::any_in(start)) {
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
