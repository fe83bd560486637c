//! Questions about a disk of macOS (sys/disk.h), and the answers decoded.
//!
//! Nothing here calls the system: `os/macos` puts the questions to an open disk. So it is compiled
//! and tested on every system, with disks that answer as the header has it. An answer that
//! contradicts itself is `None`, never a number.

/// A question: `_IOR('d', number, type)` of sys/ioccom.h.
const fn ior(number: u8, bytes: u32) -> u32 {
    0x4000_0000 | bytes << 16 | (b'd' as u32) << 8 | number as u32
}

/// DKIOCGETBLOCKSIZE: bytes of a block, which reads of a raw disk must be a multiple of.
pub const BLOCK_SIZE: u32 = ior(24, 4);
/// DKIOCGETBLOCKCOUNT: blocks of the disk or partition.
pub const BLOCK_COUNT: u32 = ior(25, 8);
/// DKIOCISWRITABLE: whether the system lets anybody write to it.
pub const IS_WRITABLE: u32 = ior(29, 4);
/// DKIOCGETLOCATION: 0 inside of the machine, 1 outside.
pub const LOCATION: u32 = ior(33, 4);
/// DKIOCGETPHYSICALBLOCKSIZE: bytes that the medium writes at once.
pub const PHYSICAL_BLOCK_SIZE: u32 = ior(77, 4);

/// A disk that is asked.
pub trait DiskQuery {
    /// The answer of four bytes; `None` if it has none.
    fn word(&self, question: u32) -> Option<u32>;

    /// The answer of eight bytes.
    fn long(&self, question: u32) -> Option<u64>;
}

/// The facts about a disk or partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Bytes; 0 of a drive without a medium.
    pub size: u64,
    /// Logical and physical block in bytes.
    pub blocks: (u32, u32),
    /// Whether the system refuses to write to it; `None` if that is not stated.
    pub write_blocked: Option<bool>,
    /// Whether it is outside of the machine; `None` if that is not stated.
    pub external: Option<bool>,
}

/// Asks a disk all questions; `None` if it does not state its size.
pub fn facts(disk: &impl DiskQuery) -> Option<Facts> {
    let is_block = |bytes: &u32| bytes.is_power_of_two() && (512..=1 << 20).contains(bytes);
    let block = disk.word(BLOCK_SIZE).filter(is_block)?;
    let size = disk.long(BLOCK_COUNT)?.checked_mul(block.into())?;
    // Bridges state 0, or less than the logical block.
    let physical = disk.word(PHYSICAL_BLOCK_SIZE).filter(is_block).unwrap_or(block).max(block);
    let write_blocked = disk.word(IS_WRITABLE).map(|may| may == 0);
    Some(Facts { size, blocks: (block, physical), write_blocked, external: disk.word(LOCATION).map(|at| at == 1) })
}

/// The N of `/dev/diskN` and `/dev/rdiskN`, and the rest of the name: of a partition `sM`.
pub fn named(path: &[u8]) -> Option<(u32, &[u8])> {
    let rest = path.strip_prefix(b"/dev/")?;
    let rest = rest.strip_prefix(b"r").unwrap_or(rest).strip_prefix(b"disk")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let partition = &rest[digits..];
    // APFS numbers snapshots below volumes: `disk3s1s1`.
    let is_partition = |part: &[u8]| {
        let mut parts = part.split(|byte| *byte == b's');
        parts.next() == Some(b"") && parts.all(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
    };
    (partition.is_empty() || is_partition(partition)).then_some((number, partition))
}

/// Whether this is the raw form of a disk, a character device that takes whole blocks only.
pub fn is_raw(path: &[u8]) -> bool {
    path.starts_with(b"/dev/r") && named(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    struct Fake(HashMap<u32, u64>);

    impl DiskQuery for Fake {
        fn word(&self, question: u32) -> Option<u32> {
            self.0.get(&question).map(|answer| *answer as u32)
        }

        fn long(&self, question: u32) -> Option<u64> {
            self.0.get(&question).copied()
        }
    }

    fn fake<const N: usize>(answers: [(u32, u64); N]) -> Fake {
        Fake(answers.into_iter().collect())
    }

    /// The numbers that the macros of sys/disk.h give.
    #[test]
    fn questions_are_those_of_the_header() {
        let numbers = [BLOCK_SIZE, BLOCK_COUNT, IS_WRITABLE, LOCATION, PHYSICAL_BLOCK_SIZE];
        assert_eq!(numbers, [0x4004_6418, 0x4008_6419, 0x4004_641d, 0x4004_6421, 0x4004_644d]);
    }

    #[test]
    fn a_disk_states_its_facts() {
        let disk = [(BLOCK_SIZE, 512), (BLOCK_COUNT, 1 << 22), (PHYSICAL_BLOCK_SIZE, 4096), (IS_WRITABLE, 0)];
        let found = facts(&fake(disk)).unwrap();
        let expected = Facts { size: 1 << 31, blocks: (512, 4096), write_blocked: Some(true), external: None };
        assert_eq!(found, expected);
        let least = facts(&fake([(BLOCK_SIZE, 4096), (BLOCK_COUNT, 0), (LOCATION, 1)])).unwrap();
        assert_eq!(least, Facts { size: 0, blocks: (4096, 4096), write_blocked: None, external: Some(true) });
        assert_eq!(
            facts(&fake([(BLOCK_SIZE, 4096), (BLOCK_COUNT, 8), (PHYSICAL_BLOCK_SIZE, 0)])).unwrap().blocks.1,
            4096
        );
    }

    #[test]
    fn contradictions_are_no_facts() {
        for block in [0, 1, 511, 513, 1 << 21] {
            assert_eq!(facts(&fake([(BLOCK_SIZE, block), (BLOCK_COUNT, 8)])), None, "{block}");
        }
        assert_eq!(facts(&fake([(BLOCK_SIZE, 512), (BLOCK_COUNT, u64::MAX)])), None);
        assert_eq!(facts(&fake([(BLOCK_SIZE, 512)])), None);
        assert_eq!(facts(&fake([(BLOCK_COUNT, 512)])), None);
    }

    #[test]
    fn names_of_disks() {
        assert_eq!(named(b"/dev/disk0"), Some((0, &b""[..])));
        assert_eq!(named(b"/dev/rdisk12s3"), Some((12, &b"s3"[..])));
        assert_eq!(named(b"/dev/disk3s1s1"), Some((3, &b"s1s1"[..])));
        for other in
            ["/dev/disk", "/dev/diskette", "/dev/disk1s", "/dev/disk1x2", "/dev/null", "disk1", "/dev/rdisk1s2s"]
        {
            assert_eq!(named(other.as_bytes()), None, "{other}");
        }
        assert!(is_raw(b"/dev/rdisk4") && !is_raw(b"/dev/disk4") && !is_raw(b"/dev/random"));
    }
}
