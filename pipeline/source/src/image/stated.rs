//! The size that a medium states of itself in its first sectors, to see whether pieces are missing
//! behind the last one.

/// Bytes that are looked at.
pub(super) const START: usize = 3 * 4096;

fn number(start: &[u8], at: usize, bytes: usize) -> u64 {
    let field = start.get(at..at + bytes).unwrap_or_default();
    field.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn is_at(start: &[u8], at: usize, bytes: &[u8]) -> bool {
    start.get(at..at + bytes.len()) == Some(bytes)
}

/// How many bytes a medium that begins so must have at least: by its GPT, the partitions of its
/// MBR, or the NTFS, exFAT, ext or XFS volume that it is.
pub(super) fn least(start: &[u8]) -> Option<(u64, &'static str)> {
    for sector in [512, 4096] {
        // The other header lies in the last sector (UEFI 5.3.2).
        if is_at(start, sector, b"EFI PART") {
            let last = number(start, sector + 32, 8).max(number(start, sector + 48, 8));
            return Some((last.checked_add(1)?.checked_mul(sector as u64)?, "GPT"));
        }
    }
    let volume = if is_at(start, 3, b"NTFS    ") {
        Some((number(start, 40, 8).checked_mul(number(start, 11, 2))?, "NTFS volume"))
    } else if is_at(start, 3, b"EXFAT   ") {
        Some((number(start, 72, 8).checked_mul(1 << number(start, 108, 1).min(12))?, "exFAT volume"))
    } else if is_at(start, 1024 + 56, &[0x53, 0xef]) && number(start, 1024 + 24, 4) <= 6 {
        Some((number(start, 1024 + 4, 4).checked_mul(1024 << number(start, 1024 + 24, 4))?, "ext volume"))
    } else if is_at(start, 0, b"XFSB") {
        let field = |at: usize, bytes: usize| start.get(at..at + bytes).unwrap_or_default().iter();
        let big = |at: usize, bytes: usize| field(at, bytes).fold(0, |all, byte| all << 8 | u64::from(*byte));
        Some((big(8, 8).checked_mul(big(4, 4))?, "XFS volume"))
    } else {
        None
    };
    if volume.is_some() {
        return volume;
    }
    // An entry has a status of 0 or 0x80, and a type; sectors may be larger than 512 bytes.
    let is_table = is_at(start, 510, &[0x55, 0xaa]);
    let entries = (0..4).map(|slot| 446 + 16 * slot).filter(|at| number(start, at + 4, 1) != 0);
    let is_sound = is_table && entries.clone().all(|at| matches!(start[at], 0 | 0x80) && number(start, at + 8, 4) > 0);
    let last = entries.map(|at| number(start, at + 8, 4) + number(start, at + 12, 4)).max();
    last.filter(|_| is_sound).map(|last| (last * 512, "MBR"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_state_their_least_size() {
        let mut start = vec![0; START];
        assert_eq!(least(&start), None);
        assert_eq!(least(b"short"), None);
        for mark in [&b"XFSB"[..], b"\xeb\x52\x90NTFS    ", b"\xeb\x76\x90EXFAT   "] {
            assert!(least(mark).is_none_or(|(bytes, _)| bytes == 0), "cut behind its mark");
        }
        start[510..512].copy_from_slice(&[0x55, 0xaa]);
        assert_eq!(least(&start), None);
        start[450] = 7;
        start[454] = 1;
        start[458] = 9;
        assert_eq!(least(&start), Some((5120, "MBR")));
        start[512..520].copy_from_slice(b"EFI PART");
        start[544] = 99;
        assert_eq!(least(&start), Some((51200, "GPT")));
        let mut start = vec![0; START];
        start[3..11].copy_from_slice(b"NTFS    ");
        (start[12], start[40]) = (2, 7);
        assert_eq!(least(&start), Some((3584, "NTFS volume")));
    }
}
