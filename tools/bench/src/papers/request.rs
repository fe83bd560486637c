//! Which tables of the papers are asked for.

use std::path::PathBuf;

/// What is asked.
#[derive(Debug, Clone, clap::Args)]
pub struct Papers {
    /// Parts to run, by name or its beginning: pfh-I, pfh-III to pfh-X, pfh-XII, pfh-XIII,
    /// pfh-rotating, s-hash, tree, cloner (all)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// A tree to hash, read only; the project's `bench/run corpus` builds one like the t5 corpus
    /// (made here: 1,600 files, 110 MB)
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Folder `bench` of a checkout of the project, which some parts build examples of (here or
    /// above; else they are left out)
    #[arg(long, value_name = "DIR")]
    pub bench: Option<PathBuf>,
    /// Rounds; minima and medians are given
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub rounds: usize,
    /// The papers' own sizes where they are large: 16 files of 1.2 GB, 2 GB for trees, 1, 5, 10 and
    /// 20 GB for the cloner
    #[arg(long)]
    pub full: bool,
    /// Where tables and report go; parts that are there already are not measured again
    #[arg(short, long, value_name = "DIR", default_value = "pfh-bench")]
    pub out: PathBuf,
    /// Replace files in DIR that no earlier run has made
    #[arg(long)]
    pub force: bool,
    /// Measure again what is there already
    #[arg(long)]
    pub again: bool,
    /// One self-contained page: every table and figure of the five papers, theirs, ours, the
    /// verdict and bars
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub html: Option<PathBuf>,
    /// Only list every table and figure of the five papers, with what repeats it
    #[arg(long)]
    pub list: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
