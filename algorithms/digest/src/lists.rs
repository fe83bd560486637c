//! Lists of algorithms under one roof.

use crate::{Algorithm, Row, UnknownAlgorithm};

/// Several lists of algorithms under one roof. This crate's own is [`ROWS`](crate::ROWS); tree
/// hashes and similarity digests bring theirs, and whoever depends on all of them joins the lists
/// and passes the registry to what reads names.
#[derive(Clone, Copy)]
pub struct Registry(&'static [&'static [Row]]);

impl Registry {
    /// The lists in the order in which [`all`](Registry::all) tells them. No name may occur twice,
    /// also as an alias.
    pub const fn new(lists: &'static [&'static [Row]]) -> Registry {
        Registry(lists)
    }

    /// Every algorithm in registry order, with its default length.
    pub fn all(self) -> impl Iterator<Item = Algorithm> {
        self.0.iter().flat_map(|&rows| rows).map(Algorithm::from_row)
    }

    /// Finds `sha256`, `SHA-256`, `shake128:64`: a name or alias in any letter case, `_` or `/` for
    /// `-`, and after a colon the bytes of output where the algorithm lets one state them. Then,
    /// for the algorithms that have parameters, commas and `key=value`: `sakura-li-128,leaves=32`.
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
        let algorithm = self
            .all()
            .find(|algorithm| algorithm.name() == name || algorithm.aliases().contains(&name.as_str()))
            .ok_or_else(|| UnknownAlgorithm::name(text))?;
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
