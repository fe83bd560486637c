//! LZ4 up to a known length: the packed bytes may have no stated end, and a file may hold only the
//! first bytes that they unpack to. Other decoders need both ends.

/// Appends the first bytes of a stream up to a length of `end`; how many packed bytes were read,
/// `None` if the stream is damaged.
pub fn append(packed: &[u8], out: &mut Vec<u8>, end: usize) -> Option<usize> {
    let mut at = 0;
    let longer = |at: &mut usize, base: usize| {
        let mut length = base;
        if base == 15 {
            loop {
                let next = *packed.get(*at)?;
                *at += 1;
                length += usize::from(next);
                if next != 255 {
                    break;
                }
            }
        }
        Some(length)
    };
    loop {
        let token = usize::from(*packed.get(at)?);
        at += 1;
        let literals = longer(&mut at, token >> 4)?;
        let length = literals.min(end - out.len());
        out.extend_from_slice(packed.get(at..at.checked_add(length)?)?);
        at += length;
        if out.len() == end {
            return Some(at);
        }
        let distance = usize::from(*packed.get(at)?) | usize::from(*packed.get(at + 1)?) << 8;
        at += 2;
        let length = longer(&mut at, token & 15)? + 4;
        let from = out.len().checked_sub(distance).filter(|_| distance > 0)?;
        for from in from..from + length.min(end - out.len()) {
            out.push(out[from]);
        }
        if out.len() == end {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_of_a_stream() {
        let text: Vec<u8> = (0..5000_u32).flat_map(|n| (n / 9).to_le_bytes()).collect();
        let packed = lz4_flex::block::compress(&text);
        for length in [1, 2, 17, 300, text.len() - 1, text.len()] {
            let mut out = Vec::new();
            let read = append(&packed, &mut out, length).unwrap();
            assert!(out == text[..length] && read <= packed.len());
        }
        assert_eq!(append(&packed, &mut Vec::new(), text.len()), Some(packed.len()));
        assert_eq!(append(&packed, &mut Vec::new(), text.len() + 1), None);
        assert_eq!(append(&packed[..packed.len() - 1], &mut Vec::new(), text.len()), None);
        // From before the start, and from nowhere.
        for wrong in [&[0x10, b'a', 2, 0, 0][..], &[0x10, b'a', 0, 0, 0], &[0xf0, 255]] {
            assert_eq!(append(wrong, &mut Vec::new(), 100), None);
        }
    }

    proptest::proptest! {
        #[test]
        fn anything_ends(packed: Vec<u8>) {
            let mut out = Vec::new();
            let _ = append(&packed, &mut out, 1000);
            proptest::prop_assert!(out.len() <= 1000);
        }
    }
}
