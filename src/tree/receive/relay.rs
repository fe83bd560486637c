//! Pieces of a delivery, on their way from the thread that reads it to those that place them: a
//! sender need not wait for the disk and the hash.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A piece that was read into a buffer.
pub(super) struct Piece<E> {
    /// Where its first byte lies in the whole file.
    pub offset: u64,
    /// How the reading ended, if this is the last piece.
    pub end: Option<Result<(), E>>,
}

/// Reads pieces by `read`, which gets an empty buffer, to the last one, and gives each that has
/// bytes to `place` on one of `helpers` threads beside this one; on this one if there are none.
/// There are at most `helpers` and two buffers.
///
/// # Errors
/// The first of `place`, after which no other piece is placed; else that of the last piece.
pub(super) fn relay<E: Send>(
    helpers: usize,
    mut read: impl FnMut(&mut Vec<u8>) -> Piece<E>,
    place: impl Fn(u64, &[u8]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let (full, pieces) = sync_channel::<(u64, Vec<u8>)>(1);
    let (empty, free) = channel();
    let (pieces, place) = (Mutex::new(pieces), &place);
    // One that has failed, or panicked, goes on taking: the reader must not wait for room for ever.
    let work = |empty: Sender<Vec<u8>>| {
        let mut result = Ok(Ok(()));
        loop {
            let piece = pieces.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((offset, bytes)) = piece else { return result.unwrap_or_else(|panic| resume_unwind(panic)) };
            if matches!(result, Ok(Ok(()))) {
                result = catch_unwind(AssertUnwindSafe(|| place(offset, &bytes)));
            }
            let _ = empty.send(bytes);
        }
    };
    thread::scope(|scope| {
        let start = |empty| thread::Builder::new().name("pfh-place".into()).spawn_scoped(scope, move || work(empty));
        let threads: Vec<_> = (0..helpers).map_while(|_| start(empty.clone()).ok()).collect();
        let ended = loop {
            let mut bytes: Vec<u8> = free.try_recv().unwrap_or_default();
            bytes.clear();
            let Piece { offset, end } = read(&mut bytes);
            let mut placed = Ok(());
            if bytes.is_empty() || threads.is_empty() {
                placed = if bytes.is_empty() { Ok(()) } else { place(offset, &bytes) };
                let _ = empty.send(bytes);
            } else {
                let _ = full.send((offset, bytes));
            }
            match (placed, end) {
                (Err(error), _) => break Err(error),
                (Ok(()), Some(end)) => break end,
                (Ok(()), None) => {}
            }
        };
        drop(full);
        let joined = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let placed: Vec<Result<(), E>> = joined.collect();
        placed.into_iter().collect::<Result<(), E>>().and(ended)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Reads `count` pieces of ten bytes, and then as `end` says.
    fn pieces(count: u64, end: Result<(), &'static str>) -> impl FnMut(&mut Vec<u8>) -> Piece<&'static str> {
        let mut read = 0;
        move |bytes| {
            assert!(bytes.is_empty());
            let offset = 10 * read;
            if read < count {
                bytes.extend([read as u8; 10]);
            }
            read += 1;
            Piece { offset, end: (read > count).then_some(end) }
        }
    }

    #[test]
    fn each_piece_is_placed_once_at_its_offset() {
        for helpers in 0..4 {
            for end in [Ok(()), Err("cut")] {
                let placed = Mutex::new(Vec::new());
                let result = relay(helpers, pieces(100, end), |offset, bytes| {
                    assert_eq!(bytes, [(offset / 10) as u8; 10]);
                    placed.lock().unwrap().push(offset);
                    Ok(())
                });
                assert_eq!(result, end, "what was read before a cut is placed");
                let mut placed = placed.into_inner().unwrap();
                placed.sort_unstable();
                assert_eq!(placed, (0..100).map(|at| 10 * at).collect::<Vec<u64>>());
            }
        }
    }

    #[test]
    fn a_place_that_fails_ends_it_and_nobody_waits() {
        for helpers in 0..4 {
            let tried = AtomicUsize::new(0);
            let result = relay(helpers, pieces(100, Err("cut")), |offset, _| {
                tried.fetch_add(1, Ordering::Relaxed);
                if offset >= 50 { Err("full") } else { Ok(()) }
            });
            assert_eq!(result, Err("full"));
            // Five were good, and each thread has failed once.
            assert!(tried.load(Ordering::Relaxed) <= 5 + helpers.max(1));
        }
    }

    #[test]
    #[should_panic(expected = "in a helper")]
    fn a_panic_is_passed_on() {
        let _ = relay(1, pieces(100, Ok(())), |_, _| panic!("in a helper"));
    }
}
