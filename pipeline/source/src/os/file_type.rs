//! Types of files.

/// The type of a file, by its mode or by its directory's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A regular file.
    RegularFile,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A file of Windows whose data are elsewhere, in a cloud or on a tape: to read it is to fetch
    /// it.
    Placeholder,
    /// Not stated, or of a kind that POSIX does not know.
    Unknown,
}

/// The file type in a mode (`S_IFMT`; Linux, the BSDs and macOS have the same values, and none of
/// them that of a placeholder).
pub fn file_type(mode: u32) -> FileType {
    match mode & 0o170_000 {
        0o100_000 => FileType::RegularFile,
        0o040_000 => FileType::Directory,
        0o120_000 => FileType::Symlink,
        0o010_000 => FileType::Fifo,
        0o140_000 => FileType::Socket,
        0o020_000 => FileType::CharacterDevice,
        0o060_000 => FileType::BlockDevice,
        0o030_000 => FileType::Placeholder,
        _ => FileType::Unknown,
    }
}
