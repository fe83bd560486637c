//! The arguments of `pfh match`.

use crate::input::Input;
use crate::reference::Sets;
use crate::run::Run;
use crate::saying::Saying;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// What to match with what.
#[derive(Debug, Default, Args)]
pub struct Match {
    /// The input.
    #[command(flatten)]
    pub input: Input,
    /// What it is compared with.
    #[command(flatten)]
    pub sets: Sets,
    /// In place of known sets: a list of similarity digests, or an index made of one. Files that
    /// are similar are written.
    #[arg(long, value_name = "LIST", conflicts_with_all = ["known", "digests"])]
    pub similar: Option<OsString>,
    /// With --similar: the least score of a match, or the greatest distance for tlsh [default:
    /// ssdeep=1, sdhash=21, mrsh-v2=21, tlsh=30].
    #[arg(long, value_name = "N", requires = "similar")]
    pub threshold: Option<u32>,
    /// With --similar: also matches of sdhash digests that are saturated, which match random data;
    /// otherwise they are counted only.
    #[arg(long, requires = "similar")]
    pub saturated: bool,
    /// With --similar: make an index of the list (ssdeep), which later runs open in place of it;
    /// without a PATH do nothing else.
    #[arg(long, value_name = "FILE", requires = "similar")]
    pub write_index: Option<PathBuf>,
    /// The PATHs are images or disks: look for blocks of these sizes (512,4096) that a set of
    /// blocks knows (`known build --blocks`), at every sector; with --inside in unallocated space
    /// alone.
    #[cfg(feature = "inside")]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = crate::size::parse_block,
        conflicts_with_all = ["similar", "digests", "class", "empty_counts", "algorithms", "recursive", "files_from"])]
    pub sectors: Vec<u32>,
    /// With --sectors: also fragments of blocks alone that say little of their files (constant,
    /// repetitive, common); otherwise they are counted only.
    #[cfg(feature = "inside")]
    #[arg(long, requires = "sectors")]
    pub flagged: bool,
    /// Write only files of these verdicts: bad, good, known, maybe, unknown, error [default: all;
    /// as text and with nothing but sets of the bad, all but unknown].
    #[arg(long, value_name = "VERDICT", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Verdicts that make the exit code 1.
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', default_value = "bad")]
    pub fail_on: Vec<String>,
    /// text, jsonl, csv, dfxml, or values (name, hash value, score, set and hash value, with tabs
    /// between them); with --similar text (as `ssdeep -m` prints), csv, jsonl or values;
    /// with --sectors text or jsonl.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// The same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// Messages.
    #[command(flatten)]
    pub saying: Saying,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}
