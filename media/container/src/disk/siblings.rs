//! The files that an image names beside itself.

use super::failure::Failure;
use crate::Bytes;
use std::io;
use std::sync::Arc;

/// The files beside the first one of an image.
pub trait Siblings {
    /// Opens the file of this name in the directory of the first; `None` if there is none.
    ///
    /// # Errors
    /// The system's.
    fn open(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>>;

    /// The name of the first file, without its directory.
    fn first(&self) -> &str;

    /// The names of the files beside the first that end as it does, in order, without it.
    ///
    /// # Errors
    /// The system's.
    fn alike(&self) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Opens a file to find out its kind: it does not become a file of the image.
    ///
    /// # Errors
    /// The system's.
    fn peek(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        self.open(name)
    }
}

/// An image that has no files beside it: within another image, or an archive.
pub struct Alone;

impl Siblings for Alone {
    fn open(&self, _: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        Ok(None)
    }

    fn first(&self) -> &str {
        ""
    }
}

/// Opens the file that an image names beside itself. Names with a directory are not followed: an
/// image must not choose which files are read.
pub(super) fn sibling(files: &dyn Siblings, name: &str) -> Result<Arc<dyn Bytes>, Failure> {
    if name.is_empty() || name.contains(['/', '\\', '\0']) || name == "." || name == ".." {
        return Err(Failure::refused(format!("a part of it is {name:?}, which is not in its own directory")));
    }
    files.open(name)?.ok_or_else(|| Failure::refused(format!("a part of it, {name:?}, is not beside it")))
}
