//! Digests in lists that do not name their algorithm: the other list decides.

use crate::algorithms::REGISTRY;
use crate::check::{Expectations, Expected};
use pfh_digest::Algorithm;
use pfh_manifest::digits;
use std::collections::HashMap;

/// Takes the guessed digests of one list for those of the algorithm by which most of them are in
/// the other list, if that is not the usual one.
pub fn settle(list: &mut Expectations, other: &Expectations) {
    let mut named: HashMap<&[u8], Vec<Algorithm>> = HashMap::new();
    for digest in other.entries.iter().flat_map(sure) {
        let algorithms = named.entry(digest.bytes()).or_default();
        if !algorithms.contains(&digest.algorithm()) {
            algorithms.push(digest.algorithm());
        }
    }
    let mut votes: HashMap<(Algorithm, Algorithm), usize> = HashMap::new();
    for (_, digest) in list.entries.iter().flat_map(Expected::guesses) {
        let others = digits::alternatives(REGISTRY, digest);
        let fits = |found: &&Algorithm| **found == digest.algorithm() || others.contains(found);
        for found in named.get(digest.bytes()).into_iter().flatten().filter(fits) {
            *votes.entry((digest.algorithm(), *found)).or_default() += 1;
        }
    }
    for given in list.guesses() {
        let count = |found: Algorithm| votes.get(&(given, found)).copied().unwrap_or_default();
        let others = votes.keys().filter(|(guess, _)| *guess == given).map(|(_, found)| *found);
        let best = others.max_by_key(|found| (count(*found), *found == given));
        if let Some(best) = best.filter(|best| *best != given) {
            list.adopt(given, best);
        }
    }
}

/// The digests of an entry whose algorithms are not guesses.
fn sure(entry: &Expected) -> impl Iterator<Item = &pfh_digest::Digest> {
    let guessed: Vec<usize> = entry.guesses().map(|(at, _)| at).collect();
    entry.digests.iter().enumerate().filter(move |(at, _)| !guessed.contains(at)).map(|(_, digest)| digest)
}
