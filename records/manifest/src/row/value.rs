//! The types of members that a row does not hold as JSON shows them: names, digits, words.

use data_encoding::HEXLOWER;
use pfh_digest::Digest;
use pfh_source::{FindingId, Level, Levels, Time};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// A name as `path` and, if it is not UTF-8, `path_b64`: for a field with `#[serde(flatten)]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Path<'a>(pub &'a [u8]);

impl Serialize for Path<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::named("path", self.0, serializer)
    }
}

/// A name as the member whose name is the word and, if it is not UTF-8, `…_b64`: for a field with
/// `#[serde(flatten)]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameField<'a, M>(pub &'a [u8], pub M);

impl<M: Constant> Serialize for NameField<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::named(M::WORD, self.0, serializer)
    }
}

/// Bytes as hexadecimal digits in lower case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hex<'a>(pub &'a [u8]);

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&HEXLOWER.encode(self.0))
    }
}

/// A time in UTC, as RFC 3339 writes it, with as many digits of the second as there are.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp(pub Time);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A word that is known when the program is compiled: [`constants!`](crate::constants) declares
/// them.
pub trait Constant: Copy {
    /// The word.
    const WORD: &'static str;
}

/// A member that always has the same word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Is<C>(pub C);

impl<C: Constant> Serialize for Is<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(C::WORD)
    }
}

/// Declares a type for each of some words: `constants! { Summary = "summary" }`.
#[macro_export]
macro_rules! constants {
    ($($name:ident = $word:literal),+ $(,)?) => {$(
        #[doc = concat!("The word `", $word, "`.")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl $crate::row::Constant for $name {
            const WORD: &'static str = $word;
        }
    )+};
}

/// Values with a word each.
pub trait Words: Copy + 'static {
    /// Every value.
    const ALL: &'static [Self];

    /// The word of a value in output.
    fn word(self) -> &'static str;
}

/// A value as its word.
#[derive(Clone, Copy, Debug)]
pub struct Word<T>(pub T);

impl Words for Level {
    const ALL: &'static [Level] = &Level::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl<T: Words> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

/// A finding, as the members `id` and `level` of a row: for a field with `#[serde(flatten)]`.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// The finding that it is.
    id: TextField<FindingId>,
    /// How much it counts.
    level: Word<Level>,
}

impl Mark {
    /// The finding at its own level.
    pub fn of(finding: FindingId) -> Mark {
        Mark { id: TextField(finding), level: Word(finding.level()) }
    }

    /// The finding at the level that a request gives it.
    pub fn at(finding: FindingId, levels: &Levels) -> Mark {
        Mark { id: TextField(finding), level: Word(levels.of(finding)) }
    }
}

/// A count for each of some words: for a field with `#[serde(flatten)]`. A schema demands all of
/// them.
#[derive(Clone, Debug)]
pub struct Counts<T>(pub Vec<(T, u64)>);

impl<T: Words> Serialize for Counts<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(value, count)| (value.word(), count)))
    }
}

/// Digests by their algorithms, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Digests<'a>(pub &'a [String], pub &'a [Digest]);

impl Serialize for Digests<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, digest) in self.0.iter().zip(self.1) {
            map.serialize_entry(name, &TextField(digest))?;
        }
        map.end()
    }
}

/// A value as the text that it shows.
#[derive(Clone, Copy, Debug)]
pub struct TextField<T>(pub T);

impl<T: std::fmt::Display> Serialize for TextField<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
