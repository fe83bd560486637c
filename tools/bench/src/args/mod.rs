//! The arguments of `pfh bench`. `pfh` is built with these alone, for its help, completions and man
//! pages; `pfh-bench` measures.

mod forecast;
mod study;

use clap::{Args, Subcommand};
pub use forecast::{Device, Forecast, Place, Preset, SizesOf};
use pfh::outputs::{Existing, Kind, Outputs};
use std::path::PathBuf;
pub use study::{Languages, Method, Time};

/// Which hash, in which language, on this machine; and what will a case take
#[derive(Debug, Clone, Subcommand)]
#[command(defer = true)]
pub enum Bench {
    /// Repeat the study of hash functions in languages and libraries on this machine
    Languages(Languages),
    /// Write tables, figures and the HTML report of a finished study again
    Report {
        /// Where the study was done
        #[arg(value_name = "DIR", default_value = "pfh-bench")]
        from: PathBuf,
        /// Which time the tables show
        #[arg(long, value_enum, default_value_t)]
        time: Time,
    },
    /// Forecast the time of a case: pfh on this machine, and the programs of a study
    Forecast(Forecast),
    /// List how large the files of a directory are, for `forecast --histogram`
    Sizes(SizesOf),
    /// Measure kernels and pipeline in under a minute, and suggest settings
    #[command(name = "self")]
    Own(SelfArgs),
    /// Repeat the papers' measurements, beside the papers' own figures
    Papers(Papers),
    /// Fit the study's lines to results that others measured
    Fit(Fit),
}

/// The files that a study and the papers' measurements leave in their directory.
const FILES: [&str; 12] = [
    "result.json",
    "journal.jsonl",
    KEPT,
    "report.html",
    "tables.txt",
    "results.csv",
    "figure-1.svg",
    "figure-2.svg",
    "by-algorithm.svg",
    "heat-map.svg",
    "papers.txt",
    "claims.csv",
];

/// The beginning of a page of the papers.
const PAGE: &[u8] = b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta name=\"generator\" content=\"pfh\">\n\
    <title>The five papers on this machine</title>";

impl Bench {
    /// Inputs and outputs, for the guard of outputs. In a directory that holds the results of an
    /// earlier run its tables are written again; a file of the same name anywhere else stays.
    pub fn outputs(&self) -> Outputs {
        if let Bench::Forecast(forecast) = self {
            let mut outputs = Outputs::new(forecast.force);
            outputs.reads_all([&forecast.like, &forecast.histogram].into_iter().flatten());
            outputs.reads_all(forecast.devices.iter().filter_map(Place::path));
            outputs.reads_all(forecast.study.iter().map(|study| study.join("result.json")));
            if let Some(path) = &forecast.save {
                outputs.writes("--save", path, Kind::File, Existing::Refused);
            }
            return outputs;
        }
        let (directory, force) = match self {
            Bench::Languages(languages) if !languages.list => (&languages.out, languages.force),
            Bench::Report { from, .. } => (from, false),
            Bench::Papers(papers) if !papers.list => (&papers.out, papers.force),
            _ => return Outputs::new(false),
        };
        let mut outputs = Outputs::new(force);
        outputs.writes("--out", directory, Kind::Directory, Existing::Welcome);
        if let Bench::Papers(Papers { html: Some(page), .. }) = self {
            // A page that was made so before is made again.
            outputs.writes("--html", page, Kind::File, Existing::Own(0, PAGE));
        }
        let is_known = |name: &str| directory.join(name).is_file();
        // The journal names its plan, and the papers' results their parts: another program's files
        // do not.
        let own = [
            ("journal.jsonl", &b"{\"pfh_bench_journal\""[..]),
            ("result.json", b"{\"plan\":{"),
            (KEPT, b"[\n  {\n    \"name\""),
        ];
        let is_own = own.iter().any(|(name, start)| {
            is_known(name) && std::fs::read(directory.join(name)).is_ok_and(|bytes| bytes.starts_with(start))
        });
        let existing = if is_own { Existing::Welcome } else { Existing::Refused };
        for name in FILES.into_iter().chain(["papers.csv"]).filter(|name| is_known(name)) {
            outputs.writes("--out", directory.join(name), Kind::File, existing);
        }
        outputs
    }
}

/// The file in the output directory that keeps the papers' results.
pub const KEPT: &str = "papers.json";

/// The arguments of `pfh bench self`.
#[derive(Debug, Clone, Args)]
pub struct SelfArgs {
    /// Algorithms to measure
    #[arg(
        short,
        long = "algorithm",
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "md5,sha1,sha256,sha512,sha3-256,blake3"
    )]
    pub algorithms: Vec<String>,
    /// Where files to measure with are written and removed again (the system's temporary directory)
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `pfh bench papers`.
#[derive(Debug, Clone, Args)]
pub struct Papers {
    /// Parts to run, by name or its beginning: pfh-I, pfh-III to pfh-X, pfh-XII, pfh-XIII,
    /// pfh-rotating, s-hash, tree, audit, cloner-ide, cloner-sata (all)
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
    /// 20 GB for the cloner, at most twice
    #[arg(long)]
    pub full: bool,
    /// Where tables and report go; parts that are there already are not measured again
    #[arg(short, long, value_name = "DIR", default_value = "pfh-bench")]
    pub out: PathBuf,
    /// Replace files in DIR that no earlier run has made
    #[arg(long)]
    pub force: bool,
    /// Measure finished tables again
    #[arg(long)]
    pub again: bool,
    /// One self-contained page: every table and figure of the five papers, theirs and ours, and
    /// every claim with its verdict; written again after each part
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub html: Option<PathBuf>,
    /// Only list every table and figure of the five papers, with the benchmark that repeats it
    #[arg(long)]
    pub list: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `pfh bench fit`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Example, a table as in the paper:
  printf 'algo MB c java\\nmd5 512 1409 2848\\nmd5 1024 2820 5716\\n' >means
  pfh bench fit means --json

Exit codes: 0; 2 usage; 4 the file could not be read, or holds no results.")]
pub struct Fit {
    /// Results as the study's own programs wrote them (`LANG ALGO 0002mb.dat INDEX DIGEST MS` per
    /// line), or a table as in the paper: a header `algo MB NAME…`, then a line of means in ms per
    /// algorithm and size
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
