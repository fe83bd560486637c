//! What formats take of an input that has no digest.

use pfh_manifest as format;
use pfh_source::Problem;

/// The record of a failed input; `cause` is the sentence of `found`.
pub(crate) fn failed<'a>(name: &'a [u8], found: &'a Problem, cause: &'a str) -> format::Problem<'a> {
    format::Problem {
        name,
        outcome: format::Outcome::Failed,
        stage: found.stage.name(),
        offset: found.offset,
        length: found.length,
        code: found.code(),
        cause,
    }
}
