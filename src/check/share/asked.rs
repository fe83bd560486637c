//! The share that is asked for.

use crate::beside::state_of;
use crate::check::problem::Problem;
use crate::job::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Which share of the files is checked: those that were checked least recently, and those that were
/// not as listed when they were checked last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Share {
    /// The share of all bytes, as numerator and denominator; `None` for all that time allows.
    pub part: Option<(u64, u64)>,
    /// No file is begun after this time.
    pub time: Option<Duration>,
    /// The file that keeps when each file was checked last; beside the manifest if it is not given.
    pub state: Option<PathBuf>,
}

impl Share {
    /// This share of all bytes.
    pub fn of(numerator: u64, denominator: u64) -> Share {
        Share { part: Some((numerator, denominator)), ..Share::default() }
    }

    /// As much as this time allows.
    pub fn lasting(time: Duration) -> Share {
        Share { time: Some(time), ..Share::default() }
    }

    /// Begins no file after this time.
    #[must_use]
    pub fn time(mut self, time: Option<Duration>) -> Share {
        self.time = time;
        self
    }

    /// Keeps its state in this file.
    #[must_use]
    pub fn state(mut self, state: Option<PathBuf>) -> Share {
        self.state = state;
        self
    }

    /// The file of its state for a manifest.
    pub(in crate::check) fn state_of(&self, manifest: &Path) -> PathBuf {
        self.state.clone().unwrap_or_else(|| state_of(manifest))
    }

    /// Whether it is a share at all.
    pub(in crate::check) fn check(&self) -> Result<(), Error> {
        match self.part {
            Some((numerator, denominator)) if numerator == 0 || numerator > denominator => {
                Err(Error::request(Problem::NoShare))
            }
            None if self.time.is_none() => Err(Error::request(Problem::NoShare)),
            _ => Ok(()),
        }
    }
}

impl FromStr for Share {
    type Err = Problem;

    /// Reads `1/30`, or `5%` for five in a hundred.
    fn from_str(text: &str) -> Result<Share, Problem> {
        let parts = match text.strip_suffix('%') {
            Some(percent) => Some((percent, "100")),
            None => text.split_once('/'),
        };
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let share = parts.and_then(|(one, of)| Some((number(one)?, number(of)?)));
        let (one, of) = share.filter(|(one, of)| *one > 0 && one <= of).ok_or(Problem::NoShare)?;
        Ok(Share::of(one, of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_as_they_are_written() {
        let part = |text: &str| text.parse::<Share>().ok().and_then(|share| share.part);
        assert_eq!((part("1/30"), part("5%"), part("1 / 1")), (Some((1, 30)), Some((5, 100)), Some((1, 1))));
        for wrong in ["", "0/30", "31/30", "1", "x/y", "0%", "101%", "-1/2"] {
            assert_eq!(part(wrong), None, "{wrong}");
        }
    }
}
