//! Apple Data Compression, the method of old disk images: plain bytes, and copies of what came
//! before, from as far back as 64 KiB.

/// Unpacks into `out`. Returns how many bytes came, `usize::MAX` for more than there is room for,
/// `None` for bytes that do not unpack.
pub fn unpack(bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    let (mut at, mut done) = (0, 0);
    while let Some(&first) = bytes.get(at) {
        if first & 0x80 != 0 {
            let length = usize::from(first & 0x7f) + 1;
            let plain = bytes.get(at + 1..at + 1 + length)?;
            let Some(room) = out.get_mut(done..done + length) else { return Some(usize::MAX) };
            room.copy_from_slice(plain);
            (at, done) = (at + 1 + length, done + length);
            continue;
        }
        let second = usize::from(*bytes.get(at + 1)?);
        let (length, back, used) = if first & 0x40 != 0 {
            let third = usize::from(*bytes.get(at + 2)?);
            (usize::from(first & 0x3f) + 4, second << 8 | third, 3)
        } else {
            (usize::from(first >> 2) + 3, usize::from(first & 3) << 8 | second, 2)
        };
        let from = done.checked_sub(back + 1)?;
        if done + length > out.len() {
            return Some(usize::MAX);
        }
        // Byte by byte: a copy may reach into itself.
        for step in 0..length {
            out[done + step] = out[from + step];
        }
        (at, done) = (at + used, done + length);
    }
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_kind_of_step() {
        let mut out = [0; 32];
        // Two plain bytes, a near copy of 3 + 1 that reaches into itself, a far one of 4.
        let packed = [0x81, b'a', b'b', 0x04, 1, 0x40, 0, 5];
        assert_eq!(unpack(&packed, &mut out), Some(10));
        assert_eq!(&out[..6], b"ababab");
        assert_eq!(&out[6..10], b"abab");
        assert_eq!(unpack(&packed, &mut [0; 5]), Some(usize::MAX));
        for wrong in [&[0x04, 0][..], &[0x81, b'a'], &[0x80, b'a', 0x40, 0], &[0x80, b'a', 0x40, 0, 1]] {
            assert_eq!(unpack(wrong, &mut out), None, "{wrong:x?}");
        }
    }

    /// Packs with the longest copy of each place, by search.
    fn pack(plain: &[u8]) -> Vec<u8> {
        let (mut packed, mut at, mut from) = (Vec::new(), 0, 0);
        let flush = |packed: &mut Vec<u8>, plain: &[u8]| {
            for piece in plain.chunks(128) {
                packed.push(0x7f + piece.len() as u8);
                packed.extend(piece);
            }
        };
        while at < plain.len() {
            let best = (0..at.min(65_536))
                .map(|back| {
                    let same = (0..67).take_while(|step| plain.get(at + step) == Some(&plain[at - back - 1 + step]));
                    (same.take_while(|step| at + step < plain.len()).count(), back)
                })
                .max_by_key(|(length, back)| (*length, usize::MAX - back));
            match best.filter(|(length, _)| *length >= 4) {
                Some((length, back)) => {
                    flush(&mut packed, &plain[from..at]);
                    if length <= 18 && back < 1024 {
                        packed.extend([(length as u8 - 3) << 2 | (back >> 8) as u8, back as u8]);
                    } else {
                        packed.extend([0x40 | (length as u8 - 4), (back >> 8) as u8, back as u8]);
                    }
                    at += length;
                    from = at;
                }
                None => at += 1,
            }
        }
        flush(&mut packed, &plain[from..]);
        packed
    }

    proptest! {
        #[test]
        fn packed_and_unpacked_is_the_same(plain in prop::collection::vec(prop::num::u8::ANY.prop_map(|byte| byte & 3), 0..600)) {
            let mut out = vec![0; plain.len()];
            prop_assert_eq!(unpack(&pack(&plain), &mut out), Some(plain.len()));
            prop_assert_eq!(out, plain);
        }

        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(prop::num::u8::ANY, 0..300)) {
            let mut out = [0; 400];
            unpack(&bytes, &mut out);
        }
    }
}
