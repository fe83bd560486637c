//! The output of a decoder: the window that matches copy from, and filters that change the bytes
//! before they are given on.

use super::bits::wrong;
use super::filter::Filter;
use std::collections::VecDeque;
use std::io;

/// Filters that wait at the most.
const FILTERS: usize = 8192;
/// The longest range of a filter.
const LONGEST: u64 = 4 << 20;

/// A range of the output that a filter changes.
struct Pending {
    start: u64,
    length: u64,
    filter: Filter,
}

/// The output of a decoder.
pub struct Window {
    ring: Vec<u8>,
    /// Bytes that were put out since the first member of the group, and when this member began.
    total: u64,
    began: u64,
    /// The last bytes, which are not given on yet.
    raw: Vec<u8>,
    filters: VecDeque<Pending>,
}

impl Window {
    /// A window of at least `size` bytes.
    pub fn new(size: usize) -> Window {
        let ring = vec![0; size.next_power_of_two()];
        Window { ring, total: 0, began: 0, raw: Vec::new(), filters: VecDeque::new() }
    }

    /// Another member begins, with the bytes of those before it or without.
    pub fn begin(&mut self, is_solid: bool) {
        self.filters.clear();
        self.raw.clear();
        if !is_solid {
            self.total = 0;
        }
        self.began = self.total;
    }

    /// Bytes of this member so far.
    pub fn written(&self) -> u64 {
        self.total - self.began
    }

    /// Puts out a byte.
    pub fn push(&mut self, byte: u8) {
        let mask = self.ring.len() - 1;
        self.ring[self.total as usize & mask] = byte;
        self.total += 1;
        self.raw.push(byte);
    }

    /// Puts out bytes again from this distance.
    ///
    /// # Errors
    /// When nothing stands there.
    pub fn again(&mut self, distance: u64, length: usize) -> io::Result<()> {
        if distance == 0 || distance > self.total || distance > self.ring.len() as u64 {
            return Err(wrong("a match with bytes before the first one"));
        }
        let mask = self.ring.len() - 1;
        let mut from = (self.total - distance) as usize & mask;
        let mut to = self.total as usize & mask;
        for _ in 0..length {
            let byte = self.ring[from];
            self.ring[to] = byte;
            self.raw.push(byte);
            from = (from + 1) & mask;
            to = (to + 1) & mask;
        }
        self.total += length as u64;
        Ok(())
    }

    /// A filter of `length` bytes that begin `ahead` of the next one.
    ///
    /// # Errors
    /// When it cannot be one.
    pub fn filter(&mut self, ahead: u64, length: u64, filter: Filter) -> io::Result<()> {
        let start = self.total + ahead;
        let in_order = self.filters.back().is_none_or(|last| last.start + last.length <= start || last.start == start);
        if length > LONGEST || self.filters.len() >= FILTERS || !in_order {
            return Err(wrong("a filter that cannot be applied"));
        }
        if length > 0 {
            self.filters.push_back(Pending { start, length, filter });
        }
        Ok(())
    }

    /// Gives on the bytes that are ready.
    ///
    /// # Errors
    /// When a filter contradicts itself.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let start = self.total - self.raw.len() as u64;
            let Some(first) = self.filters.front() else {
                out.append(&mut self.raw);
                return Ok(());
            };
            let (at, length) = (first.start, first.length);
            let plain = usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(self.raw.len());
            out.extend(self.raw.drain(..plain));
            if self.total < at + length {
                return Ok(());
            }
            let rest = self.raw.split_off(length as usize);
            let mut data = std::mem::replace(&mut self.raw, rest);
            // Several filters may stand for the same range, one after the other.
            while let Some(next) = self.filters.front().filter(|next| next.start == at && next.length == length) {
                data = next.filter.apply(data, at - self.began)?;
                self.filters.pop_front();
            }
            if self.filters.front().is_some_and(|next| next.start < at + length) {
                return Err(wrong("two filters that overlap"));
            }
            out.append(&mut data);
        }
    }

    /// Whether everything was given on.
    pub fn is_flushed(&self) -> bool {
        self.raw.is_empty()
    }
}
