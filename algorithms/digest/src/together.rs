//! One message, several digests, in one pass over its bytes.

use std::any::Any;

use pfh_kernel::{self as kernel, MAX_LANES, Word, stitched};

use crate::function::{Blocks, Function};
use crate::{Algorithm, Hasher, State, functions};

/// What every hasher takes in before the next bytes are looked at: they stay in the first-level
/// cache until the last has had them.
const PIECE: usize = 16 << 10;

/// Advances each hasher by the same bytes, as [`Hasher::update`] would. MD5, SHA-1 and SHA-256 or
/// SHA-224 of a message, or two of them, are computed in one go where the CPU has the SHA
/// extensions: together they take little longer than the slowest alone.
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
/// algorithm with all messages in lanes ([`advance_many`](crate::advance_many)): by what the
/// kernels cost on this machine, at least 1. The results are the same.
pub fn few(algorithms: &[Algorithm]) -> usize {
    // Two of one function, or others beside them: nothing says what they cost together.
    if algorithms.len() < 2 || !algorithms.iter().all(|algorithm| algorithm.is_stitched()) {
        return 1;
    }
    let mut hashers: Vec<Hasher> = algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
    let mut set = Set::default();
    let is_set = hashers.iter_mut().all(|hasher| set.join(&mut *hasher.state).is_ok());
    let (md5, sha1, sha256) = (set.md5.is_some(), set.sha1.is_some(), set.sha256.is_some());
    let Some(together) = is_set.then(|| stitched::picoseconds(md5, sha1, sha256)).flatten() else { return 1 };
    let lanes = |messages: usize| {
        let cost = |wanted: bool, cost: fn(usize) -> u64| if wanted { cost(messages) } else { 0 };
        cost(md5, |messages| kernel::MD5.picoseconds(messages))
            + cost(sha1, |messages| kernel::SHA1.picoseconds(messages))
            + cost(sha256, |messages| kernel::SHA256.picoseconds(messages))
    };
    (2..=MAX_LANES).take_while(|messages| together * (*messages as u64) < lanes(*messages)).last().unwrap_or(1)
}

/// Hashers that one kernel advances. All have the same number of bytes in their buffers.
#[derive(Default)]
struct Set<'a> {
    md5: Option<&'a mut Blocks<u32, 4, 64>>,
    sha1: Option<&'a mut Blocks<u32, 5, 64>>,
    sha256: Option<&'a mut Blocks<u32, 8, 64>>,
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
                    && set.is_none_or(|buffered| buffered == blocks.buffered())
            })
        }
        fn cast<W: Word, const N: usize, const B: usize>(state: &mut dyn State) -> Option<&mut Blocks<W, N, B>> {
            let any: &mut dyn Any = state;
            any.downcast_mut()
        }
        if self.md5.is_none() && fits(self.buffered, state, &[&functions::MD5]) {
            self.md5 = cast(state);
        } else if self.sha1.is_none() && fits(self.buffered, state, &[&functions::SHA1]) {
            self.sha1 = cast(state);
        } else if self.sha256.is_none() && fits(self.buffered, state, &[&functions::SHA256, &functions::SHA224]) {
            self.sha256 = cast(state);
        } else {
            return Err(state);
        }
        let buffered = [
            self.md5.as_ref().map(|blocks| blocks.buffered()),
            self.sha1.as_ref().map(|blocks| blocks.buffered()),
            self.sha256.as_ref().map(|blocks| blocks.buffered()),
        ];
        self.buffered = buffered.into_iter().flatten().next();
        Ok(())
    }

    /// Bytes until the buffers are whole blocks.
    fn until_whole(&self) -> usize {
        (64 - self.buffered.unwrap_or(0)) % 64
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
    }

    /// All at once; their buffers are empty, unless there are no bytes.
    fn update(&mut self, bytes: &[u8]) {
        let mut body: &[u8] = &[];
        let mut none = [0; 64];
        let mut states = stitched::States::default();
        if let Some(blocks) = &mut self.md5 {
            (_, body) = blocks.take(bytes, &mut none);
            states.md5 = Some(&mut blocks.state);
        }
        if let Some(blocks) = &mut self.sha1 {
            (_, body) = blocks.take(bytes, &mut none);
            states.sha1 = Some(&mut blocks.state);
        }
        if let Some(blocks) = &mut self.sha256 {
            (_, body) = blocks.take(bytes, &mut none);
            states.sha256 = Some(&mut blocks.state);
        }
        stitched::compress(states, body);
    }
}
