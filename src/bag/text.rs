//! Tag files as text, in the encodings that bags have.

/// How the tag files of a bag are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, or US-ASCII.
    Utf8,
    /// UTF-16, by its mark or big-endian.
    Utf16,
    /// UTF-16 with the low byte first.
    Utf16Low,
    /// ISO-8859-1.
    Latin1,
}

impl Encoding {
    /// The encoding of this name; `None` for one that is not known here.
    pub fn named(name: &str) -> Option<Encoding> {
        Some(match &*name.to_ascii_uppercase() {
            "UTF-8" | "UTF8" | "US-ASCII" | "ASCII" => Encoding::Utf8,
            "UTF-16" | "UTF-16BE" => Encoding::Utf16,
            "UTF-16LE" => Encoding::Utf16Low,
            "ISO-8859-1" | "LATIN1" => Encoding::Latin1,
            _ => return None,
        })
    }

    /// The bytes as UTF-8. Bytes that are not text of the encoding stay as they are where names may
    /// be bytes, and is `None` otherwise.
    pub fn decode(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let wide = |bytes: &[u8], low: bool| {
            let (pairs, rest) = bytes.as_chunks::<2>();
            let units =
                pairs.iter().map(|pair| if low { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) });
            let text: Option<String> = char::decode_utf16(units).collect::<Result<_, _>>().ok();
            text.filter(|_| rest.is_empty()).map(String::into_bytes)
        };
        match self {
            Encoding::Utf8 => Some(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).to_vec()),
            Encoding::Utf16 => match bytes {
                [0xFF, 0xFE, rest @ ..] => wide(rest, true),
                [0xFE, 0xFF, rest @ ..] => wide(rest, false),
                rest => wide(rest, false),
            },
            Encoding::Utf16Low => wide(bytes.strip_prefix(&[0xFF, 0xFE]).unwrap_or(bytes), true),
            Encoding::Latin1 => Some(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes()),
        }
    }
}

/// Lines that end with a line feed, a carriage return or both.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        lines.push(&rest[..end]);
        let ending = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = &rest[(end + ending).min(rest.len())..];
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_and_ends_of_lines() {
        let all = |name: &str, bytes: &[u8]| Encoding::named(name).unwrap().decode(bytes);
        assert_eq!(all("utf-8", b"\xEF\xBB\xBFa"), Some(b"a".to_vec()));
        assert_eq!(all("UTF-16", b"\xFF\xFEa\0\xE9\0"), Some("aé".into()));
        assert_eq!(all("UTF-16", b"\0a"), Some(b"a".to_vec()));
        assert_eq!(all("UTF-16LE", b"a\0b"), None);
        assert_eq!(all("ISO-8859-1", b"\xE9"), Some("é".into()));
        assert!(Encoding::named("EBCDIC").is_none());
        assert_eq!(lines(b"a\r\nb\rc\n\nd"), [&b"a"[..], b"b", b"c", b"", b"d"]);
    }
}
