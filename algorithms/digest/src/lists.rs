//! A registry of several lists of algorithms.

use crate::{Algorithm, Output, Row, UnknownAlgorithm};

/// Several lists of algorithms, joined. This crate's own is [`ROWS`](crate::ROWS); tree hashes and
/// similarity digests bring theirs, and the crate that depends on all of them joins the lists and
/// passes the registry to the readers of names.
#[derive(Clone, Copy)]
pub struct Registry(&'static [&'static [Row]]);

impl Registry {
    /// A registry of these lists, in the order of [`all`](Registry::all). No name may occur twice,
    /// not even as an alias.
    pub const fn new(lists: &'static [&'static [Row]]) -> Registry {
        Registry(lists)
    }

    /// Every algorithm that needs no key, in registry order, with its default length.
    pub fn all(self) -> impl Iterator<Item = Algorithm> {
        self.rows().filter(|algorithm| !algorithm.is_keyed())
    }

    /// Every algorithm that computes nothing without a key, likewise.
    pub fn keyed(self) -> impl Iterator<Item = Algorithm> {
        self.rows().filter(|algorithm| algorithm.is_keyed())
    }

    fn rows(self) -> impl Iterator<Item = Algorithm> {
        self.0.iter().flat_map(|&rows| rows).map(Algorithm::from_row)
    }

    /// Finds `sha256`, `SHA-256`, `shake128:64`: a name or alias in any letter case, `_` or `/` for
    /// `-`, and after a colon the bytes of output where the algorithm lets one state them; after a
    /// hyphen they are bits: `blake2b-256`. Then, for the algorithms that have parameters, commas
    /// and `key=value`: `sakura-li-128,leaves=32`.
    pub fn find(self, text: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let Some((name, parameters)) = text.split_once(',') else { return self.find_named(text) };
        let wrong = |why| UnknownAlgorithm::parameters(text, why);
        let mut algorithm = self.find_named(name)?;
        for parameter in parameters.split(',') {
            algorithm = algorithm.with_parameter(parameter).map_err(wrong)?;
        }
        algorithm.settled().map_err(wrong)
    }

    /// The algorithm of a name with a length.
    fn find_named(self, text: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let (name, length) = match text.split_once(':') {
            Some((name, length)) => (name, Some(length)),
            None => (text, None),
        };
        let name: String =
            name.chars().map(|c| if matches!(c, '_' | '/') { '-' } else { c.to_ascii_lowercase() }).collect();
        let called =
            |name: &str| self.rows().find(|algorithm| algorithm.name() == name || algorithm.aliases().contains(&name));
        let Some(algorithm) = called(&name) else {
            let stated = || {
                let (name, bits) = name.rsplit_once('-').filter(|_| length.is_none())?;
                let number: usize = bits.parse().ok().filter(|number: &usize| number.to_string() == bits)?;
                let algorithm = called(name).filter(|algorithm| matches!(algorithm.output(), Output::Stated { .. }))?;
                algorithm.with_length(number / 8).filter(|_| number.is_multiple_of(8))
            };
            return stated().ok_or_else(|| UnknownAlgorithm::name(text));
        };
        match length {
            None => Ok(algorithm),
            Some(length) => {
                // `parse` alone would take `+64` and `064`, which do not print back.
                let canonical = length.parse().ok().filter(|parsed: &usize| parsed.to_string() == length);
                canonical
                    .and_then(|length| algorithm.with_length(length))
                    .ok_or_else(|| UnknownAlgorithm::length(text, algorithm))
            }
        }
    }
}
