//! The heads of segment files and of sections, and the names of segment files.

use super::{EwfFault, is_sealed, seal, u64_at};

const SIGNATURE: &[u8; 8] = b"EVF\x09\x0d\x0a\xff\x00";

/// The first 13 bytes of a segment file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHeader {
    /// Number of the segment, from 1.
    pub segment: u16,
}

impl FileHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 13;

    /// As bytes.
    pub fn encode(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(SIGNATURE);
        bytes[8] = 1;
        bytes[9..11].copy_from_slice(&self.segment.to_le_bytes());
        bytes
    }

    /// Reads it.
    ///
    /// # Errors
    /// When signature, field marks or the number are not those of an E01 segment.
    pub fn decode(bytes: &[u8]) -> Result<Self, EwfFault> {
        if !Self::is_ewf(bytes) || bytes.len() < Self::LENGTH {
            return Err(EwfFault::new("no E01 signature"));
        }
        let segment = u16::from_le_bytes([bytes[9], bytes[10]]);
        if bytes[8] != 1 || bytes[11..13] != [0, 0] || segment == 0 {
            return Err(EwfFault::new("damaged file header"));
        }
        Ok(FileHeader { segment })
    }

    /// Whether a file that starts with these bytes is an E01 segment.
    pub fn is_ewf(start: &[u8]) -> bool {
        start.starts_with(SIGNATURE)
    }
}

/// The descriptor in front of each section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// The section's type: `header2`, `header`, `volume`, `data`, `sectors`, `table`, `table2`,
    /// `error2`, `digest`, `hash`, `next`, `done`; at most 16 bytes.
    pub kind: String,
    /// Where the next section starts, in bytes from the start of the segment; its own start in
    /// `next` and `done`.
    pub next: u64,
    /// Length in bytes, with the descriptor; 0 in `next` and `done`.
    pub size: u64,
}

impl Descriptor {
    /// Length in bytes.
    pub const LENGTH: usize = 76;

    /// A section of `payload` bytes that starts at `offset`.
    pub fn new(kind: &str, offset: u64, payload: u64) -> Self {
        let size = Self::LENGTH as u64 + payload;
        Descriptor { kind: kind.to_owned(), next: offset + size, size }
    }

    /// `next` or `done`: the last section of a segment points at itself and has size 0, as EnCase
    /// writes it.
    pub fn last(kind: &str, offset: u64) -> Self {
        Descriptor { kind: kind.to_owned(), next: offset, size: 0 }
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; 72];
        let length = self.kind.len().min(16);
        bytes[..length].copy_from_slice(&self.kind.as_bytes()[..length]);
        bytes[16..24].copy_from_slice(&self.next.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.size.to_le_bytes());
        seal(&mut bytes, 0);
        bytes
    }

    /// Reads it.
    ///
    /// # Errors
    /// When the checksum does not match, or the type is not text.
    pub fn decode(bytes: &[u8]) -> Result<Self, EwfFault> {
        let Some(bytes) = bytes.get(..Self::LENGTH) else { return Err(EwfFault::new("section descriptor cut short")) };
        if !is_sealed(bytes) {
            return Err(EwfFault::new("checksum of a section descriptor"));
        }
        let name = bytes[..16].split(|b| *b == 0).next().unwrap_or_default();
        if !name.iter().all(u8::is_ascii_alphanumeric) || name.is_empty() {
            return Err(EwfFault::new("section type is not a name"));
        }
        let kind = String::from_utf8_lossy(name).into_owned();
        Ok(Descriptor { kind, next: u64_at(bytes, 16), size: u64_at(bytes, 24) })
    }
}

/// The file name extension of a segment, without the dot: `E01` … `E99`, `EAA` … `EZZ`, `FAA` …
/// `ZZZ`. `None` for segment 0 and beyond `ZZZ` (segment 14,971): there is no name for more.
pub fn extension(segment: u16) -> Option<String> {
    match segment {
        0 => None,
        1..=99 => Some(format!("E{segment:02}")),
        _ => {
            let number = segment - 100;
            let letter = |n: u16| (b'A' + n as u8) as char;
            let first = number / 676 + 4;
            (first < 26).then(|| [letter(first), letter(number / 26 % 26), letter(number % 26)].iter().collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_segments() {
        let names = [(1, "E01"), (99, "E99"), (100, "EAA"), (125, "EAZ"), (126, "EBA"), (775, "EZZ"), (776, "FAA")];
        for (segment, name) in names {
            assert_eq!(extension(segment).as_deref(), Some(name));
        }
        assert_eq!(extension(14_971).as_deref(), Some("ZZZ"));
        assert_eq!((extension(0), extension(14_972)), (None, None));
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let header = FileHeader { segment: 513 };
        let descriptor = Descriptor::new("sectors", 13, 99);
        assert_eq!(FileHeader::decode(&header.encode()), Ok(header));
        assert_eq!(Descriptor::decode(&descriptor.encode()), Ok(descriptor.clone()));
        for bit in 0..76 * 8 {
            let mut bytes = descriptor.encode();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Descriptor::decode(&bytes).is_err(), "bit {bit}");
        }
        for bit in 0..13 * 8 {
            let mut bytes = header.encode();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(FileHeader::decode(&bytes), Ok(header), "bit {bit}");
        }
    }
}
