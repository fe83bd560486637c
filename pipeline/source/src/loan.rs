//! Bytes that a reader holds in memory already: they are hashed where they are, without a copy.

use std::fmt;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of bytes that several hold. Their memory is given back with the last part of them.
#[derive(Clone)]
pub struct Loan {
    of: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl Loan {
    /// These of the bytes; none where the range leaves them.
    pub fn new(of: Arc<dyn AsRef<[u8]> + Send + Sync>, range: Range<usize>) -> Loan {
        let is_within = (*of).as_ref().get(range.clone()).is_some();
        Loan { of, range: if is_within { range } else { 0..0 } }
    }

    /// Takes the first `most` of these bytes; all if there are no more.
    #[must_use]
    pub fn take(&mut self, most: usize) -> Loan {
        let end = self.range.start + self.range.len().min(most);
        let first = Loan { of: self.of.clone(), range: self.range.start..end };
        self.range.start = end;
        first
    }
}

impl Deref for Loan {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &(*self.of).as_ref()[self.range.clone()]
    }
}

impl fmt::Debug for Loan {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Loan({})", self.len())
    }
}

/// A reader that may hold its next bytes in memory already.
pub trait Lender: Read + Send {
    /// The next bytes, at least one and at most `most`, if they are in memory: reading goes on
    /// behind them. `None` if they are to be read; the end and errors come by reading alone.
    fn lend(&mut self, most: usize) -> Option<Loan>;
}

/// A reader whose bytes are copied.
pub struct CopiedReader<R>(pub R);

impl<R: Read> Read for CopiedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: Read + Send> Lender for CopiedReader<R> {
    fn lend(&mut self, _: usize) -> Option<Loan> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_order_and_none_leaves_the_bytes() {
        let held: Arc<dyn AsRef<[u8]> + Send + Sync> = Arc::new((0..100).collect::<Vec<u8>>());
        let mut rest = Loan::new(held.clone(), 10..30);
        let (first, second, third) = (rest.take(15), rest.take(15), rest.take(15));
        assert_eq!((&first[..], &second[..]), (&(10..25).collect::<Vec<u8>>()[..], &[25, 26, 27, 28, 29][..]));
        assert!(third.is_empty() && rest.is_empty());
        drop((first, second, third, rest));
        assert_eq!(Arc::strong_count(&held), 1, "the bytes are given back");
        assert!(Loan::new(held.clone(), 90..101).is_empty() && Loan::new(held, 101..102).is_empty());
    }
}
