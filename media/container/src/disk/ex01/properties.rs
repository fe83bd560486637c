//! Device information and case data: a table of two lines, names and values, in UTF-16, deflated.

use super::section::Section;
use crate::Bytes;
use crate::disk::Failure;
use crate::disk::unpack::{Method, unpack_up_to};

/// The longest text, in bytes.
const LONGEST: u64 = 1 << 20;

/// Names and values.
pub struct Properties(Vec<(String, String)>);

impl Properties {
    /// Reads a section.
    pub fn read(file: &dyn Bytes, section: &Section, method: Method) -> Result<Properties, Failure> {
        let wrong = |what: &str| Failure::at(section.at, format!("device information or case data: {what}"));
        if section.length > LONGEST {
            return Err(wrong("too long"));
        }
        let mut bytes = vec![0; section.length as usize];
        file.read_exact_at(section.at, &mut bytes)?;
        // With method 0 nothing is compressed.
        if !bytes.starts_with(b"\xff\xfe") {
            bytes = unpack_up_to(method, &bytes, LONGEST).map_err(|failure| wrong(&failure.to_string()))?;
        }
        let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units).map(|char| char.unwrap_or('\u{fffd}')).collect();
        let mut lines = text.trim_start_matches('\u{feff}').split('\n').map(|line| line.trim_end_matches('\r'));
        let (_, main, names, values) = (lines.next(), lines.next(), lines.next(), lines.next());
        let (Some("main"), Some(names), Some(values)) = (main, names, values) else {
            return Err(wrong("not of names and values"));
        };
        let pairs = names.split('\t').zip(values.split('\t'));
        Ok(Properties(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }

    /// A number by its name.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(own, _)| own == name)?.1.parse().ok()
    }
}
