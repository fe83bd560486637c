//! The arguments of `pfh check`.

use crate::exit::Failure;
use crate::run::Run;
use crate::span;
use clap::{Args, ValueEnum};
use pfh::terminal::render as shown;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How an audit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wording {
    /// Lines for people.
    Text,
    /// A JSON object per line.
    Jsonl,
    /// hashdeep's words.
    Hashdeep,
}

/// What to check.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Check {
    /// Manifests, in any format that pfh reads; - is standard input. A directory behind the last of
    /// them is ROOT. Objects by their address (s3://bucket/prefix) are compared with what their
    /// store states of them.
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<PathBuf>,
    /// The directory in which the names start [default: the working directory; if that has none of
    /// them, the directory of the manifest, or the one that it records]. Names that begin with the
    /// path of another directory are looked for here without it.
    #[arg(long, value_name = "DIR")]
    pub root: Option<OsString>,
    /// Class the whole tree against all manifests together: matched, metadata-only, modified,
    /// bit-rot, moved, copied, new, missing, unverified.
    #[arg(long)]
    pub audit: bool,
    /// Bring the manifest up to date with the files below ROOT, and print what changed. The old
    /// list stays as MANIFEST.1.
    #[arg(long, conflicts_with_all = ["audit", "allow_outside", "ignore_missing", "dry_run", "strict", "lenient"])]
    pub update: bool,
    /// With --update, do not read files whose size and times are as listed.
    #[arg(long, requires = "update")]
    pub trust_times: bool,
    /// With --update, also take every file off the list when none is there.
    #[arg(long, requires = "update")]
    pub force: bool,
    /// Check a share of the files, by bytes, those first that were checked least recently: with
    /// 1/30 each night every file once in 30 nights.
    #[arg(long, value_name = "N/M", value_parser = span::share, conflicts_with_all = ["audit", "update", "dry_run"])]
    pub share: Option<(u64, u64)>,
    /// Begin no file after TIME (90s, 45m, 2h); those first that were checked least recently.
    #[arg(long, value_name = "TIME", value_parser = span::time, conflicts_with_all = ["audit", "update", "dry_run"])]
    pub r#for: Option<Duration>,
    /// Where --share and --for keep when each file was checked [default: MANIFEST.checked].
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Audit only this part of ROOT; what lies elsewhere is unverified, and no fault.
    #[arg(long, value_name = "PATH", requires = "audit")]
    pub below: Vec<OsString>,
    /// Follow symbolic links while walking.
    #[arg(short = 'L', long, requires = "audit")]
    pub follow: bool,
    /// What an audit prints: text, jsonl, or hashdeep's wording.
    #[arg(short = 'f', long = "format", value_name = "FORMAT", default_value = "text", requires = "audit", value_parser = wording, hide_possible_values = true)]
    pub wording: Wording,
    /// Print also what matched, and what differs in its times alone.
    #[arg(long, requires = "audit")]
    pub all: bool,
    /// Names may lead out of ROOT, by `..`, by links, or as absolute names.
    #[arg(long, conflicts_with = "audit")]
    pub allow_outside: bool,
    /// Files that are not there do not count, and are not listed.
    #[arg(long, conflicts_with = "audit")]
    pub ignore_missing: bool,
    /// A JSON object for each file, and one for the whole; of an audit the same as -f jsonl.
    #[arg(long, conflicts_with = "wording")]
    pub json: bool,
    /// Do not print OK for every file.
    #[arg(short, long)]
    pub quiet: bool,
    /// List the files that would be read, and read none of them.
    #[arg(short = 'n', long, conflicts_with = "audit")]
    pub dry_run: bool,
    /// Print nothing: the exit code has the verdict.
    #[arg(long)]
    pub status: bool,
    /// Exit with 1 if lines are not records.
    #[arg(long)]
    pub strict: bool,
    /// What the manifest holds and nobody could compare (lines that are not records, unknown
    /// algorithms, errors when it was made, a missing end) is reported and does not make the exit
    /// code 3: as GNU's tools have it.
    #[arg(long, conflicts_with = "strict")]
    pub lenient: bool,
    /// List every line that is not a record.
    #[arg(short, long)]
    pub warn: bool,
    /// The manifest's records end with NUL (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// The algorithm of digests that do not say theirs; lines that name others are left out.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Names inside of containers are looked for there by themselves; an audit goes into all
    /// containers of the tree with --inside, or if the manifest has such names.
    #[cfg(feature = "inside")]
    #[command(flatten)]
    pub inside: crate::input::Inside,
    /// The manifest must have a seal that is signed with this key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// The key of keyed digests (hmac-sha256, blake3-keyed …): the bytes of FILE as they are.
    /// Without it they are reported as not compared.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Objects were uploaded in parts of SIZE bytes [default: the usual sizes are tried].
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse)]
    pub part_size: Option<u64>,
    /// The context of keys that BLAKE3 derived (blake3-derive-key).
    #[arg(long, value_name = "CONTEXT", conflicts_with = "key_file")]
    pub derive_key: Option<String>,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

const EXITS: &str = "\
Exit codes: 0 every file is what the manifest says, and all of the manifest was compared; 1 a file differs or is missing, or the
seal does not hold; 2 usage; 3 something could not be read or compared, or there was nothing to compare
with; 4 the manifest is broken off in the middle of a document.";

fn wording(text: &str) -> Result<Wording, Failure> {
    Wording::from_str(text, false).map_err(|_| {
        Failure::usage(format_args!("an audit is written as text, jsonl or hashdeep, not {}", shown(text.as_bytes())))
    })
}
