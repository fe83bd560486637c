//! LZNT1: chunks of 4096 bytes, each of letters and references into the chunk (MS-XCA, 2.5).

/// Bytes of a chunk.
const CHUNK: usize = 4096;

/// Unpacks `packed` to at most `most` bytes; `None` if it contradicts itself.
pub fn unpack(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut found = Vec::with_capacity(most);
    let mut at = 0;
    while at + 2 <= packed.len() && found.len() < most {
        let header = u16::from_le_bytes([packed[at], packed[at + 1]]);
        if header == 0 {
            break;
        }
        // A chunk before this one that was short is filled up with zeros.
        found.resize(found.len().next_multiple_of(CHUNK), 0);
        let length = usize::from(header & 0xfff) + 1;
        let chunk = packed.get(at + 2..at + 2 + length)?;
        at += 2 + length;
        if header & 0x8000 == 0 {
            found.extend_from_slice(chunk);
        } else {
            unpack_chunk(chunk, &mut found)?;
        }
    }
    found.truncate(most);
    Some(found)
}

fn unpack_chunk(chunk: &[u8], found: &mut Vec<u8>) -> Option<()> {
    let start = found.len();
    let mut at = 0;
    while at < chunk.len() {
        let flags = chunk[at];
        at += 1;
        for bit in 0..8 {
            if at >= chunk.len() {
                break;
            }
            if flags >> bit & 1 == 0 {
                found.push(chunk[at]);
                at += 1;
            } else {
                let pair = u16::from_le_bytes([chunk[at], *chunk.get(at + 1)?]);
                at += 2;
                let written = found.len() - start;
                // The further into the chunk, the more bits say how far back.
                let mut bits_of_length = 12;
                let mut rest = written.checked_sub(1)?;
                while rest >= 16 {
                    bits_of_length -= 1;
                    rest >>= 1;
                }
                let length = usize::from(pair & ((1 << bits_of_length) - 1)) + 3;
                let from =
                    found.len().checked_sub(usize::from(pair >> bits_of_length) + 1).filter(|&from| from >= start)?;
                for index in from..from + length {
                    found.push(found[index]);
                }
            }
            if found.len() - start > CHUNK {
                return None;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_references_and_nonsense() {
        // "abc", then eight letters from three back.
        assert_eq!(unpack(&[5, 0xb0, 0x08, b'a', b'b', b'c', 0x05, 0x20], 4096).unwrap(), b"abcabcabcab");
        assert_eq!(unpack(&[1, 0x30, b'x', b'y'], 4096).unwrap(), b"xy");
        // Two chunks of zeros by reference: the second cannot reach into the first.
        assert_eq!(unpack(&[2, 0xb0, 1, 0, 0], 4096), None);
        assert_eq!(unpack(&[0xff, 0xbf, 0], 4096), None);
        assert_eq!(unpack(&[], 4096).unwrap(), b"");
    }
}
