//! Remedies where a search for duplicates is refused.

use pfh::dups::Problem;
use pfh::job::Error;

/// The sentence for an error that only this job has.
pub fn sentence(error: &Error) -> Option<String> {
    match error.find()? {
        Problem::Standard => Some(
            "duplicates are looked for among files: standard input, --image and --inside are not for this command"
                .into(),
        ),
        Problem::NoDirectory(path) => Some(format!(
            "{}: --keep under=DIR and --never name directories that are there",
            pfh::terminal::shown(path)
        )),
        _ => None,
    }
}
