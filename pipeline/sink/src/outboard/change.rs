//! What a change of a file costs its tree: the leaves that changed, and their paths.

use super::pass::pieces;
use super::{Failure, Pass};
use pfh_source::Ranges;
use pfh_tree::outboard::Outboard;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Bytes of changed leaves that are held at a time.
const HELD: usize = 16 << 20;

fn open(file: &Path) -> Result<Ranges, Failure> {
    Ranges::open(file.as_os_str().as_bytes()).map_err(Failure::read(file))
}

/// Opens a file of which only the content, not the length, may have changed.
fn open_same_length(file: &Path, outboard: &Outboard) -> Result<Ranges, Failure> {
    let read = open(file)?;
    if read.size() != outboard.length() {
        return Err(Failure::Length { file: file.to_owned(), stated: outboard.length(), found: read.size() });
    }
    Ok(read)
}

/// Hashes the leaves anew that hold any of `ranges` (offset to end, in bytes), and the paths above them. That nothing else has
/// changed is the caller's word: [`check`](super::check) finds out. Returns the number of values computed.
///
/// # Errors
/// When a range is not the file's, when the file has another length than its tree, cannot be read, or changed meanwhile.
pub fn update(
    file: &Path,
    outboard: &mut Outboard,
    ranges: &[Range<u64>],
    pass: &mut Pass<'_>,
) -> Result<usize, Failure> {
    let read = open_same_length(file, outboard)?;
    let leaf = outboard.parameters().leaf_length() as u64;
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
    let mut changes = Changes::default();
    for (done, index) in (0..).zip(distinct.into_iter().flatten()) {
        let mut bytes = Vec::new();
        read.read(outboard.parameters().leaf_range(index, outboard.length()), &mut bytes)
            .map_err(Failure::read(file))?;
        changes.add(outboard, index, bytes)?;
        if pass.cancel.load(Ordering::Relaxed) {
            return Err(Failure::Cancelled);
        }
        (pass.progress)(done * leaf, all * leaf);
    }
    let computed = changes.end(outboard)?;
    read.close().map_err(Failure::read(file))?;
    Ok(computed)
}

/// Compares a file with an earlier copy of it, from which the tree was made, block by block, and hashes only leaves that differ.
/// Returns the ranges that differ, in bytes, joined where they touch, and the number of values computed.
///
/// # Errors
/// As for [`update`]; also when the copy has another length.
pub fn update_since(
    file: &Path,
    copy: &Path,
    outboard: &mut Outboard,
    pass: &mut Pass<'_>,
) -> Result<(Vec<Range<u64>>, usize), Failure> {
    let (read, old) = (open_same_length(file, outboard)?, open_same_length(copy, outboard)?);
    let leaf = outboard.parameters().leaf_length();
    let (mut offset, mut before) = (0, Vec::new());
    let (mut changes, mut ranges) = (Changes::default(), Vec::<Range<u64>>::new());
    pieces(file, &read, 0..read.size(), pass, |piece| {
        old.read(offset..offset + piece.len() as u64, &mut before).map_err(Failure::read(copy))?;
        for (number, (now, before)) in piece.chunks(leaf).zip(before.chunks(leaf)).enumerate() {
            let start = offset + (number * leaf) as u64;
            if now == before {
                continue;
            }
            changes.add(outboard, start / leaf as u64, now.to_vec())?;
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end += now.len() as u64,
                _ => ranges.push(start..start + now.len() as u64),
            }
        }
        offset += piece.len() as u64;
        Ok(())
    })?;
    let computed = changes.end(outboard)?;
    read.close().map_err(Failure::read(file))?;
    old.close().map_err(Failure::read(copy))?;
    Ok((ranges, computed))
}

/// Takes in what was appended to a file: its old last leaf if that was not full, and all after it. That nothing before has changed
/// is the caller's word. Returns the bytes that are new.
///
/// # Errors
/// When the file has become shorter, cannot be read, or changed meanwhile.
pub fn append(file: &Path, outboard: &mut Outboard, pass: &mut Pass<'_>) -> Result<u64, Failure> {
    let read = open(file)?;
    let (old, now) = (outboard.length(), read.size());
    if now < old {
        return Err(Failure::Length { file: file.to_owned(), stated: old, found: now });
    }
    if now > old {
        let executor = pfh_engine::executor(pass.threads);
        let mut held = Vec::new();
        pieces(file, &read, outboard.append_start()..now, pass, |piece| {
            // Between two pieces the tree wants again what it has of a leaf that is not full: only a lone leaf, as pieces are
            // whole leaves.
            held.extend_from_slice(piece);
            outboard.append_on(&held, &executor)?;
            let kept = outboard.length() - outboard.append_start();
            held.drain(..held.len() - kept as usize);
            Ok(())
        })?;
    }
    read.close().map_err(Failure::read(file))?;
    Ok(now - old)
}

/// Leaves that wait to go into the tree together.
#[derive(Default)]
struct Changes {
    leaves: Vec<(u64, Vec<u8>)>,
    bytes: usize,
    computed: usize,
}

impl Changes {
    fn add(&mut self, outboard: &mut Outboard, index: u64, bytes: Vec<u8>) -> Result<(), Failure> {
        self.bytes += bytes.len();
        self.leaves.push((index, bytes));
        if self.bytes >= HELD { self.flush(outboard) } else { Ok(()) }
    }

    fn flush(&mut self, outboard: &mut Outboard) -> Result<(), Failure> {
        let leaves: Vec<(u64, &[u8])> = self.leaves.iter().map(|(index, bytes)| (*index, &bytes[..])).collect();
        self.computed += outboard.update(&leaves)?;
        self.leaves.clear();
        self.bytes = 0;
        Ok(())
    }

    fn end(mut self, outboard: &mut Outboard) -> Result<usize, Failure> {
        self.flush(outboard)?;
        Ok(self.computed)
    }
}
