//! Known digests: vectors of standards and of other programs, which `vectors/selftest/make` chose.

use crate::algorithms::REGISTRY;
use crate::splitmix::SplitMix;
use flate2::read::GzDecoder;
use pfh_digest::{Algorithm, Digest, hash_many};
use std::fmt;
use std::io::Read;
use std::sync::LazyLock;

/// The lines; their form is in `vectors/selftest/make`.
const LINES: &[u8] = include_bytes!("../../vectors/selftest/vectors.txt.gz");
/// Messages of one batch: more than any kernel has lanes.
const LANES: usize = 37;
/// The longest of them in bytes: each fills many blocks, and costs little.
const SHORT: usize = 9216;

/// The result of the vectors of all algorithms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Digests {
    /// Vectors that were computed.
    pub vectors: u64,
    /// Algorithms that have vectors.
    pub algorithms: u64,
    /// Algorithms with a wrong digest.
    pub wrong: Vec<String>,
}

/// One line, which a child process prints and [`Digests::parse`] reads.
impl fmt::Display for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pfh-selftest-digests {} {} {}", self.vectors, self.algorithms, self.wrong.join(","))
    }
}

impl Digests {
    /// Reads the line; `None` for any other.
    pub fn parse(line: &str) -> Option<Digests> {
        let rest = line.trim_end_matches(['\r', '\n']).strip_prefix("pfh-selftest-digests ")?;
        let mut words = rest.splitn(3, ' ');
        let (vectors, algorithms) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let wrong = words.next()?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Some(Digests { vectors, algorithms, wrong })
    }
}

/// A vector: the algorithm as a line names it, a key, the message, and the digits or text.
struct Vector {
    name: &'static str,
    key: Option<Vec<u8>>,
    message: Vec<u8>,
    stated: &'static str,
}

static VECTORS: LazyLock<Vec<Vector>> = LazyLock::new(|| {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut text = String::new();
        // A damaged program has no vectors, and says so.
        let _ = GzDecoder::new(LINES).read_to_string(&mut text);
        text
    });
    TEXT.lines().filter_map(vector).collect()
});

fn vector(line: &'static str) -> Option<Vector> {
    let words: Vec<&'static str> = line.split(' ').collect();
    let (key, message) = match words[1..] {
        ["message", message, _] => (None, bytes(message)?),
        ["pattern", length, _] => (None, (0..length.parse().ok()?).map(|at: u64| (at % 251) as u8).collect()),
        ["keyed", key, message, _] => (Some(bytes(key)?), bytes(message)?),
        ["random", seed, _] => (None, random(seed.parse().ok()?, 4096)),
        _ => return None,
    };
    Some(Vector { name: words[0], key, message, stated: words.last()? })
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2).filter(|_| digits != "-");
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Bytes that follow from a seed.
pub(super) fn random(seed: u64, length: usize) -> Vec<u8> {
    SplitMix(seed).bytes(length)
}

impl Vector {
    /// The algorithm under its key, with as many bytes of output as are stated.
    fn algorithm(&'static self) -> Option<Algorithm> {
        let found = REGISTRY.find(self.name).ok()?;
        match &self.key {
            Some(key) => found.with_key(key).ok(),
            None if found.length() == self.stated.len() / 2 => Some(found),
            None => Some(found.with_length(self.stated.len() / 2).unwrap_or(found)),
        }
    }

    fn is_right(&self, digest: &Digest) -> bool {
        digest.text().map_or_else(|| digest.to_string() == self.stated, |text| text == self.stated)
    }

    /// Whether the digest is right of the whole, and in pieces of any length.
    fn holds(&self, algorithm: Algorithm) -> bool {
        let mut pieces = [1, 64, 1000].into_iter().filter(|piece| self.message.len() / piece < 300);
        let by = |piece: usize| {
            let mut hasher = algorithm.hasher();
            self.message.chunks(piece).for_each(|bytes| hasher.update(bytes));
            self.is_right(&hasher.finalize())
        };
        self.is_right(&algorithm.digest(&self.message)) && pieces.all(by)
    }
}

/// Computes the vectors of all algorithms with the kernels that this process may use: whole, in
/// pieces, and many messages at once.
pub fn digests() -> Digests {
    let mut found = Digests::default();
    for group in VECTORS.chunk_by(|one, other| one.name == other.name) {
        found.algorithms += 1;
        found.vectors += group.len() as u64;
        let known: Vec<(&Vector, Option<Algorithm>)> = group.iter().map(|one| (one, one.algorithm())).collect();
        let mut is_right = known.iter().all(|(one, algorithm)| algorithm.is_some_and(|of| one.holds(of)));
        // Lanes of equal algorithms, filled round and round.
        let sized = known.chunk_by(|one, other| one.1 == other.1 && one.0.key == other.0.key);
        for (many, algorithm) in sized.filter_map(|many| Some((many, many[0].1?))) {
            let short = many.iter().map(|(one, _)| *one).filter(|one| one.message.len() <= SHORT);
            let lanes: Vec<&Vector> = short.cycle().take(LANES.max(many.len())).collect();
            let messages: Vec<&[u8]> = lanes.iter().map(|one| &one.message[..]).collect();
            let digests = hash_many(algorithm, &messages);
            is_right &= digests.iter().zip(&lanes).all(|(digest, one)| one.is_right(digest));
        }
        if !is_right {
            found.wrong.push(group[0].name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_vector_and_right() {
        let found = digests();
        assert!(found.vectors > 800 && found.algorithms > 55, "{found}");
        assert_eq!(found.wrong, Vec::<String>::new());
        assert_eq!(Digests::parse(&format!("{found}\n")), Some(found));
    }

    #[test]
    fn another_digest_is_seen() {
        for vector in VECTORS.iter() {
            let other = Vector { key: vector.key.clone(), message: [&vector.message[..], b"x"].concat(), ..*vector };
            let algorithm = vector.algorithm().unwrap();
            // A text of similarity may be the same for one byte more.
            assert!(algorithm.digest(b"").text().is_some() || !other.holds(algorithm), "{}", vector.name);
        }
        assert_eq!(Digests::parse("pfh-selftest-digests 3 2 md5,sha1").unwrap().wrong, ["md5", "sha1"]);
        assert_eq!(Digests::parse("anything"), None);
    }
}
