//! A command that carries out a job: signals end the job, its progress and its problems are shown
//! on standard error.

use crate::bar::Bar;
use crate::exit::{self, Exit, Failure};
use crate::finish;
use crate::saying::Saying;
use crate::show::{counted, many};
use crate::signals::Signals;
use pfh::terminal::render as shown;
use pfh::{Control, Destination, Level, Levels, Record, Summary};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

/// How much was read in which time.
pub fn amount(summary: &Summary) -> String {
    let (files, size) = (counted(summary.hashed, "file"), pfh::terminal::size_text(summary.bytes));
    format!("{files}, {size}, {:.1} s", summary.stats.total.as_secs_f64())
}

/// That files have no digest in the output.
pub fn without_digest(without: u64, all: u64, place: &str) -> String {
    match (without, all) {
        (1, 1) => format!("the file has no digest in the {place}"),
        (1, all) => format!("1 of {} has no digest in the {place}", counted(all, "file")),
        (without, all) => format!("{without} of {all} files have no digest in the {place}"),
    }
}

/// Signals and the progress bar.
pub struct Session {
    signals: Signals,
    bar: Option<Arc<Bar>>,
    /// Whether a good end is closed with a line of counts.
    closing: bool,
    /// How much each finding counts.
    levels: Levels,
}

impl Session {
    /// Begins to catch signals, and to show progress unless that is not wanted.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn open(progress: bool) -> Result<Session, Failure> {
        let caught = |error| Failure::aborted(format!("signals cannot be caught: {error}"));
        let signals = Signals::catch().map_err(caught)?;
        pfh::process::end_texts_when(signals.flag());
        signals.end_when_overdue().map_err(caught)?;
        let bar = Bar::open(progress).map(Arc::new);
        Ok(Session { signals, closing: bar.is_some(), bar, levels: Levels::new() })
    }

    /// The same, saying as much as is asked for.
    ///
    /// # Errors
    /// When signals cannot be caught.
    pub fn saying(progress: bool, saying: Saying) -> Result<Session, Failure> {
        let mut session = Session::open(progress && !saying.quiet)?;
        session.closing |= saying.verbose;
        Ok(session)
    }

    /// Whether a good end is closed with a line of counts.
    pub fn closes(&self) -> bool {
        self.closing
    }

    /// The same, where findings have these levels.
    #[must_use]
    pub fn levels(mut self, levels: &Levels) -> Session {
        self.levels = levels.clone();
        self
    }

    /// The control of the job.
    pub fn control(&self) -> Control<'_> {
        let control = Control::new().with_cancel(self.signals.flag());
        match &self.bar {
            Some(bar) => control.on_progress(|progress| bar.show(progress)),
            None => control,
        }
    }

    /// Prints a message past the progress.
    pub fn message(&self, message: impl Display) {
        match &self.bar {
            Some(bar) => bar.say(&exit::shortened(message.to_string())),
            None => exit::say(message),
        }
    }

    /// Prints a message about a name, which a terminal may see.
    pub fn about(&self, name: &[u8], what: impl Display) {
        // An empty operand has a name that can be seen.
        let name = if name.is_empty() { "''".to_owned() } else { shown(name) };
        self.message(format_args!("{name}: {what}"));
    }

    /// Prints why an input has no digest.
    pub fn unread(&self, record: &Record) {
        match &record.outcome {
            pfh::Outcome::Failed(problem) if problem.level == Level::Ignore => {}
            pfh::Outcome::Skipped(skip) if !self.levels.says(skip.finding()) => {}
            pfh::Outcome::Failed(problem) => self.about(&record.name, crate::remedy::problem(problem)),
            pfh::Outcome::Skipped(skip) => {
                self.about(&record.name, format_args!("skipped: {}", crate::remedy::skip(skip)))
            }
            pfh::Outcome::Hashed(_) => {}
        }
    }

    /// Prints results without tearing the progress.
    ///
    /// # Errors
    /// The output's.
    pub fn print(&self, bytes: &[u8]) -> std::io::Result<()> {
        match &self.bar {
            Some(bar) => bar.around(|| exit::print(bytes)),
            None => exit::print(bytes),
        }
    }

    /// Runs `print`, which prints messages, without tearing the progress.
    pub fn suspended(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspended(print),
            None => print(),
        }
    }

    /// Where the output of the job goes: this file, or standard output, with which the progress may
    /// share a terminal.
    pub fn destination(&self, file: Option<&PathBuf>) -> Destination {
        match (file, self.bar.clone()) {
            (Some(path), _) => Destination::from(path),
            (None, None) => Destination::Standard(None),
            (None, Some(bar)) => Destination::Standard(Some(Arc::new(move |write| bar.around(write)))),
        }
    }

    /// Takes the progress off the screen.
    pub fn close(&self) {
        self.bar.iter().for_each(|bar| bar.close());
    }

    /// The failure of a job, and the exit that goes with it.
    pub fn ended(&self, error: pfh::job::Error) -> Failure {
        self.close();
        if self.signals.number() != 0 && error.kind() != pfh::job::Kind::Cancelled && pfh::process::is_text_ended() {
            // A list was read when the signal came; to its reader that is an error of any kind.
            return Failure::new(self.signal(), "interrupted");
        }
        Failure::of(&error, self.signal())
    }

    /// The exit of a command that a signal ended.
    pub fn signal(&self) -> Exit {
        Exit::Signal(self.signals.number())
    }

    /// The exit of a run whose output is complete: interrupted, incomplete, or good. `unwritten`
    /// files have no digest in the output for other reasons than failing.
    pub fn exit(&self, summary: &Summary, unwritten: u64) -> Exit {
        let Summary { hashed, failed, faults, skipped, .. } = summary;
        finish::count(&[
            ("files", *hashed),
            ("bytes", summary.bytes),
            ("errors", failed + unwritten),
            ("skipped", *skipped),
        ]);
        if summary.interrupted {
            let out = many(hashed + failed, "record is", "records are");
            self.interrupted(format_args!("{out} out, the rest is missing"))
        } else if faults + unwritten > 0 {
            // Of findings that were raised or lowered there are more, or fewer.
            let all = (hashed + failed).max(faults + unwritten);
            exit::say(without_digest(faults + unwritten, all, "output"));
            Exit::Incomplete
        } else {
            if self.closing {
                let end = if *failed == 0 { "no problems".to_owned() } else { format!("{failed} of a lower level") };
                exit::lines(&format!("{}, {end}", amount(summary)));
            }
            Exit::Good
        }
    }

    /// Reports the work that a signal interrupted, and gives its exit.
    pub fn interrupted(&self, what: impl Display) -> Exit {
        exit::say(format_args!("interrupted: {what}"));
        self.signal()
    }
}
