//! An algorithm of any kind, by its name.

use super::REGISTRY;
use pfh_digest::UnknownAlgorithm;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// An algorithm that the product knows: a cryptographic hash, a checksum, a tree mode or a
/// similarity method, with the length of its output. Requests take it.
///
/// Its text is its name, with `:length` where the output is not as long as usual, and `,key=value`
/// for each parameter of a tree mode that is not the usual one; parsing knows the same names, their
/// aliases in any letter case, `name:length` and `name,key=value`. It derefs to the
/// [`Algorithm`](pfh_digest::Algorithm) of the crate of digests, whose own `parse` knows the names
/// of that crate alone: [`Digest::algorithm`](pfh_digest::Digest::algorithm) gives that one.
/// Algorithms that compute nothing without a key come from [`Secret::algorithm`](super::Secret).
///
/// ```
/// use pfh::Algorithm;
/// let ssdeep: Algorithm = "ssdeep".parse()?;
/// assert_eq!(ssdeep.to_string(), "ssdeep");
/// assert_eq!("SHAKE-128:64".parse::<Algorithm>()?.length(), 64);
/// assert!("sha-0".parse::<Algorithm>().is_err());
/// # Ok::<(), pfh::UnknownAlgorithm>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Algorithm(pfh_digest::Algorithm);

impl Algorithm {
    /// All algorithms that need no key, with their usual lengths, in the order of `pfh algorithms`.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        REGISTRY.all().map(Algorithm)
    }

    /// The names in a list of algorithms: commas separate them, but a piece `key=value` belongs to
    /// the name before it.
    ///
    /// ```
    /// let names = pfh::Algorithm::names("md5,sakura-li-128,leaves=32,sha256");
    /// assert_eq!(names, ["md5", "sakura-li-128,leaves=32", "sha256"]);
    /// ```
    pub fn names(list: &str) -> Vec<&str> {
        pfh_digest::names(list)
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(text: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let found = REGISTRY.find(text)?;
        if found.lacks_key() { Err(UnknownAlgorithm::without_key(found)) } else { Ok(Algorithm(found)) }
    }
}

impl TryFrom<&str> for Algorithm {
    type Error = UnknownAlgorithm;

    fn try_from(text: &str) -> Result<Algorithm, UnknownAlgorithm> {
        text.parse()
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Deref for Algorithm {
    type Target = pfh_digest::Algorithm;

    fn deref(&self) -> &pfh_digest::Algorithm {
        &self.0
    }
}

impl From<pfh_digest::Algorithm> for Algorithm {
    fn from(algorithm: pfh_digest::Algorithm) -> Algorithm {
        Algorithm(algorithm)
    }
}

impl From<Algorithm> for pfh_digest::Algorithm {
    fn from(algorithm: Algorithm) -> pfh_digest::Algorithm {
        algorithm.0
    }
}

/// The algorithms as the crates below take them.
pub(crate) fn computed(algorithms: &[Algorithm]) -> Vec<pfh_digest::Algorithm> {
    algorithms.iter().map(|algorithm| algorithm.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_and_prints_back() {
        let mut kinds = Vec::new();
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            for alias in algorithm.aliases() {
                assert_eq!(alias.parse(), Ok(algorithm), "{alias}");
                assert_eq!(alias.to_uppercase().parse(), Ok(algorithm), "{alias}");
            }
            kinds.push(algorithm.standing());
        }
        for keyed in REGISTRY.keyed() {
            let error = keyed.name().parse::<Algorithm>().expect_err("it needs a key");
            assert!(error.needs_key() && error.to_string().contains("key"), "{error}");
        }
        for name in ["sha256", "crc32", "kt128", "shake256:7", "ssdeep", "sdhash-dd", "mrsh-v2-network", "tlsh"]
            .into_iter()
            .chain(["sakura-li-128,leaves=32", "sakura-li-256:32,leaves=8,block=136"])
            .chain(["sakura-fng-128,block=4096,capacity=448", "parallelhash128:64,block=8"])
        {
            assert_eq!(name.parse::<Algorithm>().expect(name).to_string(), name);
        }
        kinds.sort();
        kinds.dedup();
        assert_eq!(kinds.len(), 4, "algorithms of all kinds: {kinds:?}");
        for wrong in [
            "",
            "sha",
            "sha256:31",
            "ssdeep:5",
            "shake128:+64",
            "sha256,leaves=2",
            "sakura-li-128,leaves=0",
            "sakura-li-128,",
        ] {
            assert!(wrong.parse::<Algorithm>().is_err(), "{wrong}");
        }
    }
}
