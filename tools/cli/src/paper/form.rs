//! The letters of the paper's form, as they are parsed, explained by `pfh -h` and by the man page.

use crate::input::By;
use clap::{CommandFactory, Parser};
use pfh::paper::Prefetchers;
use std::ffi::OsString;

/// The text below the options.
const AFTER: &str = "\
Modes (-c), in capitals or not:
  HASH      one digest for each file, as the algorithm's own tool writes it
  FULL      compares all pairs of files
  DIGEST    compares each file, or each digest of a list, with the digest given as -c
  FILENAME  looks each file up in the list of digests given as -c, like ssdeep -m and md5deep -m: any list that pfh match
            reads, or one digest per line

FULL, DIGEST and FILENAME print a line per match, separated by tabs: path, hash value, score, path and hash value of the
match. Scores count from 1 (ssdeep), 21 (sdhash, mrsh-v2) or 100 (others: equal digests); for tlsh they are
distances, up to 30.

As printed in the paper:
  pfh -c hash -m 256 -d t5 -r           everything below t5, with a table of 256 MB
  pfh -d t5 -t 2 -h ssdeep              two threads: one reads, one hashes
  pfh -t 8 -c hash -d t5 -h md5 -p 2    eight threads: two read, six hash
  pfh -c full -d t5 -t 8 -m 128         every pair of similar files

Exit codes: 0 all good; 1 DIGEST or FILENAME without a match; 2 usage; 3 finished, but something could not be read,
understood or compared; 4 aborted; 128+n ended by signal n. A file that is too short, too uniform or too long for an
algorithm is reported and counted, and is not a failure. ssdeep gives files below 4096 bytes a line, as its own program
does today; the paper leaves them out.";

/// The command line of Breitinger & Petrov, "Reducing time cost in hashing operations", section
/// IV-B.
#[derive(Debug, Parser)]
#[command(
    name = "pfh-paper",
    override_usage = "pfh -d PATH [-c MODE] [-r] [-h HASH] [-t N] [-p P|auto] [-m MB]",
    disable_help_flag = true,
    disable_version_flag = true,
    before_help = "Example: pfh -c hash -m 256 -d t5 -r",
    after_help = AFTER
)]
pub struct Form {
    /// HASH, FULL, a digest, or a file with a list of digests [default: HASH].
    #[arg(short = 'c', value_name = "MODE")]
    pub mode: Option<OsString>,
    /// Directory or file to hash, or a file of digests to compare.
    #[arg(short = 'd', value_name = "PATH")]
    pub directory: Option<OsString>,
    /// Descend into subdirectories.
    #[arg(short = 'r')]
    pub recursive: bool,
    /// Algorithm: mrsh-v2, ssdeep, sdhash, tlsh, md5, sha1 … (see `pfh algorithms`); the member of
    /// a family (sha2, sha3, fnv) is reported [default: mrsh-v2, or that of the list].
    #[arg(short = 'h', value_name = "HASH")]
    pub algorithm: Option<String>,
    /// Total number of threads N: P of them read, N - P hash [default: one per processor, at least
    /// 2].
    #[arg(short = 't', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Number of prefetching threads P, less than N. With 0, each of N threads reads and hashes
    /// (the paper's SMT); with auto threads change their role, as its future work asks [default:
    /// 1].
    #[arg(short = 'p', value_name = "P|auto", value_parser = prefetchers)]
    pub prefetchers: Option<Prefetchers>,
    /// Size of the RAM table in megabytes of 10^6 bytes; larger files pass through in pieces
    /// [default: 20].
    #[arg(short = 'm', value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub memory: Option<u64>,
    /// Order of reading; the output keeps the order of the paths.
    #[arg(long, value_enum, default_value = "path")]
    pub order: By,
    /// Print times (total, compare, hash, both waits, reading), MB/s of hashing and items/s of
    /// comparing (the paper's build option).
    #[arg(long)]
    pub with_timing: bool,
    /// Print the number of waits for a file and for space in the table (the paper's build option).
    #[arg(long)]
    pub with_stats: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// The page that explains the form.
pub fn page() -> clap::Command {
    Form::command().mut_args(|arg| arg.help_heading(None))
}

/// The value of `-p`.
fn prefetchers(word: &str) -> Result<Prefetchers, String> {
    match word.parse::<u16>() {
        _ if word == "auto" => Ok(Prefetchers::Auto),
        Ok(number) if number <= 1024 => Ok(Prefetchers::Fixed(number.into())),
        _ => Err("neither a number from 0 to 1024 nor auto".into()),
    }
}
