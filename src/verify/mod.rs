//! Verifying an image: what states its digests is looked for, the image is read once, and each
//! statement is compared.
//!
//! Evidence is what the caller states, the digests inside an E01, Ex01, AFF4 or DMG image, and
//! what lies beside the image: its chained log (`IMAGE.log.jsonl`), its map (`IMAGE.map`) and
//! lists of digests that name it. There are three verdicts: *verified* names what was compared
//! with what; *differs*; *nothing to compare with*.
//!
//! ```
//! use pfh::{Control, verify};
//!
//! # let directory = std::env::temp_dir().join(format!("pfh-verify-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! let image = directory.join("disk.img");
//! std::fs::write(&image, "abc")?;
//! std::fs::write(directory.join("disk.img.md5"), "900150983cd24fb0d6963f7d28e17f72  disk.img\n")?;
//! let summary = verify::run(&verify::Request::image(&image), &mut |_| {}, &Control::new())?;
//! assert_eq!(summary.verdict(), verify::Verdict::Verified);
//! assert!(summary.sentence().contains("disk.img.md5"));
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod event;
mod evidence;
mod findings;
mod log;
mod report;

use crate::acquire::{self, Compared, ImageFormat, Origin, Session, To, compare, logged, sectors};
use crate::algorithms::computed;
use crate::shown;
use evidence::Evidence;
use findings::Findings;
use pfh_container::disk;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::imaging::{Imaged, Imaging};
use pfh_engine::{Control, Phase};
use pfh_source::device::ErrorPolicy;
use pfh_source::image::{Format, Image, OpenError};
use pfh_source::os::Patient;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use crate::verdict::Verdict;
pub use error::Error;
pub(crate) use event::Sink;
pub use event::{Event, Finding};
pub use evidence::{Claim, Of};
pub use findings::{Equal, Summary};

/// What is to be verified, and by what.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request {
    /// The image: E01 or a split image by its first file, raw, or a device. Without one only the
    /// log is verified.
    pub image: Option<PathBuf>,
    /// The image is raw, whatever its name and its first bytes say.
    pub raw: bool,
    /// A chained log. Without one the log that lies beside the image is looked for.
    pub log: Option<PathBuf>,
    /// The file of the public key that the log must be signed with.
    pub key: Option<PathBuf>,
    /// Digests that the image must have.
    pub claims: Vec<Claim>,
    /// A medium or an image that is compared byte by byte.
    pub against: Option<PathBuf>,
    /// Algorithms that are computed beside those of the evidence.
    pub algorithms: Vec<crate::Algorithm>,
}

impl Request {
    /// Verifies an image by all that lies beside it.
    pub fn image(path: impl Into<PathBuf>) -> Self {
        Request { image: Some(path.into()), ..Request::default() }
    }

    /// Verifies a chained log and what lies beside it.
    pub fn log(path: impl Into<PathBuf>) -> Self {
        Request { log: Some(path.into()), ..Request::default() }
    }
}

/// Verifies an image, or a log. Nothing is written. Cancelling ends it with [`Error::Stopped`] or
/// [`Error::Cancelled`].
///
/// # Errors
/// When there is nothing that could be verified, or the job is cancelled.
pub fn run(request: &Request, events: Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let mut findings = Findings::new(events);
    if let Some(path) = &request.log {
        log::given(path, request.key.as_deref(), request.image.is_none(), &mut findings)?;
    }
    if let Some(path) = &request.image
        && let Some(image) = open(path, request.raw, &mut findings)?
    {
        verify(request, path, image, &mut findings, control)?;
    }
    Ok(findings.summary)
}

/// Opens the image; `None` if the reason why there is none is among the findings.
fn open(path: &Path, raw: bool, findings: &mut Findings) -> Result<Option<Image>, Error> {
    let opened = if raw { Image::open_raw(path) } else { Image::open(path) };
    match opened {
        Ok(image) => return Ok(Some(image)),
        Err(OpenError::Io { error, path })
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) =>
        {
            return Err(Error::Image(OpenError::Io { error, path }));
        }
        Err(error @ OpenError::Unread { .. }) => return Err(Error::Unread(error)),
        Err(error @ OpenError::Disk { failure: disk::Failure::Refused(_), .. }) => return Err(Error::Unread(error)),
        Err(error @ OpenError::Io { .. }) => findings.open(error.to_string()),
        Err(error @ OpenError::Mismatch { .. }) => {
            findings
                .open(format!("{error}: it is damaged, or called so by mistake; --raw takes its bytes as they are"));
        }
        Err(error @ (OpenError::Ewf { .. } | OpenError::Disk { .. })) => findings.differs(error.to_string()),
    }
    Ok(None)
}

fn verify(
    request: &Request,
    path: &Path,
    image: Image,
    findings: &mut Findings,
    control: &Control<'_>,
) -> Result<(), Error> {
    if let Some(against) = request.against.as_ref().filter(|against| !against.exists()) {
        return Err(Error::Against { path: against.clone() });
    }
    if request.raw && image.format() == Format::Split {
        return Err(Error::Pieces);
    }
    let files: Vec<PathBuf> = image.paths().map(Path::to_owned).collect();
    let is_container = matches!(image.format(), Format::E01 | Format::Disk(_));
    findings.note(format!("{}: {}, {} bytes in {} files", shown(path), form(&image), image.size(), files.len()));
    let seen = evidence::Examined { path, files: &files, size: image.size(), is_container };
    let mut evidence = Evidence::beside(&seen, request.log.as_deref());
    if let Some(log) = &request.log {
        evidence.log(log, log::Standing::Given);
    }
    let mut claims = request.claims.clone();
    claims.extend(inside(&image, path, findings));
    parts(&image, path, findings, control)?;
    claims.append(&mut evidence.claims);
    let log = evidence.log.take();
    evidence.enter(findings);
    // Of a raw image in one file, file and content are one.
    let apart = is_container || files.len() > 1;
    let mut imaging = Imaging::new(algorithms(request, &claims, apart));
    imaging.policy = ErrorPolicy { retries: 0, ..ErrorPolicy::default() };
    imaging.marks = request.against.is_some().then_some(1 << 20);
    imaging.piecewise = log.as_ref().and_then(|(_, sound)| logged::window(sound));
    let sector = image.sector();
    // Both would hold files of it open.
    drop(image);
    let origin = if request.raw { Origin::Medium(path.to_owned()) } else { Origin::Image(path.to_owned()) };
    let Some(imaged) = read(origin, &imaging, findings, control)? else { return Ok(()) };
    findings.summary.digests = imaged.digests.clone();
    let unread = unreadable(path, &imaged, sector, findings);
    claims.iter().for_each(|claim| check(claim, &imaged, unread, apart, findings));
    if let Some((file, sound)) = &log {
        log::compare(file, sound, path, &imaged, findings);
    }
    if let Some(against) = &request.against {
        side_by_side(against, &imaging, &imaged, findings, control);
    }
    if control.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
}

/// The file that a claim is of; `None` if it is of the content.
fn file_of(of: &Of, apart: bool) -> Option<&Path> {
    match of {
        Of::File(file) if apart => Some(file),
        _ => None,
    }
}

/// What is computed of the image: what was asked for and what is stated, or SHA-256.
fn algorithms(request: &Request, claims: &[Claim], apart: bool) -> Vec<Algorithm> {
    let stated =
        claims.iter().filter(|claim| file_of(&claim.of, apart).is_none()).map(|claim| claim.digest.algorithm());
    let mut all: Vec<Algorithm> = Vec::new();
    for algorithm in computed(&request.algorithms).into_iter().chain(stated) {
        if !all.contains(&algorithm) {
            all.push(algorithm);
        }
    }
    if all.is_empty() {
        all.extend(crate::REGISTRY.find("sha256"));
    }
    all
}

/// Compares one claim with what was found.
fn check(claim: &Claim, imaged: &Imaged, unread: u64, apart: bool, findings: &mut Findings) {
    let algorithm = claim.digest.algorithm();
    if let Some(file) = file_of(&claim.of, apart) {
        return match digest_of(file, algorithm) {
            Ok(found) => {
                findings.compare(&format!("{algorithm} of {}", shown(file)), &claim.by, &claim.digest, &found);
            }
            Err(error) => findings.open(format!("{}: {error}", shown(file))),
        };
    }
    let what = format!("{algorithm} of the image");
    if unread > 0 {
        findings.open(format!("{what} is not compared: {unread} bytes are unreadable"));
    } else if let Some(found) = imaged.digests.iter().find(|found| found.algorithm() == algorithm) {
        findings.compare(&what, &claim.by, &claim.digest, found);
    }
}

/// Enters the runs that could not be read; returns the bytes of those that are no damage of the
/// image.
fn unreadable(path: &Path, imaged: &Imaged, sector: u32, findings: &mut Findings) -> u64 {
    let again = if imaged.bad.is_empty() { None } else { Image::open(path).ok() };
    let mut unread = 0;
    for bad in &imaged.bad {
        // Damage of the image is a finding about it; a disk that does not answer is none.
        let damage = again.as_ref().filter(|image| image.is_damaged_at(bad.offset)).and_then(Image::damage);
        match damage {
            Some(damage) => {
                let place = sectors::range(bad.offset, bad.length, sector);
                findings.differs(format!("damaged: {place}: {damage}"));
            }
            None => {
                unread += bad.length;
                findings.open(format!("unreadable: {}", sectors::unreadable(bad, sector)));
            }
        }
    }
    unread
}

fn form(image: &Image) -> &'static str {
    match image.format() {
        Format::Raw => "raw",
        Format::Split => "split raw",
        Format::E01 => "E01",
        Format::Disk(kind) => kind.name(),
    }
}

/// What an image states of its content.
fn inside(image: &Image, path: &Path, findings: &mut Findings) -> Vec<Claim> {
    if let Some(disk) = image.disk() {
        disk.notes().into_iter().for_each(|note| findings.note(note));
        let by = format!("{} itself", shown(path));
        let claim = |digest| Claim { digest, of: Of::Content, by: by.clone() };
        return disk.digests().into_iter().map(claim).collect();
    }
    let Some(index) = image.ewf() else { return Vec::new() };
    let runs: Vec<String> = index.errors.0.iter().map(|(first, count)| format!("{first} + {count}")).collect();
    if !runs.is_empty() {
        findings.note(format!("sectors that were unreadable when it was acquired: {}", runs.join(", ")));
    }
    let (md5, sha1) = (&index.digests.md5, &index.digests.sha1);
    let stored = [("md5", md5.as_ref().map(|md5| &md5[..])), ("sha1", sha1.as_ref().map(|sha1| &sha1[..]))];
    let by = format!("{} itself", shown(path));
    let claim = |(algorithm, bytes): (&str, Option<&[u8]>)| {
        let digest = Digest::from_bytes(crate::REGISTRY.find(algorithm).ok()?, bytes?).ok()?;
        Some(Claim { digest, of: Of::Content, by: by.clone() })
    };
    stored.into_iter().filter_map(claim).collect()
}

/// Compares what a disk image states of its own parts: chunks, tables, sections.
fn parts(image: &Image, path: &Path, findings: &mut Findings, control: &Control<'_>) -> Result<(), Error> {
    let Some(disk) = image.disk() else { return Ok(()) };
    let checks = disk.check(&mut || !control.is_cancelled());
    if control.is_cancelled() {
        return Err(Error::Cancelled);
    }
    for check in checks {
        match check.wrong {
            None => {
                findings.note(format!("{}: as stated by {} itself", check.what, shown(path)));
                findings.equal(check.what, format!("{} itself", shown(path)), None);
            }
            Some(failure @ (disk::Failure::Refused(_) | disk::Failure::Io(_))) => {
                findings.open(format!("{}: {failure}", check.what));
            }
            Some(failure) => findings.differs(format!("{}: {failure}: DIFFERENT", check.what)),
        }
    }
    Ok(())
}

/// The digest of one file of the image, as it is.
fn digest_of(path: &Path, algorithm: Algorithm) -> io::Result<Digest> {
    let mut file = Patient::open(path)?;
    let mut hasher = algorithm.hasher();
    let mut room = vec![0; 1 << 20];
    loop {
        match file.read(&mut room)? {
            0 => return Ok(hasher.finalize()),
            got => hasher.update(&room[..got]),
        }
    }
}

/// Compares with a medium or an image, mark by mark.
fn side_by_side(against: &Path, imaging: &Imaging, imaged: &Imaged, findings: &mut Findings, control: &Control<'_>) {
    let form = if against.extension().is_some_and(|e| e.eq_ignore_ascii_case("e01")) {
        ImageFormat::E01 { compression: Default::default(), segment: 0 }
    } else {
        ImageFormat::RAW
    };
    let to = To { path: against.to_owned(), form };
    match compare(&to, imaging, imaged, None, (control, Phase::Comparing)) {
        Ok(found) => compared(&shown(against), &found, findings),
        Err(error) => findings.open(error.to_string()),
    }
}

fn compared(name: &str, found: &Compared, findings: &mut Findings) {
    for (offset, length) in found.differing.iter().take(sectors::MOST_LISTED) {
        findings.differs(format!("{name}: differs within {length} bytes from offset {offset} on"));
    }
    if let Some(more) = sectors::more(&found.differing) {
        findings.differs(format!("{name}: {more}"));
    }
    for (offset, length) in &found.unreadable {
        findings.open(format!("{name}: unreadable at offset {offset}, {length} bytes"));
    }
    if found.is_good() {
        findings.equal("all bytes of the image".into(), name.into(), None);
    } else if found.unreadable.is_empty() {
        findings.differs(format!("{name}: DIFFERENT"));
    }
}

/// Reads all of an image; `None` if the reason why it could not be read is among the findings.
fn read(
    source: Origin,
    imaging: &Imaging,
    findings: &mut Findings,
    control: &Control<'_>,
) -> Result<Option<Imaged>, Error> {
    let asked = acquire::Request::reading(source, imaging.clone());
    let read = |mut session: Session| session.read(control, Phase::Verifying, &mut |_| {});
    let imaged = match Session::open(asked).and_then(read) {
        Ok(imaged) => imaged,
        Err(error) => {
            findings.open(error.to_string());
            return Ok(None);
        }
    };
    match imaged.stopped {
        None if control.is_cancelled() => Err(Error::Cancelled),
        None => Ok(Some(imaged)),
        Some(cause) if control.is_cancelled() => Err(Error::Stopped { bytes: imaged.bytes, cause }),
        Some(cause) => {
            findings.open(format!("stopped after {} bytes: {cause}", imaged.bytes));
            Ok(None)
        }
    }
}
