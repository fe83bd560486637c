//! Why a comparison makes no sense or has no end.

use pfh_digest::Algorithm;

/// Why a comparison makes no sense or has no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There are no operands.
    #[error("nothing is named")]
    Nothing,
    /// Evidence is asked for of a similarity digest without features.
    #[error("{0} has no features to share: evidence is for shingles, strings, imports, text, sdhash and mrsh-v2")]
    NoFeatures(Algorithm),
    /// Evidence is asked for of an algorithm that is not for similarity.
    #[error("evidence is for shingles, strings, imports, text, sdhash and mrsh-v2, not for {0}")]
    Exact(Algorithm),
    /// Evidence is asked for of a list, which holds digests without their features.
    #[error("evidence needs the files themselves: a list holds no features")]
    List,
    /// No pair at all is asked for.
    #[error("the best 0 pairs are none")]
    NoPairs,
    /// An order or a number of pairs is given for groups.
    #[error("groups are asked for in place of pairs: they have no best ones, and one order")]
    Ordered,
    /// A line of the file of earlier groups is not a row of a group, or of one that came before.
    #[error("line {0} is not the JSON row of a group, or is that of a group that came before")]
    NoGroups(u64),
    /// Earlier groups are given, but groups of chains, or none, are asked for.
    #[error("earlier groups are for groups whose members are all alike")]
    NotGrouped,
    /// The control ended the reading; how many files were read.
    #[error("interrupted: {0} files were read, nothing was compared")]
    InterruptedReading(u64),
}
