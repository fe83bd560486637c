//! Ex01, EnCase 7's format, after J. Metz, "EWF 2 specification", the libewf project's: segments of
//! sections, each described behind its data. All numbers are little-endian, checksums Adler-32.

pub mod chunks;
pub mod described;
pub mod properties;
pub mod section;

use super::unpack::Method;
use super::{Check, Disk, Failure, Kind, Siblings};
use crate::Bytes;
use crate::ewf::checksum;
use crate::field::{le32, le64};
use chunks::{Chunks, ENTRY, HEAD, HEADER, Segment, method, within};
use described::Ex01Description;
use pfh_digest::Digest;
use section::Section;
use std::io;
use std::sync::Arc;

/// Bytes that are read at once to compare digests of sections.
const PIECE: u64 = 1 << 20;

/// An Ex01, open.
struct Ex01 {
    chunks: Chunks,
    sector: u32,
    digests: Vec<Digest>,
    notes: Vec<String>,
}

/// The ending of segment `number`, from 1: `Ex01` to `Ex99`, then `ExAA` to `EzZZ`; `L` instead of
/// `E` for a logical image.
pub fn ending(start: char, number: u32) -> Option<String> {
    if number < 100 {
        return Some(format!("{start}x{number:02}"));
    }
    let letters = number - 100;
    let letter = |value: u32| char::from(b'A' + (value % 26) as u8);
    let second = ['x', 'y', 'z'].get((letters / 676) as usize)?;
    Some(format!("{start}{second}{}{}", letter(letters / 26), letter(letters)))
}

/// Opens an Ex01 by its first segment.
pub fn open(file: Arc<dyn Bytes>, files: &dyn Siblings) -> Result<Box<dyn Disk>, Failure> {
    let mut header = [0; HEADER];
    file.read_exact_at(0, &mut header)?;
    let method = method(&header)?;
    let stem = files.first().rsplit_once('.').map_or("", |(stem, _)| stem);
    let is_lower = files.first().ends_with("ex01");
    let mut segments: Vec<Segment> = Vec::new();
    let mut next = Some(file);
    while let Some(file) = next.take() {
        let number = segments.len() as u32 + 1;
        let (segment, is_last) = Segment::open(file, number, &header)?;
        segments.push(segment);
        if !is_last {
            let ending = ending('E', number + 1).ok_or_else(|| Failure::refused("more segments than have names"))?;
            let ending = if is_lower { ending.to_ascii_lowercase() } else { ending };
            let name = format!("{stem}.{ending}");
            next = files.open(&name)?;
            if next.is_none() {
                return Err(Failure::malformed(format!("segment {} ({name}) is missing", number + 1)));
            }
        }
    }
    Ex01::new(segments, method).map(|disk| Box::new(disk) as Box<dyn Disk>)
}

impl Ex01 {
    fn new(segments: Vec<Segment>, method: Method) -> Result<Ex01, Failure> {
        let (mut described, mut digests, mut notes) = (Ex01Description::default(), Vec::new(), Vec::new());
        for (at, segment) in segments.iter().enumerate() {
            for section in &segment.sections {
                let number = at as u32 + 1;
                let within = |failure| within(number, failure);
                if described.take(&*segment.file, at, section, method).map_err(within)? {
                    continue;
                }
                match section.kind {
                    section::ERRORS => notes.extend(errors(&*segment.file, section).map_err(within)?),
                    section::MD5 => digests.push(stated(&*segment.file, section, "md5").map_err(within)?),
                    section::SHA1 => digests.push(stated(&*segment.file, section, "sha1").map_err(within)?),
                    _ => {}
                }
            }
        }
        let missing = || Failure::malformed("no section states the size of the medium, or of its chunks");
        let Ex01Description { device, case, tables } = described;
        let (device, case) = (device.ok_or_else(missing)?, case.ok_or_else(missing)?);
        let sectors = device.number("ts").ok_or_else(missing)?;
        let sector = device.number("bp").unwrap_or(512);
        let chunk = case.number("sb").and_then(|sectors| sectors.checked_mul(sector)).ok_or_else(missing)?;
        let size = sectors.checked_mul(sector);
        let (Some(size), Ok(sector)) = (size, u32::try_from(sector)) else {
            return Err(Failure::malformed(format!("{sectors} sectors of {sector} bytes in chunks of {chunk} bytes")));
        };
        let chunks = Chunks::new(segments, tables, method, (Some(size), chunk))?;
        Ok(Ex01 { chunks, sector, digests, notes })
    }
}

/// The sectors that could not be read during the acquisition.
fn errors(file: &dyn Bytes, section: &Section) -> Result<Vec<String>, Failure> {
    let mut bytes = vec![0; section.length.min(1 << 20) as usize];
    file.read_exact_at(section.at, &mut bytes)?;
    let count = le32(&bytes, 0) as usize;
    let entries = bytes.get(HEAD as usize..).unwrap_or_default().chunks_exact(ENTRY as usize).take(count);
    let runs: Vec<String> = entries.map(|entry| format!("{} + {}", le64(entry, 0), le32(entry, 8))).collect();
    let note = format!("sectors that were unreadable when it was acquired: {}", runs.join(", "));
    Ok(if runs.is_empty() { Vec::new() } else { vec![note] })
}

/// A digest of the medium.
fn stated(file: &dyn Bytes, section: &Section, algorithm: &str) -> Result<Digest, Failure> {
    let wrong = || Failure::at(section.at, format!("the section of {algorithm}, or its checksum"));
    let algorithm: pfh_digest::Algorithm = algorithm.parse().map_err(|_| wrong())?;
    let mut bytes = vec![0; algorithm.length() + 4];
    file.read_exact_at(section.at, &mut bytes)?;
    let (digest, sum) = bytes.split_at(algorithm.length());
    if section.length < bytes.len() as u64 || checksum(digest) != le32(sum, 0) {
        return Err(wrong());
    }
    Digest::from_bytes(algorithm, digest).map_err(|_| wrong())
}

impl Bytes for Ex01 {
    fn size(&self) -> u64 {
        self.chunks.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.chunks.read_at(offset, buffer)
    }
}

impl Disk for Ex01 {
    fn kind(&self) -> Kind {
        Kind::Ex01
    }

    fn sector(&self) -> u32 {
        self.sector
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn digests(&self) -> Vec<Digest> {
        self.digests.clone()
    }

    fn check(&self, go_on: &mut dyn FnMut() -> bool) -> Vec<Check> {
        let (mut found, mut right) = (Vec::new(), 0);
        for (at, segment) in self.chunks.segments.iter().enumerate() {
            for section in &segment.sections {
                let Some(stated) = &section.stated else { continue };
                let (mut hasher, mut done, mut room) = (stated.algorithm().hasher(), 0, Vec::new());
                let mut wrong = None;
                while done < section.length && wrong.is_none() {
                    if !go_on() {
                        return found;
                    }
                    room.resize((section.length - done).min(PIECE) as usize, 0);
                    match segment.file.read_exact_at(section.at + done, &mut room) {
                        Ok(()) => hasher.update(&room),
                        Err(error) => wrong = Some(Failure::from(error)),
                    }
                    done += room.len() as u64;
                }
                let is = hasher.finalize();
                if wrong.is_none() && is != *stated {
                    wrong = Some(Failure::malformed(format!("{stated} is stated, and {is} computed")));
                }
                match wrong {
                    None => right += 1,
                    wrong => {
                        let what = format!("{} of a section of segment {}", stated.algorithm(), at + 1);
                        found.push(Check { what, wrong });
                    }
                }
            }
        }
        if right > 0 {
            found.push(Check { what: format!("the digests of {right} sections"), wrong: None });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn endings() {
        let shown: Vec<_> = [1, 99, 100, 125, 126, 775, 776, 2127].map(|number| ending('E', number).unwrap()).into();
        assert_eq!(shown, ["Ex01", "Ex99", "ExAA", "ExAZ", "ExBA", "ExZZ", "EyAA", "EzZZ"]);
        assert_eq!(ending('E', 2128), None);
    }
}
