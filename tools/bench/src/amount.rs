//! Sizes and counts as people write them, and times and rates as people read them.

/// Reads `4096`, `2MB` (10^6 bytes), `2MiB` or `2M` (2^20 bytes), `722GB`, `1.5TiB`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a size: write 4096, 2MiB, 722GB or 1.5TB");
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let (letters, base) = match unit.strip_suffix("iB") {
        Some(letters) => (letters, 1024f64),
        None => match unit.strip_suffix('B') {
            Some(letters) => (letters, 1000f64),
            None => (unit, 1024f64),
        },
    };
    let power = match letters.to_ascii_uppercase().as_str() {
        "" => 0,
        letter if letter.len() == 1 => "KMGTPE".find(letter).ok_or_else(wrong)? as i32 + 1,
        _ => return Err(wrong()),
    };
    let bytes = number * base.powi(power);
    if bytes.is_finite() && bytes < u64::MAX as f64 { Ok(bytes.round() as u64) } else { Err(wrong()) }
}

/// A duration in the largest unit that leaves a number above 1: `850 µs`, `12.3 s`, `1 h 07 min`.
pub fn show_seconds(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "unknown".to_owned(),
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{} min {:02} s", s as u64 / 60, s as u64 % 60),
        s => format!("{} h {:02} min", s as u64 / 3600, s as u64 % 3600 / 60),
    }
}

/// A number of bytes in decimal units: `722.0 GB`.
pub fn show_bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB", "GB", "TB", "PB"] {
        if value < 1000.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} EB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("2MB", 2_000_000),
            ("2MiB", 2 << 20),
            ("2M", 2 << 20),
            ("722GB", 722_000_000_000),
            ("1.5TB", 1_500_000_000_000),
            ("64kB", 64_000),
            ("7B", 7),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "x", "MB", "-1", "2ZB", "2MMB", "1e400", "99999999EB", "2 MB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shown() {
        let seconds: Vec<String> = [0.00085, 0.5, 12.34, 67.0, 4020.0].map(show_seconds).to_vec();
        assert_eq!(seconds, ["850 µs", "500.0 ms", "12.3 s", "1 min 07 s", "1 h 07 min"]);
        let bytes: Vec<String> = [12, 4096, 722_000_000_000].map(show_bytes).to_vec();
        assert_eq!(bytes, ["12 B", "4.1 kB", "722.0 GB"]);
    }
}
