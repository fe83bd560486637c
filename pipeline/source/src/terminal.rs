//! Names on a terminal, where control characters would act as commands, and bidirectional ones
//! would show letters in a false order.

use std::fmt::Write;
use std::path::Path;

/// Whether a character must not reach a terminal as it is: C0 and C1 controls, DEL, line and
/// paragraph separators, everything that steers bidirectional layout (UAX #9), zero-width and
/// invisible format characters, tags and private markers (U+FFF9–FFFB).
pub fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\u{00}'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E007F}')
}

/// A path for people: [`render`] of its bytes, with `/` between its names.
pub fn shown(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    if cfg!(windows) { render(&crate::os::names::entered(bytes.to_vec())) } else { render(bytes) }
}

/// A name for people: valid UTF-8 stays, anything unsafe or invalid is escaped as in a C string
/// (`\n`, `\x1b`, `\u{202e}`), and a backslash is doubled, so two names never look alike by their
/// escapes.
pub fn render(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                c if !is_unsafe(c) => text.push(c),
                // Writing to a String cannot fail.
                c if c.is_ascii() => drop(write!(text, "\\x{:02x}", u32::from(c))),
                c => drop(write!(text, "\\u{{{:x}}}", u32::from(c))),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Bytes for people: `7.3 MB`, with powers of ten.
pub fn size_text(bytes: u64) -> String {
    sum_text(u128::from(bytes))
}

/// As [`size_text`], for a sum of sizes, which may be more than the largest size.
pub fn sum_text(bytes: u128) -> String {
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

/// A number with the words behind it: `1 file is`, `2 files are`.
pub fn many(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// A number of things for people: `1 file`, `2 files`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn samples() {
        assert_eq!(render(b"plain name.txt"), "plain name.txt");
        assert_eq!(render("\u{1b}[31mré\u{202e}d\u{9b}".as_bytes()), "\\x1b[31mré\\u{202e}d\\u{9b}");
        assert_eq!(render(b"a\xff\\\n\x07"), "a\\xff\\\\\\n\\x07");
    }

    proptest! {
        #[test]
        fn nothing_unsafe_and_nothing_alike(a in prop::collection::vec(any::<u8>(), 0..20), b in prop::collection::vec(any::<u8>(), 0..20)) {
            prop_assert!(!render(&a).chars().any(is_unsafe));
            prop_assert_eq!(a == b, render(&a) == render(&b));
        }
    }
}
