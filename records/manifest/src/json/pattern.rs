//! Digests in the patterns of STIX 2 (section 9): `[file:hashes.MD5 = '…' OR
//! file:hashes.'SHA-256' IN ('…', '…')]`.

use pfh_digest::{Digest, ROWS, Registry, Row};

use crate::digits;
use crate::entry::Fault;
use crate::others::algorithm;

/// The digests that a pattern asks for; a comparison that asks for anything but equality is a
/// fault.
pub(super) fn digests(pattern: &str) -> Vec<Result<Digest, Fault>> {
    static LISTS: [&[Row]; 1] = [&ROWS];
    let registry = Registry::new(&LISTS);
    let mut found = Vec::new();
    let mut rest = pattern;
    while let Some(at) = rest.find("hashes.") {
        rest = &rest[at + "hashes.".len()..];
        let (label, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').unwrap_or((quoted, "")),
            None => {
                rest.split_at(rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '!')).unwrap_or(rest.len()))
            }
        };
        // Names of other hashes, such as SSDEEP, identify nothing.
        let Some(of) = algorithm(registry, label).filter(|of| of.length() >= 16) else { continue };
        let after = after.trim_start();
        let values = match after.strip_prefix('=') {
            Some(value) => value.trim_start().split(['\n', ']']).next().and_then(first),
            None => after.strip_prefix("IN").map(|list| list.split_once(')').map_or(list, |(list, _)| list)),
        };
        let Some(values) = values else {
            found.push(Err(Fault::Malformed("a pattern that asks for other digests than one")));
            continue;
        };
        let texts = values.split('\'').skip(1).step_by(2);
        found.extend(texts.map(|text| digits::digest(of, text.as_bytes())));
    }
    found
}

/// The first text in quotes, with them.
fn first(text: &str) -> Option<&str> {
    let end = text.strip_prefix('\'')?.find('\'')?;
    Some(&text[..end + 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_in_are_read() {
        let md5 = "d41d8cd98f00b204e9800998ecf8427e";
        let count = |pattern: &str| {
            let found = digests(pattern);
            (found.iter().filter(|digest| digest.is_ok()).count(), found.len())
        };
        assert_eq!(count(&format!("[file:hashes.MD5 = '{md5}' OR file:hashes.'MD5'='{md5}']")), (2, 2));
        assert_eq!(count(&format!("[file:hashes.MD5 IN ('{md5}', '{md5}') AND file:size = 3]")), (2, 2));
        assert_eq!(count(&format!("[file:hashes.MD5 != '{md5}']")), (0, 1));
        assert_eq!(count("[file:hashes.SSDEEP = '3:a:b'] OR [file:hashes.MD5"), (0, 1));
    }
}
