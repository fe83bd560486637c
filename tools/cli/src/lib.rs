//! The command `pfh`: parses and prints, nothing else.
//!
//! It is a library so that another program can carry out a command within its own process: the
//! Python package does, whose command `pfh` is this one.
#![forbid(unsafe_code)]

#[cfg(feature = "image")]
mod acquire;
mod algorithms;
mod args;
#[cfg(feature = "serve")]
mod aside;
#[cfg(feature = "audit")]
mod audit;
mod bag;
mod bar;
mod bench;
mod call;
#[cfg(feature = "inside")]
mod cat;
mod check;
mod colour;
mod command;
mod compare;
mod config;
#[cfg(feature = "inside")]
mod confinement;
mod crash;
#[cfg(feature = "image")]
mod dd;
mod diff;
#[cfg(feature = "image")]
mod disks;
mod door;
mod dry;
mod dups;
mod examples;
mod exit;
mod export;
#[cfg(feature = "inside")]
mod extract;
mod faults;
mod filled;
mod findings;
mod finish;
mod guess;
mod hash;
mod help;
#[cfg(feature = "image")]
mod imaging;
mod info;
mod input;
#[cfg(feature = "known")]
mod known;
mod leveling;
#[cfg(feature = "inside")]
mod list;
#[cfg(feature = "known")]
mod lookup;
#[cfg(feature = "known")]
mod matching;
mod pages;
mod paper;
mod parsing;
#[cfg(any(feature = "audit", feature = "image"))]
mod passphrase;
mod pieces;
mod plan;
#[cfg(feature = "known")]
mod reference;
mod remedy;
mod report;
mod run;
#[cfg(feature = "inside")]
mod sandbox;
mod saying;
mod schema;
#[cfg(feature = "screen")]
mod screen;
#[cfg(all(feature = "image", feature = "inside"))]
mod selftest;
mod session;
mod shell;
#[doc(hidden)]
pub mod show;
mod signals;
mod size;
mod span;
mod topics;
#[cfg(feature = "audit")]
mod tree;
#[cfg(feature = "audit")]
mod tree_key;
mod update;
mod values;
#[cfg(feature = "image")]
mod verify;
#[cfg(feature = "inside")]
mod volume_keys;

pub use call::{Call, Role};
use exit::Exit;
use parsing::{CommandError, CommandLine};
use pfh::terminal::render as shown;
use std::ffi::OsString;
use std::io::{self, Write};

/// The C library's heaps: threads share them, so that memory stays as asked. Two, or one for four
/// processors.
fn heaps() -> usize {
    (pfh::process::processors() / 4).max(2)
}

/// Carries out a command, and gives the code that the process ends with. Signals are caught, the
/// heap is bounded and panics become one line: for processes that do nothing else before or after.
/// Help and usage errors are printed by clap, which ends the process itself.
pub fn main(call: &Call) -> u8 {
    crash::prepare();
    pfh::process::bound_heaps(heaps());
    signals::let_writes_fail();
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
    if call.role == Role::Pfh && call.words.get(1).is_some_and(|word| word == "cluster") {
        exit::say(
            "cluster comes with the Python package, whose command it is: pip install pfh[dask] (docs/cluster.md)",
        );
        return Exit::Usage;
    }
    #[cfg(any(feature = "audit", feature = "image"))]
    pfh::key::ask_with(passphrase::ask);
    let mut typed = call.words.get(1..).unwrap_or_default().to_vec();
    if call.role == Role::Bench {
        typed.insert(0, "bench".into());
    }
    let typed = &typed[..];
    if let Some(page) = topics::page(typed) {
        let print = |text: String| exit::print(text.as_bytes()).map_err(|error| exit::Failure::output(&error));
        return page.and_then(print).map_or_else(exit::Failure::report, |()| Exit::Good);
    }
    #[cfg(feature = "screen")]
    if screen::is_asked(typed) {
        return screen::run();
    }
    if paper::is_paper(typed) {
        return paper::run(typed);
    }
    let CommandLine { name, arguments, cli: args::Cli { command, on_finish, .. } } = match parsed(typed) {
        Ok(parsed) => parsed,
        Err(refused) => return refused.report(),
    };
    let finish = match on_finish.as_deref().map(finish::OnFinish::wait).transpose() {
        Ok(finish) => finish,
        Err(error) => return exit::Failure::usage(format_args!("--on-finish: sh: {error}")).report(),
    };
    #[cfg(feature = "inside")]
    sandbox::enter(&command);
    let Some(finish) = finish else { return carried_out(command, &arguments, call) };
    let exit = crash::guard(|| carried_out(command, &arguments, call));
    finish.run(&name, exit);
    exit
}

/// From the request to the exit. A signal that ended the reading of a document ends the command,
/// even if the job went on with the part that it had.
fn carried_out(command: args::Command, arguments: &[OsString], call: &Call) -> Exit {
    let exit = exit_of(command, arguments, call);
    signals::came().filter(|_| pfh::process::is_text_ended()).map_or(exit, Exit::Signal)
}

fn exit_of(command: args::Command, arguments: &[OsString], call: &Call) -> Exit {
    match command {
        args::Command::Hash(hash) if hash.update.is_some() => exit::end(update::of_hash(&hash)),
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
        args::Command::Disks(disks) => disks::run(&disks),
        #[cfg(feature = "image")]
        args::Command::Dd(dd) => dd::run(&dd),
        #[cfg(feature = "image")]
        args::Command::Verify(verify) => verify::run(&verify),
        args::Command::Check(request) => check::run(&request),
        #[cfg(feature = "inside")]
        args::Command::List(list) => list::run(&list),
        #[cfg(feature = "inside")]
        args::Command::Cat(cat) => cat::run(&cat),
        #[cfg(feature = "inside")]
        args::Command::Extract(extract) => extract::run(&extract),
        args::Command::Info(info) => info::run(&info),
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
        args::Command::Algorithms { json, measure } => algorithms::run(measure, json),
        #[cfg(feature = "audit")]
        args::Command::Tree(tree) => tree::run(&tree),
        #[cfg(feature = "audit")]
        args::Command::Audit(audit) => audit::run(&audit),
        #[cfg(all(feature = "image", feature = "inside"))]
        args::Command::Selftest(request) => selftest::run(&request),
        args::Command::Bench(bench) => bench::run(&bench, arguments, call),
        args::Command::Completions { shell } => pages::completions(shell),
        args::Command::Man { directory, force } => pages::man(&directory, force),
    }
}

/// The command's name and the arguments as a request. Help and usage errors are printed here, and
/// end the program.
///
/// # Errors
/// The line to type instead, or the fault of the file of defaults.
fn parsed(typed: &[OsString]) -> Result<CommandLine, exit::Failure> {
    parsing::parsed(typed).map_err(|unparsed| match unparsed {
        CommandError::Failed(failure) => failure,
        CommandError::Clap(error) => refuse(&error),
    })
}

/// Prints help or a usage error, and ends. An argument may be the name of a file that others made:
/// what steers a terminal is shown escaped.
fn refuse(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let steers = |c: char| c != '\n' && pfh::terminal::is_unsafe(c);
    if !error.use_stderr() || (!text.contains(steers) && text.len() < 1 << 16) {
        error.exit();
    }
    let _ = pfh::process::Patient(io::stderr().lock()).write_all(exit::shortened(text).as_bytes());
    std::process::exit(i32::from(Exit::Usage.code()))
}
