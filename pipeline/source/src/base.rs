//! Where paths start.

use crate::descend::Links;
use crate::os;

/// The directory below which a walk stays, and how its names are printed.
#[derive(Debug)]
pub struct Base {
    /// The open directory; `None` means the working directory, for operands that are files.
    pub(crate) directory: Option<os::Directory>,
    /// The prefix of the printed path: the operand as given, with a closing `/` where needed.
    pub(crate) prefix: Box<[u8]>,
    /// Whether symbolic links are followed on the way.
    pub(crate) links: Links,
}
