//! The limits that a container can meet, for callers that name the setting which raises one; a
//! password that was not given is such a limit.

use pfh_source::{Cause, Skip};

/// The end of every sentence about a member that gives more bytes than allowed, and that about one
/// of a zip that waits for a password.
pub(crate) use pfh_volume::archive::{BOMB, NEEDS_PASSWORD};

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
    match cause {
        Cause::Inside(what) if what.ends_with(BOMB) => Some(Limit::Bytes),
        Cause::Inside(what) if what.ends_with(TOO_SLOW) => Some(Limit::Time),
        Cause::Inside(what) if what.ends_with(NEEDS_PASSWORD) => Some(Limit::Password),
        _ => None,
    }
}

/// Whether a container was not opened because it lies deeper than allowed.
pub fn is_too_deep(skip: &Skip) -> bool {
    matches!(skip, Skip::Inside(TOO_DEEP))
}
