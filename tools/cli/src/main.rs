//! The command `pfh`: parses and prints, nothing else.
#![forbid(unsafe_code)]

#[cfg(feature = "image")]
mod acquire;
mod args;
#[cfg(feature = "audit")]
mod audit;
mod bar;
mod check;
mod compare;
mod crash;
#[cfg(feature = "image")]
mod dd;
mod exit;
#[cfg(feature = "known")]
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
#[cfg(feature = "known")]
mod reference;
mod run;
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
use std::process::ExitCode;

/// The C library's heaps: threads share them, so that memory stays what was asked for. Two, or one
/// for four processors.
fn heaps() -> usize {
    (pfh::processors() / 4).max(2)
}

fn main() -> ExitCode {
    crash::prepare();
    pfh::bound_heaps(heaps());
    crash::guard(command).into()
}

/// From the arguments to the exit.
fn command() -> Exit {
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
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if paper::is_paper(&arguments) {
        paper::run(&arguments)
    } else {
        // clap prints usage errors and exits with 2 by itself.
        match parsed(&arguments).command {
            args::Command::Hash(hash) => hash::run(&hash),
            args::Command::Compare(compare) => compare::run(&compare),
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
            args::Command::Bench(bench) => benchmark(&bench),
            args::Command::Completions { shell } => pages::completions(shell),
            args::Command::Man { directory, force } => pages::man(&directory, force),
        }
    }
}

/// The arguments as a request; help and usage errors are printed here, and end the program.
fn parsed(arguments: &[OsString]) -> args::Cli {
    let matches = help::command(help::is_all(arguments)).get_matches();
    args::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// `pfh bench`: what it finds goes to standard output.
#[cfg(feature = "bench")]
fn benchmark(bench: &pfh_bench::command::Bench) -> Exit {
    if let Err(refused) = bench.outputs().check() {
        exit::say(refused);
        return Exit::Usage;
    }
    // Only the forecast looks: it has a sample to remove. All else ends at once, as it does
    // without.
    let signals =
        matches!(bench, pfh_bench::command::Bench::Forecast(_)).then(signals::Signals::catch).and_then(Result::ok);
    let stop = signals.as_ref().map(|signals| signals.flag()).unwrap_or_default();
    match pfh_bench::command::run(bench, &mut std::io::stdout().lock(), &stop) {
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
