//! One message, several digests, in one pass over its bytes.

use std::any::Any;

use pfh_kernel::{self as kernel, MAX_LANES, Word, stitched};

use crate::function::{Blocks, Function};
use crate::{Algorithm, Hasher, State, functions};

/// Bytes that every hasher takes in before the next ones are looked at: they stay in the
/// first-level cache until the last hasher has had them.
const PIECE: usize = 16 << 10;

/// Advances each hasher by the same bytes, as [`Hasher::update`] would. MD5, SHA-1, SHA-256 or
/// SHA-224, and SHA-512 or SHA-384 of a message, or some of them, are computed in one go where that
/// is faster on this CPU: MD5, SHA-1 and SHA-256 together take little longer than MD5 alone.
pub fn update_together(hashers: &mut [&mut Hasher], bytes: &[u8]) {
    // One alone needs no cutting into pieces for the others' sake.
    if let [hasher] = hashers {
        return hasher.update(bytes);
    }
    let mut set = Set::default();
    let mut others: Vec<&mut dyn State> = Vec::with_capacity(hashers.len());
    for hasher in hashers {
        if let Err(state) = set.join(&mut *hasher.state) {
            others.push(state);
        }
    }
    let (first, rest) = bytes.split_at(bytes.len().min(set.until_whole()));
    set.update_apart(first);
    others.iter_mut().for_each(|state| state.update(first));
    for piece in rest.chunks(PIECE) {
        set.update(piece);
        others.iter_mut().for_each(|state| state.update(piece));
    }
}

/// Up to how many messages [`update_together`], one message after the other, is cheaper than each
/// algorithm with all messages in lanes ([`advance_many`](crate::advance_many)): by the costs of
/// the kernels on this machine, at least 1. The results are the same.
pub fn few(algorithms: &[Algorithm]) -> usize {
    // Two of one function, or others beside them: their cost together is unknown.
    if algorithms.len() < 2 || !algorithms.iter().all(|algorithm| algorithm.is_stitched()) {
        return 1;
    }
    let mut hashers: Vec<Hasher> = algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
    let mut set = Set::default();
    if !hashers.iter_mut().all(|hasher| set.join(&mut *hasher.state).is_ok()) {
        return 1;
    }
    let functions = set.functions();
    let Some(together) = stitched::picoseconds(functions) else { return 1 };
    // Of as many bytes: the longest block.
    let cost = |one, messages| match one {
        stitched::Set::MD5 => 2 * kernel::MD5.picoseconds(messages),
        stitched::Set::SHA1 => 2 * kernel::SHA1.picoseconds(messages),
        stitched::Set::SHA256 => 2 * kernel::SHA256.picoseconds(messages),
        _ => kernel::SHA512.picoseconds(messages),
    };
    let lanes = |messages: usize| functions.each().map(|one| cost(one, messages)).sum::<u64>();
    (2..=MAX_LANES).take_while(|messages| together * (*messages as u64) < lanes(*messages)).last().unwrap_or(1)
}

/// Hashers that are advanced together. All have come to the same place of a block of 64 bytes.
#[derive(Default)]
struct Set<'a> {
    md5: Option<&'a mut Blocks<u32, 4, 64>>,
    sha1: Option<&'a mut Blocks<u32, 5, 64>>,
    sha256: Option<&'a mut Blocks<u32, 8, 64>>,
    sha512: Option<&'a mut Blocks<u64, 8, 128>>,
    buffered: Option<usize>,
}

impl<'a> Set<'a> {
    /// Takes in a hasher's state, or gives it back if there is no place for it.
    fn join(&mut self, state: &'a mut dyn State) -> Result<(), &'a mut dyn State> {
        fn fits<W: Word, const N: usize, const B: usize>(
            set: Option<usize>,
            state: &dyn State,
            functions: &[&'static Function<W, N, B>],
        ) -> bool {
            let any: &dyn Any = state;
            any.downcast_ref::<Blocks<W, N, B>>().is_some_and(|blocks| {
                functions.iter().any(|function| std::ptr::eq(*function, blocks.function))
                    && set.is_none_or(|buffered| buffered == blocks.buffered() % 64)
            })
        }
        /// The state, and how many bytes of a block of 64 it has.
        fn cast<W: Word, const N: usize, const B: usize>(
            state: &mut dyn State,
        ) -> (Option<&mut Blocks<W, N, B>>, Option<usize>) {
            let any: &mut dyn Any = state;
            let blocks: Option<&mut Blocks<W, N, B>> = any.downcast_mut();
            let buffered = blocks.as_ref().map(|blocks| blocks.buffered() % 64);
            (blocks, buffered)
        }
        const LONG: [&Function<u64, 8, 128>; 4] =
            [&functions::SHA512, &functions::SHA384, &functions::SHA512_256, &functions::SHA512_224];
        if self.md5.is_none() && fits(self.buffered, state, &[&functions::MD5]) {
            (self.md5, self.buffered) = cast(state);
        } else if self.sha1.is_none() && fits(self.buffered, state, &[&functions::SHA1]) {
            (self.sha1, self.buffered) = cast(state);
        } else if self.sha256.is_none() && fits(self.buffered, state, &[&functions::SHA256, &functions::SHA224]) {
            (self.sha256, self.buffered) = cast(state);
        } else if self.sha512.is_none() && fits(self.buffered, state, &LONG) {
            (self.sha512, self.buffered) = cast(state);
        } else {
            return Err(state);
        }
        Ok(())
    }

    /// The functions in it.
    fn functions(&self) -> stitched::Set {
        let one = |is_in, one| if is_in { one } else { stitched::Set::default() };
        one(self.md5.is_some(), stitched::Set::MD5)
            .and(one(self.sha1.is_some(), stitched::Set::SHA1))
            .and(one(self.sha256.is_some(), stitched::Set::SHA256))
            .and(one(self.sha512.is_some(), stitched::Set::SHA512))
    }

    /// Bytes until the buffers are whole blocks.
    fn until_whole(&self) -> usize {
        match &self.sha512 {
            Some(blocks) => (128 - blocks.buffered()) % 128,
            None => (64 - self.buffered.unwrap_or(0)) % 64,
        }
    }

    /// Each by itself.
    fn update_apart(&mut self, bytes: &[u8]) {
        if let Some(blocks) = &mut self.md5 {
            blocks.update(bytes);
        }
        if let Some(blocks) = &mut self.sha1 {
            blocks.update(bytes);
        }
        if let Some(blocks) = &mut self.sha256 {
            blocks.update(bytes);
        }
        if let Some(blocks) = &mut self.sha512 {
            blocks.update(bytes);
        }
    }

    /// All at once; their buffers are empty, unless there are no bytes.
    fn update(&mut self, bytes: &[u8]) {
        let block = if self.sha512.is_some() { 128 } else { 64 };
        let (whole, rest) = bytes.split_at(bytes.len() - bytes.len() % block);
        let mut states = stitched::States::default();
        if let Some(blocks) = &mut self.md5 {
            blocks.take(whole, &mut [0; 64]);
            states.md5 = Some(&mut blocks.state);
        }
        if let Some(blocks) = &mut self.sha1 {
            blocks.take(whole, &mut [0; 64]);
            states.sha1 = Some(&mut blocks.state);
        }
        if let Some(blocks) = &mut self.sha256 {
            blocks.take(whole, &mut [0; 64]);
            states.sha256 = Some(&mut blocks.state);
        }
        if let Some(blocks) = &mut self.sha512 {
            blocks.take(whole, &mut [0; 128]);
            states.sha512 = Some(&mut blocks.state);
        }
        if !whole.is_empty() {
            stitched::compress(states, whole);
        }
        self.update_apart(rest);
    }
}
