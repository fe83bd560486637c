//! Sizes for people.

/// Bytes for people: `7.3 MB`, with powers of ten.
pub fn size_text(bytes: u64) -> String {
    let mut number = bytes as f64;
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    for unit in ["B", "kB", "MB", "GB", "TB", "PB"] {
        if number < 999.95 {
            return format!("{number:.1} {unit}");
        }
        number /= 1000.0;
    }
    format!("{number:.1} EB")
}
