//! The work directory of a build: sorted runs, and a journal that lists the whole ones. A build
//! that was killed goes on from the last line of the journal that reached the disk.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::sets::Origins;
use pfh_source::os;

/// A sorted run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The algorithm of its digests, by name.
    pub algorithm: String,
    /// The name of the file in the work directory.
    pub file: String,
    /// How many rows it has.
    pub rows: u64,
    /// The CRC-32 of the whole file.
    pub crc: u32,
}

/// How far the reading of the inputs has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The input that is being read, by its position; as many as there are when all are read.
    pub input: usize,
    /// How many records and faults of it were taken.
    pub taken: u64,
    /// The sets of the inputs so far, with their counts.
    pub origins: Origins,
}

#[derive(Serialize, Deserialize)]
struct Line {
    progress: Progress,
    runs: Vec<Run>,
}

/// The journal of a work directory that this process alone writes to.
pub struct Journal {
    directory: PathBuf,
    file: File,
    /// Lines so far, which number the runs.
    lines: usize,
    lock: File,
}

impl Drop for Journal {
    /// By name: a program that another thread starts at this moment holds the open file until it
    /// runs.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

const JOURNAL: &str = "journal";

impl Journal {
    /// Opens the work directory, makes it where it is missing, and says how far an earlier build of
    /// the same `identity` came. The files of another identity are removed.
    pub fn open(directory: &Path, identity: &str) -> Result<(Journal, Progress, Vec<Run>), Error> {
        fs::create_dir_all(directory).map_err(Error::io(directory))?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(directory.join("lock"));
        let lock = lock.map_err(Error::io(directory))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy(directory.to_owned())),
            Err(TryLockError::Error(error)) => return Err(Error::io(directory)(error)),
        }
        let path = directory.join(JOURNAL);
        let (mut progress, mut runs, mut whole) = (Progress::default(), Vec::new(), Vec::new());
        if let Ok(file) = File::open(&path) {
            let mut lines = BufReader::new(file).lines().map_while(Result::ok);
            if lines.next().as_deref() == Some(identity) {
                whole.push(identity.to_owned());
                for line in lines {
                    // A line that was being written when the power went is not there yet.
                    let Ok(parsed) = serde_json::from_str::<Line>(&line) else { break };
                    if !parsed.runs.iter().all(|run| directory.join(&run.file).is_file()) {
                        break;
                    }
                    progress = parsed.progress;
                    runs.extend(parsed.runs);
                    whole.push(line);
                }
            }
        }
        // Copies with deltas in them are of this build only where its first line is.
        let keep = |name: &str| runs.iter().any(|run| run.file == name) || (!whole.is_empty() && is_applied(name));
        remove_all_but(directory, keep).map_err(Error::io(directory))?;
        if whole.is_empty() {
            whole.push(identity.to_owned());
        }
        // Beside it and then in its place: a crash here must not cost the runs that are there.
        let fresh = directory.join("journal.new");
        let mut file = File::create(&fresh).map_err(Error::io(&fresh))?;
        let lines = whole.len();
        file.write_all((whole.join("\n") + "\n").as_bytes()).map_err(Error::io(&fresh))?;
        pfh_source::replace(&file, &fresh, &path).map_err(Error::io(&path))?;
        Ok((Journal { directory: directory.to_owned(), file, lines, lock }, progress, runs))
    }

    /// The place of a run that is about to be written.
    pub fn place(&self, number: usize) -> (String, PathBuf) {
        let name = format!("run-{}-{number}", self.lines);
        let path = self.directory.join(&name);
        (name, path)
    }

    /// Makes runs that are on the disk, and the progress that they stand for, part of the build.
    pub fn append(&mut self, progress: &Progress, runs: &[Run]) -> io::Result<()> {
        let line = serde_json::to_string(&Line { progress: progress.clone(), runs: runs.to_vec() })? + "\n";
        // The names of the runs live in the directory.
        os::open_to_sync(&self.directory).and_then(os::sync).map_err(io::Error::from)?;
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()?;
        self.lines += 1;
        Ok(())
    }

    /// The work is done: removes the directory.
    pub fn remove(self) -> Result<(), Error> {
        remove_all_but(&self.directory, |_| false).map_err(Error::io(&self.directory))?;
        for name in [JOURNAL, "lock"] {
            fs::remove_file(self.directory.join(name)).map_err(Error::io(&self.directory))?;
        }
        let directory = self.directory.clone();
        // On Windows a removed name stays until the file is closed.
        drop(self);
        // Somebody may have put something of his own there; that is not ours to remove.
        let _ = fs::remove_dir(directory);
        Ok(())
    }
}

/// Whether a name is that of a database in which all deltas were run.
fn is_applied(name: &str) -> bool {
    name.strip_prefix("applied-").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes runs and copies but those to keep.
fn remove_all_but(directory: &Path, keep: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let ours = name.starts_with("run-") || name.starts_with("applied-");
        if ours && !keep(name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_from_the_last_whole_line() {
        let directory = tempfile::tempdir().expect("a directory");
        let run = |journal: &Journal| {
            let (file, path) = journal.place(0);
            fs::write(path, "rows").expect("a run");
            Run { algorithm: "md5".into(), file, rows: 1, crc: 2 }
        };
        let at = |input| Progress { input, taken: 7, origins: Origins::default() };
        let (mut journal, progress, runs) = Journal::open(directory.path(), "one").expect("a journal");
        assert_eq!((progress, runs.len()), (Progress::default(), 0));
        assert!(matches!(Journal::open(directory.path(), "one"), Err(Error::Busy(_))));
        let first = run(&journal);
        journal.append(&at(1), std::slice::from_ref(&first)).expect("a line");
        let second = run(&journal);
        journal.append(&at(2), std::slice::from_ref(&second)).expect("a line");
        drop(journal);
        // Half a line, and a run that no line knows.
        let mut file = OpenOptions::new().append(true).open(directory.path().join(JOURNAL)).expect("the journal");
        file.write_all(b"{\"progress\":{\"in").expect("half a line");
        fs::write(directory.path().join("run-9-0"), "").expect("a run");
        let (journal, progress, runs) = Journal::open(directory.path(), "one").expect("a journal");
        assert_eq!((progress, runs), (at(2), vec![first.clone(), second.clone()]));
        assert!(!directory.path().join("run-9-0").exists());
        drop(journal);
        // A run that is gone takes its line and all behind it along.
        fs::remove_file(directory.path().join(&second.file)).expect("removed");
        let (journal, progress, runs) = Journal::open(directory.path(), "one").expect("a journal");
        assert_eq!((progress, runs), (at(1), vec![first]));
        drop(journal);
        let (journal, progress, runs) = Journal::open(directory.path(), "another").expect("a journal");
        assert_eq!((progress, runs.len()), (Progress::default(), 0));
        journal.remove().expect("removed");
        assert!(!directory.path().exists());
    }
}
