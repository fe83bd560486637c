//! How trees are built: the function, the length of a leaf, and the values that follow from both.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use blake3::hazmat::{self, HasherExt};
use pfh_digest::{Algorithm, Executor, Task, finalize_many, hash_many, update_many};

use super::function::{Function, Value, value};
use super::key::{Key, Lock, Mark, TreeKeyError};
use crate::kmac::Kmac;
use crate::lanes::COMPANY;
use crate::plain::plain;

/// Sixteen bytes before all input, different for each kind, so that no leaf can pass for a node.
const LEAF: &[u8; 16] = b"pfh tree 1: leaf";
const NODE: &[u8; 16] = b"pfh tree 1: node";
const ROOT: &[u8; 16] = b"pfh tree 1: root";

/// How trees are built: the function, the length of a leaf, and the key of a keyed function. Those
/// that were read from a tree have the key's mark alone: they say where leaves lie, and compute
/// nothing before [`unlock`](Parameters::unlock). Two are equal if trees of both can be compared.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    function: Function,
    leaf_length: u32,
    lock: Lock,
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Parameters) -> bool {
        (self.function, self.leaf_length, self.mark()) == (other.function, other.leaf_length, other.mark())
    }
}

impl Eq for Parameters {}

impl Hash for Parameters {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.function, self.leaf_length, self.mark()).hash(state);
    }
}

impl Parameters {
    /// Those of a function without a key. `leaf_length` is in bytes: a power of two from 1 KiB to
    /// 16 MiB, usually 16 KiB. `None` for others.
    pub fn new(function: Function, leaf_length: usize) -> Option<Parameters> {
        Parameters::of(function, leaf_length, Lock::under(function, None).ok()?)
    }

    /// Those of any function, under a key if it needs one; `None` for another length of a leaf.
    ///
    /// # Errors
    /// When a keyed function has no key, the key is none of its keys, or the function takes none.
    pub fn under(function: Function, leaf_length: usize, key: Option<Key>) -> Result<Option<Parameters>, TreeKeyError> {
        Ok(Parameters::of(function, leaf_length, Lock::under(function, key)?))
    }

    /// Those that a binary form states.
    pub(crate) fn stated(function: Function, leaf_length: usize, mark: Mark) -> Option<Parameters> {
        Parameters::of(function, leaf_length, Lock::stated(function, mark)?)
    }

    /// Those that a text states: the mark of the key in 10 hexadecimal digits behind the function,
    /// if it is keyed.
    pub fn named(function: &str, leaf_length: usize) -> Option<Parameters> {
        let (name, mark) = function.split_once(':').map_or((function, None), |(name, mark)| (name, Some(mark)));
        let mut bytes = Mark::default();
        if let Some(mark) = mark {
            pfh_digest::hex::decode_into(mark.as_bytes(), &mut bytes)?;
        }
        let function = Function::named(name).filter(|function| function.is_keyed() == mark.is_some())?;
        Parameters::stated(function, leaf_length, bytes)
    }

    /// The name of the function, and behind a colon the mark of its key if it is keyed.
    pub fn name(&self) -> String {
        let name = self.function.name().to_owned();
        if self.function.is_keyed() { name + ":" + &pfh_digest::hex::encode(&self.mark()) } else { name }
    }

    fn of(function: Function, leaf_length: usize, lock: Lock) -> Option<Parameters> {
        let fits = leaf_length.is_power_of_two() && (1 << 10..=1 << 24).contains(&leaf_length);
        fits.then_some(Parameters { function, leaf_length: leaf_length as u32, lock })
    }

    /// The same under the key that they were stated with.
    ///
    /// # Errors
    /// When a keyed function has no key or another one, or a function without key has one.
    pub fn unlock(self, key: Option<Key>) -> Result<Parameters, TreeKeyError> {
        let lock = Lock::under(self.function, key)?;
        if lock.mark() != self.mark() {
            return Err(TreeKeyError::Other(self.function));
        }
        Ok(Parameters { lock, ..self })
    }

    /// The same with leaves of another length; `None` for a length that leaves cannot have.
    pub(crate) fn with_leaf(self, leaf_length: usize) -> Option<Parameters> {
        Parameters::of(self.function, leaf_length, self.lock)
    }

    /// Why nothing can be computed, if so: the key is not known.
    ///
    /// # Errors
    /// [`TreeKeyError::Missing`].
    pub fn unlocked(&self) -> Result<(), TreeKeyError> {
        if matches!(self.lock, Lock::Shut(_)) { Err(TreeKeyError::Missing(self.function)) } else { Ok(()) }
    }

    /// The mark of the key, zeros without one.
    pub(crate) fn mark(&self) -> Mark {
        self.lock.mark()
    }

    /// The function of leaves and nodes.
    pub fn function(&self) -> Function {
        self.function
    }

    /// Bytes of a leaf, the last one excepted.
    pub fn leaf_length(&self) -> usize {
        self.leaf_length as usize
    }

    /// Leaves of a file of `length` bytes: at least one, which may be empty.
    pub fn leaf_count(&self, length: u64) -> u64 {
        length.div_ceil(u64::from(self.leaf_length)).max(1)
    }

    /// Where leaf `index` of a file of `length` bytes lies.
    pub fn leaf_range(&self, index: u64, length: u64) -> Range<u64> {
        let leaf = u64::from(self.leaf_length);
        let start = index.saturating_mul(leaf).min(length);
        start..start.saturating_add(leaf).min(length)
    }
}

/// The values. The key of a keyed function is known, or nothing is computed.
impl Parameters {
    fn key(&self) -> Option<&'static [u8]> {
        match self.lock {
            Lock::Open => None,
            Lock::Under(key, _) => Some(key.bytes()),
            Lock::Shut(_) => panic!("a value of {} without its key", self.function.name()),
        }
    }

    /// Its algorithm of digests of 32 bytes.
    fn algorithm(&self) -> Algorithm {
        let algorithm = plain(self.function.name());
        let under = |key| algorithm.with_key(key).expect("compared with the function when the lock was made");
        self.key().map_or(algorithm, under)
    }

    /// BLAKE3's mode.
    pub(crate) fn mode(&self) -> hazmat::Mode<'static> {
        let given = |key: &'static [u8]| key.try_into().expect("a key of 32 bytes, or there is no lock");
        self.key().map_or(hazmat::Mode::Hash, |key| hazmat::Mode::KeyedHash(given(key)))
    }

    fn blake3(&self) -> blake3::Hasher {
        match self.mode() {
            hazmat::Mode::KeyedHash(key) => blake3::Hasher::new_keyed(key),
            _ => blake3::Hasher::new(),
        }
    }

    /// The values of inputs.
    fn digests(&self, inputs: Vec<Vec<u8>>) -> Vec<Value> {
        if self.function == Function::Kmac256 {
            return Kmac::under(self.key().unwrap_or_default()).values(inputs);
        }
        let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
        hash_many(self.algorithm(), &inputs).iter().map(value).collect()
    }

    /// The values of leaves, given with their indices, of a file that has more than one.
    pub(super) fn leaves(&self, leaves: &[(u64, &[u8])]) -> Vec<Value> {
        if self.function.is_blake3() {
            let begun = self.blake3();
            let chaining_value = |(index, leaf): &(u64, &[u8])| {
                let mut hasher = begun.clone();
                hasher.set_input_offset(index * u64::from(self.leaf_length));
                hasher.update(leaf);
                hasher.finalize_non_root()
            };
            return leaves.iter().map(chaining_value).collect();
        }
        let front = |(index, leaf): &(u64, &[u8])| {
            [&LEAF[..], &index.to_le_bytes(), &(leaf.len() as u64).to_le_bytes()].concat()
        };
        if self.function == Function::Kmac256 {
            // Few at a time: their bytes are copied behind the front.
            let some = leaves.chunks(COMPANY);
            let inputs = |some: &[(u64, &[u8])]| some.iter().map(|one| [&front(one), one.1].concat()).collect();
            return some.flat_map(|some| self.digests(inputs(some))).collect();
        }
        let empty = self.algorithm().hasher();
        let start = |one: &(u64, &[u8])| {
            let mut hasher = empty.clone();
            hasher.update(&front(one));
            hasher
        };
        let mut hashers: Vec<pfh_digest::Hasher> = leaves.iter().map(start).collect();
        update_many(&mut hashers.iter_mut().zip(leaves.iter().map(|(_, leaf)| *leaf)).collect::<Vec<_>>());
        finalize_many(hashers).iter().map(value).collect()
    }

    /// [`leaves`](Self::leaves), shared out among the executor's threads.
    pub(crate) fn leaves_on(&self, leaves: &[(u64, &[u8])], executor: &dyn Executor) -> Vec<Value> {
        // Several shares for each thread: one that is held up holds up no more than its share.
        let share = leaves.len().div_ceil(4 * executor.width()).max(16);
        if executor.width() == 1 || leaves.len() <= share {
            return self.leaves(leaves);
        }
        let mut values = vec![Vec::new(); leaves.len().div_ceil(share)];
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for (values, leaves) in values.iter_mut().zip(leaves.chunks(share)) {
            tasks.push(Box::new(move || *values = self.leaves(leaves)));
        }
        executor.run(tasks);
        values.concat()
    }

    /// The value of a file's only leaf, which for BLAKE3 is the root already.
    pub(crate) fn only_leaf(&self, leaf: &[u8]) -> Value {
        match self.function.is_blake3() {
            true => *self.blake3().update(leaf).finalize().as_bytes(),
            false => self.leaves(&[(0, leaf)])[0],
        }
    }

    /// The values of leaves, given with their indices and each whole, of a file of `length` bytes.
    pub fn leaves_of(&self, length: u64, leaves: &[(u64, &[u8])]) -> Vec<Value> {
        match leaves {
            [(_, leaf)] if self.leaf_count(length) == 1 => vec![self.only_leaf(leaf)],
            leaves => self.leaves(leaves),
        }
    }

    /// The value of a node over two values of level `level`.
    pub(crate) fn node(&self, level: u32, pair: &[Value; 2]) -> Value {
        self.nodes(level, &[*pair])[0]
    }

    /// The values of nodes over pairs of values of level `level`.
    pub(super) fn nodes(&self, level: u32, pairs: &[[Value; 2]]) -> Vec<Value> {
        if self.function.is_blake3() {
            let mode = self.mode();
            return pairs.iter().map(|[left, right]| hazmat::merge_subtrees_non_root(left, right, mode)).collect();
        }
        let input = |[left, right]: &[Value; 2]| [&NODE[..], &u64::from(level).to_le_bytes(), left, right].concat();
        // Few at a time, so that hashers and inputs stay in cache.
        pairs.chunks(256).flat_map(|pairs| self.digests(pairs.iter().map(input).collect())).collect()
    }

    /// The root over the highest level, of one or two values.
    pub(crate) fn root(&self, length: u64, level: u32, top: &[Value]) -> Value {
        match top {
            [only] if self.function.is_blake3() => *only,
            [left, right] if self.function.is_blake3() => {
                *hazmat::merge_subtrees_root(left, right, self.mode()).as_bytes()
            }
            top => {
                let top = match top {
                    [left, right] => self.node(level, &[*left, *right]),
                    top => top[0],
                };
                let leaf_length = u64::from(self.leaf_length).to_le_bytes();
                self.digests(vec![[&ROOT[..], &leaf_length, &length.to_le_bytes(), &top].concat()])[0]
            }
        }
    }
}
