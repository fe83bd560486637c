//! GNU's escaping of names in lists of checksums (coreutils manual, "cksum output modes"): where a
//! name holds a backslash, LF or CR, these become `\\`, `\n` and `\r`, and the whole line starts
//! with a backslash.

use std::borrow::Cow;

/// Whether a line that holds `name` must be escaped.
pub fn is_needed(name: &[u8]) -> bool {
    name.iter().any(|&byte| matches!(byte, b'\\' | b'\n' | b'\r'))
}

/// The name as an escaped line holds it; without the backslash in front of the line.
pub fn escape(name: &[u8]) -> Cow<'_, [u8]> {
    if !is_needed(name) {
        return Cow::Borrowed(name);
    }
    let mut escaped = Vec::with_capacity(name.len() + 8);
    for &byte in name {
        match byte {
            b'\\' => escaped.extend_from_slice(b"\\\\"),
            b'\n' => escaped.extend_from_slice(b"\\n"),
            b'\r' => escaped.extend_from_slice(b"\\r"),
            _ => escaped.push(byte),
        }
    }
    Cow::Owned(escaped)
}

/// The name that an escaped line holds; `None` for a backslash before anything but `\`, `n` and
/// `r`.
pub fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_gnu_refuses() {
        assert_eq!(unescape(b"a\\tb"), None);
        assert_eq!(unescape(b"a\\"), None);
        assert_eq!(unescape(b"a\\\\n").as_deref(), Some(&b"a\\n"[..]));
    }

    proptest! {
        #[test]
        fn unescape_undoes_escape(name in prop::collection::vec(prop_oneof![Just(b'\\'), Just(b'\n'), Just(b'\r'), Just(b'n'), 1..=255_u8], 0..40)) {
            let escaped = escape(&name);
            prop_assert!(!escaped.contains(&b'\n') && !escaped.contains(&b'\r'));
            prop_assert_eq!(unescape(&escaped), Some(name.clone()));
        }
    }
}
