//! The checksum of a structure.

use pfh_container::crc32c;

/// The checksum of a structure, whose field of four bytes counts as zeros.
pub fn sum(raw: &[u8], at: usize) -> u32 {
    let (before, rest) = raw.split_at(at.min(raw.len()));
    let after = rest.get(4..).unwrap_or_default();
    !crc32c(crc32c(crc32c(!0, before), &[0; 4]), after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_leaves_its_own_field_out() {
        let mut raw = b"123456789".to_vec();
        assert_eq!(sum(&raw, 9), !crc32c(crc32c(!0, &raw), &[0; 4]));
        let before = sum(&raw, 2);
        raw[3] = 0;
        assert_eq!(sum(&raw, 2), before);
        raw[6] = 0;
        assert_ne!(sum(&raw, 2), before);
    }
}
