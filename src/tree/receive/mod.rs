//! `receive`: a file comes in parts, from several senders at once and in any order; its tree is
//! there with its last byte.
//!
//! ```
//! use pfh::{Control, tree::{Event, build, receive::{self, Delivery, Request, Sender}}};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-tree-receive-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! std::fs::write(room.join("front"), vec![7; 60_000])?;
//! std::fs::write(room.join("back"), vec![8; 40_000])?;
//! let from = |name, offset| Delivery::new(Sender::File(room.join(name)), offset, None);
//! let request = Request::new(room.join("disk"), [from("back", 60_000), from("front", 0)]);
//! let received = receive::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! build::run(&build::Request::file(room.join("disk")), &mut |event| {
//!     if let Event::Done(built) = event {
//!         assert_eq!(built.root, received.root);
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod delivery;
mod intake;
mod relay;
mod target;

pub use delivery::{Delivery, Sender};

use super::{Algorithm, Error, Event, Events, Failure, Parameters, Problem, Secret, Shape, Summary, TreeWork};
use super::{beside, build, lock, pass};
use crate::outputs::{Existing, Kind, Outputs};
use delivery::{Open, is_stream};
use intake::{Intake, News};
use pfh_engine::Control;
use pfh_outboard::{self as outboard, LONGEST, Pass};
use pfh_source::os;
use pfh_tree::outboard::PieceError;
use pfh_tree::{Arrivals, Grown, NoTree, TreeKind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use target::{Names, Target};

/// Memory of all deliveries, unless stated: 64 MiB.
pub const DEFAULT_MEMORY: usize = 64 << 20;
/// Bytes of a piece of a delivery, if a leaf is not longer: it is read, written and hashed while it
/// is in the second-level cache.
const PIECE: usize = 512 << 10;
/// Bytes of a file that are read back in one go.
const BACK: u64 = 4 << 20;
/// Bytes between two receipts, unless stated; of a long file a part of it.
const EVERY: u64 = 256 << 20;

/// The file, and who sends its parts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The parts. They may overlap where their bytes are the same.
    pub deliveries: Vec<Delivery>,
    /// The file that they make. It has this name when it is whole; until then it is `FILE.partial`,
    /// and `FILE.receipt` states the ranges that have come.
    pub file: PathBuf,
    /// Its tree: beside it.
    pub tree: PathBuf,
    /// Bytes of the file: to the end of the last part, if all of them have a known end.
    pub length: Option<u64>,
    /// Function and leaf length, as for [`build`].
    pub parameters: Parameters,
    /// A tree hash instead, as for [`build`].
    pub mode: Option<Algorithm>,
    /// The file of the key, which no output replaces.
    pub secret: Option<Secret>,
    /// Threads that hash: one per processor; each part has at least one.
    pub threads: usize,
    /// Bytes of memory for parts on their way.
    pub memory: usize,
    /// Bytes that come between two receipts. After the end of the program at any instant these come
    /// again, and those that came while the last one was written. 256 MiB, or a 32nd of the file.
    pub every: Option<u64>,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The file has its tree beside it.
    pub fn new(file: impl Into<PathBuf>, deliveries: impl IntoIterator<Item = Delivery>) -> Request {
        let file = file.into();
        let (tree, deliveries) = (beside(&file), deliveries.into_iter().collect());
        let build::Request { parameters, threads, .. } = build::Request::file(&file);
        let (length, mode, secret, every) = (None, None, None, None);
        let (memory, replace) = (DEFAULT_MEMORY, false);
        Request { deliveries, file, tree, length, parameters, mode, secret, threads, memory, every, replace }
    }

    /// A tree by the algorithm of this name, as for
    /// [`build`](build::Request::algorithm).
    ///
    /// # Errors
    /// As there.
    pub fn algorithm(self, name: &str, leaf: Option<usize>, secret: Option<&Secret>) -> Result<Request, Error> {
        let built = build::Request::file(&self.file).algorithm(name, leaf, secret)?;
        Ok(Request { parameters: built.parameters, mode: built.mode, secret: built.secret, ..self })
    }

    /// Inputs and outputs. The receipt and the partial file of an earlier run are the job's own.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        outputs.reads_apart(self.deliveries.iter().filter_map(|delivery| delivery.sender.path()));
        Names::of(&self.file).guard(&mut outputs);
        outputs.writes_after("outboard", &self.tree, &self.file, Kind::File, super::OWN);
        outputs
    }

    /// Whether the request makes sense, and the outputs can be written: nothing that is read is in
    /// their way.
    ///
    /// # Errors
    /// When it makes none, or an output is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.kind()?;
        self.outputs().check()?;
        self.streams()?;
        let length = self.whole()?;
        self.pieces()?;
        if self.kind()?.longest_receipt(length) > LONGEST {
            return Err(Problem::Endless.into());
        }
        Ok(())
    }

    fn kind(&self) -> Result<TreeKind, Error> {
        Ok(match self.mode {
            None => TreeKind::Pairs(self.parameters),
            Some(mode) => {
                TreeKind::Flat(Shape::of(mode.into()).ok_or_else(|| build::no_tree(mode.into())).map_err(Error::from)?)
            }
        })
    }

    /// A FIFO that is named twice has two readers, and each gets some of its bytes.
    fn streams(&self) -> Result<(), Error> {
        let mut seen: Vec<((u64, u128), PathBuf)> = Vec::new();
        let streams = self.deliveries.iter().filter_map(|delivery| delivery.sender.path());
        for path in streams.filter(|path| is_stream(path) && pfh_source::Stream::of(path).is_none()) {
            let Ok((found, _)) = os::stat_path(path) else { continue };
            if let Some((_, other)) = seen.iter().find(|(identity, _)| *identity == found.identity()) {
                return Err(Problem::SameStream { one: other.clone(), other: path.to_owned() }.into());
            }
            seen.push((found.identity(), path.to_owned()));
        }
        Ok(())
    }

    /// Bytes of the whole file.
    fn whole(&self) -> Result<u64, Error> {
        let mut end = 0;
        for delivery in &self.deliveries {
            let name = || delivery.sender.name();
            let known = match (delivery.known(), self.length) {
                // Where nothing is missing it is not opened.
                (Err(_), Some(_)) => None,
                (known, _) => known?,
            };
            match (known, self.length) {
                (None, None) => return Err(Problem::Unending(name()).into()),
                (known, length) => {
                    let until = delivery.offset.checked_add(known.unwrap_or(0));
                    let fits = until.filter(|until| length.is_none_or(|length| *until <= length));
                    let Some(until) = fits else {
                        let why = PieceError::Beyond(length.unwrap_or(u64::MAX));
                        return Err(Problem::Piece { file: name(), offset: delivery.offset, why }.into());
                    };
                    end = end.max(until);
                }
            }
        }
        Ok(self.length.unwrap_or(end))
    }

    /// Pieces that a delivery has room for, two at least, and the bytes of one: whole leaves.
    fn pieces(&self) -> Result<(usize, usize), Error> {
        let (leaf, count) = (self.kind()?.leaf(), self.deliveries.len().max(1));
        let room = self.memory / count;
        let most = (room / 2).min(PIECE.max(leaf));
        match most / leaf * leaf {
            0 => Err(Problem::Memory { deliveries: count, needed: 2 * leaf * count }.into()),
            piece => Ok((room / piece, piece)),
        }
    }
}

/// Receives the file. The bytes that came are kept in any case, and another run with the same file
/// goes on: it reads them back and compares them.
///
/// # Errors
/// When the request makes no sense; two parts state different bytes of one place; the bytes that
/// came before are not there any more; some of the file does not come, or cannot be read; a file
/// cannot be written; also when the control is cancelled.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let (kind, length, names) = (request.kind()?, request.whole()?, Names::of(&request.file));
    let noted = names.arrivals(kind, length)?;
    let complete = length > 0 && noted.as_ref().is_some_and(Arrivals::is_complete);
    if !complete && names.is_placed() {
        // The receipt is not of the file that is there.
        let mut outputs = Outputs::new(request.replace);
        outputs.writes("output", &names.file, Kind::File, Existing::Refused).check()?;
    }
    let deliveries: Vec<(Delivery, Open)> = match complete {
        // Its last byte came before: nobody need send anything again.
        true => Vec::new(),
        false => {
            let open = |delivery: &Delivery| Ok((delivery.clone(), delivery.open()?));
            request.deliveries.iter().map(open).collect::<Result<_, Failure>>()?
        }
    };
    for (_, open) in &deliveries {
        if let Some(address) = open.address() {
            events(Event::Listening(address)).map_err(Error::Sink)?;
        }
    }
    if noted.is_none() {
        // Before the first byte: a partial file without a receipt would be somebody else's.
        names.note(&Arrivals::new(kind, length).receipt())?;
    }
    let arrivals = noted.unwrap_or_else(|| Arrivals::new(kind, length));
    let target = Target::open(names, &arrivals)?;
    let done = pass(request.threads, control, |pass| received(request, arrivals, target, deliveries, pass, events));
    let summary = done.map_err(|error| match error.find() {
        Some(Failure::Cancelled) => Problem::Interrupted(request.file.clone()).into(),
        _ => error,
    })?;
    events(Event::Done(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn received(
    request: &Request,
    arrivals: Arrivals,
    target: Target,
    deliveries: Vec<(Delivery, Open)>,
    pass: &mut Pass<'_>,
    events: &mut Events<'_>,
) -> Result<Summary, Error> {
    let executor = pfh_engine::executor(pass.threads);
    let (before, length) = (arrivals.bytes(), arrivals.length());
    read_back(&arrivals, &target, pass, &executor)?;
    let every = request.every.unwrap_or(EVERY.max(length / 32)).max(1);
    let unsettled = arrivals.unsettled();
    let intake = Intake::new(&target, arrivals, request.pieces()?, every, pass.cancel);
    unsettled.into_iter().try_for_each(|leaf| intake.settle(leaf))?;
    let (mut done, mut failed) = (0, 0);
    let took = intake.take(deliveries, pass.threads, &mut |news| {
        match news {
            News::Bytes(bytes) => {
                done += bytes;
                (pass.progress)(done, length - before.min(length));
            }
            News::Failed(failure) => {
                failed += 1;
                events(Event::Failed(&failure)).map_err(Error::Sink)?;
            }
        }
        Ok(())
    });
    // The bytes that came are kept in any case; the first error is the one that is reported.
    let noted = intake.note(took.is_ok() && failed == 0);
    took?;
    noted?;
    let arrivals = intake.arrivals.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !arrivals.is_complete() {
        return Err(Problem::Awaited { file: request.file.clone(), missing: arrivals.missing() }.into());
    }
    if failed > 0 {
        return Err(Problem::Doubtful { file: request.file.clone(), failed }.into());
    }
    if pass.cancel.load(Ordering::Relaxed) {
        return Err(Failure::Cancelled.into());
    }
    let cancel = pass.cancel;
    let mut read = |range, bytes: &mut Vec<u8>| match cancel.load(Ordering::Relaxed) {
        true => Err(Failure::Cancelled),
        false => target.read(range, bytes),
    };
    let tree = arrivals.tree(&mut read, &executor).map_err(|why| match why {
        NoTree::Read(failure) => Error::from(failure),
        NoTree::Altered(offset) => Problem::Altered { path: target.path().to_owned(), offset }.into(),
    })?;
    drop(arrivals);
    let locked = lock(&request.tree, pass)?;
    let done = TreeWork::Received { before };
    let summary = match &tree {
        Grown::Pairs(tree) => {
            outboard::store(tree, &request.tree, locked)?;
            Summary::new(&request.file, &tree.header(), done)
        }
        Grown::Flat(tree) => {
            outboard::store_flat(tree, &request.tree, locked)?;
            Summary::flat(&request.file, tree, done)
        }
    };
    target.place(request.replace)?;
    Ok(summary)
}

/// Reads back what came before and compares it with its notes.
fn read_back(
    arrivals: &Arrivals,
    target: &Target,
    pass: &mut Pass<'_>,
    executor: &dyn pfh_digest::Executor,
) -> Result<(), Error> {
    let (all, mut done) = (arrivals.bytes(), 0);
    let leaf = arrivals.kind().leaf() as u64;
    let step = BACK / leaf * leaf;
    let mut bytes = Vec::new();
    for range in arrivals.noted() {
        for start in range.clone().step_by(step.max(leaf) as usize) {
            if pass.cancel.load(Ordering::Relaxed) {
                return Err(Failure::Cancelled.into());
            }
            bytes.clear();
            let part = start..range.end.min(start + step.max(leaf));
            target.read(part.clone(), &mut bytes)?;
            let altered = |offset| Problem::Altered { path: target.path().to_owned(), offset };
            arrivals.compare(start, &bytes, executor).map_err(altered)?;
            done += part.end - part.start;
            (pass.progress)(done, all);
        }
    }
    Ok(())
}
