//! `OFFSET:LENGTH` on the command line.

use crate::size;
use std::ops::Range;

/// Reads `64KiB:4096`: where, and how many bytes.
pub fn parse(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("{text:?} is no range: write OFFSET:LENGTH, as 64KiB:4096, with at least one byte");
    let (offset, length) = text.split_once(':').ok_or_else(wrong)?;
    let (offset, length) = (size::parse(offset)?, size::parse(length)?);
    let end = offset.checked_add(length).filter(|_| length > 0).ok_or_else(wrong)?;
    Ok(offset..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(parse("64KiB:4096"), Ok(65536..69632));
        assert_eq!(parse("0:1"), Ok(0..1));
        for text in ["", "5", "1:0", ":", "1:", ":1", "-1:2", "1:2:3", "18446744073709551615:1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
