//! The record of a study while it runs: one line of JSON per process, so that an interrupted study
//! goes on where it was.

use super::{Cell, Header, Plan};
use crate::{Error, machine::Machine};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The result of one process: a line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The measured cell.
    pub cell: Cell,
    /// Which of the cell's processes it was.
    pub process: u32,
    /// The header of its answer, unless it failed before that.
    pub header: Option<Header>,
    /// Nanoseconds of wall time and CPU time per repeat; empty when there is a fault.
    pub times: Vec<(u64, u64)>,
    /// Why nothing counts.
    pub fault: Option<String>,
    /// Load average when it started.
    pub load: f64,
    /// Part of the machine's time that the hypervisor gave to others meanwhile.
    pub stolen: f64,
    /// Seconds from start to end of the process, all of it.
    pub took: f64,
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Head {
    pfh_bench_journal: u32,
    plan: Plan,
    machine: Machine,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal of this plan on this machine, and gives its entries; makes a new one if
    /// there is none. A last line that was cut short by the interruption is dropped. A journal of
    /// another plan or machine is refused: its times must not be mixed with these.
    pub fn open(path: &Path, plan: &Plan, machine: &Machine) -> Result<(Journal, Vec<Entry>), Error> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(Error::file(path))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(Error::file(path))?;
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(Error::file(path))?;
        text.truncate(whole);
        let mut journal = Journal { file, path: path.to_owned() };
        let head = Head { pfh_bench_journal: 1, plan: plan.clone(), machine: machine.clone() };
        let mut lines = text.lines();
        let Some(first) = lines.next() else {
            journal.line(&head)?;
            return Ok((journal, Vec::new()));
        };
        let malformed = |number: usize, error: serde_json::Error| Error::Malformed {
            path: path.to_owned(),
            reason: format!("line {number}: {error}"),
        };
        let found: Head = serde_json::from_str(first).map_err(|error| malformed(1, error))?;
        if found != head {
            let what = if found.plan != head.plan { "with other arguments" } else { "on another machine" };
            return Err(Error::Usage(format!(
                "{} holds a study begun {what}: finish that one, give another directory, or remove the file",
                path.display()
            )));
        }
        let entries: Result<Vec<Entry>, Error> = lines
            .enumerate()
            .map(|(i, line)| serde_json::from_str(line).map_err(|error| malformed(i + 2, error)))
            .collect();
        Ok((journal, entries?))
    }

    /// Adds the result of one process.
    pub fn append(&mut self, entry: &Entry) -> Result<(), Error> {
        self.line(entry)
    }

    /// One write per line: an interruption cuts at most the last.
    fn line(&mut self, value: &impl Serialize) -> Result<(), Error> {
        let mut line = serde_json::to_string(value).expect("plain data becomes JSON");
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(Error::file(&self.path))
    }
}
