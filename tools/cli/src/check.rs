//! `pfh check`: files against a manifest.

mod audit;
mod files;
mod guess;
mod list;
mod place;
mod told;

use crate::exit::{self, Exit};
use crate::run::Run;
use crate::shown;
use clap::Args;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What to check.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Check {
    /// Manifests, in any format that pfh reads; - is standard input. A directory behind the last of them is ROOT.
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<PathBuf>,
    /// The directory in which the names start [default: the working directory; if that has none of them, the directory of the
    /// manifest, or the one that it records]. Names that begin with the path of another directory are looked for here without it.
    #[arg(long, value_name = "DIR")]
    pub root: Option<OsString>,
    /// Class the whole tree: matched, metadata-only, modified, bit-rot, moved, copied, new, missing, unverified.
    #[arg(long)]
    pub audit: bool,
    /// Audit only this part of ROOT; what lies elsewhere is unverified, and no fault.
    #[arg(long, value_name = "PATH", requires = "audit")]
    pub below: Vec<OsString>,
    /// Follow symbolic links while walking.
    #[arg(short = 'L', long, requires = "audit")]
    pub follow: bool,
    /// What an audit prints: text, jsonl, or hashdeep's wording.
    #[arg(short, long, value_name = "FORMAT", default_value = "text", requires = "audit")]
    pub format: String,
    /// Print what matched, too, and what differs in its times alone.
    #[arg(long, requires = "audit")]
    pub all: bool,
    /// Names may lead out of ROOT, by `..`, by links, or as absolute names.
    #[arg(long, conflicts_with = "audit")]
    pub allow_outside: bool,
    /// Files that are not there do not count, nor are they told.
    #[arg(long, conflicts_with = "audit")]
    pub ignore_missing: bool,
    /// Do not print OK for every file.
    #[arg(long)]
    pub quiet: bool,
    /// Print nothing: the exit code tells.
    #[arg(long)]
    pub status: bool,
    /// Lines that are no records make the exit code 1.
    #[arg(long)]
    pub strict: bool,
    /// What the manifest holds and nobody could compare (lines that are no records, unknown algorithms, errors when it was made, a
    /// missing end) is told and does not make the exit code 3: as GNU's tools have it.
    #[arg(long, conflicts_with = "strict")]
    pub lenient: bool,
    /// Tell every line that is no record.
    #[arg(short, long)]
    pub warn: bool,
    /// The manifest's records end with NUL (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// The algorithm of digests that do not say theirs; lines that name others are left out.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The manifest must have a seal that is signed with this key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

const EXITS: &str = "\
Exit codes: 0 every file is what the manifest says, and all of the manifest was compared; 1 a file differs or is missing, or the
seal does not hold; 2 usage, or no such manifest; 3 something could not be read or compared, or there was nothing to compare
with; 4 the manifest is broken off in the middle of a document.";

/// Runs a request to its end.
pub fn run(request: &Check) -> Exit {
    match try_run(request) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

fn try_run(request: &Check) -> Result<Exit, String> {
    let mut manifests = &request.manifests[..];
    let mut root = request.root.as_deref();
    if let ([before @ .., last], None) = (manifests, root)
        && !before.is_empty()
        && last.is_dir()
    {
        (manifests, root) = (before, Some(last.as_os_str()));
    }
    if let Some(directory) = manifests.iter().find(|path| path.is_dir()) {
        let directory = name(directory);
        return Err(format!("{directory} is a directory: give the manifest first, then the directory"));
    }
    if let (true, [_, _, ..]) = (request.audit, manifests) {
        return Err("an audit is of one manifest: of two, what one has is new to the other".into());
    }
    let mut worst = Exit::Good;
    for manifest in manifests {
        let exit = list::check(request, manifest, root)?;
        if matches!(exit, Exit::Signal(_)) {
            return Ok(exit);
        }
        worst = worse(worst, exit);
    }
    Ok(worst)
}

/// The exit that says more against the files and manifests.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Good => 0,
        Exit::Incomplete => 1,
        Exit::Verdict => 2,
        Exit::Usage => 3,
        Exit::Aborted => 4,
        Exit::Signal(_) => 5,
    };
    if rank(other) > rank(one) { other } else { one }
}
