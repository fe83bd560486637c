//! Deliveries side by side: each writes its bytes to their place and hashes the leaves that they
//! complete.

use super::super::{Error, Failure, Problem};
use super::delivery::{Came, Delivery, Open};
use super::relay::{Piece, relay};
use super::target::Target;
use pfh_tree::outboard::PieceError;
use pfh_tree::{Arrivals, Stretch};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The state that the threads of all deliveries share.
pub(super) struct Intake<'a> {
    pub target: &'a Target,
    pub arrivals: Mutex<Arrivals>,
    /// A claim was given up.
    freed: Condvar,
    /// Something went wrong that ends all deliveries.
    stop: AtomicBool,
    cancel: &'a AtomicBool,
    /// Bytes of a piece of a delivery at most: whole leaves.
    piece: usize,
    /// Pieces of a delivery that there is memory for.
    pieces: usize,
    /// Bytes between two receipts.
    every: u64,
}

/// Why a delivery has ended before its end.
enum Stop {
    /// Another one has stopped all, or the control has.
    Asked,
    /// This ends all deliveries.
    All(Error),
    /// It cannot be read; the others go on.
    One(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::All(failure.into())
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Stop {
        Stop::All(problem.into())
    }
}

/// News of a delivery for the thread that follows.
pub(super) enum News {
    /// This number of bytes was taken in.
    Bytes(u64),
    /// One cannot be read.
    Failed(Failure),
}

/// The claims of a piece, given up with the thread that holds them.
struct Claims<'a, 'b>(&'b Intake<'a>, Vec<Stretch>);

impl Drop for Claims<'_, '_> {
    fn drop(&mut self) {
        let mut arrivals = self.0.arrivals();
        self.1.iter().for_each(|stretch| arrivals.release(&stretch.range));
        drop(arrivals);
        self.0.freed.notify_all();
    }
}

/// Ends the other deliveries when the thread of one panics: they may wait for ever.
struct Alarm<'a, 'b>(&'b Intake<'a>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl<'a> Intake<'a> {
    pub fn new(
        target: &'a Target,
        arrivals: Arrivals,
        (pieces, piece): (usize, usize),
        every: u64,
        cancel: &'a AtomicBool,
    ) -> Intake<'a> {
        Intake {
            target,
            arrivals: Mutex::new(arrivals),
            freed: Condvar::new(),
            stop: AtomicBool::new(false),
            cancel,
            piece,
            pieces,
            every,
        }
    }

    fn arrivals(&self) -> MutexGuard<'_, Arrivals> {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && !self.cancel.load(Ordering::Relaxed)
    }

    /// Takes in all deliveries, each on a thread of its own and, where there are more threads than
    /// deliveries, on others beside it. On this one it calls `news`, and writes a receipt when
    /// enough has come: no delivery waits for that.
    ///
    /// # Errors
    /// The cause that ended them all; that the control did.
    pub fn take(
        &self,
        deliveries: Vec<(Delivery, Open)>,
        threads: usize,
        news: &mut dyn FnMut(News) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let width = (threads / deliveries.len().max(1)).max(1);
        // Each has a piece, and room to read a leaf back. Beside them one is read and one waits.
        let helpers = (width - 1).min(self.pieces.saturating_sub(2) / 2);
        let mut result = Ok(());
        let mut since = 0;
        thread::scope(|scope| {
            let (say, heard) = channel();
            for (delivery, open) in deliveries {
                let name = open.name.clone();
                let own = say.clone();
                let work = move || {
                    let _alarm = Alarm(self);
                    let ended = self.one(&delivery, open, helpers, &own);
                    if matches!(ended, Err(Stop::All(_))) {
                        self.stop.store(true, Ordering::Relaxed);
                    }
                    match ended {
                        Ok(()) | Err(Stop::Asked) => {}
                        Err(Stop::One(failure)) => _ = own.send(Ok(News::Failed(failure))),
                        Err(Stop::All(error)) => _ = own.send(Err(error)),
                    }
                };
                let spawned = thread::Builder::new().name("pfh-receive".into()).spawn_scoped(scope, work);
                if let Err(error) = spawned {
                    self.stop.store(true, Ordering::Relaxed);
                    let problem = pfh_source::Problem::io(pfh_source::Stage::Open, &error);
                    result = Err(Failure::Read { file: name, problem }.into());
                    break;
                }
            }
            drop(say);
            for one in heard {
                if let Ok(News::Bytes(bytes)) = one {
                    since += bytes;
                }
                let noted = (since >= self.every).then(|| {
                    since = 0;
                    self.note(false)
                });
                if let Err(error) = one.and_then(&mut *news).and(noted.unwrap_or(Ok(())).map_err(Error::from))
                    && result.is_ok()
                {
                    self.stop.store(true, Ordering::Relaxed);
                    result = Err(error);
                }
            }
        });
        match result {
            Ok(()) if self.cancel.load(Ordering::Relaxed) => Err(Failure::Cancelled.into()),
            result => result,
        }
    }

    /// Takes in one delivery to its end.
    fn one(
        &self,
        delivery: &Delivery,
        mut open: Open,
        helpers: usize,
        say: &Sender<Result<News, Error>>,
    ) -> Result<(), Stop> {
        let (length, leaf) = {
            let arrivals = self.arrivals();
            (arrivals.length(), arrivals.kind().leaf() as u64)
        };
        let end = open.known.map_or(length, |known| delivery.offset.saturating_add(known));
        let (from, mut at) = (open.name.clone(), delivery.offset);
        let read = |bytes: &mut Vec<u8>| {
            let offset = at;
            if at >= end {
                return Piece { offset, end: Some(Ok(())) };
            }
            pfh_source::fail_point("receive");
            // Pieces end where leaves do.
            let border = (at / leaf * leaf).saturating_add(self.piece as u64).min(end);
            let came = open.fill(bytes, (border - at) as usize, &|| self.goes_on());
            at += bytes.len() as u64;
            let end = match came {
                Came::All => None,
                Came::Ended => Some(Ok(())),
                Came::Stopped => Some(Err(Stop::Asked)),
                Came::Failed(problem) => Some(Err(Stop::One(Failure::Read { file: open.name.clone(), problem }))),
            };
            Piece { offset, end }
        };
        relay(helpers, read, |offset, bytes| {
            let _alarm = Alarm(self);
            let placed = self.place(&from, offset, bytes);
            match placed {
                Ok(()) => _ = say.send(Ok(News::Bytes(bytes.len() as u64))),
                // The reader need not wait for its sender.
                Err(Stop::All(_)) => self.stop.store(true, Ordering::Relaxed),
                Err(_) => {}
            }
            placed
        })?;
        let mut bytes = Vec::new();
        // One that states no end must end where the file does.
        if open.known.is_none() && at == end {
            match open.fill(&mut bytes, 1, &|| self.goes_on()) {
                Came::All => {
                    let (file, offset, why) = (open.name, delivery.offset, PieceError::Beyond(length));
                    return Err(Problem::Piece { file, offset, why }.into());
                }
                Came::Failed(problem) => return Err(Stop::One(Failure::Read { file: open.name, problem })),
                Came::Ended => {}
                Came::Stopped => return Err(Stop::Asked),
            }
        }
        let file = open.name.clone();
        open.close().map_err(|problem| Stop::One(Failure::Read { file, problem }))
    }

    /// Takes in bytes: those that are new are written and hashed, others are compared with the
    /// bytes that are there.
    fn place(&self, from: &Path, offset: u64, bytes: &[u8]) -> Result<(), Stop> {
        let whole = offset..offset + bytes.len() as u64;
        let mut arrivals = self.arrivals();
        let (kind, length) = (arrivals.kind(), arrivals.length());
        let mut claims = loop {
            match arrivals.claim(whole.clone()) {
                Some(stretches) => break stretches,
                // Another delivery brings some of the same bytes just now.
                None => arrivals = self.freed.wait(arrivals).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(arrivals);
        claims.reverse();
        let mut claims = Claims(self, claims);
        while let Some(Stretch { range, came }) = claims.1.last().cloned() {
            let part = &bytes[(range.start - offset) as usize..(range.end - offset) as usize];
            if came {
                self.compare(from, range, part)?;
            } else {
                self.target.write(part, range.start)?;
                let values = kind.values(length, range.start, part, &pfh_engine::executor(1));
                let complete = self.arrivals().place(range, values);
                complete.into_iter().try_for_each(|leaf| self.settle(leaf))?;
            }
            claims.1.pop();
        }
        Ok(())
    }

    /// Compares bytes with those that came before.
    fn compare(&self, from: &Path, range: Range<u64>, bytes: &[u8]) -> Result<(), Stop> {
        const ROOM: usize = 256 << 10;
        let mut there = Vec::with_capacity(ROOM);
        for (start, part) in (range.start..).step_by(ROOM).zip(bytes.chunks(ROOM)) {
            there.clear();
            self.target.read(start..start + part.len() as u64, &mut there)?;
            if let Some(at) = part.iter().zip(&there).position(|(one, other)| one != other) {
                return Err(Problem::Conflict { from: from.to_owned(), offset: start + at as u64 }.into());
            }
        }
        Ok(())
    }

    /// Reads back a leaf that came in parts, and gives it its value.
    pub fn settle(&self, leaf: u64) -> Result<(), Error> {
        let range = self.arrivals().range(leaf);
        let mut bytes = Vec::new();
        self.target.read(range, &mut bytes)?;
        let settled = self.arrivals().settle(leaf, &bytes);
        settled.map_err(|offset| Problem::Altered { path: self.target.path().to_owned(), offset }.into())
    }

    /// Writes the receipt of all that has come; `is_sound` says that every sender ended well.
    pub fn note(&self, is_sound: bool) -> Result<(), Failure> {
        let arrivals = self.arrivals();
        // A receipt of the whole file ends the transfer: until all senders have ended, one may
        // still bring other bytes, or more.
        let receipt = if is_sound { arrivals.receipt() } else { arrivals.receipt_before_the_end() };
        drop(arrivals);
        // The receipt states nothing that a power cut could take.
        self.target.sync()?;
        self.target.names().note(&receipt)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::All(error)
    }
}
