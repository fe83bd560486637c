//! `pfh export`: a result as a timeline or a table of another program.

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
use clap::Args;
use pfh::export::{self as job, Event, Form, Request, Table};
use pfh::terminal::render as shown;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `pfh export`.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Export {
    /// Output of `hash`, `match` or `list` with --json, or a manifest in any format that `check`
    /// reads; - is standard input.
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,
    /// timesketch (CSV, a row per time of a file), bodyfile (for mactime and log2timeline), or
    /// parquet (a row per record).
    #[arg(long, value_name = "FORMAT")]
    pub to: Form,
    /// Write to FILE, which appears only when it is complete. Timesketch requires a name ending in
    /// .csv.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an existing file, but never the input.
    #[arg(long)]
    pub force: bool,
}

const EXITS: &str = "\
A timeline has a row for each time of a record: -f jsonl, csv and dfxml keep times, plain lists and errors have none. Records without times
are counted. In Timesketch's CSV, path escapes control characters, and path_b64 has the exact bytes. In Parquet, path is null for a name
that is not UTF-8, path_bytes has the exact bytes, times are nanoseconds in UTC, each algorithm has a column, and nested values (sets,
inside, other) are JSON.

Exit codes: 0 everything is in the output; 2 usage, or this build lacks the format; 3 records without times, or lines that are not records,
were left out (if nothing could be exported, no file is written); 4 the output failed.";

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
    exit::say(written.sentence());
    Ok(if written.is_complete() { Exit::Good } else { Exit::Incomplete })
}
