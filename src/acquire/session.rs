//! The source, opened; and its reading into all targets and digests.

use super::event::LostTarget;
use super::late::DeferredTarget;
use super::log::Logs;
use super::problem::{Problem, failed, imaging_failed, refused, unopened};
use super::resolved::Settings;
use super::resuming::{self, Resumption};
use super::{Beginning, Event, Events, ImageFormat, Origin, Request, To, carry, guarding, places, remarks};
use crate::job::{Error, PathError};
use pfh_container::ewf::{Compression, Media, Volume};
use pfh_container::map::Map;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::imaging::{Follow, Imaging, ImagingError, ImagingResult, Prefixes, Target, image};
use pfh_engine::{Control, Phase};
use pfh_outboard::OutboardTarget;
use pfh_source::device::{Bad, Kind, Medium, mounts};
use pfh_source::image::Image;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::{FileType, UNPROVEN, file_type};
use pfh_writer::{Ewf, EwfOptions, Raw, RawOptions, Spill, Start};
use std::io;
use std::path::{Path, PathBuf};

/// An acquisition whose source is open.
pub(crate) struct Session<'a> {
    pub(super) asked: Settings<'a>,
    pub(super) medium: Medium,
    pub(super) resumption: Resumption,
    departures: Vec<String>,
    /// Targets that failed while others went on; they are no longer among the targets.
    lost: Vec<LostTarget>,
}

impl<'a> Session<'a> {
    /// Opens the source, refuses requests that cannot work, and looks for an earlier run. Writes
    /// nothing.
    ///
    /// # Errors
    /// When the source cannot be opened, the request does not fit to it, or the existing files are
    /// another acquisition's.
    pub(crate) fn open(request: &'a Request) -> Result<Self, Error> {
        Session::resolved(Settings::of(request)?)
    }

    /// The same with this imaging.
    ///
    /// # Errors
    /// As [`open`](Session::open).
    pub(crate) fn with(request: &'a Request, imaging: Imaging) -> Result<Self, Error> {
        Session::resolved(Settings::with(request, imaging)?)
    }

    fn resolved(mut asked: Settings<'a>) -> Result<Self, Error> {
        let faults = asked.request.faults.as_deref().map(read_map).transpose()?;
        let (mut medium, departures) = open_source(&mut asked)?;
        let widened = widen(&mut asked, &medium);
        if let Some(map) = faults {
            medium.set_faults(map);
        }
        if medium.kind() == Kind::Stream {
            if asked.imaging.from > 0 {
                return refused(Problem::StreamStart);
            }
            asked.map = None;
        }
        places::free(&asked)?;
        guarding::possible(&asked, &medium)?;
        resolve(&mut asked, &medium);
        let mut resumption = Resumption::find(&asked, &medium)?;
        let mut outputs = asked.outputs();
        asked.guarded(&mut outputs, &resumption.listed);
        outputs.check()?;
        if resumption.done > 0 {
            let sampled = resumption.sample(&asked, &medium);
            let is_changed = |error: &Error| matches!(error.find(), Some(Problem::Changed { .. }));
            match sampled {
                // One that has ended is compared with its log next, which says so.
                Err(error) if is_changed(&error) && asked.request.log.as_deref().and_then(Logs::end_of).is_some() => {}
                sampled => sampled?,
            }
        }
        resumption.notes.extend(widened);
        asked.imaging.done = resumption.done;
        asked.imaging.done_bad = resumption.bad.clone();
        asked.imaging.stated = resumption.remarks.checkpoints.clone();
        asked.imaging.prefixes = asked.map.as_ref().and_then(|_| prefixes(&asked, &resumption.remarks));
        Ok(Session { asked, medium, resumption, departures, lost: Vec::new() })
    }

    /// The effective request: as asked for, with the facts that the source adds to it (an image's
    /// case data) and takes away (a stream has no map).
    pub(crate) fn asked(&self) -> &Settings<'a> {
        &self.asked
    }

    /// The source.
    pub(crate) fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Whether the CASE document that is there goes: on request, or because an earlier run of this
    /// acquisition made it.
    pub(super) fn may_replace_case(&self) -> bool {
        self.asked.request.replace || self.resumption.listed.case
    }

    /// Facts known before the start.
    pub(crate) fn beginning(&self) -> Beginning {
        Beginning {
            bytes: self.bytes(),
            done: self.resumption.done,
            mounts: self.medium.device().map(mounts).unwrap_or_default(),
            identity: self.resumption.remarks.source.clone(),
            notes: self.resumption.notes.iter().cloned().chain(self.unproven()).collect(),
            departures: self.departures.clone(),
        }
    }

    /// A remark on devices of a system on which they were not tried yet, if one is read or written.
    fn unproven(&self) -> Option<String> {
        let is_device = |to: &To| {
            let found = pfh_source::os::stat_path(&to.path);
            found.is_ok_and(|(found, _)| file_type(found.mode) == FileType::BlockDevice)
        };
        let is_used = || self.medium.device().is_some() || self.asked.targets.iter().any(is_device);
        UNPROVEN.filter(|_| is_used()).map(str::to_owned)
    }

    pub(super) fn bytes(&self) -> Option<u64> {
        let rest = self.medium.size().map(|size| size.saturating_sub(self.asked.imaging.from));
        rest.map(|rest| self.asked.imaging.length.map_or(rest, |length| rest.min(length)))
    }

    /// Reads, hashes and writes. When it returns without [`Imaged::stopped`], every target is
    /// complete and synced.
    ///
    /// # Errors
    /// See [`Error`]; the map says how far it came.
    pub(crate) fn read(
        &mut self,
        control: &Control<'_>,
        phase: Phase,
        events: &mut Events<'_>,
    ) -> Result<ImagingResult, Error> {
        let map_path = self.asked.map.clone();
        self.resumption.check(&self.asked.imaging, control.cancel(), 1)?;
        let absent = self.asked.absent();
        if self.resumption.done == 0 {
            // First of all: the files of a run that is cut off from here on are known to be its
            // own.
            self.resumption.save(map_path.as_deref())?;
        }
        // A target that cannot be made leaves nothing: a map alone would pass for that of an
        // interrupted run.
        let mut targets = self.create().inspect_err(|_| {
            for path in &absent {
                let _ = std::fs::remove_file(path);
            }
        })?;
        let paths: Vec<PathBuf> =
            self.asked.targets.iter().map(|to| to.path.clone()).chain(self.asked.outboard.clone()).collect();
        let Session { asked, medium, resumption, .. } = self;
        let prefix = resumption.prefixes.drain(..).next();
        let from = asked.imaging.from;
        let mut is_taken = true;
        let mut settled = |upto: u64, bad: &[Bad], digest: Option<&Digest>| {
            let Some(path) = &map_path else { return Ok(()) };
            resumption.settle(from, upto, bad, digest);
            resumption.write(path)?;
            events(Event::Checkpoint { upto, bad, digest }).inspect_err(|_| is_taken = false)
        };
        let follow = Follow { control, phase, settled: Some(&mut settled) };
        let imaged = image(medium, prefix.as_ref().map(|(_, medium)| medium), &asked.imaging, &mut targets, follow);
        let imaged = imaged.map_err(|error| match error {
            ImagingError::Target { target, error } => failed(&paths[target], error),
            changed @ ImagingError::Changed { .. } => {
                resuming::changed(&prefix.map(|(path, _)| path).unwrap_or_default(), changed)
            }
            ImagingError::Settled(error) if !is_taken => Error::Sink(error),
            ImagingError::Settled(error) => failed(map_path.as_deref().unwrap_or(Path::new("")), error),
            other => imaging_failed(other),
        })?;
        let lost = imaged
            .failed
            .iter()
            .map(|failed| LostTarget { path: paths[failed.target].clone(), cause: failed.error.to_string() });
        self.lost = lost.collect();
        // From here on it is about the targets that hold the image.
        let is_lost = |path: &PathBuf| self.lost.iter().any(|lost| lost.path == *path);
        if let Some(map) = self.asked.map.clone().filter(|_| !self.lost.is_empty()) {
            // Failed targets are not resumed with the others: those would be cut off where they
            // ended.
            for to in self.asked.targets.iter().filter(|to| is_lost(&to.path)) {
                let remark = guarding::remark(&map, to);
                self.resumption.map.remarks.retain(|known| *known != remark);
            }
            self.resumption.save(Some(&map))?;
        }
        self.asked.targets.retain(|to| !is_lost(&to.path));
        self.asked.outboard = self.asked.outboard.take().filter(|path| !is_lost(path));
        Ok(imaged)
    }

    /// Targets that failed while others went on.
    pub(crate) fn lost_targets(&self) -> &[LostTarget] {
        &self.lost
    }

    fn create(&self) -> Result<Vec<Box<dyn Target>>, Error> {
        let done = self.resumption.done;
        let mut targets: Vec<Box<dyn Target>> = Vec::new();
        for (to, found) in self.asked.targets.iter().zip(&self.resumption.found) {
            let open = self.open_one(to, found);
            // Existing bytes are compared first: until then nothing is cut off, and nothing is
            // written.
            targets.push(match done {
                0 => open().map_err(|error| failed(&to.path, error))?,
                _ => Box::new(DeferredTarget::new(done, open)),
            });
        }
        if let Some(path) = &self.asked.outboard {
            let prefix = self.resumption.prefixes.first().map(|(_, prefix)| (prefix, done));
            targets.push(Box::new(OutboardTarget::open(path, prefix).map_err(|error| failed(path, error))?));
        }
        Ok(targets)
    }

    /// How a target is opened, for now or for later.
    fn open_one(
        &self,
        to: &To,
        found: &resuming::ResumeState,
    ) -> impl FnOnce() -> io::Result<Box<dyn Target>> + Send + use<> {
        let replace = self.asked.request.replace || self.resumption.is_ours;
        let usual = if replace { Start::Replace } else { Start::New };
        let start = match found {
            resuming::ResumeState::Raw if self.resumption.done > 0 => Start::Resume(self.resumption.done),
            _ => usual,
        };
        let options = RawOptions { start, expected: self.bytes(), ..RawOptions::default() };
        let resumed = self.resumption.done > 0;
        let ewf = match &to.form {
            ImageFormat::E01 { compression, segment } => Some(self.ewf(*compression, *segment, replace)),
            _ => None,
        };
        let (path, form, found) = (to.path.clone(), to.form.clone(), found.clone());
        let spill = Spill::new(self.asked.request.then.clone(), replace);
        move || {
            Ok(match (form, ewf) {
                (ImageFormat::E01 { .. }, Some(options)) => match found {
                    resuming::ResumeState::E01(at) if resumed => {
                        Box::new(Ewf::resume(&path, options, &at)?) as Box<dyn Target>
                    }
                    _ => Box::new(Ewf::create(&path, options)?),
                },
                (ImageFormat::Raw { seek, sparse, direct, start: asked, synced }, _) => {
                    let start = if resumed { start } else { asked.unwrap_or(start) };
                    let options = RawOptions { seek, sparse, direct, synced, start, ..options };
                    Box::new(Raw::create(&path, options)?)
                }
                (ImageFormat::Split(pieces), _) => {
                    Box::new(Raw::spilling(&path, RawOptions { pieces: Some(pieces), ..options }, spill)?)
                }
                (ImageFormat::E01 { .. }, None) => return Err(io::ErrorKind::InvalidInput.into()),
            })
        }
    }

    fn ewf(&self, compression: Compression, segment: u64, replace: bool) -> EwfOptions {
        let sector = self.medium.sector();
        let facts = self.medium.facts();
        let fact = |name: &str| facts.get(name).cloned().unwrap_or_default();
        // For any size of sectors.
        let sectors_per_chunk = (CHUNK as u32 / sector).max(1);
        let sectors = self.bytes().map_or(0, |bytes| bytes.div_ceil(u64::from(sector)));
        let volume = Volume {
            media: if facts.get("removable").is_some_and(|r| r == "1") { Media::Removable } else { Media::Fixed },
            is_physical: self.medium.kind() == Kind::Device && !facts.contains_key("partition"),
            // Must agree with the sectors from the start: an image that is cut off is found again
            // by them.
            chunks: sectors.div_ceil(u64::from(sectors_per_chunk)) as u32,
            sectors_per_chunk,
            bytes_per_sector: sector,
            sectors,
            compression: compression.number(),
            error_granularity: 1,
            set: self.asked.set.unwrap_or_default(),
        };
        let mut about = self.asked.about.clone();
        if about.model.is_empty() {
            about.model = fact("model");
        }
        if about.serial.is_empty() {
            about.serial = fact("serial");
        }
        let threads = pfh_source::os::processors();
        let spill = Spill::new(self.asked.request.then.clone(), replace);
        EwfOptions { compression, segment, volume, about, threads, replace, spill }
    }
}

/// Opens the source; of a damaged image also where it is not as its format demands.
fn open_source(asked: &mut Settings<'_>) -> Result<(Medium, Vec<String>), Error> {
    let path = match &asked.request.source {
        Origin::Pattern { bytes, length } => return Ok((Medium::pattern(bytes.clone(), *length), Vec::new())),
        Origin::Medium(path) if path.is_dir() => {
            return refused(Problem::Directory(path.clone()));
        }
        Origin::Medium(path) => {
            let opened = Medium::open(path.as_os_str().as_bytes(), asked.request.access);
            let medium = opened.map_err(|problem| Error::input(PathError::new(path, problem)))?;
            return Ok((medium, Vec::new()));
        }
        Origin::Image(path) => path,
    };
    let (image, departures) = match asked.request.salvage {
        true => Image::salvage(path).map_err(unopened)?,
        false => (Image::open(path).map_err(unopened)?, Vec::new()),
    };
    let about = image.ewf().map(|index| index.about.clone());
    let mut medium = Medium::image(image);
    // Only a copy carries the image's own remarks: a reader that verifies it compares the content.
    if let (Some(about), false) = (about, asked.targets.is_empty()) {
        carry::about(&mut asked.about, &about);
        medium.carry_errors();
    }
    Ok((medium, departures))
}

/// Gives the numbers of pieces as many places as the source needs of them, so that their names sort
/// in their order. Remarks on it.
fn widen(asked: &mut Settings<'_>, medium: &Medium) -> Option<String> {
    let rest = medium.size()?.saturating_sub(asked.imaging.from);
    let bytes = asked.imaging.length.map_or(rest, |length| rest.min(length));
    let mut widened = None;
    for to in asked.targets.iter_mut().chain(&mut asked.against) {
        let ImageFormat::Split(pieces) = &mut to.form else { continue };
        let count = bytes.div_ceil(pieces.length.max(1));
        let width = pieces.suffix.widened(count, pieces.width);
        if width > pieces.width {
            pieces.width = width;
            widened = Some(format!("the {count} pieces are numbered in {width} places, so that their names sort"));
        }
    }
    widened
}

/// Settings that follow from the source and the targets.
fn resolve(asked: &mut Settings<'_>, medium: &Medium) {
    if asked.imaging.readers == 0 {
        let decoders = if medium.kind() == Kind::Image { pfh_source::os::processors() } else { 0 };
        asked.imaging.readers = decoders.max(2);
    }
    asked.imaging.independent = Some(asked.targets.len()).filter(|targets| *targets > 0);
    if asked.has_e01() {
        // The format counts in sectors.
        asked.imaging.pad = Some(medium.sector());
        // The format has a place for these two, and its readers look there.
        for algorithm in ["md5", "sha1"].iter().filter_map(|name| name.parse::<Algorithm>().ok()) {
            if !asked.imaging.algorithms.contains(&algorithm) {
                asked.imaging.algorithms.push(algorithm);
            }
        }
    }
    if asked.request.verify || !asked.against.is_empty() {
        asked.imaging.marks = Some(MARK);
    }
    // Areas that can be put in their places later are passed over soon; else only areas that are
    // all but hopeless.
    let is_patchable = asked.map.is_some() && is_patchable(&asked.targets, medium);
    asked.imaging.policy.skip_after = asked.request.give_up.map(|n| if is_patchable { n.min(SOON) } else { n });
}

/// Whether areas that are passed over at first can be tried in the end.
fn is_patchable(targets: &[To], medium: &Medium) -> bool {
    let is_seekable = matches!(medium.kind(), Kind::Device | Kind::File);
    let is_file = |to: &To| matches!(to.form, ImageFormat::Raw { .. } | ImageFormat::Split(_));
    is_seekable && !targets.is_empty() && targets.iter().all(is_file)
}

/// Reads a map of simulated faults.
pub(super) fn read_map(path: &Path) -> Result<Map, Error> {
    let text = pfh_source::Document::read_text(path, pfh_source::Document::LONGEST)
        .map_err(|error| Error::input(PathError::new(path, error)))?;
    Map::parse(&text).map_err(|error| Error::request(PathError::new(path, error)))
}

/// Which digests the checkpoints state: by the algorithm that the map has already, else by one that
/// is computed anyway.
fn prefixes(asked: &Settings<'_>, remarks: &remarks::Remarks) -> Option<Prefixes> {
    const PREFERRED: [&str; 6] = ["blake3", "sha256", "sha512", "sha3-256", "sha1", "md5"];
    let stated = remarks.checkpoints.first().map(|(_, digest)| digest.algorithm());
    let has = |name: &&&str| asked.imaging.algorithms.iter().any(|algorithm| algorithm.to_string() == ***name);
    let name = PREFERRED.iter().find(has).unwrap_or(&PREFERRED[0]);
    let algorithm = stated.or_else(|| name.parse::<Algorithm>().ok())?;
    // An E01 image settles by whole chunks.
    Some(Prefixes { algorithm, grain: asked.has_e01().then_some(CHUNK) })
}

/// Unreadable sectors in a row after which a zone is passed over where it can be tried in the end.
const SOON: u64 = 128;

/// Bytes of an E01 chunk; not all readers take larger ones.
const CHUNK: u64 = 32 << 10;

/// Bytes between two marks, by which differing places are found.
const MARK: u64 = 1 << 20;
