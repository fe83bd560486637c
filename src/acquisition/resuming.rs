//! What is there from a run that was cut off.

use super::{Acquisition, AcquisitionError, Form, guarding};
use pfh_format::image::ewf::Section;
use pfh_format::image::map::{Map, Status};
use pfh_sink::image::Resumable;
use pfh_source::device::{Access, Bad, Medium};
use pfh_source::image::Image;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How a target goes on.
#[derive(Debug, Clone)]
pub(super) enum Found {
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
    pub(super) found: Vec<Found>,
    /// The image so far, to be hashed.
    pub(super) prefix: Option<Medium>,
    pub(super) map: Map,
    /// Unreadable runs before `done`, by offset in the image.
    pub(super) bad: Vec<Bad>,
    /// Whether there was a map: what the targets are, an earlier run made.
    pub(super) is_ours: bool,
    /// Of each target whether the map of an earlier run names it: only such a file is resumed, or made anew.
    pub(super) listed: Vec<bool>,
}

/// What the map says of the run that it belongs to: a map of another source or another part of it is no help.
fn identity(asked: &Acquisition, medium: &Medium) -> String {
    format!(
        "pfh source {:?} size {} from {} length {}",
        asked.source.path(),
        medium.size().map_or_else(|| "unknown".into(), |size| size.to_string()),
        asked.imaging.from,
        asked.imaging.length.map_or_else(|| "all".into(), |length| length.to_string()),
    )
}

impl Resumption {
    pub(super) fn find(asked: &Acquisition, medium: &Medium) -> Result<Self, AcquisitionError> {
        let mut map = Map::new(medium.size().unwrap_or(0));
        map.remarks.push(identity(asked, medium));
        let named = |map: &Path| asked.targets.iter().map(|to| guarding::remark(map, to)).collect::<Vec<_>>();
        let named = asked.map.as_deref().map(named).unwrap_or_default();
        map.remarks.extend(named.iter().cloned());
        let listed = vec![false; asked.targets.len()];
        let nothing = vec![Found::Nothing; asked.targets.len()];
        let mut fresh =
            Resumption { done: 0, found: nothing, prefix: None, map, bad: Vec::new(), is_ours: false, listed };
        let Some(path) = &asked.map else { return Ok(fresh) };
        let fail = |error| AcquisitionError::Map { path: path.clone(), error };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(fresh),
            Err(error) => return Err(fail(error)),
        };
        if asked.replace {
            return Ok(fresh);
        }
        let before = Map::parse(&text).map_err(|e| fail(io::Error::other(e)))?;
        if !before.remarks.contains(&identity(asked, medium)) {
            return Err(AcquisitionError::Usage(format!(
                "{}: the map of another acquisition; name another one, or replace it with --force",
                path.display()
            )));
        }
        fresh.is_ours = true;
        fresh.listed = named.iter().map(|name| before.remarks.contains(name)).collect();
        let from = asked.imaging.from;
        let mut done = before.settled().saturating_sub(from);
        if before.settled() < from {
            done = 0;
        }
        let mut prefix: Option<Medium> = None;
        let mut places: Vec<Vec<Place>> = Vec::new();
        for (to, listed) in asked.targets.iter().zip(&fresh.listed) {
            let (mine, readable) = if *listed { look(&to.path, &to.form)? } else { (vec![Place::START], None) };
            places.push(mine);
            // Any of them will do; raw ones are read with less work.
            if prefix.is_none() || matches!(to.form, Form::Raw { seek: 0, .. }) {
                prefix = readable.or(prefix);
            }
        }
        // The furthest place at which every target can go on: an E01 image only between its sections.
        loop {
            let fits = |mine: &Vec<Place>| mine.iter().map(|place| place.upto(done)).max().unwrap_or(0);
            let least = places.iter().map(fits).min().unwrap_or(0);
            if least == done {
                break;
            }
            done = least;
        }
        for (mine, found) in places.into_iter().zip(&mut fresh.found) {
            *found =
                mine.into_iter().rfind(|place| place.upto(done) == done).map_or(Found::Nothing, |place| place.found);
        }
        if prefix.is_none() || done == 0 {
            return Ok(fresh);
        }
        let errno = rustix_eio();
        let runs = before.ranges(Status::Bad).map(|(offset, length)| (offset.saturating_sub(from), length));
        fresh.bad = runs
            .filter(|(offset, _)| *offset < done)
            .map(|(offset, length)| Bad { offset, length: length.min(done - offset), errno })
            .collect();
        fresh.map = Map::new(before.end().max(medium.size().unwrap_or(0)));
        fresh.map.remarks = before.remarks.clone();
        fresh.map.set(from, done, Status::Finished);
        for run in &fresh.bad {
            fresh.map.set(from + run.offset, run.length, Status::Bad);
        }
        (fresh.done, fresh.prefix) = (done, prefix);
        Ok(fresh)
    }

    pub(super) fn save(&self, path: Option<&Path>) -> Result<(), AcquisitionError> {
        let Some(path) = path else { return Ok(()) };
        save(path, &self.map).map_err(|error| AcquisitionError::Map { path: path.to_owned(), error })
    }
}

/// The map has no place for errno; what it calls unreadable was EIO in all but rare cases.
fn rustix_eio() -> i32 {
    5
}

/// Where a target can go on.
struct Place {
    found: Found,
    /// The place, in bytes of the image; for raw targets any place up to it.
    at: u64,
}

impl Place {
    /// Nothing is there.
    const START: Place = Place { found: Found::Nothing, at: 0 };

    /// The furthest place up to `limit`; 0 is always one.
    fn upto(&self, limit: u64) -> u64 {
        match self.found {
            Found::Raw => self.at.min(limit),
            _ if self.at <= limit => self.at,
            _ => 0,
        }
    }
}

/// What a target has: where it can go on, and a way to read it.
fn look(path: &Path, form: &Form) -> Result<(Vec<Place>, Option<Medium>), AcquisitionError> {
    let raw = |at| vec![Place { found: Found::Raw, at }];
    let nothing = || (vec![Place { found: Found::Nothing, at: 0 }], None);
    Ok(match form {
        Form::Raw { seek, .. } => match Medium::open(path.as_os_str().as_bytes(), Access::Cached) {
            // Only an image that starts where its file does can be read back as it is.
            Ok(medium) if *seek == 0 => (raw(medium.size().unwrap_or(0)), Some(medium)),
            _ => nothing(),
        },
        Form::Split(pieces) => {
            let mut name = path.as_os_str().to_owned();
            name.push(".");
            name.push(pieces.suffix.of(0, pieces.width).unwrap_or_default());
            match Image::open(&PathBuf::from(name)) {
                Ok(image) => (raw(image.size()), Some(Medium::image(image))),
                Err(_) => nothing(),
            }
        }
        Form::E01 { .. } => match Image::open_partial(path)? {
            Some(image) => {
                let Some(index) = image.ewf() else { return Ok(nothing()) };
                let place = |section: Section| Place {
                    at: (section.chunks * index.volume.chunk_length()).min(image.size()),
                    found: Found::E01(Box::new(Resumable {
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

/// Writes a map so that the old or the new one is there, whatever happens.
pub(super) fn save(path: &Path, map: &Map) -> io::Result<()> {
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("no regular file: a map takes the place of what has its name"));
    }
    let fresh = guarding::fresh_map(path);
    let mut file = std::fs::File::create(&fresh)?;
    file.write_all(map.print().as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => std::fs::File::open(parent)?.sync_all(),
        _ => std::fs::File::open(".")?.sync_all(),
    }
}
