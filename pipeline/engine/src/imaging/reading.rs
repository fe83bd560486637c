//! The reader: the image's bytes, in order, into slabs.

use super::prefix::Check;
use super::slabs::Slabs;
use super::{Holes, Imaging, ImagingError, Portion};
use crate::Cancel;
use crate::alarm::Alarm;
use pfh_prefetch::{Bytes, Slab};
use pfh_source::device::{Bad, Fill, Kind, Loss, Medium, Rescue, Skips, Stop};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Bytes that one call reads.
const READ: usize = 1 << 20;

/// The state that reader and caller share.
#[derive(Default)]
pub(super) struct ReaderState {
    /// Bytes of the image so far.
    pub(super) bytes: AtomicU64,
    /// Set when an end failed: no more is read.
    pub(super) halt: AtomicBool,
    /// Unreadable runs so far, by offset in the image.
    pub(super) bad: Mutex<Vec<Bad>>,
}

impl ReaderState {
    pub(super) fn bad(&self) -> Vec<Bad> {
        self.bad.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Bytes that are left, where the end is known.
fn left(bytes: u64) -> Option<u64> {
    (bytes < u64::MAX / 2).then_some(bytes)
}

/// Who gets a portion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    /// The digests alone: the targets have it.
    Digests,
    /// Everybody.
    All,
}

/// The result of the reader.
pub(super) struct ReaderResult {
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
    pub(super) shared: &'a ReaderState,
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
    ) -> Result<ReaderResult, ImagingError> {
        let mut slabs = Slabs::new(self.imaging);
        let mut read = ReaderResult {
            bytes: 0,
            padded: 0,
            retried: 0,
            stopped: None,
            reading: Duration::ZERO,
            waited: Duration::ZERO,
        };
        self.prefix(&mut slabs, &mut read, &mut send)?;
        let end = Self::total(self.medium, self.imaging).or(self.imaging.length).unwrap_or(u64::MAX);
        // Omitted limits do not count: all bytes are copied.
        let end = match self.imaging.policy.fill {
            Fill::Omitted => self.imaging.length.unwrap_or(u64::MAX),
            _ => end,
        };
        let several = self.imaging.readers.max(1);
        if several > 1 && self.medium.kind() != Kind::Stream && self.imaging.policy.fill != Fill::Omitted {
            self.several(several, end, &mut slabs, &mut read, &mut send, &mut checkpoint)?;
        } else {
            self.single(end, &mut slabs, &mut read, &mut send, &mut checkpoint);
        }
        if read.stopped.is_none() {
            self.pad(end, &mut slabs, &mut read, &mut send);
        }
        Ok(read)
    }

    /// One block after the other.
    fn single(
        &self,
        end: u64,
        slabs: &mut Slabs,
        read: &mut ReaderResult,
        send: &mut impl FnMut(Portion, To),
        checkpoint: &mut impl FnMut(),
    ) {
        let mut rescue = Rescue::new(self.medium, self.imaging.policy.clone()).until(self.cancel.clone().into());
        let mut last = Instant::now();
        // Bytes of the medium; those of the image are fewer where lost bytes are left out.
        let mut at = read.bytes;
        let rest = self.medium.size().map_or(u64::MAX, |size| size.saturating_sub(self.imaging.from));
        while read.bytes < end && at < rest {
            let Some(mut slab) = self.slab(slabs, read) else { break };
            let room = (slab.bytes().len() as u64).min(end - read.bytes).min(rest - at) as usize;
            let from = Instant::now();
            let got = self.block(&mut rescue, &mut slab.bytes_mut()[..room], at);
            read.reading += from.elapsed();
            match got {
                Ok((0, _)) => {
                    // A stream that nothing came from is not a medium of 0 bytes.
                    read.stopped = (at == 0 && self.medium.kind() == Kind::Stream).then_some(Stop::Empty);
                    break;
                }
                Ok((n, bad)) => {
                    let kept = self.kept(&mut slab.bytes_mut()[..n], &bad, at);
                    self.deliver(slab, kept, &bad, read, send);
                    at += n as u64;
                    slabs.delivered(n as u64, left(end.saturating_sub(read.bytes).min(rest.saturating_sub(at))));
                }
                Err(stop) => {
                    let good = self.good(&stop, at).min(room as u64);
                    if good > 0 {
                        self.deliver(slab, good as usize, &[], read, send);
                    }
                    read.stopped = Some(stop);
                    break;
                }
            }
            if last.elapsed() >= self.imaging.checkpoint {
                checkpoint();
                last = Instant::now();
            }
        }
        read.retried += rescue.retried();
    }

    /// Bytes of the block at `at` that were read before it ended there: where nothing was filled in
    /// they are the image's.
    fn good(&self, stop: &Stop, at: u64) -> u64 {
        let is_whole = self.imaging.policy.most_errors == Some(0) || self.medium.kind() == Kind::Stream;
        match stop {
            Stop::Errors { offset } | Stop::System { offset, .. } | Stop::Gone { offset, .. } if is_whole => {
                offset.saturating_sub(self.imaging.from + at)
            }
            _ => 0,
        }
    }

    /// Leaves out the lost bytes, where they are not filled in; returns how many bytes are kept.
    fn kept(&self, bytes: &mut [u8], bad: &[Bad], at: u64) -> usize {
        if self.imaging.policy.fill != Fill::Omitted {
            return bytes.len();
        }
        let (start, mut kept, mut from) = (self.imaging.from + at, 0, 0);
        for run in bad {
            let lost = (run.offset - start) as usize;
            bytes.copy_within(from..lost, kept);
            kept += lost - from;
            from = lost + run.length as usize;
        }
        let length = bytes.len();
        bytes.copy_within(from..length, kept);
        kept + length - from
    }

    /// Several blocks at a time, by as many threads: a device with a queue gives more that way.
    /// They are delivered in order; each round waits for its last block, which the slabs behind it
    /// bridge.
    fn several(
        &self,
        readers: usize,
        end: u64,
        slabs: &mut Slabs,
        read: &mut ReaderResult,
        send: &mut impl FnMut(Portion, To),
        checkpoint: &mut impl FnMut(),
    ) -> Result<(), ImagingError> {
        let (jobs, queue) = channel::<(u64, usize, Slab)>();
        let queue = Mutex::new(queue);
        let (give, done) = channel();
        let skips = Arc::new(Skips::new(self.medium, self.imaging.policy.skip_after));
        std::thread::scope(|scope| {
            for number in 0..readers {
                let (queue, give, skips) = (&queue, give.clone(), skips.clone());
                let started = Builder::new().name(format!("pfh-read-{number}")).spawn_scoped(scope, move || {
                    let mut rescue = Rescue::beside(self.medium, self.imaging.policy.clone(), skips);
                    let alarm = Alarm::new(give);
                    loop {
                        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((offset, room, mut slab)) = job else { break };
                        pfh_source::fail_point("image-block");
                        let before = rescue.retried();
                        let from = Instant::now();
                        let got = self.block(&mut rescue, &mut slab.bytes_mut()[..room], offset);
                        alarm.send((offset, got, slab, rescue.retried() - before, from.elapsed()));
                    }
                });
                started.map_err(ImagingError::Thread)?;
            }
            drop(give);
            let (mut asked, mut early, mut last) = (read.bytes, BTreeMap::new(), Instant::now());
            let mut under_way = 0;
            let mut bad_sectors = 0;
            while read.bytes < end && read.stopped.is_none() {
                while under_way + early.len() < readers * 2 && asked < end {
                    // With blocks under way only a free slab is taken; without any it is waited
                    // for.
                    let slab = if under_way + early.len() == 0 { self.slab(slabs, read) } else { slabs.try_take() };
                    let Some(slab) = slab else { break };
                    let room = (slab.bytes().len() as u64).min(end - asked) as usize;
                    if jobs.send((asked, room, slab)).is_err() {
                        break;
                    }
                    asked += room as u64;
                    under_way += 1;
                }
                if self.shared.halt.load(Ordering::SeqCst) || self.cancel.is_cancelled() {
                    read.stopped = Some(Stop::Cancelled);
                }
                if under_way > 0 {
                    let Ok(Some((offset, got, slab, retried, took))) = done.recv() else {
                        return Err(ImagingError::Panicked);
                    };
                    under_way -= 1;
                    read.retried += retried;
                    // They read at the same time: as long as each of them, on average.
                    read.reading += took / readers as u32;
                    early.insert(offset, (got, slab));
                }
                while let Some((got, slab)) = early.remove(&read.bytes) {
                    match got {
                        Ok((n, bad)) => {
                            bad_sectors += bad
                                .iter()
                                .filter(|b| b.loss == Loss::Unreadable)
                                .map(|b| b.length.div_ceil(u64::from(self.medium.sector())))
                                .sum::<u64>();
                            self.deliver(slab, n, &bad, read, send);
                            slabs.delivered(n as u64, left(end - read.bytes));
                            // Each thread counts by itself; together they may have seen more than
                            // allowed.
                            if self.imaging.policy.most_errors.is_some_and(|most| bad_sectors > most) {
                                read.stopped = Some(Stop::Errors { offset: read.bytes });
                            }
                        }
                        Err(stop) => read.stopped = Some(stop),
                    }
                }
                if last.elapsed() >= self.imaging.checkpoint {
                    checkpoint();
                    last = Instant::now();
                }
            }
            drop(jobs);
            Ok(())
        })
    }

    /// Fills a block of the image from `offset` on.
    fn block(&self, rescue: &mut Rescue<'_>, room: &mut [u8], offset: u64) -> Result<(usize, Vec<Bad>), Stop> {
        let at = self.imaging.from + offset;
        if self.imaging.holes == Holes::Skip && self.medium.hole_at(at).is_some_and(|end| end >= at + room.len() as u64)
        {
            room.fill(0);
            return Ok((room.len(), Vec::new()));
        }
        let (mut done, mut bad) = (0, Vec::new());
        // However large a block is, one call reads no more: one timeout is for that many bytes, and
        // only they are narrowed down where it fails.
        for part in room.chunks_mut(READ) {
            let (n, more) = rescue.read(part, at + done as u64)?;
            done += n;
            bad.extend(more);
            if n < part.len() {
                break;
            }
        }
        Ok((done, bad))
    }

    fn deliver(&self, slab: Slab, n: usize, bad: &[Bad], read: &mut ReaderResult, send: &mut impl FnMut(Portion, To)) {
        self.note(bad);
        if n == 0 {
            return;
        }
        send(Portion { offset: read.bytes, bytes: Bytes::new(Arc::new(slab), 0..n) }, To::All);
        read.bytes += n as u64;
        self.shared.bytes.store(read.bytes, Ordering::Relaxed);
    }

    /// Waits for a slab; `None` when the run was ended meanwhile.
    fn slab(&self, slabs: &mut Slabs, read: &mut ReaderResult) -> Option<Slab> {
        loop {
            if self.shared.halt.load(Ordering::SeqCst) {
                read.stopped.get_or_insert(Stop::Cancelled);
                return None;
            }
            if self.cancel.is_cancelled() {
                read.stopped = Some(Stop::Cancelled);
                return None;
            }
            let noted = slabs.noted();
            if let Some(slab) = slabs.try_take() {
                return Some(slab);
            }
            read.waited += slabs.wait(noted, Duration::from_millis(100));
        }
    }

    /// Existing bytes go through the digests once more.
    fn prefix(
        &self,
        slabs: &mut Slabs,
        read: &mut ReaderResult,
        send: &mut impl FnMut(Portion, To),
    ) -> Result<(), ImagingError> {
        let Some(prefix) = self.prefix else { return Ok(()) };
        let mut check = Check::new(&self.imaging.stated);
        while read.bytes < self.imaging.done {
            let Some(mut slab) = self.slab(slabs, read) else { return Ok(()) };
            let room = (slab.bytes().len() as u64).min(self.imaging.done - read.bytes) as usize;
            let fail = |error| ImagingError::Prefix { offset: read.bytes, error };
            let n = prefix.read_at(&mut slab.bytes_mut()[..room], read.bytes).map_err(|e| fail(e.into()))?;
            if n == 0 {
                return Err(fail(io::ErrorKind::UnexpectedEof.into()));
            }
            match self.as_stated(&slab.bytes()[..n], read.bytes) {
                Some(bytes) => check.update(&bytes)?,
                None => check.update(&slab.bytes()[..n])?,
            }
            send(Portion { offset: read.bytes, bytes: Bytes::new(Arc::new(slab), 0..n) }, To::Digests);
            read.bytes += n as u64;
            self.shared.bytes.store(read.bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The existing bytes as the checkpoint states them: lost ones count as filled, for a run
    /// that tried it again and was cut off may have read some of it. `None` where nothing was lost.
    fn as_stated(&self, bytes: &[u8], at: u64) -> Option<Vec<u8>> {
        let end = at + bytes.len() as u64;
        let mut changed: Option<Vec<u8>> = None;
        for run in self.imaging.done_bad.iter().filter(|run| run.loss != Loss::Recorded) {
            let (from, until) = (run.offset.max(at), (run.offset + run.length).min(end));
            if from < until {
                let part =
                    &mut changed.get_or_insert_with(|| bytes.to_vec())[(from - at) as usize..(until - at) as usize];
                self.imaging.policy.fill(part, self.imaging.from + from);
            }
        }
        changed
    }

    /// Fills the image up to whole units, where that is asked for. `end` is that of the source.
    fn pad(&self, end: u64, slabs: &mut Slabs, read: &mut ReaderResult, send: &mut impl FnMut(Portion, To)) {
        let Some(unit) = self.imaging.pad.map(u64::from).filter(|unit| *unit > 0) else { return };
        let mut left = read.bytes.next_multiple_of(unit) - read.bytes;
        // A run that was cut off behind the end of the source left some of it.
        read.padded = left + read.bytes.saturating_sub(end);
        while left > 0 {
            let Some(mut slab) = self.slab(slabs, read) else { return };
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
                Some(last)
                    if last.offset + last.length == offset && (last.errno, last.loss) == (run.errno, run.loss) =>
                {
                    last.length += run.length
                }
                _ => bad.push(Bad { offset, ..*run }),
            }
        }
    }
}
