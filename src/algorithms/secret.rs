//! The key of keyed digests.

use super::{Algorithm, REGISTRY};
use pfh_digest::{Hasher, KeyError, UnknownAlgorithm};
use pfh_source::Document;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The longest key that is read, in bytes: longer files are not keys, but mistakes.
const MAXIMUM: u64 = 64 << 10;

/// A key for `hmac-sha256`, `blake3-keyed` and their like: the bytes of a file as they are, a line
/// feed at its end included. It stays in memory until the program ends.
#[derive(Clone)]
pub struct Secret {
    /// The file, or a word for the bytes that are of none.
    path: PathBuf,
    bytes: &'static [u8],
    kind: Kind,
}

/// Where a secret comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Bytes,
    /// The context of derived keys, which is not a secret.
    Context,
}

/// The algorithm whose key is a context.
const DERIVED: &str = "blake3-derive-key";

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The file cannot be read.
    #[error("{}: {error}", pfh_source::terminal::shown(path))]
    Read {
        /// The file of the key.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// It is longer than any key.
    #[error("{}: more than {MAXIMUM} bytes, which is not a key", pfh_source::terminal::shown(.0))]
    Long(PathBuf),
    /// The algorithm does not take it.
    #[error("{}: {error}", pfh_source::terminal::shown(path))]
    Unfit {
        /// The file of the key.
        path: PathBuf,
        /// Why.
        #[source]
        error: KeyError,
    },
    /// The algorithm takes a key, and this is a context; or the other way round.
    #[error("{algorithm} takes {what}")]
    Other {
        /// The algorithm.
        algorithm: pfh_digest::Algorithm,
        /// The kind of secret that it takes, and the one that it does not.
        what: &'static str,
    },
    /// The algorithm takes no key, or the name is of none.
    #[error(transparent)]
    Unknown(#[from] UnknownAlgorithm),
}

impl Secret {
    /// Reads the key in a file.
    ///
    /// # Errors
    /// When it cannot be read, or is too long for a key.
    pub fn read(path: &Path) -> Result<Secret, SecretError> {
        let mut bytes = Vec::new();
        let read = Document::file(path).and_then(|file| file.take(MAXIMUM + 1).read_to_end(&mut bytes));
        read.map_err(|error| SecretError::Read { path: path.to_owned(), error })?;
        if bytes.len() as u64 > MAXIMUM {
            return Err(SecretError::Long(path.to_owned()));
        }
        Ok(Secret { path: path.to_owned(), bytes: kept(&bytes), kind: Kind::File })
    }

    /// The key of these bytes.
    pub fn new(key: &[u8]) -> Secret {
        Secret { path: "the key".into(), bytes: kept(key), kind: Kind::Bytes }
    }

    /// The context of `blake3-derive-key`: a text that names the purpose of the keys. It is not a
    /// secret.
    pub fn context(text: &str) -> Secret {
        Secret { path: "the context".into(), bytes: kept(text.as_bytes()), kind: Kind::Context }
    }

    /// The key of a tree; `None` if it is a context.
    #[cfg(feature = "audit")]
    pub(crate) fn key(&self) -> Option<pfh_tree::outboard::Key> {
        self.bytes().map(pfh_tree::outboard::Key::new)
    }

    /// The bytes of the key; `None` if it is a context.
    #[cfg(feature = "audit")]
    pub(crate) fn bytes(&self) -> Option<&'static [u8]> {
        (self.kind != Kind::Context).then_some(self.bytes)
    }

    /// The file that it was read from, if there is one.
    pub fn path(&self) -> Option<&Path> {
        (self.kind == Kind::File).then_some(&self.path)
    }

    /// An algorithm under this key, if it takes such; another one stays as it is.
    ///
    /// # Errors
    /// When the key is none of its keys.
    pub(crate) fn under(&self, algorithm: pfh_digest::Algorithm) -> Result<pfh_digest::Algorithm, KeyError> {
        if (self.kind == Kind::Context) == (algorithm.name() == DERIVED) {
            algorithm.with_key(self.bytes)
        } else {
            Ok(algorithm)
        }
    }

    /// An algorithm by its name, under this key if it needs one.
    ///
    /// # Errors
    /// When the name is of no algorithm, and when the key is none of its keys.
    pub fn algorithm(&self, name: &str) -> Result<Algorithm, SecretError> {
        let unfit = |error| SecretError::Unfit { path: self.path.clone(), error };
        let algorithm = self.under(REGISTRY.find(name)?).map_err(unfit)?;
        if algorithm.lacks_key() {
            let what = if self.kind == Kind::Context { "a key, and no context" } else { "a context, and no key" };
            return Err(SecretError::Other { algorithm, what });
        }
        Ok(algorithm.into())
    }

    /// A hasher of the algorithm of this name under a key that is not kept, for one of many
    /// connections.
    ///
    /// # Errors
    /// When the name is of no algorithm with keys, and when the key is none of its keys.
    pub fn hasher(name: &str, key: &[u8]) -> Result<Hasher, SecretError> {
        let algorithm = REGISTRY.find(name)?;
        match algorithm.hasher_under(key) {
            _ if algorithm.name() == DERIVED => Err(SecretError::Other { algorithm, what: "a context, and no key" }),
            _ if !algorithm.is_keyed() => Err(SecretError::Other { algorithm, what: "no key" }),
            hasher => hasher.map_err(|error| SecretError::Unfit { path: "the key".into(), error }),
        }
    }

    /// Whether it is a key of each of these that needs one.
    pub(crate) fn fits(&self, algorithms: &[pfh_digest::Algorithm]) -> Result<(), SecretError> {
        let unfit = |error| SecretError::Unfit { path: self.path.clone(), error };
        algorithms.iter().try_for_each(|one| self.under(*one).map(drop).map_err(unfit))
    }
}

/// The one copy of a key that stays in memory: equal ones are kept once.
fn kept(key: &[u8]) -> &'static [u8] {
    static ALL: Mutex<BTreeSet<&'static [u8]>> = Mutex::new(BTreeSet::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = all.get(key) {
        return kept;
    }
    let kept: &'static [u8] = key.to_vec().leak();
    all.insert(kept);
    kept
}

/// Never the key itself.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("path", &self.path).finish_non_exhaustive()
    }
}
