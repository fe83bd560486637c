//! Sentences of `pfh compare` and `pfh match --similar` that name options.

use pfh::compare::Problem;
use pfh::job::Error;
use pfh::pairs::stored::OutdatedIndex;
use std::io;

/// The sentence for an error of a comparison, if an option helps.
pub fn sentence(error: &Error) -> Option<String> {
    if error.find::<io::Error>().is_some_and(OutdatedIndex::is) {
        return Some(format!("{error} with --write-index"));
    }
    Some(match error.find::<Problem>()? {
        Problem::Nothing => "nothing is named: give a PATH, or --files-from FILE".into(),
        Problem::NoFeatures(algorithm) => {
            format!("--evidence is for sdhash and mrsh-v2: {algorithm} has no features to share")
        }
        Problem::Exact(algorithm) => format!("--evidence is for sdhash and mrsh-v2, not for {algorithm}"),
        Problem::List => "--evidence needs the files themselves: a list holds no features".into(),
        Problem::NotGrouped => "--groups extends groups of --linkage complete".into(),
        Problem::Ordered => "--cluster lists groups: --top and --sort are for pairs".into(),
        _ => return None,
    })
}
