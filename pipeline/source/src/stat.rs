//! The metadata of a file.

/// The fields of `fstat` that a digest must be consistent with. Times are (seconds, nanoseconds)
/// since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The device that holds the file.
    pub device: u64,
    /// The inode number; on Windows the file's id, of 128 bits on ReFS.
    pub inode: u128,
    /// The stated size in bytes. Never trusted: only compared.
    pub size: u64,
    /// The mode bits, file type included.
    pub mode: u32,
    /// Last change of the content.
    pub mtime: (i64, u32),
    /// Last change of the inode.
    pub ctime: (i64, u32),
    /// Last access.
    pub atime: (i64, u32),
}

impl Stat {
    /// The difference that shows that a file was replaced or written to since it was seen so;
    /// `None` if there is none. Access times do not count.
    pub fn change_since(&self, seen: &Stat) -> Option<&'static str> {
        if (self.device, self.inode) != (seen.device, seen.inode) {
            Some("file")
        } else if self.size != seen.size {
            Some("size")
        } else if self.mtime != seen.mtime {
            Some("modification time")
        } else if self.ctime != seen.ctime {
            Some("change time")
        } else {
            None
        }
    }

    /// That of a stream of a file, by the stream's name. The system gives streams the identity of
    /// their file, which others of its streams have too.
    #[must_use]
    pub(crate) fn of_stream(mut self, name: Option<&[u8]>) -> Stat {
        if let Some(name) = name {
            // FNV-1a: the same in every run, as caches keep it; in the half that NTFS leaves zero.
            let hash = name
                .iter()
                .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
            self.inode ^= u128::from(hash) << 64;
        }
        self
    }

    /// The identity by which it differs from every other file at the same time: device and inode.
    pub fn identity(&self) -> (u64, u128) {
        (self.device, self.inode)
    }

    /// Whether it is a regular file (S_IFREG of stat(2)).
    pub fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}
