//! Remedies where a check is refused.

use pfh::check::Problem;
use pfh::job::Error;
use pfh::terminal::shown;

/// The sentence for an error that only this job has.
pub fn sentence(error: &Error) -> Option<String> {
    match error.find()? {
        Problem::Directory(path) => {
            Some(format!("{} is a directory: give the manifest first, then the directory", shown(path)))
        }
        Problem::Objects(_) => Some(format!("{error}; add --audit")),
        Problem::OtherRoot { .. } => Some(format!("{error}: name another state with --state")),
        Problem::ShareOfAudit => {
            Some("--share and --for are of the files that a manifest lists, which is a file itself".into())
        }
        _ => None,
    }
}
