//! How a caller controls a long job: it cancels the job and follows its progress. One type for
//! every job.

use crate::progress::Progress;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a job to end. Clones ask the same job.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl From<Arc<AtomicBool>> for Cancel {
    /// A handle on a flag that something else sets, a signal handler for example.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Cancel(flag)
    }
}

impl From<Cancel> for Arc<AtomicBool> {
    /// The flag itself, which may outlive the job.
    fn from(cancel: Cancel) -> Self {
        cancel.0
    }
}

impl Cancel {
    /// Asks the job to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the job was asked to end. Who asks this and hears it ends by itself.
    pub fn is_cancelled(&self) -> bool {
        let is_cancelled = self.0.load(Ordering::SeqCst);
        if is_cancelled {
            pfh_source::notice_end();
        }
        is_cancelled
    }

    /// The flag itself, for code that takes only flags.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

type Callback<'a> = Box<dyn Fn(&Progress) + Send + Sync + 'a>;

/// Cancels a job and follows its progress. By default the job runs to its end in silence.
///
/// ```
/// use pfh_engine::{Cancel, Control, Progress};
/// let cancel = Cancel::default();
/// let control = Control::new().with_cancel(cancel.clone()).on_progress(|progress| match progress {
///     Progress::Files(files) => eprintln!("{} files, {} bytes", files.files, files.bytes),
///     Progress::Medium(medium) => eprintln!("{} bytes of {:?}", medium.bytes, medium.total),
///     _ => {}
/// });
/// assert!(!control.is_cancelled());
/// cancel.cancel();
/// assert!(control.is_cancelled());
/// ```
#[derive(Default)]
pub struct Control<'a> {
    cancel: Cancel,
    progress: Option<Callback<'a>>,
}

impl<'a> Control<'a> {
    /// Neither cancels nor follows.
    pub fn new() -> Self {
        Self::default()
    }

    /// The job ends early when `cancel` is asked to; each job documents how soon, and the state
    /// that it leaves.
    #[must_use]
    pub fn with_cancel(mut self, cancel: impl Into<Cancel>) -> Self {
        self.cancel = cancel.into();
        self
    }

    /// Calls `progress` about ten times a second while the job runs, and at its end, from whichever
    /// thread of the job.
    #[must_use]
    pub fn on_progress(mut self, progress: impl Fn(&Progress) + Send + Sync + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// The handle that cancels the job, for threads that outlive a borrow of this.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether the job was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Whether anybody follows the progress: only then it is worth counting how much there is to
    /// do.
    pub fn is_followed(&self) -> bool {
        self.progress.is_some()
    }

    /// Reports how far the job is; for the jobs themselves.
    pub fn report(&self, progress: &Progress) {
        if let Some(call) = &self.progress {
            call(progress);
        }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("cancel", &self.cancel).field("follows", &self.progress.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Phase;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn a_control_reports_what_the_job_reports_and_cancels_it() {
        let seen = AtomicU64::new(0);
        let flag = Arc::new(AtomicBool::new(false));
        let control = Control::new().with_cancel(flag.clone()).on_progress(|progress| {
            if let Progress::Steps { done, .. } = progress {
                seen.store(*done, Ordering::SeqCst);
            }
        });
        let progress = Progress::Steps { phase: Phase::Comparing, done: 7, total: Some(9) };
        control.report(&progress);
        assert_eq!((seen.load(Ordering::SeqCst), progress.phase().to_string().as_str()), (7, "comparing"));
        assert!(!control.is_cancelled());
        flag.store(true, Ordering::SeqCst);
        assert!(control.is_cancelled() && control.cancel().clone().is_cancelled());
        Control::new().report(&progress);
    }
}
