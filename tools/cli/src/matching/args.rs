//! The arguments of `pfh match`.

use crate::input::Input;
use crate::leveling::Leveling;
use crate::reference::Sets;
use crate::run::Run;
use crate::saying::Saying;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// Arguments of `pfh match`.
#[derive(Debug, Default, Args)]
pub struct Match {
    /// The input.
    #[command(flatten)]
    pub input: Input,
    /// Known sets.
    #[command(flatten)]
    pub sets: Sets,
    /// Search this list of similarity digests, or index made from one, and print similar files;
    /// with -k also the verdicts of known sets.
    #[arg(long, value_name = "LIST", conflicts_with = "digests")]
    pub similar: Option<OsString>,
    /// With --similar, minimum score of a match (tlsh, pdq, phash: maximum distance) [default:
    /// shingles=3, ssdeep=1, sdhash=30, mrsh-v2=21, tlsh=60, strings=20, imports=55, text=5,
    /// cells=30, pdq=31, phash=6, crops=6].
    #[arg(long, value_name = "N", requires = "similar")]
    pub threshold: Option<u32>,
    /// With --similar, include matches of saturated sdhash digests, which match random data; by
    /// default they are only counted.
    #[arg(long, requires = "similar")]
    pub saturated: bool,
    /// With --similar, write an index of the list (ssdeep, tlsh, shingles, text, strings,
    /// imports), which later runs open instead of the list. PATH is optional.
    #[arg(long, value_name = "FILE", requires = "similar")]
    pub write_index: Option<PathBuf>,
    /// The PATHs are images or disks: look for blocks of these sizes (512,4096) that a set of
    /// blocks knows (`known build --blocks`), at every sector; with --inside in unallocated space
    /// alone.
    #[cfg(feature = "inside")]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = crate::size::parse_block,
        conflicts_with_all = ["similar", "digests", "class", "empty_counts", "algorithms", "recursive", "files_from"])]
    pub sectors: Vec<u32>,
    /// With --sectors: also find blocks that begin at no sector, as in archives, in memory or
    /// behind bytes that were put in front. Takes several times as long.
    #[cfg(feature = "inside")]
    #[arg(long, requires = "sectors")]
    pub any_offset: bool,
    /// With --sectors: also fragments of blocks alone that say little of their files (constant,
    /// repetitive, common); otherwise they are counted only.
    #[cfg(feature = "inside")]
    #[arg(long, requires = "sectors")]
    pub flagged: bool,
    /// Only files with these verdicts: bad, good, known, maybe, unknown, error [default: all; as
    /// text, if all sets are bad, all but unknown].
    #[arg(long, value_name = "VERDICT", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Exit with 1 for these verdicts.
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', default_value = "bad")]
    pub fail_on: Vec<String>,
    /// text, jsonl, csv, dfxml, or values (name, hash value, score, set and hash value, separated
    /// by tabs); with --similar text (like `ssdeep -m`), csv, jsonl or values; with --sectors text
    /// or jsonl.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// Same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to FILE, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Messages.
    #[command(flatten)]
    pub saying: Saying,
    /// How much findings count.
    #[command(flatten)]
    pub levels: Leveling,
    /// Reading and hashing.
    #[command(flatten)]
    pub run: Run,
}
