//! What a comparison amounts to: the verdict of every job that compares.

use std::fmt;

/// What a comparison amounts to. A good verdict names its evidence: the summary that gives it says
/// what was compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Something was compared, and all that was is equal.
    Verified,
    /// Something differs, is missing, or contradicts itself; of an audited tree also: is new, was
    /// moved or copied.
    Differs,
    /// Nothing differs, and something could not be read.
    Incomplete,
    /// Nothing could be compared; of an image also: not all.
    NothingToCompareWith,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Verified => "verified",
            Verdict::Differs => "differs",
            Verdict::Incomplete => "incomplete",
            Verdict::NothingToCompareWith => "nothing-to-compare-with",
        })
    }
}
