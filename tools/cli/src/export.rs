//! `pfh export`: a result as a timeline or a table of another program.

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
use crate::show::export as show;
use clap::Args;
use pfh::export::{self as job, Event, Form, Request, Table};
use pfh::terminal::render as shown;
use std::io::IsTerminal;
use std::path::PathBuf;

/// A result, and what it becomes.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Export {
    /// What `hash`, `match` or `list` printed with --json, or a manifest in any format that `check`
    /// reads; - is standard input.
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,
    /// timesketch (CSV, a row for each time of a file), bodyfile (for mactime and log2timeline), or
    /// parquet (a row for each record).
    #[arg(long, value_name = "FORMAT")]
    pub to: Form,
    /// Write to a file that appears whole or not at all. Timesketch wants a name that ends in .csv.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file; never the result.
    #[arg(long)]
    pub force: bool,
}

const EXITS: &str = "\
A timeline has a row, or a line, for what has a time: -f jsonl, csv and dfxml keep times, plain lists do not, and errors have none. The
others are counted. In Timesketch's CSV a path that people must not see raw stands in path as it is shown, and exactly in path_b64.
In Parquet path is null for a name that is not UTF-8, path_bytes is each name as it is, times are nanoseconds in UTC, digests have a
column each, and what has members of its own is JSON (sets, inside, other).

Exit codes: 0 all of it is in the output; 2 usage, or this build does not write the form; 3 something is left out, since it has no time or
is not a record of a file; nothing of it could be exported: then there is no file; 4 the output failed.";

/// Runs a request to its end.
pub fn run(export: &Export) -> Exit {
    exit::end(try_run(export))
}

fn try_run(export: &Export) -> Result<Exit, Failure> {
    if export.to == Form::Parquet && export.output.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::usage("parquet is not for a terminal: name a file with -o FILE"));
    }
    let session = Session::open(false)?;
    let request = Request::new(&export.result).replace(export.force);
    let table = Table::new(export.to, session.destination(export.output.as_ref()));
    let result = shown(export.result.as_os_str().as_encoded_bytes());
    let mut faults: Vec<String> = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Fault(fault) = event {
            faults.push(format!("{result}: {fault}"));
        }
        Ok(())
    };
    let ran = job::write(&request, &table, &mut take, &session.control());
    let written = ran.map_err(|error| session.ended(error))?;
    session.close();
    faults.iter().for_each(exit::say);
    exit::say(show::sentence(&written));
    Ok(if written.is_complete() { Exit::Good } else { Exit::Incomplete })
}
