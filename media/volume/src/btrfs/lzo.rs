//! LZO1X as Btrfs keeps it: a stream for each block.

use crate::lzo::append;
use pfh_bytes::field::le32;

/// The frame: the length of all, then segments of one block each, each behind its length. No length
/// lies across two blocks.
///
/// `None` if the bytes contradict themselves, or give more than `most`.
pub fn unpack(packed: &[u8], block: usize, most: usize) -> Option<Vec<u8>> {
    let total = le32(packed, 0) as usize;
    let packed = packed.get(..total)?;
    let mut out = Vec::with_capacity(most);
    let mut at = 4;
    while at < packed.len() && out.len() < most {
        let left = block - at % block;
        if left < 4 {
            at += left;
            continue;
        }
        let length = le32(packed.get(at..at + 4)?, 0) as usize;
        let segment = packed.get(at + 4..(at + 4).checked_add(length)?)?;
        let start = out.len();
        append(segment, &mut out, start.checked_add(block.min(most - start))?)?;
        at += 4 + length;
        // Only the last segment gives less than a block.
        if out.len() - start < block && out.len() < most && at < packed.len() {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of one segment.
    fn frame(stream: &[u8]) -> Vec<u8> {
        let total = stream.len() as u32 + 8;
        [&total.to_le_bytes()[..], &(stream.len() as u32).to_le_bytes(), stream].concat()
    }

    #[test]
    fn instructions_of_each_kind() {
        const END: &[u8] = &[17, 0, 0];
        let literal = |bytes: &[u8]| [&[17 + bytes.len() as u8], bytes].concat();
        let given = |stream: &[&[u8]]| unpack(&frame(&[&stream.concat()[..], END].concat()), 4096, 4096);
        assert_eq!(given(&[&literal(b"abcd")]).unwrap(), b"abcd");
        // Three bytes, five bytes and forty bytes from four back; then one literal.
        assert_eq!(given(&[&literal(b"abcd"), &[0b0100_1100, 0]]).unwrap(), b"abcdabc");
        assert_eq!(given(&[&literal(b"abcd"), &[0b1000_1101, 0, b'X']]).unwrap(), b"abcdabcdaX");
        assert_eq!(given(&[&literal(b"abcd"), &[32, 7, 12, 0]]).unwrap(), b"abcd".repeat(11));
        // Two bytes after one literal, and a long string of literals.
        assert_eq!(given(&[&literal(b"x"), &[0, 0]]).unwrap(), b"xxx");
        let long = [&[0, 2][..], &[b'l'; 20]].concat();
        assert_eq!(given(&[&long]).unwrap(), [b'l'; 20]);
        // From before the start, past the end, and with bytes behind it.
        for wrong in [&[0b0100_1101, 9][..], &[17, 0, 0], &[32, 0, 0, 0]] {
            assert_eq!(given(&[&literal(b"abcd"), wrong]), None);
        }
        assert_eq!(unpack(&frame(&[&literal(b"abcd")[..], END].concat()), 4096, 3), None);
    }

    proptest::proptest! {
        #[test]
        fn anything_ends(packed: Vec<u8>, raw: Vec<u8>) {
            proptest::prop_assert!(unpack(&frame(&packed), 4096, 8192).is_none_or(|out| out.len() <= 8192));
            let _ = unpack(&raw, 4096, 8192);
        }
    }
}
