//! Small files read several at a time, where the kernel has io_uring.
//!
//! Only files that read as expected stay here: a file that does not open, does not fit, or grows is
//! given back to the feed and read by itself, so that both backends say the same of every file.

use crate::backend::{PAUSE, Together};
use crate::host::atomic::Ordering;
use crate::host::{Ahead, Batch};
use crate::reader::{ALIGN, Pack, Reader, Step};
use pfh_source::{Entry, Problem, Reading};
use std::sync::Arc;

/// A file that is read together with others: where its bytes go in the slab.
struct Small<'a> {
    reading: Reading,
    start: usize,
    room: &'a mut [u8],
    first: Option<Result<usize, Problem>>,
}

impl<S> Reader<S> {
    /// Reads entries in hand into the pack, several at a time. `None`: the loop in `step` goes on.
    pub(crate) fn read_together(&mut self, entries: Vec<Arc<Entry>>) -> Option<Step> {
        let (mut batch, always) = match std::mem::replace(&mut self.together, Together::Never) {
            Together::Up { batch, always, .. } => (batch.or_else(|| Batch::new().map(Box::new)), always),
            Together::Never => (None, false),
        };
        let Some(ring) = &mut batch else { return self.let_go(entries) };
        let mut pack = self.pack.take()?;
        let opened = self.timed(|| ring.open(entries.iter().map(|entry| &**entry)));
        // One reader at a time on a spindle, and one file: they are read by themselves, and so is
        // all that this reader gets from now on.
        if opened.iter().flatten().any(|r| r.device().and_then(|device| self.gates.of(device)).is_some()) {
            drop(opened);
            self.pack = Some(pack);
            return self.let_go(entries);
        }
        let mut smalls = self.place(&mut pack, opened);
        self.timed(|| {
            let waiting = smalls.iter_mut().flatten().filter(|small| small.reading.size_hint() > 0);
            let (mut files, mut firsts): (Vec<_>, Vec<_>) =
                waiting.map(|s| (Ahead { reading: &mut s.reading, room: &mut *s.room }, &mut s.first)).unzip();
            for (first, result) in firsts.iter_mut().zip(ring.read(&mut files)) {
                **first = Some(result);
            }
        });
        let (asked, mut done) = (entries.len(), Vec::with_capacity(entries.len()));
        for (entry, small) in entries.into_iter().zip(smalls) {
            let read = match small {
                None if self.in_hand.drop_next() => None,
                Some(small) if self.in_hand.take_next() => self.finish(small),
                _ => return None,
            };
            match read {
                Some((start, length, end)) => done.push((entry, start, length, end)),
                None => self.feed.give_back([entry]),
            }
        }
        let fitted = done.len();
        self.reserve.add(fitted as u64, done.iter().map(|(_, _, length, _)| *length as u64).sum());
        for (entry, start, length, end) in done {
            pack.take_in(entry, start, length, end, None);
        }
        // Where files are large there is little to read together, and other readers are to get
        // their share of them.
        let (width, pause) = ((fitted * 2).clamp(2, Batch::WIDTH), if fitted == 0 { PAUSE } else { 0 });
        if !batch.as_ref().is_some_and(|ring| ring.is_broken()) {
            self.together = Together::Up { batch, width, pause, always };
        }
        let room = pack.slab.bytes().len();
        let publish = fitted < asked || pack.is_full() || room - pack.used < room / 16;
        self.pack = Some(pack);
        (publish && self.publish()).then_some(Step::Filled)
    }

    /// Gives back entries that are not read together, as far as they are still in hand.
    fn let_go(&self, entries: Vec<Arc<Entry>>) -> Option<Step> {
        let held: Vec<Arc<Entry>> = entries.into_iter().take_while(|_| self.in_hand.drop_next()).collect();
        self.feed.give_back(held);
        None
    }

    /// Gives each open file that is small its place in the pack.
    fn place<'a>(&self, pack: &'a mut Pack, opened: Vec<Option<Reading>>) -> Vec<Option<Small<'a>>> {
        let mut start = pack.used;
        let mut left = &mut pack.slab.bytes_mut()[start..];
        let place = |reading: Option<Reading>| {
            let mut reading = reading.filter(|r| r.size_hint() < (self.budget.slab() / 2) as u64)?;
            // One byte more than it says: a file that fills its place has grown.
            let length = (reading.size_hint() as usize + 1).next_multiple_of(ALIGN);
            if length > left.len() {
                return None;
            }
            reading.set_retries(self.retries);
            let (room, rest) = std::mem::take(&mut left).split_at_mut(length);
            left = rest;
            let small = Small { reading, start, room, first: None };
            start += length;
            Some(small)
        };
        opened.into_iter().map(place).collect()
    }

    /// Reads a file to its end; `None` when it is larger than its place.
    fn finish(&self, small: Small<'_>) -> Option<(usize, usize, crate::chunk::End)> {
        let Small { mut reading, start, room, first } = small;
        let (end, filled) = match first {
            Some(Err(problem)) => (Some(Err(problem)), 0),
            Some(Ok(0)) => (Some(Ok(())), 0),
            first => {
                let filled = first.and_then(Result::ok).unwrap_or(0);
                self.read_bytes.fetch_add(filled as u64, Ordering::Relaxed);
                self.timed_fill(&mut reading, room, filled)
            }
        };
        match end {
            Some(Err(problem)) => Some((start, 0, Err(problem))),
            Some(Ok(())) => Some((start, filled, self.timed(|| reading.close()))),
            None => {
                self.in_hand.drop_last();
                None
            }
        }
    }
}
