//! The threads of one run.

use super::failing::Failing;
use super::prefix::History;
use super::reading::{Reader, ReaderResult, ReaderState, To};
use super::units::{self, Unit};
use super::{Ending, Follow, Imaging, ImagingError, ImagingResult, Packing, Portion, Target, Times};
use crate::progress::{MediumProgress, Progress};
use pfh_source::device::Medium;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// An instruction to a target's thread.
enum Instruction {
    Write(Portion),
    Sync,
}

/// An event that is sent to the caller.
enum Event {
    /// A target has everything up to this offset of the image on its medium.
    Synced {
        target: usize,
        upto: u64,
    },
    Failed {
        target: usize,
        error: io::Error,
    },
    ReaderDone,
}

/// Reads a medium once, into every digest and every target. `prefix` is the image so far, where the
/// run resumes one. Nothing is complete before this returns `Ok` without `stopped`.
///
/// # Errors
/// When a target fails, or present bytes cannot be read back. Unreadable sectors are not an
/// error; they are in [`ImagingResult::bad`].
pub fn image(
    medium: &Medium,
    prefix: Option<&Medium>,
    imaging: &Imaging,
    targets: &mut [Box<dyn Target>],
    mut follow: Follow<'_>,
) -> Result<ImagingResult, ImagingError> {
    let from = Instant::now();
    // Targets and the caller's map receive all unreadable runs, those of an earlier run as well.
    let shared = ReaderState { bad: imaging.done_bad.clone().into(), ..ReaderState::default() };
    let mut units = units::cut(imaging);
    let history = History::default();
    let total = Reader::total(medium, imaging);
    let mut failing = Failing::new(imaging.independent, targets.len());
    let (read, hashing, writing) = std::thread::scope(|scope| {
        let (events, noted) = channel();
        let hashing = start_units(scope, &mut units, &history).map_err(ImagingError::Thread)?;
        let writing = start_targets(scope, targets, &events).map_err(ImagingError::Thread)?;
        let senders: Vec<Sender<Portion>> = hashing.iter().map(|(s, _)| s.clone()).collect();
        let orders: Vec<Sender<Instruction>> = writing.iter().map(|(s, _)| s.clone()).collect();
        let reader = Reader { medium, prefix, imaging, shared: &shared, cancel: follow.control.cancel().clone() };
        let announced = events.clone();
        drop(events);
        let reader = Builder::new().name("pfh-read".into()).spawn_scoped(scope, move || {
            let send = |portion: Portion, to| {
                pfh_source::fail_point("image-read");
                // A receiver that is gone has reported why, or the join of its thread shows why.
                senders.iter().for_each(|s| drop(s.send(portion.clone())));
                if to == To::All {
                    orders.iter().for_each(|s| drop(s.send(Instruction::Write(portion.clone()))));
                }
            };
            let read = reader.run(send, || orders.iter().for_each(|s| drop(s.send(Instruction::Sync))));
            let _ = announced.send(Event::ReaderDone);
            read
        });
        let reader = match reader {
            Ok(reader) => reader,
            Err(error) => return Err(ImagingError::Thread(error)),
        };
        let (hash_handles, write_handles) = (handles(hashing), handles(writing));
        let prefixes = imaging.prefixes.as_ref().map(|_| &history);
        let followed = watch(&noted, (&shared, prefixes), total, from, &mut follow, &mut failing);
        if followed.is_err() {
            shared.halt.store(true, Ordering::SeqCst);
        }
        let read = reader.join().map_err(|_| ImagingError::Panicked)?;
        let hashing = join(hash_handles)?;
        let writing = join(write_handles)?;
        // A target may fail after the reader is done: its last writes are still on their way then.
        followed?;
        for event in noted.try_iter() {
            if let Event::Failed { target, error } = event {
                failing.enter(target, error)?;
            }
        }
        Ok((read?, hashing.into_iter().max(), writing))
    })?;
    let bad = shared.bad();
    let mut imaged = gather(imaging, units, &read);
    imaged.bad = bad;
    let upto = if imaged.stopped.is_some() {
        synced(targets, &mut failing)?
    } else {
        let ending = Ending { bytes: imaged.bytes, digests: &imaged.digests, bad: &imaged.bad };
        for (target, end) in targets.iter_mut().enumerate() {
            if !failing.has(target)
                && let Err(error) = end.finish(&ending)
            {
                failing.enter(target, error)?;
            }
        }
        imaged.bytes
    };
    imaged.failed = failing.found;
    if let Some(settled) = &mut follow.settled {
        settled(upto, &imaged.bad, history.take(upto).as_ref()).map_err(ImagingError::Settled)?;
    }
    let packing: Vec<Packing> = targets.iter().map(|target| target.packing()).collect();
    let writing = writing.into_iter();
    imaged.times = Times {
        total: from.elapsed(),
        read: read.reading,
        waited: read.waited,
        hash: hashing.unwrap_or_default(),
        pack: packing.iter().map(|packing| packing.busy).max().unwrap_or_default(),
        write: writing
            .zip(&packing)
            .map(|(busy, packing)| busy.saturating_sub(packing.waited))
            .max()
            .unwrap_or_default(),
    };
    Ok(imaged)
}

/// Up to where an image that is not complete can go on.
fn synced(targets: &mut [Box<dyn Target>], failing: &mut Failing) -> Result<u64, ImagingError> {
    let mut upto = if targets.is_empty() { 0 } else { u64::MAX };
    for (target, end) in targets.iter_mut().enumerate() {
        if failing.has(target) {
            continue;
        }
        match end.sync() {
            Ok(at) => upto = upto.min(at),
            Err(error) => failing.enter(target, error)?,
        }
    }
    Ok(upto)
}

type Handle<'scope> = ScopedJoinHandle<'scope, Duration>;

fn start_units<'scope>(
    scope: &'scope Scope<'scope, '_>,
    units: &'scope mut [Unit],
    history: &'scope History,
) -> io::Result<Vec<(Sender<Portion>, Handle<'scope>)>> {
    let start = |(number, unit): (usize, &'scope mut Unit)| {
        let (sender, receiver) = channel();
        let name = format!("pfh-hash-{number}");
        let handle = Builder::new().name(name).spawn_scoped(scope, move || {
            pfh_source::fail_point("image-hash");
            unit.run(&receiver, history);
            unit.busy
        })?;
        Ok((sender, handle))
    };
    units.iter_mut().enumerate().map(start).collect()
}

fn start_targets<'scope>(
    scope: &'scope Scope<'scope, '_>,
    targets: &'scope mut [Box<dyn Target>],
    events: &Sender<Event>,
) -> io::Result<Vec<(Sender<Instruction>, Handle<'scope>)>> {
    let start = |(target, end): (usize, &'scope mut Box<dyn Target>)| {
        let (sender, receiver) = channel();
        let events = events.clone();
        let name = format!("pfh-write-{target}");
        let handle = Builder::new().name(name).spawn_scoped(scope, move || {
            let mut busy = Duration::ZERO;
            for order in receiver {
                pfh_source::fail_point("image-write");
                let from = Instant::now();
                let done = match order {
                    Instruction::Write(portion) => end.write(&portion),
                    Instruction::Sync => end.sync().map(|upto| drop(events.send(Event::Synced { target, upto }))),
                };
                busy += from.elapsed();
                if let Err(error) = done {
                    // Whether the others go on is not known here.
                    let _ = events.send(Event::Failed { target, error });
                    break;
                }
            }
            busy
        })?;
        Ok((sender, handle))
    };
    targets.iter_mut().enumerate().map(start).collect()
}

/// Drops the senders that are left here: threads end when the reader's are gone as well.
fn handles<'scope, T>(started: Vec<(Sender<T>, Handle<'scope>)>) -> Vec<Handle<'scope>> {
    started.into_iter().map(|(_, handle)| handle).collect()
}

fn join(handles: Vec<Handle<'_>>) -> Result<Vec<Duration>, ImagingError> {
    // All are joined before one is complained of.
    let joined: Vec<_> = handles.into_iter().map(|handle| handle.join().map_err(|_| ImagingError::Panicked)).collect();
    joined.into_iter().collect()
}

/// Follows the run until the reader is done: progress, and the settled bytes.
fn watch(
    noted: &Receiver<Event>,
    (shared, prefixes): (&ReaderState, Option<&History>),
    total: Option<u64>,
    from: Instant,
    follow: &mut Follow<'_>,
    failing: &mut Failing,
) -> Result<(), ImagingError> {
    let mut upto = vec![0_u64; failing.targets];
    let (mut settled, mut least) = (0, 0);
    loop {
        match noted.recv_timeout(Duration::from_millis(100)) {
            Ok(Event::Synced { target, upto: offset }) => {
                upto[target] = offset;
                least = upto.iter().copied().min().unwrap_or(0);
            }
            Ok(Event::Failed { target, error }) => {
                failing.enter(target, error)?;
                // The others settle without it.
                upto[target] = u64::MAX;
                least = upto.iter().copied().min().unwrap_or(0);
            }
            Ok(Event::ReaderDone) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if least > settled
            && let Some(call) = &mut follow.settled
        {
            // The digests may be behind the targets: then the checkpoint waits, for it states one.
            let digest = prefixes.and_then(|history| history.take(least));
            if digest.is_some() || prefixes.is_none() {
                settled = least;
                call(settled, &shared.bad(), digest.as_ref()).map_err(ImagingError::Settled)?;
            }
        }
        follow.control.report(&Progress::Medium(MediumProgress {
            phase: follow.phase,
            bytes: shared.bytes.load(Ordering::Relaxed),
            total,
            bad: shared.bad().iter().map(|b| b.length).sum(),
            elapsed: from.elapsed(),
        }));
    }
}

/// Puts together the results of the units. A run that stopped has no digests: they would be those
/// of a part.
fn gather(imaging: &Imaging, units: Vec<Unit>, read: &ReaderResult) -> ImagingResult {
    let mut digests = vec![None; imaging.algorithms.len()];
    let (mut pieces, mut marks) = (Vec::new(), Vec::new());
    for unit in units {
        let (places, is_marks) = (unit.places.clone(), unit.is_marks);
        let found = unit.finish();
        for (place, digest) in places.iter().zip(found.digests) {
            digests[*place] = Some(digest);
        }
        if is_marks {
            marks = found.pieces;
        } else {
            merge(&mut pieces, found.pieces, &places, imaging.algorithms.len());
        }
    }
    let whole = read.stopped.is_none();
    ImagingResult {
        bytes: read.bytes,
        padded: read.padded,
        digests: if whole { digests.into_iter().flatten().collect() } else { Vec::new() },
        pieces: pieces.into_iter().map(|piece: Slots| piece.whole()).collect(),
        marks,
        bad: Vec::new(),
        failed: Vec::new(),
        retried: read.retried,
        stopped: read.stopped,
        times: Times::default(),
    }
}

/// A window whose digests come from several units.
struct Slots {
    offset: u64,
    length: u64,
    digests: Vec<Option<pfh_digest::Digest>>,
}

impl Slots {
    fn whole(self) -> crate::Piece {
        let digests = self.digests.into_iter().flatten().collect();
        crate::Piece { offset: self.offset, length: self.length, digests }
    }
}

fn merge(all: &mut Vec<Slots>, found: Vec<crate::Piece>, places: &[usize], algorithms: usize) {
    for (at, piece) in found.into_iter().enumerate() {
        if all.len() == at {
            all.push(Slots { offset: piece.offset, length: piece.length, digests: vec![None; algorithms] });
        }
        for (place, digest) in places.iter().zip(piece.digests) {
            all[at].digests[*place] = Some(digest);
        }
    }
}
