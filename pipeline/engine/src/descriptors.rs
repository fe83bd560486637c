//! The part of a plan that fits into the number of files that the process may have open.

use crate::plan::Plan;
use pfh_prefetch::Backend;
use pfh_prefetch::host::descriptors;
use pfh_source::Batch;

/// Descriptors that stay free for all but the readers: the standard streams, the walk, outputs, a
/// cache, known sets.
const BESIDES: usize = 24;

/// Who reads how, so that no reader waits for a descriptor that others keep. A run that was not
/// fitted stood still with 16 descriptors: rings and records of waiting had taken them all before
/// the first file was open (fault row B13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fit {
    /// Threads that may read.
    pub readers: usize,
    /// How they read.
    pub backend: Backend,
    /// Whether each may keep the record of its waiting open.
    pub looks: bool,
    /// Messages that each of the plan's threads may have open in lanes.
    pub lanes: usize,
}

/// No kernel has more.
const MOST_LANES: usize = 64;

impl Fit {
    /// For the limit of this process.
    pub fn new(plan: &Plan) -> Self {
        Self::within(plan, descriptors())
    }

    fn within(plan: &Plan, limit: usize) -> Self {
        let room = limit - BESIDES.min(limit / 4 * 3);
        let readers = plan.readers().min(room).max(1);
        // A ring, the record of waiting, and the files that are open together.
        let together = readers.saturating_mul(2 + Batch::WIDTH) <= room;
        let backend = if together { plan.backend } else { Backend::Plain };
        // An entry that is put down in the middle stays open while readers of the table begin with
        // others.
        let each = if backend == Backend::Plain { 2 } else { 2 + Batch::WIDTH };
        let lanes = room.saturating_sub(readers.saturating_mul(each)) / plan.threads.max(1);
        Fit { readers, backend, looks: readers.saturating_mul(2) <= room, lanes: lanes.clamp(1, MOST_LANES) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_usual_limit_gives_every_reader_a_ring_and_a_small_one_gives_none() {
        let mut plan = Plan { threads: 2, prefetchers: 6, ..Plan::default() };
        assert_eq!(Fit::within(&plan, 1024), Fit { readers: 8, backend: Backend::Auto, looks: true, lanes: 64 });
        assert_eq!(Fit::within(&plan, 16), Fit { readers: 4, backend: Backend::Plain, looks: false, lanes: 1 });
        (plan.threads, plan.prefetchers) = (64, 192);
        assert_eq!(Fit::within(&plan, 1024), Fit { readers: 256, backend: Backend::Plain, looks: true, lanes: 7 });
    }

    proptest! {
        #[test]
        fn what_readers_keep_open_leaves_room_for_the_rest(
            threads in 0..5000_usize, prefetchers in 0..5000_usize, limit in 4..100_000_usize,
        ) {
            let plan = Plan { threads, prefetchers, ..Plan::default() };
            let fit = Fit::within(&plan, limit);
            let each = 1 + usize::from(fit.looks) + if fit.backend == Backend::Plain { 0 } else { Batch::WIDTH };
            prop_assert!(fit.readers >= 1 && fit.readers <= plan.readers());
            prop_assert!(fit.readers * each + BESIDES.min(limit / 2) <= limit);
            // Nothing but the one message that every reader may have open is sure to be had.
            let lanes = if fit.lanes == 1 { 0 } else { fit.lanes * threads.max(1) };
            prop_assert!(fit.readers * each + lanes + BESIDES.min(limit / 2) <= limit);
        }
    }
}
