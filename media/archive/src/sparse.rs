//! A file with holes: runs of stored bytes, and zeros between them.

use std::io::{self, Read};

/// Where stored bytes belong: (offset, length), in order.
pub type Map = Vec<(u64, u64)>;

/// The longest map: each run costs 16 bytes of memory.
pub const RUNS: usize = 1 << 20;

/// Checks a map against the size with holes and the bytes that are stored.
pub fn check(map: &Map, real: u64, stored: u64) -> Result<(), &'static str> {
    let (mut end, mut sum) = (0, 0u64);
    for (offset, length) in map {
        if *offset < end {
            return Err("its sparse map is not in order");
        }
        end = offset.checked_add(*length).ok_or("its sparse map leads beyond its end")?;
        sum = sum.saturating_add(*length);
    }
    if end > real {
        return Err("its sparse map leads beyond its end");
    }
    if sum != stored { Err("its sparse map and its stored bytes differ in length") } else { Ok(()) }
}

/// The file behind the map. [`check`] refuses a map of another order or length than the stored
/// bytes.
pub struct ExpandedFile<R> {
    stored: R,
    map: std::vec::IntoIter<(u64, u64)>,
    run: Option<(u64, u64)>,
    at: u64,
    size: u64,
}

impl<R: Read> ExpandedFile<R> {
    /// `size` bytes; `stored` has the runs of `map`.
    pub fn new(stored: R, map: Map, size: u64) -> Self {
        let mut map = map.into_iter();
        let run = map.next();
        ExpandedFile { stored, map, run, at: 0, size }
    }
}

impl<R: Read> Read for ExpandedFile<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.run.is_some_and(|(offset, length)| offset + length <= self.at) {
            self.run = self.map.next();
        }
        let room = |until: u64| usize::try_from(until - self.at).unwrap_or(usize::MAX).min(buffer.len());
        let got = match self.run {
            Some((offset, length)) if offset <= self.at => {
                let room = room((offset + length).min(self.size));
                self.stored.read(&mut buffer[..room])?
            }
            run => {
                let room = room(run.map_or(self.size, |(offset, _)| offset.min(self.size)));
                buffer[..room].fill(0);
                room
            }
        };
        self.at += got as u64;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_zeros() {
        let mut all = Vec::new();
        ExpandedFile::new(&b"abcde"[..], vec![(2, 3), (5, 0), (8, 2)], 12).read_to_end(&mut all).unwrap();
        assert_eq!(all, b"\0\0abc\0\0\0de\0\0");
        assert!(check(&vec![(2, 3), (8, 2)], 12, 5).is_ok());
        assert!(check(&vec![(2, 3), (4, 2)], 12, 5).is_err());
        assert!(check(&vec![(u64::MAX, 3)], 12, 3).is_err());
        assert!(check(&vec![(2, 3)], 4, 3).is_err());
    }
}
