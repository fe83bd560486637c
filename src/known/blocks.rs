//! Files as sets of their blocks: each file is read once, cut into aligned blocks of each size, and
//! the last block is filled with zeros, as file systems leave the rest of a cluster.

use super::{Input, Problem, Set, SetError};
use crate::algorithms::computed;
use crate::job::Error;
use pfh_digest::{Algorithm, Digest, hash_many};
use pfh_engine::{Control, Phase, Progress, in_order};
use pfh_known::{BlockBuild, BlocksBuilt, Flag, Rolling, block_sizes};
use pfh_source::{Item, Reading, Recurse, Source};
use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// Bytes that are read and hashed at once: a multiple of every size of blocks.
const PIECE: usize = 1 << 20;

/// The input: the next piece of a file.
struct Part {
    /// The set begins to which this entry and the following belong.
    set: Option<usize>,
    bytes: Vec<u8>,
    /// The file ends: its name and its length, or why there is none.
    end: Option<(Vec<u8>, Result<u64, pfh_source::Problem>)>,
}

/// The result: digests of the blocks of each size, and the rolling sums of the telling ones.
struct BlockDigests {
    set: Option<usize>,
    blocks: Vec<(Vec<Digest>, Vec<u64>)>,
    end: Option<(Vec<u8>, Result<u64, pfh_source::Problem>)>,
}

/// The pieces of all files of all sets, in order.
struct Files {
    sources: VecDeque<(usize, Box<dyn Source>)>,
    set: Option<usize>,
    /// The file at hand.
    open: Option<(Vec<u8>, Reading)>,
}

impl Files {
    fn next(&mut self) -> Option<Part> {
        while self.open.is_none() {
            let (set, source) = self.sources.front_mut()?;
            let Some(item) = source.pull() else {
                let set = *set;
                self.sources.pop_front();
                match self.begun(set) {
                    None => continue,
                    // A set without a file is one as well.
                    set => return Some(Part { set, bytes: Vec::new(), end: None }),
                }
            };
            let (set, failed) = (*set, |name, problem| (name, Err(problem)));
            let end = match item {
                Item::Entry(entry) => match entry.open() {
                    Ok(reading) => {
                        self.open = Some((entry.name(), reading));
                        let set = self.begun(set);
                        return Some(Part { set, ..self.piece() });
                    }
                    Err(problem) => failed(entry.name(), problem),
                },
                Item::Problem { name, problem, .. } => failed(name, problem),
                Item::Skipped { .. } | Item::Settled { .. } => continue,
            };
            return Some(Part { set: self.begun(set), bytes: Vec::new(), end: Some(end) });
        }
        Some(self.piece())
    }

    /// The set, if it is another than before.
    fn begun(&mut self, set: usize) -> Option<usize> {
        (self.set.replace(set) != Some(set)).then_some(set)
    }

    /// The next piece of the file at hand.
    fn piece(&mut self) -> Part {
        let mut part = Part { set: None, bytes: Vec::new(), end: None };
        let Some((name, mut reading)) = self.open.take() else { return part };
        let expected = usize::try_from(reading.size_hint().saturating_sub(reading.offset())).unwrap_or(PIECE);
        part.bytes.resize(expected.saturating_add(1).min(PIECE), 0);
        let mut filled = 0;
        loop {
            match reading.read(&mut part.bytes[filled..]) {
                Ok(0) => {
                    part.bytes.truncate(filled);
                    part.end = Some((name, reading.close().map(|closed| closed.size)));
                    return part;
                }
                Ok(got) => filled += got,
                Err(problem) => {
                    part.bytes.truncate(filled);
                    part.end = Some((name, Err(problem)));
                    return part;
                }
            }
            if filled == PIECE {
                self.open = Some((name, reading));
                return part;
            }
            if filled == part.bytes.len() {
                // Larger than it said.
                part.bytes.resize(PIECE, 0);
            }
        }
    }
}

fn hash(algorithm: Algorithm, sizes: &[u32], part: Part) -> BlockDigests {
    let Part { set, mut bytes, end } = part;
    let length = bytes.len();
    let blocks = sizes.iter().map(|size| {
        let size = *size as usize;
        bytes.resize(length.next_multiple_of(size), 0);
        let messages: Vec<&[u8]> = bytes.chunks_exact(size).collect();
        let telling = messages.iter().filter(|block| Flag::of(block).is_none());
        let sums = telling.map(|block| Rolling::sum(block)).collect();
        (hash_many(algorithm, &messages), sums)
    });
    let blocks = blocks.collect();
    BlockDigests { set, blocks, end }
}

/// The algorithm by which blocks are known: the one that is named, else SHA-256.
fn algorithm(named: &[crate::Algorithm]) -> Result<Algorithm, Error> {
    match computed(named)[..] {
        [] => "sha256".parse().map_err(|_| Error::request(Problem::BlockAlgorithm)),
        [one] if named.len() == 1 && BlockBuild::takes(one) => Ok(one),
        _ => Err(Error::request(Problem::BlockAlgorithm)),
    }
}

/// The files of each set.
pub struct Blocks<'a> {
    /// The sets: files and directories.
    pub inputs: &'a [Input],
    /// Sizes of blocks in bytes.
    pub sizes: &'a [u32],
    /// The algorithm, or none for the usual one.
    pub algorithms: &'a [crate::Algorithm],
    /// How far containers among the files are opened.
    #[cfg(feature = "inside")]
    pub inside: Option<&'a crate::inside::Options>,
    /// The file to write.
    pub output: &'a Path,
    /// The directory of sorted runs.
    pub work: &'a Path,
    /// Bytes of memory for sorting.
    pub memory: usize,
}

/// The result of a build.
pub struct BlockSetBuild {
    /// The sets.
    pub sets: Vec<Set>,
    /// Files that could not be read.
    pub unread: u64,
    /// Distinct blocks by their size.
    pub distinct: Vec<(u32, u64)>,
}

/// Refuses sizes and algorithms that blocks cannot have.
///
/// # Errors
/// The reason.
pub fn check(sizes: &[u32], algorithms: &[crate::Algorithm]) -> Result<(), Error> {
    block_sizes(sizes).map_err(|size| Error::request(Problem::BlockSize(size)))?;
    algorithm(algorithms).map(drop)
}

/// Builds a set of the blocks of the files that the inputs name. A file that could not be read is
/// reported to `unread`.
///
/// # Errors
/// When the request makes no sense, the file cannot be written, or the control cancels the build.
pub fn build(
    request: &Blocks<'_>,
    unread: &mut dyn FnMut(&[u8], &pfh_source::Problem) -> io::Result<()>,
    control: &Control<'_>,
) -> Result<BlockSetBuild, Error> {
    let inputs = request.inputs;
    let sizes = block_sizes(request.sizes).map_err(|size| Error::request(Problem::BlockSize(size)))?;
    let algorithm = algorithm(request.algorithms)?;
    let mut sources = VecDeque::new();
    for (number, input) in inputs.iter().enumerate() {
        let named = crate::Input::new([&input.path]).recurse(Recurse::Yes);
        #[cfg(feature = "inside")]
        let named = crate::Input { inside: request.inside.cloned(), ..named };
        sources.push_back((number, named.as_found()?));
    }
    let build = BlockBuild::open(request.output, request.work, request.memory, algorithm, &sizes);
    let mut build = build.map_err(Error::from)?;
    let mut files = Files { sources, set: None, open: None };
    let (mut failed, mut lost, mut done) = (None, 0, 0);
    let threads = pfh_source::os::processors();
    let take = |hashed: BlockDigests| {
        hashed.set.iter().for_each(|set| build.set(&inputs[*set]));
        for (position, (digests, telling)) in hashed.blocks.iter().enumerate() {
            done += digests.len() as u64;
            if let Err(error) = build.blocks(position, digests, telling) {
                failed = Some(error.into());
                return ControlFlow::Break(());
            }
        }
        match &hashed.end {
            Some((name, Ok(length))) => failed = build.end_file(name, *length).err().map(Error::from),
            Some((name, Err(problem))) => {
                lost += 1;
                build.void_file();
                failed = unread(name, problem).err().map(Error::Sink);
            }
            None => {}
        }
        control.report(&Progress::Steps { phase: Phase::Reading, done, total: None });
        if control.is_cancelled() && failed.is_none() {
            failed = Some(Error::cancelled(Problem::Interrupted));
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    in_order(threads, || files.next(), |part| hash(algorithm, &sizes, part), take);
    if let Some(error) = failed {
        return Err(error);
    }
    let all = 2 * done;
    let written = build.finish(&mut |rows| {
        done += rows;
        control.report(&Progress::Steps { phase: Phase::Building, done, total: Some(all) });
        if control.is_cancelled() { Err(SetError::Cancelled) } else { Ok(()) }
    });
    // Such a build begins again.
    let BlocksBuilt { sets, distinct } = written.map_err(|error| match error {
        SetError::Cancelled => Error::cancelled(Problem::Interrupted),
        error => error.into(),
    })?;
    Ok(BlockSetBuild { sets, unread: lost, distinct })
}
