//! Targets that fail while others go on.

use super::{FailedTarget, ImagingError};
use std::io;
use std::sync::Arc;

/// Which targets have failed.
pub(super) struct Failing {
    /// How many of the targets, the first ones, hold the image; `None`: none may fail.
    independent: Option<usize>,
    /// How many targets there are.
    pub(super) targets: usize,
    /// Those that failed.
    pub(super) found: Vec<FailedTarget>,
}

impl Failing {
    pub(super) fn new(independent: Option<usize>, targets: usize) -> Self {
        Failing { independent, targets, found: Vec::new() }
    }

    pub(super) fn has(&self, target: usize) -> bool {
        self.found.iter().any(|failed| failed.target == target)
    }

    /// Enters one that failed.
    ///
    /// # Errors
    /// When the run cannot go on without it.
    pub(super) fn enter(&mut self, target: usize, error: io::Error) -> Result<(), ImagingError> {
        let is_left = |independent| (0..independent).any(|other| other != target && !self.has(other));
        if !self.independent.is_some_and(is_left) {
            return Err(ImagingError::Target { target, error });
        }
        self.found.push(FailedTarget { target, error: Arc::new(error) });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_holds_the_image_must_be_left() {
        let fail = || io::Error::other("full");
        assert!(Failing::new(None, 2).enter(0, fail()).is_err());
        // Two images, and an output that is made of them.
        let mut failing = Failing::new(Some(2), 3);
        assert!(failing.enter(1, fail()).is_ok() && failing.has(1) && !failing.has(0));
        assert!(failing.enter(2, fail()).is_ok());
        assert!(failing.enter(0, fail()).is_err());
        assert!(Failing::new(Some(1), 2).enter(0, fail()).is_err());
    }
}
