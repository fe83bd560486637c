//! Streams and attributes of files.

/// A stream or attribute of a file beside its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideStream {
    /// Its name, to be put behind that of the file as it is: `:stream`.
    pub name: Vec<u8>,
    /// Bytes.
    pub size: u64,
    /// Whether it is opened by that name, as a file: attributes of macOS are not.
    pub is_file: bool,
}
