//! Remedies for sets of known digests.

use pfh::job::Error;
use pfh::known::Problem;
use pfh::terminal::shown;

/// The sentence with the options of `pfh known` and `pfh lookup`.
pub fn sentence(error: &Error) -> Option<String> {
    let problem = error.find::<Problem>()?;
    Some(match problem {
        Problem::NoSet => "no set was named: give --good, --bad, --notable, --no-change, --class or --sets".into(),
        Problem::Deltas(count) => format!(
            "--delta belongs to one database, and {count} were named: name its database with \"deltas\" in --sets"
        ),
        Problem::BlockAlgorithm => format!("{problem}: give one such algorithm with -a"),
        Problem::Described { path, line, why } if why.starts_with("unknown algorithm") => {
            format!("{}:{line}: {why}; `pfh algorithms` lists them", shown(path))
        }
        Problem::NeedsOrder(form) => {
            format!("{}: it is sorted: `pfh known build` first, and export the file that this makes", form.name())
        }
        Problem::Classes => "the entries of a list have one --class".into(),
        Problem::Nowhere => "there is nothing to look up in: give --known FILE".into(),
        _ => return None,
    })
}
