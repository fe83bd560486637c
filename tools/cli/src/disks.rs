//! `pfh disks`: the disks of this machine.

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
use crate::show::disks as show;
use clap::Args;
use pfh::disks::{self as job, Contents, DeviceChoice, DiskRow, Event, Request};
use pfh::manifest::row::line;
use std::path::{Path, PathBuf};

/// Where the system is looked up, for tests and training.
const SYSTEM: &str = "PFH_SYSTEM";

/// Arguments of `pfh disks`.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Disks {
    /// Also RAM disks and drives without a medium.
    #[arg(long)]
    pub all: bool,
    /// Open no device: show only facts of the kernel and udev.
    #[arg(long)]
    pub no_read: bool,
    /// The directory that holds sys, proc, run and dev, for tests and training [default: /].
    #[arg(long, value_name = "DIR")]
    pub system: Option<PathBuf>,
    /// A JSON object per disk.
    #[arg(long)]
    pub json: bool,
}

const EXITS: &str = "\
Each disk is opened for reading, for its partition table, its file systems and hidden areas (HPA, DCO). Nothing is written.

Exit codes: 0 all are listed; 2 usage; 3 a disk could not be read, or there is none; 4 aborted.";

/// The directory that holds the system's files: the one that is asked for, or that of the
/// environment, or `/`.
pub fn system(asked: Option<&Path>) -> PathBuf {
    let set = || std::env::var_os(SYSTEM).filter(|set| !set.is_empty()).map(PathBuf::from);
    asked.map(Path::to_owned).or_else(set).unwrap_or_else(|| PathBuf::from("/"))
}

/// Runs a request to its end.
pub fn run(disks: &Disks) -> Exit {
    exit::end(try_run(disks))
}

fn try_run(disks: &Disks) -> Result<Exit, Failure> {
    let mut request = Request::new();
    request.system = system(disks.system.as_deref());
    request.which = if disks.all { DeviceChoice::All } else { DeviceChoice::Media };
    request.contents = if disks.no_read { Contents::Unread } else { Contents::Read };
    let session = Session::open(false)?;
    let mut found = Vec::new();
    let mut events = |event: Event<'_>| {
        let Event::Disk(disk) = event;
        found.push(disk.clone());
        Ok(())
    };
    let summary = job::run(&request, &mut events, &session.control()).map_err(|error| session.ended(error))?;
    let text =
        if disks.json { found.iter().map(|disk| line(&DiskRow::of(disk))).collect() } else { show::text(&found) };
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    if let Some(remark) = pfh::process::UNPROVEN.filter(|_| summary.disks > 0) {
        exit::say(remark);
    }
    if summary.disks == 0 {
        exit::say("the system lists no disk");
        return Ok(Exit::Incomplete);
    }
    if summary.unread > 0 {
        let (count, all) = (summary.unread, crate::show::counted(summary.disks, "disk"));
        exit::say(format_args!("{count} of {all} could not be read whole; --no-read lists without reading"));
        return Ok(Exit::Incomplete);
    }
    Ok(Exit::Good)
}
