//! An algorithm: a row of a registry and the length of its output.

use std::any::Any;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher as StdHasher};
use std::sync::{Mutex, PoisonError};

use pfh_kernel::stitched;

use crate::parameters::{PARAMETERS, ParameterValues, Parametric, assignment};
use crate::row::{KeyedFunction, Start, StitchPlace};
use crate::{Kernels, Output, Row, Standing, State, Value};

/// A hash algorithm with the length of its output, and the parameters that are not its row's own.
/// Two are equal when all agree; they sort by name, then length, then parameters. A key plays no
/// part in that, as no record names it.
#[derive(Clone, Copy)]
pub struct Algorithm {
    row: &'static Row,
    length: usize,
    /// Only the values that differ from the row's own.
    parameters: ParameterValues,
    /// Whether values keep their features. The digest is the same.
    features: bool,
    /// The key that it hashes under, for the life of the program.
    key: Option<&'static [u8]>,
}

thread_local! {
    /// The one that this thread asked for last.
    static LAST: Cell<Option<&'static Algorithm>> = const { Cell::new(None) };
}

impl Algorithm {
    /// The one copy in memory that all its digests point to: a million digests of a list have one
    /// algorithm.
    pub(crate) fn shared(self) -> &'static Algorithm {
        static ALL: Mutex<BTreeMap<Algorithm, Vec<&'static Algorithm>>> = Mutex::new(BTreeMap::new());
        if let Some(last) = LAST.get().filter(|last| last.is_copy(&self)) {
            return last;
        }
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let equal = all.entry(self).or_default();
        let found = equal.iter().copied().find(|one| one.is_copy(&self)).unwrap_or_else(|| {
            let shared: &'static Algorithm = Box::leak(Box::new(self));
            equal.push(shared);
            shared
        });
        LAST.set(Some(found));
        found
    }

    /// Whether the two are one in all, key and features too.
    fn is_copy(&self, other: &Algorithm) -> bool {
        std::ptr::eq(self.row, other.row)
            && self.length == other.length
            && self.parameters == other.parameters
            && self.features == other.features
            && self.key.map(<[u8]>::as_ptr_range) == other.key.map(<[u8]>::as_ptr_range)
    }

    /// The algorithm of a row with its default length.
    pub fn from_row(row: &'static Row) -> Algorithm {
        let length = match row.output {
            Output::Fixed(length) | Output::Stated { default: length, .. } => length,
            Output::Text => 0,
        };
        Algorithm { row, length, parameters: [None; 3], features: false, key: None }
    }

    /// The same algorithm, whose values keep the features that digests are made of; `None` if it
    /// has none. The two are equal, and so are their digests.
    pub fn keeping_features(self) -> Option<Algorithm> {
        self.row.featured.map(|_| Algorithm { features: true, ..self })
    }

    /// Whether it computes nothing without a key.
    pub fn is_keyed(self) -> bool {
        matches!(self.row.start, Start::Keyed(_))
    }

    /// Whether it is still without the key that it needs. Its digests can be read and printed; to
    /// hash with it is an error of the program.
    pub fn lacks_key(self) -> bool {
        self.is_keyed() && self.key.is_none()
    }

    /// The same algorithm under a key, which stays in memory until the program ends. An algorithm
    /// without keys stays as it is.
    ///
    /// # Errors
    /// For an empty key, and one of a length that the algorithm does not take.
    pub fn with_key(self, key: &'static [u8]) -> Result<Algorithm, KeyError> {
        Ok(if self.key_function(key)?.is_some() { Algorithm { key: Some(key), ..self } } else { self })
    }

    /// The state of the empty message under a key; `None` for an algorithm without keys.
    pub(crate) fn state_under(self, key: &[u8]) -> Result<Option<Box<dyn State>>, KeyError> {
        Ok(self.key_function(key)?.map(|function| function.start(self.row.name, key)))
    }

    /// Its function of a key, which takes this one.
    fn key_function(self, key: &[u8]) -> Result<Option<&'static dyn KeyedFunction>, KeyError> {
        let Start::Keyed(function) = self.row.start else { return Ok(None) };
        function.refuses(key).map_or(Ok(Some(function)), |why| Err(KeyError { algorithm: self, why }))
    }

    /// The fact about the algorithm that its crate gave to its row, if it is a `T`.
    pub fn fact<T: 'static>(self) -> Option<&'static T> {
        let fact: &'static dyn Any = self.row.fact?;
        fact.downcast_ref()
    }

    /// Whether there are kernels that compute it together with others of this kind
    /// ([`update_together`](crate::update_together)).
    pub fn is_stitched(self) -> bool {
        self.row.stitched.is_some()
    }

    /// Whether both together cost little more than the dearer of them: threads that could take one
    /// each would gain nothing.
    pub fn goes_with(self, other: Algorithm) -> bool {
        self.row.stitched.zip(other.row.stitched).is_some_and(|places| {
            // Where there are sets at all, there are sets of functions with blocks of 64 bytes.
            let has_sets = [self, other].iter().all(|one| one.row.block == 64) || has_long_sets();
            places != (StitchPlace::GeneralRegisters, StitchPlace::GeneralRegisters) && has_sets
        })
    }

    /// The same algorithm with `length` bytes of output; `None` where it does not give that many.
    pub fn with_length(self, length: usize) -> Option<Algorithm> {
        match self.row.output {
            Output::Stated { maximum, .. } if (1..=maximum).contains(&length) => Some(Algorithm { length, ..self }),
            Output::Fixed(fixed) if fixed == length => Some(self),
            _ => None,
        }
    }

    /// The same algorithm with one parameter of its own more: `leaves=32`.
    ///
    /// # Errors
    /// If the text does not state a parameter that it has, or states one a second time.
    pub fn with_parameter(self, text: &str) -> Result<Algorithm, String> {
        let Some(family) = self.row.parameters else { return Err(format!("{} has no parameters", self.name())) };
        let names = family.names();
        let wrong = || {
            format!("{text:?} is none of {}'s parameters: NAME=NUMBER, NAME one of {}", self.name(), names.join(", "))
        };
        let (name, value) = assignment(text).ok_or_else(wrong)?;
        let place = names.iter().position(|other| *other == name).ok_or_else(wrong)?;
        if self.parameters[place].is_some() {
            return Err(format!("{name} is stated twice"));
        }
        let mut parameters = self.parameters;
        parameters[place] = Some(value);
        Ok(Algorithm { parameters, ..self })
    }

    /// The same algorithm without the parameters that are its row's own.
    ///
    /// # Errors
    /// The faults of the stated values.
    pub(crate) fn settled(mut self) -> Result<Algorithm, String> {
        let Some(family) = self.row.parameters else { return Ok(self) };
        let all = family.resolve(self.parameters)?;
        for place in 0..PARAMETERS {
            let without: ParameterValues =
                std::array::from_fn(|other| self.parameters[other].filter(|_| other != place));
            if family.resolve(without) == Ok(all) {
                self.parameters = without;
            }
        }
        Ok(self)
    }

    /// The values of all its parameters, with their names; none if it has no parameters.
    pub fn parameters(self) -> impl Iterator<Item = (&'static str, u32)> {
        let family = self.row.parameters;
        let values = family.and_then(|family| family.resolve(self.parameters).ok()).unwrap_or_default();
        family.map_or(&[][..], Parametric::names).iter().copied().zip(values)
    }

    /// Whether it has parameters that are not its row's own, so that its name alone does not
    /// identify it.
    pub fn has_own_parameters(self) -> bool {
        self.parameters != [None; 3]
    }

    /// The standard's own name in lower case, without length and parameters: `sha3-256`,
    /// `shake128`.
    pub fn name(self) -> &'static str {
        self.row.name
    }

    /// Other names that are understood.
    pub fn aliases(self) -> &'static [&'static str] {
        self.row.aliases
    }

    /// Bytes of output; 0 for algorithms whose digests are text.
    pub fn length(self) -> usize {
        self.length
    }

    /// The kind of its output. The length that this value states has no effect on it.
    pub fn output(self) -> Output {
        self.row.output
    }

    /// Public attacks on it.
    pub fn standing(self) -> Standing {
        self.row.standing
    }

    /// Bytes that the compression function eats at a time; 1 for checksums.
    pub fn block_length(self) -> usize {
        self.row.block
    }

    /// Messages that its best kernel advances at once on this machine; 1 if it takes one after
    /// another.
    pub fn lanes(self) -> usize {
        self.row.many().map_or(1, |many| many.kernels().lanes)
    }

    /// Which kernels this machine uses; `None` where another crate chooses by itself.
    pub fn kernels(self) -> Option<Kernels> {
        self.row.many().map(|many| many.kernels()).or_else(|| self.row.kernels.map(|kernels| kernels()))
    }

    /// The state of the empty message.
    pub(crate) fn state(self) -> Box<dyn State> {
        match self.row.parameters.filter(|_| self.has_own_parameters()) {
            Some(family) => family.start(family.resolve(self.parameters).expect("settled when it was named")),
            None => self.row.state(self.length, self.features, self.key),
        }
    }

    /// The short way to the digest of a whole message, if there is one.
    pub(crate) fn whole(self) -> Option<fn(&[u8], usize) -> Value> {
        self.row.whole.filter(|_| !self.features && !self.has_own_parameters())
    }

    /// Whether a state of one length of output can give no other.
    pub(crate) fn is_sized(self) -> bool {
        match self.row.start {
            Start::One(_) => false,
            Start::Keyed(function) => function.is_sized(),
            Start::Many(many) => many.is_sized(),
        }
    }

    pub(crate) fn row(self) -> &'static Row {
        self.row
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Algorithm) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Algorithm {}

impl PartialOrd for Algorithm {
    fn partial_cmp(&self, other: &Algorithm) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Algorithm {
    fn cmp(&self, other: &Algorithm) -> Ordering {
        (self.name(), self.length, self.parameters).cmp(&(other.name(), other.length, other.parameters))
    }
}

impl Hash for Algorithm {
    fn hash<H: StdHasher>(&self, state: &mut H) {
        (self.name(), self.length, self.parameters).hash(state);
    }
}

/// The name, with `:length` where that is not the default and `,key=value` for each parameter that
/// is not; [`FromStr`](std::str::FromStr) and
/// [`Registry::find`](crate::Registry::find) read it back.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row.output {
            Output::Stated { default, .. } if self.length != default => write!(f, "{}:{}", self.name(), self.length),
            _ => f.write_str(self.name()),
        }?;
        let names = self.row.parameters.map_or(&[][..], Parametric::names);
        let mut stated = names.iter().zip(self.parameters).filter_map(|(name, value)| Some((name, value?)));
        stated.try_for_each(|(name, value)| write!(f, ",{name}={value}"))
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({self})")
    }
}

/// Why a key is not one of an algorithm's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    algorithm: Algorithm,
    why: &'static str,
}

impl KeyError {
    /// Why, without the algorithm.
    pub fn why(&self) -> &'static str {
        self.why
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.algorithm, self.why)
    }
}

impl Error for KeyError {}

/// Why a text names no algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm {
    text: String,
    named: Option<Algorithm>,
    /// The fault of its parameters, if any.
    parameters: Option<String>,
    /// Whether it names an algorithm that needs a key.
    keyless: bool,
}

impl UnknownAlgorithm {
    pub(crate) fn name(text: &str) -> UnknownAlgorithm {
        UnknownAlgorithm { text: text.to_owned(), named: None, parameters: None, keyless: false }
    }

    /// The error for an algorithm that computes nothing without a key, where a name must stand for
    /// one that computes something.
    pub fn without_key(named: Algorithm) -> UnknownAlgorithm {
        UnknownAlgorithm { text: named.to_string(), named: Some(named), parameters: None, keyless: true }
    }

    /// Whether it would be known with a key.
    pub fn needs_key(&self) -> bool {
        self.keyless
    }

    pub(crate) fn length(text: &str, named: Algorithm) -> UnknownAlgorithm {
        UnknownAlgorithm { text: text.to_owned(), named: Some(named), parameters: None, keyless: false }
    }

    pub(crate) fn parameters(text: &str, why: String) -> UnknownAlgorithm {
        UnknownAlgorithm { text: text.to_owned(), named: None, parameters: Some(why), keyless: false }
    }
}

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.parameters {
            return write!(f, "{:?}: {why}", self.text);
        }
        if self.keyless {
            return write!(f, "{} computes nothing without a key", self.text);
        }
        let Some(named) = self.named else { return write!(f, "unknown algorithm {:?}", self.text) };
        match named.output() {
            Output::Stated { maximum, .. } => {
                write!(f, "{:?}: {} gives 1 to {maximum} bytes", self.text, named.name())
            }
            Output::Fixed(length) => write!(f, "{:?}: {} gives {length} bytes", self.text, named.name()),
            Output::Text => write!(f, "{:?}: {} gives text of no stated length", self.text, named.name()),
        }
    }
}

impl Error for UnknownAlgorithm {}

/// Whether this machine has a kernel for blocks of 128 bytes and of 64 together, without MD5.
fn has_long_sets() -> bool {
    let long = |set: stitched::Set| set.has(stitched::Set::SHA512) && !set.has(stitched::Set::MD5);
    stitched::ALL.iter().any(|kernel| long(kernel.set()) && kernel.usable())
}
