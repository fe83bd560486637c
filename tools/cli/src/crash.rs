//! The end when the program itself fails: one line for the user, and the exit code of an
//! aborted run.

use crate::exit::{self, Exit};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// From here on a panic is one line on standard error, without a backtrace, and an abort (memory
/// that cannot be had, for the most part) ends with the exit code 4 in place of a signal.
pub fn prepare() {
    std::panic::set_hook(Box::new(|panic| {
        pfh::process::note_panic();
        exit::say(line(panic));
    }));
    // Where it cannot be caught, an abort stays a signal: no success either way.
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGABRT, 4, always);
}

fn line(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map_or_else(|| "an unknown place".into(), ToString::to_string);
    let payload = panic.payload();
    let words = payload.downcast_ref::<&str>().copied();
    let words = words.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given");
    let words = words.split('\n').next().unwrap_or_default();
    format!("internal error at {place}: {}; please report this line", pfh::terminal::render(words.as_bytes()))
}

/// Runs a command; one of whose threads any has panicked has aborted.
pub fn guard(command: impl FnOnce() -> Exit) -> Exit {
    let ended = catch_unwind(AssertUnwindSafe(command));
    match ended {
        // A panic in any thread counts, even if the command went on: nothing rests on this run.
        Ok(exit) if pfh::process::panics() == 0 => exit,
        _ => {
            exit::say("aborted: the output is incomplete");
            Exit::Aborted
        }
    }
}
