//! One pass over a whole file: one thread reads ahead, all others hash leaves.

use super::{Failure, Pass};
use pfh_source::{Problem, Ranges, Stage};
use pfh_tree::outboard::{Builder, Outboard, Parameters};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Bytes that are read and hashed in one go: enough for threads to be worth starting.
const PIECE: u64 = 16 << 20;
/// Pieces read ahead of the one that is hashed; with those two in hand 64 MiB.
const AHEAD: usize = 2;

/// The tree of a file.
///
/// # Errors
/// When the file cannot be read to its end, or changed meanwhile: there is no tree then.
pub fn build(file: &Path, parameters: Parameters, pass: &mut Pass<'_>) -> Result<Outboard, Failure> {
    let read = Ranges::open(file.as_os_str().as_bytes()).map_err(Failure::read(file))?;
    let mut builder = Builder::new(parameters);
    let executor = pfh_engine::executor(pass.threads);
    pieces(file, &read, 0..read.size(), pass, |bytes| {
        builder.update_on(bytes, &executor);
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))?;
    Ok(builder.finish())
}

/// Hands the bytes of a range to `take`, in order, in pieces of [`PIECE`] bytes.
pub(super) fn pieces(
    file: &Path,
    read: &Ranges,
    range: Range<u64>,
    pass: &mut Pass<'_>,
    mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let all = range.end.saturating_sub(range.start);
    let cancel = pass.cancel;
    thread::scope(|scope| {
        let (filled, pieces) = sync_channel::<Result<Vec<u8>, Problem>>(AHEAD);
        let (used, empty) = sync_channel::<Vec<u8>>(AHEAD + 2);
        let reader = move || {
            for start in range.clone().step_by(PIECE as usize) {
                let mut piece = empty.try_recv().unwrap_or_default();
                let result = read.read(start..range.end.min(start + PIECE), &mut piece).map(|()| piece);
                let failed = result.is_err();
                // A closed channel says that the other side has ended.
                if filled.send(result).is_err() || failed || cancel.load(Ordering::Relaxed) {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name("pfh-read".into())
            .spawn_scoped(scope, reader)
            .map_err(|error| Failure::read(file)(Problem::io(Stage::Read, &error)))?;
        let mut done = 0;
        (pass.progress)(0, all);
        for piece in pieces {
            let piece = piece.map_err(Failure::read(file))?;
            if cancel.load(Ordering::Relaxed) {
                return Err(Failure::Cancelled);
            }
            take(&piece)?;
            done += piece.len() as u64;
            (pass.progress)(done, all);
            let _ = used.try_send(piece);
        }
        // The reader ends early only for an error, which came through above, or when it was asked to.
        if done == all { Ok(()) } else { Err(Failure::Cancelled) }
    })
}
