//! Sizes on the command line.

use crate::exit::Failure;

/// Reads `4096`, `64KiB`, `64K` (1,024s), `64kB`, `64MB` (1,000s), `1.5GiB`.
pub fn parse(text: &str) -> Result<u64, Failure> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let power = |base: u64, unit: &str| -> Option<u64> {
        let letter = unit.chars().next()?.to_ascii_uppercase();
        Some(base.pow("KMGTPE".find(letter)? as u32 + 1))
    };
    let factor = match unit {
        "" | "B" => Some(1),
        u if u.len() == 1 || (u.len() == 3 && u.ends_with("iB")) => power(1024, u),
        u if u.len() == 2 && u.ends_with('B') => power(1000, u),
        _ => None,
    };
    let wrong = || Failure::usage(format_args!("{text:?} is not a size: write 4096, 64KiB, 64MB or 1.5GiB"));
    let factor = factor.ok_or_else(wrong)?;
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).ok_or_else(wrong);
    }
    let value = number.parse::<f64>().map_err(|_| wrong())? * factor as f64;
    if value.is_finite() && value <= u64::MAX as f64 { Ok(value as u64) } else { Err(wrong()) }
}

/// Reads the size of the table: as [`parse`], but a bare number counts MiB, as in the paper's `-m
/// 256`.
pub fn parse_memory(text: &str) -> Result<u64, Failure> {
    let mebibytes = text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty();
    parse(&if mebibytes { format!("{text}MiB") } else { text.to_owned() })
}

/// Reads the size of a block.
#[cfg(feature = "known")]
pub fn parse_block(text: &str) -> Result<u32, Failure> {
    let wrong = |_| Failure::usage(format_args!("{text}: blocks have at most 1 MiB"));
    parse(text).and_then(|size| u32::try_from(size).map_err(wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let good = [("0", 0), ("4096", 4096), ("64K", 65536), ("64KiB", 65536), ("64kB", 64000), ("1.5GiB", 3 << 29)];
        for (text, bytes) in good {
            assert_eq!(parse(text).ok(), Some(bytes), "{text}");
        }
        assert_eq!(parse_memory("256").ok(), Some(256 << 20));
        assert_eq!(parse_memory("64kB").ok(), Some(64000));
        for text in ["", "-1", "K", "1X", "1KB1", "99999999999999999999", "1e9", "20000000TiB"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
