//! Streams of LZFSE: stored blocks, blocks of LZVN, and blocks of literal bytes, lengths and
//! distances in codes of their own.

use super::entropy::{Bits, States};
use super::lzvn::lzvn;
use super::{literal, repeat};
use crate::field::{le16, le32, le64};

/// Symbols of lengths of literal bytes, lengths of repetitions, distances, and literal bytes.
const ALPHABETS: [usize; 4] = [20, 20, 64, 256];
/// States of each.
const STATES: [u32; 4] = [64, 64, 256, 1024];

/// The most repetitions of a block, and the most literal bytes.
const MOST_MATCHES: u32 = 10_000;
const MOST_LITERALS: u32 = 4 * MOST_MATCHES;

/// Exactly `size` bytes out of a stream; `None` if it contradicts itself.
pub fn lzfse(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(size.min(1 << 20));
    let mut at = 0;
    loop {
        let rest = packed.get(at..)?;
        let raw_size = le32(rest, 4) as usize;
        let before = out.len();
        at += match rest.get(..4)? {
            b"bvx$" => return (out.len() == size).then_some(out),
            b"bvx-" => {
                literal(&mut out, rest.get(8..8usize.checked_add(raw_size)?)?, size)?;
                8 + raw_size
            }
            b"bvxn" => {
                let end = 12usize.checked_add(le32(rest, 8) as usize)?;
                // The block must not give more than the rest of the output.
                (raw_size <= size - before).then_some(())?;
                out.extend(lzvn(rest.get(12..end)?, raw_size)?);
                end
            }
            b"bvx1" => block(&Header::plain(rest)?, rest, &mut out, size)?,
            b"bvx2" => block(&Header::packed(rest)?, rest, &mut out, size)?,
            _ => return None,
        };
        if out.len() - before != raw_size {
            return None;
        }
    }
}

/// The header of a block.
struct Header {
    /// Its own length.
    length: usize,
    literals: u32,
    literal_bytes: usize,
    literal_spare: u32,
    literal_states: [u16; 4],
    matches: u32,
    match_bytes: usize,
    match_spare: u32,
    /// Of lengths of literal bytes, of repetitions, and of distances.
    match_states: [u16; 3],
    /// Of all alphabets, one after the other.
    frequencies: Vec<u16>,
}

/// Unused bits, from a field of a header: 0 to -7.
fn spare(stated: i32) -> Option<u32> {
    u32::try_from(stated.checked_neg()?).ok().filter(|spare| *spare < 8)
}

impl Header {
    /// A header whose frequencies are two bytes each.
    fn plain(raw: &[u8]) -> Option<Header> {
        let count: usize = ALPHABETS.iter().sum();
        // Two bytes behind the last state are padding.
        let (at, length) = (50, 50 + 2 * count);
        let raw = raw.get(..length.next_multiple_of(4))?;
        Some(Header {
            length: length.next_multiple_of(4),
            literals: le32(raw, 12),
            literal_bytes: le32(raw, 20) as usize,
            literal_spare: spare(le32(raw, 28).cast_signed())?,
            literal_states: [32, 34, 36, 38].map(|at| le16(raw, at)),
            matches: le32(raw, 16),
            match_bytes: le32(raw, 24) as usize,
            match_spare: spare(le32(raw, 40).cast_signed())?,
            match_states: [44, 46, 48].map(|at| le16(raw, at)),
            frequencies: (0..count).map(|index| le16(raw, at + 2 * index)).collect(),
        })
    }

    /// A header in three words, with frequencies in bits.
    fn packed(raw: &[u8]) -> Option<Header> {
        let words = [8, 16, 24].map(|at| le64(raw, at));
        let field = |word: usize, shift: u32, count: u32| (words[word] >> shift & ((1 << count) - 1)) as u32;
        let state = |word: usize, shift: u32| field(word, shift, 10) as u16;
        let length = field(2, 0, 32) as usize;
        Some(Header {
            length,
            literals: field(0, 0, 20),
            literal_bytes: field(0, 20, 20) as usize,
            literal_spare: spare(field(0, 60, 3).cast_signed() - 7)?,
            literal_states: [0, 10, 20, 30].map(|shift| state(1, shift)),
            matches: field(0, 40, 20),
            match_bytes: field(1, 40, 20) as usize,
            match_spare: spare(field(1, 60, 3).cast_signed() - 7)?,
            match_states: [32, 42, 52].map(|shift| state(2, shift)),
            frequencies: frequencies(raw.get(32..length)?)?,
        })
    }
}

/// Frequencies of all alphabets in 2 to 14 bits each, from the lowest bit on.
fn frequencies(raw: &[u8]) -> Option<Vec<u16>> {
    let count = ALPHABETS.iter().sum();
    if raw.is_empty() {
        return Some(vec![0; count]);
    }
    let (mut held, mut bits, mut bytes) = (0_u32, 0_u32, raw.iter());
    let mut found = Vec::with_capacity(count);
    for _ in 0..count {
        while bits <= 24 {
            let Some(byte) = bytes.next() else { break };
            held |= u32::from(*byte) << bits;
            bits += 8;
        }
        let (value, length) = match held & 31 {
            code if code & 1 == 0 => (if code & 2 == 0 { 0 } else { 1 }, 2),
            code if code & 3 == 1 => (2 + (code >> 2 & 1), 3),
            code if code & 7 == 3 => (4 + (code >> 3 & 3), 5),
            code if code & 15 == 7 => (8 + (held >> 4 & 15), 8),
            _ => (24 + (held >> 4 & 0x3ff), 14),
        };
        found.push(value as u16);
        held = held.checked_shr(length).unwrap_or(0);
        bits = bits.checked_sub(length)?;
    }
    // They end with the header.
    (bits < 8 && bytes.next().is_none()).then_some(found)
}

/// The base and the number of further bits of each symbol, for the lengths of literal bytes.
const LITERAL_LENGTHS: [(u32, u8); 20] = lengths([(16, 2), (20, 3), (28, 5), (60, 8)]);
/// The same for the lengths of repetitions.
const MATCH_LENGTHS: [(u32, u8); 20] = lengths([(16, 3), (24, 5), (56, 8), (312, 11)]);
/// The same for distances.
const DISTANCES: [(u32, u8); 64] = distances();

const fn lengths(last: [(u32, u8); 4]) -> [(u32, u8); 20] {
    let mut table = [(0, 0); 20];
    let mut index = 0;
    while index < 20 {
        table[index] = if index < 16 { (index as u32, 0) } else { last[index - 16] };
        index += 1;
    }
    table
}

/// Four symbols of each number of bits, one behind the other.
const fn distances() -> [(u32, u8); 64] {
    let mut table = [(0, 0); 64];
    let (mut index, mut base) = (0, 0);
    while index < 64 {
        let bits = (index / 4) as u8;
        table[index] = (base, bits);
        base += 1 << bits;
        index += 1;
    }
    table
}

/// Takes a block apart; how many bytes it has.
fn block(header: &Header, raw: &[u8], out: &mut Vec<u8>, size: usize) -> Option<usize> {
    if header.literals > MOST_LITERALS || header.matches > MOST_MATCHES {
        return None;
    }
    let mut tables = Vec::with_capacity(4);
    let mut rest = &header.frequencies[..];
    for (symbols, states) in ALPHABETS.into_iter().zip(STATES) {
        let (of, behind) = rest.split_at_checked(symbols)?;
        tables.push(States::new(states, of)?);
        rest = behind;
    }
    let [literal_lengths, match_lengths, distances, literals] = &tables[..] else { return None };
    let middle = header.length + header.literal_bytes;
    let end = middle + header.match_bytes;

    let mut bits = Bits::new(raw.get(header.length..middle)?, header.literal_spare)?;
    let mut states = header.literal_states;
    let mut bytes = Vec::with_capacity(header.literals as usize);
    for index in 0..header.literals as usize {
        bytes.push(literals.next(&mut states[index % 4], &mut bits)?);
    }

    let mut bits = Bits::new(raw.get(middle..end)?, header.match_spare)?;
    let [mut of_literals, mut of_match, mut of_distance] = header.match_states;
    let (mut at, mut distance) = (0, 0);
    for _ in 0..header.matches {
        let count = literal_lengths.value(&mut of_literals, &mut bits, &LITERAL_LENGTHS)?;
        let matched = match_lengths.value(&mut of_match, &mut bits, &MATCH_LENGTHS)?;
        match distances.value(&mut of_distance, &mut bits, &DISTANCES)? {
            0 => {}
            found => distance = found,
        }
        literal(out, bytes.get(at..at + count)?, size)?;
        at += count;
        if matched > 0 {
            repeat(out, distance, matched, size)?;
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`text`] of 200 words, as the reference implementation packs it: one block of LZVN.
    const LZVN: &str = "\
        6276786eb00600005c000000e8776f726420302c201008663166386818342811682a3166396833326822363009\
        281a683432681a33663268113728092819687931f12834681135287968123168353238c5f0fff0fff0fff0fff0\
        fff07fe22c20060000000000000062767824\
        ";

    /// [`text`] of 8000 words, likewise: one block with codes of its own.
    const LZFSE: &str = "\
        62767832a90b01001c00d00000350070fe537efbe3590010a10000003f04100a4fc129020800000820eb360000\
        3c039fc7027800e096dbb5d61970020b000000000000000000808f0100000000000000782b0000808f01f806de\
        8ed7e363f806be816fe01bf806be0100000000000000000000f8060000e01b806f00e01b000000000000000000\
        000000000000000000000000000000000000000000000000000000f07772ad279fae5dc04a61ba000000000000\
        0000000080defffbbffecfffff3ffff7fffe9fffe3fffecffff17fffd7fff9bfffe3fffcdffff37ffecffff9bf\
        feeffffc9f84fe2f9f24ea4cc4501b66336d69266512e79d33b6e6af0852734e0b3e5641710362767824\
        ";

    fn text(words: u64) -> Vec<u8> {
        (0..words).flat_map(|word| format!("word {}, ", word * word * word % 23).into_bytes()).collect()
    }

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn what_the_reference_packs() {
        for (packed, words) in [(LZVN, 200), (LZFSE, 8000)] {
            let (packed, plain) = (bytes(packed), text(words));
            assert_eq!(lzfse(&packed, plain.len()).as_deref(), Some(&plain[..]));
            for size in [0, plain.len() - 1, plain.len() + 1] {
                assert_eq!(lzfse(&packed, size), None);
            }
            for length in 0..packed.len() {
                assert_eq!(lzfse(&packed[..length], plain.len()), None, "{length}");
            }
        }
    }

    #[test]
    fn blocks_as_they_are() {
        assert_eq!(lzfse(b"bvx-\x03\0\0\0abcbvx-\x01\0\0\0dbvx$", 4).unwrap(), b"abcd");
        for packed in [&b"bvx-\x03\0\0\0abbvx$"[..], b"bvx-\xff\xff\xff\xffab", b"bvx3", b"bvx", b""] {
            assert_eq!(lzfse(packed, 3), None);
        }
    }

    /// Changed bytes give other bytes or none, and never more than were asked for.
    #[test]
    fn mutants() {
        for packed in [bytes(LZVN), bytes(LZFSE)] {
            let mut state = 1_u64;
            for _ in 0..20_000 {
                let mut mutant = packed.clone();
                for _ in 0..1 + state % 3 {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let at = (state >> 40) as usize % mutant.len();
                    mutant[at] = (state >> 32) as u8;
                }
                assert!(lzfse(&mutant, 4096).is_none_or(|out| out.len() == 4096));
            }
        }
    }
}
