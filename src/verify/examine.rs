//! One image: everything that states its digests is looked for, each range is read once, and each
//! statement is compared.

use super::again::{self, First, FirstRead};
use super::against::{LogStatements, OtherSide, RangePair};
use super::claim::{Claim, Of};
use super::evidence::{Evidence, Exhibit};
use super::findings::Findings;
use super::log::{self, Key, Log};
use super::opening::{self, OpenImage};
use super::placing::Placing;
use super::reading::Reading;
use super::{Problem, Request, inside, stamp};
use crate::acquire::logged;
use crate::algorithms::computed;
use crate::job::Error;
use crate::verdict::{Coverage, Space, Subject};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Control;
use pfh_engine::imaging::{Imaging, ImagingResult};
use pfh_source::device::{Access, Kind, Medium};
use pfh_source::image::{Format, Image, files_of};
use pfh_source::os::file_kinds::FileTypeExt;
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::counted;
use pfh_source::terminal::shown;
use std::path::{Path, PathBuf};

/// Verifies an image; `given` is the log that was named, if its chain holds.
pub(super) fn run(
    request: &Request,
    path: &Path,
    given: Option<Log>,
    key: &Key,
    findings: &mut Findings,
    control: &Control<'_>,
) -> Result<(), Error> {
    let given = (request.log.as_deref(), given);
    match opening::open(path, request.raw, findings)? {
        OpenImage::Image(image) if request.raw && image.format() == Format::Split => {
            Err(Error::request(Problem::Pieces))
        }
        OpenImage::Image(image) => Examination::new(request, path, &image, findings, control)?.run(*image, given, key),
        other => {
            let files = files_of(path);
            let size = std::fs::metadata(path).map_or(0, |found| found.len());
            let seen = Exhibit { path, files: &files, size, is_container: true };
            let evidence = Evidence::beside(&seen, given, key, findings)?;
            let promised = if let OpenImage::Other(format) = other { Some(format) } else { None };
            opening::unopened(path, promised, &evidence.logs, findings);
            for log in &evidence.logs {
                stamp::beside(log, request.timestamp_ca.as_deref(), findings);
            }
            let files = Files::of(&files, true);
            for claim in evidence.claims.iter().filter(|claim| matches!(claim.of, Of::File(_))) {
                files.check(claim, request, findings, control);
            }
            unsigned(request, &evidence.logs, findings);
            if control.is_cancelled() { Err(Error::cancelled(Problem::Cancelled)) } else { Ok(()) }
        }
    }
}

/// Enters that there is no log by which a key could be checked.
fn unsigned(request: &Request, logs: &[Log], findings: &mut Findings) {
    let is_said = logs.is_empty() && request.log.is_none();
    if let (Some(key), true) = (&request.key, is_said) {
        findings.open(format!("{}: there is no log whose signature could be checked", shown(key)));
    }
}

/// The files of an image, with the offset of each among all.
struct Files {
    files: Vec<(PathBuf, u64, u64)>,
    total: u64,
    space: Space,
}

impl Files {
    fn of(paths: &[PathBuf], is_container: bool) -> Self {
        let (mut files, mut total) = (Vec::new(), 0);
        for path in paths {
            let length = std::fs::metadata(path).map_or(0, |found| found.len());
            files.push((path.clone(), total, length));
            total += length;
        }
        Files { files, total, space: if is_container { Space::Files } else { Space::Content } }
    }

    /// Compares the digest of one of the files, as it is, with the one that is stated.
    fn check(&self, claim: &Claim, request: &Request, findings: &mut Findings, control: &Control<'_>) {
        let Of::File(file) = &claim.of else { return };
        let algorithm = claim.digest.algorithm();
        let place = self.files.iter().find(|(path, ..)| path == file);
        let compared = place.map(|(_, offset, length)| (*offset, *length)).into_iter().collect();
        let over = Coverage { space: self.space, sizes: (self.total, None), compared, ..Coverage::default() };
        let seen = FirstRead::of(std::slice::from_ref(file));
        match again::digest_of(file, algorithm, Access::Cached, control) {
            Ok(found) => {
                let what = format!("{algorithm} of {}", shown(file));
                findings.compare(&what, &claim.by, (&claim.digest, &found), over);
                if found != claim.digest && again::is_wanted(request, control) {
                    let is_uncached = again::drop_cached(file);
                    let second = again::digest_of(file, algorithm, Access::Direct, control).ok();
                    let (what, digests, stated) = (shown(file), &[found][..], vec![claim.digest.clone()]);
                    let first = First { what, digests, stated, is_sound: true, seen: &seen };
                    first.conclude(second.into_iter().collect(), true, is_uncached, findings);
                }
            }
            Err(error) => findings.open(format!("{}: {error}", shown(file))),
        }
    }
}

/// The digests of the content that claims and logs state.
fn stated_of(claims: &[&Claim], logs: &[&Log]) -> Vec<Digest> {
    let claimed = claims.iter().map(|claim| &claim.digest);
    claimed.chain(logs.iter().flat_map(|log| &log.digests)).cloned().collect()
}

fn form(image: &Image) -> &'static str {
    match image.format() {
        Format::Raw => "raw",
        Format::Split => "split raw",
        Format::E01 => "E01",
        Format::Disk(kind) => kind.name(),
    }
}

/// An image that is open.
struct Examination<'a, 'f, 's, 'c> {
    request: &'a Request,
    path: &'a Path,
    reading: Reading<'a>,
    size: u64,
    is_device: bool,
    /// Whether the image's files are not its content.
    is_container: bool,
    files: Vec<PathBuf>,
    /// The same before the first read.
    seen: FirstRead,
    findings: &'f mut Findings<'s>,
    control: &'a Control<'c>,
}

impl<'a, 'f, 's, 'c> Examination<'a, 'f, 's, 'c> {
    fn new(
        request: &'a Request,
        path: &'a Path,
        image: &Image,
        findings: &'f mut Findings<'s>,
        control: &'a Control<'c>,
    ) -> Result<Self, Error> {
        let kind = std::fs::metadata(path).map(|found| found.file_type());
        let is_device = kind.is_ok_and(|kind| kind.is_block_device());
        let files: Vec<PathBuf> = image.paths().map(Path::to_owned).collect();
        let is_container = matches!(image.format(), Format::E01 | Format::Disk(_));
        let number = counted(files.len() as u64, "file");
        findings.note(format!("{}: {}, {} bytes in {number}", shown(path), form(image), image.size()));
        let reading = Reading::of(request, path, image, is_device);
        Ok(Examination {
            request,
            path,
            reading,
            size: image.size(),
            is_device,
            is_container,
            seen: FirstRead::of(&files),
            files,
            findings,
            control,
        })
    }

    /// Whether it is something that has an end before it is read: a file or a device.
    fn has_end(&self, image: &Image) -> bool {
        image.format() != Format::Raw
            || Medium::open(self.path.as_os_str().as_bytes(), Access::Cached).is_ok_and(|m| m.kind() != Kind::Stream)
    }

    fn run(mut self, image: Image, given: (Option<&Path>, Option<Log>), key: &Key) -> Result<(), Error> {
        if !self.has_end(&image) {
            self.findings.open(format!("{}: it states no size, and is not read: acquire it first", shown(self.path)));
            return Ok(());
        }
        let seen = Exhibit { path: self.path, files: &self.files, size: self.size, is_container: self.is_container };
        let mut evidence = Evidence::beside(&seen, given, key, self.findings)?;
        unsigned(self.request, &evidence.logs, self.findings);
        let mut claims = self.request.claims.clone();
        claims.extend(inside::claims(&image, self.path, self.findings));
        inside::parts(&image, self.path, self.findings, self.control)?;
        claims.append(&mut evidence.claims);
        // Several would hold files of it open.
        drop(image);
        // Of a raw image in one file, file and content are one.
        let apart = self.is_container || self.files.len() > 1;
        let (of_files, content): (Vec<&Claim>, Vec<&Claim>) =
            claims.iter().partition(|claim| apart && matches!(claim.of, Of::File(_)));
        let files = Files::of(&self.files, self.is_container);
        for claim in &of_files {
            files.check(claim, self.request, self.findings, self.control);
        }
        let mut placed = Vec::new();
        for log in &evidence.logs {
            log.beside(Some(self.path), self.findings);
            stamp::beside(log, self.request.timestamp_ca.as_deref(), self.findings);
            let Some(part) = &log.part else { continue };
            match Placing::of(part, log, self.path, self.size, self.is_device) {
                Ok(placing) => placed.push((log, placing)),
                Err(what) => {
                    self.findings.contradicts(Subject::Image, "the size of the image", &shown(&log.path), what);
                }
            }
        }
        self.read(&content, &placed)?;
        if self.control.is_cancelled() { Err(Error::cancelled(Problem::Cancelled)) } else { Ok(()) }
    }

    /// The other side, if the image is compared byte by byte, and the ranges that belong together.
    fn other(&mut self, placed: &[(&Log, Placing)]) -> Option<(OtherSide, RangePair)> {
        let against = self.request.against.as_deref()?;
        let other = OtherSide::open(against).map_err(|what| self.findings.open(what)).ok()?;
        let stated =
            placed.first().and_then(|(log, placing)| Some(LogStatements { log, part: log.part.as_ref()?, placing }));
        let aligned = other.align(against, self.size, stated.as_ref());
        Some((other, aligned))
    }

    /// Reads the ranges that logs state, and all of it where something states digests of all, or
    /// nothing states a part.
    fn read(&mut self, content: &[&Claim], placed: &[(&Log, Placing)]) -> Result<(), Error> {
        let mut other = self.other(placed);
        let mut open: Vec<&Claim> = content.to_vec();
        let mut ranges: Vec<Placing> = Vec::new();
        for (_, placing) in placed {
            if !ranges.iter().any(|one| (one.offset, one.length) == (placing.offset, placing.length)) {
                ranges.push(placing.clone());
            }
        }
        open.retain(|claim| match Placing::copied(claim, self.size, self.is_device) {
            Some(Err(what)) => {
                let what = format!("{}: {what}", shown(self.path));
                self.findings.contradicts(Subject::Image, "the size of the image", &claim.by, what);
                false
            }
            Some(Ok(placing)) => {
                if !ranges.iter().any(|one| (one.offset, one.length) == (placing.offset, placing.length)) {
                    ranges.push(placing);
                }
                true
            }
            None => true,
        });
        if ranges.is_empty() {
            ranges.push(Placing::whole(self.size));
        }
        let mut at = 0;
        while at < ranges.len() {
            self.findings.go_on()?;
            let placing = ranges[at].clone();
            let here = (placing.offset, placing.length);
            let logs: Vec<&Log> =
                placed.iter().filter(|(_, one)| (one.offset, one.length) == here).map(|(log, _)| *log).collect();
            let mut imaging = Imaging::new(self.algorithms(&open, &logs));
            imaging.piecewise = logs.iter().find_map(|log| logged::window(&log.sound));
            imaging.marks = other.as_ref().filter(|(_, aligned)| aligned.here == here).map(|_| 1 << 20);
            let (before, stated) = (self.findings.unequal(), stated_of(&open, &logs));
            if let Some((imaged, unread)) = self.reading.range(here, &imaging, self.findings, self.control)? {
                placing.sentence().into_iter().for_each(|text| self.findings.note(text));
                if at == 0 {
                    self.findings.summary.digests = imaged.digests.clone();
                }
                logs.iter().for_each(|log| self.by_log(log, &placing, &imaged, unread));
                self.by_claims(&mut open, &placing, &imaged, unread);
                if let Some((other, aligned)) = other.take_if(|(_, aligned)| aligned.here == here) {
                    self.side_by_side(&other, aligned, (&imaging, &imaged));
                }
                if self.findings.unequal() > before && again::is_wanted(self.request, self.control) {
                    self.again(here, &imaged, stated)?;
                }
            } else {
                open.clear();
            }
            at += 1;
            if at == ranges.len() {
                let next = match &other {
                    _ if !open.is_empty() && !ranges.iter().any(Placing::is_whole) => Some(Placing::whole(self.size)),
                    Some((_, aligned)) if !ranges.iter().any(|one| (one.offset, one.length) == aligned.here) => {
                        let (offset, length) = aligned.here;
                        Some(Placing { offset, length, ..Placing::whole(self.size) })
                    }
                    _ => None,
                };
                ranges.extend(next);
            }
        }
        Ok(())
    }

    /// Reads a range that something contradicts a second time.
    fn again(&mut self, here: (u64, u64), imaged: &ImagingResult, stated: Vec<Digest>) -> Result<(), Error> {
        let imaging = Imaging::new(imaged.digests.iter().map(Digest::algorithm).collect::<Vec<_>>());
        let is_uncached = self.files.iter().all(|file| again::drop_cached(file)) || self.is_device;
        let second = self.reading.second(here, &imaging, self.findings, self.control)?;
        let what = match here {
            (0, length) if length == self.size => shown(self.path),
            (offset, length) => format!("{}: {length} bytes from offset {offset} on", shown(self.path)),
        };
        let first = First { what, digests: &imaged.digests, stated, is_sound: imaged.bad.is_empty(), seen: &self.seen };
        let is_sound = second.as_ref().is_some_and(|read| read.bad.is_empty());
        first.conclude(second.map(|read| read.digests).unwrap_or_default(), is_sound, is_uncached, self.findings);
        Ok(())
    }

    /// The algorithms for a range: requested ones and stated ones, or SHA-256.
    fn algorithms(&self, claims: &[&Claim], logs: &[&Log]) -> Vec<Algorithm> {
        let stated = claims.iter().map(|claim| claim.digest.algorithm());
        let logged = logs.iter().flat_map(|log| log.digests.iter().map(Digest::algorithm));
        let mut all: Vec<Algorithm> = Vec::new();
        for algorithm in computed(&self.request.algorithms).into_iter().chain(stated).chain(logged) {
            if !all.contains(&algorithm) {
                all.push(algorithm);
            }
        }
        if all.is_empty() {
            all.extend(crate::REGISTRY.find("sha256"));
        }
        all
    }

    /// Compares a range with the statements of a log on it.
    fn by_log(&mut self, log: &Log, placing: &Placing, imaged: &ImagingResult, unread: u64) {
        let by = shown(&log.path);
        for stated in &log.digests {
            let algorithm = stated.algorithm();
            let what = format!("{algorithm} of the image");
            let Some(found) = imaged.digests.iter().find(|found| found.algorithm() == algorithm) else { continue };
            if unread > 0 {
                self.findings.open(format!("{what} is not compared: {unread} bytes are unreadable"));
            } else if stated != found && !placing.is_placed {
                let text = "it does not state where in the target the image starts";
                self.findings.open(format!("{what}: not compared with {by}: {text}"));
            } else if stated != found && self.is_torn(log, placing, stated) {
                let text = "a run that tried lost sectors again did not end: all but these is as stated";
                self.findings.open(format!("{what}: {by}: {text}"));
            } else {
                self.findings.compare(&what, &by, (stated, found), placing.coverage());
            }
        }
        if unread == 0 {
            let windows = logged::compare_windows(&log.path, &log.sound, &imaged.pieces, placing.coverage());
            log::enter(windows.into_iter().collect(), self.findings);
        }
    }

    /// Whether all but the sectors that a log calls lost is as it states, where a run that tried
    /// them again was cut off.
    fn is_torn(&self, log: &Log, placing: &Placing, stated: &Digest) -> bool {
        let lost = logged::losses(&log.sound);
        if log.sound.behind == 0 || lost.is_empty() || self.is_container {
            return false;
        }
        let start = log.sound.records.iter().rev().find(|record| record["kind"] == "start");
        let is_zeros = start.is_some_and(|start| start.get("fill").is_some_and(|fill| fill == "zeros"));
        let Ok(image) = Image::open_raw(self.path) else { return false };
        let (mut hasher, mut at) = (stated.algorithm().hasher(), 0);
        let mut room = vec![0; 1 << 20];
        while is_zeros && at < placing.length {
            let size = room.len().min((placing.length - at) as usize);
            match image.read_at(&mut room[..size], placing.offset + at) {
                Ok(n) if n > 0 => {
                    for (offset, length) in &lost {
                        let (from, until) = ((*offset).max(at), (offset + length).min(at + n as u64));
                        if from < until {
                            room[(from - at) as usize..(until - at) as usize].fill(0);
                        }
                    }
                    hasher.update(&room[..n]);
                    at += n as u64;
                }
                _ => return false,
            }
        }
        is_zeros && hasher.finalize() == *stated
    }

    /// Compares a range with the digests of the content that something else states; those that are
    /// of another range are left.
    fn by_claims(&mut self, open: &mut Vec<&Claim>, placing: &Placing, imaged: &ImagingResult, unread: u64) {
        open.retain(|claim| {
            let algorithm = claim.digest.algorithm();
            let what = format!("{algorithm} of the image");
            let Some(found) = imaged.digests.iter().find(|found| found.algorithm() == algorithm) else { return true };
            let (is_equal, here) = (*found == claim.digest, (placing.offset, placing.length));
            let is_answer = is_equal || claim.of.is_all_of(here, placing.size);
            if !is_answer && !placing.is_whole() {
                return true;
            }
            if unread > 0 {
                self.findings.open(format!("{what} is not compared: {unread} bytes are unreadable"));
            } else if !is_answer {
                let why = claim.of.gap(placing.size);
                self.findings.open(format!("{what}: not compared with {}: {why}", claim.by));
            } else {
                self.findings.compare(&what, &claim.by, (&claim.digest, found), placing.coverage());
            }
            false
        });
    }

    fn side_by_side(&mut self, other: &OtherSide, aligned: RangePair, read: (&Imaging, &ImagingResult)) {
        let image = (self.path, self.request.raw, self.size);
        if let Err(what) = other.compare(image, aligned, read, self.findings, self.control) {
            self.findings.open(what);
        }
    }
}
