//! How a run is carried out: the table, the threads, what is shown meanwhile. Every command that hashes flattens this.

use crate::exit::{self, Exit, Failure};
use crate::progress::Line;
use crate::signals::Signals;
use crate::{shown, size, stats};
use clap::{Args, ValueEnum};
use pfh::{Algorithm, Backend, Control, Destination, Plan, Progress, Record, Sink, Source, Summary};
use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    #[default]
    /// Threads change role: a full table is emptied, an empty one filled.
    Adaptive,
    /// Fixed roles: prefetchers read, workers hash.
    Mtp,
    /// Every thread reads and hashes; no prefetchers.
    Smt,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Io {
    #[default]
    /// What measured faster on this kind of run.
    Auto,
    /// One system call after the other.
    Plain,
    /// Several small files at a time through io_uring, where the kernel has it.
    Uring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsForm {
    /// Lines for people.
    Text,
    /// One JSON object.
    Json,
}

/// Memory, threads, patience, and what is told.
#[derive(Debug, Clone, Args)]
pub struct Run {
    /// The RAM table: bytes that may be read ahead of hashing. A bare number counts MiB.
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub memory: Option<u64>,
    /// Threads that hash [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Threads that read ahead; in adaptive mode while reads wait for the device [default: three per thread, one in mtp].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub prefetchers: Option<u16>,
    /// Who reads and who hashes.
    #[arg(long, value_enum, default_value = "adaptive")]
    pub mode: Mode,
    /// How small files are read.
    #[arg(long, value_enum, default_value = "auto")]
    pub io: Io,
    /// Try a failed read again N times.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,
    /// Give up on a read that does not come back within SECONDS, or on a call that is interrupted for so long; the other files go on.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub stall_timeout: u64,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
    /// Print where the time went, on standard error.
    #[arg(long, value_enum, value_name = "FORM")]
    pub stats: Option<StatsForm>,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            memory: None,
            threads: None,
            prefetchers: None,
            mode: Mode::Adaptive,
            io: Io::Auto,
            retries: 0,
            stall_timeout: 60,
            no_progress: false,
            stats: None,
        }
    }
}

/// The algorithms of these names, each once.
///
/// # Errors
/// A sentence for the user when one is unknown, or none is named.
pub fn algorithms(names: &[String]) -> Result<Vec<Algorithm>, String> {
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let found = pfh::algorithm(name).map_err(|e| format!("{e}; `pfh algorithms` lists them"))?;
        if !algorithms.contains(&found) {
            algorithms.push(found);
        }
    }
    if algorithms.is_empty() { Err("no algorithm was named".into()) } else { Ok(algorithms) }
}

/// A command that carries out a job: signals end the job, its progress and its problems are shown on standard error.
pub struct Session {
    signals: Signals,
    line: Option<Arc<Line>>,
}

impl Session {
    /// Begins to catch signals and to show progress.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn open(run: &Run) -> Result<Session, Failure> {
        let signals =
            Signals::catch().map_err(|error| Failure::aborted(format!("signals cannot be caught: {error}")))?;
        Ok(Session { signals, line: Line::open(!run.no_progress, None).map(Arc::new) })
    }

    /// What the job is controlled by.
    pub fn control(&self) -> Control<'_> {
        let control = Control::new().with_cancel(self.signals.flag());
        let Some(line) = &self.line else { return control };
        control.on_progress(|progress| {
            if let Progress::Files(now) = progress {
                line.show(now);
            }
        })
    }

    /// Prints a message past the progress.
    pub fn message(&self, message: &str) {
        match &self.line {
            Some(line) => line.say(message),
            None => exit::say(message),
        }
    }

    /// Prints what is the matter with a name, which a terminal may see.
    pub fn about(&self, name: &[u8], what: impl Display) {
        self.message(&format!("{}: {what}", shown(name)));
    }

    /// Prints why an input has no digest.
    pub fn unread(&self, record: &Record) {
        match &record.outcome {
            pfh::Outcome::Failed(problem) => self.about(&record.name, problem),
            pfh::Outcome::Skipped(skip) => self.about(&record.name, format_args!("skipped: {}", skip.reason())),
            pfh::Outcome::Hashed(_) => {}
        }
    }

    /// Does what may print results, without tearing the progress.
    pub fn around<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.line {
            Some(line) => line.around(print),
            None => print(),
        }
    }

    /// Prints what is to be said of a whole pass over files.
    pub fn passed(&self, run: &Run, summary: &Summary) {
        match &self.line {
            Some(line) => line.suspended(|| run.tell(summary)),
            None => run.tell(summary),
        }
    }

    /// Where the output of the job goes: this file, or standard output, with which the progress may share a terminal.
    pub fn destination(&self, file: Option<&PathBuf>) -> Destination {
        match (file, self.line.clone()) {
            (Some(path), _) => Destination::from(path),
            (None, None) => Destination::Standard(None),
            (None, Some(line)) => Destination::Standard(Some(Arc::new(move |write| line.around(write)))),
        }
    }

    /// Takes the progress off the screen and reports what the job did.
    ///
    /// # Errors
    /// What `report` fails with.
    pub fn end(mut self, report: impl FnOnce(&Session) -> Exit) -> Result<Exit, Failure> {
        self.line.take().iter().for_each(|line| line.close());
        Ok(report(&self))
    }

    /// The exit of a run whose output is complete: interrupted, incomplete, or good. `unwritten` files have no digest in the output
    /// for other reasons than failing.
    pub fn exit(&self, summary: &Summary, unwritten: u64) -> Exit {
        Ended { summary: *summary, signal: self.signals.number() }.exit(unwritten)
    }

    /// The failure of a command that a signal interrupted.
    pub fn interrupted(&self, what: impl Display) -> Failure {
        Failure::new(Exit::Signal(self.signals.number()), format_args!("interrupted: {what}"))
    }
}

/// Where a message about one name goes: past the progress line, rendered safe for a terminal.
pub struct Voice<'a>(Option<&'a Line>);

impl Voice<'_> {
    /// Says what is the matter with a name.
    pub fn say(&self, name: &[u8], what: &dyn Display) {
        let message = format!("{}: {what}", shown(name));
        match self.0 {
            Some(line) => line.say(&message),
            None => exit::say(message),
        }
    }

    /// Does what may print results, without tearing the progress line.
    fn around<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.0 {
            Some(line) => line.around(print),
            None => print(),
        }
    }
}

/// What a command does with the records of a run.
pub trait Taker {
    /// Takes one record, in input order. Failures and skips have been said on standard error already.
    ///
    /// # Errors
    /// An error of the output ends the run.
    fn take(&mut self, record: Record, voice: &Voice<'_>) -> io::Result<()>;

    /// Called when nothing is on its way for the moment: what is buffered may go out.
    ///
    /// # Errors
    /// As for [`take`](Taker::take).
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Whether what is wrong with a record is worth a sentence on standard error.
    fn tells(&self, _record: &Record) -> bool {
        true
    }
}

struct Spoken<'a, T> {
    taker: &'a mut T,
    voice: Voice<'a>,
}

impl<T: Taker> Sink for Spoken<'_, T> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        match &record.outcome {
            _ if !self.taker.tells(&record) => {}
            pfh::Outcome::Failed(problem) => self.voice.say(&record.name, problem),
            pfh::Outcome::Skipped(skip) => {
                self.voice.say(&record.name, &format_args!("skipped: {}", skip.reason()));
            }
            pfh::Outcome::Hashed(_) => {}
        }
        let Spoken { taker, voice } = self;
        voice.around(|| taker.take(record, voice))
    }

    fn flush(&mut self) -> io::Result<()> {
        let Spoken { taker, voice } = self;
        voice.around(|| taker.flush())
    }
}

/// How a run ended, and by which signal if it was interrupted.
pub struct Ended {
    /// The counts.
    pub summary: Summary,
    /// The signal's number; 0 when there was none.
    pub signal: i32,
}

impl Ended {
    /// Says that the run was interrupted, and what is true then.
    pub fn interrupted(&self, what: impl Display) -> Exit {
        exit::say(format!("interrupted: {what}"));
        Exit::Signal(self.signal)
    }

    /// The exit of a run whose output is complete: interrupted, incomplete, or good. `unwritten` records of files have no
    /// digest in the output for other reasons than failing.
    pub fn exit(&self, unwritten: u64) -> Exit {
        let Summary { hashed, failed, .. } = self.summary;
        if self.summary.interrupted {
            self.interrupted(format_args!("{} records are out, the rest is missing", hashed + failed))
        } else if failed + unwritten > 0 {
            exit::say(format!("{} of {} files have no digest in the output", failed + unwritten, hashed + failed));
            Exit::Incomplete
        } else {
            Exit::Good
        }
    }
}

impl Run {
    /// Interrupted calls are made again for as long as a read may take. For commands that read something before they plan.
    pub fn set_patience(&self) {
        pfh::set_patience(Duration::from_secs(self.stall_timeout));
    }

    /// The plan of a run with these algorithms.
    ///
    /// # Errors
    /// A sentence for the user when the table does not fit this machine.
    pub fn plan(&self, algorithms: Vec<Algorithm>) -> Result<Plan, String> {
        self.set_patience();
        let mut plan = Plan::new(algorithms);
        if let Some(threads) = self.threads {
            plan.threads = usize::from(threads);
            plan.prefetchers = plan.threads * 3;
        }
        plan.mode = match self.mode {
            Mode::Adaptive => pfh::Mode::Adaptive,
            Mode::Mtp => pfh::Mode::Mtp,
            Mode::Smt => pfh::Mode::Smt,
        };
        plan.backend = match self.io {
            Io::Auto => Backend::Auto,
            Io::Plain => Backend::Plain,
            Io::Uring => Backend::Uring,
        };
        plan.prefetchers = match (self.mode, self.prefetchers) {
            (_, Some(prefetchers)) => usize::from(prefetchers),
            (Mode::Mtp, None) => 1,
            (_, None) => plan.prefetchers,
        };
        if let Some(memory) = self.memory {
            plan.memory =
                usize::try_from(memory).map_err(|_| format!("a table of {memory} bytes does not fit this machine"))?;
        }
        plan.retries = self.retries;
        plan.stall = Duration::from_secs(self.stall_timeout);
        Ok(plan)
    }

    /// Runs a plan over a source: progress, signals, a sentence for every file that has no digest. `again` yields the
    /// same entries once more, to count how much there is.
    ///
    /// # Errors
    /// The exit to leave with; the reason has been said.
    pub fn carry_out(
        &self,
        source: Box<dyn Source>,
        again: Option<Box<dyn Source>>,
        plan: &Plan,
        taker: &mut impl Taker,
    ) -> Result<Ended, Exit> {
        let signals = Signals::catch().map_err(|e| {
            exit::say(format!("signals cannot be caught: {e}"));
            Exit::Aborted
        })?;
        let line = Line::open(!self.no_progress, again);
        let mut spoken = Spoken { taker, voice: Voice(line.as_ref()) };
        let control = Control::new().with_cancel(signals.flag()).on_progress(|progress| {
            if let (Some(line), Progress::Files(now)) = (&line, progress) {
                line.show(now);
            }
        });
        let ran = pfh::run(source, plan, &mut spoken, &control);
        drop(control);
        drop(line);
        match ran {
            Ok(summary) => Ok(Ended { summary, signal: signals.number() }),
            Err(pfh::Error::Sink(error)) => Err(exit::of_output(&error)),
            Err(error) => {
                exit::say(error);
                Err(Exit::Aborted)
            }
        }
    }

    /// Prints what the digests do not rest on, and where the time went if that was asked for.
    pub fn tell(&self, summary: &Summary) {
        use io::Write;
        if summary.untimed > 0 {
            let files = if summary.untimed == 1 { "file lies" } else { "files lie" };
            exit::say(format!(
                "note: {} {files} where no change times are kept (FAT, exFAT, some FUSE and network file systems): \
                 a write during the read that put the modification time back would not have been noticed",
                summary.untimed
            ));
        }
        if let Some(form) = self.stats {
            let line = format!("{}\n", stats::render(summary, form));
            let _ = pfh::Patient(io::stderr().lock()).write_all(line.as_bytes());
        }
    }
}
