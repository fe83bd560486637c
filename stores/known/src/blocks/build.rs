//! Builds a known-set file of the blocks of files. Who calls reads the files and hashes the blocks.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use pfh_digest::{Algorithm, Digest};

use super::rolling::{Sieve, sieve_of};
use super::table::encode;
use crate::build::new_set;
use crate::intake::{Intake, identifies};
use crate::journal::{Journal, Progress, Run};
use crate::layout::{Blocks, Directory, OF_BLOCKS, PLACES, RollingFilter, Section, Table};
use crate::merge::{TakeRow, each};
use crate::row::words;
use crate::sets::{BlockCount, Set};
use crate::write::{CountingWriter, TableWriter, section};
use crate::{Error, Input};
use pfh_source::os::clock;
use pfh_source::os::names::with_ending;

/// The least memory for the blocks of one size: 8 MiB.
const LEAST_MEMORY: usize = 8 << 20;

/// Rows between two calls of the progress callback.
const LOOK: u64 = 1 << 16;

/// A build under way. The file appears whole or not at all; a build that is killed begins again.
pub struct BlockBuild {
    output: PathBuf,
    work: PathBuf,
    journal: Journal,
    algorithm: Algorithm,
    sets: Vec<Set>,
    sizes: Vec<Size>,
}

/// The result of a build of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlocksBuilt {
    /// The sets with their counts.
    pub sets: Vec<Set>,
    /// How many different blocks there are, by their size in bytes.
    pub distinct: Vec<(u32, u64)>,
}

/// The blocks of one size.
struct Size {
    bytes: u32,
    directory: PathBuf,
    intake: Intake,
    /// The place that the next block has.
    next: u32,
    /// The first place of each file so far that has blocks, and whether it was read to its end.
    files: Vec<(u32, bool)>,
    /// Of the file at hand: how many of its blocks say little; `None` before its first block.
    at_hand: Option<u64>,
    /// Records of files, each behind its length.
    list: BufWriter<File>,
    /// The content of `list`.
    listed: PathBuf,
    /// The rolling sums of telling blocks, those of files that could not be read included.
    sums: BufWriter<File>,
    /// How many.
    summed: u64,
    /// The content of `sums`.
    rolled: PathBuf,
}

impl BlockBuild {
    /// Starts one. `sizes` are those of the blocks in bytes; `work` as in
    /// [`Build`](crate::Build).
    ///
    /// # Errors
    /// When the work directory cannot be made, or the output is not a regular file.
    pub fn open(
        output: &Path,
        work: &Path,
        memory: usize,
        algorithm: Algorithm,
        sizes: &[u32],
    ) -> Result<BlockBuild, Error> {
        if fs::symlink_metadata(output).is_ok_and(|found| !found.is_file()) {
            let what = "no regular file: a set replaces the file of its name";
            return Err(Error::Io(output.to_owned(), io::Error::other(what)));
        }
        // No two builds have this one's number, so that nothing of an earlier one is taken for its.
        let identity = serde_json::json!({
            "pfh-known": OF_BLOCKS, "blocks": sizes, "build": [std::process::id(), clock::now().as_nanos() as u64],
        });
        let (journal, ..) = Journal::open(work, &identity.to_string())?;
        let each = (memory / sizes.len().max(1)).max(LEAST_MEMORY);
        let sizes = sizes.iter().map(|bytes| {
            let directory = work.join(format!("blocks-{bytes}"));
            let (journal, _, runs) = Journal::open(&directory, &identity.to_string())?;
            let intake = Intake::start(journal, runs, each).map_err(Error::io(&directory))?;
            let listed = directory.join("run-files");
            let list = BufWriter::new(File::create(&listed).map_err(Error::io(&listed))?);
            let rolled = directory.join("run-sums");
            let sums = BufWriter::new(File::create(&rolled).map_err(Error::io(&rolled))?);
            let (next, files, at_hand, summed) = (0, Vec::new(), None, 0);
            Ok(Size { bytes: *bytes, directory, intake, next, files, at_hand, list, listed, sums, summed, rolled })
        });
        let sizes = sizes.collect::<Result<_, Error>>()?;
        Ok(BlockBuild { output: output.to_owned(), work: work.to_owned(), journal, algorithm, sets: Vec::new(), sizes })
    }

    /// Whether blocks may be known by digests of an algorithm.
    pub fn takes(algorithm: Algorithm) -> bool {
        identifies(algorithm)
    }

    /// The files that follow are of this set.
    pub fn set(&mut self, input: &Input) {
        let blocks = self.sizes.iter().map(|size| BlockCount { size: size.bytes, ..BlockCount::default() });
        self.sets.push(Set { format: "blocks".to_owned(), blocks: blocks.collect(), ..new_set(input) });
    }

    /// The next blocks of the file at hand, of the size of this position. `telling` has the sums
    /// ([`Rolling`](super::Rolling)) of those that say something by their bytes.
    ///
    /// # Errors
    /// The system's, and more blocks than a file can number.
    pub fn blocks(&mut self, position: usize, digests: &[Digest], telling: &[u64]) -> Result<(), Error> {
        let size = &mut self.sizes[position];
        for sum in telling {
            size.sums.write_all(&sum.to_le_bytes()).map_err(Error::io(&size.rolled))?;
        }
        size.summed += telling.len() as u64;
        let flagged = (digests.len() - telling.len()) as u64;
        if !digests.is_empty() && size.at_hand.is_none() {
            size.files.push((size.next, true));
        }
        let many = Error::TooMany("blocks: 4 billion of each size at most; build several sets");
        let count = u32::try_from(digests.len()).ok();
        // The numbers behind those of the places are those of shared blocks; there are fewer than
        // half as many.
        let after = count.and_then(|count| size.next.checked_add(count)).filter(|after| *after < u32::MAX / 3 * 2);
        let Some(after) = after else { return Err(many) };
        for (digest, place) in digests.iter().zip(size.next..) {
            size.intake.take(digest, place);
        }
        size.next = after;
        if !digests.is_empty() {
            size.at_hand = Some(size.at_hand.unwrap_or(0) + flagged);
        }
        if let Some(of) = self.sets.last_mut().and_then(|set| set.blocks.get_mut(position)) {
            of.blocks += digests.len() as u64;
            of.flagged += flagged;
        }
        if size.intake.is_full() { size.intake.spill(Progress::default()) } else { Ok(()) }
    }

    /// The file at hand ends: it has this name and this length.
    ///
    /// # Errors
    /// The system's.
    pub fn end_file(&mut self, name: &[u8], length: u64) -> Result<(), Error> {
        let Some(set) = self.sets.len().checked_sub(1) else { return Ok(()) };
        for size in &mut self.sizes {
            if size.at_hand.take().is_none() {
                // Without a block.
                continue;
            }
            let first = size.files.last().map_or(0, |(first, _)| *first);
            // Both fit: there are fewer sets than places.
            let record = encode(set as u32, first, size.next - first, length, name);
            let write = size.list.write_all(&(record.len() as u32).to_le_bytes());
            write.and_then(|()| size.list.write_all(&record)).map_err(Error::io(&size.listed))?;
        }
        self.sets[set].records += 1;
        Ok(())
    }

    /// The file at hand could not be read to its end: nothing of it is in the set.
    pub fn void_file(&mut self) {
        let Some(set) = self.sets.last_mut() else { return };
        for (size, of) in self.sizes.iter_mut().zip(&mut set.blocks) {
            if let (Some(flagged), Some((first, whole))) = (size.at_hand.take(), size.files.last_mut()) {
                *whole = false;
                of.blocks -= u64::from(size.next - *first);
                of.flagged -= flagged;
            }
        }
        set.faults += 1;
    }

    /// Writes the file.
    /// `watch` learns now and then how many rows were merged, and may end it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self, watch: &mut dyn FnMut(u64) -> Result<(), Error>) -> Result<BlocksBuilt, Error> {
        let BlockBuild { output, work, journal, algorithm, sets, sizes } = self;
        let partial = with_ending(&output, ".partial");
        let file = File::create(&partial).map_err(Error::io(&partial))?;
        let mut out = CountingWriter::start(file).map_err(Error::io(&partial))?;
        let mut blocks = Vec::new();
        let mut journals = Vec::new();
        for size in sizes {
            let (done, of) = size.finish(&mut out, &partial, algorithm, watch)?;
            journals.push(done);
            blocks.push(of);
        }
        let origins = section(&mut out, std::iter::empty()).map_err(Error::io(&partial))?;
        let rows = blocks.iter().map(|of| (of.size, of.table.rows)).collect();
        let directory = Directory {
            version: OF_BLOCKS,
            sets,
            origins,
            combinations: origins,
            tables: Vec::new(),
            blooms: Vec::new(),
            blocks,
        };
        let json = serde_json::to_vec(&directory).map_err(|error| Error::Io(partial.clone(), error.into()))?;
        let file = out.finish(&json).map_err(Error::io(&partial))?;
        pfh_source::replace(&file, &partial, &output).map_err(Error::io(&output))?;
        journals.into_iter().try_for_each(Journal::remove)?;
        journal.remove()?;
        let _ = fs::remove_dir(work);
        Ok(BlocksBuilt { sets: directory.sets, distinct: rows })
    }
}

impl Size {
    fn finish(
        self,
        out: &mut CountingWriter,
        path: &Path,
        algorithm: Algorithm,
        watch: &mut dyn FnMut(u64) -> Result<(), Error>,
    ) -> Result<(Journal, Blocks), Error> {
        let Size { bytes, directory, intake, next, files, list, listed, sums, summed, rolled, .. } = self;
        let (journal, runs) = intake.finish(Progress::default())?;
        drop(list.into_inner().map_err(|error| Error::Io(listed.clone(), error.into_error()))?);
        let digest = algorithm.length();
        let table = Table { algorithm: algorithm.to_string(), digest, combination: 4, ..Table::default() };
        let aside = directory.join("run-shared");
        let shared = BufWriter::new(File::create(&aside).map_err(Error::io(&aside))?);
        let writer = TableWriter::start(out, path, table)?;
        let mut rows =
            Rows { writer, shared, aside: &aside, files: &files, all: next, count: 0, at: Several::default() };
        let mut merged = 0;
        let mut last = Vec::new();
        rows_of(digest, &directory, &runs, &mut |row, place| {
            merged += 1;
            if merged >= LOOK {
                watch(std::mem::take(&mut merged))?;
            }
            let file = files.partition_point(|(first, _)| *first <= place) - 1;
            if !files[file].1 {
                return Ok(());
            }
            if last != row[..digest] {
                rows.row(&last)?;
                last.clear();
                last.extend_from_slice(&row[..digest]);
            }
            rows.at.take(place, file);
            Ok(())
        })?;
        rows.row(&last)?;
        let Rows { writer, shared, count, .. } = rows;
        let table = writer.end()?;
        drop(shared.into_inner().map_err(|error| Error::Io(aside.clone(), error.into_error()))?);
        let records = Section { offset: out.offset(), count };
        copy(&aside, out).map_err(Error::io(path))?;
        let files = listed_files(&listed, out).map_err(Error::io(&listed))?;
        drop(sums.into_inner().map_err(|error| Error::Io(rolled.clone(), error.into_error()))?);
        let sums = File::open(&rolled).map_err(Error::io(&rolled))?;
        let sieve = sieve_of(BufReader::with_capacity(1 << 18, sums), summed).map_err(Error::io(&rolled))?;
        let sieve = put(&sieve, out).map_err(Error::io(path))?;
        for spare in [&aside, &listed, &rolled] {
            fs::remove_file(spare).map_err(Error::io(spare))?;
        }
        let rolled = Some(sieve);
        Ok((journal, Blocks { size: bytes, places: next, table, files, shared: records, rolled }))
    }
}

/// The rows of runs of digests of that many bytes, in order.
fn rows_of(digest: usize, directory: &Path, runs: &[Run], take: &mut TakeRow<'_>) -> Result<(), Error> {
    match words(digest) {
        3 => each::<3>(directory, runs, take),
        4 => each::<4>(directory, runs, take),
        5 => each::<5>(directory, runs, take),
        6 => each::<6>(directory, runs, take),
        7 => each::<7>(directory, runs, take),
        8 => each::<8>(directory, runs, take),
        _ => each::<9>(directory, runs, take),
    }
}

/// The places of one digest.
#[derive(Default)]
struct Several {
    first: Vec<u32>,
    places: u32,
    files: u32,
    last: Option<usize>,
}

impl Several {
    /// One more place, which is in this file; both in ascending order.
    fn take(&mut self, place: u32, file: usize) {
        if self.first.len() < PLACES {
            self.first.push(place);
        }
        self.places += 1;
        self.files += u32::from(self.last != Some(file));
        self.last = Some(file);
    }
}

/// Digests with their places become rows and records.
struct Rows<'a> {
    writer: TableWriter<'a>,
    shared: BufWriter<File>,
    aside: &'a Path,
    files: &'a [(u32, bool)],
    /// All places.
    all: u32,
    /// Records so far.
    count: u64,
    at: Several,
}

impl Rows<'_> {
    /// The digest ends whose places are at hand.
    fn row(&mut self, digest: &[u8]) -> Result<(), Error> {
        debug_assert!(self.files.len() >= self.at.files as usize);
        let Several { mut first, places, files, .. } = std::mem::take(&mut self.at);
        match first[..] {
            [] => Ok(()),
            [place] => self.writer.row(digest, place),
            _ => {
                // Fits: there are at most half as many shared blocks as places, which are few
                // enough.
                let number = self.all + self.count as u32;
                self.count += 1;
                first.resize(PLACES, first.last().copied().unwrap_or_default());
                first.extend([places, files]);
                let mut record: Vec<u8> = first.iter().flat_map(|number| number.to_le_bytes()).collect();
                record.extend_from_slice(&crc32fast::hash(&record).to_le_bytes());
                self.shared.write_all(&record).map_err(Error::io(self.aside))?;
                self.writer.row(digest, number)
            }
        }
    }
}

fn put(sieve: &Sieve, out: &mut CountingWriter) -> io::Result<RollingFilter> {
    let (offset, mut crc, mut words) = (out.offset(), crc32fast::Hasher::new(), 0);
    for word in sieve.bytes() {
        crc.update(&word);
        out.write(&word)?;
        words += 1;
    }
    Ok(RollingFilter { offset, words, crc: crc.finalize() })
}

fn copy(from: &Path, out: &mut CountingWriter) -> io::Result<()> {
    let mut from = File::open(from)?;
    let mut room = vec![0; 1 << 18];
    loop {
        match from.read(&mut room)? {
            0 => return Ok(()),
            got => out.write(&room[..got])?,
        }
    }
}

fn listed_files(listed: &Path, out: &mut CountingWriter) -> io::Result<Section> {
    let mut list = BufReader::new(File::open(listed)?);
    let failed = RefCell::new(None);
    let mut next = || -> io::Result<Option<Vec<u8>>> {
        let mut length = [0; 4];
        match list.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let mut record = vec![0; u32::from_le_bytes(length) as usize];
        list.read_exact(&mut record)?;
        Ok(Some(record))
    };
    let records = std::iter::from_fn(|| match next() {
        Ok(record) => Some(Box::new(record?) as Box<dyn AsRef<[u8]>>),
        Err(error) => {
            *failed.borrow_mut() = Some(error);
            None
        }
    });
    let section = section(out, records)?;
    failed.take().map_or(Ok(section), Err)
}
