//! Ranges of bytes in words, by their sectors: for logs and for people.

use pfh_source::device::Bad;
use std::io;

/// A run of lost bytes in words: sectors are those of the medium (LBAs), wherever on it the image
/// starts (`from`, in bytes).
pub fn lost(bad: &Bad, from: u64, sector: u32) -> String {
    let (size, at) = (u64::from(sector), from + bad.offset);
    let (first, last) = (at / size, (at + bad.length).div_ceil(size).max(1) - 1);
    let sectors = if first == last { format!("sector {first}") } else { format!("sectors {first} - {last}") };
    let place = match from {
        0 => format!("offset {at}"),
        _ => format!("offset {at} of the medium, {} of the image", bad.offset),
    };
    format!("{sectors} ({place}, {} bytes): {}", bad.length, bad.cause())
}

/// A range of an image in words.
pub fn range(offset: u64, length: u64, sector: u32) -> String {
    let size = u64::from(sector);
    let (first, count) = (offset / size, length.div_ceil(size));
    let sectors =
        if count == 1 { format!("sector {first}") } else { format!("sectors {first} - {}", first + count - 1) };
    format!("{sectors} (offset {offset}, {length} bytes)")
}

/// A run of unreadable bytes of an image in words, with its cause.
pub fn unreadable(bad: &Bad, sector: u32) -> String {
    format!("{}: {}", range(bad.offset, bad.length, sector), io::Error::from_raw_os_error(bad.errno))
}

/// Most differing ranges that are listed one by one; the records for machines have all.
pub const MOST_LISTED: usize = 20;

/// The ranges beyond [`MOST_LISTED`] in words; `None` if there are none.
pub fn more(differing: &[(u64, u64)]) -> Option<String> {
    let rest = differing.get(MOST_LISTED..).filter(|rest| !rest.is_empty())?;
    let bytes: u64 = rest.iter().map(|(_, length)| length).sum();
    Some(format!("and {} more ranges of {bytes} bytes", rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_differing_ranges_are_counted_and_not_listed() {
        let ranges: Vec<(u64, u64)> = (0..4200).map(|at| (at * 2, 1)).collect();
        assert_eq!(more(&ranges[..MOST_LISTED]), None);
        assert_eq!(more(&ranges).as_deref(), Some("and 4180 more ranges of 4180 bytes"));
    }

    #[test]
    fn sectors_are_those_of_the_medium() {
        assert_eq!(range(4096, 8192, 4096), "sectors 1 - 2 (offset 4096, 8192 bytes)");
        assert_eq!(range(512, 1, 512), "sector 1 (offset 512, 1 bytes)");
    }
}
