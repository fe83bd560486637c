//! The answer of whoever has the file and its tree.

use crate::Error;
use ed25519_dalek::SigningKey;
use pfh_source::{Problem, Ranges};
use pfh_tree::audit::{Challenge, Commitment, KeyedAnswer, Proof, Sample, Unproved, keyed_answer, prove};
use pfh_tree::outboard::Outboard;
use std::io;
use std::ops::Range;

/// A file that is open, and its tree.
pub struct Held {
    /// The file.
    pub file: Ranges,
    /// Its tree.
    pub tree: Outboard,
}

/// The leaves asked for with their multiproof, signed if there is a key. `most` bounds the bytes of the leaves, which are all in
/// memory at once.
///
/// # Errors
/// When the challenge is about another file or asks for too much, or the file cannot be read or changes meanwhile.
pub fn answer(challenge: &Challenge, held: Held, key: Option<&SigningKey>, most: u64) -> Result<Proof, Error> {
    let commitment = Commitment::of(&held.tree);
    allowed(challenge, &commitment, most)?;
    let proof = read(held.file, |bytes| prove(challenge, &held.tree, bytes))?;
    Ok(match key {
        Some(key) => proof.sign(key),
        None => proof,
    })
}

/// The short answer, for an auditor who has the file too.
///
/// # Errors
/// As for [`answer`].
pub fn keyed(challenge: &Challenge, file: Ranges, commitment: &Commitment) -> Result<KeyedAnswer, Error> {
    read(file, |bytes| keyed_answer(challenge, commitment, bytes))
}

/// Bytes of leaves are counted before any is read, let alone drawn.
fn allowed(challenge: &Challenge, commitment: &Commitment, most: u64) -> Result<(), Error> {
    let leaves = match challenge.sample() {
        Sample::Leaves(count) => u64::from(count).min(commitment.leaf_count()),
        Sample::All => commitment.leaf_count(),
    };
    let asked = leaves.saturating_mul(commitment.parameters().leaf_length() as u64).min(commitment.length());
    if asked > most { Err(Error::TooLarge { asked, most }) } else { Ok(()) }
}

type Bytes<'a> = &'a mut dyn FnMut(Range<u64>) -> io::Result<Vec<u8>>;

fn read<T>(file: Ranges, work: impl FnOnce(Bytes<'_>) -> Result<T, Unproved>) -> Result<T, Error> {
    // The problem itself says more than the error that carries it through.
    let mut problem: Option<Problem> = None;
    let mut bytes = |range: Range<u64>| {
        let mut bytes = Vec::new();
        file.read(range, &mut bytes).map_err(|found| {
            let error = io::Error::other(found.to_string());
            problem = Some(found);
            error
        })?;
        Ok(bytes)
    };
    let worked = work(&mut bytes);
    match (worked, problem) {
        (_, Some(problem)) => Err(Error::Read(problem)),
        (worked, None) => {
            let worked = worked?;
            file.close()?;
            Ok(worked)
        }
    }
}
