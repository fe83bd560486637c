//! Work on pieces that come one after the other: several threads work, and their results are taken
//! in the order of the pieces.

use pfh_source::fail_point;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Calls `give` on a thread of its own until it has no more pieces, `work` on `threads` threads,
/// and `take` on this thread, in the order of the pieces. At most three pieces for each thread are
/// on the way, so that memory is bounded. When `take` breaks, no further piece is asked for.
///
/// ```
/// use std::ops::ControlFlow;
/// let (mut next, mut sum) = (0..1000u64, Vec::new());
/// pfh_engine::in_order(3, || next.next(), |n| n * n, |square| {
///     sum.push(square);
///     if square < 81 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// });
/// assert_eq!(sum, [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
/// ```
pub fn in_order<Piece: Send, Made: Send>(
    threads: usize,
    mut give: impl FnMut() -> Option<Piece> + Send,
    work: impl Fn(Piece) -> Made + Sync,
    mut take: impl FnMut(Made) -> ControlFlow<()>,
) {
    let mut is_shared = false;
    thread::scope(|scope| {
        let (mut to, mut from): (Vec<SyncSender<Piece>>, Vec<Receiver<Made>>) = (Vec::new(), Vec::new());
        let work = &work;
        for _ in 0..threads.max(1) {
            let (give, pieces) = sync_channel::<Piece>(1);
            let (made, taken) = sync_channel(1);
            let work = move || {
                pieces.into_iter().inspect(|_| fail_point("work")).map(work).try_for_each(|result| made.send(result))
            };
            // With fewer threads than were asked for it only takes longer.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
            to.push(give);
            from.push(taken);
        }
        let (threads, give) = (to.len(), &mut give);
        let giver = move || {
            // The threads take turns, so that results need no numbers. Each ends when nobody takes
            // its results.
            for turn in (0..to.len()).cycle() {
                fail_point("give");
                let Some(piece) = give() else { break };
                if to[turn].send(piece).is_err() {
                    break;
                }
            }
        };
        is_shared = threads > 0 && thread::Builder::new().spawn_scoped(scope, giver).is_ok();
        for turn in (0..if is_shared { threads } else { 0 }).cycle() {
            let Ok(result) = from[turn].recv() else { break };
            if take(result).is_break() {
                break;
            }
        }
        drop(from);
    });
    // No thread is to be had.
    while !is_shared && let Some(piece) = give() {
        if take(work(piece)).is_break() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn results_are_in_order_and_few_pieces_are_on_the_way() {
        for threads in [1, 2, 7] {
            let (given, mut next, mut seen) = (AtomicU64::new(0), 0, 0);
            let give = || {
                given.fetch_add(1, Ordering::SeqCst);
                next += 1;
                (next <= 500).then_some(next)
            };
            in_order(
                threads,
                give,
                |n| {
                    // Later pieces are done sooner.
                    (0..(500 - n) * 20).for_each(|_| std::hint::spin_loop());
                    n
                },
                |n| {
                    seen += 1;
                    assert_eq!(n, seen);
                    assert!(given.load(Ordering::SeqCst) <= seen + 4 * threads as u64 + 2);
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(seen, 500);
        }
    }

    #[test]
    fn a_panic_of_the_work_is_one_of_the_caller() {
        let mut next = 0..10;
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            in_order(2, || next.next(), |n| assert_ne!(n, 4), |()| ControlFlow::Continue(()));
        }));
        assert!(caught.is_err());
    }
}
