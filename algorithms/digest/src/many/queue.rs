//! The work of the lanes: whole messages, pieces of messages, ends of messages.

use pfh_kernel::Word;

use super::lanes::{Queue, Slot};
use crate::function::{Blocks, Function};
use crate::{Algorithm, Digest, Hasher};

/// The order in which messages of these lengths should begin: the longer ones first, so that no
/// long one is left alone at the end. Lengths that differ by less than an eighth count as equal and
/// keep their order, which takes one pass instead of a sort.
fn longest_first(lengths: impl Iterator<Item = usize> + Clone) -> Vec<usize> {
    // The place of the highest bit and the three bits below it, longest first; below eight bytes
    // the length itself.
    const CLASSES: usize = 8 * (usize::BITS as usize - 2);
    let class = |length: usize| {
        let shift = length.max(8).ilog2() - 3;
        CLASSES - 1 - (8 * shift as usize + (length >> shift))
    };
    let mut counts = [0u32; CLASSES];
    for length in lengths.clone() {
        counts[class(length)] += 1;
    }
    let mut start = 0;
    for count in &mut counts {
        (*count, start) = (start, start + *count);
    }
    let mut order = vec![0; start as usize];
    for (index, length) in lengths.enumerate() {
        let place = &mut counts[class(length)];
        order[*place as usize] = index;
        *place += 1;
    }
    order
}

/// Whole messages, or all that comes after a common beginning.
pub(super) struct Messages<'m, 'a, W: 'static, const N: usize, const B: usize> {
    /// Whole blocks that come before each.
    begun: Blocks<W, N, B>,
    messages: &'m [&'a [u8]],
    order: std::vec::IntoIter<usize>,
    digests: Vec<Digest>,
    done: usize,
}

impl<'m, 'a, W: Word, const N: usize, const B: usize> Messages<'m, 'a, W, N, B> {
    /// Messages that all begin with the blocks of `begun`; their digests are of `algorithm`.
    ///
    /// # Panics
    /// If `begun` has bytes beyond its whole blocks.
    pub(super) fn new(begun: Blocks<W, N, B>, algorithm: Algorithm, messages: &'m [&'a [u8]]) -> Self {
        assert_eq!(begun.buffered(), 0, "a common beginning is of whole blocks");
        let order = longest_first(messages.iter().map(|message| message.len())).into_iter();
        let digests = messages.iter().map(|_| Digest::blank(algorithm)).collect();
        Messages { begun, messages, order, digests, done: 0 }
    }

    pub(super) fn digests(self) -> Vec<Digest> {
        assert_eq!(self.done, self.digests.len(), "every message has its digest");
        self.digests
    }
}

impl<'a, W: Word, const N: usize, const B: usize> Queue<'a, W, N, B> for Messages<'_, 'a, W, N, B> {
    fn submit(&mut self, slot: &mut Slot<'a, W, N, B>) -> bool {
        let Some(id) = self.order.next() else { return false };
        let (message, function) = (self.messages[id], self.begun.function);
        let (body, rest) = message.split_at(function.body(message.len()));
        let length = self.begun.length() + message.len() as u128;
        slot.id = id;
        slot.state = self.begun.state;
        let own = function.pad(rest, length, &mut slot.own);
        slot.body_first(body, own, function.end(length));
        true
    }

    #[inline]
    fn evict(&mut self, id: usize, state: impl Fn(usize) -> W) {
        self.begun.function.finish(state, &mut self.digests[id]);
        self.done += 1;
    }

    fn waiting(&self) -> usize {
        self.order.len()
    }
}

/// Pieces of messages: a state and the bytes that it is to take in.
pub(super) struct Pieces<'s, 'a, W: 'static, const N: usize, const B: usize> {
    pieces: Vec<(&'s mut Blocks<W, N, B>, &'a [u8])>,
    order: std::vec::IntoIter<usize>,
}

impl<'s, 'a, W: Word, const N: usize, const B: usize> Pieces<'s, 'a, W, N, B> {
    pub(super) fn new(pieces: Vec<(&'s mut Blocks<W, N, B>, &'a [u8])>) -> Self {
        let order = longest_first(pieces.iter().map(|(_, bytes)| bytes.len())).into_iter();
        Pieces { pieces, order }
    }
}

impl<'a, W: Word, const N: usize, const B: usize> Queue<'a, W, N, B> for Pieces<'_, 'a, W, N, B> {
    fn submit(&mut self, slot: &mut Slot<'a, W, N, B>) -> bool {
        for id in self.order.by_ref() {
            let (blocks, bytes) = &mut self.pieces[id];
            let (has_first, body) = blocks.take(bytes, &mut slot.own[0]);
            if has_first || !body.is_empty() {
                slot.id = id;
                slot.state = blocks.state;
                slot.own_first(if has_first { B } else { 0 }, body);
                return true;
            }
        }
        false
    }

    fn evict(&mut self, id: usize, state: impl Fn(usize) -> W) {
        self.pieces[id].0.state = std::array::from_fn(state);
    }

    fn waiting(&self) -> usize {
        self.order.len()
    }
}

/// Pieces of messages, and whole messages beside them: the longer ones first, whichever they are.
pub(super) struct PiecesAndMessages<'s, 'm, 'a, W: 'static, const N: usize, const B: usize> {
    pieces: Pieces<'s, 'a, W, N, B>,
    messages: Messages<'m, 'a, W, N, B>,
}

impl<'s, 'm, 'a, W: Word, const N: usize, const B: usize> PiecesAndMessages<'s, 'm, 'a, W, N, B> {
    pub(super) fn new(pieces: Pieces<'s, 'a, W, N, B>, messages: Messages<'m, 'a, W, N, B>) -> Self {
        PiecesAndMessages { pieces, messages }
    }

    pub(super) fn digests(self) -> Vec<Digest> {
        self.messages.digests()
    }
}

impl<'a, W: Word, const N: usize, const B: usize> Queue<'a, W, N, B> for PiecesAndMessages<'_, '_, 'a, W, N, B> {
    fn submit(&mut self, slot: &mut Slot<'a, W, N, B>) -> bool {
        let piece = self.pieces.order.as_slice().first().map(|id| self.pieces.pieces[*id].1.len());
        let message = self.messages.order.as_slice().first().map(|id| self.messages.messages[*id].len());
        // Of pieces in which no block became whole none may be left.
        if piece >= message && piece.is_some() && self.pieces.submit(slot) {
            return true;
        }
        if self.messages.submit(slot) {
            slot.id += self.pieces.pieces.len();
            return true;
        }
        self.pieces.submit(slot)
    }

    #[inline]
    fn evict(&mut self, id: usize, state: impl Fn(usize) -> W) {
        match id.checked_sub(self.pieces.pieces.len()) {
            Some(id) => self.messages.evict(id, state),
            None => self.pieces.evict(id, state),
        }
    }

    fn waiting(&self) -> usize {
        self.pieces.waiting() + self.messages.waiting()
    }
}

/// Ends of messages: only the padding is still to come.
pub(super) struct Ends<W: 'static, const N: usize, const B: usize> {
    function: &'static Function<W, N, B>,
    hashers: Vec<Option<Hasher>>,
    next: usize,
    digests: Vec<Digest>,
    done: usize,
}

impl<W: Word, const N: usize, const B: usize> Ends<W, N, B> {
    pub(super) fn new(function: &'static Function<W, N, B>, hashers: Vec<Hasher>) -> Self {
        let digests = hashers.iter().map(|hasher| Digest::blank(hasher.algorithm())).collect();
        Ends { function, hashers: hashers.into_iter().map(Some).collect(), next: 0, digests, done: 0 }
    }

    pub(super) fn digests(self) -> Vec<Digest> {
        assert_eq!(self.done, self.digests.len(), "every message has its digest");
        self.digests
    }
}

impl<W: Word, const N: usize, const B: usize> Queue<'_, W, N, B> for Ends<W, N, B> {
    fn submit(&mut self, slot: &mut Slot<'_, W, N, B>) -> bool {
        while let Some(hasher) = self.hashers.get_mut(self.next) {
            let id = self.next;
            self.next += 1;
            if let Some(blocks) = hasher.as_mut().and_then(|hasher| self.function.state(hasher)) {
                slot.id = id;
                slot.state = blocks.ending();
                let own = blocks.pad(&mut slot.own);
                slot.own_first(own, &[]);
                return true;
            }
            self.digests[id] = hasher.take().expect("taken once").finalize();
            self.done += 1;
        }
        false
    }

    fn evict(&mut self, id: usize, state: impl Fn(usize) -> W) {
        self.function.finish(state, &mut self.digests[id]);
        self.done += 1;
    }

    fn waiting(&self) -> usize {
        self.hashers.len() - self.next
    }
}

#[cfg(test)]
mod tests {
    use super::longest_first;

    #[test]
    fn every_message_once_and_the_longer_first() {
        let lengths: Vec<usize> = (0..5000usize)
            .map(|i| i.wrapping_mul(0x9e3779b97f4a7c15) >> (i % 64))
            .chain([0, 1, 7, 8, 9, 15, 16, usize::MAX, usize::MAX - 1, 1 << 63])
            .collect();
        let order = longest_first(lengths.iter().copied());
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..lengths.len()));
        for pair in order.windows(2) {
            let (before, after) = (lengths[pair[0]], lengths[pair[1]]);
            assert!(after <= before.saturating_add(before / 8), "{before} before {after}");
        }
    }
}
