//! Where paths start.

use crate::descend::Links;
use crate::os;
use std::sync::Arc;

/// The directory below which a walk stays, and how its names are printed.
#[derive(Debug)]
pub struct Base {
    /// The open directory; `None` means the working directory, for operands that are files.
    pub(crate) directory: Option<Arc<os::Directory>>,
    /// The prefix of the printed path: the operand as given, with a closing `/` where needed.
    pub(crate) prefix: Box<[u8]>,
    /// Whether symbolic links are followed on the way.
    pub(crate) links: Links,
    /// Whether writers are kept out of a file while it is read, where the system can.
    pub(crate) hold: bool,
    /// Whether files are read past the system's cache, where the system can.
    pub(crate) past: bool,
}

impl Base {
    /// The same, with files read past the system's cache.
    pub(crate) fn past_cache(&self) -> Arc<Base> {
        let Base { directory, prefix, links, hold, .. } = self;
        Arc::new(Base { directory: directory.clone(), prefix: prefix.clone(), links: *links, hold: *hold, past: true })
    }

    /// The working directory, for operands: links in them are the user's own words.
    pub(crate) fn of_operands(hold: bool) -> Arc<Base> {
        Arc::new(Base { directory: None, prefix: Box::default(), links: Links::Follow, hold, past: false })
    }

    /// The stream that a path is of, if it is one.
    pub(crate) fn stream<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        match self.directory {
            Some(_) => os::names::stream_below(path),
            None => os::names::stream_of(path),
        }
    }
}
