//! World wide identifiers (SPC-4, 7.8.5: page 0x83 of vital product data).

use super::answer::property;
use super::bytes::{u16_at, u32_at};
use super::{Asks, Fault};

/// StorageDeviceIdProperty.
const ID: u32 = 2;
/// Bytes before the identifier in STORAGE_IDENTIFIER.
const HEAD: usize = 16;
/// More identifiers are not looked at.
const MOST: u32 = 64;

/// The best identifier that a device states, in the form in which Linux gives it: `naa.…`,
/// `eui.…`, the text of a SCSI name, `t10.…`; empty if it states none of these.
///
/// # Errors
/// The system's, and an answer whose identifiers are not in it.
pub fn wwid(asks: &dyn Asks) -> Result<String, Fault> {
    let answer = property(asks, ID)?;
    let (count, mut at) = (u32_at(&answer, 8, "the number of identifiers")?, 12_usize);
    let mut best: Option<(usize, String)> = None;
    for _ in 0..count.min(MOST) {
        let field = |from| u32_at(&answer, at + from, "an identifier");
        let (set, kind, association) = (field(0)?, field(4)?, field(12)?);
        let length = usize::from(u16_at(&answer, at + 8, "an identifier")?);
        let next = usize::from(u16_at(&answer, at + 10, "an identifier")?);
        let bytes = answer.get(at + HEAD..at + HEAD + length).ok_or(Fault::Answer("an identifier"))?;
        // Of the device; others are of its port.
        if association == 0
            && let Some(found) = shown(set, kind, bytes)
            && best.as_ref().is_none_or(|(rank, _)| found.0 < *rank)
        {
            best = Some(found);
        }
        if next == 0 {
            break;
        }
        if next < HEAD {
            return Err(Fault::Answer("the place of an identifier"));
        }
        at += next;
    }
    Ok(best.map(|(_, text)| text).unwrap_or_default())
}

/// An identifier with its rank; the lowest is the best.
fn shown(set: u32, kind: u32, bytes: &[u8]) -> Option<(usize, String)> {
    let (binary, digits) = (set == 1, || bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let text = || {
        let text = String::from_utf8_lossy(bytes);
        let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    match kind {
        _ if bytes.iter().all(|byte| *byte == 0) => None,
        3 if binary => Some((0, format!("naa.{}", digits()))),
        2 if binary => Some((1, format!("eui.{}", digits()))),
        8 => text().map(|text| (2, text)),
        1 if !binary => text().map(|text| (3, format!("t10.{text}"))),
        _ => None,
    }
}
