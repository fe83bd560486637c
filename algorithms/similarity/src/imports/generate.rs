//! Generation: the whole executable, when all of it came.

use super::features::{Features, LARGEST, read};
use crate::shingles::{Digest, FeatureNames, Unit};
use crate::strings::MARKS;
use crate::{Hasher, NoDigest};
use pfh_digest::Algorithm;
use std::sync::LazyLock;

/// Bytes of the longest mark of an executable.
const MARK: usize = 4;

/// The hash that names the bytes of a section.
static SHA256: LazyLock<Algorithm> = LazyLock::new(|| "sha256".parse().expect("the registry has it"));

/// FNV-1a.
fn hash(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The same of several parts, each with its end.
fn joined(parts: &[&[u8]]) -> u64 {
    parts.iter().fold(0xcbf2_9ce4_8422_2325, |state, part| hash(hash(state, part), &[0xff]))
}

impl Features for FeatureNames {
    fn name(&mut self, parts: [&[u8]; 3]) {
        self.choose(joined(&parts));
    }

    fn section(&mut self, name: &[u8], bytes: &[u8]) {
        let digest = SHA256.digest(bytes);
        self.choose(joined(&[b"section", name, digest.bytes()]));
    }
}

/// One input on its way to a digest.
#[derive(Clone, Debug, Default)]
pub struct Generator {
    length: u64,
    /// All of an executable, until it is too long.
    bytes: Vec<u8>,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new() -> Generator {
        Generator::default()
    }

    /// Whether the bytes can be those of an executable.
    fn is_executable(&self) -> bool {
        MARKS.iter().any(|mark| self.bytes.iter().zip(*mark).all(|(a, b)| a == b))
    }
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        let is_whole = self.bytes.len() as u64 == self.length;
        self.length += bytes.len() as u64;
        if !is_whole {
            return;
        }
        // The first bytes show whether the input is an executable.
        let first = bytes.len().min(MARK.saturating_sub(self.bytes.len()));
        let (first, rest) = bytes.split_at(first);
        self.bytes.extend_from_slice(first);
        if self.length <= LARGEST && self.is_executable() {
            self.bytes.extend_from_slice(rest);
        } else {
            self.bytes.truncate(MARK);
            self.bytes.shrink_to_fit();
        }
    }

    fn finalize(self) -> Result<Digest, NoDigest> {
        if !self.is_executable() {
            return Err(NoDigest::OtherKind);
        }
        if self.length > LARGEST {
            return Err(NoDigest::TooLong(LARGEST));
        }
        let mut chosen = FeatureNames::default();
        match read(&self.bytes, &mut chosen) {
            true => chosen.into_digest(Unit::Import, self.length),
            false => Err(NoDigest::OtherKind),
        }
    }
}
