//! Gentoo's Manifests (GLEP 74): a kind, a name, a size, and pairs of an algorithm and a digest.

use pfh_digest::Registry;

use super::algorithm;
use crate::digits;
use crate::entry::{Entry, Fault, ParsedLine};

/// Kinds of files.
const KINDS: [&str; 6] = ["DIST", "EBUILD", "AUX", "MISC", "DATA", "MANIFEST"];

/// The parts of a line.
struct Line<'a> {
    kind: &'a str,
    name: String,
    size: u64,
    pairs: Vec<(&'a str, &'a str)>,
}

fn parts(line: &[u8]) -> Option<Line<'_>> {
    let mut words: Vec<&str> = str::from_utf8(line).ok()?.split(' ').collect();
    let mut pairs = Vec::new();
    while let [.., name, digest] = words[..]
        && digits::is_digest(digest.as_bytes())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    {
        pairs.push((name, digest));
        words.truncate(words.len() - 2);
    }
    pairs.reverse();
    let (size, rest) = words.split_last()?;
    let (kind, name) = rest.split_first()?;
    let is_whole = KINDS.contains(kind) && !name.is_empty() && !pairs.is_empty();
    is_whole.then(|| Some(Line { kind, name: name.join(" "), size: size.parse().ok()?, pairs })).flatten()
}

/// Whether a list is one, by any of its first lines.
pub(crate) fn is_manifest(lines: &[&[u8]]) -> bool {
    lines.iter().any(|line| parts(line).is_some())
}

/// A name without its escapes: `\x20`, `\u00e4`, `\U0001f600`; `None` where one of them is none.
fn unescaped(name: &str) -> Option<String> {
    let mut parts = name.split('\\');
    let mut plain = parts.next()?.to_owned();
    for part in parts {
        let (digits, rest) = match part.chars().next()? {
            'x' => part.split_at_checked(3)?,
            'u' => part.split_at_checked(5)?,
            'U' => part.split_at_checked(9)?,
            _ => return None,
        };
        plain.push(char::from_u32(u32::from_str_radix(&digits[1..], 16).ok()?)?);
        plain.push_str(rest);
    }
    Some(plain)
}

/// The record of a line; `None` of one that is of another kind.
pub(crate) fn line(registry: Registry, line: &[u8]) -> Option<ParsedLine> {
    if line.starts_with(b"TIMESTAMP ") || line.starts_with(b"IGNORE ") {
        return Some(ParsedLine::Neutral);
    }
    let found = parts(line)?;
    // Patches stand in a directory of their own.
    let name = if found.kind == "AUX" { format!("files/{}", found.name) } else { found.name };
    let name = unescaped(&name).unwrap_or(name);
    let mut entry = Entry { name: name.into_bytes(), size: Some(found.size), ..Entry::default() };
    for (name, digest) in found.pairs {
        match algorithm(registry, name) {
            Some(algorithm) => match digits::digest(algorithm, digest.as_bytes()) {
                Ok(digest) => entry.digests.push(digest),
                Err(fault) => return Some(fault.into()),
            },
            None => entry.foreign.push(name.into()),
        }
    }
    Some(match entry.digests.is_empty() {
        true => Fault::OfUnknown(entry.name.into(), entry.foreign.join(", ").into()).into(),
        false => Ok(entry).into(),
    })
}
