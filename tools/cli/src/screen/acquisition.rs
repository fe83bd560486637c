//! An acquisition under way: the job on a thread of its own, and the state that it has reported.

use super::words;
use crate::exit::{self, Exit};
use crate::imaging;
use crate::show::acquire as show;
use pfh::acquire::{self as job, Event, Problem, Request, Summary};
use pfh::device::Bad;
use pfh::{Cancel, Control, Phase, Progress};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two looks at the temperature: the drive is asked each time.
const WARMTH: Duration = Duration::from_secs(5);
/// How far back the rate looks.
const WINDOW: Duration = Duration::from_secs(8);

/// How far the job is.
#[derive(Debug, Clone, Copy)]
pub struct Far {
    /// The purpose of the reading.
    pub phase: Phase,
    /// Bytes of the image that are read.
    pub bytes: u64,
    /// All bytes, if their number is known.
    pub total: Option<u64>,
    /// Unreadable bytes so far.
    pub bad: u64,
}

/// The reports of the job so far.
#[derive(Debug, Clone, Default)]
pub struct JobReports {
    /// How far it is; `None` before the first byte.
    pub far: Option<Far>,
    /// Up to where all targets have the image.
    pub upto: u64,
    /// Unreadable zones up to there.
    pub bad: Vec<Bad>,
    /// The digest of the image up to there, with its algorithm.
    pub digest: Option<(String, String)>,
    /// Sentences for people.
    pub messages: Vec<String>,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// When which number of bytes was read.
    rate: VecDeque<(Instant, u64)>,
}

impl JobReports {
    /// Bytes per second of the last seconds.
    pub fn rate(&self) -> Option<f64> {
        let ((from, first), (to, last)) = (self.rate.front()?, self.rate.back()?);
        let seconds = to.duration_since(*from).as_secs_f64();
        (seconds > 0.2).then(|| last.saturating_sub(*first) as f64 / seconds)
    }

    /// Of a disk of 500 GB with two bad zones.
    #[cfg(test)]
    pub fn of_a_bad_disk() -> JobReports {
        let zone = |offset, length| Bad { offset, length, errno: 5, loss: pfh::device::Loss::Unreadable };
        let (now, bytes) = (Instant::now(), 200_000_000_000);
        JobReports {
            far: Some(Far { phase: Phase::Acquiring, bytes, total: Some(500_107_862_016), bad: 5120 }),
            upto: 199_000_000_000,
            bad: vec![zone(52_428_800_000, 4096), zone(170_000_000_000, 1024)],
            digest: Some(("sha256".to_owned(), "9a3f".repeat(16))),
            messages: vec!["warning: /dev/sdb1 is mounted at /mnt read-only".to_owned()],
            temperature: Some(41.0),
            rate: [(now - Duration::from_secs(4), bytes - 600_000_000), (now, bytes)].into(),
        }
    }

    fn progress(&mut self, progress: &Progress) {
        let Progress::Medium(now) = progress else { return };
        if self.far.is_some_and(|far| far.phase != now.phase) {
            self.rate.clear();
        }
        self.far = Some(Far { phase: now.phase, bytes: now.bytes, total: now.total, bad: now.bad });
        let time = Instant::now();
        self.rate.push_back((time, now.bytes));
        while self.rate.front().is_some_and(|(at, _)| time.duration_since(*at) > WINDOW) {
            self.rate.pop_front();
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        if let Event::Checkpoint { upto, bad, digest } = event {
            self.upto = *upto;
            self.bad = bad.to_vec();
            self.digest = digest.map(|digest| (digest.algorithm().to_string(), digest.to_string()));
        }
        if let Event::Unreadable { bad, .. } = event
            && !self.bad.contains(bad)
        {
            self.bad.push(**bad);
        }
        if let Event::Compared { target, compared } = event
            && !compared.is_good()
        {
            self.messages.push(imaging::misread(&imaging::name(&target.path)));
        }
        self.messages.extend(imaging::sentence(event));
    }
}

/// How it ended.
#[derive(Debug, Clone)]
pub struct EndReport {
    /// The exit that the command would have.
    pub exit: Exit,
    /// Bytes of the image, if it is complete.
    pub bytes: Option<u64>,
    /// The result as the command prints it; empty if there is none.
    pub report: String,
    /// Why there is none.
    pub failure: Option<String>,
    /// Whether the same command goes on where it stopped.
    pub resumes: bool,
}

impl EndReport {
    fn of(ran: Result<Summary, pfh::job::Error>) -> EndReport {
        match ran {
            Ok(summary) => EndReport {
                exit: imaging::exit(&summary),
                bytes: Some(summary.imaged.bytes),
                report: show::text(&summary),
                failure: None,
                resumes: false,
            },
            Err(error) => EndReport {
                exit: exit::of_kind(error.kind(), Exit::Signal(signal_hook::consts::SIGINT)),
                bytes: None,
                report: String::new(),
                failure: Some(pfh::with_names(&crate::remedy::sentence(&error))),
                resumes: matches!(error.find(), Some(Problem::Stopped { resumable: true, .. })),
            },
        }
    }
}

/// An acquisition.
pub struct Acquisition {
    /// The words of its command line, behind `pfh`.
    pub words: Vec<OsString>,
    /// The source.
    pub source: PathBuf,
    /// The targets.
    pub targets: Vec<PathBuf>,
    /// How it ended.
    pub ended: Option<EndReport>,
    seen: Arc<Mutex<JobReports>>,
    cancel: Cancel,
    thread: Option<JoinHandle<EndReport>>,
}

impl Acquisition {
    /// Starts one. `system` has the sensors.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn start(words: Vec<OsString>, request: Request, system: &Path) -> std::io::Result<Acquisition> {
        let (seen, cancel) = (Arc::new(Mutex::new(JobReports::default())), Cancel::default());
        let source = request.source.path().map(Path::to_owned).unwrap_or_default();
        let targets = request.targets.iter().map(|to| to.path.clone()).collect();
        let (ours, stop) = (seen.clone(), cancel.clone());
        let work = move || {
            let control = Control::new().with_cancel(stop).on_progress(|progress| locked(&ours).progress(progress));
            let mut events = |event: Event<'_>| {
                locked(&ours).event(&event);
                Ok(())
            };
            EndReport::of(job::run(&request, &mut events, &control))
        };
        let thread = std::thread::Builder::new().name("acquire".to_owned()).spawn(work)?;
        watch(Arc::downgrade(&seen), system.to_owned(), source.clone())?;
        Ok(Acquisition { words, source, targets, ended: None, seen, cancel, thread: Some(thread) })
    }

    /// The reports of the job so far.
    pub fn seen(&self) -> JobReports {
        locked(&self.seen).clone()
    }

    /// Whether it has not ended.
    pub fn runs(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether it was asked to stop.
    pub fn stops(&self) -> bool {
        self.runs() && self.cancel.is_cancelled()
    }

    /// Asks it to stop: the images on the targets can be resumed.
    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// The command line that does the same.
    pub fn line(&self) -> String {
        words::line(&self.words)
    }

    /// Looks whether it has ended, or waits for that.
    pub fn look(&mut self, waits: bool) {
        if let Some(thread) = self.thread.take_if(|thread| waits || thread.is_finished()) {
            let ended = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.ended = Some(ended);
        }
    }
}

fn locked(seen: &Mutex<JobReports>) -> MutexGuard<'_, JobReports> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the temperature up to date, for as long as the acquisition is shown. A dying drive may
/// never answer: this has a thread of its own.
fn watch(seen: std::sync::Weak<Mutex<JobReports>>, system: PathBuf, source: PathBuf) -> std::io::Result<()> {
    let work = move || {
        loop {
            let Some(degrees) = pfh::disks::temperature(&system, &source) else { return };
            let Some(seen) = seen.upgrade() else { return };
            locked(&seen).temperature = Some(degrees);
            drop(seen);
            std::thread::sleep(WARMTH);
        }
    };
    std::thread::Builder::new().name("warmth".to_owned()).spawn(work).map(drop)
}
