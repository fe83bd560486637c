//! Blocks of the part that is there already, read again from the source: whether a resumed run goes
//! on with the medium it was begun with.

use super::identity::Identity;
use crate::splitmix::SplitMix;
use pfh_source::device::{Bad, Medium};

/// Bytes of a block.
const BLOCK: u64 = 32 << 10;
/// Most blocks that are read: 8 MiB. A part of no more is read whole.
const MOST: u64 = 256;
/// The alignment of reads past the page cache.
const PAGE: usize = 4096;

/// The result of sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SampleResult {
    /// Blocks that were compared and are equal.
    pub(super) equal: u64,
    /// Blocks that the source, or the image, does not give now, or that were lost then.
    pub(super) skipped: u64,
    /// Whether there is nothing beside these blocks.
    pub(super) is_all: bool,
}

impl SampleResult {
    /// A sentence on the first `done` bytes of the image, for the log and for people.
    pub(super) fn sentence(self, done: u64) -> String {
        let skipped = match self.skipped {
            0 => String::new(),
            skipped => format!(" ({skipped} more blocks cannot be compared)"),
        };
        let rest =
            if self.is_all { "" } else { "; the bytes between are as they were written, and were not read again" };
        format!(
            "of the first {done} bytes {} blocks of {BLOCK} bytes were read again from the source and are equal{skipped}{rest}",
            self.equal
        )
    }
}

/// A row of numbers that choose blocks.
struct Row(SplitMix);

impl Row {
    /// Of an identity: nobody who prepares a medium beforehand knows which blocks are read.
    fn of(identity: &Identity, done: u64) -> Option<Row> {
        let mut hasher = crate::hash::hasher_of_sha256();
        hasher.update(identity.to_json().to_string().as_bytes());
        hasher.update(&done.to_le_bytes());
        let digest = hasher.finalize().to_string();
        u64::from_str_radix(&digest[..16], 16).ok().map(|seed| Row(SplitMix(seed)))
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0.word() % limit.max(1)
    }
}

/// Which blocks are read, by their numbers: the first, the last, and one of each of the equal parts
/// between.
fn chosen(blocks: u64, row: &mut Row) -> Vec<u64> {
    if blocks <= MOST {
        return (0..blocks).collect();
    }
    let (parts, inner) = (MOST - 2, blocks - 2);
    let edge = |part: u64| 1 + (u128::from(part) * u128::from(inner) / u128::from(parts)) as u64;
    let between = (0..parts).map(|part| edge(part) + row.below(edge(part + 1) - edge(part)));
    [0].into_iter().chain(between.collect::<Vec<_>>()).chain([blocks - 1]).collect()
}

/// Compares blocks of the first `done` bytes of an image, as it is there, with the source, on which
/// it starts at `from`.
///
/// # Errors
/// Where the first block that differs starts, and how long it is, in bytes of the image.
pub(super) fn compare(
    (source, from): (&Medium, u64),
    (there, done): (&Medium, u64),
    bad: &[Bad],
    identity: &Identity,
) -> Result<SampleResult, (u64, u64)> {
    // Behind the source's end an image may be padded.
    let done = source.size().map_or(done, |size| done.min(size.saturating_sub(from)));
    let blocks = done.div_ceil(BLOCK);
    let Some(mut row) = Row::of(identity, done) else {
        return Ok(SampleResult { equal: 0, skipped: blocks, is_all: false });
    };
    let chosen = chosen(blocks, &mut row);
    let mut sampled = SampleResult { equal: 0, skipped: 0, is_all: chosen.len() as u64 == blocks };
    let (mut a, mut b) = (Room::new(), Room::new());
    for number in chosen {
        let offset = number * BLOCK;
        let length = BLOCK.min(done - offset);
        let is_lost = bad.iter().any(|run| run.offset < offset + length && offset < run.offset + run.length);
        let both = (!is_lost).then(|| a.read(source, from + offset, length).zip(b.read(there, offset, length)));
        match both.flatten() {
            Some((a, b)) if a == b => sampled.equal += 1,
            Some(_) => return Err((offset, length)),
            None => sampled.skipped += 1,
        }
    }
    Ok(sampled)
}

/// Room for a block, aligned.
struct Room(Vec<u8>);

impl Room {
    fn new() -> Self {
        Room(vec![0; BLOCK as usize + PAGE])
    }

    /// A range of a medium; `None` if it cannot be read.
    fn read(&mut self, medium: &Medium, offset: u64, length: u64) -> Option<&[u8]> {
        let skew = self.0.as_ptr().align_offset(PAGE);
        let room = &mut self.0[skew..][..length as usize];
        let mut done = 0;
        while done < room.len() {
            match medium.read_at(&mut room[done..], offset + done as u64) {
                Ok(got) if got > 0 => done += got,
                _ => return None,
            }
        }
        Some(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_source::device::Access;
    use pfh_source::os::names::OsStrExt;

    #[test]
    fn first_last_and_one_of_each_part_between() {
        for blocks in [1, 2, 255, 256, 257, 258, 1000, 1 << 40] {
            let mut row = Row(SplitMix(7));
            let all = chosen(blocks, &mut row);
            assert_eq!(all.len() as u64, blocks.min(MOST), "{blocks}");
            assert_eq!((all[0], *all.last().unwrap()), (0, blocks - 1));
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{blocks}: rising, each once");
        }
        let of = |serial: &str| {
            let identity = Identity { serial: serial.into(), ..Identity::default() };
            chosen(1 << 30, &mut Row::of(&identity, 9).unwrap())
        };
        assert!(of("a") == of("a") && of("a") != of("b"), "by the identity");
    }

    #[test]
    fn a_changed_byte_of_a_small_part_is_found_wherever_it_is() {
        let room = tempfile::tempdir().unwrap();
        let open = |name: &str, bytes: &[u8]| {
            let path = room.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            Medium::open(path.as_os_str().as_bytes(), Access::Cached).unwrap()
        };
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at / 7) as u8).collect();
        let there = open("there", &bytes[1000..]);
        let same = compare((&open("same", &bytes), 1000), (&there, 2_999_000), &[], &Identity::default());
        assert_eq!(same, Ok(SampleResult { equal: 92, skipped: 0, is_all: true }));
        for at in [1000, 2_000_001, 2_999_999] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let found = compare((&open("other", &changed), 1000), (&there, 2_999_000), &[], &Identity::default());
            let offset = (at as u64 - 1000) / BLOCK * BLOCK;
            assert_eq!(found, Err((offset, BLOCK.min(2_999_000 - offset))));
        }
    }
}
