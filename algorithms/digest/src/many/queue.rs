//! What the lanes work on: whole messages, pieces of messages, ends of messages.

use pfh_kernel::Word;

use super::lanes::{Queue, Slot};
use crate::function::{Blocks, Function};
use crate::{Algorithm, Digest, Hasher};

/// The order in which messages of these lengths should begin: the longer ones first, so that no long one is left alone at the end.
/// Lengths of the same power of two count as equal and keep their order, which takes one pass instead of a sort.
fn longest_first(lengths: impl Iterator<Item = usize> + Clone) -> Vec<usize> {
    let class = |length: usize| length.leading_zeros() as usize;
    let mut counts = [0usize; usize::BITS as usize + 1];
    for length in lengths.clone() {
        counts[class(length)] += 1;
    }
    let mut start = 0;
    for count in &mut counts {
        (*count, start) = (start, start + *count);
    }
    let mut order = vec![0; start];
    for (index, length) in lengths.enumerate() {
        let place = &mut counts[class(length)];
        order[*place] = index;
        *place += 1;
    }
    order
}

/// Whole messages.
pub(super) struct Messages<'m, 'a, W: 'static, const N: usize, const B: usize> {
    function: &'static Function<W, N, B>,
    algorithm: Algorithm,
    messages: &'m [&'a [u8]],
    order: std::vec::IntoIter<usize>,
    digests: Vec<Option<Digest>>,
}

impl<'m, 'a, W: Word, const N: usize, const B: usize> Messages<'m, 'a, W, N, B> {
    pub(super) fn new(function: &'static Function<W, N, B>, algorithm: Algorithm, messages: &'m [&'a [u8]]) -> Self {
        let order = longest_first(messages.iter().map(|message| message.len())).into_iter();
        let digests = vec![None; messages.len()];
        Messages { function, algorithm, messages, order, digests }
    }

    pub(super) fn digests(self) -> Vec<Digest> {
        self.digests.into_iter().map(|digest| digest.expect("every message has its digest")).collect()
    }
}

impl<'a, W: Word, const N: usize, const B: usize> Queue<'a, W, N, B> for Messages<'_, 'a, W, N, B> {
    fn submit(&mut self, slot: &mut Slot<'a, W, N, B>) -> bool {
        let Some(id) = self.order.next() else { return false };
        let message = self.messages[id];
        let (body, rest) = message.split_at(message.len() - message.len() % B);
        slot.id = id;
        slot.state = self.function.initial();
        let own = self.function.pad(rest, message.len() as u128, &mut slot.own);
        slot.body_first(body, own);
        true
    }

    fn evict(&mut self, slot: &Slot<'a, W, N, B>) {
        let value = self.function.output(slot.state, self.algorithm.length());
        self.digests[slot.id] = Some(Digest::new(self.algorithm, value));
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

    fn evict(&mut self, slot: &Slot<'a, W, N, B>) {
        self.pieces[slot.id].0.state = slot.state;
    }

    fn waiting(&self) -> usize {
        self.order.len()
    }
}

/// Ends of messages: only the padding is still to come.
pub(super) struct Ends<W: 'static, const N: usize, const B: usize> {
    function: &'static Function<W, N, B>,
    hashers: Vec<Option<Hasher>>,
    next: usize,
    digests: Vec<Option<Digest>>,
}

impl<W: Word, const N: usize, const B: usize> Ends<W, N, B> {
    pub(super) fn new(function: &'static Function<W, N, B>, hashers: Vec<Hasher>) -> Self {
        let digests = vec![None; hashers.len()];
        Ends { function, hashers: hashers.into_iter().map(Some).collect(), next: 0, digests }
    }

    pub(super) fn digests(self) -> Vec<Digest> {
        self.digests.into_iter().map(|digest| digest.expect("every message has its digest")).collect()
    }
}

impl<W: Word, const N: usize, const B: usize> Queue<'_, W, N, B> for Ends<W, N, B> {
    fn submit(&mut self, slot: &mut Slot<'_, W, N, B>) -> bool {
        while let Some(hasher) = self.hashers.get_mut(self.next) {
            let id = self.next;
            self.next += 1;
            if let Some(blocks) = hasher.as_mut().and_then(|hasher| self.function.state(hasher)) {
                slot.id = id;
                slot.state = blocks.state;
                let own = blocks.pad(&mut slot.own);
                slot.own_first(own, &[]);
                return true;
            }
            self.digests[id] = hasher.take().map(Hasher::finalize);
        }
        false
    }

    fn evict(&mut self, slot: &Slot<'_, W, N, B>) {
        let algorithm = self.hashers[slot.id].as_ref().expect("it is in the lane").algorithm();
        let value = self.function.output(slot.state, algorithm.length());
        self.digests[slot.id] = Some(Digest::new(algorithm, value));
    }

    fn waiting(&self) -> usize {
        self.hashers.len() - self.next
    }
}
