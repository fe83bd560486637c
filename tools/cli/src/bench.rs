//! `pfh bench` starts the program `pfh-bench`; that program measures.

use crate::call::{Call, Role};
use crate::exit::{self, Exit};
use pfh_bench::args::Bench;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The other program's name.
const BENCH: &str = "pfh-bench";

/// Environment variable with the path of the `pfh` that started `pfh-bench`, which measures it.
const PROGRAM: &str = "PFH_PROGRAM";

/// Starts `pfh-bench`, or measures if this process is it. `arguments` begin with `bench`.
pub fn run(bench: &Bench, arguments: &[OsString], call: &Call) -> Exit {
    let own = match &call.program {
        Ok(own) => own,
        Err(cause) => {
            exit::say(format_args!("cannot find the own executable: {cause}"));
            return Exit::Aborted;
        }
    };
    match call.role {
        Role::Pfh => start(own, arguments.get(1..).unwrap_or_default()),
        Role::Bench => measure(bench, own),
    }
}

/// Replaces this process, so that signals, standard streams and the exit code are the other's.
fn start(own: &Path, arguments: &[OsString]) -> Exit {
    let Some(program) = found(BENCH, own) else {
        let own = pfh::terminal::shown(own);
        exit::say(format_args!(
            "bench needs the program {BENCH}, which is neither beside {own} nor in PATH: install the package of pfh, or \
             in a checkout run `cargo install --path tools/cli --features bench`"
        ));
        return Exit::Usage;
    };
    let cause = pfh::process::hand_over(Command::new(&program).args(arguments).env(PROGRAM, own));
    exit::say(format_args!("{}: {cause}", pfh::terminal::shown(&program)));
    Exit::Aborted
}

/// The program of this name beside `own`, else in PATH.
fn found(name: &str, own: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // An empty entry is the working directory, from which no program is taken.
    let listed = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
    let beside = own.parent().map(Path::to_owned);
    beside.into_iter().chain(listed).map(|directory| directory.join(name)).find(|program| program.is_file())
}

/// Built without the feature, this library has the arguments alone.
#[cfg(not(feature = "bench"))]
fn measure(_: &Bench, _: &Path) -> Exit {
    exit::say("built without the feature bench");
    Exit::Usage
}

/// Measures; the results go to standard output.
#[cfg(feature = "bench")]
fn measure(bench: &Bench, own: &Path) -> Exit {
    use pfh_bench::command::BenchEnd;
    if let Err(refused) = bench.outputs().check() {
        exit::say(refused);
        return Exit::Usage;
    }
    let started_by = std::env::var_os(PROGRAM).map(PathBuf::from);
    let Some(program) = started_by.or_else(|| found("pfh", own)) else {
        exit::say(format_args!("the program pfh is neither beside {} nor in PATH", pfh::terminal::shown(own)));
        return Exit::Usage;
    };
    // Only the forecast has a sample to remove; all else ends at the signal.
    let signals = matches!(bench, Bench::Forecast(_)).then(crate::signals::Signals::catch).and_then(Result::ok);
    let stop = signals.as_ref().map(|signals| signals.flag()).unwrap_or_default();
    match pfh_bench::command::run(bench, &program, &mut std::io::stdout().lock(), &stop) {
        Ok(BenchEnd::Good) => Exit::Good,
        Ok(BenchEnd::Incomplete) => Exit::Incomplete,
        Ok(BenchEnd::Wrong) => Exit::Verdict,
        Err(pfh_bench::Error::Output(cause)) => exit::of_output(&cause),
        Err(error) => {
            exit::say(&error);
            match error {
                // The sample's process got the signal too, and may have failed because of it.
                _ if stop.load(std::sync::atomic::Ordering::SeqCst) => Exit::Signal(signals.map_or(2, |s| s.number())),
                pfh_bench::Error::Usage(_) => Exit::Usage,
                pfh_bench::Error::Wrong(_) => Exit::Verdict,
                _ => Exit::Aborted,
            }
        }
    }
}
