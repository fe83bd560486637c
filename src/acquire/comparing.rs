//! Reading a target back, past the page cache, and comparing it with the bytes of the source.

use super::problem::{Problem, failed, imaging_failed, stopped, unopened};
use super::{ImageFormat, To, sectors};
use crate::job::{self, Error};
use crate::verdict::{Alone, Comparison, Coverage, Evidence, Side, Subject, Unread, Verdict, verdict};
use pfh_engine::imaging::{Follow, Imaging, ImagingError, ImagingResult, image};
use pfh_engine::{Control, Phase};
use pfh_source::device::{Access, Bad, ErrorPolicy, Medium, Stop};
use pfh_source::image::Image;
use pfh_source::os;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::names::with_ending;
use std::io;
use std::path::PathBuf;

/// How a target, or another medium, compares with an image.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TargetComparison {
    /// Bytes read back.
    pub bytes: u64,
    /// Whether all digests are those of the image. Without meaning where something is unreadable.
    pub digests_agree: bool,
    /// Differing ranges of the image, as (offset, length) in bytes; exact where both sides could be
    /// read once more, else whole marks.
    pub differing: Vec<(u64, u64)>,
    /// Ranges of the other side that could not be read back, by offset in the image.
    pub unreadable: Vec<(u64, u64)>,
    /// Ranges of the image that could not be read once more, and are not compared for this reason.
    pub unread_here: Vec<(u64, u64)>,
    /// Bytes of the image.
    pub length: u64,
    /// Bytes that a file has beyond the image, where both must have one length.
    pub longer: u64,
}

impl TargetComparison {
    /// All of an image of `length` bytes, and equal by its digests.
    pub(super) fn equal(length: u64) -> Self {
        let (differing, unreadable, unread_here) = Default::default();
        TargetComparison { bytes: length, digests_agree: true, differing, unreadable, unread_here, length, longer: 0 }
    }

    /// As a comparison of the image with `name`.
    pub fn comparison(&self, name: &str) -> Comparison {
        let unread = |side| move |(offset, length): &(u64, u64)| Unread { side, offset: *offset, length: *length };
        let lost: Vec<(u64, u64)> = self.unreadable.iter().chain(&self.unread_here).copied().collect();
        let read = self.bytes.min(self.length);
        let here = self.unread_here.iter().map(unread(Side::This));
        let alone = (self.longer > 0).then_some(Alone {
            side: Side::Other,
            offset: self.length,
            length: self.longer,
            stated: None,
        });
        let coverage = Coverage {
            sizes: (self.length, Some(self.bytes + self.longer)),
            compared: without(&[(0, read)], &lost),
            unread: here.chain(self.unreadable.iter().map(unread(Side::Other))).collect(),
            alone: alone.into_iter().collect(),
            ..Coverage::default()
        };
        let one = Comparison::new(Subject::Image, "all bytes of the image", name, Evidence::Bytes).over(coverage);
        let is_unequal = !self.differing.is_empty() || (lost.is_empty() && !self.digests_agree) || self.longer > 0;
        if is_unequal { one.unequal(self.differing.clone()) } else { one }
    }

    /// The verdict on it.
    pub fn verdict(&self) -> Verdict {
        verdict(&[Subject::Image], &[self.comparison("")], false)
    }

    /// Whether the target is the image.
    pub fn is_good(&self) -> bool {
        self.verdict() == Verdict::Verified
    }

    /// The verdict in a word for people.
    pub fn word(&self) -> &'static str {
        match self.verdict() {
            Verdict::Verified => "equal",
            Verdict::Differs => "DIFFERENT",
            Verdict::Incomplete | Verdict::NothingToCompareWith => "not all could be compared",
        }
    }

    /// The first differing ranges, a line of `line` for each behind the name, and the number of the
    /// others.
    pub fn lines(&self, name: &str, line: impl Fn(u64, u64) -> String) -> Vec<String> {
        let first = self.differing.iter().take(sectors::MOST_LISTED);
        let lines = first.map(|(offset, length)| format!("{name}: {}", line(*offset, *length)));
        lines.chain(sectors::more(&self.differing).map(|more| format!("{name}: {more}"))).collect()
    }
}

/// These ranges, in order, without the parts that lie in `holes`.
pub(crate) fn without(ranges: &[(u64, u64)], holes: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut holes = holes.to_vec();
    holes.sort_unstable();
    let mut left = Vec::new();
    for (offset, length) in ranges {
        let (mut at, end) = (*offset, offset + length);
        for (hole, size) in holes.iter().filter(|(hole, _)| *hole < end) {
            if *hole > at {
                left.push((at, hole - at));
            }
            at = at.max((hole + size).min(end));
        }
        if at < end {
            left.push((at, end - at));
        }
    }
    left
}

/// Opens a target as a medium whose bytes come from below the page cache.
pub(super) fn open(to: &To) -> Result<(Medium, u64), Error> {
    let fail = |error: io::Error| failed(&to.path, error);
    let image = |path: PathBuf| -> Result<Medium, Error> {
        let image = Image::open(&path).map_err(unopened)?;
        image.evict().map_err(fail)?;
        Ok(Medium::image(image))
    };
    match &to.form {
        ImageFormat::Raw { seek, .. } => {
            let path = to.path.as_os_str().as_bytes();
            let file = std::fs::File::open(&to.path).map_err(fail)?;
            os::evict(pfh_source::os::handles::AsFd::as_fd(&file)).map_err(|e| fail(e.into()))?;
            let medium = Medium::open(path, Access::Direct)
                .map_err(|problem| Error::input(job::PathError::new(&to.path, problem)))?;
            Ok((medium, *seek))
        }
        ImageFormat::Split(pieces) => {
            let suffix = pieces.suffix.of(0, pieces.width).unwrap_or_default();
            Ok((image(with_ending(&to.path, format!(".{suffix}")))?, 0))
        }
        ImageFormat::E01 { .. } => Ok((image(to.path.clone())?, 0)),
    }
}

/// Reads a target back and compares it with the image. `source` is read again where marks differ,
/// to find the very bytes.
///
/// # Errors
/// When the target cannot be opened or hashed at all.
pub fn compare(
    to: &To,
    imaging: &Imaging,
    imaged: &ImagingResult,
    source: Option<&Medium>,
    (control, phase): (&Control<'_>, Phase),
) -> Result<TargetComparison, Error> {
    let (medium, seek) = open(to)?;
    let sides = Sides { image: source.map(|source| (source, imaging.from)), other: (&medium, seek), is_source: true };
    let mut found = sides.compare(imaging, imaged, Follow::new(control, phase)).map_err(|unread| match unread {
        ComparisonError::Imaging(error) => imaging_failed(error),
        ComparisonError::Stopped(Stop::Cancelled) => stopped(Stop::Cancelled, Problem::NotCompared(Stop::Cancelled)),
        ComparisonError::Stopped(stop) => failed(&to.path, io::Error::other(stop)),
    })?;
    if found.bytes < imaged.bytes {
        // All of these bytes were written.
        push(&mut found.differing, found.bytes, imaged.bytes - found.bytes);
    }
    Ok(found)
}

/// Why two media were not compared to the end.
#[derive(Debug)]
pub(crate) enum ComparisonError {
    /// The imaging itself.
    Imaging(ImagingError),
    /// The other side could not be read to its end.
    Stopped(Stop),
}

/// Two media with the places where the image starts on each.
pub(crate) struct Sides<'a> {
    /// Where the image can be read once more, if it can.
    pub(crate) image: Option<(&'a Medium, u64)>,
    /// The medium that it is compared with.
    pub(crate) other: (&'a Medium, u64),
    /// Whether the image was filled where it cannot be read: such a place is compared with the
    /// filling.
    pub(crate) is_source: bool,
}

impl Sides<'_> {
    /// Reads the other side and compares it with an image of [`Imaged::bytes`] bytes, mark by mark,
    /// and byte by byte where marks differ.
    ///
    /// # Errors
    /// When the other side cannot be read to its end.
    pub(crate) fn compare(
        &self,
        imaging: &Imaging,
        imaged: &ImagingResult,
        follow: Follow<'_>,
    ) -> Result<TargetComparison, ComparisonError> {
        let again = Imaging {
            from: self.other.1,
            length: Some(imaged.bytes),
            done: 0,
            done_bad: Vec::new(),
            pad: None,
            piecewise: None,
            policy: ErrorPolicy { retries: imaging.policy.retries, ..ErrorPolicy::default() },
            ..imaging.clone()
        };
        let back = image(self.other.0, None, &again, &mut [], follow).map_err(ComparisonError::Imaging)?;
        if let Some(stop) = back.stopped {
            return Err(ComparisonError::Stopped(stop));
        }
        let mut found = TargetComparison {
            bytes: back.bytes,
            digests_agree: back.digests == imaged.digests,
            differing: Vec::new(),
            unreadable: runs(&back.bad),
            unread_here: if self.is_source { Vec::new() } else { runs(&imaged.bad) },
            length: imaged.bytes,
            longer: 0,
        };
        let lost: Vec<(u64, u64)> = found.unreadable.iter().chain(&found.unread_here).copied().collect();
        let common = back.bytes.min(imaged.bytes);
        for (ours, theirs) in imaged.marks.iter().zip(&back.marks) {
            if ours.digests == theirs.digests {
                continue;
            }
            let (from, until) = (ours.offset, (ours.offset + ours.length).min(common));
            let is_partly_lost = lost.iter().any(|(at, size)| *at < until && at + size > from);
            // Unreadable ranges do not differ; the ranges between them are compared byte by byte.
            for (offset, length) in without(&[(from, until.saturating_sub(from))], &lost) {
                match self.image.and_then(|image| places(image, self.other, offset, length)) {
                    // The mark differs by the lost ranges.
                    Some(exact) if exact.is_empty() && is_partly_lost => {}
                    Some(exact) if !exact.is_empty() => {
                        exact.into_iter().for_each(|(at, size)| push(&mut found.differing, at, size));
                    }
                    None if is_partly_lost => found.unread_here.push((offset, length)),
                    // They agree now, and did not.
                    _ => push(&mut found.differing, offset, length),
                }
            }
        }
        Ok(found)
    }
}

fn runs(bad: &[Bad]) -> Vec<(u64, u64)> {
    bad.iter().map(|bad| (bad.offset, bad.length)).collect()
}

fn push(ranges: &mut Vec<(u64, u64)>, offset: u64, length: u64) {
    match ranges.last_mut() {
        Some((start, before)) if *start + *before >= offset => *before = (*before).max(offset + length - *start),
        _ => ranges.push((offset, length)),
    }
}

/// Differing bytes of a range; `None` where one side cannot be read.
fn places(
    (a, a_from): (&Medium, u64),
    (b, b_from): (&Medium, u64),
    offset: u64,
    length: u64,
) -> Option<Vec<(u64, u64)>> {
    /// The alignment of reads past the page cache.
    const PAGE: usize = 4096;
    let read = |medium: &Medium, from: u64| {
        let length = usize::try_from(length).ok()?;
        let mut room = vec![0; length + PAGE];
        let skew = room.as_ptr().align_offset(PAGE);
        let bytes = &mut room[skew..skew + length];
        let mut done = 0;
        while done < bytes.len() {
            match medium.read_at(&mut bytes[done..], from + offset + done as u64) {
                Ok(n) if n > 0 => done += n,
                _ => return None,
            }
        }
        Some((room, skew))
    };
    let ((a, a_skew), (b, b_skew)) = (read(a, a_from)?, read(b, b_from)?);
    let mut ranges = Vec::new();
    for (at, _) in a[a_skew..].iter().zip(&b[b_skew..]).take(length as usize).enumerate().filter(|(_, (a, b))| a != b) {
        push(&mut ranges, offset + at as u64, 1);
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_without_holes() {
        assert_eq!(without(&[(0, 100)], &[]), [(0, 100)]);
        assert_eq!(without(&[(0, 100)], &[(90, 20), (0, 10), (50, 1)]), [(10, 40), (51, 39)]);
        assert_eq!(without(&[(20, 10), (40, 10)], &[(0, 25), (45, 100)]), [(25, 5), (40, 5)]);
        assert!(without(&[(5, 5)], &[(0, 100)]).is_empty());
    }
}
