//! From bytes to characters; the bytes may come in any pieces.

/// How the bytes of a text are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8; bytes that are not UTF-8 are read as Latin-1.
    Bytes,
    /// UTF-16, the lower byte of a unit first.
    Utf16Le,
    /// UTF-16, the higher byte first.
    Utf16Be,
}

/// Bytes of the longest byte order mark.
pub(super) const MARK: usize = 3;

impl Encoding {
    /// By the first bytes of an input, with the length of the byte order mark. None if more bytes
    /// are needed.
    pub(super) fn of(first: &[u8], is_end: bool) -> Option<(Encoding, usize)> {
        match first {
            [0xef, 0xbb, 0xbf, ..] => Some((Encoding::Bytes, 3)),
            [0xff, 0xfe, ..] => Some((Encoding::Utf16Le, 2)),
            [0xfe, 0xff, ..] => Some((Encoding::Utf16Be, 2)),
            [] | [0xef] | [0xef, 0xbb] | [0xfe] | [0xff] if !is_end => None,
            _ => Some((Encoding::Bytes, 0)),
        }
    }

    /// The first character, with the number of its bytes. None if more bytes are needed, and at the
    /// end if there is none.
    pub(super) fn first(self, bytes: &[u8], is_end: bool) -> Option<(char, usize)> {
        match self {
            Encoding::Bytes => first_of_bytes(bytes, is_end),
            Encoding::Utf16Le => first_of_units(bytes, is_end, u16::from_le_bytes),
            Encoding::Utf16Be => first_of_units(bytes, is_end, u16::from_be_bytes),
        }
    }
}

fn first_of_bytes(bytes: &[u8], is_end: bool) -> Option<(char, usize)> {
    let &lead = bytes.first()?;
    let width = match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if bytes.len() < width && !is_end {
        return None;
    }
    let whole = bytes.get(..width).and_then(|whole| std::str::from_utf8(whole).ok());
    Some(whole.and_then(|whole| whole.chars().next()).map_or((char::from(lead), 1), |character| (character, width)))
}

fn first_of_units(bytes: &[u8], is_end: bool, unit: fn([u8; 2]) -> u16) -> Option<(char, usize)> {
    let unit = |at: usize| bytes.get(at..at + 2).map(|two| unit([two[0], two[1]]));
    match unit(0) {
        Some(0xd800..0xdc00) if bytes.len() < 4 && !is_end => None,
        Some(first) => match char::decode_utf16([first].into_iter().chain(unit(2))).next() {
            Some(Ok(character)) => Some((character, 2 * character.len_utf16())),
            _ => Some((char::REPLACEMENT_CHARACTER, 2)),
        },
        None if bytes.is_empty() || !is_end => None,
        None => Some((char::REPLACEMENT_CHARACTER, 1)),
    }
}
