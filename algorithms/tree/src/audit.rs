//! The audit of a storage server: does it still hold the file?
//!
//! The auditor keeps a [`Commitment`], 40 bytes and the parameters. It sends a [`Challenge`] with a
//! fresh random nonce; the nonce decides which leaves must be shown, so they cannot be foreseen.
//! The server answers either with the leaves themselves and a Merkle multiproof ([`prove`],
//! [`Commitment::verify`]), which needs no data on the auditor's side, or with 32 bytes: a digest
//! of the leaves under a key made of the nonce ([`keyed_answer`]), which only an auditor who has
//! the data too can check.
//!
//! Hash(file ‖ nonce) would not do: a server that has hashed the file once keeps the hash's state,
//! deletes the file, and answers for ever. `docs/audit.md` lists the proofs of each scheme and the
//! limits of all audits; the attacks are tests.
//!
//! ```
//! use pfh_tree::audit::{Challenge, Commitment, Sample, prove};
//! use pfh_tree::outboard::{Builder, Function, Parameters};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Commit: both sides see the file once; the server keeps the tree beside it.
//! let file = vec![42; 1_000_000];
//! let mut builder = Builder::new(Parameters::new(Function::Sha256, 16384).unwrap());
//! builder.update(&file);
//! let outboard = builder.finish();
//! let commitment = Commitment::of(&outboard);
//!
//! // Challenge: the nonce is fresh and from a cryptographic random generator.
//! let challenge = Challenge::new([7; 32], b"case 12 image 3".to_vec(), &commitment, Sample::leaves(10)?)?;
//!
//! // Prove, on the server.
//! let proof = prove(&challenge, &outboard, |range| Ok(file[range.start as usize..range.end as usize].to_vec()))?;
//!
//! // Verify.
//! commitment.verify(&challenge, &proof)?;
//! # Ok(())
//! # }
//! ```

mod challenge;
mod commitment;
mod keyed;
mod proof;
mod renewal;
#[cfg(feature = "ed25519")]
mod signature;
mod stream;
mod transcript;
mod verify;

pub use challenge::{Challenge, IDENTITY, ImpossibleSample, MOST_LEAVES, Sample, finds, leaves_for, spread};
pub use commitment::{Commitment, Rejection};
pub use keyed::{KeyedAnswer, keyed_answer, keyed_answer_of_copy};
pub use proof::{Proof, ProofError, prove};
pub use renewal::Renewal;
#[cfg(feature = "ed25519")]
pub use signature::signing;
pub use stream::{AnswerError, AnswerJudgement, ProvenAnswer, Prover, Sign};
