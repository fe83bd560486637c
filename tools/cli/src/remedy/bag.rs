//! Remedies where a bag is refused.

use pfh::bag::Problem;
use pfh::job::Error;

/// The sentence for an error that only this job has.
pub fn sentence(error: &Error) -> Option<String> {
    match error.find()? {
        problem @ Problem::Changed(_) => Some(format!("{problem}; --force takes them as they are")),
        _ => None,
    }
}
