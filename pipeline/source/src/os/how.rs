//! How a file that is to be written is opened.

/// How a file that is to be written is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// It is there.
    Existing,
    /// It is a device, and nobody else may hold it, as a mount does (O_EXCL).
    Held,
    /// It is made if it is not there.
    Create,
    /// It is made if it is not there; a link is refused.
    CreateOwn,
    /// It must not be there.
    CreateNew,
    /// It is made, or emptied.
    Truncate,
}
