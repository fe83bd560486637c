//! The kernel's sandbox around commands whose input is hostile by its nature: the contents of
//! images and archives, and sets of others. It comes before the first thread: the processes that a
//! thread starts are in it.

use crate::args::Command;
use crate::compare::Compare;
use crate::exit;
use crate::input::Inside;
use crate::known::KnownCommand;
use pfh::process::confine;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Enters it, if the command asks for no other thing and the kernel has one.
pub fn enter(command: &Command) {
    let Some(outputs) = outputs(command) else { return };
    if let Err(error) = confine(&writable(&outputs)) {
        exit::say(format_args!("no sandbox: {error}"));
    }
}

/// The paths that were given.
fn paths<'a>(paths: &[&'a Option<PathBuf>]) -> Vec<&'a Path> {
    paths.iter().filter_map(|path| path.as_deref()).collect()
}

/// The outputs of the command, if it is one that reads hostile input.
fn outputs(command: &Command) -> Option<Vec<&Path>> {
    let inside = |inside: &Inside| inside.inside.is_some() && !inside.no_sandbox;
    match command {
        Command::List(list) => (!list.input.inside.no_sandbox).then(Vec::new),
        Command::Cat(cat) => (!cat.no_sandbox).then(|| paths(&[&cat.output])),
        Command::Extract(extract) => (!extract.no_sandbox).then(|| vec![extract.to.as_path()]),
        Command::Hash(hash) if inside(&hash.input.inside) => Some(paths(&[&hash.output, &hash.cache, &hash.update])),
        Command::Check(check) if inside(&check.inside) => {
            let updated = check.manifests.first().filter(|_| check.update);
            Some(updated.into_iter().map(|path| path.as_path()).collect())
        }
        Command::Diff(diff) if inside(&diff.inside) => Some(paths(&[&diff.cache])),
        Command::Dups(dups) if inside(&dups.input.inside) => Some(paths(&[&dups.script])),
        #[cfg(feature = "known")]
        Command::Match(request) if inside(&request.input.inside) => {
            Some(paths(&[&request.output, &request.write_index]))
        }
        Command::Compare(request) if inside(&request.input.inside) || opens_documents(request) => {
            Some(paths(&[&request.output, &request.html]))
        }
        #[cfg(feature = "known")]
        Command::Known(KnownCommand::Build(build)) if !build.inside.no_sandbox => {
            let work = build.work.as_deref();
            Some(std::iter::once(build.output.path()).chain(work).collect())
        }
        _ => None,
    }
}

/// Whether all methods are compared, which opens documents, and nothing is fetched.
fn opens_documents(request: &Compare) -> bool {
    let is_address = |path: &OsString| pfh::is_address(path.as_encoded_bytes());
    let fetches =
        request.input.files_from.is_some() || request.input.paths.iter().chain(&request.against).any(is_address);
    request.algorithms.is_empty() && !request.input.inside.no_sandbox && !fetches
}

/// The outputs, the directories in which they get their names, and where all programs write.
fn writable(outputs: &[&Path]) -> Vec<PathBuf> {
    let mut writable = vec![PathBuf::from("/dev"), "/var/tmp".into(), std::env::temp_dir()];
    for output in outputs {
        let real = std::fs::canonicalize(output).unwrap_or_else(|_| output.to_path_buf());
        // Its directory, or the one in which that will be made.
        let above = real.ancestors().skip(1).map(|above| if above == Path::new("") { Path::new(".") } else { above });
        writable.extend(above.into_iter().find(|above| above.is_dir()).map(Path::to_owned));
        writable.push(real);
    }
    writable
}
