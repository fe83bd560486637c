//! What the registry holds of each algorithm, and how crates further right add to it.

use std::any::Any;

use crate::many::{Kernels, Many};
use crate::{Algorithm, UnknownAlgorithm, Value};

/// The running state of one message under one algorithm: what a [`Row`] constructs and a
/// [`Hasher`](crate::Hasher) drives.
pub trait State: Any + Send + Sync {
    /// Takes in the next bytes of the message; any split into pieces gives the same value.
    fn update(&mut self, bytes: &[u8]);

    /// As [`update`](State::update) with one of the consecutive pieces after the other, and may
    /// hand parts of the work to `executor`; the value is the same. The more bytes come at once,
    /// the less the threads wait for each other. Algorithms that cannot divide a message do not use
    /// it.
    fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        let _ = executor;
        pieces.iter().for_each(|piece| self.update(piece));
    }

    /// Whether [`update_on`](State::update_on) has work for an executor: the algorithm is a tree.
    fn divides(&self) -> bool {
        false
    }

    /// Ends the message. `length` is the number of bytes asked for: the row's own for
    /// [`Output::Fixed`], the stated one for [`Output::Stated`], 0 for [`Output::Text`].
    fn finalize(self: Box<Self>, length: usize) -> Value;

    /// A copy that goes its own way from here.
    fn duplicate(&self) -> Box<dyn State>;
}

/// Whoever runs pieces of work for a hasher, maybe at the same time: a pool of threads, seen from
/// code that knows no threads.
pub trait Executor: Sync {
    /// How many pieces may run at the same time, at least 1. Hashers cut their work accordingly.
    fn width(&self) -> usize;

    /// Runs every task to its end, in any order, and returns after the last.
    fn run(&self, tasks: Vec<Task<'_>>);
}

/// A piece of work for an [`Executor`].
pub type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// The executor without threads: one task after the other.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Executor for Alone {
    fn width(&self) -> usize {
        1
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        tasks.into_iter().for_each(|task| task());
    }
}

/// What an algorithm puts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Always this number of bytes.
    Fixed(usize),
    /// A number of bytes that the caller may state, as in `shake128:64`.
    Stated {
        /// Where none is stated.
        default: usize,
        /// The longest that is accepted.
        maximum: usize,
    },
    /// Text of a length that depends on the message: similarity digests.
    Text,
}

/// What is publicly known against an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Made to resist an adversary, and no collision is known. A short stated output resists less.
    Secure,
    /// Made to resist an adversary, and collisions have been published: proves nothing against a
    /// forger.
    Broken,
    /// Never made to resist an adversary: finds accidents only.
    NonCryptographic,
    /// Made to be alike for inputs that are alike: says nothing of their being equal.
    Similarity,
}

impl Standing {
    /// `secure`, `broken`, `non-cryptographic` or `similarity`.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Secure => "secure",
            Standing::Broken => "broken",
            Standing::NonCryptographic => "non-cryptographic",
            Standing::Similarity => "similarity",
        }
    }
}

/// One algorithm as a registry holds it.
#[derive(Clone, Copy)]
pub struct Row {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) output: Output,
    pub(crate) standing: Standing,
    pub(crate) block: usize,
    pub(crate) start: Start,
    pub(crate) whole: Option<fn(&[u8], usize) -> Value>,
    pub(crate) kernels: Option<fn() -> Kernels>,
    pub(crate) parse: Option<fn(&str) -> Option<Value>>,
    pub(crate) featured: Option<fn() -> Box<dyn State>>,
    pub(crate) fact: Option<&'static (dyn Any + Send + Sync)>,
    pub(crate) stitched: Option<Stitched>,
}

/// Where the rounds of a function that is computed together with others take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stitched {
    /// On instructions of its own, beside everything else.
    OwnInstructions,
    /// In general registers: one such function after the other costs little more than both
    /// together.
    GeneralRegisters,
}

/// Where the states of a row come from.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// One message at a time.
    One(fn() -> Box<dyn State>),
    /// A function that takes many messages at once.
    Many(&'static dyn Many),
}

impl Row {
    /// * `name`: the standard's own, in lower case, no colon; `aliases`: other spellings, likewise,
    ///   with `-` between parts.
    /// * `block`: bytes that the compression function eats at a time, 1 where there is none.
    /// * `start`: the state of the empty message.
    pub const fn new(
        name: &'static str,
        aliases: &'static [&'static str],
        output: Output,
        standing: Standing,
        block: usize,
        start: fn() -> Box<dyn State>,
    ) -> Row {
        Row::of(name, aliases, output, standing, block, Start::One(start))
    }

    const fn of(
        name: &'static str,
        aliases: &'static [&'static str],
        output: Output,
        standing: Standing,
        block: usize,
        start: Start,
    ) -> Row {
        let (whole, kernels, parse, featured, fact) = (None, None, None, None, None);
        Row { name, aliases, output, standing, block, start, whole, kernels, parse, featured, fact, stitched: None }
    }

    /// The same row with a shorter way to the value of a message that is in memory as a whole; it
    /// is given the message and the length that [`State::finalize`] would be given, and must come
    /// to the same value.
    pub const fn with_whole(self, whole: fn(&[u8], usize) -> Value) -> Row {
        Row { whole: Some(whole), ..self }
    }

    /// The same row with the kernels that hash parts of one message at once: those of a tree's
    /// leaves.
    pub const fn with_kernels(self, kernels: fn() -> Kernels) -> Row {
        Row { kernels: Some(kernels), ..self }
    }

    /// A row whose function has kernels for many messages.
    pub(crate) const fn with_lanes(
        name: &'static str,
        aliases: &'static [&'static str],
        output: Output,
        standing: Standing,
        block: usize,
        many: &'static dyn Many,
    ) -> Row {
        Row::of(name, aliases, output, standing, block, Start::Many(many))
    }

    /// The same row of a function that kernels compute together with others of this kind.
    pub(crate) const fn stitched(self, place: Stitched) -> Row {
        Row { stitched: Some(place), ..self }
    }

    /// The same row with what reads the text of its digests.
    pub const fn with_parser(self, parse: fn(&str) -> Option<Value>) -> Row {
        Row { parse: Some(parse), ..self }
    }

    /// The same row with a state whose value keeps the features that its digest is made of. Digest
    /// and text are the same.
    pub const fn with_features(self, start: fn() -> Box<dyn State>) -> Row {
        Row { featured: Some(start), ..self }
    }

    /// The same row with something that its crate knows of it, for [`Algorithm::fact`].
    pub const fn with_fact(self, fact: &'static (dyn Any + Send + Sync)) -> Row {
        Row { fact: Some(fact), ..self }
    }

    /// The state of the empty message; of an algorithm with features one that keeps them.
    pub(crate) fn state(&self, features: bool) -> Box<dyn State> {
        if let Some(start) = self.featured.filter(|_| features) {
            return start();
        }
        match self.start {
            Start::One(start) => start(),
            Start::Many(many) => many.start(),
        }
    }
}

/// Several lists of algorithms under one roof. This crate's own is [`ROWS`](crate::ROWS); tree
/// hashes and similarity digests bring theirs, and whoever depends on all of them joins the lists
/// and passes the registry to what reads names.
#[derive(Clone, Copy)]
pub struct Registry(&'static [&'static [Row]]);

impl Registry {
    /// The lists in the order in which [`all`](Registry::all) tells them. No name may occur twice,
    /// also as an alias.
    pub const fn new(lists: &'static [&'static [Row]]) -> Registry {
        Registry(lists)
    }

    /// Every algorithm in registry order, with its default length.
    pub fn all(self) -> impl Iterator<Item = Algorithm> {
        self.0.iter().flat_map(|&rows| rows).map(Algorithm::from_row)
    }

    /// Finds `sha256`, `SHA-256`, `shake128:64`: a name or alias in any letter case, `_` or `/` for
    /// `-`, and after a colon the bytes of output where the algorithm lets one state them.
    pub fn find(self, text: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let (name, length) = match text.split_once(':') {
            Some((name, length)) => (name, Some(length)),
            None => (text, None),
        };
        let name: String =
            name.chars().map(|c| if matches!(c, '_' | '/') { '-' } else { c.to_ascii_lowercase() }).collect();
        let algorithm = self
            .all()
            .find(|algorithm| algorithm.name() == name || algorithm.aliases().contains(&name.as_str()))
            .ok_or_else(|| UnknownAlgorithm::name(text))?;
        match length {
            None => Ok(algorithm),
            Some(length) => {
                // `parse` alone would take `+64` and `064`, which do not print back.
                let canonical = length.parse().ok().filter(|parsed: &usize| parsed.to_string() == length);
                canonical
                    .and_then(|length| algorithm.with_length(length))
                    .ok_or_else(|| UnknownAlgorithm::length(text, algorithm))
            }
        }
    }
}
