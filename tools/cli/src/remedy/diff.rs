//! Remedies where a comparison of two trees is refused.

use pfh::diff::Problem;
use pfh::job::Error;

/// The sentence for an error that only this job has.
pub fn sentence(error: &Error) -> Option<String> {
    match error.find()? {
        Problem::Pieces => Some("--cache keeps no digests of pieces, which the list has".into()),
        _ => None,
    }
}
