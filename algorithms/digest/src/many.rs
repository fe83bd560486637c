//! Several messages of one algorithm at once.
//!
//! The functions below take the messages of a caller: whole messages, pieces of messages, or
//! messages that end. Algorithms with kernels for many messages share them out among SIMD lanes
//! ([`lanes`]); the others take one after another. The results are the same.

#[cfg(test)]
mod cavp;
#[cfg(test)]
mod grid;
mod lanes;
mod queue;

use std::any::Any;

use pfh_kernel::{Kernel, Word};

use crate::function::{Blocks, Function};
use crate::row::{Many, Start};
use crate::{Algorithm, Digest, Hasher, Kernels, State};

/// The digests of whole messages, in the order of the messages.
pub fn hash_many(algorithm: Algorithm, messages: &[&[u8]]) -> Vec<Digest> {
    match algorithm.row().start {
        Start::Many(many) => many.hash(algorithm, messages),
        _ => messages.iter().map(|message| algorithm.digest(message)).collect(),
    }
}

/// Advances each hasher by its bytes, as [`Hasher::update`] would. All hashers should be of one
/// algorithm: lanes are shared among equals only.
pub fn update_many(jobs: &mut [(&mut Hasher, &[u8])]) {
    match jobs.first().map(|(hasher, _)| hasher.algorithm().row().start) {
        Some(Start::Many(many)) if jobs.len() > 1 => many.update(jobs),
        _ => jobs.iter_mut().for_each(|(hasher, bytes)| hasher.update(bytes)),
    }
}

/// Both at once, so that the ones fill the lanes beside the others: advances each hasher of
/// `pieces` by its bytes, as [`update_many`] does, and returns the digests of the whole `messages`,
/// as [`hash_many`] does. All hashers should be of `algorithm`.
pub fn advance_many(algorithm: Algorithm, pieces: &mut [(&mut Hasher, &[u8])], messages: &[&[u8]]) -> Vec<Digest> {
    match algorithm.row().start {
        Start::Many(many) if pieces.len() + messages.len() > 1 => many.advance(algorithm, pieces, messages),
        _ => {
            update_many(pieces);
            hash_many(algorithm, messages)
        }
    }
}

/// Ends many messages at once; the digests in the order of the hashers.
pub fn finalize_many(hashers: Vec<Hasher>) -> Vec<Digest> {
    match hashers.first().map(|hasher| hasher.algorithm().row().start) {
        Some(Start::Many(many)) if hashers.len() > 1 => many.finalize(hashers),
        _ => hashers.into_iter().map(Hasher::finalize).collect(),
    }
}

impl<W: Word, const N: usize, const B: usize> Many for Function<W, N, B> {
    fn kernels(&'static self) -> Kernels {
        Kernels::of(self.compression())
    }

    fn start(&'static self, length: usize) -> Box<dyn State> {
        Box::new(Blocks::sized(self, length))
    }

    fn is_sized(&self) -> bool {
        Function::is_sized(self)
    }

    fn hash(&'static self, algorithm: Algorithm, messages: &[&[u8]]) -> Vec<Digest> {
        let mut messages = queue::Messages::new(self, algorithm, messages);
        lanes::run(&self.choice(), &mut messages);
        messages.digests()
    }

    fn update(&'static self, jobs: &mut [(&mut Hasher, &[u8])]) {
        lanes::run(&self.choice(), &mut queue::Pieces::new(self.states(jobs)));
    }

    fn advance(
        &'static self,
        algorithm: Algorithm,
        pieces: &mut [(&mut Hasher, &[u8])],
        messages: &[&[u8]],
    ) -> Vec<Digest> {
        let pieces = queue::Pieces::new(self.states(pieces));
        let mut both = queue::Both::new(pieces, queue::Messages::new(self, algorithm, messages));
        lanes::run(&self.choice(), &mut both);
        both.digests()
    }

    fn finalize(&'static self, hashers: Vec<Hasher>) -> Vec<Digest> {
        let mut ends = queue::Ends::new(self, hashers);
        lanes::run(&self.choice(), &mut ends);
        ends.digests()
    }
}

impl<W: Word, const N: usize, const B: usize> Function<W, N, B> {
    /// The best kernel of this machine for a number of messages.
    fn choice(&self) -> impl Fn(usize) -> &'static Kernel<W> + use<W, N, B> {
        let compression = self.compression();
        move |messages| compression.many(messages)
    }

    /// The states of hashers with their bytes; hashers of other functions are advanced here, one by
    /// one.
    fn states<'s, 'a>(
        &'static self,
        jobs: &'s mut [(&mut Hasher, &'a [u8])],
    ) -> Vec<(&'s mut Blocks<W, N, B>, &'a [u8])> {
        let mut states = Vec::with_capacity(jobs.len());
        for (hasher, bytes) in jobs {
            match self.state(hasher) {
                Some(_) => states.push((self.state(hasher).expect("looked at just now"), *bytes)),
                None => hasher.update(bytes),
            }
        }
        states
    }

    /// The state of a hasher, if it is of this function.
    fn state<'a>(&'static self, hasher: &'a mut Hasher) -> Option<&'a mut Blocks<W, N, B>> {
        let any: &mut dyn Any = &mut *hasher.state;
        any.downcast_mut::<Blocks<W, N, B>>().filter(|state| std::ptr::eq(state.function, self))
    }
}
