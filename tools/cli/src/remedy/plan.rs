//! Remedies for a plan.

use pfh::job::Error;
use pfh::plan::Problem;

/// The sentence with the options of `pfh plan`.
pub fn sentence(error: &Error) -> Option<String> {
    Some(match error.find::<Problem>()? {
        Problem::Unit => "--unit and --files: a unit has at least one byte and one file".into(),
        problem @ Problem::Split(_) => format!("--split: {problem}"),
        Problem::SplitPieces => {
            "--split and --piecewise: a file that is read in ranges has no windows: leave one of them out".into()
        }
        _ => return None,
    })
}
