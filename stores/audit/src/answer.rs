//! The answer of a server that has the file and its tree.

use crate::Error;
use ed25519_dalek::SigningKey;
use pfh_source::{Problem, Ranges};
use pfh_tree::audit::{
    Challenge, Commitment, KeyedAnswer, ProofError, Prover, keyed_answer, keyed_answer_of_copy, signing,
};
use pfh_tree::outboard::{PagedTree, Values};
use std::io::{self, Write};
use std::ops::Range;

/// An open file, and its tree, whose pages are read when they are needed.
pub struct AnswerFile {
    /// The file.
    pub file: Ranges,
    /// Its tree.
    pub tree: PagedTree<'static>,
}

/// Writes the leaves asked for with their multiproof, signed if there is a key, in the memory of
/// one leaf. `most` bounds the bytes of the leaves; `begin` is called with the bytes of the answer
/// before the first is written. An error after that cuts the answer.
///
/// # Errors
/// When the challenge is about another file or asks for too much, the file cannot be read or
/// changes meanwhile, or the answer cannot be written.
pub fn answer(
    challenge: &Challenge,
    held: AnswerFile,
    key: Option<&SigningKey>,
    most: u64,
    begin: &mut dyn FnMut(u64) -> io::Result<()>,
    to: &mut dyn Write,
) -> Result<(), Error> {
    let commitment = Commitment::of(&held.tree);
    allowed(challenge, &commitment, most)?;
    let prover = Prover::new(challenge, &held.tree)?;
    whole(&held.file, &commitment)?;
    begin(prover.length(key.is_some())).map_err(ProofError::Write)?;
    let sign = key.map(signing);
    let sign = sign.as_ref().map(|sign| sign as &dyn Fn(&[u8; 32]) -> ([u8; 32], [u8; 64]));
    let mut file = Some(held.file);
    let mut problem: Option<Problem> = None;
    let kept = std::cell::RefCell::new((&mut file, &mut problem));
    let mut read = |range: Range<u64>| {
        let (file, problem) = &mut *kept.borrow_mut();
        let mut bytes = Vec::new();
        let open = file.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        open.read(range, &mut bytes).map_err(|found| carried(found, problem))?;
        Ok(bytes)
    };
    let mut settled = || {
        let (file, problem) = &mut *kept.borrow_mut();
        file.take().map_or(Ok(()), Ranges::close).map_err(|found| carried(found, problem))
    };
    let written = prover.write(&mut read, &mut settled, sign, to);
    match (written, problem) {
        (_, Some(problem)) => Err(Error::Read(problem)),
        (written, None) => Ok(written.map(|_| ())?),
    }
}

/// The problem itself says more than the error that carries it through.
fn carried(found: Problem, place: &mut Option<Problem>) -> io::Error {
    let error = io::Error::other(found.to_string());
    *place = Some(found);
    error
}

/// The short answer, for an auditor who has the file too. `most` bounds the bytes of the leaves.
///
/// # Errors
/// As for [`answer`].
pub fn keyed(challenge: &Challenge, held: AnswerFile, most: u64) -> Result<KeyedAnswer, Error> {
    let commitment = Commitment::of(&held.tree);
    allowed(challenge, &commitment, most)?;
    whole(&held.file, &commitment)?;
    read(held.file, |bytes| keyed_answer(challenge, &commitment, bytes))
}

/// The short answer as the auditor's own copy gives it, if the leaves that it is made of belong to
/// the root that is kept. `tree` is the copy's; without one all leaves must be asked for.
///
/// # Errors
/// When the copy is not the file that was committed, or cannot be read.
pub fn keyed_of_copy(
    challenge: &Challenge,
    commitment: &Commitment,
    copy: Ranges,
    tree: Option<&dyn Values>,
) -> Result<KeyedAnswer, Error> {
    if copy.size() != commitment.length() {
        return Err(ProofError::Copy.into());
    }
    read(copy, |bytes| keyed_answer_of_copy(challenge, commitment, tree, bytes))
}

/// A file of another length has no whole answer; better to say so than to cut one.
fn whole(file: &Ranges, commitment: &Commitment) -> Result<(), Error> {
    let leaf = commitment.parameters().leaf_length() as u64;
    if file.size() == commitment.length() {
        Ok(())
    } else {
        Err(ProofError::Length { leaf: file.size() / leaf }.into())
    }
}

/// Bytes of leaves are counted before any is read, let alone drawn.
fn allowed(challenge: &Challenge, commitment: &Commitment, most: u64) -> Result<(), Error> {
    let leaves = challenge.sample().size(commitment.leaf_count());
    let asked = leaves.saturating_mul(commitment.parameters().leaf_length() as u64).min(commitment.length());
    if asked > most { Err(Error::TooLarge { asked, most }) } else { Ok(()) }
}

type Bytes<'a> = &'a mut dyn FnMut(Range<u64>) -> io::Result<Vec<u8>>;

fn read<T>(file: Ranges, work: impl FnOnce(Bytes<'_>) -> Result<T, ProofError>) -> Result<T, Error> {
    let mut problem: Option<Problem> = None;
    let mut bytes = |range: Range<u64>| {
        let mut bytes = Vec::new();
        file.read(range, &mut bytes).map_err(|found| carried(found, &mut problem))?;
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
