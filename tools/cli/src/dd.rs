//! `pfh dd`: the operands of dd, dc3dd and dcfldd.

use crate::exit::{self, Exit, Failure};
use crate::imaging;
use crate::show::dd as show;
use clap::Args;
use pfh::dd::{self as job, Event, Request, Status};
use std::ffi::OsString;
use std::io::Write;

const OPERANDS: &str = "\
Operands (sizes as dd reads them: 64MB = 64,000,000, 64M = 64 MiB, 1b = 512, 2x512; the suffix B counts bytes):
  if=FILE of=FILE …     from FILE (or standard input) to each of= (or standard output)
  bs= ibs= obs=         unit of count, skip and seek (bs= wins); blocks are always filled, even after short reads
  count= skip= seek=    blocks to copy, to skip in the input, to skip in the output; limit=BYTES
  cnt= iskip= oskip=    the same, in sectors of ssz= bytes (dc3dd; 512)
  iflag=                direct fullblock skip_bytes count_bytes noatime
  oflag=                direct seek_bytes sync dsync
  conv=                 noerror (leaves out bad sectors; with sync: zeros) sync (fills the last block) notrunc excl nocreat sparse fsync fdatasync
  status=               none noxfer progress
  hash=NAME[,NAME…]     digests on the fly (repeatable); hashwindow=SIZE hashlog=FILE (or hlog=) errlog=FILE
  hof=FILE              like of=, then read back and compare
  ofs=NAME.000 ofsz=SIZE  split the output; or split=SIZE with of=
  vf=FILE               compare the input with FILE, write nothing
  pattern=HEX (or pat=) these bytes instead of an input
  sizeprobe=if|of|SIZE  taken; the input's size is always looked up

Unlike dd, unreadable sectors are narrowed down one by one under conv=noerror, every end is synced and checked, and a write
that fails late is a failure; an existing of= is refused without --force or conv=notrunc. Beside hash= and the like count=, skip=
and seek= need bs=: dcfldd's blocks are of 32768 bytes, dd's of 512. An operand that is not listed is an error.";

/// Copy with the operands of dd and of its forensic kin (dcfldd, dc3dd) as listed below, hashed on
/// the way.
#[derive(Debug, Args)]
#[command(after_help = OPERANDS)]
pub struct Dd {
    /// Operands, as NAME=VALUE.
    #[arg(value_name = "OPERAND")]
    pub operands: Vec<OsString>,
    /// Replace existing files. Without it, only empty files, devices, pipes and files of
    /// conv=notrunc are written.
    #[arg(long)]
    pub force: bool,
    /// Blocks read ahead; bs= is the unit of count=, skip= and seek=.
    #[command(flatten)]
    pub blocks: imaging::Blocks,
}

/// Copies, prints the result, and returns the exit.
pub fn run(dd: &Dd) -> Exit {
    exit::end(try_run(dd))
}

fn try_run(dd: &Dd) -> Result<Exit, Failure> {
    let request = Request::parse(&dd.operands, dd.force).map_err(|error| Failure::of(&error, Exit::Aborted))?;
    let request = request.ring(dd.blocks.ring()?);
    let session = imaging::session(request.operands().status == Status::Progress)?;
    let mut say = |event: Event<'_>| {
        match event {
            Event::Acquiring(event) => imaging::say(&session, event),
            event => event.to_string().lines().for_each(|line| session.message(line)),
        }
        Ok(())
    };
    let summary = job::run(&request, &mut say, &session.control()).map_err(|error| session.ended(error))?;
    session.close();
    let printed = std::io::stderr().lock().write_all(show::text(request.operands(), &summary).as_bytes());
    printed.map_err(|error| Failure::aborted(format_args!("a log cannot be written: {error}")))?;
    Ok(if summary.differs { Exit::Verdict } else { imaging::exit(&summary.acquired) })
}
