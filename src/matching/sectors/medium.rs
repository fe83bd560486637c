//! A medium as overlapping pieces, each range of it read once from front to back.

use pfh_source::Problem;
use pfh_volume::Bytes;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The grid of blocks on the medium, in bytes.
pub const STEP: u64 = 512;
/// Bytes of a piece, without those that the next one has as well.
const PIECE: usize = 1 << 20;
/// The first bytes that are left out behind a failed read, and the most.
const SKIP: Range<u64> = 4096..1 << 20;

/// A part of the medium in memory.
#[derive(Default)]
pub struct Piece {
    /// Where it begins.
    pub offset: u64,
    /// Its bytes, and behind them those of the next one as far as a block may reach.
    pub bytes: Vec<u8>,
    /// Blocks begin below this, at multiples of [`STEP`] or at any byte.
    pub starts: usize,
    /// Bytes that were read for it and for no piece before.
    pub read: u64,
    /// The range that could not be read in front of it or behind it, and why.
    pub unread: Option<(Range<u64>, String)>,
}

/// The pieces of some ranges of a medium.
pub struct Pieces {
    medium: Arc<dyn Bytes>,
    ranges: std::vec::IntoIter<Range<u64>>,
    /// The longest block in bytes.
    longest: usize,
    /// Blocks begin at multiples of that many bytes.
    step: usize,
    /// The next input: the rest of a range.
    left: Range<u64>,
    /// Bytes in front of `left` that were read already.
    carried: Vec<u8>,
    skip: u64,
}

impl Pieces {
    /// The pieces of ranges that are in order and apart from each other.
    pub fn new(medium: Arc<dyn Bytes>, ranges: Vec<Range<u64>>, longest: u32, step: u64) -> Pieces {
        let ranges = ranges.into_iter();
        // Fits: at most a sector.
        Pieces {
            medium,
            ranges,
            longest: longest as usize,
            step: step as usize,
            left: 0..0,
            carried: Vec::new(),
            skip: SKIP.start,
        }
    }

    /// The next piece; `None` at the end.
    pub fn next(&mut self) -> Option<Piece> {
        while self.carried.is_empty() && self.left.is_empty() {
            let range = self.ranges.next()?;
            self.left = range.start.next_multiple_of(STEP).min(range.end)..range.end;
        }
        let offset = self.left.start - self.carried.len() as u64;
        let mut piece = Piece { offset, bytes: std::mem::take(&mut self.carried), ..Piece::default() };
        let full = PIECE + self.longest - self.step;
        let mut filled = piece.bytes.len();
        piece.bytes.resize(full.min(filled + usize::try_from(self.left.end - self.left.start).unwrap_or(full)), 0);
        let mut failed = None;
        while filled < piece.bytes.len() {
            match self.medium.read_at(self.left.start, &mut piece.bytes[filled..]) {
                Ok(0) => {
                    failed = Some("ends before its size".to_owned());
                    break;
                }
                Ok(got) => {
                    filled += got;
                    piece.read += got as u64;
                    self.left.start += got as u64;
                    self.skip = SKIP.start;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Problem>());
                    failed = Some(inner.map_or_else(|| error.to_string(), |problem| problem.cause.to_string()));
                    break;
                }
            }
        }
        piece.bytes.truncate(filled);
        if let Some(cause) = failed {
            self.step_over(&mut piece, cause);
            return Some(piece);
        }
        if filled == full && !self.left.is_empty() {
            self.carried = piece.bytes[PIECE..].to_vec();
            piece.starts = PIECE;
        } else {
            self.end(&mut piece);
        }
        Some(piece)
    }

    /// The piece is the last of its range. At the end of the medium blocks are filled with zeros,
    /// as those of known files are.
    fn end(&self, piece: &mut Piece) {
        let length = piece.bytes.len();
        if self.left.end == self.medium.size() {
            piece.starts = length.next_multiple_of(STEP as usize);
            piece.bytes.resize(piece.starts + self.longest, 0);
        } else {
            piece.starts = length - length % STEP as usize;
        }
    }

    /// Leaves out a range that cannot be read: a longer one the longer nothing can be.
    fn step_over(&mut self, piece: &mut Piece, cause: String) {
        let whole = piece.bytes.len() - piece.bytes.len() % STEP as usize;
        let from = self.left.start - (piece.bytes.len() - whole) as u64;
        piece.bytes.truncate(whole);
        piece.starts = whole;
        let to = (self.left.start + 1).next_multiple_of(self.skip).min(self.left.end);
        self.skip = (self.skip * 2).min(SKIP.end);
        piece.unread = Some((from..to, cause));
        self.left.start = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct HoledMedium(Vec<u8>, Range<u64>);

    impl Bytes for HoledMedium {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            if self.1.contains(&offset) {
                return Err(io::Error::other("bad"));
            }
            let end = if offset < self.1.start { self.1.start } else { self.size() };
            // Short reads.
            let got = buffer.len().min((end - offset) as usize).min(300_001);
            buffer[..got].copy_from_slice(&self.0[offset as usize..][..got]);
            Ok(got)
        }
    }

    /// Every block of `size` bytes that comes, by its place.
    fn blocks(medium: HoledMedium, ranges: &[Range<u64>], size: usize) -> (Vec<(u64, Vec<u8>)>, u64, u64) {
        let mut pieces = Pieces::new(Arc::new(medium), ranges.to_vec(), 4096, STEP);
        let (mut found, mut read, mut unread) = (Vec::new(), 0, 0);
        while let Some(piece) = pieces.next() {
            read += piece.read;
            unread += piece.unread.map_or(0, |(range, _)| range.end - range.start);
            for at in (0..piece.starts).step_by(STEP as usize) {
                let block = piece.bytes.get(at..at + size);
                found.extend(block.map(|block| (piece.offset + at as u64, block.to_vec())));
            }
        }
        (found, read, unread)
    }

    #[test]
    fn each_block_comes_once_and_each_byte_is_read_once() {
        let length = 3 * PIECE + 1111;
        let bytes: Vec<u8> = (0..length).map(|at| (at / 512 * 7 + at) as u8).collect();
        for size in [512, 4096] {
            let (found, read, unread) =
                blocks(HoledMedium(bytes.clone(), 0..0), &[Range { start: 0, end: length as u64 }], size);
            assert_eq!((found.len(), read, unread), (length.div_ceil(512), length as u64, 0));
            for (number, (at, block)) in found.iter().enumerate() {
                assert_eq!(*at, 512 * number as u64);
                let there = &bytes[*at as usize..length.min(*at as usize + size)];
                assert!(block.starts_with(there) && block[there.len()..].iter().all(|byte| *byte == 0));
            }
            // Blocks that leave their range are none.
            let ranges = [100..5000, 10_000..10_100, 20_480..(PIECE as u64 + 30_720)];
            let (found, ..) = blocks(HoledMedium(bytes.clone(), 0..0), &ranges, size);
            let whole = |range: &Range<u64>, at: u64| range.start <= at && at + size as u64 <= range.end;
            let expected: Vec<u64> =
                (0..length as u64).step_by(512).filter(|at| ranges.iter().any(|range| whole(range, *at))).collect();
            assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn what_cannot_be_read_is_in_no_block_and_counted() {
        let length = 2 * PIECE;
        let hole = 70_000..80_000;
        let (found, read, unread) =
            blocks(HoledMedium(vec![1; length], hole.clone()), &[Range { start: 0, end: length as u64 }], 4096);
        assert!(found.iter().all(|(at, _)| at + 4096 <= hole.start || *at >= hole.end));
        assert!(found.iter().any(|(at, _)| at + 4096 + 512 > hole.start && *at < hole.start));
        // More is left out than the bad sectors, and a sector in front of it was read in part.
        assert!((10_000..30_000).contains(&unread) && read + unread >= length as u64, "{read} {unread}");
    }
}
