//! Consecutive pieces of a message that lie apart in memory.

use std::borrow::Cow;

/// Consecutive pieces, cut into parts of any length. A hasher that divides a message cuts the
/// chunks of a reader so.
///
/// ```
/// let mut rope = pfh_digest::Rope::new(&[b"ab", b"c", b"defg"]);
/// assert_eq!((rope.len(), &*rope.take(2), &*rope.take(3)), (7, &b"ab"[..], &b"cde"[..]));
/// let mut rest = Vec::new();
/// rope.rest(&mut rest);
/// assert_eq!(rest, b"fg");
/// ```
#[derive(Clone, Debug)]
pub struct Rope<'a> {
    /// The rest of the piece at hand.
    current: &'a [u8],
    later: &'a [&'a [u8]],
    length: usize,
}

impl<'a> Rope<'a> {
    /// The pieces, from first to last.
    pub fn new(pieces: &'a [&'a [u8]]) -> Rope<'a> {
        Rope { current: &[], later: pieces, length: pieces.iter().map(|piece| piece.len()).sum() }
    }

    /// Bytes that have not been taken.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether all has been taken.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The next bytes, as many as there are up to the end of a piece or `most`; none only at the
    /// end, or if none are wanted.
    pub fn some(&mut self, most: usize) -> &'a [u8] {
        while self.current.is_empty() {
            let Some((next, later)) = self.later.split_first() else { break };
            (self.current, self.later) = (next, later);
        }
        let (some, rest) = self.current.split_at(most.min(self.current.len()));
        self.current = rest;
        self.length -= some.len();
        some
    }

    /// The next `length` bytes, or all if there are fewer; copied only where they lie in more than
    /// one piece.
    pub fn take(&mut self, length: usize) -> Cow<'a, [u8]> {
        let length = length.min(self.length);
        let first = self.some(length);
        if first.len() == length {
            return Cow::Borrowed(first);
        }
        let mut taken = Vec::with_capacity(length);
        taken.extend_from_slice(first);
        while taken.len() < length {
            taken.extend_from_slice(self.some(length - taken.len()));
        }
        Cow::Owned(taken)
    }

    /// Appends all that is left to `to`.
    pub fn rest(mut self, to: &mut Vec<u8>) {
        to.reserve(self.length);
        while !self.is_empty() {
            to.extend_from_slice(self.some(usize::MAX));
        }
    }
}
