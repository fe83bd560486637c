//! Limits on the depth, the members, the bytes and the memory of archives.

use super::crew::Hands;
use super::passwords::Passwords;

/// The bounds of everything that an archive states, and the passwords of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How deep containers are opened: 1 opens the named files, and no archive in them.
    pub depth: u32,
    /// Bytes that may come out of a container of any size.
    pub bytes: u64,
    /// Bytes that may come out for each byte of it, beyond those. Deflate reaches 1,032.
    pub ratio: u64,
    /// Members of one archive.
    pub entries: u64,
    /// Bytes of memory for the window of a decompressor.
    pub window: u64,
    /// Bytes of an archive in another one that is unpacked, to memory or to a file without a name,
    /// because it must be read at any position.
    pub nested: u64,
    /// Whether members of a zip whose directory contradicts itself are looked for by their local
    /// headers, as `name!salvaged-OFFSET`.
    pub salvage: bool,
    /// Whether files of a container image that a later layer hides or deletes come as well, as
    /// deleted ones with the number of their layer.
    pub hidden: bool,
    /// Passwords that may open members.
    pub passwords: Passwords,
    /// Who decodes compressed streams ahead of their readers.
    pub crew: Hands,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 3,
            bytes: 16 << 30,
            ratio: 1100,
            entries: 1 << 24,
            window: 256 << 20,
            nested: 4 << 30,
            salvage: false,
            hidden: false,
            passwords: Passwords::default(),
            crew: Hands::default(),
        }
    }
}

impl Limits {
    /// How many bytes may come out of that many.
    pub fn most(&self, stored: u64) -> u64 {
        stored.saturating_mul(self.ratio).saturating_add(self.bytes)
    }

    /// The window in KiB, with room for the needs of decoders beside it.
    pub(super) fn window_kib(&self) -> u32 {
        u32::try_from(self.window >> 10).unwrap_or(u32::MAX - 1).saturating_add(16 << 10)
    }
}
