//! Reading a medium that fails: exactly the unreadable sectors are lost, and each is reported.
//!
//! A read that fails is repeated sector by sector, from the front up to the first sector that
//! fails, then from behind down to the last, then between (ddrescue's trimming and scraping, within
//! one block). So there is one failing read per block and one (and its retries) per bad sector;
//! halving would cost eleven for the first sector of a MiB alone, each a timeout of the device.

use super::medium::{Kind, Medium};
use super::skips::Skips;
use crate::os::Errno;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The bytes in the place of unreadable ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// Zeros.
    Zeros,
    /// These bytes, over and over. The byte at offset o of the medium is filled with the pattern's
    /// byte o mod its length, so that the image does not depend on how runs and blocks are cut.
    Pattern(Vec<u8>),
    /// None: the image goes on with the next readable bytes, and is shorter by the missing ones.
    Omitted,
}

/// How much trouble is taken, and how much is too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorPolicy {
    /// How often an unreadable sector is tried again.
    pub retries: u32,
    /// The bytes in the place of unreadable sectors.
    pub fill: Fill,
    /// Stop when more sectors than this are unreadable.
    pub most_errors: Option<u64>,
    /// A read that takes longer is slow …
    pub slow: Duration,
    /// … and that many slow reads end the acquisition, before a dying disk is dead.
    pub most_slow: Option<u64>,
    /// After that many unreadable sectors in a row the zone is passed over, with skips that double;
    /// the sectors of the zone are [`Loss::NotTried`]. `None`: every sector is tried.
    pub skip_after: Option<u64>,
}

impl Default for ErrorPolicy {
    fn default() -> Self {
        ErrorPolicy {
            retries: 0,
            fill: Fill::Zeros,
            most_errors: None,
            slow: Duration::from_secs(5),
            most_slow: None,
            skip_after: None,
        }
    }
}

/// A run of unreadable bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bad {
    /// Where it starts, in bytes from the start of the medium.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// The number of the system's error.
    pub errno: i32,
    /// How it is known to be lost.
    pub loss: Loss,
}

impl Bad {
    /// Why the bytes are not the medium's, in words.
    pub fn cause(&self) -> String {
        let errno = std::io::Error::from_raw_os_error(self.errno);
        match self.loss {
            Loss::Unreadable => errno.to_string(),
            Loss::NotTried => format!("not tried, in a zone of unreadable sectors: {errno}"),
            Loss::Recorded => "filled in when the source image was made, by its list of errors".to_owned(),
        }
    }
}

/// How bytes of the medium came to be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loss {
    /// Every read of them failed.
    Unreadable,
    /// They were passed over, in a zone of unreadable sectors, and not tried one by one.
    NotTried,
    /// The source is an image whose own list of errors says that they were filled in when it was
    /// made.
    Recorded,
}

/// Why reading ends early. The bytes before are good, and the acquisition can be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The device is gone.
    Gone {
        /// At which offset that was noticed.
        offset: u64,
        /// The number of the system's error.
        errno: i32,
    },
    /// The device fails where it could be read before.
    Dead {
        /// At which offset that was noticed.
        offset: u64,
        /// The number of the system's error.
        errno: i32,
    },
    /// The medium ends before its size.
    Short {
        /// Where it ended.
        offset: u64,
        /// Its size when it was opened.
        size: u64,
    },
    /// More unreadable sectors than allowed; here is the next one.
    Errors {
        /// Where.
        offset: u64,
    },
    /// More slow reads than allowed.
    Slow {
        /// Where.
        offset: u64,
    },
    /// An error that says nothing about the medium (no memory, say).
    System {
        /// Where.
        offset: u64,
        /// The number of the system's error.
        errno: i32,
    },
    /// A stream ended before its first byte: the program that was to write to it has failed, or is
    /// the wrong one.
    Empty,
    /// It was asked for.
    Cancelled,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = |errno: &i32| crate::problem::Cause::Os(*errno).to_string();
        match self {
            Stop::Gone { offset, errno } => write!(f, "the device is gone, at offset {offset}: {}", named(errno)),
            Stop::Dead { offset, errno } => write!(
                f,
                "the device is dead, at offset {offset}: sectors that could be read before fail as well: {}",
                named(errno)
            ),
            Stop::Short { offset, size } => write!(f, "the medium ends at offset {offset}, its size was {size}"),
            Stop::Errors { offset } => write!(f, "more unreadable sectors than allowed, at offset {offset}"),
            Stop::Slow { offset } => write!(f, "more slow reads than allowed, at offset {offset}"),
            Stop::System { offset, errno } => write!(f, "read at offset {offset}: {}", named(errno)),
            Stop::Empty => write!(f, "the source ended before its first byte"),
            Stop::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl std::error::Error for Stop {}

/// Reads past the page cache are aligned to this.
const PAGE: usize = 4096;

/// Reads a medium with policy.
pub struct Rescue<'a> {
    medium: &'a Medium,
    policy: ErrorPolicy,
    skips: Arc<Skips>,
    ended: Option<Arc<AtomicBool>>,
    bad_sectors: u64,
    slow: u64,
    retried: u64,
    reads: u64,
}

fn says_bad_sector(errno: Errno) -> bool {
    [Errno::IO, Errno::REMOTEIO, Errno::NODATA, Errno::ILSEQ, Errno::TIMEDOUT, Errno::UCLEAN, Errno::BADMSG]
        .contains(&errno)
}

fn says_gone(errno: Errno) -> bool {
    [Errno::NXIO, Errno::NODEV, Errno::NOMEDIUM, Errno::SHUTDOWN, Errno::STALE].contains(&errno)
}

impl<'a> Rescue<'a> {
    /// Reads `medium`.
    pub fn new(medium: &'a Medium, policy: ErrorPolicy) -> Self {
        let skips = Arc::new(Skips::new(medium, policy.skip_after));
        Self::beside(medium, policy, skips)
    }

    /// As [`new`](Rescue::new), where several threads read one medium: a zone that one of them
    /// passes over is passed over by all.
    pub fn beside(medium: &'a Medium, policy: ErrorPolicy, skips: Arc<Skips>) -> Self {
        Rescue { medium, policy, skips, ended: None, bad_sectors: 0, slow: 0, retried: 0, reads: 0 }
    }

    /// Waiting for a stream ends, with [`Stop::Cancelled`], when `ended` is set.
    #[must_use]
    pub fn until(self, ended: Arc<AtomicBool>) -> Self {
        Rescue { ended: Some(ended), ..self }
    }

    /// Waits for a stream that has nothing to read yet.
    fn wait(&self, offset: u64) -> Result<(), Stop> {
        while !self.is_ready(offset)? {
            if self.ended.as_ref().is_some_and(|ended| ended.load(Ordering::SeqCst)) {
                return Err(Stop::Cancelled);
            }
        }
        Ok(())
    }

    fn is_ready(&self, offset: u64) -> Result<bool, Stop> {
        let ready = self.medium.is_ready(Duration::from_millis(100));
        ready.map_err(|errno| Stop::System { offset, errno: errno.raw_os_error() })
    }

    /// Sectors that were read only on a second or later try.
    pub fn retried(&self) -> u64 {
        self.retried
    }

    /// How many times the medium was asked.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Fills `buffer` from `offset` on, the unreadable parts with the fill, and returns these.
    /// Streams may end: the number is how many bytes there were.
    ///
    /// # Errors
    /// When reading cannot go on; the contents of the buffer then mean nothing.
    pub fn read(&mut self, buffer: &mut [u8], offset: u64) -> Result<(usize, Vec<Bad>), Stop> {
        let (done, mut bad) = self.read_on(buffer, offset)?;
        self.add_recorded(offset, done as u64, &mut bad);
        Ok((done, bad))
    }

    /// Adds the ranges between `offset` and `offset + length` that the medium's own list of errors
    /// names and no read has found.
    fn add_recorded(&self, offset: u64, length: u64, bad: &mut Vec<Bad>) {
        let end = offset + length;
        let mut recorded = Vec::new();
        for (first, count) in self.medium.recorded() {
            let mut at = (*first).max(offset);
            let until = (first + count).min(end);
            // Runs that reads have found stay as they are.
            for run in bad.iter() {
                if run.offset >= until || run.offset + run.length <= at {
                    continue;
                }
                recorded.push((at, run.offset.max(at)));
                at = at.max(run.offset + run.length);
            }
            recorded.push((at, until));
        }
        let run =
            |(from, until): (u64, u64)| Bad { offset: from, length: until - from, errno: 5, loss: Loss::Recorded };
        bad.extend(recorded.into_iter().filter(|(from, until)| from < until).map(run));
        bad.sort_by_key(|run| run.offset);
    }

    fn read_on(&mut self, buffer: &mut [u8], offset: u64) -> Result<(usize, Vec<Bad>), Stop> {
        let mut done = 0;
        let mut bad = Vec::new();
        let end = offset + buffer.len() as u64;
        while done < buffer.len() {
            let at = offset + done as u64;
            if let Some((until, errno)) = self.skips.passes(at) {
                let until = until.min(end);
                self.pass_over(&mut buffer[done..(until - offset) as usize], at, errno, &mut bad);
                done = (until - offset) as usize;
                continue;
            }
            if self.skips.in_zone() {
                // One sector tells whether the zone ends here, at the price of one sector's
                // timeout.
                let until = ((at / self.size() + 1) * self.size()).min(end);
                match self.sector(buffer, offset, at, until)? {
                    None => done = (until - offset) as usize,
                    Some(errno) => self.skip(at, errno)?,
                }
                continue;
            }
            if self.medium.kind() == Kind::Stream {
                self.wait(at)?;
            }
            match self.attempt(&mut buffer[done..], offset + done as u64) {
                Ok(0) if self.medium.kind() == Kind::Stream => return Ok((done, bad)),
                Ok(0) => {
                    return Err(Stop::Short { offset: offset + done as u64, size: self.medium.size().unwrap_or(0) });
                }
                Ok(n) => {
                    self.skips.succeeded(at);
                    done += n;
                }
                Err(errno) if self.medium.kind() == Kind::Stream => {
                    // A stream cannot be read a second time, and nobody knows how much was lost.
                    return Err(Stop::System { offset: offset + done as u64, errno: errno.raw_os_error() });
                }
                Err(errno) => {
                    self.judge(errno, offset + done as u64)?;
                    let until = self.narrow(&mut buffer[done..], offset + done as u64, &mut bad)?;
                    done = (until - offset) as usize;
                }
            }
        }
        Ok((done, bad))
    }

    fn attempt(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        self.reads += 1;
        let from = Instant::now();
        let got = self.medium.read_at(buffer, offset);
        if from.elapsed() > self.policy.slow {
            self.slow += 1;
        }
        got
    }

    /// Whether an error is one of a sector.
    fn judge(&self, errno: Errno, offset: u64) -> Result<(), Stop> {
        let number = errno.raw_os_error();
        if self.policy.most_slow.is_some_and(|most| self.slow > most) {
            return Err(Stop::Slow { offset });
        }
        if says_gone(errno) || (says_bad_sector(errno) && !self.medium.is_there()) {
            return Err(Stop::Gone { offset, errno: number });
        }
        if says_bad_sector(errno) { Ok(()) } else { Err(Stop::System { offset, errno: number }) }
    }

    /// Bytes of a sector.
    fn size(&self) -> u64 {
        u64::from(self.medium.sector())
    }

    /// Passes over a zone from `at` on, unless the device is dead: it fails where it was read
    /// before.
    fn skip(&mut self, at: u64, errno: Errno) -> Result<(), Stop> {
        let mut room = vec![0; self.medium.sector() as usize + PAGE];
        let skew = room.as_ptr().align_offset(PAGE);
        let room = &mut room[skew..][..self.medium.sector() as usize];
        let known = self.skips.known_good();
        if !known.is_empty() && known.iter().all(|good| self.medium.read_at(room, *good).is_err()) {
            return Err(Stop::Dead { offset: at, errno: errno.raw_os_error() });
        }
        self.skips.skip(at, errno.raw_os_error());
        Ok(())
    }

    fn pass_over(&self, buffer: &mut [u8], at: u64, errno: i32, bad: &mut Vec<Bad>) {
        let length = buffer.len() as u64;
        match bad.last_mut() {
            Some(run) if run.offset + run.length == at && (run.errno, run.loss) == (errno, Loss::NotTried) => {
                run.length += length;
            }
            _ => bad.push(Bad { offset: at, length, errno, loss: Loss::NotTried }),
        }
        self.fill(buffer, at);
    }

    /// Sector by sector; `bad` gets the runs that stay unreadable, in order. Returns up to where:
    /// before the end where a zone is passed over.
    fn narrow(&mut self, buffer: &mut [u8], offset: u64, bad: &mut Vec<Bad>) -> Result<u64, Stop> {
        let sector = self.size();
        let end = offset + buffer.len() as u64;
        let next = |at: u64| (at / sector + 1) * sector;
        let (mut front, mut back) = (offset, end);
        while front < end && self.sector(buffer, offset, front, next(front).min(end))?.is_none() {
            front = next(front);
        }
        // Where the first unreadable sector ends it nothing behind that one is asked for.
        while back > front && self.policy.most_errors != Some(0) {
            let start = ((back - 1) / sector * sector).max(offset);
            // The one sector in question is the one that failed from the front.
            if start <= front || self.sector(buffer, offset, start, back)?.is_some() {
                break;
            }
            back = start;
        }
        let mut at = front;
        while at < back {
            let until = next(at).min(end);
            let mut failed = self.sector(buffer, offset, at, until)?;
            for _ in 0..self.policy.retries {
                if failed.is_none() {
                    break;
                }
                failed = self.sector(buffer, offset, at, until)?;
                self.retried += u64::from(failed.is_none());
            }
            if let Some(errno) = failed {
                self.bad_sectors += 1;
                if self.policy.most_errors.is_some_and(|most| self.bad_sectors > most) {
                    return Err(Stop::Errors { offset: at });
                }
                self.give_up(&mut buffer[(at - offset) as usize..(until - offset) as usize], at, errno, bad);
                if self.skips.failed() {
                    self.skip(until, errno)?;
                    return Ok(until);
                }
            }
            at = until;
        }
        Ok(end)
    }

    /// Reads `[from, to)`; `Some` says that it failed.
    fn sector(&mut self, buffer: &mut [u8], offset: u64, from: u64, to: u64) -> Result<Option<Errno>, Stop> {
        let mut at = from;
        while at < to {
            match self.attempt(&mut buffer[(at - offset) as usize..(to - offset) as usize], at) {
                Ok(0) => return Err(Stop::Short { offset: at, size: self.medium.size().unwrap_or(0) }),
                Ok(n) => {
                    self.skips.succeeded(at);
                    at += n as u64;
                }
                Err(errno) => {
                    self.judge(errno, at)?;
                    return Ok(Some(errno));
                }
            }
        }
        Ok(None)
    }

    fn give_up(&self, buffer: &mut [u8], at: u64, errno: Errno, bad: &mut Vec<Bad>) {
        let (length, errno) = (buffer.len() as u64, errno.raw_os_error());
        match bad.last_mut() {
            Some(run) if run.offset + run.length == at && (run.errno, run.loss) == (errno, Loss::Unreadable) => {
                run.length += length;
            }
            _ => bad.push(Bad { offset: at, length, errno, loss: Loss::Unreadable }),
        }
        self.fill(buffer, at);
    }

    fn fill(&self, buffer: &mut [u8], at: u64) {
        self.policy.fill(buffer, at);
    }

    /// Fills `buffer` from `offset` on in one go.
    ///
    /// # Errors
    /// The first errno; nothing is tried twice.
    pub fn whole(&mut self, buffer: &mut [u8], offset: u64) -> Result<(), Errno> {
        let mut done = 0;
        while done < buffer.len() {
            match self.attempt(&mut buffer[done..], offset + done as u64)? {
                0 => return Err(Errno::IO),
                n => done += n,
            }
        }
        self.skips.succeeded(offset);
        Ok(())
    }
}

impl ErrorPolicy {
    /// Fills `buffer`, which stands at `at` on the medium.
    pub fn fill(&self, buffer: &mut [u8], at: u64) {
        match &self.fill {
            Fill::Pattern(bytes) if !bytes.is_empty() => {
                // The pattern's phase is that of the medium, so that it does not depend on how
                // blocks are cut.
                for (place, byte) in buffer.iter_mut().enumerate() {
                    *byte = bytes[((at + place as u64) % bytes.len() as u64) as usize];
                }
            }
            _ => buffer.fill(0),
        }
    }
}

#[cfg(test)]
mod tests;
