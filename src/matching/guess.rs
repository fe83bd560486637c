//! Digests of lists that do not name their algorithm: a set is built by the usual one of their
//! length, and files are looked up by each that they may be of.

use crate::algorithms::REGISTRY;
use pfh_digest::{Algorithm, Digest, Standing};
use pfh_manifest::{Decoder, Item, Options};
use pfh_source::{Document, Stream};
use std::io::BufReader;
use std::path::Path;

/// Items of a list that are looked at: one that names no algorithm at first names none later.
const LOOKED_AT: usize = 256;

/// The algorithms that digests of a list with these columns are taken for by their length alone.
/// None of a list whose name hints at them, or of a stream, which gives its bytes once.
pub fn guesses(list: &Path, columns: &[String]) -> Vec<Algorithm> {
    let hints = crate::check::hints(list);
    if Stream::of(list).is_some() {
        return Vec::new();
    }
    let Ok(file) = Document::file(list) else { return Vec::new() };
    let foreign = if hints.is_empty() { crate::check::unknown(list) } else { None };
    let (hints_of, columns) = (hints.clone(), columns.to_vec());
    let options = Options { bare: true, hints: hints_of, foreign, columns, any: true, ..Options::default() };
    let Ok(decoder) = Decoder::with_registry(BufReader::new(file), &options, REGISTRY) else { return Vec::new() };
    let mut found: Vec<Algorithm> = Vec::new();
    for item in decoder.take(LOOKED_AT).map_while(Result::ok) {
        let Item::Entry(entry) = item.item else { continue };
        if entry.of_foreign(&options).is_some() {
            continue;
        }
        for digest in entry.digests.iter().filter(|_| entry.guessed) {
            let algorithm = digest.algorithm();
            // Checksums are in no set.
            if algorithm.length() >= 16 && !found.contains(&algorithm) && !hints.contains(&algorithm) {
                found.push(algorithm);
            }
        }
    }
    found
}

/// Algorithms whose programs print digests of any length: `b2sum -l`, `b3sum -l`.
const STRETCHED: [&str; 2] = ["blake2b", "blake3"];

/// The algorithms whose digests have this length by default, and those of [`STRETCHED`], beside
/// this one. Checksums are none of them: anybody can make a file of a known one.
pub fn others(guess: Algorithm) -> impl Iterator<Item = Algorithm> {
    let is_other = move |other: &Algorithm| {
        let is_digest = matches!(other.standing(), Standing::Secure | Standing::Broken) && !other.is_keyed();
        *other != guess && other.length() == guess.length() && is_digest
    };
    let stretched = STRETCHED.iter().filter_map(move |name| REGISTRY.find(name).ok()?.with_length(guess.length()));
    let is_default = |other: &Algorithm| REGISTRY.find(other.name()).is_ok_and(|default| default == *other);
    REGISTRY.all().chain(stretched.filter(move |other| !is_default(other))).filter(is_other)
}

/// A digest as a list that is taken for another algorithm has it.
pub fn relabelled(digest: &Digest, guess: Algorithm) -> Option<Digest> {
    let is_one = digest.algorithm() == guess || others(guess).any(|other| other == digest.algorithm());
    is_one.then(|| Digest::from_bytes(guess, digest.bytes()).ok()).flatten()
}
