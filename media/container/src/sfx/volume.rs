//! Volumes that stand behind something else: squashfs, EROFS and discs.

use crate::Bytes;
use crate::field::{le16, le32};
use memchr::memmem;

const SQUASHFS: &[u8] = b"hsqs";
/// Where the first sector of a disc's descriptors stands.
const DISC: usize = 0x8000;
/// A primary descriptor, version 1.
const DESCRIPTOR: &[u8] = b"\x01CD001\x01";

/// Whether a volume begins exactly there.
pub fn is_at(bytes: &dyn Bytes, place: u64) -> bool {
    let has = |offset: u64, magic: &[u8]| {
        let mut found = vec![0; magic.len()];
        bytes.read_exact_at(place.saturating_add(offset), &mut found).is_ok() && found == magic
    };
    has(0, SQUASHFS) || has(1024, &[0xe2, 0xe1, 0xf5, 0xe0]) || has(DISC as u64, DESCRIPTOR)
}

/// The first volume that begins in these bytes, behind the first of them.
pub fn within(bytes: &[u8]) -> Option<u64> {
    let squashfs = memmem::find_iter(bytes, SQUASHFS).find(|at| *at > 0 && is_squashfs(&bytes[*at..]));
    let disc = memmem::find_iter(bytes, DESCRIPTOR).find_map(|at| at.checked_sub(DISC).filter(|at| *at > 0));
    squashfs.into_iter().chain(disc).min().map(|at| at as u64)
}

/// The version, and a block size that is said twice.
fn is_squashfs(start: &[u8]) -> bool {
    let power = u32::from(le16(start, 22));
    start.len() >= 96
        && (le16(start, 28), le16(start, 30)) == (4, 0)
        && (12..=20).contains(&power)
        && le32(start, 12) == 1 << power
}
