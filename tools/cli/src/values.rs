//! The values of options, for completions: names of algorithms, formats and classes, which the
//! parser takes as text.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use pfh::{FindingId, Level};
use std::sync::LazyLock;

/// Formats of a command, by the sentence of its `--format`.
const FORMATS: &[(&str, &[&str])] = &[
    ("match", &["text", "jsonl", "csv", "dfxml", "values"]),
    ("compare", &["text", "csv", "jsonl", "values"]),
    ("lookup", &["text", "jsonl"]),
    ("check", &["text", "jsonl", "hashdeep"]),
];

/// Other options with few values.
const OTHERS: &[(&str, &str, &[&str])] = &[
    ("export", "to", &["timesketch", "bodyfile", "parquet"]),
    ("known export", "to", &["idx", "kdb", "encase", "vics", "hashdeep", "rdsv2"]),
    ("match", "only", &["bad", "good", "known", "maybe", "unknown", "error"]),
    ("match", "fail-on", &["bad", "good", "known", "maybe", "unknown", "error"]),
    ("match", "class", &["bad", "notable", "good", "no-change"]),
    ("lookup", "class", &["bad", "notable", "good", "no-change"]),
    ("diff", "only", &["same", "metadata", "changed", "bit-rot", "moved", "copied", "added", "removed", "error"]),
];

/// The command line with the values that its options take.
pub fn known(command: Command) -> Command {
    of(command, "")
}

fn of(command: Command, above: &str) -> Command {
    let path = match (above, command.get_name()) {
        (_, "pfh") => String::new(),
        ("", name) => name.to_owned(),
        (above, name) => format!("{above} {name}"),
    };
    let command = command.mut_args(|arg| match values(&path, &arg) {
        Some(values) => arg.value_parser(PossibleValuesParser::new(values)),
        None => arg,
    });
    command.mut_subcommands(|below| of(below, &path))
}

/// Each finding with each level that safety allows.
static LEVELS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let allowed = |finding: &FindingId| {
        let finding = *finding;
        let levels = Level::ALL.into_iter().filter(move |level| *level >= finding.lowest());
        levels.map(move |level| format!("{finding}={level}"))
    };
    FindingId::ALL.iter().flat_map(allowed).collect()
});

/// All algorithms, those under a key too.
fn names() -> impl Iterator<Item = &'static str> {
    let keyed = pfh::algorithms::REGISTRY.keyed().map(|algorithm| algorithm.name());
    pfh::Algorithm::all().map(|algorithm| algorithm.name()).chain(keyed)
}

fn values(path: &str, arg: &Arg) -> Option<Vec<&'static str>> {
    let long = arg.get_long()?;
    if let Some((_, _, values)) = OTHERS.iter().find(|(page, option, _)| *page == path && *option == long) {
        return Some(values.to_vec());
    }
    match long {
        "level" => Some(LEVELS.iter().map(String::as_str).collect()),
        "algorithm" => Some(names().collect()),
        "format" if path != "acquire" => Some(match FORMATS.iter().find(|(page, _)| *page == path) {
            Some((_, formats)) => formats.to_vec(),
            None => pfh::manifest::Format::ALL.map(pfh::manifest::Format::name).to_vec(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Each value that is offered is one that the parser takes.
    #[test]
    fn what_is_offered_is_taken() {
        use clap::FromArgMatches;
        for (path, option, values) in OTHERS {
            for value in *values {
                let rest = match *path {
                    "export" => "a",
                    "known export" => "a b",
                    "diff" => "a b",
                    "lookup" => "-k a",
                    _ => "a",
                };
                let line = format!("pfh {path} --{option} {value} {rest}");
                let words = line.split(' ');
                let matches = crate::args::Cli::command().try_get_matches_from(words);
                let parsed = matches.and_then(|matches| crate::args::Cli::from_arg_matches(&matches));
                // Builds without Parquet say so, and know the name.
                assert!(parsed.is_ok() || *value == "parquet", "{line}");
            }
        }
    }
}
