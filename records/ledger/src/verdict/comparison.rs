//! One comparison: two sides, the evidence, the coverage, and the result.

use super::coverage::Coverage;
use pfh_digest::Digest;
use pfh_manifest::row::Words;
use std::fmt;

/// The subject of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The image.
    Image,
    /// The log of its acquisition, and the files beside the log.
    Log,
    /// Who signed the log.
    Signer,
    /// A sealed manifest.
    Seal,
}

impl Words for Subject {
    const ALL: &'static [Subject] = &[Subject::Image, Subject::Log, Subject::Signer, Subject::Seal];

    fn word(self) -> &'static str {
        match self {
            Subject::Image => "the image",
            Subject::Log => "the log",
            Subject::Signer => "the signature",
            Subject::Seal => "the seal",
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The evidence that two sides were compared by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// Byte by byte.
    Bytes,
    /// By this digest, as it was found.
    Digest(Digest),
    /// By checksums or digests that the image states of its own parts.
    Checksums,
    /// By a fact: a size, case data, a chain, a signature. It covers no byte of the image.
    Fact,
}

/// How two sides compare, in the compared parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// They are equal.
    Equal,
    /// They are not; the differing ranges as (offset, length), where they are known.
    Unequal(Vec<(u64, u64)>),
}

/// Two sides that were compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Its subject.
    pub about: Subject,
    /// The compared side.
    pub what: String,
    /// The side that it was compared with.
    pub with: String,
    /// The evidence.
    pub evidence: Evidence,
    /// Which bytes of both sides it covers.
    pub coverage: Coverage,
    /// The result.
    pub outcome: Outcome,
}

impl Comparison {
    /// An equal comparison that covers nothing yet.
    pub fn new(about: Subject, what: impl Into<String>, with: impl Into<String>, evidence: Evidence) -> Self {
        let (coverage, outcome) = (Coverage::default(), Outcome::Equal);
        Comparison { about, what: what.into(), with: with.into(), evidence, coverage, outcome }
    }

    /// With its coverage.
    #[must_use]
    pub fn over(self, coverage: Coverage) -> Self {
        Comparison { coverage, ..self }
    }

    /// With the result that the sides are unequal, in these ranges where they are known.
    #[must_use]
    pub fn unequal(self, ranges: Vec<(u64, u64)>) -> Self {
        Comparison { outcome: Outcome::Unequal(ranges), ..self }
    }

    /// Whether the sides are unequal.
    pub fn is_unequal(&self) -> bool {
        matches!(self.outcome, Outcome::Unequal(_))
    }

    /// The digest, if it was compared by one.
    pub fn digest(&self) -> Option<&Digest> {
        match &self.evidence {
            Evidence::Digest(digest) => Some(digest),
            _ => None,
        }
    }

    /// The parts that it leaves open, one sentence each.
    pub fn gaps(&self) -> Vec<String> {
        self.coverage.gaps(&self.with)
    }
}
