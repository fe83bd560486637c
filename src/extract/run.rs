//! From the image to the files.

use super::problem::Problem;
use super::request::Request;
use super::target::{Outcome, Target};
use super::wanted::WantedNames;
use crate::job::{Error, PathError};
use pfh_digest::Digest;
use pfh_engine::{Control, FileProgress, Progress};
use pfh_source::{FindingId, Item, Level, Origin, Skip, Source};
use std::io;
use std::path::Path;
use std::time::Instant;

/// Findings, in the order of the container.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A member was written, read back, and holds the same bytes.
    Written {
        /// Its printed name.
        name: &'a [u8],
        /// Its file.
        path: &'a Path,
        /// Bytes of it.
        bytes: u64,
        /// SHA-256 of them.
        digest: &'a Digest,
    },
    /// A link, a device or another thing that is not a file is not made.
    Skipped {
        /// Its printed name.
        name: &'a [u8],
        /// Why.
        skip: Skip,
        /// How much it counts.
        level: Level,
    },
    /// A member was not written.
    Failed {
        /// Its printed name.
        name: &'a [u8],
        /// Why.
        problem: &'a Problem,
        /// How much it counts.
        level: Level,
    },
}

/// Receives the events. An error ends the run with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files that were written and read back.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Links, devices and other things that are not files, which are not made.
    pub skipped: u64,
    /// Members that were not written.
    pub failed: u64,
    /// Those of both that count by their levels.
    pub faults: u64,
    /// Whether the control cancelled the job, or a limit ended it.
    pub ended_early: bool,
    /// Whether the control cancelled it.
    pub interrupted: bool,
}

impl Summary {
    /// Whether everything that was asked for is in a file, but for findings that do not count.
    pub fn is_whole(&self) -> bool {
        self.files > 0 && self.faults == 0 && !self.ended_early
    }
}

/// Writes the members below the directory.
///
/// # Errors
/// When the request makes no sense, the directory cannot be made, the disk is full, or the sink
/// refuses an event. A member that cannot be written is an event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut source = request.input().as_found()?;
    let mut wanted = WantedNames::new(request.image.as_os_str().as_encoded_bytes(), &request.members);
    let made = Target::create(&request.to);
    let target = made.map_err(|error| Error::output(PathError::new(&request.to, error)))?;
    let mut run = Run { request, target, summary: Summary::default(), started: Instant::now() };
    while let Some(item) = source.pull() {
        if control.is_cancelled() {
            (run.summary.interrupted, run.summary.ended_early) = (true, true);
            break;
        }
        run.item(&item, &mut wanted, events, control)?;
        if run.summary.ended_early {
            break;
        }
    }
    // Names that were not reached are not said to be missing.
    if !run.summary.ended_early {
        for (name, near) in wanted.missing() {
            run.failed(&name, &Problem::Missing(near), events)?;
        }
    }
    Ok(run.summary)
}

/// A run so far.
struct Run<'a> {
    request: &'a Request,
    target: Target,
    summary: Summary,
    started: Instant,
}

impl Run<'_> {
    fn item(
        &mut self,
        item: &Item,
        wanted: &mut WantedNames,
        events: &mut Events<'_>,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        match item {
            Item::Entry(entry) => {
                let Origin::Object { name, object } = &entry.origin else {
                    return match entry.still() {
                        Err(problem) => self.failed(&entry.name(), &Problem::Unread(problem), events),
                        Ok(_) => Ok(()),
                    };
                };
                let (Some(inside), Some(path)) = (object.inside(), wanted.path(name)) else { return Ok(()) };
                if !wanted.takes(path) {
                    return Ok(());
                }
                let limits = self.request.limits;
                if self.summary.files >= limits.files {
                    self.summary.ended_early = true;
                    return self.failed(name, &Problem::Files(limits.files), events);
                }
                let most = limits.bytes.saturating_sub(self.summary.bytes);
                let is_cancelled = || control.is_cancelled();
                let written = object
                    .open()
                    .map_err(Problem::Unread)
                    .and_then(|mut reader| self.target.write(path, &mut reader, &inside, most, &is_cancelled));
                self.outcome(name, written, events)?;
                self.report(control);
                Ok(())
            }
            Item::Skipped { name, skip, .. } => {
                let Some(path) = wanted.path(name) else { return Ok(()) };
                if wanted.takes(path) {
                    self.summary.skipped += 1;
                    let level = self.level(FindingId::ExtractUnmade);
                    events(Event::Skipped { name, skip: *skip, level }).map_err(Error::Sink)?;
                }
                Ok(())
            }
            Item::Problem { name, problem, .. } if wanted.touches(name) => {
                self.failed(name, &Problem::Unread(problem.clone()), events)
            }
            Item::Problem { .. } | Item::Settled { .. } => Ok(()),
        }
    }

    fn outcome(
        &mut self,
        name: &[u8],
        written: Result<Outcome, Problem>,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        match written {
            Ok(Outcome::Written(path, bytes, digest)) => {
                self.summary.files += 1;
                self.summary.bytes += bytes;
                events(Event::Written { name, path: &path, bytes, digest: &digest }).map_err(Error::Sink)
            }
            Ok(Outcome::Beyond) => {
                self.summary.ended_early = true;
                self.failed(name, &Problem::Bytes(self.request.limits.bytes), events)
            }
            Ok(Outcome::Cancelled) => {
                (self.summary.interrupted, self.summary.ended_early) = (true, true);
                Ok(())
            }
            Err(Problem::Unwritten(error)) if is_full(&error) => {
                Err(Error::output(PathError::new(&self.request.to, error)))
            }
            Err(problem) => self.failed(name, &problem, events),
        }
    }

    fn failed(&mut self, name: &[u8], problem: &Problem, events: &mut Events<'_>) -> Result<(), Error> {
        self.summary.failed += 1;
        let level = self.level(problem.finding());
        events(Event::Failed { name, problem, level }).map_err(Error::Sink)
    }

    /// Counts a finding, and gives its level.
    fn level(&mut self, finding: FindingId) -> Level {
        let level = self.request.levels.of(finding);
        self.summary.faults += u64::from(level == Level::Error);
        level
    }

    fn report(&self, control: &Control<'_>) {
        let mut now = FileProgress::default();
        (now.files, now.bytes, now.elapsed) = (self.summary.files, self.summary.bytes, self.started.elapsed());
        control.report(&Progress::Files(now));
    }
}

/// Whether no further file can be written either.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::ReadOnlyFilesystem
    )
}
