//! The cost of a change of a file for its tree: the leaves that changed, and their paths.

use super::pass::read_range;
use super::stored::{self, Exclusive};
use super::{Failure, Pass, load, store};
use pfh_source::os::names::OsStrExt;
use pfh_source::{Problem, Ranges, Stage};
use pfh_tree::outboard::{Change, Header, Key, Outboard, Value, WrongChange};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Bytes of changed leaves that are held at a time.
const HELD: usize = 16 << 20;
/// Leaves whose paths are changed in place; beyond them the tree is written again.
const FEW: usize = 4096;

/// The result of an update.
#[derive(Debug, Clone)]
pub struct UpdateResult {
    /// Parameters, length and root of the tree now.
    pub header: Header,
    /// The ranges that were hashed again, in bytes.
    pub ranges: Vec<Range<u64>>,
    /// Values that were computed.
    pub computed: usize,
    /// The change with the paths that prove it; not there if the whole tree was written again.
    pub change: Option<Change>,
}

pub(super) fn open(file: &Path) -> Result<Ranges, Failure> {
    Ranges::open(file.as_os_str().as_bytes()).map_err(Failure::read(file))
}

/// Opens a file whose content, not length, may have changed.
pub(super) fn open_same_length(file: &Path, length: u64) -> Result<Ranges, Failure> {
    let read = open(file)?;
    if read.size() != length {
        return Err(Failure::Length { file: file.to_owned(), stated: length, found: read.size() });
    }
    Ok(read)
}

/// Compares a tree's root with the one that was kept.
fn believe(pass: &Pass<'_>, tree: &Path, found: &Value) -> Result<(), Failure> {
    match pass.trusted {
        Some(kept) if kept != *found => {
            Err(Failure::OtherTree { tree: tree.to_owned(), kept: kept.to_vec(), found: found.to_vec() })
        }
        _ => Ok(()),
    }
}

/// Locks a tree that must be there.
pub(super) fn lock(tree: &Path, pass: &Pass<'_>) -> Result<Exclusive, Failure> {
    let missing = || Failure::read(tree)(Problem::io(Stage::Open, &io::Error::from_raw_os_error(2)));
    Exclusive::lock(tree, pass.cancel)?.ok_or_else(missing)
}

/// Hashes again the leaves that hold any of `ranges` (offset to end, in bytes), and the paths above
/// them, in the tree file. That nothing else has changed is the caller's word:
/// [`check`](super::check) finds out. Reads and writes the paths alone.
///
/// # Errors
/// When a range is not the file's, when the file has another length than its tree, cannot be read,
/// or changed meanwhile; when the tree cannot be used or not be written.
pub fn update(file: &Path, tree: &Path, ranges: &[Range<u64>], pass: &mut Pass<'_>) -> Result<UpdateResult, Failure> {
    let locked = lock(tree, pass)?;
    let header = stored::with(tree, pass.key, |paged| Ok(paged.header()))?;
    believe(pass, tree, &header.root)?;
    let read = open_same_length(file, header.length)?;
    let leaf = header.parameters.leaf_length() as u64;
    let mut leaves: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        if range.end > read.size() || range.start >= range.end {
            return Err(Failure::Range { file: file.to_owned(), start: range.start, end: range.end });
        }
        leaves.push(range.start / leaf..range.end.div_ceil(leaf));
    }
    // Each leaf once, however the ranges overlap.
    leaves.sort_by_key(|range| range.start);
    let mut distinct: Vec<Range<u64>> = Vec::new();
    for range in leaves {
        match distinct.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => distinct.push(range),
        }
    }
    let all = distinct.iter().map(|range| range.end - range.start).sum::<u64>();
    let mut changes = Changes::new(header, pass.key);
    for (done, index) in (0..).zip(distinct.into_iter().flatten()) {
        let mut bytes = Vec::new();
        read.read(header.parameters.leaf_range(index, header.length), &mut bytes).map_err(Failure::read(file))?;
        changes.add(index, bytes);
        if pass.cancel.load(Ordering::Relaxed) {
            return Err(Failure::Cancelled);
        }
        (pass.progress)(done * leaf, all * leaf);
    }
    read.close().map_err(Failure::read(file))?;
    changes.end(locked, tree, ranges.to_vec())
}

/// Compares a file with an earlier copy of it, from which the tree was made, block by block, and
/// hashes only leaves that differ.
///
/// # Errors
/// As for [`update`]; also when the copy has another length.
pub fn update_since(file: &Path, copy: &Path, tree: &Path, pass: &mut Pass<'_>) -> Result<UpdateResult, Failure> {
    let locked = lock(tree, pass)?;
    let header = stored::with(tree, pass.key, |paged| Ok(paged.header()))?;
    believe(pass, tree, &header.root)?;
    let (read, old) = (open_same_length(file, header.length)?, open_same_length(copy, header.length)?);
    let leaf = header.parameters.leaf_length();
    let (mut offset, mut before) = (0, Vec::new());
    let (mut changes, mut ranges) = (Changes::new(header, pass.key), Vec::<Range<u64>>::new());
    read_range(file, &read, 0..read.size(), pass, |piece| {
        old.read(offset..offset + piece.len() as u64, &mut before).map_err(Failure::read(copy))?;
        for (number, (now, before)) in piece.chunks(leaf).zip(before.chunks(leaf)).enumerate() {
            let start = offset + (number * leaf) as u64;
            if now == before {
                continue;
            }
            changes.add(start / leaf as u64, now.to_vec());
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end += now.len() as u64,
                _ => ranges.push(start..start + now.len() as u64),
            }
        }
        offset += piece.len() as u64;
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))?;
    old.close().map_err(Failure::read(copy))?;
    changes.end(locked, tree, ranges)
}

/// Takes in the bytes appended to a file: its old last leaf if that was not full, and all after it.
/// That nothing before has changed is the caller's word. The levels of the tree move, so it is
/// written again. Returns it with the bytes that are new.
///
/// # Errors
/// When the file has become shorter, cannot be read, or changed meanwhile; when the tree cannot be
/// used or not be written.
pub fn append(file: &Path, tree: &Path, pass: &mut Pass<'_>) -> Result<(Outboard, u64), Failure> {
    let locked = lock(tree, pass)?;
    let mut outboard = load(tree, pass.key)?;
    believe(pass, tree, outboard.root())?;
    let read = open(file)?;
    let (old, now) = (outboard.length(), read.size());
    if now < old {
        return Err(Failure::Length { file: file.to_owned(), stated: old, found: now });
    }
    if now > old {
        let executor = pfh_engine::executor(pass.threads);
        let mut held = Vec::new();
        read_range(file, &read, outboard.append_start()..now, pass, |piece| {
            // Between two pieces the tree wants the bytes of a leaf that is not full again: only a
            // lone leaf, as pieces are whole leaves.
            held.extend_from_slice(piece);
            outboard.append_on(&held, &executor)?;
            let kept = outboard.length() - outboard.append_start();
            held.drain(..held.len() - kept as usize);
            Ok(())
        })?;
    }
    read.close().map_err(Failure::read(file))?;
    store(&outboard, tree, Some(locked))?;
    Ok((outboard, now - old))
}

/// Leaves that have changed: some of them as data that waits to be hashed, the others as values.
struct Changes {
    header: Header,
    key: Option<Key>,
    leaves: Vec<(u64, Vec<u8>)>,
    bytes: usize,
    values: Vec<(u64, Value)>,
}

impl Changes {
    fn new(header: Header, key: Option<Key>) -> Changes {
        Changes { header, key, leaves: Vec::new(), bytes: 0, values: Vec::new() }
    }

    /// The next leaf, in ascending order.
    fn add(&mut self, index: u64, bytes: Vec<u8>) {
        self.bytes += bytes.len();
        self.leaves.push((index, bytes));
        if self.bytes >= HELD {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let leaves: Vec<(u64, &[u8])> = self.leaves.iter().map(|(index, bytes)| (*index, &bytes[..])).collect();
        if !leaves.is_empty() {
            let values = self.header.parameters.leaves_of(self.header.length, &leaves);
            self.values.extend(leaves.iter().map(|(index, _)| *index).zip(values));
        }
        self.leaves.clear();
        self.bytes = 0;
    }

    /// Brings the values into the tree file.
    fn end(mut self, locked: Exclusive, tree: &Path, ranges: Vec<Range<u64>>) -> Result<UpdateResult, Failure> {
        self.flush();
        if self.values.len() <= FEW && locked.in_place() {
            let change =
                stored::with(tree, self.key, |paged| paged.change(&self.values).map_err(stored::unusable(tree)))?;
            if !self.values.is_empty() {
                locked.apply(&change)?;
            }
            let (header, computed) = (change.new_header(), change.computed());
            return Ok(UpdateResult { header, ranges, computed, change: Some(change) });
        }
        let mut outboard = load(tree, self.key)?;
        if outboard.header() != self.header {
            return Err(Failure::Change(WrongChange::Parameters));
        }
        let computed = outboard.replace(&self.values)?;
        store(&outboard, tree, Some(locked))?;
        Ok(UpdateResult { header: outboard.header(), ranges, computed, change: None })
    }
}
