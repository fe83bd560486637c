//! An entry inside a container: opened when its turn comes, and no digest if the container changed
//! meanwhile.

use super::ahead::{self, Ahead};
use super::clock::{Clock, TimedReader};
use super::decoders::{Decoders, Room};
use super::detect::START;
use super::medium::{SpooledMedium, Watch};
use super::shelf::{Buffer, Shelf, fill};
use super::spool::{Spool, Stock};
use crate::about::extent;
use crate::limit::finding;
use pfh_source::{Cause, CopiedReader, Extent, Inside, Lender, Loan, Object, Problem, Stage};
use pfh_volume::{Bytes, Content, Failure};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type MemberReader = Box<dyn Read + Send>;

/// Content of this size in bytes or less is decoded whole when it is begun ahead.
pub const SMALL: u64 = 1 << 20;

/// A content whose first bytes were read, and the reader of the rest.
pub struct StartedContent {
    start: Loan,
    reader: Box<dyn Lender>,
}

impl Read for StartedContent {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.start.is_empty() {
            return self.reader.read(buffer);
        }
        let part = self.start.take(buffer.len());
        buffer[..part.len()].copy_from_slice(&part);
        Ok(part.len())
    }
}

impl Lender for StartedContent {
    fn lend(&mut self, most: usize) -> Option<Loan> {
        if self.start.is_empty() { self.reader.lend(most) } else { Some(self.start.take(most)) }
    }
}

/// A content that is held whole.
struct HeldContent(Loan);

impl Bytes for HeldContent {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let got = left.len().min(buffer.len());
        buffer[..got].copy_from_slice(&left[..got]);
        Ok(got)
    }
}

/// Contents that were begun together, and the memory that they take.
struct Together(Buffer, #[expect(dead_code, reason = "held")] Vec<Room>);

impl AsRef<[u8]> for Together {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Where a member lies: on which medium of the run, at which offset in bytes, and on which device
/// (`st_dev`) that is.
#[derive(Debug, Clone, Copy)]
pub struct Lying {
    /// The number of the medium.
    pub medium: u64,
    /// The offset of the first byte on it, in bytes.
    pub offset: u64,
    /// The device.
    pub device: Option<u64>,
}

/// The state of the content so far.
enum State {
    /// Nothing: it is opened when it is asked for.
    Closed,
    /// Its first bytes were looked at.
    Begun(StartedContent),
    /// It is being read, up to here: a stream that others share.
    Flowing { reader: MemberReader, at: u64 },
    /// It was unpacked from here on.
    Kept { spool: Arc<Spool>, from: u64 },
    /// It could not be unpacked.
    Failed(Problem),
}

/// A file inside a container.
pub struct Member {
    content: Arc<dyn Content>,
    size: Option<u64>,
    inside: Arc<Inside>,
    watch: Arc<Watch>,
    stock: Arc<Stock>,
    clock: Arc<Clock>,
    /// Where it lies, if members are read in the order of that.
    lying: Option<Lying>,
    /// Who decodes a long content, if others than its reader do.
    decoders: Option<Arc<Decoders>>,
    state: Mutex<State>,
}

/// The pipeline's problem for a failure inside a container.
pub fn problem(stage: Stage, failure: &Failure) -> Problem {
    Problem::new(stage, Cause::Inside(finding(failure), failure.to_string().into()))
}

/// The same for an error of a read.
fn read_problem(error: &io::Error) -> Option<Problem> {
    let inner = error.get_ref()?;
    if let Some(problem) = inner.downcast_ref::<Problem>() {
        return Some(problem.clone());
    }
    inner.downcast_ref::<Failure>().map(|failure| problem(Stage::Read, failure))
}

fn open(content: &Arc<dyn Content>, clock: &Arc<Clock>) -> Result<MemberReader, Problem> {
    clock.check()?;
    let opened = clock.during(|| content.open()).map_err(|failure| problem(Stage::Open, &failure))?;
    Ok(Box::new(TimedReader { reader: opened, clock: clock.clone() }))
}

/// Reads the first bytes of a content, at most `length`; `None` if it cannot be read, which the
/// later read of it reports.
pub fn begin(content: &Arc<dyn Content>, clock: &Arc<Clock>, length: usize) -> Option<StartedContent> {
    let mut reader = open(content, clock).ok()?;
    let mut start = Vec::with_capacity(length);
    (&mut reader).take(length as u64).read_to_end(&mut start).ok()?;
    let range = 0..start.len();
    Some(StartedContent { start: Loan::new(Arc::new(start), range), reader: Box::new(CopiedReader(reader)) })
}

/// A content to be begun with others: its size, and memory for the bytes of it that are held.
pub struct StartRequest {
    /// The content.
    pub content: Arc<dyn Content>,
    /// Its size in bytes, if that is stated.
    pub size: Option<u64>,
    /// The memory.
    pub room: Room,
}

impl StartRequest {
    /// Bytes that are held of a content of this size.
    pub fn held(size: Option<u64>) -> u64 {
        size.filter(|size| *size <= SMALL).unwrap_or(START as u64)
    }

    /// Bytes that are read of it: one more than it has shows that it ends.
    fn most(&self) -> usize {
        StartRequest::held(self.size) as usize + usize::from(self.is_small())
    }

    fn is_small(&self) -> bool {
        self.size.is_some_and(|size| size <= SMALL)
    }
}

/// Reads small contents whole, and the first bytes of others; `None` as for [`begin`].
pub fn begin_together(asked: Vec<StartRequest>, clock: &Arc<Clock>, shelf: &Arc<Shelf>) -> Vec<Option<StartedContent>> {
    let mut buffer = shelf.take(asked.iter().map(StartRequest::most).sum());
    let (mut parts, mut at) = (Vec::with_capacity(asked.len()), 0);
    for one in &asked {
        let into = buffer.bytes_mut().get_mut(at..at + one.most()).unwrap_or_default();
        let mut got = 0;
        let read = open(&one.content, clock).ok().and_then(|mut reader| {
            fill(&mut reader, into, &mut got).ok()?;
            Some(reader)
        });
        parts.push(read.map(|reader| {
            let range = at..at + got;
            at += got;
            // Where it has ended, the decoder's memory is given back.
            let is_whole = one.is_small() && got < one.most();
            (range, if is_whole { Box::new(io::empty()) as MemberReader } else { reader })
        }));
    }
    let of = Arc::new(Together(buffer, asked.into_iter().map(|one| one.room).collect()));
    let begun = |(range, reader)| StartedContent {
        start: Loan::new(of.clone(), range),
        reader: Box::new(CopiedReader(reader)),
    };
    parts.into_iter().map(|part| part.map(begun)).collect()
}

impl Member {
    /// A file that is still closed.
    pub fn new(
        content: Arc<dyn Content>,
        size: Option<u64>,
        inside: Inside,
        watch: Arc<Watch>,
        stock: Arc<Stock>,
        clock: Arc<Clock>,
    ) -> Member {
        let (state, lying, decoders) = (Mutex::new(State::Closed), None, None);
        Member { content, size, inside: Arc::new(inside), watch, stock, clock, lying, decoders, state }
    }

    /// It lies here, and this much of it was read already.
    pub fn swept(self, lying: Lying, begun: Option<StartedContent>) -> Member {
        let state = Mutex::new(begun.map_or(State::Closed, State::Begun));
        Member { lying: Some(lying), state, ..self }
    }

    /// This much of it was read already, and these decode the rest if that is long.
    pub fn ahead(self, decoders: Arc<Decoders>, begun: Option<StartedContent>) -> Member {
        let state = Mutex::new(begun.map_or(State::Closed, State::Begun));
        Member { decoders: Some(decoders), state, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_content(&self) -> Result<MemberReader, Problem> {
        open(&self.content, &self.clock)
    }

    /// The content from an offset on by several threads, if that is worth it and can be done.
    fn open_ahead(&self, offset: u64) -> Result<Option<Box<dyn Lender>>, Problem> {
        let (Some(decoders), Some(size)) = (&self.decoders, self.size) else { return Ok(None) };
        if !ahead::is_long(size) || offset >= size {
            return Ok(None);
        }
        self.clock.check()?;
        let opened = self.clock.during(|| Ahead::open(&self.content, (offset, size), &self.clock, decoders));
        let opened = opened.map_err(|failure| problem(Stage::Open, &failure))?;
        Ok(opened.map(|ahead| Box::new(ahead) as Box<dyn Lender>))
    }

    /// Its first bytes, at most `length`; fewer only if it has no more, or cannot be read.
    pub fn start(&self, length: usize) -> Vec<u8> {
        let mut state = self.state();
        if !matches!(*state, State::Begun(_)) {
            let Some(begun) = begin(&self.content, &self.clock, length) else { return Vec::new() };
            *state = State::Begun(begun);
        }
        let State::Begun(StartedContent { start, .. }) = &*state else { return Vec::new() };
        start[..start.len().min(length)].to_vec()
    }

    /// All of it at any position, if it was read whole when it was begun: it need not be decoded
    /// once more.
    pub fn whole(&self) -> Option<Arc<dyn Bytes>> {
        match &*self.state() {
            State::Begun(StartedContent { start, .. }) if Some(start.len() as u64) == self.size => {
                Some(Arc::new(HeldContent(start.clone())))
            }
            _ => None,
        }
    }

    /// All of it at any position, unpacked once for this and for its own digest; `None` if that is
    /// more than `most` bytes.
    ///
    /// # Errors
    /// The problem that keeps it from being read whole.
    pub fn unpack(&self, most: u64) -> Result<Option<Arc<dyn Bytes>>, Problem> {
        let opened: MemberReader = match std::mem::replace(&mut *self.state(), State::Closed) {
            State::Begun(begun) => Box::new(begun),
            _ => self.open_content()?,
        };
        match Spool::fill(&self.stock, opened, most) {
            Ok(Some(spool)) => {
                let spool = Arc::new(spool);
                *self.state() = State::Kept { spool: spool.clone(), from: 0 };
                Ok(Some(Arc::new(SpooledMedium(spool))))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                let problem = read_problem(&error).unwrap_or_else(|| Problem::io(Stage::Read, &error));
                *self.state() = State::Failed(problem.clone());
                Err(problem)
            }
        }
    }

    /// Unpacks the rest of it, because the stream that it shares with others goes on. Nothing for a
    /// file that nobody waits for, or of its own.
    pub fn secure(self: &Arc<Self>) {
        if !self.content.is_shared() || Arc::strong_count(self) == 1 {
            return;
        }
        let mut state = self.state();
        let (opened, from): (MemberReader, u64) = match std::mem::replace(&mut *state, State::Closed) {
            State::Begun(begun) => (Box::new(begun), 0),
            State::Flowing { reader, at } => (reader, at),
            State::Closed => match self.open_content() {
                Ok(reader) => (reader, 0),
                Err(problem) => {
                    *state = State::Failed(problem);
                    return;
                }
            },
            other => {
                *state = other;
                return;
            }
        };
        *state = match Spool::fill(&self.stock, opened, u64::MAX) {
            Ok(Some(spool)) => State::Kept { spool: Arc::new(spool), from },
            Ok(None) => State::Closed,
            Err(error) => State::Failed(read_problem(&error).unwrap_or_else(|| Problem::io(Stage::Read, &error))),
        };
    }

    /// Reads at `at` of a content that is shared, wherever it is now.
    fn read_shared(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state();
        if matches!(*state, State::Closed) {
            let reader = self.open_content().map_err(io::Error::other)?;
            *state = State::Flowing { reader, at: 0 };
        }
        if matches!(*state, State::Begun(_))
            && let State::Begun(begun) = std::mem::replace(&mut *state, State::Closed)
        {
            *state = State::Flowing { reader: Box::new(begun), at: 0 };
        }
        match &mut *state {
            State::Kept { spool, from } if *from <= at => spool.read_at(at - *from, buffer),
            State::Flowing { reader, at: stands } if *stands == at => {
                let got = reader.read(buffer)?;
                *stands += got as u64;
                Ok(got)
            }
            State::Failed(problem) => Err(io::Error::other(problem.clone())),
            // It was opened before, and is read again from its start.
            _ => {
                let mut reader = self.open_content().map_err(io::Error::other)?;
                io::copy(&mut (&mut reader).take(at), &mut io::sink())?;
                let got = reader.read(buffer)?;
                *state = State::Flowing { reader, at: at + got as u64 };
                Ok(got)
            }
        }
    }
}

/// The member as the pipeline reads it.
pub struct Entry(pub Arc<Member>);

impl Object for Entry {
    fn open(&self) -> Result<MemberReader, Problem> {
        self.lender().map(|reader| Box::new(reader) as MemberReader)
    }

    fn lender(&self) -> Result<Box<dyn Lender>, Problem> {
        let member = &self.0;
        let reader: Box<dyn Lender> = if member.content.is_shared() {
            Box::new(CopiedReader(SharedReader { member: member.clone(), at: 0 }))
        } else {
            let mut state = member.state();
            match std::mem::replace(&mut *state, State::Closed) {
                State::Begun(mut begun) => {
                    if let Some(ahead) = member.open_ahead(begun.start.len() as u64)? {
                        begun.reader = ahead;
                    }
                    Box::new(begun)
                }
                State::Kept { spool, from: 0 } => {
                    *state = State::Kept { spool: spool.clone(), from: 0 };
                    Box::new(CopiedReader(SpoolReader { spool, at: 0 }))
                }
                State::Failed(problem) => {
                    *state = State::Failed(problem.clone());
                    return Err(problem);
                }
                _ => match member.open_ahead(0)? {
                    Some(ahead) => ahead,
                    None => Box::new(CopiedReader(member.open_content()?)),
                },
            }
        };
        Ok(Box::new(WatchedReader { reader, watch: member.watch.clone() }))
    }

    fn stored(&self) -> Result<Option<MemberReader>, Problem> {
        let member = &self.0;
        member.clock.check()?;
        let opened = member.clock.during(|| member.content.stored());
        let reader = opened.map_err(|failure| problem(Stage::Open, &failure))?;
        let watched = |reader| {
            let reader = Box::new(CopiedReader(TimedReader { reader, clock: member.clock.clone() }));
            Box::new(WatchedReader { reader, watch: member.watch.clone() }) as MemberReader
        };
        Ok(reader.map(watched))
    }

    fn size_hint(&self) -> Option<u64> {
        self.0.size
    }

    fn runs(&self) -> Option<Vec<Extent>> {
        self.0.content.runs().map(|runs| runs.into_iter().map(extent).collect())
    }

    fn inside(&self) -> Option<Arc<Inside>> {
        Some(self.0.inside.clone())
    }

    fn place(&self) -> Option<(u64, u64)> {
        self.0.lying.map(|lying| (lying.medium, lying.offset))
    }

    fn device(&self) -> Option<u64> {
        self.0.lying.and_then(|lying| lying.device)
    }
}

struct SharedReader {
    member: Arc<Member>,
    at: u64,
}

impl Read for SharedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.member.read_shared(self.at, buffer)?;
        self.at += got as u64;
        Ok(got)
    }
}

struct SpoolReader {
    spool: Arc<Spool>,
    at: u64,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.spool.read_at(self.at, buffer)?;
        self.at += got as u64;
        Ok(got)
    }
}

/// A read that ends well only if the container is still unchanged.
struct WatchedReader {
    reader: Box<dyn Lender>,
    watch: Arc<Watch>,
}

impl Lender for WatchedReader {
    fn lend(&mut self, most: usize) -> Option<Loan> {
        self.reader.lend(most)
    }
}

impl Read for WatchedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.reader.read(buffer) {
            Ok(0) if !buffer.is_empty() => self.watch.unchanged().map(|()| 0).map_err(io::Error::other),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                // A container that is written to may well contradict itself.
                self.watch.unchanged().map_err(io::Error::other)?;
                Err(read_problem(&error).map_or(error, io::Error::other))
            }
            other => other,
        }
    }
}
