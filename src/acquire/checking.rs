//! Requests refused before anything is opened for writing.

use super::guarding;
use super::problem::{Problem, refused};
use super::resolved::Settings;
use super::session::read_map;
use super::{ImageFormat, Origin, Request, To, places, stamping};
use crate::job::Error;
use crate::outputs::OutputRefusal;
use pfh_container::ewf::Writer;
use pfh_custody::key::{self, SigningKey};
use pfh_source::Streams;
use std::path::Path;

impl Request {
    /// Refuses requests that make no sense, keys that cannot be loaded, and outputs that cannot be
    /// what they are to be. Reads the key, and nothing of the source.
    ///
    /// # Errors
    /// Those with which [`run`](super::run()) would not begin, as far as the source does not
    /// decide.
    pub fn check(&self) -> Result<(), Error> {
        self.checked().map(drop)
    }

    /// The same, with the key that signs.
    pub(super) fn checked(&self) -> Result<Option<SigningKey>, Error> {
        if let Some(field) = self.about.unwritable() {
            return refused(Problem::Control(field));
        }
        self.spilling()?;
        self.forms()?;
        if let Some(url) = &self.timestamp {
            stamping::check(url).or_else(|why| refused(Problem::Authority { url: url.clone(), why }))?;
            if self.log.is_none() {
                return refused(Problem::NoLog);
            }
        }
        let read = self.source.path().into_iter().chain(self.key.as_deref());
        Streams::default().read_all(read).map_err(OutputRefusal::from)?;
        let key = self.key.as_deref().map(key::signing).transpose()?;
        if let Some(log) = self.log.as_deref().filter(|log| std::fs::metadata(log).is_ok_and(|found| !found.is_file()))
        {
            return refused(Problem::NoFile(log.to_owned()));
        }
        if let Some(faults) = self.faults.as_deref().filter(|path| path.is_file()) {
            read_map(faults)?;
        }
        if let Origin::Medium(path) = &self.source
            && path.is_dir()
        {
            return refused(Problem::Directory(path.clone()));
        }
        let mut asked = Settings::of(self)?;
        asked.map = asked.map.filter(|_| !self.is_stream());
        places::free(&asked)?;
        Ok(key)
    }

    /// Whether the source is standard input, a pipe or the like, which has no map.
    fn is_stream(&self) -> bool {
        let Origin::Medium(path) = &self.source else { return false };
        let is_special = |path: &Path| {
            std::fs::metadata(path).is_ok_and(|found| {
                !found.is_file() && !pfh_source::os::file_kinds::FileTypeExt::is_block_device(&found.file_type())
            })
        };
        path.as_os_str() == "-" || is_special(path)
    }

    /// Refuses further directories that can hold nothing of the targets.
    fn spilling(&self) -> Result<(), Error> {
        let mut seen = Vec::new();
        for directory in &self.then {
            let Ok(place) = directory.canonicalize() else {
                return refused(Problem::NoDirectory(directory.clone()));
            };
            let is_first = |to: &To| guarding::directory_of(&to.path).canonicalize().is_ok_and(|first| first == place);
            if !place.is_dir() || seen.contains(&place) || self.targets.iter().any(is_first) {
                return refused(Problem::SameDirectory(directory.clone()));
            }
            seen.push(place);
        }
        let is_whole = |to: &&To| matches!(to.form, ImageFormat::Raw { .. });
        match self.targets.iter().find(is_whole) {
            Some(to) if !self.then.is_empty() => refused(Problem::Whole(to.path.clone())),
            None if self.targets.is_empty() && !self.then.is_empty() => refused(Problem::NoSegments),
            _ => Ok(()),
        }
    }

    /// Refuses windows, pieces, segments and names that no image can have.
    fn forms(&self) -> Result<(), Error> {
        if self.reading.piecewise == Some(0) {
            return refused(Problem::Window);
        }
        self.targets.iter().try_for_each(|to| match &to.form {
            ImageFormat::E01 { segment, .. } => {
                if !to.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("e01")) {
                    return refused(Problem::Ending(to.path.clone()));
                }
                let least = Writer::least_segment(guarding::CHUNK);
                if *segment < least { refused(Problem::Segment { segment: *segment, least }) } else { Ok(()) }
            }
            ImageFormat::Split(pieces) if pieces.length == 0 => refused(Problem::Piece),
            ImageFormat::Split(_) | ImageFormat::Raw { .. } => Ok(()),
        })
    }
}
