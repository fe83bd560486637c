//! `pfh selftest`: the program and a directory of this machine.

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
use crate::show::selftest as show;
use clap::Args;
use pfh::manifest::row::line;
use pfh::selftest::{self as job, Request, Row, TestRow, TestsSum};
use std::path::PathBuf;

/// Arguments of `pfh selftest`.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Selftest {
    /// Directory to test: on the NAS, the USB disk or the mount that you will use.
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,
    /// Bytes written and read to measure speeds; never more than a quarter of the free space.
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse, default_value = "64MiB")]
    pub size: u64,
    /// A JSON object per test, and one for the whole.
    #[arg(long)]
    pub json: bool,
    /// Compute known digests with the kernels of this process: one line, for the process that asks.
    #[arg(long, hide = true, exclusive = true)]
    pub digests: bool,
}

const EXITS: &str = "\
It computes known digests on every instruction set of the processor, reads images, lists and a seal that are part of pfh, asks the
file system of DIR whether it keeps what safety rests on (sizes, reads, syncs, renames, locks, times, names), and measures speeds.
It makes one hidden directory in DIR, and removes it.

Exit codes: 0 all holds; 1 a digest or a verdict is wrong here; 2 usage; 3 something is less safe in DIR, or could not be tried: each
such line has the consequence and the remedy; 4 nothing can be made in DIR; 128+n ended by signal n.";

/// Runs it.
pub fn run(args: &Selftest) -> Exit {
    exit::end(try_run(args))
}

fn try_run(args: &Selftest) -> Result<Exit, Failure> {
    if args.digests {
        let found = job::digests();
        exit::print(format!("{found}\n").as_bytes()).map_err(|error| Failure::output(&error))?;
        return Ok(if found.wrong.is_empty() { Exit::Good } else { Exit::Verdict });
    }
    let session = Session::open(false)?;
    let mut request = Request::new(&args.directory).bytes(args.size);
    // The program itself, once for each instruction set.
    if let Ok(program) = std::env::current_exe() {
        request = request.again([program.into_os_string(), "selftest".into(), "--digests".into()]);
    }
    let mut group = None;
    let mut print = |row: &Row| {
        let text = if args.json { line(&TestRow::of(row)) } else { show::text(row, group.replace(row.group)) };
        session.print(text.as_bytes())
    };
    let summary = job::run(&request, &mut print, &session.control()).map_err(|error| session.ended(error))?;
    session.close();
    let text = if args.json { line(&TestsSum::of(&summary)) } else { show::summary_text(&summary) };
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(Exit::of_verdict(summary.verdict()))
}
