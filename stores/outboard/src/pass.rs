//! One pass over a whole file: one thread reads ahead, all others hash leaves.

use super::{Failure, Pass};
use pfh_source::os::names::OsStrExt;
use pfh_source::{Problem, Ranges, Stage};
use pfh_tree::outboard::{Builder, Outboard, Parameters};
use std::io::{self, Read};
use std::ops::Range;
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
    read_range(file, &read, 0..read.size(), pass, |bytes| {
        builder.update_on(bytes, &executor);
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))?;
    Ok(builder.finish())
}

/// The tree of a stream. Progress is reported without an end.
///
/// # Errors
/// When it cannot be read to its end.
pub fn build_stream(
    name: &Path,
    from: &mut dyn Read,
    parameters: Parameters,
    pass: &mut Pass<'_>,
) -> Result<Outboard, Failure> {
    let mut builder = Builder::new(parameters);
    let executor = pfh_engine::executor(pass.threads);
    read_stream(name, from, pass, |bytes| builder.update_on(bytes, &executor))?;
    Ok(builder.finish())
}

/// Hands a stream to `take`, in order, in pieces.
///
/// # Errors
/// When it cannot be read to its end.
pub fn read_stream(
    name: &Path,
    from: &mut dyn Read,
    pass: &mut Pass<'_>,
    mut take: impl FnMut(&[u8]),
) -> Result<(), Failure> {
    let (mut piece, mut done) = (Vec::with_capacity(PIECE as usize), 0);
    loop {
        piece.clear();
        let failed = |error: io::Error| Failure::read(name)(Problem::io(Stage::Read, &error));
        if from.take(PIECE).read_to_end(&mut piece).map_err(failed)? == 0 {
            return Ok(());
        }
        if pass.cancel.load(Ordering::Relaxed) {
            return Err(Failure::Cancelled);
        }
        take(&piece);
        done += piece.len() as u64;
        (pass.progress)(done, 0);
    }
}

/// Hands a whole file to `take`, in order, in pieces.
///
/// # Errors
/// When it cannot be read to its end, or changed meanwhile: the bytes taken are of no use then.
pub fn read_file(file: &Path, pass: &mut Pass<'_>, mut take: impl FnMut(&[u8])) -> Result<(), Failure> {
    let read = Ranges::open(file.as_os_str().as_bytes()).map_err(Failure::read(file))?;
    read_range(file, &read, 0..read.size(), pass, |bytes| {
        take(bytes);
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))
}

/// Hands the bytes of a range of an open file to `take`, in order, in pieces of 16 MiB. A callback
/// that opened the file closes it: until then the bytes taken are of no use.
///
/// # Errors
/// When they cannot be read, `take` fails, or the pass is cancelled.
pub fn read_range(
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
                pfh_source::fail_point("pieces");
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
        // The reader ends early only for an error, which came through above, or when it was asked
        // to.
        if done == all { Ok(()) } else { Err(Failure::Cancelled) }
    })
}
