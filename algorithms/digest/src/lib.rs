//! Digests: algorithms by name, streaming hashers, and their values.
//!
//! * [`Algorithm`]: a name from the [registry](ROWS) with the length of its output: `sha256`,
//!   `shake128:64`.
//! * [`Hasher`]: one message, in any number of pieces.
//! * [`Digest`]: the value; prints as lower-case hexadecimal digits.
//! * [`hash_many`], [`update_many`], [`advance_many`], [`finalize_many`]: several messages at once,
//!   which lets algorithms with SIMD kernels work on one message per lane.
//! * [`update_together`]: one message, several digests; [`few`]: for how many messages that is the
//!   cheaper way.
//!
//! Crates that depend on this one add algorithms of their own as further [`Row`]s; a [`Registry`]
//! joins the lists.
//!
//! ```
//! let sha256: pfh_digest::Algorithm = "sha256".parse()?;
//! let mut hasher = sha256.hasher();
//! hasher.update(b"a");
//! hasher.update(b"bc");
//! let digest = hasher.finalize();
//! assert_eq!(digest, sha256.digest(b"abc"));
//! assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
//! # Ok::<(), pfh_digest::UnknownAlgorithm>(())
//! ```
#![forbid(unsafe_code)]

mod algorithm;
pub mod blake2;
pub mod blake3;
mod checksum;
mod derivation;
mod digest;
pub mod encoding;
mod function;
mod functions;
mod hasher;
pub mod hex;
mod kernels;
mod keyed;
pub mod kmac;
mod lists;
mod many;
mod parameters;
mod registry;
mod rope;
mod row;
mod rustcrypto;
mod sharing;
mod state;
mod together;
mod value;

pub use algorithm::{Algorithm, KeyError, UnknownAlgorithm};
pub use checksum::crc32c_after;
pub use digest::{Digest, MalformedDigest};
pub use function::Function;
pub use hasher::Hasher;
pub use kernels::Kernels;
pub use keyed::Mac;
pub use lists::Registry;
pub use many::{advance_many, finalize_many, hash_many, update_many};
pub use parameters::{PARAMETERS, ParameterValues, Parametric, names};
pub use registry::{ROWS, family};
pub use rope::Rope;
pub use row::{Output, Row, Standing};
pub use state::{Alone, Executor, State, Task, UnitState, Units};
pub use together::{few, update_together};
pub use value::{Value, ValueType};
