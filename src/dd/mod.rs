//! The job *dd*: a copy with the operands of dd and of its forensic kin (dcfldd, dc3dd), hashed on
//! the way.
//!
//! A [`Request`] is made of operands; [`run`] carries them out as an [`acquire`] job without map
//! and log, writes the logs that they name, and makes the comparisons that they name.
//!
//! ```
//! use pfh::{Control, dd};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-dd-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! std::fs::write(room.join("disk"), "abc")?;
//! let words = [format!("if={}/disk", room.display()), format!("of={}/copy", room.display()), "hash=md5".into()];
//! let request = dd::Request::parse(&words.map(Into::into), false)?;
//! let summary = dd::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! assert!(dd::hashes(&summary.acquired.imaged).contains("Total (md5): 900150983cd24fb0d6963f7d28e17f72"));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod log;
mod operands;
mod problem;

pub use log::{hashes, losses};
pub use operands::{Operands, Status};
pub use problem::Problem;

use crate::acquire::{self, CaseData, ImageFormat, Origin, Pieces, Reading, Start, TargetComparison, To};
use crate::job::Error;
use crate::outputs::Outputs;
use crate::verdict::Verdict;
use pfh_container::split::Suffix;
use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_engine::imaging::Ring;
use pfh_source::device::{Access, ErrorPolicy, Fill, Medium};
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::shown;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Operands, and the acquisition that they ask for.
#[derive(Debug)]
pub struct Request {
    operands: Operands,
    acquisition: acquire::Request,
    beyond: bool,
}

/// An event. Its text is a sentence for people, or several, a line each.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The input ends before the place that `skip=` names.
    Beyond(&'a Path),
    /// An event of the acquisition.
    Acquiring(&'a acquire::Event<'a>),
    /// The copy was compared with this medium or image.
    Compared {
        /// The medium or image.
        other: &'a To,
        /// How it compares.
        compared: &'a TargetComparison,
        /// Whether it is equal, its length included.
        is_equal: bool,
    },
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Beyond(path) => write!(f, "{}: it ends before the place that skip= names", shown(path)),
            Event::Acquiring(event) => event.fmt(f),
            Event::Compared { other, is_equal: true, .. } => write!(f, "{}: equal", shown(&other.path)),
            Event::Compared { other, compared, .. } => {
                let name = shown(&other.path);
                let line = |offset, length| format!("differs within {length} bytes from offset {offset} on");
                for line in compared.lines(&name, line) {
                    writeln!(f, "{line}")?;
                }
                let is_open = compared.verdict() == Verdict::NothingToCompareWith;
                write!(f, "{name}: {}", if is_open { compared.word() } else { "DIFFERENT" })
            }
        }
    }
}

/// The result of a copy.
#[derive(Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The result of the acquisition.
    pub acquired: acquire::Summary,
    /// Whether something that was compared differs.
    pub differs: bool,
}

impl Request {
    /// Reads operands. `replace` says whether existing files may be replaced; inputs never are.
    ///
    /// # Errors
    /// When an operand is not supported or makes no sense.
    pub fn parse(words: &[OsString], replace: bool) -> Result<Request, Error> {
        let parse = || -> Result<Request, Problem> {
            let operands = Operands::parse(words)?;
            let (acquisition, beyond) = acquisition(&operands, replace)?;
            Ok(Request { operands, acquisition, beyond })
        };
        parse().map_err(Error::request)
    }

    /// Reads through this ring of blocks.
    #[must_use]
    pub fn ring(mut self, ring: Option<Ring>) -> Request {
        self.acquisition.reading.ring = ring;
        self
    }

    /// The values of the operands.
    pub fn operands(&self) -> &Operands {
        &self.operands
    }

    /// Refuses outputs that are in the way of something, or cannot be what they are to be.
    ///
    /// # Errors
    /// Those of the acquisition that the operands ask for.
    pub fn check(&self) -> Result<(), Error> {
        self.acquisition.check()
    }
}

/// Takes events as they happen; an error ends the job.
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// Copies, and writes the logs that the operands name.
///
/// # Errors
/// When the acquisition is refused, fails or is cancelled, or a log cannot be written.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let Request { operands, acquisition, beyond } = request;
    acquisition.check()?;
    if let (true, Some(input)) = (*beyond, &operands.input) {
        events(Event::Beyond(input)).map_err(Error::Sink)?;
    }
    let mut differs = false;
    let mut take = |event: acquire::Event<'_>| {
        events(Event::Acquiring(&event))?;
        if let acquire::Event::ComparedWith { other, compared, bytes } = event {
            let is_as_long = operands.vf.is_none() || is_as_long(&other.path, bytes);
            differs |= !is_as_long || compared.verdict() == Verdict::Differs;
            events(Event::Compared { other, compared, is_equal: compared.is_good() && is_as_long })?;
        }
        Ok(())
    };
    let acquired = acquire::run(acquisition, &mut take, control)?;
    log::write(operands, &acquired).map_err(|error| Error::output(Problem::Log(error)))?;
    Ok(Summary { acquired, differs })
}

/// The algorithms of these names, each once.
fn algorithms(names: &[String]) -> Result<Vec<Algorithm>, Problem> {
    let mut found: Vec<Algorithm> = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let algorithm = crate::REGISTRY.find(name)?;
        if !found.contains(&algorithm) {
            found.push(algorithm);
        }
    }
    if found.is_empty() && !names.is_empty() { Err("no algorithm was named".into()) } else { Ok(found) }
}

/// The outputs: (path, form, whether it is read back).
fn outputs(operands: &Operands) -> Result<Vec<(To, bool)>, Problem> {
    let start = match (operands.has("conv", "notrunc"), operands.has("conv", "excl")) {
        (_, true) => Start::New,
        (true, false) => Start::Into,
        (false, false) => Start::Replace,
    };
    let raw = ImageFormat::Raw {
        seek: operands.seek_bytes(),
        sparse: operands.has("conv", "sparse"),
        direct: operands.has("oflag", "direct"),
        start: Some(start),
        synced: true,
    };
    let mut all: Vec<(To, bool)> = Vec::new();
    for (paths, read_back) in [(&operands.of, false), (&operands.hof, true)] {
        for path in paths {
            if operands.has("conv", "nocreat") && !path.exists() {
                return Err(format!("{}: it does not exist, and conv=nocreat was given", shown(path)).into());
            }
            let form = match operands.split {
                Some(length) => ImageFormat::Split(Pieces { length, suffix: Suffix::Digits, width: 3 }),
                None => raw.clone(),
            };
            all.push((To { path: path.clone(), form }, read_back));
        }
    }
    for path in &operands.ofs {
        let length = operands.ofsz.ok_or("ofs= needs ofsz=")?;
        let pattern = path.extension().and_then(|e| e.to_str()).and_then(Suffix::parse);
        let (suffix, width) =
            pattern.ok_or("ofs= takes a name that ends in .000, .111 or .aaa, of two places or more")?;
        all.push((
            To { path: path.with_extension(""), form: ImageFormat::Split(Pieces { length, suffix, width }) },
            false,
        ));
    }
    if all.is_empty() && operands.vf.is_none() {
        all.push((
            To {
                path: "/dev/stdout".into(),
                form: ImageFormat::Raw {
                    seek: 0,
                    sparse: false,
                    direct: false,
                    start: Some(Start::Into),
                    synced: true,
                },
            },
            false,
        ));
    }
    Ok(all)
}

fn source(operands: &Operands, outputs: &[(To, bool)]) -> Result<Origin, Problem> {
    let Some(bytes) = &operands.pattern else {
        return Ok(Origin::Medium(operands.input.clone().unwrap_or_else(|| "-".into())));
    };
    let length = match operands.length() {
        Some(length) => length,
        None => {
            let device = outputs.first().map(|(to, _)| &to.path).ok_or("pattern= needs limit= or count=")?;
            let medium = Medium::open(device.as_os_str().as_bytes(), Access::Cached).map_err(|e| e.to_string())?;
            let size = medium.size().filter(|_| medium.device().is_some());
            size.ok_or("pattern= needs limit= or count=, or a device to fill")?.saturating_sub(operands.seek_bytes())
        }
    };
    Ok(Origin::Pattern { bytes: bytes.clone(), length })
}

/// Other files that are read and written.
fn guarded(operands: &Operands, replace: bool) -> Outputs {
    let mut outputs = Outputs::new(replace);
    outputs.reads_all(&operands.vf);
    outputs.file("hashlog=", operands.hashlog.as_ref()).file("errlog=", operands.errlog.as_ref());
    outputs
}

/// The input, and the digests to compute.
fn reading(operands: &Operands) -> Result<Reading, Problem> {
    let mut imaging = Reading::new(algorithms(&operands.hash)?);
    imaging.readers = 1;
    imaging.piecewise = operands.hashwindow;
    imaging.from = if operands.pattern.is_some() { 0 } else { operands.skip_bytes() };
    imaging.length = operands.length();
    // As dd: with conv=sync the last block is filled with zeros.
    if operands.has("conv", "sync") {
        imaging.pad = Some(u32::try_from(operands.ibs).map_err(|_| "conv=sync takes blocks of less than 4 GiB")?);
    }
    // Without conv=noerror the first unreadable sector ends it, as in dd.
    let most_errors = if operands.has("conv", "noerror") { None } else { Some(0) };
    // With conv=sync the blocks keep their places; without it dd leaves out the blocks that it
    // could not read.
    let fill = if operands.has("conv", "sync") { Fill::Zeros } else { Fill::Omitted };
    imaging.policy = ErrorPolicy { fill, most_errors, ..ErrorPolicy::default() };
    Ok(imaging)
}

/// The acquisition that does it, and whether the input ends before the place that `skip=` names.
fn acquisition(operands: &Operands, replace: bool) -> Result<(acquire::Request, bool), Problem> {
    for (name, path) in [("hashlog=", &operands.hashlog), ("errlog=", &operands.errlog), ("vf=", &operands.vf)] {
        if let Some(path) = path.as_ref().filter(|path| acquire::is_pipe(path)) {
            return Err(format!("{name}{}: a pipe (FIFO): name a file", shown(path)).into());
        }
    }
    let outputs = outputs(operands)?;
    let targets = outputs.iter().map(|(to, _)| to.clone()).collect();
    let imaging = reading(operands)?;
    let mut request = acquire::Request::new(source(operands, &outputs)?, targets);
    // Direct reads lose no neighbours; without errors to narrow down the page cache serves as well.
    let direct = operands.has("iflag", "direct") || imaging.policy.most_errors.is_none();
    request.access = if direct { Access::Direct } else { Access::Cached };
    request.reading = imaging;
    (request.map, request.log, request.give_up, request.replace) = (None, None, None, replace);
    (request.about, request.outputs) = (CaseData::default(), guarded(operands, replace));
    let back = outputs.into_iter().filter(|(_, back)| *back).map(|(to, _)| to);
    let against = operands.vf.iter().map(|path| To { path: path.clone(), form: ImageFormat::RAW });
    request.against = back.chain(against).collect();
    let beyond = beyond(operands, &mut request.reading);
    Ok((request, beyond))
}

/// As dd: nothing is copied of an input that ends before `skip=`. Returns whether it does.
fn beyond(operands: &Operands, imaging: &mut Reading) -> bool {
    // A pipe is opened once: a writer that finds its reader gone again gets SIGPIPE.
    let is_seekable = |path: &&PathBuf| log::kind(path).is_some();
    let input = operands.input.as_ref().filter(|_| imaging.from > 0).filter(is_seekable);
    let Some(path) = input else { return false };
    let size = Medium::open(path.as_os_str().as_bytes(), Access::Cached).ok().and_then(|m| m.size());
    if size.is_some_and(|size| size <= imaging.from) {
        (imaging.from, imaging.length) = (0, Some(0));
    }
    size.is_some_and(|size| size < operands.skip_bytes())
}

/// vf= compares whole files.
fn is_as_long(path: &Path, bytes: u64) -> bool {
    Medium::open(path.as_os_str().as_bytes(), Access::Cached).is_ok_and(|m| m.size().is_none_or(|size| size == bytes))
}
