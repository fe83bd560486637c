//! The steps of an acquisition, in order; each is in the logs before the next one begins.

use super::again::{self, LastSteps};
use super::case::{self, Account};
use super::entry::{AskTime, Entry};
use super::health;
use super::log::{self, Logs, Opening, chained_name, now, time};
use super::problem::{CASE_UNWRITTEN, Problem, stopped};
use super::session::Session;
use super::{
    Event, Events, Request, RetryOutcome, RetryRanges, Summary, TargetComparison, account, compare, send, stamping,
};
use crate::job::{Error, PathError};
use pfh_custody::key::SigningKey;
use pfh_engine::imaging::ImagingResult;
use pfh_engine::{Control, Phase};
use pfh_source::Time;
use pfh_source::device::Kind;
use pfh_source::os;
use pfh_source::terminal::shown;
use serde_json::{Map, Value};
use std::io;
use std::path::Path;

/// Acquires a medium: reads it once into all targets and digests, and keeps map, logs and CASE
/// document beside them.
///
/// The same request again resumes an acquisition that was cut off, and compares the image of one
/// that has ended. A request that is refused writes nothing. Cancelling ends it with
/// [`Problem::Stopped`], resumable.
///
/// # Errors
/// When it is refused, fails or is stopped; the logs state why if they were open.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let key = request.checked()?;
    let turn = request.log.as_deref().map(log::turn).transpose()?.flatten();
    let session = Session::open(request)?;
    let left = again::look(&session, &mut *events, control)?;
    let retried = match left {
        LastSteps::Compared(summary) => return stamped(*summary, request, &mut *events),
        LastSteps::Retry(bytes) => Some(bytes),
        LastSteps::Other => None,
    };
    let asked = session.asked();
    if let Some(path) = &asked.request.case {
        let fail = |error| Error::request(PathError::new(path, error));
        case::clear(path, asked.request.source.path(), session.may_replace_case()).map_err(fail)?;
    }
    let opening = match (retried, asked.request.replace) {
        (Some(_), _) => Opening::Continue,
        (None, true) => Opening::Replace,
        (None, false) => Opening::Resume,
    };
    if let (Opening::Replace, Some(log)) = (opening, &asked.request.log) {
        stamping::forget(&chained_name(log));
    }
    // Not before: a command that is refused leaves no log.
    let targets = account::targets(asked);
    let logs =
        asked.request.log.as_deref().map_or(Ok(Logs::default()), |path| Logs::open(path, opening, &targets, turn))?;
    Job { session, logs, events, control, started: time() }.run(retried, key.as_ref())
}

/// An acquisition whose logs are open.
struct Job<'a, 'c> {
    session: Session<'a>,
    logs: Logs,
    events: &'a mut Events<'a>,
    control: &'a Control<'c>,
    started: Time,
}

impl Job<'_, '_> {
    fn run(mut self, retried: Option<u64>, key: Option<&SigningKey>) -> Result<Summary, Error> {
        let resumed_at = self.session.beginning().done;
        if retried.is_some() {
            self.logs.record(&Entry::Reopened { why: "unreadable sectors are tried again" })?;
        }
        account::begin(&mut self.logs, &self.session, &mut *self.events)?;
        let hidden = health::hidden(&mut self.logs, self.session.medium(), &mut *self.events)?;
        let before = self.smart(AskTime::Before)?;
        let imaged = self.image(retried)?;
        let after = self.smart(AskTime::After)?;
        health::changed(&mut self.logs, &before, &after, &mut *self.events)?;
        for lost in self.session.lost_targets() {
            account::lost(&mut self.logs, lost, &mut *self.events)?;
        }
        let mut summary = self.summary(imaged)?;
        summary.lost = self.session.lost_targets().to_vec();
        (summary.hidden, summary.smart) = (hidden, [before, after]);
        if let Err(error) = self.verify(&mut summary) {
            account::failed(&mut self.logs, &error.to_string())?;
            return Err(error);
        }
        account::files(&mut self.logs, self.session.asked())?;
        let is_good = summary.compared.iter().all(TargetComparison::is_good);
        let case = self.session.asked().request.case.clone().filter(|_| is_good);
        if let Some(path) = &case {
            self.case(path, &summary, resumed_at)?;
        }
        let ended = account::end(&mut self.logs, &summary.imaged);
        let ended = ended.and_then(|end| std::mem::take(&mut self.logs).end(end, key));
        if let (Some(path), Err(_)) = (&case, &ended) {
            // It names a log that has no end.
            let _ = std::fs::remove_file(path);
        }
        ended?;
        let mut summary = stamped(summary, self.session.asked().request, &mut *self.events)?;
        self.compare_with(&mut summary)?;
        send(&mut *self.events, Event::Finished(&summary))?;
        Ok(summary)
    }

    /// Asks a device for its S.M.A.R.T. values, for a log.
    fn smart(&mut self, when: AskTime) -> Result<Map<String, Value>, Error> {
        match (self.session.asked().request.source.path(), self.session.medium().kind()) {
            (Some(path), Kind::Device) if self.logs.are_kept() => health::smart(&mut self.logs, path, when),
            _ => Ok(Map::new()),
        }
    }

    /// Reads the medium, or its lost areas; the logs state how that ended.
    fn image(&mut self, retried: Option<u64>) -> Result<ImagingResult, Error> {
        let imaged = match self.read(retried) {
            Ok((imaged, None)) => imaged,
            Ok((imaged, Some(retried))) => {
                account::retried(&mut self.logs, &retried, &mut *self.events)?;
                imaged
            }
            Err(error) => {
                account::failed(&mut self.logs, &error.to_string())?;
                return Err(error);
            }
        };
        let (from, sector) = (self.session.asked().imaging.from, self.session.medium().sector());
        account::losses(&mut self.logs, &imaged, from, sector, &mut *self.events)?;
        if let Some(cause) = imaged.stopped {
            let asked = self.session.asked();
            let resumable = asked.map.is_some() && !asked.targets.is_empty();
            let error = stopped(cause, Problem::Stopped { bytes: imaged.bytes, cause, resumable });
            self.logs.line(&format!("{} {error}", now()))?;
            self.logs.record(&Entry::Stopped { bytes: imaged.bytes, cause: cause.to_string() })?;
            return Err(error);
        }
        account::digests(&mut self.logs, &imaged)?;
        Ok(imaged)
    }

    /// Reads the medium, or its lost areas; then those that were passed over on the way.
    fn read(&mut self, retried: Option<u64>) -> Result<(ImagingResult, Option<RetryOutcome>), Error> {
        if let Some(bytes) = retried {
            let found = self.session.retry(bytes, None, RetryRanges::All, self.control)?;
            return Ok((found.imaged.clone(), Some(found)));
        }
        let imaged = self.session.read(self.control, Phase::Acquiring, &mut *self.events)?;
        match again::is_due(&self.session, &imaged, self.session.asked().request.retry_bad) {
            Some(again) => {
                let found = self.session.retry(imaged.bytes, Some(&imaged), again, self.control)?;
                Ok((found.imaged.clone(), Some(found)))
            }
            None => Ok((imaged, None)),
        }
    }

    fn summary(&mut self, imaged: ImagingResult) -> Result<Summary, Error> {
        let mut summary = Summary::new(imaged, self.session.medium(), self.session.asked());
        summary.log = self.session.asked().request.log.as_deref().map(chained_name);
        summary.departures = self.session.beginning().departures;
        summary.changed = self.session.medium().changed();
        if let Some(what) = summary.changed {
            account::changed(&mut self.logs, what, &mut *self.events)?;
        }
        Ok(summary)
    }

    /// Reads every target back and compares it.
    fn verify(&mut self, summary: &mut Summary) -> Result<(), Error> {
        let (asked, medium) = (self.session.asked(), self.session.medium());
        if !asked.request.verify {
            return Ok(());
        }
        if !os::EVICTS {
            let remark = "the targets are read back through the page cache, which this build cannot empty";
            send(&mut *self.events, Event::Remark(remark))?;
            self.logs.line(remark)?;
        }
        let source = matches!(medium.kind(), Kind::Device | Kind::File).then_some(medium);
        for to in &asked.targets {
            let how = (self.control, Phase::Verifying);
            let found = compare(to, &asked.imaging, &summary.imaged, source, how)?;
            account::compared(&mut self.logs, to, &found)?;
            send(&mut *self.events, Event::Compared { target: to, compared: &found })?;
            summary.compared.push(found);
        }
        Ok(())
    }

    /// Compares the image with other media.
    fn compare_with(&mut self, summary: &mut Summary) -> Result<(), Error> {
        let asked = self.session.asked();
        for other in &asked.against {
            let how = (self.control, Phase::Comparing);
            let found = compare(other, &asked.imaging, &summary.imaged, None, how)?;
            send(&mut *self.events, Event::ComparedWith { other, compared: &found, bytes: summary.imaged.bytes })?;
            summary.compared_with.push(found);
        }
        Ok(())
    }

    /// Writes the CASE document; its digest is in the logs before it is on the disk.
    fn case(&mut self, path: &Path, summary: &Summary, resumed_at: u64) -> Result<(), Error> {
        let account = Account {
            asked: self.session.asked().request,
            targets: &self.session.asked().targets,
            about: &self.session.asked().about,
            source: self.session.medium().into(),
            imaged: &summary.imaged,
            compared: &summary.compared,
            resumed_at,
            started: self.started,
            ended: time(),
            command_line: &self.session.asked().request.command_line,
        };
        let written = match case::document(&account).and_then(|document| Ok((sha256(&document)?, document))) {
            Ok((sha256, document)) => {
                let name = shown(path);
                self.logs.line(&format!("CASE document {name}: sha256 {sha256}"))?;
                self.logs.record(&Entry::Case { path: name, sha256 })?;
                case::write(path, &document)
            }
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            account::failed(&mut self.logs, &format!("{CASE_UNWRITTEN}: {error}"))?;
            return Err(Error::output(PathError::new(path, Problem::Case(error))));
        }
        Ok(())
    }
}

/// Has the end of the log stamped, where that is asked for and was not done before.
fn stamped(mut summary: Summary, asked: &Request, events: &mut Events<'_>) -> Result<Summary, Error> {
    let (Some(url), Some(log)) = (&asked.timestamp, &asked.log) else { return Ok(summary) };
    let log = chained_name(log);
    let found = match stamping::kept(&log) {
        Some(kept) => Ok(kept),
        None => stamping::stamp(url, &log),
    };
    if let Err(cause) = &found {
        send(events, Event::NotStamped { url, cause })?;
    }
    summary.stamped = Some(found);
    Ok(summary)
}

fn sha256(text: &str) -> io::Result<String> {
    let mut hasher = crate::REGISTRY.find("sha256").map_err(io::Error::other)?.hasher();
    hasher.update(text.as_bytes());
    Ok(hasher.finalize().to_string())
}
