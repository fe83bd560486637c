//! The output of `certutil -hashfile`: the name in a head line, the digest (in older versions of
//! Windows two digits at a time), and a last line of its own.

use pfh_digest::Registry;

use super::{algorithm, windows_name};
use crate::digits;
use crate::entry::{DecodeLine, Entry, Fault, Item, Parsed};

/// The algorithm and the name of `SHA256 hash of file x:`, `SHA256 hash of x:`.
pub(crate) fn head(line: &[u8]) -> Option<(&str, &[u8])> {
    let line = line.trim_ascii_end().strip_suffix(b":")?;
    let at = line.windows(9).position(|window| window == b" hash of ")?;
    let name = &line[at + 9..];
    let name = name.strip_prefix(b"file ").unwrap_or(name);
    let word = str::from_utf8(&line[..at]).ok().filter(|word| !word.contains(' '))?;
    (!name.is_empty()).then_some((word, name))
}

/// Reads one or many of them, one after the other.
pub(crate) struct Decoder {
    registry: Registry,
    /// Algorithm and name of a head whose digest is awaited.
    open: Option<(Box<str>, Vec<u8>)>,
}

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, open: None }
    }
}

const NO_DIGEST: Fault = Fault::Malformed("no digest behind the line of the name");

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> Parsed {
        if line.trim_ascii().is_empty() || line.starts_with(b"CertUtil: ") {
            return Parsed::Neutral;
        }
        if let Some((word, name)) = head(line) {
            let before = self.open.replace((word.into(), name.to_vec()));
            return before.map_or(Parsed::Neutral, |_| NO_DIGEST.into());
        }
        let Some((word, name)) = self.open.take() else {
            return Fault::Malformed("a digest without the line of the name").into();
        };
        let digits: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let entry = match algorithm(self.registry, &word) {
            None => Err(Fault::UnknownAlgorithm(word)),
            Some(algorithm) => digits::digest(algorithm, &digits).map(|digest| Entry {
                name: windows_name(&name),
                digests: vec![digest],
                ..Entry::default()
            }),
        };
        entry.into()
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        self.open.take_if(|_| ended).map(|_| Item::Fault(NO_DIGEST))
    }
}
