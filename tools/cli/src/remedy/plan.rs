//! Remedies for a plan.

use pfh::job::Error;
use pfh::plan::Problem;
use pfh::terminal::render;

/// The sentence with the options of `pfh plan`.
pub fn sentence(error: &Error) -> Option<String> {
    Some(match error.find::<Problem>()? {
        Problem::Unit => "--unit and --files: a unit has at least one byte and one file".into(),
        problem @ Problem::Split(_) => format!("--split: {problem}"),
        Problem::SplitPieces => {
            "--split and --piecewise: a file that is read in ranges has no windows: leave one of them out".into()
        }
        Problem::Elsewhere(place) => format!(
            "the names of this plan start in {}: run its units there, or say with --base DIR where that directory is here",
            render(place)
        ),
        Problem::Outside { name, base } => format!(
            "--base: {} does not lie in {}: plan with a --base in which all names start",
            render(name),
            render(base)
        ),
        _ => return None,
    })
}
