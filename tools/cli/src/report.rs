//! `pfh report`: what other commands wrote, on one page.

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
use crate::show::report as show;
use clap::Args;
use pfh::Verdict;
use pfh::report::{self as job, Complaint, Event, Request, Summary};
use pfh::terminal::render as shown;
use std::ffi::OsString;
use std::path::PathBuf;

/// Results, and the page.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Report {
    /// Results: manifests in any format, --json output, chained logs, maps, seals, and folders of
    /// these, recognised by content. - is JSON lines on standard input.
    #[arg(value_name = "RESULT", required = true)]
    pub results: Vec<OsString>,
    /// Page to write, a single self-contained file. It may be in one of the folders.
    #[arg(short = 'o', long, visible_alias = "output", value_name = "FILE")]
    pub html: PathBuf,
    /// Title of the page [default: Report of a case].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Require seals and logs signed with this public key (PEM).
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Replace an existing page, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

const EXITS: &str = "\
Sections of the page: errors, files read (with the SHA-256 of each), hashed files, verdicts of known sets, verdicts of checks, audits,
comparisons and images with their evidence, acquisitions, duplicates, similar files. Seals and chains of logs are verified again; a log
with a broken chain is not shown. Other verdicts are shown as stated. Images, trees and other stores in a folder are listed, not read.

Exit codes: 0 the page was written; 1 it was written, and a seal or chain does not hold; 2 usage; 3 it was written, and names files that
could not be read or understood in full, or there was no result; 4 the page could not be written.";

/// Runs a request to its end.
pub fn run(report: &Report) -> Exit {
    exit::end(try_run(report))
}

fn try_run(report: &Report) -> Result<Exit, Failure> {
    let mut request = Request::new(&report.results);
    request.replace = report.force;
    request.key.clone_from(&report.key);
    if let Some(title) = &report.title {
        request.title.clone_from(title);
    }
    let session = Session::open(!report.no_progress)?;
    let mut complaints: Vec<String> = Vec::new();
    let mut take = |event: Event<'_>| {
        match event {
            Event::Unknown(Complaint { name, why, .. }) => complaints.push(format!("{}: {why}", shown(name))),
            Event::Broken(Complaint { name, why, .. }) => {
                complaints.push(format!("{}: DOES NOT HOLD: {why}", shown(name)));
            }
            _ => {}
        }
        Ok(())
    };
    let ran = job::write(&request, &report.html, &mut take, &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    session.close();
    complaints.iter().for_each(exit::say);
    Ok(end(&summary))
}

/// Says what it came to, and gives the exit.
fn end(summary: &Summary) -> Exit {
    exit::say(show::sentence(summary));
    if summary.conclusion() == Verdict::NothingToCompareWith {
        exit::say("no result is among the files: images and stores are listed on the page, and not read");
    }
    Exit::of_verdict(summary.conclusion())
}
