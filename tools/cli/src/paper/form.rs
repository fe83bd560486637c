//! The letters of the paper's form, as they are parsed, explained by `pfh -h` and by the man page.

use crate::input::By;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;

/// What stands below the options.
const AFTER: &str = "\
Modes (-c), in capitals or not:
  HASH      one digest for each file, as the algorithm's own tool writes it
  FULL      each file with each other
  DIGEST    -c is one digest: each file, or each digest of a list, with it
  FILENAME  -c is a file with a list of digests, as pfh match reads them or one a line: each file is looked up in it, as
            ssdeep -m and md5deep -m do

FULL, DIGEST and FILENAME print a line for each match: path, hash value, score, and path and hash value of what it is like,
with tabs between them. Scores count from 1 (ssdeep), 21 (sdhash, mrsh-v2) or 100 (others: equal digests); for tlsh they are
distances, up to 30.

What the paper prints:
  pfh -c hash -m 256 -d t5 -r           everything below t5, with a table of 256 MB
  pfh -d t5 -t 2 -h ssdeep              two threads: one reads, one hashes
  pfh -t 8 -c hash -d t5 -h md5 -p 2    eight threads: two read, six hash
  pfh -c full -d t5 -t 8 -m 128         every pair of similar files

Exit codes: 0 all good; 1 DIGEST or FILENAME without a match; 2 usage; 3 finished, but something could not be read, was not
understood or had nothing to be compared with; 4 aborted; 128+n ended by signal n. A file that an algorithm makes no digest
of (too short, too plain or too long for it) was read: it is noted and counted, and is not a failure.";

/// The command line of Breitinger & Petrov, "Reducing time cost in hashing operations", section
/// IV-B.
#[derive(Debug, Parser)]
#[command(
    name = "pfh-paper",
    override_usage = "pfh -d PATH [-c MODE] [-r] [-h HASH] [-t N] [-p P] [-m MB]",
    disable_help_flag = true,
    disable_version_flag = true,
    before_help = "Example: pfh -c hash -m 256 -d t5 -r",
    after_help = AFTER
)]
pub struct Form {
    /// HASH, FULL, a digest, or a file with a list of digests [default: HASH].
    #[arg(short = 'c', value_name = "MODE")]
    pub mode: Option<OsString>,
    /// The directory whose files are hashed; or a file; or a file of digests, which are compared
    /// without any hashing.
    #[arg(short = 'd', value_name = "PATH")]
    pub directory: Option<OsString>,
    /// Also everything below the directory.
    #[arg(short = 'r')]
    pub recursive: bool,
    /// The algorithm: mrsh-v2, ssdeep, sdhash, tlsh, md5, sha1 … (`pfh algorithms` lists them);
    /// sha2, sha3 and fnv are families, and it is reported what they stand for [default: mrsh-v2;
    /// of a list of digests its own].
    #[arg(short = 'h', value_name = "HASH")]
    pub algorithm: Option<String>,
    /// N, the number of all threads: P of them read, N - P hash [default: one per processor, at
    /// least 2].
    #[arg(short = 't', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// P, the number of prefetching threads, less than N. 0: no prefetching, each of N threads
    /// reads and hashes (the paper's SMT) [default: 1].
    #[arg(short = 'p', value_name = "P", value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub prefetchers: Option<u16>,
    /// The RAM table in megabytes of 10^6 bytes; larger files go through it in pieces [default:
    /// 20].
    #[arg(short = 'm', value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub memory: Option<u64>,
    /// In which order files are read; the output keeps the order of the paths.
    #[arg(long, value_enum, default_value = "path")]
    pub order: By,
    /// Print times: total, compare, hash, both waits, reading; MB/s of hashing, items/s of
    /// comparing (the paper's build option).
    #[arg(long)]
    pub with_timing: bool,
    /// Print how often threads waited for a file and for space in the table (the paper's build
    /// option).
    #[arg(long)]
    pub with_stats: bool,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
}

/// The page that explains the form.
pub fn page() -> clap::Command {
    Form::command().mut_args(|arg| arg.help_heading(None))
}
