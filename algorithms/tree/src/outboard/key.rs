//! The key of a keyed tree, and the mark by which a tree knows its key.

use std::error::Error;
use std::fmt;

use super::Function;
use crate::plain::plain;

/// BLAKE3's context string for the mark of a key.
const CONTEXT: &str = "pfh tree 1 mark of a key";

/// A secret key, which stays in memory until the program ends.
#[derive(Clone, Copy)]
pub struct Key(&'static [u8]);

impl Key {
    /// A key of these bytes; which lengths a tree takes depends on its function.
    pub fn new(bytes: &'static [u8]) -> Key {
        Key(bytes)
    }

    pub(super) fn bytes(self) -> &'static [u8] {
        self.0
    }

    /// Why it is none of the function's, if so: as `pfh_digest` refuses it.
    fn refused_by(self, function: Function) -> Option<TreeKeyError> {
        plain(function.name()).with_key(self.0).err().map(|error| TreeKeyError::Unfit(function, error.why()))
    }

    /// The mark of the key in trees of this function: 40 bits of a derivation that nothing else
    /// uses. By it a wrong key is not taken for damage, but for one in 2^40. A guess of the key can
    /// be tried with it, as with any node of the tree; a key of 32 random bytes is not found so.
    /// Trees under one key have one mark.
    fn mark(self, function: Function) -> Mark {
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        hasher.update(&[function.code()]).update(self.0);
        let mut mark = [0; 5];
        hasher.finalize_xof().fill(&mut mark);
        mark
    }
}

/// Never the key itself.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// The mark of a key; zeros of a tree without one.
pub(crate) type Mark = [u8; 5];

/// How a tree is bound to a key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lock {
    /// By none.
    Open,
    /// By a key with this mark, which is not known.
    Shut(Mark),
    /// By this key.
    Under(Key, Mark),
}

impl Lock {
    /// The lock of a function under a key.
    pub(super) fn under(function: Function, key: Option<Key>) -> Result<Lock, TreeKeyError> {
        match (function.is_keyed(), key) {
            (false, None) => Ok(Lock::Open),
            (false, Some(_)) => Err(TreeKeyError::Needless(function)),
            (true, None) => Err(TreeKeyError::Missing(function)),
            (true, Some(key)) => match key.refused_by(function) {
                Some(refused) => Err(refused),
                None => Ok(Lock::Under(key, key.mark(function))),
            },
        }
    }

    /// The lock of a function that states this mark; `None` for a mark of a function without a key.
    pub(super) fn stated(function: Function, mark: Mark) -> Option<Lock> {
        match function.is_keyed() {
            true => Some(Lock::Shut(mark)),
            false => (mark == [0; 5]).then_some(Lock::Open),
        }
    }

    pub(super) fn mark(&self) -> Mark {
        match self {
            Lock::Open => [0; 5],
            Lock::Shut(mark) | Lock::Under(_, mark) => *mark,
        }
    }
}

/// Why a key does not open a tree, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKeyError {
    /// The tree needs its key.
    Missing(Function),
    /// The tree was made under another key.
    Other(Function),
    /// The function does not take such a key.
    Unfit(Function, &'static str),
    /// The tree has no key.
    Needless(Function),
}

impl fmt::Display for TreeKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeKeyError::Missing(function) => write!(f, "{} computes nothing without its key", function.name()),
            TreeKeyError::Other(function) => write!(f, "made under another key of {}", function.name()),
            TreeKeyError::Unfit(function, why) => write!(f, "no key of {}: {why}", function.name()),
            TreeKeyError::Needless(function) => write!(f, "{} takes no key", function.name()),
        }
    }
}

impl Error for TreeKeyError {}
