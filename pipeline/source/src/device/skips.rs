//! Zones of unreadable sectors that are passed over, with skips that double (ddrescue's first
//! passes).
//!
//! A head that is down or a controller that answers EIO to everything would otherwise be asked
//! sector by sector, each a timeout: hours, where a few hundred reads can show the same.

use super::medium::Medium;
use std::sync::{Mutex, PoisonError};

/// The first skip.
const FIRST: u64 = 64 << 10;
/// No skip is longer.
const LONGEST: u64 = 1 << 30;

#[derive(Debug, Default)]
struct State {
    /// Unreadable sectors since the last read that succeeded.
    failing: u64,
    /// The zone passed over: from, until, errno.
    zone: Option<(u64, u64, i32)>,
    /// The next skip.
    next: u64,
    /// Offsets of sectors that were read: the first one, and the last.
    good: Option<(u64, u64)>,
}

/// Where a medium's zones are passed over, shared by all that read it.
#[derive(Debug)]
pub struct Skips {
    after: Option<u64>,
    longest: u64,
    state: Mutex<State>,
}

impl Skips {
    /// Nothing is passed over yet; a zone is, after `after` unreadable sectors in a row.
    pub fn new(medium: &Medium, after: Option<u64>) -> Self {
        // A hundredth of the medium, so that a zone's end is found within a hundredth.
        let longest = (medium.size().unwrap_or(0) / 100).next_multiple_of(FIRST).clamp(FIRST, LONGEST);
        Skips { after: after.filter(|n| *n > 0), longest, state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Up to where `at` is to be passed over, and the errno of the zone.
    pub(super) fn passes(&self, at: u64) -> Option<(u64, i32)> {
        self.after?;
        let zone = self.state().zone;
        zone.filter(|(from, until, _)| (*from..*until).contains(&at)).map(|(_, until, errno)| (until, errno))
    }

    /// Whether enough reads in a row failed for single sectors to be tried.
    pub(super) fn in_zone(&self) -> bool {
        self.after.is_some_and(|after| self.state().failing >= after)
    }

    /// Counts an unreadable sector; returns whether the zone is to be passed over from here on.
    pub(super) fn failed(&self) -> bool {
        let Some(after) = self.after else { return false };
        let mut state = self.state();
        state.failing += 1;
        state.failing >= after
    }

    /// A read at `at` succeeded.
    pub(super) fn succeeded(&self, at: u64) {
        if self.after.is_none() {
            return;
        }
        let mut state = self.state();
        (state.failing, state.next) = (0, 0);
        state.good = Some((state.good.map_or(at, |(first, _)| first), at));
    }

    /// Sectors that were read before.
    pub(super) fn known_good(&self) -> Vec<u64> {
        self.state().good.map_or_else(Vec::new, |(first, last)| vec![first, last])
    }

    /// Passes over the bytes from `at` on, twice as many as the time before.
    pub(super) fn skip(&self, at: u64, errno: i32) {
        let mut state = self.state();
        let length = state.next.clamp(FIRST, self.longest);
        state.next = length * 2;
        // Several threads see one zone, the later part of it perhaps first.
        let from = match state.zone {
            Some((from, until, _)) if from <= at && at <= until => from,
            _ => at,
        };
        state.zone = Some((from, at + length, errno));
    }
}
