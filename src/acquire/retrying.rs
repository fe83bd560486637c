//! Trying unread areas again: sectors that failed, and zones that were passed over.
//!
//! Newly read ranges are written to their place in the image, and the whole image is hashed again.
//! That takes targets in which bytes have a place: raw ones, in one file or several, and devices.
//! The chunks of an E01 image are deflated one behind the other: the source is acquired again
//! instead.

use super::problem::{self, Problem, failed, imaging_failed, refused, stopped};
use super::session::Session;
use super::{ImageFormat, To, comparing, resuming};
use crate::job::Error;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::imaging::{Follow, Imaging, ImagingResult, image};
use pfh_engine::{Cancel, Control, Phase};
use pfh_outboard::OutboardTarget;
use pfh_source::device::{Bad, ErrorPolicy, Loss, Rescue, Stop};
use pfh_source::os::names::with_ending;
use pfh_source::os::positioned::FileExt;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;

/// Bytes that are tried at once.
const BLOCK: u64 = 1 << 20;
/// The alignment of reads past the page cache.
const PAGE: usize = 4096;

/// Ranges to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryRanges {
    /// Areas that were passed over: they were never tried.
    PassedOver,
    /// Everything that is lost.
    All,
}

impl RetryRanges {
    fn takes(self, loss: Loss) -> bool {
        loss == Loss::NotTried || (self == RetryRanges::All && loss == Loss::Unreadable)
    }
}

/// The result of a retry.
#[derive(Debug, Clone)]
pub struct RetryOutcome {
    /// Bytes that were tried.
    pub tried: u64,
    /// Bytes of them that were read.
    pub read: u64,
    /// Digests of the image before, where they are known: of the checkpoint that it was compared
    /// with.
    pub before: Option<Digest>,
    /// The image as it is now.
    pub imaged: ImagingResult,
}

/// Whether lost areas can be tried again in this target, else why not.
fn refusal(to: &To) -> Option<Problem> {
    let is_e01 = matches!(to.form, ImageFormat::E01 { .. });
    is_e01.then(|| Problem::NotInPlace(to.path.clone()))
}

impl Session<'_> {
    /// Whether lost areas can be tried again: the targets are raw, and there is a map.
    ///
    /// # Errors
    /// With the reason.
    pub(crate) fn can_retry(&self) -> Result<(), Error> {
        match self.asked.targets.iter().find_map(refusal) {
            Some(why) => refused(why),
            None if self.asked.map.is_none() || self.asked.targets.is_empty() => refused(Problem::NothingThere),
            None => Ok(()),
        }
    }

    /// The runs that the map calls lost in the part that is there, by offset in the image.
    pub(crate) fn lost(&self) -> &[Bad] {
        &self.resumption.bad
    }

    /// The digest that the map states of all `bytes` bytes of the image.
    fn checkpoint(&self, bytes: u64) -> Option<&Digest> {
        let mut last = self.resumption.remarks.checkpoints.iter().rev();
        last.find(|(upto, _)| *upto == bytes).map(|(_, digest)| digest)
    }

    /// Compares every target with the digest that the log states, or the map, before anything is
    /// tried again.
    ///
    /// # Errors
    /// See [`Error`]; `Changed` where a target is not as it was written.
    pub(super) fn unchanged(&self, bytes: u64, stated: Option<&Digest>, control: &Control<'_>) -> Result<(), Error> {
        let Some(digest) = stated.or_else(|| self.checkpoint(bytes)) else { return Ok(()) };
        let mut targets = self.asked.targets.iter();
        targets.try_for_each(|to| self.is_unchanged(to, bytes, digest, &self.resumption.bad, control.cancel()))
    }

    /// Tries the lost runs of a complete image of `bytes` bytes again, and hashes it once more.
    /// `fresh` is the image as this run has just written it; without it
    /// [`unchanged`](Session::unchanged) has compared the targets. A run that is cut off leaves the
    /// old map: the next one starts from there.
    ///
    /// # Errors
    /// See [`Error`].
    pub(crate) fn retry(
        &mut self,
        bytes: u64,
        fresh: Option<&ImagingResult>,
        again: RetryRanges,
        control: &Control<'_>,
    ) -> Result<RetryOutcome, Error> {
        self.can_retry()?;
        let lost = fresh.map_or_else(|| self.resumption.bad.clone(), |imaged| imaged.bad.clone());
        let before = self.checkpoint(bytes).cloned();
        let patches = self.asked.targets.iter().map(Patch::open).collect::<Result<Vec<_>, _>>()?;
        let (bad, stopped, retried) = self.try_again(&lost, again, &patches, control.cancel())?;
        patches.iter().try_for_each(Patch::sync)?;
        let mut imaged = self.hash_targets(bytes, &self.asked.imaging.algorithms, (control, Phase::Acquiring))?;
        let tried: u64 = lost.iter().filter(|run| again.takes(run.loss)).map(|run| run.length).sum();
        let all = |runs: &[Bad]| runs.iter().map(|run| run.length).sum::<u64>();
        let read = all(&lost) - all(&bad);
        imaged.retried = retried + fresh.map_or(0, |imaged| imaged.retried);
        let whole = self.bytes().map_or(0, |source| bytes.saturating_sub(source));
        imaged.padded = fresh.map_or(whole, |imaged| imaged.padded);
        imaged.bad = bad;
        imaged.stopped = imaged.stopped.or(stopped);
        if let Some(fresh) = fresh {
            imaged.times = fresh.times;
        }
        if imaged.stopped.is_none() {
            self.settle_again(bytes, &imaged)?;
        }
        Ok(RetryOutcome { tried, read, before, imaged })
    }

    /// Compares a target with a digest; areas that the map calls lost count as filled, for a run
    /// that was cut off may have read some of them.
    fn is_unchanged(&self, to: &To, bytes: u64, stated: &Digest, lost: &[Bad], cancel: &Cancel) -> Result<(), Error> {
        let (medium, seek) = comparing::open(to)?;
        let fail = |error: io::Error| failed(&to.path, error);
        let changed = || problem::changed(&to.path, 0, bytes);
        let (mut hasher, mut at) = (stated.algorithm().hasher(), 0);
        let mut room = Room::new(BLOCK);
        while at < bytes {
            if cancel.is_cancelled() {
                return Err(stopped(Stop::Cancelled, Problem::NotCompared(Stop::Cancelled)));
            }
            let block = room.first(BLOCK.min(bytes - at));
            let n = medium.read_at(block, seek + at).map_err(|errno| fail(errno.into()))?;
            if n == 0 {
                return Err(changed());
            }
            for run in lost.iter().filter(|run| run.loss != Loss::Recorded) {
                let (from, until) = (run.offset.max(at), (run.offset + run.length).min(at + n as u64));
                if from < until {
                    let part = &mut block[(from - at) as usize..(until - at) as usize];
                    self.asked.imaging.policy.fill(part, self.asked.imaging.from + from);
                }
            }
            hasher.update(&block[..n]);
            at += n as u64;
        }
        if hasher.finalize() == *stated { Ok(()) } else { Err(changed()) }
    }

    /// Reads the lost runs once more and writes all of them, the fill included, to their places.
    /// Returns those that are lost still.
    fn try_again(
        &self,
        lost: &[Bad],
        again: RetryRanges,
        patches: &[Patch<'_>],
        cancel: &Cancel,
    ) -> Result<(Vec<Bad>, Option<Stop>, u64), Error> {
        let from = self.asked.imaging.from;
        let policy = ErrorPolicy {
            skip_after: self.asked.request.give_up,
            most_errors: None,
            ..self.asked.imaging.policy.clone()
        };
        let mut rescue = Rescue::new(&self.medium, policy);
        let mut room = Room::new(BLOCK);
        let write = |block: &[u8], at: u64| patches.iter().try_for_each(|patch| patch.write(block, at));
        let (mut left, mut stopped) = (Vec::new(), None);
        let mut areas: Vec<Bad> = lost.iter().filter(|run| again.takes(run.loss)).copied().collect();
        // Good areas first: from the end of each down to the first sector that fails, in ever
        // smaller steps.
        for area in &mut areas {
            for step in [BLOCK, 64 << 10, u64::from(self.medium.sector())] {
                while area.length > 0 && !cancel.is_cancelled() {
                    let end = area.offset + area.length;
                    let at = ((from + end - 1) / step * step).max(from + area.offset) - from;
                    let block = room.first(end - at);
                    if rescue.whole(block, from + at).is_err() {
                        break;
                    }
                    write(block, at)?;
                    area.length = at - area.offset;
                }
            }
        }
        // Then sector by sector.
        for area in &areas {
            let mut at = area.offset;
            while at < area.offset + area.length {
                let block = room.first(BLOCK.min(area.offset + area.length - at));
                if cancel.is_cancelled() {
                    stopped = Some(Stop::Cancelled);
                }
                let found = match stopped {
                    None => rescue.read(block, from + at),
                    Some(stop) => Err(stop),
                };
                match found {
                    Ok((n, bad)) => {
                        write(&block[..n], at)?;
                        left.extend(bad.iter().map(|run| Bad { offset: run.offset - from, ..*run }));
                        at += n as u64;
                    }
                    Err(stop) => {
                        stopped = Some(stop);
                        left.push(Bad { offset: at, length: area.offset + area.length - at, ..*area });
                        break;
                    }
                }
            }
        }
        left.extend(lost.iter().filter(|run| !again.takes(run.loss)));
        left.sort_by_key(|run| run.offset);
        Ok((joined(left), stopped, rescue.retried()))
    }

    /// Digests of the whole image as it is now; all targets must have the same.
    ///
    /// # Errors
    /// See [`Error`]; `Changed` where one target is not equal to the first.
    pub(crate) fn hash_targets(
        &self,
        bytes: u64,
        algorithms: &[Algorithm],
        (control, phase): (&Control<'_>, Phase),
    ) -> Result<ImagingResult, Error> {
        let mut first: Option<ImagingResult> = None;
        for to in &self.asked.targets {
            let (medium, seek) = comparing::open(to)?;
            let imaging = Imaging {
                from: seek,
                length: Some(bytes),
                done: 0,
                done_bad: Vec::new(),
                stated: Vec::new(),
                prefixes: None,
                pad: None,
                policy: ErrorPolicy::default(),
                algorithms: algorithms.to_vec(),
                ..self.asked.imaging.clone()
            };
            let follow = Follow::new(control, phase);
            let found = image(&medium, None, &imaging, &mut [], follow).map_err(|e| resuming::changed(&to.path, e))?;
            match &first {
                None => first = Some(found),
                Some(first) if found.stopped.is_none() && first.digests != found.digests => {
                    return Err(problem::changed(&to.path, 0, bytes));
                }
                Some(_) => {}
            }
        }
        first.ok_or_else(|| Error::request(Problem::NoTarget))
    }

    /// The map and the tree of the image as it is now.
    fn settle_again(&mut self, bytes: u64, imaged: &ImagingResult) -> Result<(), Error> {
        let Some(to) = self.asked.targets.first() else { return Ok(()) };
        let (medium, seek) = comparing::open(to)?;
        if let Some(path) = &self.asked.outboard {
            let fail = |error| failed(path, error);
            OutboardTarget::of(path, &medium, seek, bytes).map_err(fail)?;
        }
        let wanted = self.asked.imaging.prefixes.map(|prefixes| prefixes.algorithm);
        let digest = imaged.digests.iter().find(|digest| Some(digest.algorithm()) == wanted).cloned();
        let digest = match (digest, wanted) {
            (None, Some(algorithm)) => {
                let imaging = Imaging { from: seek, length: Some(bytes), ..Imaging::new(vec![algorithm]) };
                let found = image(&medium, None, &imaging, &mut [], Follow::new(&Control::new(), Phase::Acquiring));
                found.map_err(imaging_failed)?.digests.pop()
            }
            (digest, _) => digest,
        };
        // Digests of shorter prefixes are of the image before.
        self.resumption.remarks.checkpoints.clear();
        self.resumption.bad = imaged.bad.clone();
        let from = self.asked.imaging.from;
        self.resumption.settle(from, bytes, &imaged.bad, digest.as_ref());
        self.resumption.save(self.asked.map.as_deref())
    }
}

/// Neighbouring runs of one cause become one.
fn joined(runs: Vec<Bad>) -> Vec<Bad> {
    let mut all: Vec<Bad> = Vec::new();
    for run in runs {
        match all.last_mut() {
            Some(last)
                if last.offset + last.length == run.offset && (last.errno, last.loss) == (run.errno, run.loss) =>
            {
                last.length += run.length;
            }
            _ => all.push(run),
        }
    }
    all
}

/// An aligned buffer.
struct Room(Vec<u8>);

impl Room {
    fn new(length: u64) -> Self {
        Room(vec![0; length as usize + PAGE])
    }

    fn first(&mut self, length: u64) -> &mut [u8] {
        let skew = self.0.as_ptr().align_offset(PAGE);
        &mut self.0[skew..][..length as usize]
    }
}

/// A raw target whose bytes are changed in place.
struct Patch<'a> {
    to: &'a To,
    /// Its files with the offset in the image at which each starts.
    files: Vec<(u64, File)>,
    seek: u64,
}

impl<'a> Patch<'a> {
    fn open(to: &'a To) -> Result<Self, Error> {
        let open = |path: PathBuf| {
            let opened = OpenOptions::new().write(true).open(&path);
            opened.map_err(|error| failed(&path, error))
        };
        let (mut files, mut seek) = (Vec::new(), 0);
        match &to.form {
            ImageFormat::Split(pieces) => {
                for number in 0.. {
                    let Some(suffix) = pieces.suffix.of(number, pieces.width) else { break };
                    let path = with_ending(&to.path, format!(".{suffix}"));
                    let looked = path.try_exists();
                    if !looked.map_err(|error| failed(&path, error))? {
                        break;
                    }
                    files.push((number * pieces.length, open(path)?));
                }
            }
            ImageFormat::Raw { seek: start, .. } => {
                seek = *start;
                files.push((0, open(to.path.clone())?));
            }
            ImageFormat::E01 { .. } => {}
        }
        Ok(Patch { to, files, seek })
    }

    fn write(&self, bytes: &[u8], offset: u64) -> Result<(), Error> {
        let end = offset + bytes.len() as u64;
        for (at, (start, file)) in self.files.iter().enumerate() {
            let until = self.files.get(at + 1).map_or(u64::MAX, |(next, _)| *next).min(end);
            let from = offset.max(*start);
            if from < until {
                let part = &bytes[(from - offset) as usize..(until - offset) as usize];
                file.write_all_at(part, self.seek + from - start).map_err(|error| self.fail(error))?;
            }
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), Error> {
        self.files.iter().try_for_each(|(_, file)| file.sync_all()).map_err(|error| self.fail(error))
    }

    fn fail(&self, error: io::Error) -> Error {
        failed(&self.to.path, error)
    }
}
