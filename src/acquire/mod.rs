//! Acquiring a medium: what `pfh acquire` and `pfh dd` do, as a library.
//!
//! Reads the source once into all targets and digests, keeps a map by which an interrupted acquisition goes on, and
//! compares the targets with what was read where that is asked for.

mod carry;
pub mod case;
mod comparing;
mod guarding;
pub mod identity;
mod late;
pub mod logged;
mod remarks;
mod resuming;
mod retrying;
pub mod sectors;

use crate::outputs::{Outputs, Refused};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::imaging::{Follow, Imaged, Imaging, ImagingError, Prefixes, Target, image};
use pfh_engine::{Control, Phase};
use pfh_format::image::ewf::{Compression, Media, Volume};
use pfh_format::image::map::Map;
use pfh_sink::image::{Ewf, EwfOptions, Pieces, Raw, RawOptions, Start, Tree};
use pfh_source::device::{Access, Bad, Kind, Medium, mounts};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub use comparing::{Compared, compare};
use late::Late;
pub use pfh_format::image::ewf::About;
use resuming::Resumption;
pub use retrying::{Again, Retried};

/// The form of a target.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// The medium's bytes in one file, or on a device.
    Raw {
        /// Where in it the image starts, in bytes.
        seek: u64,
        /// Zeros become holes.
        sparse: bool,
        /// Past the page cache.
        direct: bool,
        /// What becomes of a file that exists; `None` for what [`Acquisition::replace`] says.
        start: Option<Start>,
        /// Whether its end is synced.
        synced: bool,
    },
    /// The medium's bytes in pieces. The path is the name without the number.
    Split(Pieces),
    /// EnCase 6's E01. The path is that of the first segment.
    E01 {
        /// How hard to compress.
        compression: Compression,
        /// Largest segment in bytes.
        segment: u64,
    },
}

impl Form {
    /// One file or device, synced.
    pub const RAW: Form = Form::Raw { seek: 0, sparse: false, direct: false, start: None, synced: true };
}

/// One target.
#[derive(Debug, Clone, PartialEq)]
pub struct To {
    /// Where.
    pub path: PathBuf,
    /// In which form.
    pub form: Form,
}

/// Where the bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A device or a file; `-` is standard input.
    Medium(PathBuf),
    /// The content of an image: E01, split or raw, by the name of its first file.
    Image(PathBuf),
    /// These bytes, over and over.
    Pattern {
        /// Which.
        bytes: Vec<u8>,
        /// How many bytes in all.
        length: u64,
    },
}

impl Origin {
    /// Its path, where it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::Medium(path) | Origin::Image(path) => Some(path),
            Origin::Pattern { .. } => None,
        }
    }
}

/// What is to be acquired, and where to.
#[derive(Debug, Clone)]
pub struct Acquisition {
    /// Where the bytes come from.
    pub source: Origin,
    /// How it is read.
    pub access: Access,
    /// Parts of it to be treated as unreadable, for tests and training.
    pub faults: Option<Map>,
    /// Where it goes. May be empty: then it is only hashed.
    pub targets: Vec<To>,
    /// What is read of it and what is computed.
    pub imaging: Imaging,
    /// The map file: what has been read. An acquisition with a map goes on where it was cut off.
    pub map: Option<PathBuf>,
    /// A map that names no source (GNU ddrescue's, say) is taken for that of this one.
    pub adopt_map: bool,
    /// After so many unreadable sectors in a row the zone is passed over, with skips that double. `None`: never.
    pub give_up: Option<u64>,
    /// A source image that is damaged outside of its data is read as far as it goes.
    pub salvage: bool,
    /// Whether existing targets are replaced.
    pub replace: bool,
    /// Case data, for formats that hold them.
    pub about: About,
    /// Identifies an E01's set of segments.
    pub set: [u8; 16],
    /// Where the image's BLAKE3 tree is kept, for later updates and audits.
    pub outboard: Option<PathBuf>,
}

/// What was found out before the first byte.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// Bytes of the image, where that is known.
    pub bytes: Option<u64>,
    /// How much of it is there from before.
    pub done: u64,
    /// Where the source is mounted, and whether for writing.
    pub mounts: Vec<(String, bool)>,
    /// What the source is known by; `None` without a map.
    pub identity: Option<identity::Identity>,
    /// What is to be known of the resumption: that the source has another name, say.
    pub notes: Vec<String>,
    /// Where a damaged source image is not as its format demands.
    pub departures: Vec<String>,
}

/// Why nothing was acquired.
#[derive(Debug, thiserror::Error)]
pub enum AcquisitionError {
    /// The source cannot be opened.
    #[error("{}: {problem}", path.display())]
    Source {
        /// Which.
        path: PathBuf,
        /// Why.
        problem: pfh_source::Problem,
    },
    /// The source is an image that is not sound.
    #[error("{0}")]
    Image(#[from] pfh_source::image::OpenError),
    /// A file to be written is one that is read, or somebody else's. Nothing was written.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A target cannot be opened or written.
    #[error("{}: {error}", path.display())]
    Target {
        /// Which.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The map cannot be read or written.
    #[error("{}: {error}", path.display())]
    Map {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A target is not what was written: its first `from` bytes are, those up to `upto` are not.
    #[error("{}: it was changed since it was written, between offsets {from} and {upto} of the image: nothing was written; start anew with --force", path.display())]
    Changed {
        /// Which.
        path: PathBuf,
        /// Up to here it is as it was, in bytes of the image.
        from: u64,
        /// Here its digest is another one than the map states.
        upto: u64,
    },
    /// The imaging itself.
    #[error(transparent)]
    Imaging(ImagingError),
    /// It makes no sense as asked for.
    #[error("{0}")]
    Usage(String),
}

/// An acquisition whose source is open.
pub struct Acquire {
    asked: Acquisition,
    medium: Medium,
    resumption: Resumption,
    departures: Vec<String>,
}

impl Acquire {
    /// Opens the source, refuses what cannot work, and finds out what is there from an earlier run. Writes nothing.
    ///
    /// # Errors
    /// See [`AcquisitionError`].
    pub fn open(asked: Acquisition) -> Result<Self, AcquisitionError> {
        let outputs = Outputs::new(asked.replace);
        Self::open_beside(asked, outputs)
    }

    /// As [`open`](Acquire::open), with what else the caller reads and writes: its logs must be no target, either.
    ///
    /// # Errors
    /// See [`AcquisitionError`].
    pub fn open_beside(mut asked: Acquisition, mut outputs: Outputs) -> Result<Self, AcquisitionError> {
        let mut departures = Vec::new();
        let mut medium = match &asked.source {
            Origin::Image(path) => {
                let image = match asked.salvage {
                    true => {
                        let (image, found) = pfh_source::image::Image::salvage(path)?;
                        departures = found;
                        image
                    }
                    false => pfh_source::image::Image::open(path)?,
                };
                let about = image.ewf().map(|index| index.about.clone());
                let mut medium = Medium::image(image);
                // Only a copy carries on what the image says of itself: a reader that verifies it compares the content.
                if let (Some(about), false) = (about, asked.targets.is_empty()) {
                    carry::about(&mut asked.about, &about);
                    medium.carry_errors();
                }
                medium
            }
            Origin::Pattern { bytes, length } => Medium::pattern(bytes.clone(), *length),
            Origin::Medium(path) if path.is_dir() => {
                let what = "is a directory: name a device or a file; `pfh hash -r` hashes what is in a directory";
                return Err(AcquisitionError::Usage(format!("{} {what}", path.display())));
            }
            Origin::Medium(path) => Medium::open(path.as_os_str().as_bytes(), asked.access)
                .map_err(|problem| AcquisitionError::Source { path: path.clone(), problem })?,
        };
        if let Some(map) = asked.faults.clone() {
            medium.set_faults(map);
        }
        if medium.kind() == Kind::Stream {
            if asked.imaging.from > 0 {
                return Err(AcquisitionError::Usage("a stream has no place to start from: leave out --skip".into()));
            }
            asked.map = None;
        }
        // Before the map and the targets are looked into: none of them may be the source.
        let mut before = outputs.clone();
        asked.guarded(&mut before, &vec![true; asked.targets.len()]);
        before.check()?;
        guarding::possible(&asked, &medium)?;
        // A sector is what formats count in.
        if asked.targets.iter().any(|to| matches!(to.form, Form::E01 { .. })) {
            asked.imaging.pad = Some(medium.sector());
        }
        // What can be put in its place later is passed over soon; else only what is all but hopeless.
        let is_patchable = asked.map.is_some() && retrying::is_patchable(&asked.targets, &medium);
        asked.imaging.care.skip_after = asked.give_up.map(|n| if is_patchable { n.min(SOON) } else { n });
        let resumption = Resumption::find(&asked, &medium)?;
        asked.guarded(&mut outputs, &resumption.listed);
        outputs.check()?;
        asked.imaging.done = resumption.done;
        asked.imaging.done_bad = resumption.bad.clone();
        asked.imaging.stated = resumption.remarks.checkpoints.clone();
        asked.imaging.prefixes = asked.map.as_ref().and_then(|_| prefixes(&asked, &resumption.remarks));
        Ok(Acquire { asked, medium, resumption, departures })
    }

    /// What is carried out: as asked for, with what the source adds to it (an image's case data) and takes away (a stream
    /// has no map).
    pub fn asked(&self) -> &Acquisition {
        &self.asked
    }

    /// The source.
    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// What is known before the start.
    pub fn beginning(&self) -> Beginning {
        Beginning {
            bytes: self.bytes(),
            done: self.resumption.done,
            mounts: self.medium.device().map(mounts).unwrap_or_default(),
            identity: self.resumption.remarks.source.clone(),
            notes: self.resumption.notes.clone(),
            departures: self.departures.clone(),
        }
    }

    fn bytes(&self) -> Option<u64> {
        let rest = self.medium.size().map(|size| size.saturating_sub(self.asked.imaging.from));
        rest.map(|rest| self.asked.imaging.length.map_or(rest, |length| rest.min(length)))
    }

    /// Reads, hashes and writes. When it returns without [`Imaged::stopped`], every target is complete and synced.
    ///
    /// # Errors
    /// See [`AcquisitionError`]; the map says how far it came.
    pub fn run(&mut self, control: &Control<'_>, phase: Phase) -> Result<Imaged, AcquisitionError> {
        let map_path = self.asked.map.clone();
        self.resumption.check(&self.asked.imaging, control.cancel())?;
        let absent = self.asked.absent();
        if self.resumption.done == 0 {
            // First of all: a run that is cut off from here on can be told from somebody else's files.
            self.resumption.save(map_path.as_deref())?;
        }
        // A target that cannot be made leaves nothing: a map alone would pass for that of an interrupted run.
        let mut targets = self.create().inspect_err(|_| {
            for path in &absent {
                let _ = std::fs::remove_file(path);
            }
        })?;
        let paths: Vec<PathBuf> =
            self.asked.targets.iter().map(|to| to.path.clone()).chain(self.asked.outboard.clone()).collect();
        let Acquire { asked, medium, resumption, .. } = self;
        let prefix = resumption.prefixes.drain(..).next();
        let from = asked.imaging.from;
        let mut settled = |upto: u64, bad: &[Bad], digest: Option<&Digest>| {
            let Some(path) = &map_path else { return Ok(()) };
            resumption.settle(from, upto, bad, digest);
            resumption.write(path)
        };
        let follow = Follow { control, phase, settled: Some(&mut settled) };
        let imaged = image(medium, prefix.as_ref().map(|(_, medium)| medium), &asked.imaging, &mut targets, follow);
        imaged.map_err(|error| match error {
            ImagingError::Target { target, error } => AcquisitionError::Target { path: paths[target].clone(), error },
            changed @ ImagingError::Changed { .. } => {
                resuming::changed(&prefix.map(|(path, _)| path).unwrap_or_default(), changed)
            }
            ImagingError::Settled(error) => AcquisitionError::Map { path: map_path.clone().unwrap_or_default(), error },
            other => AcquisitionError::Imaging(other),
        })
    }

    fn create(&self) -> Result<Vec<Box<dyn Target>>, AcquisitionError> {
        let fail = |path: &Path, error| AcquisitionError::Target { path: path.to_owned(), error };
        let done = self.resumption.done;
        let mut targets: Vec<Box<dyn Target>> = Vec::new();
        for (to, found) in self.asked.targets.iter().zip(&self.resumption.found) {
            let open = self.open_one(to, found);
            // What is there is compared first: until then nothing is cut off, and nothing is written.
            targets.push(match done {
                0 => open().map_err(|error| fail(&to.path, error))?,
                _ => Box::new(Late::new(done, open)),
            });
        }
        if let Some(path) = &self.asked.outboard {
            let prefix = self.resumption.prefixes.first().map(|(_, prefix)| (prefix, done));
            targets.push(Box::new(Tree::open(path, prefix).map_err(|error| fail(path, error))?));
        }
        Ok(targets)
    }

    /// How a target is opened, for now or for later.
    fn open_one(
        &self,
        to: &To,
        found: &resuming::Found,
    ) -> impl FnOnce() -> io::Result<Box<dyn Target>> + Send + use<> {
        let replace = self.asked.replace || self.resumption.is_ours;
        let usual = if replace { Start::Replace } else { Start::New };
        let start = match found {
            resuming::Found::Raw if self.resumption.done > 0 => Start::Resume(self.resumption.done),
            _ => usual,
        };
        let options = RawOptions { start, expected: self.bytes(), ..RawOptions::default() };
        let resumed = self.resumption.done > 0;
        let ewf = match &to.form {
            Form::E01 { compression, segment } => Some(self.ewf(*compression, *segment, replace)),
            _ => None,
        };
        let (path, form, found) = (to.path.clone(), to.form.clone(), found.clone());
        move || {
            Ok(match (form, ewf) {
                (Form::E01 { .. }, Some(options)) => match found {
                    resuming::Found::E01(at) if resumed => {
                        Box::new(Ewf::resume(&path, options, &at)?) as Box<dyn Target>
                    }
                    _ => Box::new(Ewf::create(&path, options)?),
                },
                (Form::Raw { seek, sparse, direct, start: asked, synced }, _) => {
                    let start = if resumed { start } else { asked.unwrap_or(start) };
                    let options = RawOptions { seek, sparse, direct, synced, start, ..options };
                    Box::new(Raw::create(&path, options)?)
                }
                (Form::Split(pieces), _) => {
                    Box::new(Raw::create(&path, RawOptions { pieces: Some(pieces), ..options })?)
                }
                (Form::E01 { .. }, None) => return Err(io::ErrorKind::InvalidInput.into()),
            })
        }
    }

    fn ewf(&self, compression: Compression, segment: u64, replace: bool) -> EwfOptions {
        let sector = self.medium.sector();
        let facts = self.medium.facts();
        let fact = |name: &str| facts.get(name).cloned().unwrap_or_default();
        // Whatever the sector size.
        let sectors_per_chunk = (CHUNK as u32 / sector).max(1);
        let sectors = self.bytes().map_or(0, |bytes| bytes.div_ceil(u64::from(sector)));
        let volume = Volume {
            media: if facts.get("removable").is_some_and(|r| r == "1") { Media::Removable } else { Media::Fixed },
            is_physical: self.medium.kind() == Kind::Device && !facts.contains_key("partition"),
            // Must agree with the sectors from the start: an image that is cut off is found again by them.
            chunks: sectors.div_ceil(u64::from(sectors_per_chunk)) as u32,
            sectors_per_chunk,
            bytes_per_sector: sector,
            sectors,
            compression: compression.number(),
            error_granularity: 1,
            set: self.asked.set,
        };
        let mut about = self.asked.about.clone();
        if about.model.is_empty() {
            about.model = fact("model");
        }
        if about.serial.is_empty() {
            about.serial = fact("serial");
        }
        let threads = pfh_source::os::processors();
        EwfOptions { compression, segment, volume, about, threads, replace }
    }
}

/// Which digests the checkpoints state: by the algorithm that the map has already, else by one that is computed anyway.
fn prefixes(asked: &Acquisition, remarks: &remarks::Remarks) -> Option<Prefixes> {
    const PREFERRED: [&str; 6] = ["blake3", "sha256", "sha512", "sha3-256", "sha1", "md5"];
    let stated = remarks.checkpoints.first().map(|(_, digest)| digest.algorithm());
    let has = |name: &&&str| asked.imaging.algorithms.iter().any(|algorithm| algorithm.to_string() == ***name);
    let name = PREFERRED.iter().find(has).unwrap_or(&PREFERRED[0]);
    let algorithm = stated.or_else(|| name.parse::<Algorithm>().ok())?;
    // An E01 image settles by whole chunks.
    let is_e01 = asked.targets.iter().any(|to| matches!(to.form, Form::E01 { .. }));
    Some(Prefixes { algorithm, grain: is_e01.then_some(CHUNK) })
}

/// Unreadable sectors in a row after which a zone is passed over where it can be tried in the end.
const SOON: u64 = 128;

/// Bytes of an E01 chunk; not all readers take larger ones.
const CHUNK: u64 = 32 << 10;
