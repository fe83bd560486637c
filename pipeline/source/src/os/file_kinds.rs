//! The kinds of files, as the standard library reports them.

#[cfg(unix)]
pub use std::os::unix::fs::FileTypeExt;

/// The standard library's trait for files of Unix. On Windows a path of the file system leads to
/// none of these: devices and pipes are asked by their open handle.
#[cfg(windows)]
pub trait FileTypeExt {
    /// Never.
    fn is_block_device(&self) -> bool {
        false
    }
    /// Never.
    fn is_char_device(&self) -> bool {
        false
    }
    /// Never.
    fn is_fifo(&self) -> bool {
        false
    }
    /// Never.
    fn is_socket(&self) -> bool {
        false
    }
}

#[cfg(windows)]
impl FileTypeExt for std::fs::FileType {}
