//! Sentences that name options. The library's errors and problems state facts; here is known which
//! option helps in each command.

#[cfg(feature = "image")]
pub mod acquire;
#[cfg(feature = "audit")]
mod audit;
mod bag;
mod check;
mod compare;
mod diff;
mod dups;
mod export;
mod hash;
#[cfg(feature = "known")]
mod known;
#[cfg(feature = "known")]
mod matching;
mod paper;
mod plan;
#[cfg(feature = "audit")]
pub mod tree;
mod update;
#[cfg(feature = "image")]
mod verify;

use pfh::job::Error;
use pfh::outputs::OutputRefusal;
use pfh::terminal::{render, shown};
use pfh::{Cause, InputError, Problem, Skip};
use std::path::Path;

/// The sentence for a job's error: the library's own, or one that names the options that help.
pub fn sentence(error: &Error) -> String {
    let tables: &[fn(&Error) -> Option<String>] = &[
        outputs,
        input,
        #[cfg(feature = "image")]
        acquire::sentence,
        #[cfg(feature = "audit")]
        audit::sentence,
        bag::sentence,
        check::sentence,
        compare::sentence,
        diff::sentence,
        dups::sentence,
        export::sentence,
        hash::sentence,
        #[cfg(feature = "known")]
        known::sentence,
        #[cfg(feature = "known")]
        matching::sentence,
        paper::sentence,
        plan::sentence,
        #[cfg(feature = "audit")]
        tree::sentence,
        update::sentence,
        #[cfg(feature = "image")]
        verify::sentence,
        problem_of,
    ];
    tables.iter().find_map(|table| table(error)).unwrap_or_else(|| error.to_string())
}

/// The fault of a file, with the option that reads it all the same.
pub fn problem(problem: &Problem) -> String {
    let said = problem.to_string();
    match hint(&problem.cause) {
        None => said,
        Some(hint) => {
            // The cause ends the problem's sentence.
            let front = said.strip_suffix(&problem.cause.to_string()).unwrap_or_default();
            format!("{front}{hint}")
        }
    }
}

/// The sentence for a cause that an option removes.
fn hint(cause: &Cause) -> Option<String> {
    match cause {
        Cause::IsDirectory => Some("is a directory: use -r to hash the files in it".into()),
        Cause::Special(kind) => Some(format!("is a {kind}: use --special to read it")),
        Cause::Elsewhere => Some(format!("{cause}: to do so, name the file itself, with --special")),
        Cause::NeedsAdministrator => Some(format!("{cause}: run pfh as an administrator")),
        Cause::Outside => Some("leads out of the directory: use --allow-outside if it is meant to".into()),
        // Of a volume the format is said, of a zip that a password opens it; of others neither.
        cause if cause.to_string() == "is encrypted" => Some(
            "is encrypted: passwords open volumes (LUKS, BitLocker) and members of a zip, no other archives".into(),
        ),
        #[cfg(feature = "inside")]
        cause => pfh::inside::limit(cause).map(|limit| match limit {
            pfh::inside::Limit::Bytes => format!("{cause} (--expand SIZE allows more)"),
            pfh::inside::Limit::Password => format!("{cause} (--passwords FILE, one a line)"),
            _ => cause.to_string().replace(", the limit of time for a container, and", " (--container-timeout), and"),
        }),
        #[cfg(not(feature = "inside"))]
        _ => None,
    }
}

/// Why a file was skipped, with the option that takes it in.
pub fn skip(skip: &Skip) -> &'static str {
    match skip {
        #[cfg(feature = "inside")]
        skip if pfh::inside::is_too_deep(skip) => "a container deeper than --depth",
        skip => skip.reason(),
    }
}

/// The sentence of an error whose last cause is a problem with a file.
fn problem_of(error: &Error) -> Option<String> {
    let cause = &error.problem()?.cause;
    let hint = hint(cause)?;
    let said = error.to_string();
    said.strip_suffix(&cause.to_string()).map(|front| format!("{front}{hint}"))
}

fn input(error: &Error) -> Option<String> {
    Some(match error.find::<InputError>()? {
        InputError::Nothing => "nothing is named: give a PATH, - for standard input, or --files-from FILE".into(),
        InputError::Order(order) => format!(
            "--order {order} is for files: the content of containers is read in their own order, or by --order extent"
        ),
        InputError::InsideOfObject(name) => {
            format!("{}: --inside opens files: leave it out, or fetch the object and give the file", render(name))
        }
        InputError::NoStreams => "--streams: only Windows has alternate data streams".into(),
        InputError::NoHold => {
            "--hold: only Windows lets a reader keep writers out: read a snapshot instead (LVM, Btrfs, ZFS)".into()
        }
        InputError::NoImage => "--image needs the name of an image".into(),
        _ => return None,
    })
}

/// An output by the option that names it; operands have their own words.
fn output(role: &str, path: &Path) -> String {
    let is_operand = role == "target" || role.ends_with('=') || role.chars().all(char::is_uppercase);
    format!("{}{role} {}", if is_operand { "" } else { "--" }, shown(path))
}

fn outputs(error: &Error) -> Option<String> {
    error.find::<OutputRefusal>().map(refused)
}

/// The sentence for an output that is refused.
pub fn refused(refused: &OutputRefusal) -> String {
    match refused {
        OutputRefusal::Exists { role, path } => {
            let named = output(role, path);
            format!("{named}: the file exists and is not empty: name another one, or replace it with --force")
        }
        OutputRefusal::Twice { role, path, other, other_path } => {
            format!("{} and {} are the same file; nothing was written", output(role, path), output(other, other_path))
        }
        OutputRefusal::Dash { role, streams } => {
            let named = output(role, Path::new("-"));
            if *streams {
                format!(
                    "{named}: standard output cannot be the target of an image with a log and a map: use `pfh dd if=SOURCE | …`, or name the file ./-"
                )
            } else {
                format!("{named}: standard output is written to without this option; a file of that name is ./-")
            }
        }
        OutputRefusal::Source { role, path, .. } | OutputRefusal::Place { role, path, .. } => {
            // The library's sentence begins with the role and the path.
            let said = refused.to_string();
            let bare = format!("{role} {}", shown(path));
            format!("{}{}", output(role, path), said.strip_prefix(&bare).unwrap_or(&said))
        }
        _ => refused.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_have_the_names_of_options() {
        let exists = |role: &str| Error::from(OutputRefusal::Exists { role: role.into(), path: "x".into() });
        assert!(sentence(&exists("log")).starts_with("--log x: the file exists"));
        assert!(sentence(&exists("target")).starts_with("target x: the file exists"));
        assert!(sentence(&exists("BAG")).ends_with("--force"));
        let place = OutputRefusal::Place { role: "map".into(), path: "m".into(), error: std::io::Error::other("why") };
        assert_eq!(sentence(&place.into()), "--map m: why");
    }

    #[test]
    fn content_that_would_be_fetched_names_the_way_to_fetch_it() {
        assert_eq!(
            hint(&Cause::Elsewhere).unwrap(),
            "the content is in a cloud or on a tape, and reading it would fetch it: to do so, name the file itself, with --special"
        );
    }
}
