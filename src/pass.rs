//! One pass over files, which every job of files makes.

use pfh_engine::{Control, FileProgress, Plan, Progress, Sink, Summary};
use pfh_source::{Source, total};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// Why a pass ended before its time.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The sink refused a record.
    Sink(io::Error),
    /// The run could not begin.
    Run(pfh_engine::Error),
}

impl From<pfh_engine::Error> for Failure {
    fn from(error: pfh_engine::Error) -> Self {
        match error {
            pfh_engine::Error::Sink(error) => Failure::Sink(error),
            error => Failure::Run(error),
        }
    }
}

/// Counts how much there is to read while the pass goes on. Without a thread there is no count, and
/// nothing else is lost.
struct Counting {
    total: Arc<OnceLock<(u64, u64)>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Counting {
    fn start(again: Option<Box<dyn Source>>) -> Counting {
        let mut counting = Counting { total: Arc::default(), stop: Arc::default(), thread: None };
        if let Some(again) = again {
            let (found, stop) = (counting.total.clone(), counting.stop.clone());
            let named = std::thread::Builder::new().name("pfh-count".into());
            counting.thread = named
                .spawn(move || {
                    if let Some(counted) = total(again, &stop) {
                        let _ = found.set(counted);
                    }
                })
                .ok();
        }
        counting
    }
}

impl Counting {
    /// The outcome of the count so far: a panic of its thread is one of the run. A directory that
    /// does not answer may keep the thread for long, and is not waited for.
    fn end(mut self) -> Result<(), Failure> {
        let ended = self.thread.take_if(|thread| thread.is_finished()).map(JoinHandle::join);
        if matches!(ended, Some(Err(_))) { Err(Failure::Run(pfh_engine::Error::Panicked)) } else { Ok(()) }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Reads `source` once and gives its records to `sink`. If somebody follows the progress, `again`
/// yields the same entries once more, to count how much there is.
///
/// # Errors
/// When the sink refuses a record, or no thread can be started.
pub(crate) fn pass(
    source: Box<dyn Source>,
    again: impl FnOnce() -> Option<Box<dyn Source>>,
    plan: &Plan,
    sink: &mut dyn Sink,
    control: &Control<'_>,
) -> Result<Summary, Failure> {
    let mut again = Some(again);
    pass_with(source, &mut || again.take().and_then(|again| again()), plan, sink, control)
}

/// The pass, compiled once for all jobs.
fn pass_with(
    source: Box<dyn Source>,
    again: &mut dyn FnMut() -> Option<Box<dyn Source>>,
    plan: &Plan,
    sink: &mut dyn Sink,
    control: &Control<'_>,
) -> Result<Summary, Failure> {
    if control.is_cancelled() {
        // Nothing is read: a run of few files would be over before it looks.
        return Ok(Summary { interrupted: true, ..Summary::default() });
    }
    if !control.is_followed() {
        return Ok(pfh_engine::run(source, plan, sink, control)?);
    }
    let counting = Counting::start(again());
    let total = counting.total.clone();
    let counted = Control::new().with_cancel(control.cancel().clone()).on_progress(move |progress| match progress {
        Progress::Files(files) => {
            control.report(&Progress::Files(FileProgress { total: total.get().copied(), ..*files }));
        }
        other => control.report(other),
    });
    let summary = pfh_engine::run(source, plan, sink, &counted)?;
    counting.end()?;
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_source::{Descend, Item, Operands};

    /// A source that cannot be counted.
    struct Trap;

    impl Source for Trap {
        fn pull(&mut self) -> Option<Item> {
            panic!("counting fails on purpose")
        }
    }

    #[test]
    fn a_panic_of_the_count_ends_the_pass() {
        let control = Control::new().on_progress(|_| {});
        let plan = Plan::new(["sha256".parse::<crate::Algorithm>().unwrap()]);
        let counting = Counting::start(Some(Box::new(Trap)));
        while counting.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            std::thread::yield_now();
        }
        assert!(matches!(counting.end(), Err(Failure::Run(pfh_engine::Error::Panicked))));
        let source = || Box::new(Operands::new(vec!["Cargo.toml"], Descend::default()));
        let again = || Some(source() as Box<dyn Source>);
        let mut records: Vec<pfh_engine::Record> = Vec::new();
        assert_eq!(pass(source(), again, &plan, &mut records, &control).unwrap().hashed, 1);
    }
}
