//! Names of lists and of walks as they compare, and names that probably mean the same file.

use pfh_source::is_address;
use std::borrow::Cow;
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// A name without slashes at its end, as a file has it; an address stays as it is.
pub fn unclosed(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|byte| *byte != b'/') {
        Some(last) if !is_address(name) => &name[..=last],
        _ => name,
    }
}

/// A name without `./` in front, doubled slashes and a slash at its end. An address stays as it is:
/// in a store `a/b`, `a//b` and `a/b/` are three objects.
pub fn plain(name: &[u8]) -> Vec<u8> {
    spelt(name).into_owned()
}

/// The same; most names are plain as they stand.
pub fn spelt(name: &[u8]) -> Cow<'_, [u8]> {
    let is_short = |part: &[u8]| part.is_empty() || part == b".";
    let rest = name.strip_prefix(b"/").unwrap_or(name);
    if is_address(name) || !rest.split(|&b| b == b'/').any(is_short) {
        return name.into();
    }
    let absolute = name.first() == Some(&b'/');
    let parts: Vec<&[u8]> = name.split(|&b| b == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
    let joined = parts.join(&b'/');
    if absolute { [b"/", &joined[..]].concat().into() } else { joined.into() }
}

/// A name with `..` as the name that it leads to; `None` for one without, one that leads up from
/// where it starts, and one in which a directory in front of `..` is a link.
pub fn folded(name: &[u8], is_link: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    if is_address(name) {
        return None;
    }
    let name = plain(name);
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut is_changed = false;
    for part in name.split(|&byte| byte == b'/') {
        if part != b".." {
            kept.push(part);
            continue;
        }
        if kept.last().is_none_or(|last| last.is_empty()) || is_link(&kept.join(&b'/')) {
            return None;
        }
        kept.pop();
        is_changed = true;
    }
    (is_changed && !kept.is_empty()).then(|| kept.join(&b'/'))
}

/// By what two names of one file may differ when other programs or systems wrote one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trait {
    Ends,
    Quotes,
    Escapes,
    Slashes,
    Form,
    Case,
    Page,
    /// Of lists without directories alone.
    Folders,
}

/// In the order in which they are taken away.
const TRAITS: [Trait; 7] =
    [Trait::Ends, Trait::Quotes, Trait::Escapes, Trait::Slashes, Trait::Form, Trait::Case, Trait::Page];

impl Trait {
    fn name(self) -> &'static str {
        match self {
            Trait::Ends => "blanks at its ends",
            Trait::Quotes => "quotes",
            Trait::Escapes => "%-escapes",
            Trait::Slashes => "\\ for /",
            Trait::Form => "its Unicode normal form",
            Trait::Case => "case",
            Trait::Page => "its code page",
            Trait::Folders => "its directory",
        }
    }

    /// A name without it.
    fn taken(self, name: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
        match self {
            Trait::Ends => trimmed(&name).to_vec().into(),
            Trait::Quotes => match &*name {
                [quote @ (b'"' | b'\'' | b'`'), inner @ .., end] if quote == end => inner.to_vec().into(),
                _ => name,
            },
            Trait::Escapes if name.contains(&b'%') => unescaped(&name).into(),
            Trait::Slashes if name.contains(&b'\\') => {
                plain(&name.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect::<Vec<u8>>()).into()
            }
            Trait::Form if !name.is_ascii() => match std::str::from_utf8(&name) {
                Ok(text) => text.nfc().collect::<String>().into_bytes().into(),
                Err(_) => name,
            },
            Trait::Case => caseless(&name).into_owned().into(),
            Trait::Page if !name.is_ascii() => lettered(&name).into(),
            _ => name,
        }
    }
}

fn trimmed(name: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = name.iter().position(|byte| !is_blank(byte)).unwrap_or(name.len());
    let end = name.iter().rposition(|byte| !is_blank(byte)).map_or(start, |at| at + 1);
    &name[start..end]
}

fn unescaped(name: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| (*byte as char).to_digit(16).map(|digit| digit as u8);
    let (mut bytes, mut at) = (Vec::with_capacity(name.len()), 0);
    while at < name.len() {
        let escaped = if name[at] == b'%' { name.get(at + 1..at + 3) } else { None };
        match escaped.and_then(|two| Some(digit(&two[0])? << 4 | digit(&two[1])?)) {
            Some(byte) if byte != 0 => {
                bytes.push(byte);
                at += 3;
            }
            _ => {
                bytes.push(name[at]);
                at += 1;
            }
        }
    }
    bytes
}

/// Each letter beyond ASCII as one mark: a name in an old code page has a byte for each.
fn lettered(name: &[u8]) -> Vec<u8> {
    const MARK: u8 = 1;
    match std::str::from_utf8(name) {
        Ok(text) => text.nfc().map(|letter| u8::try_from(letter).ok().filter(u8::is_ascii).unwrap_or(MARK)).collect(),
        Err(_) => name.iter().map(|byte| if byte.is_ascii() { *byte } else { MARK }).collect(),
    }
}

/// A name as volumes without regard to case compare it. Bytes that are not text keep their value.
pub fn caseless(name: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_ascii() => text.to_lowercase().into_bytes().into(),
        _ if name.iter().any(u8::is_ascii_uppercase) => name.to_ascii_lowercase().into(),
        _ => name.into(),
    }
}

/// A name without all by which names of one file may differ: two names with one key probably mean
/// one file. [`Likeness::of`] decides.
pub fn key(name: &[u8]) -> Vec<u8> {
    if is_address(name) {
        return name.to_vec();
    }
    let name: Cow<'_, [u8]> = plain(name).into();
    TRAITS.into_iter().fold(name, |name, of| of.taken(name)).into_owned()
}

/// How two different names that probably mean one file differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Likeness(Vec<Trait>);

/// The last part of a name.
pub fn last(name: &[u8]) -> &[u8] {
    name.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

impl Likeness {
    /// Of a name without the directories that the other has.
    pub fn folders() -> Likeness {
        Likeness(vec![Trait::Folders])
    }

    /// How they differ; `None` if they are one name, or probably two files'.
    pub fn of(one: &[u8], other: &[u8]) -> Option<Likeness> {
        let (one, other) = (plain(one), plain(other));
        if one == other || is_address(&one) || is_address(&other) {
            return None;
        }
        // Letters of two names in one code page are compared as they are.
        let is_paged = std::str::from_utf8(&one).is_ok() != std::str::from_utf8(&other).is_ok();
        let usable: Vec<Trait> = TRAITS.into_iter().filter(|of| *of != Trait::Page || is_paged).collect();
        let are_equal = |traits: &[Trait]| {
            let taken = |name: &[u8]| traits.iter().fold(Cow::from(name.to_vec()), |name, of| of.taken(name));
            taken(&one) == taken(&other)
        };
        if !are_equal(&usable) {
            return None;
        }
        let mut needed = usable;
        for of in TRAITS {
            let without: Vec<Trait> = needed.iter().copied().filter(|kept| *kept != of).collect();
            if are_equal(&without) {
                needed = without;
            }
        }
        Some(Likeness(needed))
    }

    /// Whether one is only another spelling: backslashes of Windows for slashes.
    pub fn is_spelling(&self) -> bool {
        self.0 == [Trait::Slashes]
    }
}

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|of| of.name()).collect();
        write!(f, "{} alone", names.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_that_of_letters() {
        assert_eq!(caseless(b"a/B.txt"), caseless(b"A/b.TXT"));
        assert_eq!(caseless("\u{c9}t\u{e9}".as_bytes()), caseless("\u{e9}T\u{c9}".as_bytes()));
        assert_ne!(caseless(b"a"), caseless(b"a "));
        assert_eq!(&*caseless(b"\xffA"), b"\xffa");
    }

    #[test]
    fn names_with_dots_lead_somewhere() {
        let folded = |name: &str| folded(name.as_bytes(), |directory| directory == b"link");
        let name = |name: &str| Some(name.as_bytes().to_vec());
        assert_eq!(folded("d/../d/x"), name("d/x"));
        assert_eq!(folded("a/b/../../c"), name("c"));
        assert_eq!(folded("/a/../b"), name("/b"));
        for kept in ["a/b", "../a", "a/../../b", "link/../a", "/..", "a/.."] {
            assert_eq!(folded(kept), None, "{kept}");
        }
    }

    #[test]
    fn addresses_are_one_name_each() {
        for name in ["s3://b/a//b", "s3://b/./a", "s3://b/a/", "s3://b/a/../b", "https://h/a\\b", "s3://b/A%20b "] {
            let name = name.as_bytes();
            assert_eq!((plain(name), key(name), folded(name, |_| false)), (name.to_vec(), name.to_vec(), None));
        }
        assert_eq!(Likeness::of(b"s3://b/a", b"s3://b/A"), None);
        let ends = ["s3://b/a/", "d/a//", "d/a", "/"].map(|name| unclosed(name.as_bytes()));
        assert_eq!(ends, [&b"s3://b/a/"[..], b"d/a", b"d/a", b"/"]);
    }

    #[test]
    fn names_that_probably_mean_one_file() {
        for (one, other, said) in [
            ("a ".as_bytes(), "a".as_bytes(), "blanks at its ends alone"),
            (b"a\r", b"a", "blanks at its ends alone"),
            (b"\"a b\"", b"a b", "quotes alone"),
            (b"a%20b", b"a b", "%-escapes alone"),
            (b"d\\a", b"d/a", "\\ for / alone"),
            ("\u{f6}".as_bytes(), "o\u{308}".as_bytes(), "its Unicode normal form alone"),
            (b"IMG_1.JPG", b"img_1.jpg", "case alone"),
            (b"dcim\\img", b"DCIM/IMG", "\\ for / and case alone"),
            (b"\xf6.txt", "\u{f6}.txt".as_bytes(), "its code page alone"),
        ] {
            let found = Likeness::of(one, other).unwrap_or_else(|| panic!("{said}"));
            assert_eq!(found.to_string(), said);
            assert_eq!(key(one), key(other), "{said}");
            assert_eq!(found.is_spelling(), said.starts_with('\\') && !said.contains("and"));
        }
        for (one, other) in [("a", "a"), ("./a", "a"), ("a", "b"), ("\u{e4}.txt", "\u{f6}.txt"), ("a b", "ab")] {
            assert_eq!(Likeness::of(one.as_bytes(), other.as_bytes()), None, "{one} {other}");
        }
    }
}
