//! Sorting more than the memory holds: sorted runs in a file without a name, merged in the end.

use pfh_source::Merge;
use pfh_source::os::positioned::FileExt;
use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::sync::Arc;

/// Bytes read of a run at a time, at least.
const LEAST_READ: usize = 4 << 10;

/// A number, or several, that can lie in a file.
pub trait Item: Copy + Ord {
    /// Bytes of one in the file.
    const BYTES: usize;
    /// Appends its bytes.
    fn put(self, out: &mut Vec<u8>);
    /// Reads it from that many bytes.
    fn get(bytes: &[u8]) -> Self;
}

impl Item for u64 {
    const BYTES: usize = 8;

    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> u64 {
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }
}

impl Item for [u64; 3] {
    const BYTES: usize = 24;

    fn put(self, out: &mut Vec<u8>) {
        self.into_iter().for_each(|word| word.put(out));
    }

    fn get(bytes: &[u8]) -> [u64; 3] {
        [0, 8, 16].map(|at| u64::get(&bytes[at..at + 8]))
    }
}

impl Item for u128 {
    const BYTES: usize = 16;

    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> u128 {
        u128::from_le_bytes(bytes.try_into().expect("sixteen bytes"))
    }
}

/// Takes items in any order; [`Sorter::sorted`] gives them back in theirs.
pub struct Sorter<T> {
    buffer: Vec<T>,
    most: usize,
    file: Option<File>,
    /// Items of each run in the file, one behind the other.
    runs: Vec<u64>,
}

impl<T: Item> Sorter<T> {
    /// One that holds at most about that many bytes in memory; 64 KiB are always taken.
    pub fn new(memory: usize) -> Sorter<T> {
        Sorter {
            buffer: Vec::new(),
            most: (memory / T::BYTES).max((64 << 10) / T::BYTES),
            file: None,
            runs: Vec::new(),
        }
    }

    /// Takes an item.
    ///
    /// # Errors
    /// Those of the temporary file.
    pub fn push(&mut self, item: T) -> io::Result<()> {
        if self.buffer.len() == self.most {
            self.spill()?;
        }
        self.buffer.push(item);
        Ok(())
    }

    /// How many items were taken.
    pub fn items(&self) -> u64 {
        self.runs.iter().sum::<u64>() + self.buffer.len() as u64
    }

    /// How many runs did not fit the memory.
    pub(crate) fn spilled(&self) -> usize {
        self.runs.len()
    }

    fn spill(&mut self) -> io::Result<()> {
        self.buffer.sort_unstable();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let mut bytes = Vec::with_capacity(1 << 16);
        for part in self.buffer.chunks((1 << 16) / T::BYTES) {
            bytes.clear();
            part.iter().for_each(|item| item.put(&mut bytes));
            file.write_all(&bytes)?;
        }
        self.runs.push(self.buffer.len() as u64);
        self.buffer.clear();
        Ok(())
    }

    /// All items, ascending.
    ///
    /// # Errors
    /// Those of the temporary file.
    pub fn sorted(mut self) -> io::Result<impl Iterator<Item = io::Result<T>>> {
        if !self.runs.is_empty() && !self.buffer.is_empty() {
            self.spill()?;
        }
        let Some(file) = self.file.map(Arc::new) else {
            self.buffer.sort_unstable();
            return Ok(SortedItems::Held(self.buffer.into_iter()));
        };
        let each = (self.most / self.runs.len().max(1)).max(LEAST_READ / T::BYTES);
        let mut offset = 0;
        let run = |items: u64| {
            let run =
                Run { file: file.clone(), offset, left: items, each, bytes: Vec::new(), at: 0, items: PhantomData };
            offset += items * T::BYTES as u64;
            run
        };
        Ok(SortedItems::Spilled(Merge::new(self.runs.into_iter().map(run).collect())))
    }
}

/// A run in the temporary file.
struct Run<T> {
    file: Arc<File>,
    offset: u64,
    left: u64,
    each: usize,
    bytes: Vec<u8>,
    at: usize,
    items: PhantomData<T>,
}

impl<T: Item> Run<T> {
    fn read(&mut self) -> io::Result<Option<T>> {
        if self.at == self.bytes.len() {
            let items = self.left.min(self.each as u64);
            if items == 0 {
                return Ok(None);
            }
            self.bytes.resize(items as usize * T::BYTES, 0);
            self.file.read_exact_at(&mut self.bytes, self.offset)?;
            (self.at, self.left) = (0, self.left - items);
            self.offset += self.bytes.len() as u64;
        }
        let item = T::get(&self.bytes[self.at..self.at + T::BYTES]);
        self.at += T::BYTES;
        Ok(Some(item))
    }
}

impl<T: Item> Iterator for Run<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<io::Result<T>> {
        self.read().transpose()
    }
}

/// Items in ascending order. The iterator's errors are those of the temporary file.
enum SortedItems<T> {
    /// Everything fitted the memory.
    Held(std::vec::IntoIter<T>),
    /// Runs that did not.
    Spilled(Merge<T, Run<T>, io::Error>),
}

impl<T: Item> Iterator for SortedItems<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<io::Result<T>> {
        match self {
            SortedItems::Held(items) => items.next().map(Ok),
            SortedItems::Spilled(merge) => merge.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_merged() {
        let mut state = 7u64;
        let items: Vec<u64> = (0..100_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state >> 40
            })
            .collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        for memory in [0, 200_000, 1 << 30] {
            let mut sorter = Sorter::new(memory);
            items.iter().for_each(|&item| sorter.push(item).unwrap());
            assert_eq!(sorter.spilled() > 0, memory < 800_000);
            let sorted: Vec<u64> = sorter.sorted().unwrap().map(Result::unwrap).collect();
            assert_eq!(sorted, expected);
            let mut wide = Sorter::new(memory);
            items.iter().for_each(|&item| wide.push(u128::from(item) << 64).unwrap());
            let sorted: Vec<u64> = wide.sorted().unwrap().map(|item| (item.unwrap() >> 64) as u64).collect();
            assert_eq!(sorted, expected);
        }
    }
}
