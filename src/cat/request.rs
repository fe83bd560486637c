//! A member that is asked for.

use super::problem::Problem;
use crate::input::Input;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_source::os::names::OsStringExt;
use std::ffi::OsString;

/// Which bytes of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Part {
    /// Its content.
    #[default]
    Content,
    /// The bytes behind its end in its last block.
    Slack,
    /// Its bytes as they are stored, before they are decompressed.
    Stored,
}

/// A member, and which of its bytes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Its name as `list` and `hash` print it.
    pub name: Vec<u8>,
    /// Which bytes.
    pub part: Part,
    /// How containers are opened: limits, keys, raw media. Deleted members and space that no file
    /// has are looked at if the name is that of one.
    pub inside: crate::inside::Options,
    /// Files that the caller writes of the events: refused where one is an input.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced; never inputs.
    pub replace: bool,
}

impl Request {
    /// The content of the member of this name.
    pub fn new(name: impl Into<Vec<u8>>) -> Request {
        Request {
            name: name.into(),
            part: Part::Content,
            inside: crate::inside::Options::default(),
            outputs: Outputs::default(),
            replace: false,
        }
    }

    /// These of its bytes.
    #[must_use]
    pub fn part(mut self, part: Part) -> Request {
        self.part = part;
        self
    }

    /// Opens containers with these options.
    #[must_use]
    pub fn inside(mut self, inside: crate::inside::Options) -> Request {
        self.inside = inside;
        self
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Whether the run may start: nothing is read.
    ///
    /// # Errors
    /// When the name is not one of a member, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        let media = self.media()?;
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        let mut input = Input::new(media.into_iter().map(OsString::from_vec));
        input.inside = Some(self.inside.clone());
        input.guard(&mut outputs);
        Ok(outputs.check()?)
    }

    /// The file that the member is in, as the file system has it, or the media that it is made of.
    pub(super) fn media(&self) -> Result<Vec<Vec<u8>>, Error> {
        let none = || Error::request(Problem::NoMember(self.name.clone()));
        let container = crate::inside::is_inside(&self.name).ok_or_else(none)?;
        let is_there = std::fs::symlink_metadata(OsString::from_vec(self.name.clone())).is_ok();
        if is_there {
            return Err(Error::request(Problem::File(self.name.clone())));
        }
        let media = crate::inside::name::media(&container, |path| {
            std::fs::symlink_metadata(OsString::from_vec(path.to_vec())).is_ok()
        });
        // An absent one is named where it is opened.
        Ok(if media.is_empty() { vec![container] } else { media })
    }
}
