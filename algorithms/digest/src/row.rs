//! The registry's entry for each algorithm.

use std::any::Any;

use crate::parameters::Parametric;
use crate::{Algorithm, Digest, Hasher, Kernels, State, Value};

/// The kind of an algorithm's output.
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

/// Public attacks on an algorithm.
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
    pub(crate) stitched: Option<StitchPlace>,
    pub(crate) parameters: Option<&'static dyn Parametric>,
}

/// Where the rounds of a function that is computed together with others take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StitchPlace {
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
    /// One message at a time under a key.
    Keyed(&'static dyn KeyedFunction),
    /// A function that takes many messages at once.
    Many(&'static dyn Many),
}

/// A function of a key and a message, to which a row of the registry refers.
pub(crate) trait KeyedFunction: Sync {
    /// The fault of a key, if any.
    fn refuses(&self, key: &[u8]) -> Option<&'static str>;
    /// The state of the empty message of the row called `name` under a key that is not refused.
    fn start(&'static self, name: &str, key: &[u8]) -> Box<dyn State>;
    /// Whether another length of the output is another function, not a part of a longer output.
    fn is_sized(&self) -> bool {
        false
    }
    /// The function in whose lanes messages of the row called `name` are hashed: every state of the
    /// row is a [`Mac`](crate::Mac) of it. `None` where it has no lanes.
    fn lanes(&self, name: &str) -> Option<&'static dyn Many> {
        let _ = name;
        None
    }
}

/// A function that takes many messages at once, to which a row of the registry refers.
pub(crate) trait Many: Sync {
    /// The kernels that this machine uses.
    fn kernels(&'static self) -> Kernels;
    /// The state of the empty message with `length` bytes of output.
    fn start(&'static self, length: usize) -> Box<dyn State>;
    /// Whether another length of the output is another function, not a part of a longer output.
    fn is_sized(&self) -> bool;
    /// [`update_many`](crate::update_many); hashers of other functions are advanced too, one by
    /// one.
    fn update(&'static self, jobs: &mut [(&mut Hasher, &[u8])]);
    /// [`advance_many`](crate::advance_many). Before each of the messages comes what `begun`, a
    /// hasher of this function, has taken in: whole blocks, if any. The digests are of `algorithm`.
    fn advance(
        &'static self,
        algorithm: Algorithm,
        begun: Option<&Hasher>,
        pieces: &mut [(&mut Hasher, &[u8])],
        messages: &[&[u8]],
    ) -> Vec<Digest>;
    /// [`finalize_many`](crate::finalize_many); hashers of other functions are finished too, one by
    /// one.
    fn finalize(&'static self, hashers: Vec<Hasher>) -> Vec<Digest>;
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
        let (stitched, parameters) = (None, None);
        Row {
            name,
            aliases,
            output,
            standing,
            block,
            start,
            whole,
            kernels,
            parse,
            featured,
            fact,
            stitched,
            parameters,
        }
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

    /// A row that computes nothing without a key.
    pub(crate) const fn keyed(
        name: &'static str,
        aliases: &'static [&'static str],
        output: Output,
        standing: Standing,
        block: usize,
        function: &'static dyn KeyedFunction,
    ) -> Row {
        Row::of(name, aliases, output, standing, block, Start::Keyed(function))
    }

    /// The same row of a function that kernels compute together with others of this kind.
    pub(crate) const fn stitched(self, place: StitchPlace) -> Row {
        Row { stitched: Some(place), ..self }
    }

    /// The same row with the function that reads the text of its digests.
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

    /// The same row as one of a family of functions, whose parameters may be stated.
    pub const fn with_parameters(self, family: &'static dyn Parametric) -> Row {
        Row { parameters: Some(family), ..self }
    }

    /// The function in whose lanes its messages are hashed, with a key or without.
    pub(crate) fn many(&self) -> Option<&'static dyn Many> {
        match self.start {
            Start::One(_) => None,
            Start::Keyed(function) => function.lanes(self.name),
            Start::Many(many) => Some(many),
        }
    }

    /// The state of the empty message with `length` bytes of output; of an algorithm with features
    /// one that keeps them.
    pub(crate) fn state(&self, length: usize, features: bool, key: Option<&[u8]>) -> Box<dyn State> {
        if let Some(start) = self.featured.filter(|_| features) {
            return start();
        }
        match self.start {
            Start::One(start) => start(),
            Start::Keyed(function) => function.start(self.name, key.expect("a request without the key is refused")),
            Start::Many(many) => many.start(length),
        }
    }
}
