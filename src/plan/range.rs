//! A range of a large file: a file that several units read, each a part of it.

use super::document::Document;
use super::problem::Problem as Wrong;
use crate::job::Error;
use pfh_outboard::{Failure, Pass, read_range};
use pfh_source::os::names::OsStrExt;
use pfh_source::{Cause, Note, Problem, Ranges, Stage, Stat};
use pfh_tree::split::Split;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::path::Path;

/// The facts that must be the same whenever a range of a file is read, on whichever machine: its
/// size in bytes, its inode, and its times in seconds and nanoseconds. The number of the device is
/// each machine's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Bytes of the file.
    pub size: u64,
    inode: u128,
    mtime: (i64, u32),
    ctime: (i64, u32),
}

impl State {
    /// That of a file.
    pub fn of(stat: &Stat) -> State {
        State { size: stat.size, inode: stat.inode, mtime: stat.mtime, ctime: stat.ctime }
    }

    /// The fact of a file that is another now; `None` if none is.
    fn change(&self, now: &Stat) -> Option<&'static str> {
        let State { size, inode, mtime, ctime } = *self;
        now.change_since(&Stat { size, inode, mtime, ctime, ..*now })
    }
}

/// A range as a unit's list has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first byte.
    pub start: u64,
    /// The file as it was planned.
    pub state: State,
}

impl Range {
    /// The ranges of a file, none if it is not larger than one.
    pub fn all(stat: &Stat, length: u64) -> Vec<Range> {
        if stat.size <= length || !stat.is_file() {
            return Vec::new();
        }
        let count = stat.size.div_ceil(length);
        (0..count).map(|index| Range { start: index * length, state: State::of(stat) }).collect()
    }

    /// One past the last byte, of ranges of this length.
    pub fn end(&self, length: u64) -> u64 {
        self.state.size.min(self.start.saturating_add(length))
    }

    /// As it stands behind the number of the file in a list: `:START:SIZE:INODE:MTIME:CTIME`.
    pub fn encode(&self) -> String {
        let State { size, inode, mtime, ctime } = self.state;
        format!(":{}:{size}:{inode}:{}.{}:{}.{}", self.start, mtime.0, mtime.1, ctime.0, ctime.1)
    }

    /// Reads that again, without the first colon.
    pub fn decode(text: &str) -> Option<Range> {
        let mut words = text.split(':');
        let mut number = || words.next()?.parse().ok();
        let (start, size) = (number()?, number()?);
        let inode = words.next()?.parse().ok()?;
        let mut time = || {
            let (seconds, nanoseconds) = words.next()?.split_once('.')?;
            Some((seconds.parse().ok()?, nanoseconds.parse().ok()?))
        };
        let (mtime, ctime) = (time()?, time()?);
        Some(Range { start, state: State { size, inode, mtime, ctime } })
    }
}

/// How the algorithms split files into ranges of this length.
///
/// # Errors
/// When one of them does not.
pub fn splits(plan: &Document, length: u64) -> Result<Vec<Split>, Error> {
    plan.algorithms
        .iter()
        .map(|algorithm| Split::new(*algorithm, length).map_err(|why| Error::request(Wrong::Split(why))))
        .collect()
}

/// The result of a range: the file as it is, and the values of each algorithm.
pub struct RangeResult {
    /// The metadata.
    pub stat: Stat,
    /// The complaint about the file.
    pub notes: Vec<Note>,
    /// The values of each algorithm, in the plan's order.
    pub values: Vec<Vec<u8>>,
}

/// The result of a range.
pub enum Came {
    /// It was read, and the file is as it was planned.
    Found(RangeResult),
    /// It was not, or the file is another.
    Problem(Problem),
    /// The pass was cancelled.
    Cancelled,
}

/// Reads and hashes a range of the file of this name.
pub fn hash(splits: &[Split], length: u64, name: &[u8], range: &Range, pass: &mut Pass<'_>) -> Came {
    match read(splits, length, name, range, pass) {
        Ok(found) => Came::Found(found),
        Err(Failure::Read { problem, .. }) => Came::Problem(problem),
        Err(_) => Came::Cancelled,
    }
}

fn read(
    splits: &[Split],
    length: u64,
    name: &[u8],
    range: &Range,
    pass: &mut Pass<'_>,
) -> Result<RangeResult, Failure> {
    let path = Path::new(OsStr::from_bytes(name));
    let failed = |problem| Failure::Read { file: path.to_owned(), problem };
    let file = Ranges::open(name).map_err(failed)?;
    if let Some(what) = range.state.change(file.stat()) {
        return Err(failed(Problem::new(Stage::Check, Cause::Changed(what))));
    }
    let executor = pfh_engine::executor(pass.threads);
    let end = range.end(length);
    let mut parts: Vec<_> = splits.iter().map(|split| split.range(range.start / length)).collect();
    read_range(path, &file, range.start..end, pass, |bytes| {
        parts.iter_mut().for_each(|part| part.update_on(bytes, &executor));
        Ok(())
    })?;
    let (stat, notes) = (*file.stat(), if file.is_timed() { Vec::new() } else { vec![Note::Untimed] });
    file.close().map_err(failed)?;
    let values = parts.into_iter().map(|part| part.finish(end == range.state.size)).collect();
    Ok(RangeResult { stat, notes, values })
}

/// Metadata in a line of a part.
pub fn encode(stat: &Stat) -> Value {
    let Stat { device, inode, size, mode, mtime, ctime, atime } = *stat;
    // Beyond 64 bits, where JSON has no number for it, as text.
    let inode = u64::try_from(inode).map_or_else(|_| json!(inode.to_string()), |inode| json!(inode));
    json!([device, inode, size, mode, mtime.0, mtime.1, ctime.0, ctime.1, atime.0, atime.1])
}

/// Reads that again.
pub fn decode(value: &Value) -> Option<Stat> {
    let number = |at: usize| value.get(at)?.as_u64();
    let time = |at: usize| Some((value.get(at)?.as_i64()?, number(at + 1)?.try_into().ok()?));
    Some(Stat {
        device: number(0)?,
        inode: number(1).map(u128::from).or_else(|| value.get(1)?.as_str()?.parse().ok())?,
        size: number(2)?,
        mode: number(3)?.try_into().ok()?,
        mtime: time(4)?,
        ctime: time(6)?,
        atime: time(8)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(size: u64) -> Stat {
        let mode = 0o100_644;
        Stat {
            device: 7,
            inode: u64::MAX.into(),
            size,
            mode,
            mtime: (-5, 999_999_999),
            ctime: (1 << 40, 0),
            atime: (3, 4),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let ranges = Range::all(&stat(1_000_001), 1_000);
        assert_eq!((ranges.len(), ranges[1000].end(1_000)), (1001, 1_000_001));
        for range in ranges {
            let text = range.encode();
            assert_eq!(Range::decode(text.strip_prefix(':').unwrap()), Some(range), "{text}");
        }
        for inode in [9, u128::MAX] {
            let stat = Stat { inode, ..stat(9) };
            assert_eq!(decode(&encode(&stat)), Some(stat));
        }
        for text in ["", "1", "1:2:3:4:5", "1:2:3:4.5:x.6", "a:2:3:4.5:6.7"] {
            assert_eq!(Range::decode(text), None, "{text}");
        }
    }

    #[test]
    fn files_of_one_range_and_what_is_no_file_stay_whole() {
        assert_eq!((Range::all(&stat(1000), 1000).len(), Range::all(&stat(1001), 1000).len()), (0, 2));
        assert!(Range::all(&Stat { mode: 0o060_644, ..stat(1 << 30) }, 1000).is_empty());
    }

    #[test]
    fn another_state_is_named() {
        let state = State::of(&stat(9));
        assert_eq!(state.change(&Stat { device: 8, atime: (9, 9), ..stat(9) }), None);
        assert_eq!(state.change(&stat(8)), Some("size"));
        assert_eq!(state.change(&Stat { inode: 1, ..stat(9) }), Some("file"));
        assert_eq!(state.change(&Stat { ctime: (1, 0), ..stat(9) }), Some("change time"));
        assert_eq!(state.change(&Stat { mtime: (1, 0), ..stat(9) }), Some("modification time"));
    }
}
