//! The command `pfh`: parses and prints, nothing else.
#![forbid(unsafe_code)]

mod acquire;
mod args;
mod audit;
mod bar;
mod check;
mod compare;
mod crash;
mod dd;
mod exit;
mod faults;
mod gauge;
mod hash;
mod imaging;
mod input;
mod known;
mod list;
mod lookup;
mod matching;
mod pages;
mod paper;
mod progress;
mod reference;
mod run;
mod seal;
mod signals;
mod similar;
mod size;
mod stats;
mod tree;
mod verify;

use clap::Parser;
use exit::Exit;
use std::ffi::OsString;
use std::process::ExitCode;

/// The C library's heaps: threads share them, so that memory stays what was asked for. Two, or one for four processors.
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
        let levels = pfh::Isa::ALL.map(pfh::Isa::name).join(", ");
        exit::say(format!("PFH_ISA={} is none of {levels}", shown(value.as_encoded_bytes())));
        return Exit::Usage;
    }
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if paper::is_paper(&arguments) {
        match paper::parse(&arguments) {
            Ok(paper::Asked::Hash(request)) => hash::run(&request),
            Ok(paper::Asked::Full(compare)) => compare::run(&compare),
            Ok(paper::Asked::One(compare)) => compare::run_one(&compare),
            Err(message) => {
                exit::say(message);
                Exit::Usage
            }
        }
    } else {
        // clap prints usage errors and exits with 2 by itself.
        match args::Cli::parse().command {
            args::Command::Hash(hash) => hash::run(&hash),
            args::Command::Compare(compare) => compare::run(&compare),
            args::Command::Match(request) => matching::run(&request),
            args::Command::Acquire(acquire) => acquire::run(&acquire),
            args::Command::Dd(dd) => dd::run(&dd),
            args::Command::Verify(verify) => verify::run(&verify),
            args::Command::Check(request) => check::run(&request),
            args::Command::Lookup(request) => lookup::run(&request),
            args::Command::Known(request) => known::run(&request),
            args::Command::Algorithms { json } => list::algorithms(json),
            args::Command::Tree(tree) => tree::run(&tree),
            args::Command::Audit(audit) => audit::run(&audit),
            args::Command::Bench(bench) => benchmark(&bench),
            args::Command::Completions { shell } => pages::completions(shell),
            args::Command::Man { directory, force } => pages::man(&directory, force),
        }
    }
}

/// `pfh bench`: what it finds goes to standard output.
fn benchmark(bench: &pfh_bench::command::Bench) -> Exit {
    if let Err(refused) = bench.outputs().check() {
        exit::say(refused);
        return Exit::Usage;
    }
    match pfh_bench::command::run(bench, &mut std::io::stdout().lock()) {
        Ok(pfh_bench::command::Verdict::Good) => Exit::Good,
        Ok(pfh_bench::command::Verdict::Wrong) => Exit::Verdict,
        Err(pfh_bench::Error::Output(cause)) => exit::of_output(&cause),
        Err(error) => {
            exit::say(&error);
            match error {
                pfh_bench::Error::Usage(_) => Exit::Usage,
                pfh_bench::Error::Wrong(_) => Exit::Verdict,
                _ => Exit::Aborted,
            }
        }
    }
}

/// A name as a terminal may see it.
fn shown(name: &[u8]) -> String {
    pfh::format::terminal::render(name)
}
