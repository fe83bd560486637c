//! The command `pfh`: parses and prints, nothing else.
//!
//! It is a library so that another program can carry out a command within its own process: the
//! Python package does, whose command `pfh` is this one.
#![forbid(unsafe_code)]

#[cfg(feature = "image")]
mod acquire;
mod args;
#[cfg(feature = "audit")]
mod audit;
mod bag;
mod bar;
mod check;
mod colour;
mod compare;
#[cfg(feature = "inside")]
mod confinement;
mod crash;
#[cfg(feature = "image")]
mod dd;
mod diff;
mod dry;
mod dups;
mod examples;
mod exit;
mod export;
mod faults;
mod hash;
mod help;
#[cfg(feature = "image")]
mod imaging;
mod input;
#[cfg(feature = "inside")]
mod inside;
#[cfg(feature = "known")]
mod known;
mod list;
#[cfg(feature = "known")]
mod lookup;
#[cfg(feature = "known")]
mod matching;
mod pages;
mod paper;
#[cfg(any(feature = "audit", feature = "image"))]
mod passphrase;
mod plan;
#[cfg(feature = "known")]
mod reference;
mod report;
mod run;
#[cfg(feature = "inside")]
mod sandbox;
mod saying;
mod schema;
#[cfg(all(feature = "inside", feature = "known"))]
mod sectors;
mod session;
mod signals;
#[cfg(feature = "known")]
mod similar;
mod size;
#[cfg(feature = "audit")]
mod tree;
#[cfg(feature = "image")]
mod verify;

use clap::FromArgMatches;
use exit::Exit;
use pfh::terminal::render as shown;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

/// How the program was called.
#[derive(Debug)]
pub struct Call {
    /// The name by which it was called, and the arguments.
    pub words: Vec<OsString>,
    /// The file that starts the program again, with arguments as these.
    pub program: io::Result<PathBuf>,
}

impl Call {
    /// This process, if it is the program and nothing else.
    pub fn process() -> Call {
        Call { words: std::env::args_os().collect(), program: std::env::current_exe() }
    }
}

/// The C library's heaps: threads share them, so that memory stays what was asked for. Two, or one
/// for four processors.
fn heaps() -> usize {
    (pfh::processors() / 4).max(2)
}

/// Carries out a command, and gives the code that the process ends with. Signals are caught, the
/// heap is bounded and panics become one line: for processes that do nothing else before or after.
/// Help and usage errors are printed by clap, which ends the process itself.
pub fn main(call: &Call) -> u8 {
    crash::prepare();
    pfh::bound_heaps(heaps());
    let exit = crash::guard(|| command(call));
    // The standard library flushes at the end of its own programs alone.
    let flushed = io::stdout().flush();
    exit::worse(exit, flushed.map_or_else(|error| exit::of_output(&error), |()| Exit::Good)).code()
}

/// From the arguments to the exit.
fn command(call: &Call) -> Exit {
    if let Err(value) = pfh::Isa::environment() {
        let levels: Vec<&str> = pfh::Isa::ALL.iter().map(|isa| isa.name()).collect();
        let (value, levels) = (shown(value.as_encoded_bytes()), levels.join(", "));
        exit::say(format!("PFH_ISA={value} is none of {levels}, the levels of this architecture"));
        return Exit::Usage;
    }
    if let Err(value) = pfh::Costs::environment() {
        let costs: Vec<&str> = pfh::Costs::ALL.iter().map(|costs| costs.name()).collect();
        exit::say(format!("PFH_COSTS={} is none of {}", shown(value.as_encoded_bytes()), costs.join(", ")));
        return Exit::Usage;
    }
    if call.words.get(1).is_some_and(|word| word == "cluster") {
        exit::say(
            "cluster comes with the Python package, whose command it is: pip install pfh[dask] (docs/cluster.md)",
        );
        return Exit::Usage;
    }
    #[cfg(any(feature = "audit", feature = "image"))]
    pfh::key::ask_with(passphrase::ask);
    let arguments = help::meant(call.words.get(1..).unwrap_or_default().to_vec());
    if paper::is_paper(&arguments) {
        paper::run(&arguments)
    } else {
        // clap prints usage errors and exits with 2 by itself.
        let command = parsed(&arguments).command;
        #[cfg(feature = "inside")]
        sandbox::enter(&command);
        match command {
            args::Command::Hash(hash) => hash::run(&hash),
            args::Command::Compare(compare) => compare::run(&compare),
            args::Command::Plan(request) => plan::plan(&request),
            args::Command::Run(request) => plan::unit(&request),
            args::Command::Merge(request) => plan::merge(&request),
            #[cfg(feature = "known")]
            args::Command::Match(request) => matching::run(&request),
            #[cfg(feature = "image")]
            args::Command::Acquire(acquire) => acquire::run(&acquire),
            #[cfg(feature = "image")]
            args::Command::Dd(dd) => dd::run(&dd),
            #[cfg(feature = "image")]
            args::Command::Verify(verify) => verify::run(&verify),
            args::Command::Check(request) => check::run(&request),
            #[cfg(feature = "inside")]
            args::Command::List(list) => inside::run(&list),
            args::Command::Diff(request) => diff::run(&request),
            args::Command::Dups(request) => dups::run(&request),
            args::Command::Bag(request) => bag::run(&request),
            args::Command::Report(request) => report::run(&request),
            args::Command::Export(request) => export::run(&request),
            args::Command::Schema(schema) => schema::run(&schema),
            #[cfg(feature = "known")]
            args::Command::Lookup(request) => lookup::run(&request),
            #[cfg(feature = "known")]
            args::Command::Known(request) => known::run(&request),
            args::Command::Algorithms { json, measure } => list::run(measure, json),
            #[cfg(feature = "audit")]
            args::Command::Tree(tree) => tree::run(&tree),
            #[cfg(feature = "audit")]
            args::Command::Audit(audit) => audit::run(&audit),
            #[cfg(feature = "bench")]
            args::Command::Bench(bench) => benchmark(&bench, call),
            args::Command::Completions { shell } => pages::completions(shell),
            args::Command::Man { directory, force } => pages::man(&directory, force),
        }
    }
}

/// The arguments as a request; help and usage errors are printed here, and end the program.
fn parsed(arguments: &[OsString]) -> args::Cli {
    let words = [OsString::from("pfh")].into_iter().chain(arguments.iter().cloned());
    let matches = help::command_for(arguments).try_get_matches_from(words);
    let parsed = matches.and_then(|matches| args::Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| refuse(&error))
}

/// Prints help or a usage error, and ends. An argument may be the name of a file that others made:
/// what steers a terminal is shown escaped.
fn refuse(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let steers = |c: char| c != '\n' && pfh::terminal::is_unsafe(c);
    if !error.use_stderr() || (!text.contains(steers) && text.len() < 1 << 16) {
        error.exit();
    }
    let _ = pfh::Patient(io::stderr().lock()).write_all(exit::shortened(text).as_bytes());
    std::process::exit(i32::from(Exit::Usage.code()))
}

/// `pfh bench`: what it finds goes to standard output.
#[cfg(feature = "bench")]
fn benchmark(bench: &pfh_bench::command::Bench, call: &Call) -> Exit {
    if let Err(refused) = bench.outputs().check() {
        exit::say(refused);
        return Exit::Usage;
    }
    // Only the forecast looks: it has a sample to remove. All else ends at once, as it does
    // without.
    let signals =
        matches!(bench, pfh_bench::command::Bench::Forecast(_)).then(signals::Signals::catch).and_then(Result::ok);
    let stop = signals.as_ref().map(|signals| signals.flag()).unwrap_or_default();
    let program = match &call.program {
        Ok(program) => program,
        Err(cause) => {
            exit::say(format_args!("the program itself: {cause}"));
            return Exit::Aborted;
        }
    };
    match pfh_bench::command::run(bench, program, &mut io::stdout().lock(), &stop) {
        Ok(pfh_bench::command::Ended::Good) => Exit::Good,
        Ok(pfh_bench::command::Ended::Incomplete) => Exit::Incomplete,
        Ok(pfh_bench::command::Ended::Wrong) => Exit::Verdict,
        Err(pfh_bench::Error::Output(cause)) => exit::of_output(&cause),
        Err(error) => {
            exit::say(&error);
            match error {
                // The sample's process got the signal too, and may have failed of it.
                _ if stop.load(std::sync::atomic::Ordering::SeqCst) => Exit::Signal(signals.map_or(2, |s| s.number())),
                pfh_bench::Error::Usage(_) => Exit::Usage,
                pfh_bench::Error::Wrong(_) => Exit::Verdict,
                _ => Exit::Aborted,
            }
        }
    }
}
