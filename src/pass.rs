//! One pass over files, which every job of files makes.

use pfh_engine::{Control, FileProgress, Plan, Progress, Sink, Summary};
use pfh_source::{Source, total};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

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

/// Turns a [`Failure`] into a job's error, which has the variants `Sink` and `Run` of the same
/// meaning.
macro_rules! ends_a_pass {
    ($error:ty) => {
        impl From<$crate::pass::Failure> for $error {
            fn from(failure: $crate::pass::Failure) -> Self {
                match failure {
                    $crate::pass::Failure::Sink(error) => <$error>::Sink(error),
                    $crate::pass::Failure::Run(error) => <$error>::Run(error),
                }
            }
        }
    };
}
pub(crate) use ends_a_pass;

/// Counts how much there is to read while the pass goes on. Without a thread there is no count, and
/// nothing else is lost.
struct Counting {
    total: Arc<OnceLock<(u64, u64)>>,
    stop: Arc<AtomicBool>,
}

impl Counting {
    fn start(again: Option<Box<dyn Source>>) -> Counting {
        let counting = Counting { total: Arc::default(), stop: Arc::default() };
        if let Some(again) = again {
            let (found, stop) = (counting.total.clone(), counting.stop.clone());
            let _ = std::thread::Builder::new().name("pfh-count".into()).spawn(move || {
                if let Some(counted) = total(again, &stop) {
                    let _ = found.set(counted);
                }
            });
        }
        counting
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
    Ok(pfh_engine::run(source, plan, sink, &counted)?)
}
