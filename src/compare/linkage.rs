//! How pairs become groups.

/// Which inputs are one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Linkage {
    /// Every two of its members are alike.
    #[default]
    Complete,
    /// A chain of pairs leads from each to each, as in the groups of `ssdeep -g`.
    Single,
}
