//! Trees of two levels beside files: those of KangarooTwelve, ParallelHash and Sakura. They are
//! small, 1/256 of the file or less, and are read and replaced as a whole; of the file only the
//! leaves in question are read.

use super::change::{lock, open, open_same_length};
use super::pass::{read_range, read_stream};
use super::stored::{Exclusive, LONGEST, patiently, replace};
use super::{Failure, Pass};
use pfh_source::Ranges;
use pfh_source::os::names::OsStrExt;
use pfh_tree::flat::{Builder, Flat, Shape};
use std::collections::BTreeSet;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;

/// The result of an update.
#[derive(Debug, Clone)]
pub struct FlatUpdateResult {
    /// The tree now.
    pub tree: Flat,
    /// The leaves that were hashed again, in ascending order.
    pub leaves: Vec<u64>,
    /// The parts of the file that were read for it, in bytes, joined where they touch.
    pub read: Vec<Range<u64>>,
}

/// The state of a file, seen from such a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatState {
    /// Bytes of the file now.
    pub length: u64,
    /// The digest of the file now.
    pub root: Vec<u8>,
    /// Leaves of the file now.
    pub leaves: u64,
    /// Leaves that differ, among the bytes that file and tree both have; not known if the file has
    /// become shorter.
    pub wrong: Vec<u64>,
    /// Bytes that only one of file and tree has.
    pub beyond: Option<Range<u64>>,
}

/// Reads a tree and computes its final node again.
///
/// # Errors
/// When it cannot be read, or any bit of it is wrong.
pub fn load_flat(tree: &Path) -> Result<Flat, Failure> {
    patiently(|| {
        let file = Ranges::open(tree.as_os_str().as_bytes()).map_err(Failure::read(tree))?;
        let bytes = file.read_all(LONGEST).map_err(Failure::read(tree))?;
        Flat::decode(&bytes).map_err(|malformed| Failure::Tree { file: tree.to_owned(), malformed })
    })
}

/// Puts a tree in the place of the one that is there, if any, and releases its lock.
///
/// # Errors
/// The system's; the old tree is still there then, unless the last sync alone failed.
pub fn store_flat(tree: &Flat, path: &Path, locked: Option<Exclusive>) -> Result<(), Failure> {
    replace(&tree.encode(), path, locked)
}

/// The tree of a file.
///
/// # Errors
/// When the file cannot be read to its end, or changed meanwhile.
pub fn build_flat(file: &Path, shape: Shape, pass: &mut Pass<'_>) -> Result<Flat, Failure> {
    let read = open(file)?;
    let (mut builder, executor) = (Builder::new(shape), pfh_engine::executor(pass.threads));
    read_range(file, &read, 0..read.size(), pass, |bytes| {
        builder.update_on(bytes, &executor);
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))?;
    Ok(builder.finish())
}

/// The tree of a stream.
///
/// # Errors
/// When it cannot be read to its end.
pub fn build_flat_stream(name: &Path, from: &mut dyn Read, shape: Shape, pass: &mut Pass<'_>) -> Result<Flat, Failure> {
    let (mut builder, executor) = (Builder::new(shape), pfh_engine::executor(pass.threads));
    read_stream(name, from, pass, |bytes| builder.update_on(bytes, &executor))?;
    Ok(builder.finish())
}

/// Loads a tree that is to be changed, and compares its root with the one that was kept.
fn believed(tree: &Path, trusted: Option<&[u8]>) -> Result<Flat, Failure> {
    let flat = load_flat(tree)?;
    match trusted {
        Some(kept) if kept != flat.root() => {
            Err(Failure::OtherTree { tree: tree.to_owned(), kept: kept.to_vec(), found: flat.root().to_vec() })
        }
        _ => Ok(flat),
    }
}

/// Hashes again the leaves that hold any of `ranges` (offset to end, in bytes), and the final node.
/// That nothing else has changed is the caller's word. `trusted` is the root that the tree must
/// have.
///
/// # Errors
/// As for [`update`](super::update).
pub fn update_flat(
    file: &Path,
    tree: &Path,
    ranges: &[Range<u64>],
    trusted: Option<&[u8]>,
    pass: &mut Pass<'_>,
) -> Result<FlatUpdateResult, Failure> {
    let locked = lock(tree, pass)?;
    let flat = believed(tree, trusted)?;
    let read = open_same_length(file, flat.length())?;
    let mut leaves = BTreeSet::new();
    for range in ranges {
        if range.end > read.size() || range.start >= range.end {
            return Err(Failure::Range { file: file.to_owned(), start: range.start, end: range.end });
        }
        leaves.extend(flat.shape().leaves_in(range));
    }
    let leaves: Vec<u64> = leaves.into_iter().collect();
    rehash(file, read, flat, leaves, (tree, locked), pass)
}

/// Compares a file with an earlier copy of it, from which the tree was made, block by block, and
/// hashes only leaves that differ.
///
/// # Errors
/// As for [`update_flat`]; also when the copy has another length.
pub fn update_flat_since(
    file: &Path,
    copy: &Path,
    tree: &Path,
    trusted: Option<&[u8]>,
    pass: &mut Pass<'_>,
) -> Result<FlatUpdateResult, Failure> {
    let locked = lock(tree, pass)?;
    let flat = believed(tree, trusted)?;
    let (read, old) = (open_same_length(file, flat.length())?, open_same_length(copy, flat.length())?);
    let (mut offset, mut before, mut leaves) = (0, Vec::new(), BTreeSet::new());
    let block = flat.shape().block();
    read_range(file, &read, 0..read.size(), pass, |piece| {
        old.read(offset..offset + piece.len() as u64, &mut before).map_err(Failure::read(copy))?;
        // A block may begin in one piece and end in the next.
        let mut at = 0;
        while at < piece.len() {
            let end = piece.len().min(at + block - ((offset + at as u64) % block as u64) as usize);
            if piece[at..end] != before[at..end] {
                leaves.insert(flat.shape().leaf_at(offset + at as u64));
            }
            at = end;
        }
        offset += piece.len() as u64;
        Ok(())
    })?;
    old.close().map_err(Failure::read(copy))?;
    rehash(file, read, flat, leaves.into_iter().collect(), (tree, locked), pass)
}

/// Hashes leaves again and replaces the tree.
fn rehash(
    file: &Path,
    read: Ranges,
    mut flat: Flat,
    leaves: Vec<u64>,
    (tree, locked): (&Path, Exclusive),
    pass: &mut Pass<'_>,
) -> Result<FlatUpdateResult, Failure> {
    let length = flat.length();
    let all: u64 = leaves.iter().flat_map(|leaf| flat.shape().ranges(*leaf, length)).map(|r| r.end - r.start).sum();
    let (mut done, mut bytes, mut parts) = (0, Vec::new(), Vec::<Range<u64>>::new());
    flat.replace(&leaves, &mut |range: Range<u64>, into: &mut Vec<u8>| {
        if pass.cancel.load(Ordering::Relaxed) {
            return Err(Failure::Cancelled);
        }
        read.read(range.clone(), &mut bytes).map_err(Failure::read(file))?;
        into.extend_from_slice(&bytes);
        done += bytes.len() as u64;
        (pass.progress)(done, all);
        parts.push(range);
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))?;
    if !leaves.is_empty() {
        store_flat(&flat, tree, Some(locked))?;
    }
    parts.sort_by_key(|part| part.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => joined.push(part),
        }
    }
    Ok(FlatUpdateResult { tree: flat, leaves, read: joined })
}

/// Takes in the bytes appended to a file; of those before at most one leaf, or one round of blocks,
/// is read again. With a root that was kept, leaf interleaving reads the whole file: the states
/// that its leaves resume from are not proved by the root. Returns the tree with the bytes that are
/// new.
///
/// # Errors
/// As for [`append`](super::append); also when the file does not give the root that was kept.
pub fn append_flat(
    file: &Path,
    tree: &Path,
    trusted: Option<&[u8]>,
    pass: &mut Pass<'_>,
) -> Result<(Flat, u64), Failure> {
    let locked = lock(tree, pass)?;
    let flat = believed(tree, trusted)?;
    let read = open(file)?;
    let (old, now) = (flat.length(), read.size());
    if now < old {
        return Err(Failure::Length { file: file.to_owned(), stated: old, found: now });
    }
    let shape = flat.shape();
    let must = trusted.filter(|_| shape.is_interleaved());
    let mut builder = if must.is_some() { Builder::new(shape) } else { Builder::resume(flat) };
    let executor = pfh_engine::executor(pass.threads);
    let mut before = None;
    read_range(file, &read, builder.length()..now, pass, |bytes| {
        let (old_bytes, new) = bytes.split_at(bytes.len().min(old.saturating_sub(builder.length()) as usize));
        builder.update_on(old_bytes, &executor);
        if must.is_some() && before.is_none() && builder.length() == old {
            before = Some(builder.clone().finish());
        }
        builder.update_on(new, &executor);
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))?;
    let built = builder.finish();
    if let Some(must) = must {
        // An empty beginning is that of every file.
        let found = before.map_or_else(|| must.to_vec(), |before| before.root().to_vec());
        if found != must {
            return Err(Failure::OtherFile { file: file.to_owned(), length: old });
        }
    }
    store_flat(&built, tree, Some(locked))?;
    Ok((built, now - old))
}

/// Hashes the whole file and compares it with its tree, leaf by leaf.
///
/// # Errors
/// When the file cannot be read to its end, or changed meanwhile.
pub fn check_flat(file: &Path, tree: &Flat, pass: &mut Pass<'_>) -> Result<FlatState, Failure> {
    let read = open(file)?;
    let (mut builder, executor) = (Builder::new(tree.shape()), pfh_engine::executor(pass.threads));
    let (old, now) = (tree.length(), read.size());
    let mut before = None;
    read_range(file, &read, 0..now, pass, |bytes| {
        let (front, new) = bytes.split_at(bytes.len().min(old.saturating_sub(builder.length()) as usize));
        builder.update_on(front, &executor);
        if before.is_none() && builder.length() == old && !new.is_empty() {
            before = Some(builder.clone().finish());
        }
        builder.update_on(new, &executor);
        Ok(())
    })?;
    read.close().map_err(Failure::read(file))?;
    let built = builder.finish();
    let wrong = match (&before, now == old) {
        (Some(before), _) => tree.differences(before),
        (None, true) => tree.differences(&built),
        // Grown from nothing, or shorter.
        (None, false) => Vec::new(),
    };
    let beyond = (now != old).then(|| now.min(old)..now.max(old));
    Ok(FlatState { length: now, root: built.root().to_vec(), leaves: built.leaves(), wrong, beyond })
}
