//! Reading and writing at an offset.

#[cfg(unix)]
pub use std::os::unix::fs::FileExt;

/// The standard library's trait for files of Unix, for those of Windows. There the position of the
/// file moves too: a file that is used so is not read or written without an offset.
#[cfg(windows)]
pub trait FileExt {
    /// Reads at an offset in bytes.
    ///
    /// # Errors
    /// The system's.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize>;

    /// Writes at an offset in bytes.
    ///
    /// # Errors
    /// The system's.
    fn write_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<usize>;

    /// Fills the buffer from an offset on.
    ///
    /// # Errors
    /// The system's; `UnexpectedEof` where the file ends before.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> std::io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    buffer = &mut buffer[count..];
                    offset += count as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes all from an offset on.
    ///
    /// # Errors
    /// The system's; `WriteZero` where nothing more is taken.
    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> std::io::Result<()> {
        while !bytes.is_empty() {
            match self.write_at(bytes, offset) {
                Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    bytes = &bytes[count..];
                    offset += count as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(windows)]
impl FileExt for std::fs::File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(self, bytes, offset)
    }
}
