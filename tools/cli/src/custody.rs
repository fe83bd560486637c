//! The two logs of an acquisition: one for people, one for machines whose records hold on to each other.

use pfh::acquire::logged;
use pfh::format::Time;
use pfh::format::custody::{self, Chain};
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Both logs; nothing happens in one that is not wanted.
#[derive(Default)]
pub struct Logs {
    text: Option<(PathBuf, File)>,
    chained: Option<(File, Chain)>,
}

/// What becomes of logs that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// They are replaced.
    Replace,
    /// Those of a run that was cut off are resumed; finished ones are left alone, and refused.
    Resume,
    /// Finished ones are continued.
    Continue,
}

/// Now.
pub fn time() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time { seconds: since.as_secs() as i64, nanoseconds: since.subsec_nanos() }
}

/// Now, in UTC.
pub fn now() -> String {
    time().to_string()
}

/// The name of the log for machines, beside that for people.
pub fn chained_name(text: &Path) -> PathBuf {
    let mut name = text.as_os_str().to_owned();
    name.push(".jsonl");
    name.into()
}

/// Whether a log's first record names one of these targets, in whichever directory.
fn is_of(first: &Map<String, Value>, targets: &[String]) -> bool {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let stated = first.get("targets").and_then(Value::as_array);
    stated.is_none_or(|stated| {
        stated.iter().filter_map(Value::as_str).any(|one| targets.iter().any(|other| last(one) == last(other)))
    })
}

impl Logs {
    /// Opens both, for an acquisition into these targets.
    ///
    /// # Errors
    /// A sentence for the user: the log is of another acquisition, or finished, or cannot be read or written.
    pub fn open(text: &Path, opening: Opening, targets: &[String]) -> Result<Self, String> {
        let name = chained_name(text);
        let said = |path: &Path, e: &dyn std::fmt::Display| {
            format!("{}: {e}", crate::shown(path.as_os_str().as_encoded_bytes()))
        };
        let (chain, keep) = match File::open(&name) {
            Ok(file) if opening != Opening::Replace => {
                let found = custody::standing(BufReader::new(file)).map_err(|e| said(&name, &e))?;
                if found.end.is_some() && opening == Opening::Resume {
                    return Err(said(&name, &"the log of a finished acquisition: name another one with --log"));
                }
                if found.first.as_ref().is_some_and(|first| !is_of(first, targets)) {
                    return Err(said(
                        &name,
                        &"the log of an acquisition into other targets: name another one with --log",
                    ));
                }
                (found.chain, found.bytes)
            }
            Ok(_) => (Chain::default(), 0),
            Err(e) if e.kind() == io::ErrorKind::NotFound => (Chain::default(), 0),
            Err(e) => return Err(said(&name, &e)),
        };
        let open = |path: &Path, keep: Option<u64>| -> io::Result<File> {
            let file = OpenOptions::new().append(true).create(true).open(path)?;
            if let Some(keep) = keep {
                file.set_len(keep)?;
            }
            Ok(file)
        };
        let chained = open(&name, Some(keep)).map_err(|e| said(&name, &e))?;
        let text_file = open(text, (opening == Opening::Replace).then_some(0)).map_err(|e| said(text, &e))?;
        Ok(Logs { text: Some((text.to_owned(), text_file)), chained: Some((chained, chain)) })
    }

    /// Whether there are any.
    pub fn are_kept(&self) -> bool {
        self.chained.is_some()
    }

    /// A line for people.
    ///
    /// # Errors
    /// A log that cannot be written is no log.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        match &mut self.text {
            Some((_, file)) => writeln!(file, "{line}"),
            None => Ok(()),
        }
    }

    /// A record for machines, on the medium before anything else happens.
    ///
    /// # Errors
    /// As for [`line`](Logs::line).
    pub fn record(&mut self, kind: &str, members: Value) -> io::Result<()> {
        let Some((file, chain)) = &mut self.chained else { return Ok(()) };
        let Value::Object(mut members) = members else { return Err(io::ErrorKind::InvalidInput.into()) };
        members.insert("at".into(), now().into());
        file.write_all(chain.append(kind, members)?.as_bytes())?;
        file.sync_data()
    }

    /// The record `end` of a finished log; `None` where there is none, or it cannot be read.
    pub fn end_of(text: &Path) -> Option<Map<String, Value>> {
        let file = File::open(chained_name(text)).ok()?;
        custody::standing(BufReader::new(file)).ok()?.end
    }

    /// Ends both; with a key the end is signed. What the log for people says so far is part of the end.
    ///
    /// # Errors
    /// As for [`line`](Logs::line).
    pub fn end(mut self, mut members: Value, key: Option<&ed25519_dalek::SigningKey>) -> io::Result<()> {
        if let (Some((path, file)), Value::Object(members)) = (&self.text, &mut members) {
            file.sync_data()?;
            members.insert("log".into(), logged::text(path)?);
        }
        self.record("end", members)?;
        if let Some((file, chain)) = &mut self.chained {
            let value = chain.value();
            if let Some(key) = key {
                use ed25519_dalek::Signer;
                let signature = key.sign(&chain.signed()).to_bytes();
                let members: Map<String, Value> = custody::signature(&signature, &key.verifying_key().to_bytes());
                file.write_all(chain.append("signature", members)?.as_bytes())?;
            }
            file.sync_all()?;
            let signed = if key.is_some() { ", signed with Ed25519" } else { "" };
            self.line(&format!("chain of records: {value}{signed}"))?;
        }
        match &self.text {
            Some((_, file)) => file.sync_all(),
            None => Ok(()),
        }
    }
}
