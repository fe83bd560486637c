//! The contents of a range of a disk, by its bytes.

use super::row::Content;
use pfh_container::Bytes;
use pfh_source::device::Medium;
use std::io;
use std::sync::Arc;

/// A medium at any position.
pub(super) struct DiskMedium(pub(super) Medium);

impl Bytes for DiskMedium {
    fn size(&self) -> u64 {
        self.0.size().unwrap_or(0)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(buffer, offset).map_err(|problem| io::Error::other(problem.to_string()))
    }
}

/// A partition, as the table states it.
pub(super) struct Part {
    pub(super) number: u32,
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) kind: String,
    pub(super) label: String,
}

#[cfg(feature = "inside")]
mod by_volume {
    use super::{Bytes, Content, Part};
    use pfh_volume::{Failure, Scheme, Slice, Usage, VolumeContent};
    use std::sync::Arc;

    /// The partition table's kind, and its partitions.
    ///
    /// # Errors
    /// Why the table cannot be read.
    pub fn table(bytes: &Arc<dyn Bytes>) -> Result<(&'static str, Vec<Part>), String> {
        let table = pfh_volume::partitions(bytes).map_err(|failure| failure.to_string())?;
        let name = match table.scheme {
            Scheme::Gpt => "gpt",
            Scheme::Mbr => "mbr",
            Scheme::Apm => "apm",
            Scheme::None => return Ok(("", Vec::new())),
        };
        let part = |part: pfh_volume::Partition| Part {
            number: part.number.unwrap_or(0),
            start: part.start,
            size: part.length,
            kind: part.kind,
            label: String::from_utf8_lossy(&part.name).into_owned(),
        };
        let used = table.partitions.into_iter().filter(|part| part.usage != Usage::Unallocated);
        Ok((name, used.map(part).collect()))
    }

    /// The contents of a range.
    pub fn content(bytes: &Arc<dyn Bytes>, start: u64, size: u64) -> Content {
        let size = size.min(bytes.size().saturating_sub(start));
        let Some(slice) = Slice::new(bytes.clone(), start, size) else {
            return Content::Unread("it begins behind the end of the disk".to_owned());
        };
        match pfh_volume::file_system(Arc::new(slice)) {
            Ok(VolumeContent::FileSystem(found)) => Content::FileSystem {
                format: found.kind.to_owned(),
                label: String::from_utf8_lossy(&found.label).into_owned(),
            },
            Ok(VolumeContent::Volumes(found)) => {
                let volumes = found.members.iter().filter(|member| !member.is_snapshot);
                let names: Vec<_> = volumes.map(|member| String::from_utf8_lossy(&member.name)).collect();
                Content::FileSystem { format: found.kind.to_owned(), label: names.join(", ") }
            }
            Ok(VolumeContent::Encrypted(name)) => Content::Encrypted(name.to_owned()),
            Ok(VolumeContent::Locked(locked)) => Content::Encrypted(locked.format.to_owned()),
            Ok(VolumeContent::Unread(name)) => Content::Other(name),
            Ok(VolumeContent::Unknown) => Content::Unknown,
            Err(failure @ Failure { .. }) => Content::Unread(failure.to_string()),
        }
    }
}
#[cfg(feature = "inside")]
pub(super) use by_volume::{content, table};

#[cfg(not(feature = "inside"))]
mod by_signature {
    use super::{Bytes, Content, Part};
    use pfh_container::signature::{Holds, TABLE, any_in};
    use std::sync::Arc;

    /// How far the signatures reach.
    const HEAD: usize = 0x1_1000;

    /// Without the feature `inside` no table is read.
    ///
    /// # Errors
    /// None.
    pub fn table(_: &Arc<dyn Bytes>) -> Result<(&'static str, Vec<Part>), String> {
        Ok(("", Vec::new()))
    }

    /// The contents of a range, by the table of signatures.
    pub fn content(bytes: &Arc<dyn Bytes>, start: u64, size: u64) -> Content {
        let mut head = vec![0; HEAD.min(usize::try_from(size).unwrap_or(HEAD))];
        let mut filled = 0;
        while filled < head.len() {
            match bytes.read_at(start + filled as u64, &mut head[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) => return Content::Unread(error.to_string()),
            }
        }
        let Some(name) = any_in(&head[..filled]) else { return Content::Unknown };
        let is_encrypted = TABLE.iter().any(|row| row.name == name && row.holds == Holds::Encrypted);
        if is_encrypted { Content::Encrypted(name.to_owned()) } else { Content::Other(name.to_owned()) }
    }
}
#[cfg(not(feature = "inside"))]
pub(super) use by_signature::{content, table};

/// The bytes of a medium for several readers.
pub(super) fn shared(medium: Medium) -> Arc<dyn Bytes> {
    Arc::new(DiskMedium(medium))
}
