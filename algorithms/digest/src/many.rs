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
use crate::row::Many;
use crate::{Algorithm, Digest, Hasher, Kernels, Mac, State, Value};

/// The digests of whole messages, in the order of the messages.
pub fn hash_many(algorithm: Algorithm, messages: &[&[u8]]) -> Vec<Digest> {
    advance_many(algorithm, &mut [], messages)
}

/// Advances each hasher by its bytes, as [`Hasher::update`] would. All hashers should be of one
/// algorithm: lanes are shared among equals only. Their keys may differ.
pub fn update_many(jobs: &mut [(&mut Hasher, &[u8])]) {
    match jobs.first().and_then(|(hasher, _)| hasher.algorithm().row().many()) {
        Some(many) if jobs.len() > 1 => match jobs[0].0.algorithm().is_keyed() {
            true => many.update(&mut inner(jobs)),
            false => many.update(jobs),
        },
        _ => jobs.iter_mut().for_each(|(hasher, bytes)| hasher.update(bytes)),
    }
}

/// Both at once, so that the ones fill the lanes beside the others: advances each hasher of
/// `pieces` by its bytes, as [`update_many`] does, and returns the digests of the whole `messages`,
/// as [`hash_many`] does. All hashers should be of `algorithm`.
pub fn advance_many(algorithm: Algorithm, pieces: &mut [(&mut Hasher, &[u8])], messages: &[&[u8]]) -> Vec<Digest> {
    let Some(many) = algorithm.row().many().filter(|_| pieces.len() + messages.len() > 1) else {
        pieces.iter_mut().for_each(|(hasher, bytes)| hasher.update(bytes));
        return messages.iter().map(|message| algorithm.digest(message)).collect();
    };
    if !algorithm.is_keyed() {
        return many.advance(algorithm, None, pieces, messages);
    }
    let pieces = &mut inner(pieces);
    if messages.is_empty() {
        many.update(pieces);
        return Vec::new();
    }
    let mut hasher = algorithm.hasher();
    let Mac { inner, outer } = mac(&mut hasher).expect("a row with lanes has this state");
    let digests = many.advance(inner.algorithm(), Some(inner), pieces, messages);
    let digests: Vec<&[u8]> = digests.iter().map(Digest::bytes).collect();
    many.advance(algorithm, Some(outer), &mut [], &digests)
}

/// Ends many messages at once; the digests in the order of the hashers.
pub fn finalize_many(mut hashers: Vec<Hasher>) -> Vec<Digest> {
    let first = hashers.first().map(Hasher::algorithm);
    match first.and_then(|algorithm| algorithm.row().many()).filter(|_| hashers.len() > 1) {
        Some(many) if !hashers[0].algorithm().is_keyed() => many.finalize(hashers),
        Some(many) if hashers.iter_mut().all(|hasher| mac(hasher).is_some()) => codes(many, hashers),
        _ => hashers.into_iter().map(Hasher::finalize).collect(),
    }
}

/// The codes of keyed messages, each of whose states is HMAC's.
fn codes(many: &'static dyn Many, hashers: Vec<Hasher>) -> Vec<Digest> {
    let algorithms: Vec<Algorithm> = hashers.iter().map(Hasher::algorithm).collect();
    let macs = hashers.into_iter().filter_map(|hasher| {
        let state: Box<dyn Any> = hasher.state;
        state.downcast::<Mac>().ok().map(|mac| (mac.inner, mac.outer))
    });
    let (inner, mut outer): (Vec<Hasher>, Vec<Hasher>) = macs.unzip();
    for (outer, inner) in outer.iter_mut().zip(many.finalize(inner)) {
        outer.update(inner.bytes());
    }
    let codes = algorithms.into_iter().zip(many.finalize(outer));
    codes.map(|(algorithm, code)| Digest::new(algorithm, Value::from_bytes(code.bytes()))).collect()
}

/// The state of a hasher under a key, if it is HMAC's.
fn mac(hasher: &mut Hasher) -> Option<&mut Mac> {
    let any: &mut dyn Any = &mut *hasher.state;
    any.downcast_mut()
}

/// The hashers to which the bytes of keyed messages go; hashers that are not HMAC's stand for
/// themselves.
fn inner<'s, 'a>(jobs: &'s mut [(&mut Hasher, &'a [u8])]) -> Vec<(&'s mut Hasher, &'a [u8])> {
    let of = |hasher: &'s mut Hasher| match mac(hasher) {
        Some(_) => &mut mac(hasher).expect("looked at just now").inner,
        None => hasher,
    };
    jobs.iter_mut().map(|(hasher, bytes)| (of(hasher), *bytes)).collect()
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

    fn update(&'static self, jobs: &mut [(&mut Hasher, &[u8])]) {
        lanes::run(&self.choice(), &mut queue::Pieces::new(self.states(jobs)));
    }

    fn advance(
        &'static self,
        algorithm: Algorithm,
        begun: Option<&Hasher>,
        pieces: &mut [(&mut Hasher, &[u8])],
        messages: &[&[u8]],
    ) -> Vec<Digest> {
        let begun = match begun {
            None => Blocks::sized(self, algorithm.length()),
            Some(hasher) => self.begun(hasher).expect("a hasher of this function").clone(),
        };
        let mut messages = queue::Messages::new(begun, algorithm, messages);
        if pieces.is_empty() {
            lanes::run(&self.choice(), &mut messages);
            return messages.digests();
        }
        let mut both = queue::PiecesAndMessages::new(queue::Pieces::new(self.states(pieces)), messages);
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

    /// The state of a hasher that others are to begin with, if it is of this function.
    fn begun<'a>(&'static self, hasher: &'a Hasher) -> Option<&'a Blocks<W, N, B>> {
        let any: &dyn Any = &*hasher.state;
        any.downcast_ref::<Blocks<W, N, B>>().filter(|state| std::ptr::eq(state.function, self))
    }

    /// The state of a hasher, if it is of this function.
    fn state<'a>(&'static self, hasher: &'a mut Hasher) -> Option<&'a mut Blocks<W, N, B>> {
        let any: &mut dyn Any = &mut *hasher.state;
        any.downcast_mut::<Blocks<W, N, B>>().filter(|state| std::ptr::eq(state.function, self))
    }
}
