//! `pfh report`: what other commands wrote, on one page.

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
use clap::Args;
use pfh::report::{self as job, Request, Summary};
use std::ffi::OsString;
use std::path::PathBuf;

/// Results, and the page.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Report {
    /// What other commands wrote: manifests in any format, what --json printed, chained logs, maps,
    /// seals; folders with such, which are walked. Each is found out by its content. -: JSON lines
    /// from standard input.
    #[arg(value_name = "RESULT", required = true)]
    pub results: Vec<OsString>,
    /// The page to write: one file that needs nothing else. It may be in one of the folders.
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
    /// What stands above the page [default: Report of a case].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Seals and logs must be signed with this key: a file of the public key, in PEM.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Replace an existing page; never a file that is read.
    #[arg(long)]
    pub force: bool,
    /// Show no progress.
    #[arg(long)]
    pub no_progress: bool,
}

const EXITS: &str = "\
Errors come first, then what was read (with the SHA-256 of each file), what was hashed, verdicts of known sets, verdicts of checks,
audits, comparisons and images with their evidence, acquisitions, duplicates, similar files. Seals and chains of logs are verified
again; nothing is shown of a log whose chain is broken. Verdicts of other results are shown as they are stated. Images, trees and other
stores in a folder are listed and not read.

Exit codes: 0 the page is written; 1 it is, and a seal or a chain does not hold; 2 usage; 3 it is, and some file was not understood, not
whole or could not be read: the page names it; or no result is among the files; 4 the page could not be written.";

/// Runs a request to its end.
pub fn run(report: &Report) -> Exit {
    exit::end(try_run(report))
}

fn try_run(report: &Report) -> Result<Exit, Failure> {
    let mut request = Request::new(&report.results, &report.html);
    request.replace = report.force;
    request.key.clone_from(&report.key);
    if let Some(title) = &report.title {
        request.title.clone_from(title);
    }
    let session = Session::open(!report.no_progress)?;
    let summary = job::run(&request, &session.control()).map_err(|error| session.failed(error))?;
    session.close();
    Ok(end(&summary))
}

/// Says what it came to, and gives the exit.
fn end(summary: &Summary) -> Exit {
    for (name, why) in &summary.unknown {
        exit::say(format_args!("{name}: {why}"));
    }
    for (name, why) in &summary.broken {
        exit::say(format_args!("{name}: DOES NOT HOLD: {why}"));
    }
    exit::say(summary.sentence());
    if summary.results == 0 && summary.holding == 0 && summary.unknown.is_empty() {
        exit::say("no result is among the files: images and stores are listed on the page, and not read");
        return Exit::Incomplete;
    }
    match (summary.broken.is_empty(), summary.unknown.is_empty()) {
        (false, _) => Exit::Verdict,
        (true, false) => Exit::Incomplete,
        (true, true) => Exit::Good,
    }
}
