//! Links of networks that share files, as RHash and their clients write them: `ed2k://` with the
//! eDonkey digest and AICH, `magnet:?` with digests of any algorithm. A line is a link.

use pfh_digest::{Algorithm, Registry};

use super::algorithm;
use crate::digits;
use crate::entry::{Entry, Fault};

/// Whether a line is a link. Links name files without their directories.
pub(crate) fn is_link(line: &[u8]) -> bool {
    line.starts_with(b"magnet:?") || line.starts_with(b"ed2k://|file|")
}

/// The entry of a link; `None` for a line that is none. Only digests of `assumed` are taken, unless
/// that is empty.
pub(crate) fn entry(registry: Registry, assumed: &[Algorithm], line: &[u8]) -> Option<Result<Entry, Fault>> {
    let line = line.trim_ascii();
    let parts = match (line.strip_prefix(b"magnet:?"), line.strip_prefix(b"ed2k://|file|")) {
        (Some(parameters), _) => magnet(parameters),
        (None, Some(fields)) => ed2k(fields),
        (None, None) => return None,
    };
    let link = match parts {
        Some(link) => link,
        None => return Some(Err(Fault::Malformed("not a whole link"))),
    };
    Some(link.entry(registry, assumed))
}

/// The parts of a link.
#[derive(Default)]
struct Link<'a> {
    name: Vec<u8>,
    size: Option<u64>,
    /// Names of algorithms and digests.
    digests: Vec<(&'a str, &'a [u8])>,
}

impl Link<'_> {
    fn entry(self, registry: Registry, assumed: &[Algorithm]) -> Result<Entry, Fault> {
        if self.name.is_empty() || self.name.contains(&0) {
            return Err(Fault::Malformed("no name"));
        }
        let mut entry = Entry { name: self.name, size: self.size, ..Entry::default() };
        for (name, text) in self.digests {
            let Some(algorithm) = algorithm(registry, name) else {
                entry.foreign.push(name.to_ascii_uppercase().into());
                continue;
            };
            if assumed.is_empty() || assumed.contains(&algorithm) {
                entry.digests.push(digits::digest(algorithm, text)?);
            }
        }
        match (entry.digests.is_empty(), entry.foreign.is_empty()) {
            (false, _) => Ok(entry),
            (true, false) => Err(Fault::UnknownAlgorithm(entry.foreign.join(", ").into())),
            (true, true) => Err(Fault::Unasked),
        }
    }
}

/// `xl=1024&dn=a%20b&xt=urn:tree:tiger:…&xt=urn:md5:…`
fn magnet(parameters: &[u8]) -> Option<Link<'_>> {
    let mut link = Link::default();
    for parameter in parameters.split(|&byte| byte == b'&') {
        // Links copied from a page keep its `&amp;`.
        let parameter = parameter.strip_prefix(b"amp;").unwrap_or(parameter);
        let at = parameter.iter().position(|&byte| byte == b'=')?;
        let (key, value) = (&parameter[..at], &parameter[at + 1..]);
        match key {
            b"dn" => link.name = shown(value)?,
            b"xl" => link.size = number(value),
            // Several topics may be numbered: `xt.1`.
            b"xt" | [b'x', b't', b'.', ..] => {
                let topic = str::from_utf8(value).ok()?.strip_prefix("urn:")?;
                let (name, digest) = topic.rsplit_once(':')?;
                match (name, digest.split_once('.')) {
                    // Bitzi's: SHA-1 and the Tiger tree.
                    ("bitprint", Some((sha1, tree))) => {
                        link.digests.extend([("sha1", sha1.as_bytes()), ("tth", tree.as_bytes())]);
                    }
                    ("tree:tiger", _) => link.digests.push(("tth", digest.as_bytes())),
                    _ => link.digests.push((name, digest.as_bytes())),
                }
            }
            // Trackers, sources, keywords.
            _ => {}
        }
    }
    Some(link)
}

/// `a%20b|1024|DIGEST|h=AICH|/`
fn ed2k(fields: &[u8]) -> Option<Link<'_>> {
    let fields = fields.strip_suffix(b"/").unwrap_or(fields).strip_suffix(b"|")?;
    let mut fields = fields.split(|&byte| byte == b'|');
    let name = unescaped(fields.next()?)?;
    let size = Some(number(fields.next()?)?);
    let mut digests = vec![("ed2k", fields.next()?)];
    // Digests of parts and sources may follow as well.
    digests.extend(fields.filter_map(|field| Some(("aich", field.strip_prefix(b"h=")?))));
    Some(Link { name, size, digests })
}

/// A name as forms encode it: `+` is a blank, unless others are there.
fn shown(text: &[u8]) -> Option<Vec<u8>> {
    let has_others = text.contains(&b' ') || text.windows(3).any(|three| three == b"%20");
    let text: Vec<u8> = text.iter().map(|&byte| if byte == b'+' && !has_others { b' ' } else { byte }).collect();
    unescaped(&text)
}

fn number(text: &[u8]) -> Option<u64> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// A name with its `%20` undone; `None` where no two digits follow.
pub(crate) fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits =
                str::from_utf8(after.get(..2)?).ok().filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()))?;
            name.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            name.push(first);
            rest = after;
        }
    }
    Some(name)
}
