//! LZVN: codes of one to three bytes, each of literal bytes that follow and a repetition.

use super::{literal, repeat};

/// The code of the end.
const END: u8 = 6;

/// Exactly `size` bytes out of the codes; `None` if they contradict themselves.
pub fn lzvn(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(size.min(1 << 20));
    let mut distance = 0;
    let mut at = 0;
    loop {
        let rest = packed.get(at..)?;
        // Some encoders leave the end out.
        let code = rest.first().copied().unwrap_or(END);
        let bits = |shift: u8, count: u8| usize::from(code >> shift) & ((1 << count) - 1);
        let byte = |index: usize| rest.get(index).copied().map(usize::from);
        let (length, literals, matched) = match code {
            END => return (out.len() == size).then_some(out),
            0x0e | 0x16 => (1, 0, 0),
            // Literal bytes alone.
            0xe0 => (2, byte(1)? + 16, 0),
            0xe1..=0xef => (1, bits(0, 4), 0),
            // A repetition from the last distance.
            0xf0 => (2, 0, byte(1)? + 16),
            0xf1..=0xff => (1, 0, bits(0, 4)),
            // Both, with a distance of 14 bits.
            0xa0..=0xbf => {
                let word = byte(1)? | byte(2)? << 8;
                distance = word >> 2;
                (3, bits(3, 2), (bits(0, 3) << 2 | word & 3) + 3)
            }
            0x70..=0x7f | 0xd0..=0xdf => return None,
            _ => match (code & 7, code >> 6) {
                // The last distance: those without literal bytes do not exist.
                (6, 0) => return None,
                (6, literals) => (1, usize::from(literals), bits(3, 3) + 3),
                (7, literals) => {
                    distance = byte(1)? | byte(2)? << 8;
                    (3, usize::from(literals), bits(3, 3) + 3)
                }
                (high, literals) => {
                    distance = usize::from(high) << 8 | byte(1)?;
                    (2, usize::from(literals), bits(3, 3) + 3)
                }
            },
        };
        literal(&mut out, rest.get(length..length + literals)?, size)?;
        if matched > 0 {
            repeat(&mut out, distance, matched, size)?;
        }
        at += length + literals;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(codes: &[u8], size: usize) -> Option<Vec<u8>> {
        lzvn(&[codes, &[END, 0, 0, 0, 0, 0, 0, 0]].concat(), size)
    }

    #[test]
    fn each_code() {
        // Three literal bytes and a repetition by each form of a distance.
        assert_eq!(of(b"\xe3abc", 3).unwrap(), b"abc");
        assert_eq!(of(b"\xe3abc\x00\x03", 6).unwrap(), b"abcabc");
        assert_eq!(of(b"\xe3abc\x08\x01", 7).unwrap(), b"abccccc");
        assert_eq!(of(b"\x48\x01x", 5).unwrap(), b"xxxxx");
        assert_eq!(of(b"\xe3abc\x07\x03\x00", 6).unwrap(), b"abcabc");
        assert_eq!(of(b"\xe3abc\xa0\x0d\x00", 7).unwrap(), b"abcabca");
        // Two more from the same distance, then a literal byte and three more.
        assert_eq!(of(b"\xe3abc\x00\x03\xf2\x46d", 12).unwrap(), b"abcabcabdabd");
        assert_eq!(of(b"\xe3abc\x00\x03\xf0\x04", 26).unwrap(), b"abcabcabcabcabcabcabcabcab");
        let long = [b"\xe0\x04", &[b'y'; 20][..]].concat();
        assert_eq!(of(&long, 20).unwrap(), [b'y'; 20]);
        assert_eq!(of(b"\x0e\x16\xe1a", 1).unwrap(), b"a");
        assert_eq!(lzvn(b"\xe1a", 1).unwrap(), b"a");
    }

    #[test]
    fn contradictions() {
        // A distance beyond the start or of zero, unknown codes, an end too early or too late.
        for (codes, size) in [
            (&b"\xe3abc\x00\x04"[..], 6),
            (b"\xe3abc\x00\x00", 6),
            (b"\xf3", 3),
            (b"\x1e", 3),
            (b"\x70", 3),
            (b"\xd0", 3),
            (b"\xe3abc", 4),
            (b"\xe3abc", 2),
            (b"\xe3abc\x00\x03", 5),
        ] {
            assert_eq!(of(codes, size), None, "{codes:x?}");
        }
        for codes in [&b"\xe3ab"[..], b"\xe0", b"\xa0\x01", b"\x07\x01", b""] {
            assert_eq!(lzvn(codes, 3), None);
        }
    }
}
