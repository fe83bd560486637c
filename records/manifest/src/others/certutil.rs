//! The output of `certutil -hashfile` of a Windows of any language: the name in a head line that
//! ends with a colon, the digest (in older versions of Windows two digits at a time), and a last
//! line of its own.

use pfh_digest::Registry;

use super::{algorithm, windows_name};
use crate::digits;
use crate::entry::{DecodeLine, Entry, Fault, Item, Parsed};

/// Words between the algorithm and the name, by language.
const BEFORE: [&str; 25] = [
    "hash of file ",
    "hash of ",
    "hash del file ",
    "hash del archivo ",
    "hash de archivo ",
    "hash do arquivo ",
    "hash do ficheiro ",
    "hash der datei ",
    "hash von ",
    "hash de ",
    "hash di ",
    "hash do ",
    "hash van ",
    "hash för ",
    "hash for ",
    "hash pliku ",
    "hash souboru ",
    "du fichier ",
    "de ",
    "di ",
    "do ",
    "del ",
    "pliku ",
    "souboru ",
    "файла ",
];

/// The algorithm as it stands there and the name of a head line: `SHA256 hash of file x:`,
/// `SHA256-Hash von x:`, `Hachage SHA256 de x :`.
fn head(registry: Registry, line: &[u8]) -> Option<(&str, &[u8])> {
    let line = str::from_utf8(line.trim_ascii_end().strip_suffix(b":")?).ok()?.trim_end();
    let is_between = |c: char| !c.is_ascii_alphanumeric();
    // The algorithm is among the first words; a hyphen separates words too.
    let words = line.split(is_between).filter(|word| !word.is_empty()).take(4);
    for word in words {
        // In bounds: the word is a part of the line.
        let rest = &line[word.as_ptr().addr() - line.as_ptr().addr() + word.len()..];
        if algorithm(registry, word).is_none() && !rest.starts_with(" hash of ") {
            continue;
        }
        let rest = rest.trim_start_matches([' ', '-']);
        let start = |before: &&str| rest.get(..before.len()).is_some_and(|start| start.to_lowercase() == **before);
        let name = BEFORE.iter().find(|before| start(before)).map_or(rest, |before| &rest[before.len()..]);
        return (!name.is_empty()).then_some((word, name.as_bytes()));
    }
    None
}

/// Whether the first two lines are a head and digits; of a list in English the head is enough.
pub(crate) fn is_start(registry: Registry, first: &[u8], second: &[u8]) -> bool {
    let is_english = first.windows(9).any(|window| window == b" hash of ");
    (is_english || is_digits(second)) && head(registry, first).is_some()
}

fn is_digits(line: &[u8]) -> bool {
    let digits = line.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    digits >= 8 && line.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace())
}

/// Reads one or many of them, one after the other.
pub(crate) struct Decoder {
    registry: Registry,
    /// The algorithm, as it stands there, and the name of a head whose digest is awaited.
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
        if line.trim_ascii().is_empty() {
            return Parsed::Neutral;
        }
        if line.starts_with(b"CertUtil: ") {
            // In every language an error has its number: `0x80070020 (WIN32: 32 …)`.
            let is_error = line.windows(3).any(|window| window == b"0x8");
            let failed = || Fault::Malformed("certutil failed on a file, which has no digest").into();
            return if is_error { failed() } else { Parsed::Neutral };
        }
        if !is_digits(line)
            && let Some((word, name)) = head(self.registry, line)
        {
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
