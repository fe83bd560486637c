//! `pfh report`: the results of other commands, on one page.

#[cfg(feature = "serve")]
use crate::aside::Announcer;
use crate::exit::{self, Exit, Failure};
use crate::session::Session;
#[cfg(feature = "serve")]
use crate::show::report as show;
use clap::Args;
use pfh::Verdict;
use pfh::report::{self as job, Complaint, Event, Request, Summary};
use pfh::terminal::render as shown;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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
    #[cfg_attr(feature = "serve", arg(required_unless_present = "serve"))]
    #[cfg_attr(not(feature = "serve"), arg(required = true))]
    pub html: Option<PathBuf>,
    /// Show the page on 127.0.0.1 instead, up to date while jobs run, until Ctrl-C: the address is
    /// printed first [default port: the system's choice].
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    #[arg(conflicts_with_all = ["html", "force"])]
    pub serve: Option<u16>,
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
could not be read or understood in full, or there was no result; 4 the page could not be written.
With --serve: 0 a signal ended it; 2 usage; 4 the port could not be had.";

/// Runs a request to its end.
pub fn run(report: &Report) -> Exit {
    exit::end(try_run(report))
}

fn try_run(report: &Report) -> Result<Exit, Failure> {
    let mut request = Request::new(&report.results);
    request.replace = report.force;
    request.key.clone_from(&report.key);
    request.command = crate::call::line();
    if let Some(title) = &report.title {
        request.title.clone_from(title);
    }
    #[cfg(feature = "serve")]
    if let Some(port) = report.serve {
        // A name that is mistyped would be waited for, and the page stay empty.
        if let Some(missing) = report.results.iter().find(|path| *path != "-" && !Path::new(path).exists()) {
            let name = shown(missing.as_encoded_bytes());
            return Err(Failure::new(
                Exit::Incomplete,
                format_args!("{name}: No such file or directory (ENOENT): no page is served"),
            ));
        }
        return serve(request, port);
    }
    // Without a server the command line asks for it.
    let page = report.html.as_deref().unwrap_or(Path::new(""));
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
    let ran = job::write(&request, page, &mut take, &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    session.close();
    complaints.iter().for_each(exit::say);
    Ok(end(&summary))
}

/// Shows the page until a signal ends it, which is its good end.
#[cfg(feature = "serve")]
fn serve(report: Request, port: u16) -> Result<Exit, Failure> {
    let mut request = job::serve::Request::new(report);
    request.port = port;
    let session = Session::open(false)?;
    let mut aside = Announcer::begin();
    let mut take = |event: job::serve::Event<'_>| match event {
        job::serve::Event::Listening(address) => exit::print(show::address(address).as_bytes()),
        job::serve::Event::Answered(served) => {
            show::refusal(served).into_iter().for_each(|sentence| aside.say(sentence));
            Ok(())
        }
        _ => Ok(()),
    };
    job::serve::run(&request, &mut take, &session.control()).map_err(|error| session.ended(error))?;
    Ok(Exit::Good)
}

/// Prints the result, and gives the exit.
fn end(summary: &Summary) -> Exit {
    exit::say(summary.sentence());
    if summary.conclusion() == Verdict::NothingToCompareWith {
        exit::say("no result is among the files: images and stores are listed on the page, and not read");
    }
    Exit::of_verdict(summary.conclusion())
}
