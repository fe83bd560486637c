//! The keyed answer as the auditor's own copy of the file gives it.

use super::{Error, Wrong, files};
use crate::tree::{beside, pass};
use pfh_audit::{KeptCommitment, keyed_of_copy};
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::os::processors;
use pfh_tree::audit::{Challenge, KeyedAnswer, ProofError, Sample};
use pfh_tree::outboard::Values;
use std::path::Path;

/// The keyed digest of a copy. That the copy is the file that was committed is shown by the tree
/// beside it, for the leaves asked for, or else by hashing all of it.
///
/// # Errors
/// When the copy cannot be read, or is not the file that was committed.
pub fn answer(
    challenge: &Challenge,
    kept: &KeptCommitment,
    copy: &Path,
    control: &Control<'_>,
) -> Result<KeyedAnswer, Error> {
    let commitment = &kept.commitment;
    let over = |error| Error::about(copy, error);
    let tree = outboard::open(&beside(copy)).ok();
    let with_tree = tree.as_ref().map(|tree| tree as &dyn Values);
    match keyed_of_copy(challenge, commitment, files::open(copy)?, with_tree) {
        Err(Wrong::Unproved(ProofError::Copy)) if challenge.sample() != Sample::All => {
            // No tree, or another file's: the bytes themselves decide.
            let whole = pass(processors(), control, |pass| outboard::build(copy, commitment.parameters(), pass));
            let whole = whole.map_err(Wrong::from)?;
            keyed_of_copy(challenge, commitment, files::open(copy)?, Some(&whole as &dyn Values)).map_err(over)
        }
        answer => answer.map_err(over),
    }
}
