//! Records as a run of the engine gives them.

use pfh_digest::Digest;
use pfh_engine::{HashedFile, Outcome, Piece, Record};
use pfh_source::{Note, Problem, ReadResult, Skip, Stat, Time};

/// The mode of a regular file.
pub const FILE: u32 = 0o100_644;
/// The mode of a FIFO.
pub const FIFO: u32 = 0o010_644;

/// A stream without times or notes.
pub fn stream(name: &[u8], size: u64, digests: &[Digest]) -> Record {
    let closed = ReadResult { size, stat: None, notes: Vec::new(), inside: None };
    let hashed = HashedFile { closed, digests: digests.to_vec(), pieces: Vec::new() };
    Record { number: 0, name: name.to_vec(), outcome: Outcome::Hashed(hashed) }
}

/// Something with a mode and the three times: of its content, its metadata and the last access.
pub fn file(name: &[u8], size: u64, digests: &[Digest], mode: u32, times: [Time; 3]) -> Record {
    let mut record = stream(name, size, digests);
    let [mtime, ctime, atime] = times.map(|time| (time.seconds, time.nanoseconds));
    of(&mut record).closed.stat = Some(Stat { device: 1, inode: 2, size, mode, mtime, ctime, atime });
    record
}

/// The record with remarks.
pub fn noted(mut record: Record, notes: &[Note]) -> Record {
    of(&mut record).closed.notes = notes.to_vec();
    record
}

/// The record with windows.
pub fn cut(mut record: Record, pieces: Vec<Piece>) -> Record {
    of(&mut record).pieces = pieces;
    record
}

fn of(record: &mut Record) -> &mut HashedFile {
    let Outcome::Hashed(hashed) = &mut record.outcome else { panic!("a record with digests") };
    hashed
}

/// An input that could not be read.
pub fn failed(name: &[u8], problem: Problem) -> Record {
    Record { number: 0, name: name.to_vec(), outcome: Outcome::Failed(problem) }
}

/// An input that was not read.
pub fn skipped(name: &[u8], skip: Skip) -> Record {
    Record { number: 0, name: name.to_vec(), outcome: Outcome::Skipped(skip) }
}
