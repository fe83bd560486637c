//! Names in manifests: characters that must be written in another way, and names that lead out of
//! the bag.

/// A name as RFC 8493 writes it: of line feeds, carriage returns and percent signs the number
/// (section 2.1.3).
pub fn encoded(name: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\n' | b'\r' | b'%' => encoded.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            byte => encoded.push(byte),
        }
    }
    encoded
}

/// The name that was written so. Other percent signs stand for themselves.
pub fn decoded(written: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some((&byte, after)) = rest.split_first() {
        let number =
            if byte == b'%' { after.first_chunk::<2>().map(|digits| digits.to_ascii_uppercase()) } else { None };
        let found = match number.as_deref() {
            Some(b"0A") => Some(b'\n'),
            Some(b"0D") => Some(b'\r'),
            Some(b"25") => Some(b'%'),
            _ => None,
        };
        name.push(found.unwrap_or(byte));
        rest = if found.is_some() { &after[2..] } else { after };
    }
    name
}

/// A name without `./` in front.
pub fn plain(name: &[u8]) -> &[u8] {
    let mut name = name;
    while let Some(rest) = name.strip_prefix(b"./") {
        name = rest;
    }
    name
}

/// Why a name leads out of the bag, or may lead out of it elsewhere; `None` if it stays.
pub fn hostile(name: &[u8]) -> Option<&'static str> {
    let mut components = name.split(|&byte| byte == b'/' || byte == b'\\');
    let drive = matches!(name, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    match name {
        [] => Some("an empty name"),
        [b'/' | b'\\', ..] => Some("an absolute name"),
        [b'~', ..] => Some("a name that starts with ~"),
        [b'%', ..] if name[1..].contains(&b'%') => Some("a name that starts with a variable"),
        _ if drive => Some("an absolute name"),
        _ if components.any(|component| component == b"..") => Some("a name with .. in it"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_being_written() {
        for name in [&b"data/a"[..], b"data/100%", b"data/a\nb\rc", b"data/%0A", b"data/%", b"data/%2", b"\xFF%%25"] {
            assert_eq!(decoded(&encoded(name)), name);
        }
        assert_eq!(decoded(b"data/%7Ex%0d%te"), b"data/%7Ex\r%te");
    }

    #[test]
    fn names_that_lead_out() {
        for name in [
            "",
            "/etc/passwd",
            "~/x",
            "~root/x",
            "../x",
            "data/../../x",
            "data/..",
            "C:\\x",
            "\\\\server\\x",
            "a\\..\\b",
        ] {
            assert!(hostile(name.as_bytes()).is_some(), "{name}");
        }
        for name in ["data/a", "data/..a", "data/~x", "data/a..b/c", "data/%x"] {
            assert_eq!(hostile(name.as_bytes()), None, "{name}");
        }
    }
}
