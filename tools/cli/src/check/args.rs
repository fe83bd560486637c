//! The arguments of `pfh check`.

use crate::exit::Failure;
use crate::leveling::Leveling;
use crate::run::Run;
use crate::span;
use clap::{Args, ValueEnum};
use pfh::check::Likely;
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

/// The treatment of files whose names are probably other spellings of listed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Names {
    /// They are named, and not compared.
    Exact,
    /// They are compared.
    AsFound,
}

impl Names {
    /// The same for a job.
    pub fn likely(self) -> Likely {
        match self {
            Names::Exact => Likely::Named,
            Names::AsFound => Likely::Taken,
        }
    }
}

/// Arguments of `pfh check`.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Check {
    /// Manifests in any format that pfh reads (- is standard input). A directory after the last one
    /// is ROOT, with --audit also an address (s3://bucket/prefix). Objects are compared with the
    /// checksums of their store.
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<PathBuf>,
    /// Directory in which the names start [default: the working directory; if none of the files is
    /// there, the directory of the manifest or the one it records]. A path recorded in front of the
    /// names is removed.
    #[arg(long, value_name = "DIR")]
    pub root: Option<OsString>,
    /// Classify the whole tree against all manifests together: matched, metadata-only, modified,
    /// bit-rot, moved, copied, new, missing, unverified.
    #[arg(long)]
    pub audit: bool,
    /// Update the manifest to the files below ROOT, and print the changes. The old list is kept as
    /// MANIFEST.1.
    #[arg(long, conflicts_with_all = ["audit", "allow_outside", "ignore_missing", "dry_run", "strict", "lenient", "level"])]
    pub update: bool,
    /// With --update, do not read files whose size and times match the list.
    #[arg(long, requires = "update")]
    pub trust_times: bool,
    /// With --update, empty the list if none of its files exists.
    #[arg(long, requires = "update")]
    pub force: bool,
    /// Check a share of the files by bytes, the least recently checked first: 1/30 each night reads
    /// every file once in 30 nights.
    #[arg(long, value_name = "N/M", value_parser = span::share, conflicts_with_all = ["audit", "update", "dry_run"])]
    pub share: Option<(u64, u64)>,
    /// Start no file after TIME (90s, 45m, 2h), the least recently checked first.
    #[arg(long, value_name = "TIME", value_parser = span::time, conflicts_with_all = ["audit", "update", "dry_run"])]
    pub r#for: Option<Duration>,
    /// File with the last check of each file, for --share and --for [default: MANIFEST.checked].
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Audit only this part of ROOT; files elsewhere are unverified, without an error.
    #[arg(long, value_name = "PATH", requires = "audit")]
    pub below: Vec<OsString>,
    /// Follow symbolic links while walking.
    #[arg(short = 'L', long, requires = "audit")]
    pub follow: bool,
    /// Output of an audit: text, jsonl, or hashdeep's wording.
    #[arg(short = 'f', long = "format", value_name = "FORMAT", default_value = "text", requires = "audit", value_parser = wording, hide_possible_values = true)]
    pub wording: Wording,
    /// Also print files that match or differ only in times.
    #[arg(long, requires = "audit")]
    pub all: bool,
    /// Follow names out of ROOT: `..`, links, and absolute names.
    #[arg(long, conflicts_with = "audit")]
    pub allow_outside: bool,
    /// Ignore missing files.
    #[arg(long, conflicts_with = "audit")]
    pub ignore_missing: bool,
    /// Read files that differ once only. Without it a regular file that differs is read a second
    /// time, past the page cache where the system can: it "differs both times", or "differed once:
    /// cable or memory", which fails all the same. Files in containers, objects in stores, files of
    /// another size, and those behind 100 that differ both times are read once. Algorithms that a
    /// list does not name are tried all the same.
    #[arg(long, conflicts_with = "update")]
    pub once: bool,
    /// Compare files whose names differ from the listed ones by case, Unicode form or blanks alone.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Names::Exact, hide_default_value = true)]
    pub names: Names,
    /// Print a JSON object per file, and one for the whole (with --audit, like -f jsonl).
    #[arg(long, conflicts_with = "wording")]
    pub json: bool,
    /// Do not print OK for each file.
    #[arg(short, long)]
    pub quiet: bool,
    /// List the files that would be read, without reading them.
    #[arg(short = 'n', long, conflicts_with = "audit")]
    pub dry_run: bool,
    /// Print nothing; the exit code is the verdict.
    #[arg(long)]
    pub status: bool,
    /// Exit with 1 if a line is not a record.
    #[arg(long)]
    pub strict: bool,
    /// Report entries that cannot be compared (malformed lines, unknown algorithms, recorded
    /// errors, a missing end), but do not exit with 3, like GNU coreutils.
    #[arg(long, conflicts_with = "strict")]
    pub lenient: bool,
    /// List each line that is not a record.
    #[arg(short, long)]
    pub warn: bool,
    /// Records of the manifest end with NUL (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// The columns of the manifest in their order: name, size, algorithm, digest, an algorithm,
    /// or - for a column that is passed over [default: found by their labels or contents].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true, conflicts_with_all = ["update", "zero"])]
    pub columns: Vec<String>,
    /// Algorithm of untagged digests; lines tagged with another algorithm are ignored.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Names inside of containers are looked for there by themselves; an audit goes into all
    /// containers of the tree with --inside, or if the manifest has such names.
    #[cfg(feature = "inside")]
    #[command(flatten)]
    pub inside: crate::input::Inside,
    /// Require a seal signed with this key, or a PGP signature by one of these public keys.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Require a seal that follows this one, an earlier seal of the manifest that you kept.
    #[arg(long, value_name = "SEAL", conflicts_with = "update")]
    pub after: Option<PathBuf>,
    /// Require the newest seal that you have seen of this manifest, and remember it
    /// (~/.local/state/pfh/seals).
    #[arg(long, conflicts_with = "update")]
    pub newest: bool,
    /// Key of keyed digests (hmac-sha256, blake3-keyed …): the bytes of FILE. Without it, they are
    /// reported as not compared.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Part size of multipart uploads in bytes [default: the usual sizes are tried].
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse)]
    pub part_size: Option<u64>,
    /// Every version of an object in a store.
    #[arg(long)]
    pub versions: bool,
    /// Context of blake3-derive-key digests.
    #[arg(long, value_name = "CONTEXT", conflicts_with = "key_file")]
    pub derive_key: Option<String>,
    /// How much findings count.
    #[command(flatten)]
    pub levels: Leveling,
    /// Reading and hashing.
    #[command(flatten)]
    pub run: Run,
}

const EXITS: &str = "\
Exit codes: 0 every file matches, and the whole manifest was compared; 1 a file differs or is missing, or the seal does not
hold; 2 usage; 3 something could not be read or compared, or there was nothing to compare; 4 the manifest ends in the
middle of a document.";

fn wording(text: &str) -> Result<Wording, Failure> {
    Wording::from_str(text, false).map_err(|_| {
        Failure::usage(format_args!("an audit is written as text, jsonl or hashdeep, not {}", shown(text.as_bytes())))
    })
}
