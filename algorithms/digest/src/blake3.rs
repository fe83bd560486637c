//! BLAKE3: leaves and nodes by its authors' crate; the tree above subtrees of 128 KiB is kept here,
//! so that an [`Executor`] can hash several of them at a time.

use ::blake3::hazmat::{HasherExt, Mode, hash_derive_key_context, merge_subtrees_non_root, merge_subtrees_root_xof};

use crate::{Alone, Executor, Rope, State, Task, UnitState, Units, Value};

/// Bytes of a subtree that one task hashes: a power of two chunks, enough to fill the widest lanes
/// (16 chunks) several times.
const SUBTREE: usize = 128 << 10;

/// Subtrees whose values are computed in one go: 32 MiB.
const BATCH: usize = 256;

type ChainingValue = [u8; 32];

/// One message on its way to any number of bytes of output.
#[derive(Clone)]
pub struct Blake3 {
    /// Values of complete trees, largest first: one for each bit that is set in `complete`.
    stack: Vec<ChainingValue>,
    /// Subtrees that are followed by more of the message.
    complete: u64,
    /// The last subtree so far, which may be full: only bytes behind it show that it is not the
    /// root's.
    tail: ::blake3::Hasher,
    /// Bytes in `tail`.
    filled: usize,
    /// The value of the last subtree so far, if it was hashed apart; `tail` is empty then.
    last: Option<ChainingValue>,
    key: Key,
}

/// The mode, with its key or context.
#[derive(Clone, Copy)]
pub enum Key {
    /// None: the plain mode.
    Plain,
    /// A key.
    Given([u8; 32]),
    /// The [value of a context](context), from which keys are derived.
    Context([u8; 32]),
}

/// The key of a context from which keys are derived.
pub fn context(text: &str) -> Key {
    Key::Context(hash_derive_key_context(text))
}

/// A hasher of subtree number `index`.
fn subtree(key: &Key, index: u64) -> ::blake3::Hasher {
    let mut hasher = match key {
        Key::Plain => ::blake3::Hasher::new(),
        Key::Given(key) => ::blake3::Hasher::new_keyed(key),
        Key::Context(value) => ::blake3::Hasher::new_from_context_key(value),
    };
    hasher.set_input_offset(index * SUBTREE as u64);
    hasher
}

fn mode(key: &Key) -> Mode<'_> {
    match key {
        Key::Plain => Mode::Hash,
        Key::Given(key) => Mode::KeyedHash(key),
        Key::Context(value) => Mode::DeriveKeyMaterial(value),
    }
}

impl Blake3 {
    /// The empty message.
    pub fn new(key: Key) -> Blake3 {
        Blake3 { stack: Vec::new(), complete: 0, tail: subtree(&key, 0), filled: 0, last: None, key }
    }

    /// Takes in the value of the next complete subtree; it is known that more follows.
    fn push(&mut self, mut value: ChainingValue) {
        let mut joined = self.complete;
        while joined & 1 == 1 {
            let left = self.stack.pop().expect("a value for each bit");
            value = merge_subtrees_non_root(&left, &value, mode(&self.key));
            joined >>= 1;
        }
        self.stack.push(value);
        self.complete += 1;
    }

    /// Fills the last subtree as far as the rope and its length allow.
    fn fill(&mut self, rope: &mut Rope<'_>) {
        while self.filled < SUBTREE && !rope.is_empty() {
            let some = rope.some(SUBTREE - self.filled);
            self.tail.update(some);
            self.filled += some.len();
        }
    }

    /// Writes the output of the message so far from byte `seek` of it on.
    pub fn output(&self, seek: u64, output: &mut [u8]) {
        let mut reader = match self.stack.split_first() {
            None => self.tail.finalize_xof(),
            Some((first, later)) => {
                let mode = mode(&self.key);
                let merge = |right, left: &ChainingValue| merge_subtrees_non_root(left, &right, mode);
                let last = self.last.unwrap_or_else(|| self.tail.finalize_non_root());
                let right = later.iter().rev().fold(last, merge);
                merge_subtrees_root_xof(first, &right, mode)
            }
        };
        reader.set_position(seek);
        reader.fill(output);
    }

    fn next_tail(&mut self) {
        self.tail = subtree(&self.key, self.complete);
        self.filled = 0;
    }
}

/// The values of whole subtrees from number `first` on.
fn values(
    key: &Key,
    first: u64,
    subtrees: &[std::borrow::Cow<'_, [u8]>],
    executor: &dyn Executor,
) -> Vec<ChainingValue> {
    let mut values = vec![[0; 32]; subtrees.len()];
    let value = |index: u64, bytes: &[u8]| {
        let mut hasher = subtree(key, index);
        hasher.update(bytes);
        hasher.finalize_non_root()
    };
    // Several shares for each thread: one that is held up holds up no more than its share.
    let share = if executor.width() == 1 { subtrees.len() } else { subtrees.len().div_ceil(4 * executor.width()) };
    let shares = (first..).step_by(share).zip(subtrees.chunks(share)).zip(values.chunks_mut(share));
    let tasks = shares.map(|((first, subtrees), values)| -> Task<'_> {
        Box::new(move || {
            for ((index, bytes), to) in (first..).zip(subtrees).zip(values) {
                *to = value(index, bytes);
            }
        })
    });
    executor.run(tasks.collect());
    values
}

impl State for Blake3 {
    fn update(&mut self, bytes: &[u8]) {
        self.update_on(&[bytes], &Alone);
    }

    fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        let mut rope = Rope::new(pieces);
        if !rope.is_empty()
            && let Some(last) = self.last.take()
        {
            self.push(last);
            self.next_tail();
        }
        self.fill(&mut rope);
        if rope.is_empty() {
            return;
        }
        let full = self.tail.finalize_non_root();
        self.push(full);
        // The last one stays for the tail, full or not.
        let mut whole = (rope.len() - 1) / SUBTREE;
        while whole > 0 {
            let batch: Vec<_> = (0..whole.min(BATCH)).map(|_| rope.take(SUBTREE)).collect();
            let key = self.key;
            values(&key, self.complete, &batch, executor).into_iter().for_each(|value| self.push(value));
            whole -= batch.len();
        }
        self.next_tail();
        self.fill(&mut rope);
    }

    fn divides(&self) -> bool {
        true
    }

    fn apart(&mut self) -> Option<&mut dyn UnitState> {
        Some(self)
    }

    fn finalize(self: Box<Self>, length: usize) -> Value {
        Value::filled(length, |value| self.output(0, value))
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

impl UnitState for Blake3 {
    fn units(&self) -> Box<dyn Units> {
        Box::new(Subtrees(self.key))
    }

    fn join(&mut self, values: &[u8]) {
        assert!(self.last.is_some() || self.filled == SUBTREE, "whole subtrees before one that was hashed apart");
        let (values, rest) = values.as_chunks();
        assert!(rest.is_empty(), "whole values");
        for value in values {
            let before = self.last.replace(*value).unwrap_or_else(|| self.tail.finalize_non_root());
            self.push(before);
        }
        if !values.is_empty() {
            self.next_tail();
        }
    }
}

/// Subtrees that are hashed apart.
struct Subtrees(Key);

impl Units for Subtrees {
    fn length(&self) -> usize {
        SUBTREE
    }

    fn values(&self, offset: u64, units: &[u8], values: &mut Vec<u8>) {
        for (index, bytes) in (offset / SUBTREE as u64..).zip(units.chunks_exact(SUBTREE)) {
            let mut hasher = subtree(&self.0, index);
            hasher.update(bytes);
            values.extend(hasher.finalize_non_root());
        }
    }
}

/// The empty message under BLAKE3's plain hash mode.
pub(crate) fn start() -> Box<dyn State> {
    Box::new(Blake3::new(Key::Plain))
}

/// BLAKE3's keyed mode.
pub(crate) struct KeyedMode;

impl crate::row::KeyedFunction for KeyedMode {
    fn refuses(&self, key: &[u8]) -> Option<&'static str> {
        (key.len() != 32).then_some("a key has 32 bytes, no more and no fewer")
    }

    fn start(&'static self, _name: &str, key: &[u8]) -> Box<dyn State> {
        Box::new(Blake3::new(key.try_into().map_or(Key::Plain, Key::Given)))
    }
}

/// BLAKE3's derivation of keys: its "key" is the context, and the message is the key material.
pub(crate) struct KeyDerivation;

impl crate::row::KeyedFunction for KeyDerivation {
    fn refuses(&self, key: &[u8]) -> Option<&'static str> {
        match str::from_utf8(key) {
            Ok("") => Some("the context is empty"),
            Ok(_) => None,
            Err(_) => Some("a context is text in UTF-8"),
        }
    }

    fn start(&'static self, _name: &str, key: &[u8]) -> Box<dyn State> {
        let context = str::from_utf8(key).unwrap_or_default();
        Box::new(Blake3::new(Key::Context(hash_derive_key_context(context))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Threads(usize);

    impl Executor for Threads {
        fn width(&self) -> usize {
            self.0
        }

        fn run(&self, tasks: Vec<Task<'_>>) {
            std::thread::scope(|scope| tasks.into_iter().rev().for_each(|task| drop(scope.spawn(task))));
        }
    }

    /// The tree kept here is BLAKE3's: the crate's own digest, at every count of subtrees and
    /// around their ends.
    #[test]
    fn the_digest_is_that_of_the_crate() {
        let message: Vec<u8> =
            (0..9 * SUBTREE as u64 + 2).map(|i| (i.wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8).collect();
        let lengths =
            (0..=9).flat_map(|count| [0, 1, 2].map(|more| count * SUBTREE + more)).chain([1023, 1024, 70_000]);
        for (nth, length) in lengths.flat_map(|length: usize| [length.saturating_sub(1), length]).enumerate() {
            let message = &message[..length];
            let mut expected = [0; 100];
            // In each of the three modes.
            let (key, mut theirs) = match nth % 3 {
                0 => (Key::Plain, ::blake3::Hasher::new()),
                1 => (Key::Given([7; 32]), ::blake3::Hasher::new_keyed(&[7; 32])),
                _ => (Key::Context(hash_derive_key_context("a")), ::blake3::Hasher::new_derive_key("a")),
            };
            theirs.update(message).finalize_xof().fill(&mut expected);
            for piece in [1000, SUBTREE, 3 * SUBTREE - 1, usize::MAX] {
                for width in [1, 2, 5] {
                    let mut one: Box<dyn State> = Box::new(Blake3::new(key));
                    message.chunks(piece).for_each(|piece| one.update_on(&[piece], &Threads(width)));
                    assert_eq!(one.finalize(100).bytes(), expected, "{length} bytes in pieces of {piece}");
                    let pieces: Vec<&[u8]> = message.chunks(piece).collect();
                    let mut one: Box<dyn State> = Box::new(Blake3::new(key));
                    one.update_on(&pieces, &Threads(width));
                    assert_eq!(one.finalize(100).bytes(), expected, "{length} bytes at once");
                    let (mut one, mut part) = (Blake3::new(key), [0; 27]);
                    one.update_on(&pieces, &Threads(width));
                    one.output(73, &mut part);
                    assert_eq!(part, expected[73..], "from a place on");
                }
            }
        }
    }
}
