//! Comparing with a medium or another image, byte by byte: which bytes of both sides belong
//! together, and which only one side has.

use super::findings::Findings;
use super::log::Log;
use super::placing::Placing;
use crate::acquire::logged::Part;
use crate::acquire::{ComparisonError, Sides, TargetComparison, sectors, without};
use crate::verdict::{Alone, Comparison, Coverage, Evidence, Side, Subject, Unread};
use pfh_engine::imaging::{Follow, Imaging, ImagingResult};
use pfh_engine::{Control, Phase};
use pfh_source::device::{Access, Kind, Medium};
use pfh_source::image::{Format, Image};
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::shown;
use std::path::Path;

/// The file or device that an image is compared with.
pub(super) struct OtherSide {
    name: String,
    medium: Medium,
    size: u64,
    /// Bytes of its sectors, where its format counts sectors and so pads.
    pads: Option<u64>,
}

/// Opens a file or device as a medium of the bytes that an image has.
fn medium(path: &Path, is_raw: bool) -> Result<(Medium, Option<u64>), String> {
    let raw = || Medium::open(path.as_os_str().as_bytes(), Access::Direct).map_err(|e| format!("{}: {e}", shown(path)));
    let opened = if is_raw { Image::open_raw(path) } else { Image::open(path) };
    let image = opened.map_err(|error| format!("{error}: not compared"))?;
    let pads = (image.format() == Format::E01).then(|| u64::from(image.sector()));
    match image.format() {
        Format::Raw => Ok((raw()?, None)),
        _ => {
            image.evict().map_err(|error| format!("{}: {error}", shown(path)))?;
            Ok((Medium::image(image), pads))
        }
    }
}

/// Ranges of both sides that belong together.
pub(super) struct RangePair {
    /// On this side: offset and length in bytes.
    pub here: (u64, u64),
    /// Where it starts on the other side.
    there: u64,
    alone: Vec<Alone>,
    /// Whether a difference may come from a place that no log states.
    is_placed: bool,
}

/// The statements of a log on the image, with its place.
pub(super) struct LogStatements<'a> {
    pub log: &'a Log,
    pub part: &'a Part,
    pub placing: &'a Placing,
}

impl OtherSide {
    /// Opens it.
    ///
    /// # Errors
    /// A sentence on why it is not compared.
    pub fn open(path: &Path) -> Result<Self, String> {
        let (medium, pads) = medium(path, false)?;
        let Some(size) = medium.size().filter(|_| medium.kind() != Kind::Stream) else {
            return Err(format!("{}: it states no size: not compared", shown(path)));
        };
        Ok(OtherSide { name: shown(path), medium, size, pads })
    }

    /// Which ranges belong together, by the statements of a log, else from the start of both.
    pub fn align(&self, path: &Path, size: u64, stated: Option<&LogStatements<'_>>) -> RangePair {
        let whole = |is_placed| {
            let common = size.min(self.size);
            let mut alone = Vec::new();
            alone.extend(rest(Side::This, size, (0, common), None));
            alone.extend(rest(Side::Other, self.size, (0, common), None));
            RangePair { here: (0, common), there: 0, alone, is_placed }
        };
        let Some(LogStatements { log, part, placing }) = stated else { return whole(true) };
        let by = Some(shown(&log.path));
        let target = part.target(path);
        // The source, or another target of the same run: the log states where the image is.
        let there = match target.and_then(|target| target.seek) {
            Some(seek) => Some(seek),
            None if part.source == Some(self.size) => Some(part.from),
            None if self.size == size => return whole(placing.is_placed),
            None => None,
        };
        let start = there.unwrap_or(0);
        let room = self.size.saturating_sub(start);
        let length = placing.length.min(room);
        let (here, end) = ((placing.offset, length), placing.offset + placing.length);
        let mut alone = placing.coverage().alone;
        if length < placing.length {
            let is_padding = placing.length - length == part.padded;
            alone.push(Alone {
                side: Side::This,
                offset: end - (placing.length - length),
                length: placing.length - length,
                stated: by.clone().filter(|_| is_padding),
            });
        }
        alone.extend(rest(Side::Other, self.size, (start, length), by.filter(|_| there.is_some())));
        RangePair { here, there: start, alone, is_placed: placing.is_placed }
    }

    /// Compares with the bytes read of the image.
    ///
    /// # Errors
    /// A sentence on why it was not compared to the end.
    pub fn compare(
        &self,
        (path, is_raw, size): (&Path, bool, u64),
        mut aligned: RangePair,
        (imaging, imaged): (&Imaging, &ImagingResult),
        findings: &mut Findings,
        control: &Control<'_>,
    ) -> Result<(), String> {
        let (image, pads) = medium(path, is_raw)?;
        padding(&mut aligned.alone, (&image, pads), (&self.medium, self.pads));
        let (from, length) = aligned.here;
        let sides = Sides { image: Some((&image, from)), other: (&self.medium, aligned.there), is_source: false };
        let found =
            sides.compare(imaging, imaged, Follow::new(control, Phase::Comparing)).map_err(|why| match why {
                ComparisonError::Imaging(error) => format!("{}: {error}", self.name),
                ComparisonError::Stopped(stop) => format!("{}: {stop}", self.name),
            })?;
        let sizes =
            format!("{} of {size} bytes of the image with {} of {} bytes of {}", length, length, self.size, self.name);
        findings.note(format!("compared: {sizes}"));
        self.enter(&found, aligned, size, findings);
        Ok(())
    }

    fn enter(&self, found: &TargetComparison, aligned: RangePair, size: u64, findings: &mut Findings) {
        let (name, (from, length)) = (&self.name, aligned.here);
        let sector = self.medium.sector();
        for (offset, length) in &found.unreadable {
            let place = sectors::range(aligned.there + offset, *length, sector);
            findings.open(format!("{name}: unreadable: {place}"));
        }
        if found.bytes < length {
            findings.open(format!("{name}: it ended after {} bytes", aligned.there + found.bytes));
        }
        let moved = |ranges: &[(u64, u64)]| ranges.iter().map(|(at, size)| (from + at, *size)).collect::<Vec<_>>();
        let lost: Vec<(u64, u64)> = found.unreadable.iter().chain(&found.unread_here).copied().collect();
        let unread = |side, start: u64| {
            move |(offset, length): &(u64, u64)| Unread { side, offset: start + offset, length: *length }
        };
        let unread = found
            .unread_here
            .iter()
            .map(unread(Side::This, from))
            .chain(found.unreadable.iter().map(unread(Side::Other, aligned.there)));
        let coverage = Coverage {
            sizes: (size, Some(self.size)),
            compared: moved(&without(&[(0, length.min(found.bytes))], &lost)),
            unread: unread.collect(),
            alone: aligned.alone,
            ..Coverage::default()
        };
        for one in coverage.alone.iter().filter(|one| one.length > 0) {
            let side = if one.side == Side::This { "the image" } else { name.as_str() };
            let why = match &one.stated {
                Some(by) => format!("outside of the compared part, as {by} states"),
                None => "nothing states that they are outside".to_owned(),
            };
            findings.note(format!("{} bytes from offset {} on are in {side} alone: {why}", one.length, one.offset));
        }
        let is_all = (from, length) == (0, size) && coverage.alone.iter().all(|one| one.stated.is_some());
        let what = match is_all {
            true => "all bytes of the image".to_owned(),
            false => format!("{length} bytes of the image from offset {from} on"),
        };
        let one = Comparison::new(Subject::Image, what, name.as_str(), Evidence::Bytes).over(coverage);
        let differing = moved(&found.differing);
        if differing.is_empty() && (found.digests_agree || !lost.is_empty() || found.bytes < length) {
            findings.equal(one);
        } else if aligned.is_placed {
            for (offset, length) in differing.iter().take(sectors::MOST_LISTED) {
                let one = one.clone().unequal(vec![(*offset, *length)]);
                findings.differs(one, format!("{name}: differs within {length} bytes from offset {offset} on"));
            }
            if let Some(more) = sectors::more(&differing) {
                findings.note(format!("{name}: {more} differ"));
            }
            findings.differs(one.unequal(differing), format!("{name}: DIFFERENT"));
        } else {
            findings.open(format!("{name}: not compared: the log does not state where in the target the image starts"));
        }
    }
}

/// The ranges of a side behind and before a range of it.
fn rest(side: Side, size: u64, (offset, length): (u64, u64), stated: Option<String>) -> Vec<Alone> {
    let end = offset + length;
    let around = [(0, offset), (end, size.saturating_sub(end))];
    let one = |(offset, length)| Alone { side, offset, length, stated: stated.clone() };
    around.into_iter().filter(|(_, length)| *length > 0).map(one).collect()
}

/// States as padding what an image that counts sectors has behind the end of the other side: less
/// than a sector, all of it zeros.
fn padding(alone: &mut [Alone], this: (&Medium, Option<u64>), other: (&Medium, Option<u64>)) {
    for one in alone.iter_mut().filter(|one| one.stated.is_none()) {
        let (medium, pads) = if one.side == Side::This { this } else { other };
        let is_short =
            pads.is_some_and(|sector| one.length < sector && (one.offset + one.length).is_multiple_of(sector));
        if is_short && is_zero(medium, one.offset, one.length) {
            one.stated = Some("the format, which counts whole sectors,".to_owned());
        }
    }
}

fn is_zero(medium: &Medium, offset: u64, length: u64) -> bool {
    let mut bytes = vec![1; length as usize];
    let mut done = 0;
    while done < bytes.len() {
        match medium.read_at(&mut bytes[done..], offset + done as u64) {
            Ok(n) if n > 0 => done += n,
            _ => return false,
        }
    }
    bytes.iter().all(|byte| *byte == 0)
}
