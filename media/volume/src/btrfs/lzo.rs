//! LZO1X as Btrfs keeps it, after the description of the stream in the kernel's documentation
//! (`staging/lzo.rst`): own code, since the crates there are bind the C library or copy it.

use crate::field::le32;

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
        one(segment, &mut out, start.checked_add(block.min(most - start))?)?;
        at += 4 + length;
        // Only the last segment gives less than a block.
        if out.len() - start < block && out.len() < most && at < packed.len() {
            return None;
        }
    }
    Some(out)
}

/// Bytes that are read one after the other.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Option<usize> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(usize::from(first))
    }

    /// A length that did not fit into its bits: 255 for each zero, then a byte that is none.
    fn longer(&mut self, base: usize) -> Option<usize> {
        let mut length = base;
        loop {
            match self.byte()? {
                0 => length = length.checked_add(255)?,
                last => return length.checked_add(last),
            }
        }
    }
}

/// Appends what one stream gives, up to a length of `end` in all.
fn one(packed: &[u8], out: &mut Vec<u8>, end: usize) -> Option<()> {
    let start = out.len();
    let mut input = Input(packed);
    // Literals that the last instruction copied: 4 for more than three.
    let mut state = 0;
    if let Some(&first) = packed.first().filter(|&&first| first > 17) {
        input.byte();
        let length = usize::from(first) - 17;
        literals(&mut input, out, length, end)?;
        state = length.min(4);
    }
    loop {
        let code = input.byte()?;
        let (length, distance, next) = match code {
            0..=15 if state == 0 => {
                let length = 3 + if code == 0 { input.longer(15)? } else { code };
                literals(&mut input, out, length, end)?;
                state = 4;
                continue;
            }
            0..=15 => {
                let high = input.byte()? << 2;
                let near = high + (code >> 2) + 1;
                if state == 4 { (3, near + 2048, code & 3) } else { (2, near, code & 3) }
            }
            16..=31 => {
                let length = 2 + if code & 7 == 0 { input.longer(7)? } else { code & 7 };
                let low = input.byte()? | input.byte()? << 8;
                let distance = 16_384 + ((code & 8) << 11) + (low >> 2);
                if distance == 16_384 {
                    // The end, behind which nothing may be.
                    return (length == 3 && input.0.is_empty()).then_some(());
                }
                (length, distance, low & 3)
            }
            32..=63 => {
                let length = 2 + if code & 31 == 0 { input.longer(31)? } else { code & 31 };
                let low = input.byte()? | input.byte()? << 8;
                (length, (low >> 2) + 1, low & 3)
            }
            _ => {
                let length = if code < 128 { 3 + (code >> 5 & 1) } else { 5 + (code >> 5 & 3) };
                (length, (input.byte()? << 3) + (code >> 2 & 7) + 1, code & 3)
            }
        };
        let from = out.len().checked_sub(distance).filter(|&from| from >= start)?;
        if length > end - out.len() {
            return None;
        }
        for at in from..from + length {
            out.push(out[at]);
        }
        literals(&mut input, out, next, end)?;
        state = next;
    }
}

fn literals(input: &mut Input, out: &mut Vec<u8>, length: usize, end: usize) -> Option<()> {
    let (held, rest) = input.0.split_at_checked(length)?;
    if length > end - out.len() {
        return None;
    }
    out.extend_from_slice(held);
    input.0 = rest;
    Some(())
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
        // From before the start, past the end, and with something behind it.
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
