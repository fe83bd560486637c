//! Audits: which option states the missing value.

use pfh::audit::Problem;
use pfh::job::Error;
use pfh::terminal::shown;
use pfh::tree::TreeKeyError;

/// The sentence for a job's error, if an option helps.
pub fn sentence(error: &Error) -> Option<String> {
    Some(match error.find::<Problem>()? {
        Problem::Several => "several files are kept: state one with --identity".into(),
        Problem::OneFile => "--identity and --outboard are for one file".into(),
        Problem::Identity => "an identity has 1 to 4,096 bytes: state one with --identity".into(),
        Problem::Keyed(answer) => format!("{}: a keyed answer, which needs --data COPY", shown(answer)),
        Problem::Locked { path, why: why @ TreeKeyError::Missing(_) } => super::tree::wanted(path, why),
        Problem::Empty(directory) => {
            format!("{}: no file below it has a tree beside it: `pfh tree build` makes one", shown(directory))
        }
        _ => return None,
    })
}
