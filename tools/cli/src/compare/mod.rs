//! `pfh compare`: every pair of similar files.

mod gather;
mod lists;
mod report;
mod thresholds;

pub use gather::Sets;
pub use lists::{algorithms as list_algorithms, load as load_list};
pub use thresholds::Thresholds;

use crate::exit::{self, Exit};
use crate::input::Input;
use crate::run::Run;
use crate::shown;
use clap::{Args, ValueEnum};
use gather::Gathered;
use pfh::format::pairs::Form;
use pfh::outputs::Outputs;
use pfh::similarity::Named;
use pfh::sink::Output;
use pfh::sink::compare::{Collection, Order, Search};
use std::ffi::OsString;
use std::path::PathBuf;

/// The operands.
const PATHS: &str =
    "Directories with everything below, files, and lists of digests as ssdeep, sdhash, mrsh-v2 and pfh write them";

/// An order of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The highest score or the least distance first.
    Score,
    /// By the bytes of the names: of what is written first, then of the other.
    Path,
}

/// What `pfh compare` is asked for.
#[derive(Debug, Default, Args)]
#[command(mut_arg("paths", |paths| paths.help(PATHS)), mut_arg("recursive", |recursive| recursive.hide(true)))]
pub struct Compare {
    /// What is read. Directories are walked in any case: -r is taken, as by the other commands, and changes nothing.
    #[command(flatten)]
    pub input: Input,
    /// Algorithms, separated by commas: ssdeep, sdhash, mrsh-v2, tlsh … of others, equal digests are pairs
    /// [default: those of the lists; mrsh-v2 without lists].
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The least score of a pair, or the greatest distance for tlsh: N for all, NAME=N for one
    /// [default: ssdeep=1, sdhash=21, mrsh-v2=21, tlsh=30].
    #[arg(long, value_name = "[NAME=]N", value_delimiter = ',')]
    pub threshold: Vec<String>,
    /// As the reference tools: their thresholds (every score above 0), and names decide sdhash's ties.
    #[arg(long)]
    pub parity: bool,
    /// Only pairs that share a chunk (mrsh-v2) or a feature (sdhash) for certain, and how many; needs the files.
    #[arg(long)]
    pub evidence: bool,
    /// Also pairs with sdhash digests that are saturated: those match random data, and so anything. Otherwise they are left out and
    /// counted, unless --parity or --evidence is given.
    #[arg(long)]
    pub saturated: bool,
    /// A second set: only pairs of one from each. Paths or lists, one or more.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub against: Vec<OsString>,
    /// Only the N best pairs of each algorithm: the highest scores, or the least distances; of equal ones those that come first. They are
    /// listed best first, unless --sort says otherwise. A page of --html is of all pairs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "cluster")]
    pub top: Option<u64>,
    /// The order of an algorithm's pairs: score (the best first) or path (by the bytes of the names) [default: as the tools have it, in
    /// the order of what is compared].
    #[arg(long, value_name = "ORDER", value_enum, conflicts_with = "cluster")]
    pub sort: Option<Sort>,
    /// Groups that pairs link together, instead of the pairs.
    #[arg(long)]
    pub cluster: bool,
    /// text (as the algorithm's own tool prints), csv or jsonl.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// Also a page with the groups as a graph, the scores and a table.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Hash every file, also one that looks like a list of digests.
    #[arg(long)]
    pub no_lists: bool,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// Digests with their names, of which each is compared with all others: the paper's DIGEST mode.
    #[arg(skip)]
    pub given: Vec<(Vec<u8>, pfh::Digest)>,
    /// A file that is hashed and compared with all others: the paper's FILENAME mode.
    #[arg(skip)]
    pub sought: Option<OsString>,
    /// How it is carried out; the memory also bounds the index and what waits to be sorted.
    #[command(flatten)]
    pub run: Run,
}

impl Compare {
    /// Whether the pairs come in another order than that of what is compared.
    fn is_ranked(&self) -> bool {
        self.top.is_some() || self.sort.is_some()
    }
}

/// Runs a request to its end.
pub fn run(compare: &Compare) -> Exit {
    match try_run(compare) {
        Ok((exit, _)) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

/// Runs a request for one against all: no pair is a negative answer.
pub fn run_one(compare: &Compare) -> Exit {
    match try_run(compare) {
        Ok((Exit::Good, 0)) => Exit::Verdict,
        Ok((exit, _)) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

/// What is read and written.
fn guarded(compare: &Compare) -> Outputs {
    let mut outputs = Outputs::new(compare.force);
    outputs.file("--output", compare.output.as_ref()).file("--html", compare.html.as_ref());
    compare.input.guard(outputs.reads_all(&compare.against).reads_all(&compare.sought));
    outputs
}

/// As [`run`], and says how many pairs there are.
///
/// # Errors
/// A sentence for the user where the request makes no sense.
pub fn try_run(compare: &Compare) -> Result<(Exit, u64), String> {
    let form: Form = compare.format.parse().map_err(|e: pfh::format::pairs::UnknownForm| e.to_string())?;
    let thresholds = Thresholds::parse(&compare.threshold, compare.parity)?;
    guarded(compare).check().map_err(|refused| refused.to_string())?;
    let mut sets = match Sets::gather(compare)? {
        Gathered::Sets(sets) => sets,
        Gathered::Ended(exit) => return Ok((exit, 0)),
    };
    let something = sets.is_something();
    if !something {
        exit::say("nothing to compare: fewer than two digests came of what is named");
    }
    let output = match &compare.output {
        None => Output::standard(),
        Some(path) => match Output::file(path) {
            Ok(output) => output,
            Err(error) => {
                exit::say(format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())));
                return Ok((Exit::Aborted, 0));
            }
        },
    };
    let memory = compare.run.memory.map_or(pfh::DEFAULT_MEMORY, |memory| memory as usize);
    let threads = compare.run.threads.map_or_else(pfh::processors, usize::from);
    let search = |collection: &Collection| {
        let name = collection.algorithm().name();
        let like_ssdeep = matches!(Named::find(name), Some(Named::Ssdeep) | None) && form == Form::Text;
        Search {
            threshold: thresholds.of(name),
            order: if like_ssdeep { Order::Later } else { Order::Earlier },
            // The other half is for the pairs that wait for another order.
            memory: if compare.is_ranked() { memory / 2 } else { memory },
            threads,
            names: compare.parity,
        }
    };
    let reported = report::Report { compare, form, output }.write(&mut sets, &search);
    let pairs = match reported {
        Ok(pairs) => pairs,
        Err(exit) => return Ok((exit, 0)),
    };
    let exit = if sets.faults > 0 || !something || (sets.directories > 0 && pairs == 0) {
        Exit::Incomplete
    } else {
        Exit::Good
    };
    Ok((exit, pairs))
}
