//! The reader: the image's bytes, in order, into slabs.

use super::{Imaging, ImagingError, Portion};
use crate::Cancel;
use pfh_prefetch::{Bell, Budget, Bytes, Slab};
use pfh_source::device::{Bad, Medium, Rescue, Stop};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What reader and caller share.
#[derive(Default)]
pub(super) struct Shared {
    /// Bytes of the image so far.
    pub(super) bytes: AtomicU64,
    /// Set when an end failed: no more is read.
    pub(super) halt: AtomicBool,
    /// Unreadable runs so far, by offset in the image.
    pub(super) bad: Mutex<Vec<Bad>>,
}

impl Shared {
    pub(super) fn bad(&self) -> Vec<Bad> {
        self.bad.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Who gets a portion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    /// The digests alone: the targets have it.
    Digests,
    /// Everybody.
    All,
}

/// What the reader found.
pub(super) struct Read {
    pub(super) bytes: u64,
    pub(super) padded: u64,
    pub(super) retried: u64,
    pub(super) stopped: Option<Stop>,
    pub(super) reading: Duration,
    pub(super) waited: Duration,
}

pub(super) struct Reader<'a> {
    pub(super) medium: &'a Medium,
    pub(super) prefix: Option<&'a Medium>,
    pub(super) imaging: &'a Imaging,
    pub(super) shared: &'a Shared,
    pub(super) cancel: Cancel,
}

impl Reader<'_> {
    /// Bytes that the image will have, where that is known.
    pub(super) fn total(medium: &Medium, imaging: &Imaging) -> Option<u64> {
        let rest = medium.size().map(|size| size.saturating_sub(imaging.from));
        match (rest, imaging.length) {
            (Some(rest), Some(length)) => Some(rest.min(length)),
            (Some(rest), None) => Some(rest),
            (None, _) => None,
        }
    }

    /// Reads to the end. `send` takes each portion; `checkpoint` is called where one is due.
    pub(super) fn run(
        self,
        mut send: impl FnMut(Portion, To),
        mut checkpoint: impl FnMut(),
    ) -> Result<Read, ImagingError> {
        let bell = Arc::new(Bell::default());
        let budget = Budget::new(self.imaging.memory, 1, bell.clone());
        let mut read =
            Read { bytes: 0, padded: 0, retried: 0, stopped: None, reading: Duration::ZERO, waited: Duration::ZERO };
        self.prefix(&budget, &bell, &mut read, &mut send)?;
        let mut rescue = Rescue::new(self.medium, self.imaging.care.clone());
        let end = Self::total(self.medium, self.imaging).or(self.imaging.length).unwrap_or(u64::MAX);
        let mut last = Instant::now();
        while read.bytes < end {
            let Some(mut slab) = self.slab(&budget, &bell, &mut read) else { break };
            let room = (slab.bytes().len() as u64).min(end - read.bytes) as usize;
            let from = Instant::now();
            let got = rescue.read(&mut slab.bytes_mut()[..room], self.imaging.from + read.bytes);
            read.reading += from.elapsed();
            match got {
                Ok((0, _)) => break,
                Ok((n, bad)) => {
                    self.note(&bad);
                    send(Portion { offset: read.bytes, bytes: Bytes::new(Arc::new(slab), 0..n) }, To::All);
                    read.bytes += n as u64;
                    self.shared.bytes.store(read.bytes, Ordering::Relaxed);
                }
                Err(stop) => {
                    read.stopped = Some(stop);
                    break;
                }
            }
            if last.elapsed() >= self.imaging.checkpoint {
                checkpoint();
                last = Instant::now();
            }
        }
        read.retried = rescue.retried();
        if read.stopped.is_none() {
            self.pad(&budget, &bell, &mut read, &mut send);
        }
        Ok(read)
    }

    /// Waits for a slab; `None` when the run was ended meanwhile.
    fn slab(&self, budget: &Arc<Budget>, bell: &Bell, read: &mut Read) -> Option<Slab> {
        loop {
            if self.shared.halt.load(Ordering::SeqCst) {
                read.stopped.get_or_insert(Stop::Cancelled);
                return None;
            }
            if self.cancel.is_cancelled() {
                read.stopped = Some(Stop::Cancelled);
                return None;
            }
            let heard = bell.heard();
            if let Some(slab) = budget.try_take() {
                return Some(slab);
            }
            read.waited += bell.wait(heard, Duration::from_millis(100));
        }
    }

    /// What is there already goes through the digests once more.
    fn prefix(
        &self,
        budget: &Arc<Budget>,
        bell: &Bell,
        read: &mut Read,
        send: &mut impl FnMut(Portion, To),
    ) -> Result<(), ImagingError> {
        let Some(prefix) = self.prefix else { return Ok(()) };
        while read.bytes < self.imaging.done {
            let Some(mut slab) = self.slab(budget, bell, read) else { return Ok(()) };
            let room = (slab.bytes().len() as u64).min(self.imaging.done - read.bytes) as usize;
            let fail = |error| ImagingError::Prefix { offset: read.bytes, error };
            let n = prefix.read_at(&mut slab.bytes_mut()[..room], read.bytes).map_err(|e| fail(e.into()))?;
            if n == 0 {
                return Err(fail(io::ErrorKind::UnexpectedEof.into()));
            }
            send(Portion { offset: read.bytes, bytes: Bytes::new(Arc::new(slab), 0..n) }, To::Digests);
            read.bytes += n as u64;
            self.shared.bytes.store(read.bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    fn pad(&self, budget: &Arc<Budget>, bell: &Bell, read: &mut Read, send: &mut impl FnMut(Portion, To)) {
        let Some(unit) = self.imaging.pad.map(u64::from).filter(|unit| *unit > 0) else { return };
        let mut left = read.bytes.next_multiple_of(unit) - read.bytes;
        read.padded = left;
        while left > 0 {
            let Some(mut slab) = self.slab(budget, bell, read) else { return };
            let n = slab.bytes().len().min(left as usize);
            slab.bytes_mut()[..n].fill(0);
            send(Portion { offset: read.bytes, bytes: Bytes::new(Arc::new(slab), 0..n) }, To::All);
            read.bytes += n as u64;
            left -= n as u64;
        }
    }

    /// Enters unreadable runs, by their place in the image.
    fn note(&self, found: &[Bad]) {
        let mut bad = self.shared.bad.lock().unwrap_or_else(PoisonError::into_inner);
        for run in found {
            let offset = run.offset - self.imaging.from;
            match bad.last_mut() {
                Some(last) if last.offset + last.length == offset && last.errno == run.errno => {
                    last.length += run.length
                }
                _ => bad.push(Bad { offset, ..*run }),
            }
        }
    }
}
