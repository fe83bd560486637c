//! What helps where a bag is refused.

use pfh::bag::Problem;
use pfh::job::Error;

/// The sentence for what only this job refuses.
pub fn sentence(error: &Error) -> Option<String> {
    match error.find()? {
        problem @ Problem::Changed(_) => Some(format!("{problem}; --force takes them as they are")),
        _ => None,
    }
}
