//! The remains of a run that was cut off.

use super::guarding::EarlierFiles;
use super::identity::{Identity, Likeness};
use super::problem::{self, Foreign, Problem, failed, imaging_failed, refused, unopened};
use super::remarks::{Part, Remarks};
use super::sampling;
use super::{ImageFormat, Settings, guarding};
use crate::job::Error;
use pfh_container::ewf::Section;
use pfh_container::map::{Block, Map, Status};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::imaging::{Follow, Imaging, ImagingError, image};
use pfh_engine::{Cancel, Control, Phase};
use pfh_source::device::{Access, Bad, Kind, Loss, Medium};
use pfh_source::image::Image;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::names::with_ending;
use pfh_source::terminal::shown;
use pfh_writer::Resumable;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How a target is resumed.
#[derive(Debug, Clone)]
pub(super) enum ResumeState {
    /// Nothing that can be used.
    Nothing,
    /// As much as the map says.
    Raw,
    /// An E01 image without its end.
    E01(Box<Resumable>),
}

pub(super) struct Resumption {
    /// Bytes of the image that every target has.
    pub(super) done: u64,
    pub(super) found: Vec<ResumeState>,
    /// The image so far, as each target has it; the first is hashed.
    pub(super) prefixes: Vec<(PathBuf, Medium)>,
    pub(super) map: Map,
    /// The remarks of the map beside its blocks.
    pub(super) remarks: Remarks,
    /// Unreadable runs before `done`, by offset in the image.
    pub(super) bad: Vec<Bad>,
    /// Whether there was a map: an earlier run made the targets.
    pub(super) is_ours: bool,
    /// Notes for the examiner on this resumption.
    pub(super) notes: Vec<String>,
    /// The files that the map of an earlier run names.
    pub(super) listed: EarlierFiles,
}

/// The remark in the map of a run without targets.
const HASHED: &str = "pfh hashed only";

impl Resumption {
    /// Looks for an earlier run. The source is compared with the one that the map names; writes
    /// nothing.
    pub(super) fn find(asked: &Settings<'_>, medium: &Medium) -> Result<Self, Error> {
        let named = |map: &Path| asked.targets.iter().map(|to| guarding::remark(map, to)).collect::<Vec<_>>();
        let named = asked.map.as_deref().map(named).unwrap_or_default();
        let beside = asked.map.as_deref().map(|map| guarding::remarks_beside(map, asked)).unwrap_or_default();
        let all: Vec<String> = named.iter().chain(beside.iter().flatten()).cloned().collect();
        let mut fresh = Self::fresh(asked, medium, &all);
        let Some(path) = &asked.map else { return Ok(fresh) };
        let fail = |error| failed(path, error);
        let now = Identity::of(medium, asked.request.source.path()).map_err(fail)?;
        fresh.remarks = Remarks { source: Some(now.clone()), part: Some(Part::of(asked)), ..Remarks::default() };
        let text = match pfh_source::Document::read_text(path, pfh_source::Document::LONGEST) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(fresh),
            Err(error) => return Err(fail(error)),
        };
        if asked.request.replace {
            return Ok(fresh);
        }
        let before = Map::parse(&text).map_err(|e| fail(io::Error::other(e)))?;
        if asked.targets.is_empty() {
            // There is nothing to go on from: the source is read from its start.
            return match before.remarks.iter().any(|remark| remark == HASHED) {
                true => Ok(fresh),
                false => refused(Problem::MapOfTargets(path.clone())),
            };
        }
        let remarks = Remarks::read(&before);
        let foreign = |why| refused(Problem::Foreign { path: path.clone(), why });
        fresh.notes = belongs(asked, &before, &remarks, &now).or_else(foreign)?;
        // An adopted map names neither source nor targets: both are as the user says.
        fresh.is_ours = remarks.source.is_some();
        let is_listed = |name: &String| before.remarks.contains(name);
        let [tree, case] = beside.map(|name| name.as_ref().is_some_and(is_listed));
        let targets = named.iter().map(|name| !fresh.is_ours || is_listed(name)).collect();
        fresh.listed = EarlierFiles { targets, tree, case };
        if fresh.is_ours && !named.is_empty() && !fresh.listed.targets.contains(&true) {
            return refused(Problem::Foreign { path: path.clone(), why: Foreign::Targets });
        }
        let places = fresh.places(asked)?;
        let done = fresh.furthest(&places, &before, &remarks, asked.imaging.from);
        for (mine, found) in places.into_iter().zip(&mut fresh.found) {
            *found = mine
                .into_iter()
                .rfind(|place| place.upto(done) == done)
                .map_or(ResumeState::Nothing, |place| place.found);
        }
        if fresh.prefixes.is_empty() || done == 0 {
            fresh.prefixes.clear();
            return Ok(fresh);
        }
        fresh.take_over(before, remarks, all, (asked.imaging.from, done, medium.size()));
        Ok(fresh)
    }

    /// Nothing is there yet.
    fn fresh(asked: &Settings<'_>, medium: &Medium, named: &[String]) -> Self {
        let mut fresh = Resumption {
            done: 0,
            found: vec![ResumeState::Nothing; asked.targets.len()],
            prefixes: Vec::new(),
            map: Map::new(medium.size().unwrap_or(0)),
            remarks: Remarks::default(),
            bad: Vec::new(),
            is_ours: false,
            notes: Vec::new(),
            listed: EarlierFiles::same(asked, false),
        };
        fresh.map.remarks.extend(named.iter().cloned());
        if asked.targets.is_empty() {
            fresh.map.remarks.push(HASHED.to_owned());
        }
        fresh
    }

    /// Where each target can be resumed; opens those that can be read.
    fn places(&mut self, asked: &Settings<'_>) -> Result<Vec<Vec<Place>>, Error> {
        let mut places: Vec<Vec<Place>> = Vec::new();
        for (to, listed) in asked.targets.iter().zip(&self.listed.targets) {
            let (mine, readable) = if *listed { look(&to.path, &to.form)? } else { (vec![Place::START], None) };
            places.push(mine);
            self.prefixes.extend(readable.map(|medium| (to.path.clone(), medium)));
        }
        // The one that is hashed comes first; raw ones are read with less work.
        self.prefixes.sort_by_key(|(_, medium)| medium.kind() == Kind::Image);
        Ok(places)
    }

    /// Bytes of the image up to the furthest place at which every target can be resumed.
    fn furthest(&mut self, places: &[Vec<Place>], before: &Map, remarks: &Remarks, from: u64) -> u64 {
        // Behind the last checkpoint nothing is known; before it there may be zones that were
        // passed over.
        let stated = remarks.checkpoints.last().map(|(upto, _)| *upto);
        let settled = stated.unwrap_or_else(|| before.settled().saturating_sub(from));
        let least = |limit: u64| {
            let fits = |mine: &Vec<Place>| mine.iter().map(|place| place.upto(limit)).max().unwrap_or(0);
            places.iter().map(fits).min().unwrap_or(0)
        };
        if remarks.checkpoints.is_empty() {
            // An E01 image is resumed only between its sections, and a place that suits one target
            // may not suit another.
            let mut done = settled;
            while least(done) != done {
                done = least(done);
            }
            return done;
        }
        // With digests only where one is stated: the rest is read again.
        let mut candidates = remarks.checkpoints.iter().rev().map(|(upto, _)| *upto);
        let done = candidates.find(|upto| least(*upto) == *upto).unwrap_or(0);
        if done < settled {
            self.notes.push(format!("the targets hold {done} bytes of the {settled} that the map calls written"));
        }
        done
    }

    /// Takes the map and its remarks over, as far as the first `done` bytes of the image go.
    fn take_over(
        &mut self,
        before: Map,
        remarks: Remarks,
        named: Vec<String>,
        (from, done, size): (u64, u64, Option<u64>),
    ) {
        let lost = |block: &Block| match block.status {
            Status::Finished => None,
            Status::Bad => Some(Loss::Unreadable),
            _ => Some(Loss::NotTried),
        };
        let clip = |block: &Block| {
            let offset = block.offset.max(from) - from;
            let length = (block.offset + block.length).saturating_sub(from).min(done).saturating_sub(offset);
            lost(block).filter(|_| length > 0).map(|loss| Bad { offset, length, errno: EIO, loss })
        };
        self.bad = before.blocks().iter().filter_map(clip).collect();
        self.map = Map::new(before.end().max(size.unwrap_or(0)));
        self.map.remarks = before.remarks.clone();
        self.map.remarks.extend(named.into_iter().filter(|name| !before.remarks.contains(name)));
        let bad = self.bad.clone();
        self.settle(from, done, &bad, None);
        self.remarks.checkpoints = remarks.checkpoints.into_iter().filter(|(upto, _)| *upto <= done).collect();
        self.done = done;
    }

    /// Compares blocks of the targets with the source, and notes the result. Writes nothing.
    ///
    /// # Errors
    /// When the source is not the one that was read, or a target not as it was written.
    pub(super) fn sample(&mut self, asked: &Settings<'_>, medium: &Medium) -> Result<(), Error> {
        let (Some((target, there)), Some(identity)) = (self.prefixes.first(), &self.remarks.source) else {
            return Ok(());
        };
        let from = asked.imaging.from;
        match sampling::compare((medium, from), (there, self.done), &self.bad, identity) {
            Ok(sampled) => self.notes.push(sampled.sentence(self.done)),
            Err((offset, length)) => {
                // Either may have changed: the written bytes are known by their digests.
                self.check(&asked.imaging, &Cancel::default(), 0)?;
                let what = format!(
                    "the {length} bytes from offset {offset} of the image on are not those of {}",
                    shown(target)
                );
                let path = asked.map.clone().unwrap_or_default();
                return refused(Problem::Foreign { path, why: Foreign::Source { what } });
            }
        }
        Ok(())
    }

    /// Compares the targets behind the first `skipped` with the digests that the map states; the
    /// first of all is compared while it is hashed.
    pub(super) fn check(&self, asked: &Imaging, cancel: &Cancel, skipped: usize) -> Result<(), Error> {
        for (path, medium) in self.prefixes.iter().skip(skipped) {
            let imaging = Imaging {
                length: Some(self.done),
                done: self.done,
                stated: self.remarks.checkpoints.clone(),
                done_bad: self.bad.clone(),
                from: asked.from,
                policy: asked.policy.clone(),
                ..Imaging::new(Vec::<Algorithm>::new())
            };
            // Its bytes are not progress: they are not counted among those of the image.
            let control = Control::new().with_cancel(cancel.clone());
            let follow = Follow::new(&control, Phase::Comparing);
            image(medium, Some(medium), &imaging, &mut [], follow).map_err(|error| changed(path, error))?;
        }
        Ok(())
    }

    /// Enters a checkpoint: `upto` bytes of the image are on all targets.
    pub(super) fn settle(&mut self, from: u64, upto: u64, bad: &[Bad], digest: Option<&Digest>) {
        self.map.set(from, upto, Status::Finished);
        for run in bad.iter().filter(|run| run.offset < upto) {
            let status = if run.loss == Loss::NotTried { Status::NonTried } else { Status::Bad };
            self.map.set(from + run.offset, run.length.min(upto - run.offset), status);
        }
        if let Some(digest) = digest {
            self.remarks.add(upto, digest);
        }
    }

    /// Writes the map.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut map = self.map.clone();
        self.remarks.write(&mut map);
        save(path, &map)
    }

    pub(super) fn save(&self, path: Option<&Path>) -> Result<(), Error> {
        let Some(path) = path else { return Ok(()) };
        self.write(path).map_err(|error| failed(path, error))
    }
}

/// An error of [`image`], which says of a prefix that was changed which target it is.
pub(super) fn changed(path: &Path, error: ImagingError) -> Error {
    match error {
        ImagingError::Changed { from, upto } => problem::changed(path, from, upto),
        other => imaging_failed(other),
    }
}

/// A part of a medium in words.
fn words(part: &Part) -> String {
    let length = part.length.map_or_else(|| "all".to_owned(), |length| length.to_string());
    format!("bytes from {} on, length {length}, fill {}", part.from, part.fill)
}

/// Whether the map is one of this source and this part of it. The remarks are for the log; an error
/// names the difference.
fn belongs(asked: &Settings<'_>, map: &Map, remarks: &Remarks, now: &Identity) -> Result<Vec<String>, Foreign> {
    let mine = Part::of(asked);
    if let Some(theirs) = remarks.part.clone().filter(|theirs| *theirs != mine) {
        return Err(Foreign::Part { theirs: words(&theirs), mine: words(&mine) });
    }
    let Some(then) = &remarks.source else {
        let whose = if remarks.is_ddrescue { "GNU ddrescue's map" } else { "a map" };
        if !asked.request.adopt_map {
            return Err(Foreign::Unnamed { whose });
        }
        return match now.size {
            Some(size) if map.end() > size => Err(Foreign::Longer { whose, end: map.end(), size }),
            _ => Ok(vec![format!("{whose} without an identity was taken for that of this source, as asked")]),
        };
    };
    match now.compare(then) {
        Likeness::Same(notes) => Ok(notes),
        Likeness::Other(what) => Err(Foreign::Source { what: what.join("; ") }),
        Likeness::Unknown if asked.request.adopt_map => {
            Ok(vec!["nothing shows that the source is the one that was begun with; resumed as asked".into()])
        }
        Likeness::Unknown => Err(Foreign::Unknown),
    }
}

/// The map has no place for errno; errors of areas that it calls unreadable were EIO in all but
/// rare cases.
const EIO: i32 = 5;

/// Where a target can be resumed.
struct Place {
    found: ResumeState,
    /// The place, in bytes of the image; for raw targets any place up to it.
    at: u64,
}

impl Place {
    /// Nothing is there.
    const START: Place = Place { found: ResumeState::Nothing, at: 0 };

    /// The furthest place up to `limit`; 0 is always one.
    fn upto(&self, limit: u64) -> u64 {
        match self.found {
            ResumeState::Raw => self.at.min(limit),
            _ if self.at <= limit => self.at,
            _ => 0,
        }
    }
}

/// The state of a target: where it can be resumed, and a way to read it.
fn look(path: &Path, form: &ImageFormat) -> Result<(Vec<Place>, Option<Medium>), Error> {
    let raw = |at| vec![Place { found: ResumeState::Raw, at }];
    let nothing = || (vec![Place { found: ResumeState::Nothing, at: 0 }], None);
    Ok(match form {
        ImageFormat::Raw { seek, .. } => match Medium::open(path.as_os_str().as_bytes(), Access::Cached) {
            // Only an image that starts where its file does can be read back as it is.
            Ok(medium) if *seek == 0 => (raw(medium.size().unwrap_or(0)), Some(medium)),
            _ => nothing(),
        },
        ImageFormat::Split(pieces) => {
            let suffix = pieces.suffix.of(0, pieces.width).unwrap_or_default();
            match Image::open(&with_ending(path, format!(".{suffix}"))) {
                Ok(image) => (raw(image.size()), Some(Medium::image(image))),
                Err(_) => nothing(),
            }
        }
        ImageFormat::E01 { .. } => match Image::open_partial(path).map_err(unopened)? {
            Some(image) => {
                let Some(index) = image.ewf() else { return Ok(nothing()) };
                let place = |section: Section| Place {
                    at: (section.chunks * index.volume.chunk_length()).min(image.size()),
                    found: ResumeState::E01(Box::new(Resumable {
                        section,
                        volume: index.volume,
                        about: index.about.clone(),
                    })),
                };
                (index.sections().map(place).collect(), Some(Medium::image(image)))
            }
            None => nothing(),
        },
    })
}

/// Writes a map so that the old or the new one is there at any moment.
pub(super) fn save(path: &Path, map: &Map) -> io::Result<()> {
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("no regular file: a map replaces the file of its name"));
    }
    let fresh = guarding::fresh_map(path);
    let mut file = std::fs::File::create(&fresh)?;
    let saved = file.write_all(map.print().as_bytes()).and_then(|()| pfh_source::replace(&file, &fresh, path));
    if saved.is_err() {
        // Half a map beside the image helps nobody. The error is the one before.
        let _ = std::fs::remove_file(&fresh);
    }
    saved
}
