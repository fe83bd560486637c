//! The job *match* against blocks of known files: which of them are on a medium, also where no file
//! system leads to them (sector hashing, as hashdb and frag_find do it).
//!
//! A [`Request`] names images and sets that `pfh known build --blocks` made. [`run`] reads each
//! image once, looks every block up that begins at a sector, or at any byte, and hands out a
//! fragment for known blocks that lie side by side as they do in a known file.
//!
//! ```
//! use pfh::known::{Class, build};
//! use pfh::matching::sectors::{self, Event, Request};
//! use pfh::Control;
//!
//! # let room = std::env::temp_dir().join(format!("pfh-sectors-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let (file, image, set) = (room.join("file"), room.join("image"), room.join("set"));
//! let content: Vec<u8> = (0..3000u32).flat_map(|n| n.wrapping_mul(n).wrapping_mul(2_654_435_761).to_be_bytes()).collect();
//! std::fs::write(&file, &content)?;
//! std::fs::write(&image, [&[7; 1024][..], &content[2048..7168], &[7; 512]].concat())?;
//! let mut request = build::Request::new(&set).set(&file, Class::Bad);
//! request.blocks = vec![512];
//! build::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! let mut found = Vec::new();
//! let mut events = |event: Event<'_>| {
//!     if let Event::Fragment(of) = event {
//!         found.push((of.fragment.offset, of.length()));
//!     }
//!     Ok(())
//! };
//! let summary = sectors::run(&Request::new([&image], [&set], [512]), &mut events, &Control::new())?;
//! assert_eq!((summary.sizes[0].1.blocks, found), (10, vec![(1024, 5120)]));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod event;
mod fragment;
mod medium;
mod problem;
mod row;
mod scan;

pub use event::{BlockCounts, Event, Events, KnownFragment, Summary};
pub use fragment::{Candidate, Fragment};
pub use problem::Problem;
pub use row::{FragmentRow, FragmentsSum};

use crate::inside::{Free, ImageMedium, Watch};
use crate::job::Error;
use crate::matching::opening;
use crate::outputs::Outputs;
use fragment::Joining;
use medium::{Piece, Pieces};
use pfh_engine::{Control, MediumProgress, Phase, Progress, in_order};
use pfh_known::{DEFAULT_RESIDENT, KnownSet, block_sizes, is_known_set};
use pfh_source::image::{Image, files_of};
use pfh_volume::Bytes;
use scan::Scan;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The part of a medium that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Space {
    /// All of it.
    #[default]
    Whole,
    /// The space that no file in use has.
    Unallocated,
}

/// Images, and the sets whose blocks are looked for in them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Images by their first files, or block devices.
    pub images: Vec<PathBuf>,
    /// Known-set files of blocks.
    pub known: Vec<PathBuf>,
    /// Sizes of blocks in bytes.
    pub sizes: Vec<u32>,
    /// The media.
    pub space: Space,
    /// Whether telling blocks are also looked for where no sector begins: in archives, in memory
    /// and in files with something in front.
    pub anywhere: bool,
    /// Whether fragments of low-information blocks alone are results.
    pub flagged: bool,
    /// Threads that hash and look up.
    pub threads: usize,
    /// Files that the caller writes of the events: refused where one is a file that is read.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

impl Request {
    /// All telling fragments on the whole of these images.
    pub fn new<P: Into<PathBuf>, K: Into<PathBuf>>(
        images: impl IntoIterator<Item = P>,
        known: impl IntoIterator<Item = K>,
        sizes: impl IntoIterator<Item = u32>,
    ) -> Request {
        Request {
            images: images.into_iter().map(Into::into).collect(),
            known: known.into_iter().map(Into::into).collect(),
            sizes: sizes.into_iter().collect(),
            space: Space::Whole,
            anywhere: false,
            flagged: false,
            threads: pfh_source::os::processors(),
            outputs: Outputs::default(),
            replace: false,
        }
    }

    /// Whether the run may start. Nothing is read.
    ///
    /// # Errors
    /// When the request makes no sense, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        block_sizes(&self.sizes).map_err(|size| Error::request(Problem::Size(size)))?;
        if self.images.is_empty() {
            return Err(Error::request(Problem::NoImage));
        }
        if self.known.is_empty() {
            return Err(Error::request(Problem::NoSet));
        }
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        outputs.reads_all(&self.known);
        for image in &self.images {
            outputs.reads(image).reads_all(files_of(image));
        }
        Ok(outputs.check()?)
    }
}

/// Looks for blocks of known files. Nothing is written.
///
/// # Errors
/// When the request makes no sense, a set cannot be opened or has no blocks, or the events were
/// refused. An image that cannot be read is an event.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let sizes = block_sizes(&request.sizes).map_err(|size| Error::request(Problem::Size(size)))?;
    let (unallocated, anywhere) = (request.space == Space::Unallocated, request.anywhere);
    let mut summary = Summary { unallocated, anywhere, ..Summary::default() };
    let sets = open(request, &sizes, &mut summary, events)?;
    let scan = Scan::new(&sets, &sizes, request.anywhere)?;
    summary.algorithms = scan.algorithms();
    summary.sizes = sizes.iter().map(|size| (*size, BlockCounts::default())).collect();
    events(Event::Opened).map_err(Error::Sink)?;
    for image in &request.images {
        let mut search = Search { request, sets: &sets, sizes: &sizes, scan: &scan, image, control };
        search.image(&mut summary, events)?;
        if control.is_cancelled() {
            summary.interrupted = true;
            break;
        }
    }
    Ok(summary)
}

/// The sets; at least one has blocks of each size.
fn open(
    request: &Request,
    sizes: &[u32],
    summary: &mut Summary,
    events: &mut Events<'_>,
) -> Result<Vec<KnownSet>, Error> {
    let mut sets = Vec::new();
    for path in &request.known {
        if path.is_file() && !is_known_set(path) {
            return Err(Error::request(Problem::NoBlocks(path.clone())));
        }
        let known = KnownSet::open(path, DEFAULT_RESIDENT).map_err(opening)?;
        if known.blocks().is_empty() {
            return Err(Error::request(Problem::NoBlocks(path.clone())));
        }
        sets.push(known);
    }
    let has = |known: &KnownSet, size: u32| known.blocks().iter().any(|table| table.size() == size);
    if let Some(size) = sizes.iter().find(|size| !sets.iter().any(|known| has(known, **size))) {
        let mut others: Vec<u32> =
            sets.iter().flat_map(|known| known.blocks().iter().map(|table| table.size())).collect();
        others.sort_unstable();
        others.dedup();
        return Err(Error::request(Problem::NoSuchBlocks { size: *size, others }));
    }
    for known in &sets {
        let mut gap = |event: Event<'_>| {
            summary.gaps += 1;
            events(event).map_err(Error::Sink)
        };
        if !sizes.iter().any(|size| has(known, *size)) {
            gap(Event::OtherSizes(known.path()))?;
            continue;
        }
        for set in known.sets().iter().filter(|set| !set.has_blocks()) {
            gap(Event::Empty(known.path(), &set.name))?;
        }
        summary.sets += known.sets().iter().filter(|set| set.has_blocks()).count() as u64;
    }
    Ok(sets)
}

/// The search of one image.
struct Search<'a> {
    request: &'a Request,
    sets: &'a [KnownSet],
    sizes: &'a [u32],
    scan: &'a Scan<'a>,
    image: &'a Path,
    control: &'a Control<'a>,
}

impl Search<'_> {
    fn image(&mut self, summary: &mut Summary, events: &mut Events<'_>) -> Result<(), Error> {
        let path = self.image;
        let failed = |cause: &str, summary: &mut Summary, events: &mut Events<'_>| {
            summary.failed += 1;
            events(Event::Failed(path, cause)).map_err(Error::Sink)
        };
        let opened = Image::open(path).map_err(|error| error.to_string());
        let opened = opened.and_then(|image| Ok((Watch::image(&image).map_err(|error| error.to_string())?, image)));
        let (watch, image) = match opened {
            Ok(opened) => opened,
            Err(cause) => {
                let name = format!("{}: ", path.display());
                return failed(cause.strip_prefix(&name).unwrap_or(&cause), summary, events);
            }
        };
        let bad = unreadable(&image);
        let bytes: Arc<dyn Bytes> = Arc::new(ImageMedium(image));
        let mut ranges = Vec::from([Range { start: 0, end: bytes.size() }]);
        if self.request.space == Space::Unallocated {
            let free = Free::of(&bytes);
            for (part, cause) in &free.gaps {
                summary.gaps += 1;
                events(Event::Gap(path, part, cause)).map_err(Error::Sink)?;
            }
            ranges = free.ranges;
        }
        let (ranges, lost) = without(&ranges, &bad);
        for range in &lost {
            summary.unread += range.end - range.start;
            events(Event::Unread(path, range, "unreadable when the image was made")).map_err(Error::Sink)?;
        }
        if ranges.is_empty() {
            summary.gaps += 1;
            return events(Event::Nothing(path)).map_err(Error::Sink);
        }
        summary.images += 1;
        self.search(bytes, ranges, summary, events)?;
        match watch.unchanged() {
            Err(problem) if !self.control.is_cancelled() => failed(&problem.to_string(), summary, events),
            _ => Ok(()),
        }
    }

    fn search(
        &mut self,
        bytes: Arc<dyn Bytes>,
        ranges: Vec<Range<u64>>,
        summary: &mut Summary,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let total = ranges.iter().map(|range| range.end - range.start).sum();
        let (start, mut progress) = (Instant::now(), MediumProgress::default());
        (progress.phase, progress.total) = (Phase::Comparing, Some(total));
        let step = if self.request.anywhere { 1 } else { medium::STEP };
        let mut pieces = Pieces::new(bytes, ranges, self.scan.longest(), step);
        let mut joining = Joining::new(self.sets, self.sizes);
        let mut done = Vec::new();
        let mut failed = None;
        let work = |piece: Piece| (self.scan.hits(&piece), piece.read, piece.unread);
        in_order(
            self.request.threads,
            || pieces.next(),
            work,
            |(hits, read, unread)| {
                summary.bytes += read;
                let took = || -> Result<(), Error> {
                    if let Some((range, cause)) = &unread {
                        summary.unread += range.end - range.start;
                        events(Event::Unread(self.image, range, cause)).map_err(Error::Sink)?;
                    }
                    for block in hits
                        .map_err(Error::aborted)?
                        .chunk_by(|one, next| (one.offset, one.size) == (next.offset, next.size))
                    {
                        joining.take(block, &mut done).map_err(Error::aborted)?;
                        self.hand_out(&mut done, summary, events)?;
                    }
                    Ok(())
                };
                failed = took().err();
                (progress.bytes, progress.bad, progress.elapsed) =
                    (progress.bytes + read, summary.unread, start.elapsed());
                self.control.report(&Progress::Medium(progress));
                let ends = failed.is_some() || self.control.is_cancelled();
                if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        if let Some(error) = failed {
            return Err(error);
        }
        joining.end(&mut done);
        self.hand_out(&mut done, summary, events)
    }

    /// Counts fragments and hands them out.
    fn hand_out(&self, done: &mut Vec<Fragment>, summary: &mut Summary, events: &mut Events<'_>) -> Result<(), Error> {
        for fragment in done.drain(..) {
            if let Some((_, of)) = summary.sizes.iter_mut().find(|(size, _)| *size == fragment.size) {
                of.blocks += fragment.blocks;
                of.flagged += fragment.flagged;
                of.cut += fragment.cut;
                of.fragments += 1;
            }
            let found = KnownFragment { image: self.image, fragment: &fragment, sets: self.sets };
            if fragment.is_telling() {
                summary.counts.add(found.verdict());
            } else if !self.request.flagged {
                summary.hidden += 1;
                continue;
            }
            events(Event::Fragment(&found)).map_err(Error::Sink)?;
        }
        Ok(())
    }
}

/// The ranges that an image states as unreadable when it was made: zeros stand there that nobody
/// wrote.
fn unreadable(image: &Image) -> Vec<Range<u64>> {
    let Some(ewf) = image.ewf() else { return Vec::new() };
    let sector = u64::from(image.sector());
    let range = |(first, count): &(u32, u32)| {
        let from = u64::from(*first) * sector;
        from..from + u64::from(*count) * sector
    };
    let mut bad: Vec<Range<u64>> = ewf.errors.0.iter().map(range).collect();
    bad.sort_unstable_by_key(|range| range.start);
    bad
}

/// The ranges without the bad ones, and the bad parts of them. Both are in order.
fn without(ranges: &[Range<u64>], bad: &[Range<u64>]) -> (Vec<Range<u64>>, Vec<Range<u64>>) {
    let (mut good, mut lost) = (Vec::new(), Vec::new());
    for range in ranges {
        let mut from = range.start;
        for hole in bad.iter().skip_while(|hole| hole.end <= range.start).take_while(|hole| hole.start < range.end) {
            let (start, end) = (hole.start.max(from), hole.end.min(range.end));
            if start < end {
                good.extend((from < start).then_some(from..start));
                lost.push(start..end);
                from = end;
            }
        }
        good.extend((from < range.end).then_some(from..range.end));
    }
    (good, lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bad_is_cut_out() {
        let (good, lost) = without(&[0..100, 200..300], &[10..20, 15..30, 90..210, 299..400]);
        assert_eq!(good, [0..10, 30..90, 210..299]);
        assert_eq!(lost, [10..20, 20..30, 90..100, 200..210, 299..300]);
    }
}
