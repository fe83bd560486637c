//! The results of all methods in a row.

use pfh_similarity::Chance;
use pfh_similarity::shingles::Run;

/// The results of all methods for a pair.
#[derive(Clone, Debug, Default)]
pub struct PairResults {
    /// How the two are related, in a word.
    pub relation: String,
    /// How much of the first one the second holds, and of the second the first, in percent.
    pub contained: Option<[u8; 2]>,
    /// The methods with their scores.
    pub scores: Vec<(String, u32)>,
    /// How often the digests of unrelated files are so much alike.
    pub chance: Option<Chance>,
    /// Where the bytes are that both have, if that was looked for; else why it is not known.
    pub places: Option<Result<Places, String>>,
}

/// Where two files have bytes in common.
#[derive(Clone, Debug)]
pub struct Places {
    /// The sizes of both files in bytes.
    pub sizes: [u64; 2],
    /// The longest runs of equal bytes.
    pub runs: Vec<Run>,
}
