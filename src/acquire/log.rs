//! The two logs of an acquisition: one for people, one for machines whose records are chained by
//! SHA-256.

use super::entry::{DatedEntry, End, Entry, Text};
use super::problem::log_failed;
use super::{LogError, logged};
use crate::job::Error;
use ed25519_dalek::Signer;
use pfh_custody::chain::{self, Chain, Sound, Standing};
use pfh_custody::key::SigningKey;
use pfh_source::os::clock;
use pfh_source::os::names::with_ending;
use pfh_source::terminal::render;
use pfh_source::{Time, os};
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Both logs, or none.
#[derive(Default)]
pub(super) struct Logs {
    text: Option<People>,
    chained: Option<(File, Chain)>,
    /// Keeps other runs from both until this one ends.
    _turn: Option<Turn>,
}

impl Drop for Logs {
    fn drop(&mut self) {
        if let Some((file, _)) = &self.chained {
            let _ = file.unlock();
        }
    }
}

/// The log for people: its file, and all that was written into it. The chained log states the bytes
/// that were written, not those that somebody put into the file since.
struct People {
    file: File,
    written: Vec<u8>,
}

impl People {
    /// Opens it, with the part that the chained log states of an earlier run; `kept` is nothing for
    /// a log that begins.
    fn open(path: &Path, kept: Option<&Standing>) -> Result<Self, LogError> {
        let failed = |error| LogError::Io { path: path.to_owned(), error };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        let mut found = Vec::new();
        let mut written = Vec::new();
        if let Some(kept) = kept {
            file.read_to_end(&mut found).map_err(failed)?;
            written.clone_from(&found);
            if !written.is_empty() {
                People::keep(&mut written, kept).map_err(|()| LogError::Changed { path: path.to_owned() })?;
            }
        }
        // A kill behind the last record left a part behind it, or took the last line.
        let same = found.iter().zip(&written).take_while(|(one, other)| one == other).count();
        file.set_len(same as u64).map_err(failed)?;
        file.write_all(&written[same..]).map_err(failed)?;
        Ok(People { file, written })
    }

    /// Cuts off what was written behind the last record, and gives a finished log its last line.
    fn keep(written: &mut Vec<u8>, kept: &Standing) -> Result<(), ()> {
        let member = if kept.end.is_some() { "log" } else { "text" };
        let Some(stated) = kept.last.as_ref().and_then(|last| last.get(member)) else {
            // Versions before this member: it is taken as it is.
            return Ok(());
        };
        let bytes = stated["bytes"].as_u64().and_then(|bytes| usize::try_from(bytes).ok()).ok_or(())?;
        let part = written.get(..bytes).ok_or(())?;
        if stated["sha256"].as_str() != Some(&*crate::sha256(part).to_string()) {
            return Err(());
        }
        written.truncate(bytes);
        if kept.end.is_some() {
            written.extend_from_slice(logged::last_line(&kept.at_last, kept.is_signed).as_bytes());
        }
        Ok(())
    }

    /// A text that lies there already, and that no chained log states: it is added to, as it is.
    fn beside(path: &Path) -> Result<Self, LogError> {
        let failed = |error| LogError::Io { path: path.to_owned(), error };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        let mut written = Vec::new();
        file.read_to_end(&mut written).map_err(failed)?;
        Ok(People { file, written })
    }

    /// It so far.
    fn text(&self) -> Text {
        Text { bytes: self.written.len() as u64, sha256: crate::sha256(&self.written).to_string() }
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        let line = format!("{}\n", in_one_line(line));
        self.file.write_all(line.as_bytes())?;
        self.written.extend_from_slice(line.as_bytes());
        Ok(())
    }
}

/// The log, locked for this run. It is unlocked by name, since a program that another thread starts
/// at this moment holds the open file until it runs.
pub(super) struct Turn(File);

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// The treatment of existing logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// They are replaced.
    Replace,
    /// Those of a run that was cut off are resumed; finished ones are left alone, and refused.
    Resume,
    /// Finished ones are continued.
    Continue,
}

/// Takes the log for this run before anything in it is read: two runs that resume one acquisition
/// would each continue it. `None` where there is none yet, or it cannot be locked.
///
/// # Errors
/// When another run has it.
pub(super) fn turn(text: &Path) -> Result<Option<Turn>, LogError> {
    let path = chained_name(text);
    let Ok(file) = OpenOptions::new().append(true).open(&path) else { return Ok(None) };
    if os::try_lock(&file) { Ok(Some(Turn(file))) } else { Err(LogError::Busy { path }) }
}

/// Now.
pub(super) fn time() -> Time {
    let since = clock::now();
    Time { seconds: since.as_secs() as i64, nanoseconds: since.subsec_nanos() }
}

/// Now, in UTC.
pub(super) fn now() -> String {
    time().to_string()
}

/// The name of the log for machines, beside that for people.
pub(super) fn chained_name(text: &Path) -> PathBuf {
    with_ending(text, ".jsonl")
}

/// A line without characters that a terminal would obey. Backslashes stay: text that was escaped
/// before is not escaped twice.
fn in_one_line(line: &str) -> String {
    let escaped = |part: &str| render(part.as_bytes());
    line.split('\\').map(escaped).collect::<Vec<_>>().join("\\")
}

/// Whether a log's first record names one of these targets, in whichever directory.
fn is_of(first: &Map<String, Value>, targets: &[String]) -> bool {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let stated = first.get("targets").and_then(Value::as_array);
    stated.is_none_or(|stated| {
        (stated.is_empty() && targets.is_empty())
            || stated.iter().filter_map(Value::as_str).any(|one| targets.iter().any(|other| last(one) == last(other)))
    })
}

impl Logs {
    /// Opens both, for an acquisition into these targets; `turn` is the [`turn`] of this run.
    ///
    /// # Errors
    /// When a log is of another acquisition, or finished, another run has it, or it cannot be read
    /// or written.
    pub(super) fn open(
        text: &Path,
        opening: Opening,
        targets: &[String],
        turn: Option<Turn>,
    ) -> Result<Self, LogError> {
        let name = chained_name(text);
        let fail = |path: &Path| {
            let path = path.to_owned();
            move |error| LogError::Io { path, error }
        };
        let open = OpenOptions::new().read(true).append(true).create(true).open(&name);
        let chained = open.map_err(fail(&name))?;
        // The file that is continued is the one that is read.
        let found = match opening {
            Opening::Replace => None,
            _ if chained.metadata().map_err(fail(&name))?.len() == 0 => None,
            _ => Some(existing(&chained, &name, opening, targets)?),
        };
        let keep = found.as_ref().map_or(0, |found| found.bytes);
        // Without a turn there was no log when this run began: the contents of one now are another
        // run's.
        let is_free = |file: &File| Ok::<bool, io::Error>(os::try_lock(file) && file.metadata()?.len() == keep);
        if turn.is_none() && !is_free(&chained).map_err(fail(&name))? {
            return Err(LogError::Busy { path: name });
        }
        chained.set_len(keep).map_err(fail(&name))?;
        let people = match (&found, opening) {
            (None, Opening::Resume | Opening::Continue) => People::beside(text)?,
            _ => People::open(text, found.as_ref())?,
        };
        let chain = found.map_or_else(Chain::default, |found| found.chain);
        Ok(Logs { text: Some(people), chained: Some((chained, chain)), _turn: turn })
    }

    /// Whether the log could be begun or continued; writes nothing.
    ///
    /// # Errors
    /// When the log is of another acquisition, or finished, or cannot be read.
    pub(super) fn look(text: &Path, opening: Opening, targets: &[String]) -> Result<(), LogError> {
        let name = chained_name(text);
        match File::open(&name) {
            Ok(file) if opening != Opening::Replace => existing(&file, &name, opening, targets).map(drop),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(LogError::Io { path: name, error }),
        }
    }

    /// Whether there are any.
    pub(super) fn are_kept(&self) -> bool {
        self.chained.is_some()
    }

    /// Writes a line for people. Nothing that a name holds makes another line of it, or reaches a
    /// terminal raw.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn line(&mut self, line: &str) -> Result<(), Error> {
        match &mut self.text {
            Some(people) => people.line(line).map_err(log_failed),
            None => Ok(()),
        }
    }

    /// Writes a record for machines and syncs it before anything else happens.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn record(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        self.append(entry).map_err(log_failed)
    }

    fn append(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let is_end = matches!(entry, Entry::End(_));
        let text = self.text.as_ref().filter(|_| !is_end).map(People::text);
        let Some((file, chain)) = &mut self.chained else { return Ok(()) };
        file.write_all(chain.append(&DatedEntry { at: now(), entry, text })?.as_bytes())?;
        file.sync_data()
    }

    /// The record `end` of a finished log; `None` if there is none, or it cannot be read.
    pub(super) fn end_of(text: &Path) -> Option<Map<String, Value>> {
        let file = File::open(chained_name(text)).ok()?;
        chain::standing(BufReader::new(file)).ok()?.end
    }

    /// The records of a finished log; `None` if it is not finished, or not sound.
    pub(super) fn ended(text: &Path) -> Option<Sound> {
        chain::check(BufReader::new(File::open(chained_name(text)).ok()?)).ok()
    }

    /// Ends both; with a key the end is signed. The text of the log for people so far is part of
    /// the end.
    ///
    /// # Errors
    /// When one of them cannot be written.
    pub(super) fn end(mut self, mut end: End, key: Option<&SigningKey>) -> Result<(), Error> {
        if let Some(people) = &self.text {
            people.file.sync_data().map_err(log_failed)?;
            end.log = Some(people.text());
        }
        self.record(&Entry::End(end))?;
        if let Some(value) = self.sign(key).map_err(log_failed)? {
            self.line(logged::last_line(&value, key.is_some()).trim_end())?;
        }
        match &self.text {
            Some(people) => people.file.sync_all().map_err(log_failed),
            None => Ok(()),
        }
    }

    /// Signs the chain, and gives its value.
    fn sign(&mut self, key: Option<&SigningKey>) -> io::Result<Option<String>> {
        let Some((file, chain)) = &mut self.chained else { return Ok(None) };
        let value = chain.value();
        if let Some(key) = key {
            let signature = key.sign(&chain.signed()).to_bytes();
            let record = chain::Signature::new(&signature, &key.verifying_key().to_bytes());
            file.write_all(chain.append(&record)?.as_bytes())?;
        }
        file.sync_all()?;
        Ok(Some(value))
    }
}

/// A log that is there, as far as it is kept.
fn existing(file: &File, name: &Path, opening: Opening, targets: &[String]) -> Result<Standing, LogError> {
    let path = name.to_owned();
    let found = match chain::standing(BufReader::new(file)) {
        Ok(found) => found,
        Err(error) => return Err(LogError::Broken { path, error }),
    };
    if found.end.is_some() && opening == Opening::Resume {
        return Err(LogError::Finished { path });
    }
    if found.first.as_ref().is_some_and(|first| !is_of(first, targets)) {
        return Err(LogError::OtherTargets { path });
    }
    Ok(found)
}
