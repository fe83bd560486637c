//! `pfh verify`: an image, by all that states its digests, and the log of its acquisition.
//!
//! Three verdicts: *verified* names what was compared with what; *differs*; *nothing to compare with*.

mod evidence;
mod findings;
mod log;

use crate::exit::{self, Exit};
use crate::imaging::{self, Bar};
use crate::run::algorithms;
use crate::shown;
use crate::signals::Signals;
use clap::Args;
use evidence::{Claim, Evidence, Of};
use findings::Findings;
use pfh::acquisition::{Acquire, Acquisition, AcquisitionError, Form, Origin, To, compare, logged};
use pfh::device::{Access, Care};
use pfh::format::image::ewf::About;
use pfh::image::{Format, Image, OpenError};
use pfh::imaging::{Imaged, Imaging};
use pfh::{Algorithm, Digest};
use std::path::{Path, PathBuf};

/// Check an image, and the log of its acquisition.
#[derive(Debug, Args)]
#[command(after_help = EVIDENCE)]
pub struct Verify {
    /// The image: E01 or a split image by its first file, raw, or a device.
    #[arg(value_name = "IMAGE", required_unless_present = "log")]
    pub image: Option<PathBuf>,
    /// The chained log (….jsonl): its chain must hold, and its digests must be those of the image [default: what lies
    /// beside the image].
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// The public key that the log must be signed with.
    #[arg(long, value_name = "FILE", requires = "log")]
    pub key: Option<PathBuf>,
    /// A digest that the image must have, as NAME:HEX. May be repeated.
    #[arg(long, value_name = "NAME:HEX")]
    pub digest: Vec<String>,
    /// Compare with this medium or image; differing ranges are printed.
    #[arg(long, value_name = "SOURCE")]
    pub against: Option<PathBuf>,
    /// Compute these, too.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The image is raw, whatever its name and its first bytes say.
    #[arg(long)]
    pub raw: bool,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
    /// As one JSON object.
    #[arg(long)]
    pub json: bool,
}

const EVIDENCE: &str = "\
Beside the image these are found by themselves: its log (IMAGE.log.jsonl, or the log that names it), its map (IMAGE.map),
lists of digests (IMAGE.md5, IMAGE.sha256 …, MD5SUMS, SHA256SUMS …, manifests called IMAGE.* or manifest.*), and the digests in
an E01 image.

Exit codes: 0 verified; 1 the image, its log or a list differs; 2 usage, or there is no such file; 3 nothing to compare
with, or something could not be read; 128+n ended by signal n.";

/// Runs it.
pub fn run(args: &Verify) -> Exit {
    match try_run(args) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

/// A digest that the user states.
fn stated(text: &str) -> Result<Claim, String> {
    let (name, hex) = text.rsplit_once(':').ok_or_else(|| format!("--digest {text:?} is not NAME:HEX"))?;
    let algorithm = pfh::algorithm(name).map_err(|e| format!("--digest {text:?}: {e}"))?;
    let digest = Digest::parse(algorithm, &hex.to_ascii_lowercase());
    let digest = digest.map_err(|_| format!("--digest {text:?}: no digest of {algorithm}"))?;
    Ok(Claim { digest, of: Of::Content, by: "--digest".into() })
}

/// An open image, or how the command ends without one.
fn open(path: &Path, args: &Verify, findings: &mut Findings) -> Result<Option<Image>, String> {
    let opened = if args.raw { Image::open_raw(path) } else { Image::open(path) };
    match opened {
        Ok(image) => Ok(Some(image)),
        Err(error @ OpenError::Io { .. }) => {
            let no_image = [std::io::ErrorKind::NotFound, std::io::ErrorKind::IsADirectory];
            if matches!(&error, OpenError::Io { error, .. } if no_image.contains(&error.kind())) {
                return Err(error.to_string());
            }
            findings.open(error.to_string());
            Ok(None)
        }
        Err(error @ OpenError::Unread { .. }) => Err(format!("{error}; --raw takes its bytes as they are")),
        Err(error @ OpenError::Mismatch { .. }) => {
            findings
                .open(format!("{error}: it is damaged, or called so by mistake; --raw takes its bytes as they are"));
            Ok(None)
        }
        Err(error @ OpenError::Ewf { .. }) => {
            findings.bad(error.to_string());
            Ok(None)
        }
    }
}

fn try_run(args: &Verify) -> Result<Exit, String> {
    let mut findings = Findings::default();
    let mut claims: Vec<Claim> = args.digest.iter().map(|text| stated(text)).collect::<Result<_, _>>()?;
    let mut wanted = if args.algorithms.is_empty() { Vec::new() } else { algorithms(&args.algorithms)? };
    if let Some(path) = &args.log {
        log::given(path, args.key.as_deref(), args.image.is_none(), &mut findings)?;
    }
    let Some(path) = &args.image else { return print(args, &findings, None) };
    let Some(image) = open(path, args, &mut findings)? else { return print(args, &findings, None) };
    if let Some(against) = args.against.as_ref().filter(|against| !against.exists()) {
        return Err(format!("{}: there is no such file", name(against)));
    }
    if args.raw && image.format() == Format::Split {
        return Err("--raw is for an image in one file".into());
    }
    let files: Vec<PathBuf> = image.paths().map(Path::to_owned).collect();
    let is_e01 = image.format() == Format::E01;
    let seen = evidence::Image { path, files: &files, size: image.size(), is_e01 };
    findings.note(format!("{}: {}, {} bytes in {} files", name(path), form(&image), image.size(), files.len()));
    let mut evidence = Evidence::beside(&seen, args.log.as_deref());
    if let Some(log) = &args.log {
        evidence.log(log, log::Standing::Given);
    }
    claims.extend(inside(&image, path, &mut findings));
    claims.append(&mut evidence.claims);
    let log = evidence.log.take();
    findings.take(evidence);
    // Of a raw image in one file, file and content are one.
    let is_file = |of: &Of| matches!(of, Of::File(_)) && (is_e01 || files.len() > 1);
    wanted.extend(claims.iter().filter(|claim| !is_file(&claim.of)).map(|claim| claim.digest.algorithm()));
    if wanted.is_empty() {
        wanted = algorithms(&["sha256".to_owned()])?;
    }
    let names: Vec<String> = wanted.iter().map(Algorithm::to_string).collect();
    let mut imaging = Imaging::new(algorithms(&names)?);
    imaging.care = Care { retries: 0, ..Care::default() };
    imaging.marks = args.against.is_some().then_some(1 << 20);
    imaging.piecewise = log.as_ref().and_then(|(_, sound)| logged::window(sound));
    let sector = image.sector();
    // Both would hold files of it open.
    drop(image);
    let origin = if args.raw { Origin::Medium(path.clone()) } else { Origin::Image(path.clone()) };
    let imaged = match read(origin, &imaging, !args.no_progress, &mut findings)? {
        Ok(imaged) => imaged,
        Err(Some(exit)) => return Ok(exit),
        Err(None) => return print(args, &findings, None),
    };
    let unread = unreadable(path, &imaged, sector, &mut findings);
    for claim in &claims {
        let what = |of: &str| format!("{} of {of}", claim.digest.algorithm());
        match &claim.of {
            Of::File(file) if is_file(&claim.of) => match digest_of(file, claim.digest.algorithm()) {
                Ok(found) => findings.compare(&what(&name(file)), &claim.by, &claim.digest, &found),
                Err(error) => findings.open(format!("{}: {error}", name(file))),
            },
            _ if unread > 0 => {
                findings.open(format!("{} is not compared: {unread} bytes are unreadable", what("the image")))
            }
            _ => {
                let found = imaged.digests.iter().find(|found| found.algorithm() == claim.digest.algorithm());
                if let Some(found) = found {
                    findings.compare(&what("the image"), &claim.by, &claim.digest, found);
                }
            }
        }
    }
    if let Some((file, sound)) = &log {
        log::compare(file, sound, Some(path), &imaged, &mut findings);
    }
    if let Some(against) = &args.against {
        side_by_side(against, &imaging, &imaged, args, &mut findings);
    }
    print(args, &findings, Some(&imaged))
}

/// Reports the runs that could not be read; the bytes of those that are no damage of the image.
fn unreadable(path: &Path, imaged: &Imaged, sector: u32, findings: &mut Findings) -> u64 {
    let again = if imaged.bad.is_empty() { None } else { Image::open(path).ok() };
    let mut unread = 0;
    for bad in &imaged.bad {
        // Damage of the image is a finding about it; a disk that does not answer is none.
        let damage = again.as_ref().filter(|image| image.is_damaged_at(bad.offset)).and_then(Image::damage);
        match damage {
            Some(damage) => {
                let place = imaging::place(bad.offset, bad.length, sector);
                findings.bad(format!("damaged: {place}: {damage}"));
            }
            None => {
                unread += bad.length;
                let run = imaging::run(bad.offset, bad.length, sector, bad.errno);
                findings.open(format!("unreadable: {run}"));
            }
        }
    }
    unread
}

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

fn form(image: &Image) -> &'static str {
    match image.format() {
        Format::Raw => "raw",
        Format::Split => "split raw",
        Format::E01 => "E01",
    }
}

/// What an E01 image states of itself.
fn inside(image: &Image, path: &Path, findings: &mut Findings) -> Vec<Claim> {
    let Some(index) = image.ewf() else { return Vec::new() };
    let runs: Vec<String> = index.errors.0.iter().map(|(first, count)| format!("{first} + {count}")).collect();
    if !runs.is_empty() {
        findings.note(format!("sectors that were unreadable when it was acquired: {}", runs.join(", ")));
    }
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let stored = [("md5", index.digests.md5.map(|b| hex(&b))), ("sha1", index.digests.sha1.map(|b| hex(&b)))];
    let by = format!("{} itself", name(path));
    let claim = |(algorithm, hex): (&str, Option<String>)| {
        let digest = Digest::parse(pfh::algorithm(algorithm).ok()?, &hex?).ok()?;
        Some(Claim { digest, of: Of::Content, by: by.clone() })
    };
    stored.into_iter().filter_map(claim).collect()
}

/// The digest of one file of the image, as it is.
fn digest_of(path: &Path, algorithm: Algorithm) -> std::io::Result<Digest> {
    use std::io::Read;
    let mut file = pfh::Patient::open(path)?;
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
fn side_by_side(against: &Path, imaging: &Imaging, imaged: &Imaged, args: &Verify, findings: &mut Findings) {
    let form = if against.extension().is_some_and(|e| e.eq_ignore_ascii_case("e01")) {
        Form::E01 { compression: Default::default(), segment: 0 }
    } else {
        Form::RAW
    };
    let to = To { path: against.to_owned(), form };
    let bar = Bar::open(!args.no_progress, "comparing");
    let compared = compare(&to, imaging, imaged, None, pfh::Cancel::default(), &mut |pace| bar.show(pace));
    drop(bar);
    let name = name(against);
    let found = match compared {
        Ok(found) => found,
        Err(error) => return findings.open(error.to_string()),
    };
    for (offset, length) in found.differing.iter().take(imaging::MOST_LINES) {
        findings.bad(format!("{name}: differs within {length} bytes from offset {offset} on"));
    }
    if let Some(more) = imaging::more(&found.differing) {
        findings.bad(format!("{name}: {more}"));
    }
    for (offset, length) in &found.unreadable {
        findings.open(format!("{name}: unreadable at offset {offset}, {length} bytes"));
    }
    if found.is_good() {
        findings.equal("all bytes of the image".into(), name, None);
    } else if found.unreadable.is_empty() {
        findings.bad(format!("{name}: DIFFERENT"));
    }
}

/// Reads all of an image. Without one: the exit of a signal, or `None` where the reason is among the findings.
fn read(
    source: Origin,
    imaging: &Imaging,
    progress: bool,
    findings: &mut Findings,
) -> Result<Result<Imaged, Option<Exit>>, String> {
    let signals = Signals::catch().map_err(|e| format!("signals cannot be caught: {e}"))?;
    let asked = Acquisition {
        source,
        access: Access::Cached,
        faults: None,
        targets: Vec::new(),
        imaging: imaging.clone(),
        map: None,
        adopt_map: false,
        salvage: false,
        give_up: None,
        replace: false,
        about: About::default(),
        set: [0; 16],
        outboard: None,
    };
    let bar = Bar::open(progress, "verifying");
    let cancel: pfh::Cancel = signals.flag().into();
    let run = || -> Result<Imaged, AcquisitionError> { Acquire::open(asked)?.run(cancel, &mut |pace| bar.show(pace)) };
    let ran = run();
    drop(bar);
    Ok(match ran {
        Ok(Imaged { stopped: None, .. }) if signals.number() != 0 => Err(Some(Exit::Signal(signals.number()))),
        Ok(imaged) => match imaged.stopped {
            None => Ok(imaged),
            Some(stop) => {
                let what = format!("stopped after {} bytes: {stop}", imaged.bytes);
                if signals.number() != 0 {
                    exit::say(what);
                    return Ok(Err(Some(Exit::Signal(signals.number()))));
                }
                findings.open(what);
                Err(None)
            }
        },
        Err(error) => {
            findings.open(error.to_string());
            Err(None)
        }
    })
}

fn print(args: &Verify, findings: &Findings, imaged: Option<&Imaged>) -> Result<Exit, String> {
    let digests = imaged.into_iter().flat_map(|imaged| &imaged.digests);
    let text = if args.json {
        let digests: serde_json::Map<String, serde_json::Value> =
            digests.map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
        format!("{}\n", findings.json(digests))
    } else {
        let digests = digests.map(|d| format!("{} {d}\n", d.algorithm()));
        let lines = findings.lines().iter().map(|line| format!("{line}\n"));
        lines.chain(digests).chain([format!("{}\n", findings.verdict_line())]).collect()
    };
    if let Err(error) = exit::print(text.as_bytes()) {
        return Ok(exit::of_output(&error));
    }
    Ok(findings.exit())
}
