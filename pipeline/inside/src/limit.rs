//! The limits that a container can meet, for callers that name the setting which raises one; a
//! password that was not given is such a limit.

use pfh_source::{Cause, FindingId, Skip};
use pfh_volume::{Failure, Flaw};

/// The end of every sentence about a member that gives more bytes than allowed, and that about one
/// of a zip that waits for a password.
pub(crate) use pfh_archive::{BOMB, NEEDS_PASSWORD};

/// Why a container deeper than allowed is not opened.
pub(crate) const TOO_DEEP: &str = "a container deeper than the limit of depth";

/// The end of the sentence about a container that took too long.
pub(crate) const TOO_SLOW: &str = "the limit of time for a container, and is given up";

/// A limit of [`Limits`](crate::Limits) or [`Options`](crate::Options) that a container met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// A member gives more bytes than its container may.
    Bytes,
    /// A container took longer than it may.
    Time,
    /// A member of a zip is under a password, and none was given.
    Password,
}

/// The limit that is the cause of a problem, if one is.
pub fn limit(cause: &Cause) -> Option<Limit> {
    match cause.finding() {
        FindingId::InsideBomb => Some(Limit::Bytes),
        FindingId::InsideSlow => Some(Limit::Time),
        FindingId::InsidePassword => Some(Limit::Password),
        _ => None,
    }
}

/// The finding that a failure inside of a container is.
pub(crate) fn finding(failure: &Failure) -> FindingId {
    match failure.flaw {
        Flaw::Residue => FindingId::InsideResidue,
        Flaw::Unlisted => FindingId::ZipUnlistedMember,
        Flaw::Around => FindingId::ZipAround,
        Flaw::Contradiction => FindingId::ZipContradiction,
        // Its sentence passes through errors of reads, which keep no more than that.
        _ if failure.cause.ends_with(BOMB) => FindingId::InsideBomb,
        _ if failure.cause.ends_with(NEEDS_PASSWORD) => FindingId::InsidePassword,
        _ => FindingId::InsideUnread,
    }
}

/// Whether a container was not opened because it lies deeper than allowed.
pub fn is_too_deep(skip: &Skip) -> bool {
    matches!(skip, Skip::Inside(TOO_DEEP))
}
