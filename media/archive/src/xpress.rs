//! XPRESS with prefix codes, as WIM has it: Microsoft's [MS-XCA], "LZ77+Huffman".

use super::prefix::Codes;
use pfh_bytes::field::{byte, le16, le32};
use std::io;

/// Bytes of the lengths of codes, four bits each.
const LENGTHS: usize = 256;

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("XPRESS: {what}"))
}

/// Bits in words of 16, high bit first, between bytes that stand for themselves.
struct Bits<'a> {
    chunk: &'a [u8],
    at: usize,
    held: u32,
    /// Bits of `held` beyond the first 16.
    extra: i32,
}

impl Bits<'_> {
    /// Goes on behind bits, at most 16.
    fn skip(&mut self, count: u32) -> io::Result<()> {
        self.held = self.held.checked_shl(count).unwrap_or(0);
        self.extra -= count as i32;
        if self.extra < 0 {
            // One word may be taken beyond the end.
            if self.at > self.chunk.len() + 2 {
                return Err(wrong("the chunk ends within a symbol"));
            }
            self.held |= u32::from(le16(self.chunk, self.at)) << -self.extra;
            self.extra += 16;
            self.at += 2;
        }
        Ok(())
    }

    fn bits(&mut self, count: u32) -> io::Result<usize> {
        let value = if count == 0 { 0 } else { self.held >> (32 - count) };
        self.skip(count)?;
        Ok(value as usize)
    }
}

/// The bytes of a chunk that gives exactly `length` of them, behind `out`.
///
/// # Errors
/// When it does not, or is damaged.
pub fn decode(chunk: &[u8], length: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let packed = chunk.get(..LENGTHS).ok_or_else(|| wrong("no codes"))?;
    let lengths: Vec<u8> = packed.iter().flat_map(|pair| [pair & 15, pair >> 4]).collect();
    let codes = Codes::new(&lengths).ok_or_else(|| wrong("more codes than their lengths allow"))?;
    let held = u32::from(le16(chunk, LENGTHS)) << 16 | u32::from(le16(chunk, LENGTHS + 2));
    let mut bits = Bits { chunk, at: LENGTHS + 4, held, extra: 16 };
    let (from, end) = (out.len(), out.len() + length);
    while out.len() < end {
        let (symbol, used) = codes.find(bits.held >> 16).ok_or_else(|| wrong("a code that stands for nothing"))?;
        bits.skip(used)?;
        let Some(matched) = usize::from(symbol).checked_sub(256) else {
            out.push(symbol as u8);
            continue;
        };
        let mut length = matched & 15;
        if length == 15 {
            length = usize::from(byte(chunk, bits.at));
            bits.at += 1;
            if length == 255 {
                length = usize::from(le16(chunk, bits.at));
                bits.at += 2;
                if length == 0 {
                    length = le32(chunk, bits.at) as usize;
                    bits.at += 4;
                }
                length = length.checked_sub(15).ok_or_else(|| wrong("a length that is too short for its form"))?;
            }
            length = length.saturating_add(15);
        }
        let count = matched as u32 / 16;
        let distance = (1 << count) + bits.bits(count)?;
        let start = out.len().checked_sub(distance).filter(|start| *start >= from);
        let start = start.ok_or_else(|| wrong("a match with bytes before the first one"))?;
        let length = length.saturating_add(3);
        if length > end - out.len() {
            return Err(wrong("a match beyond the end of the chunk"));
        }
        for place in start..start + length {
            out.push(out[place]);
        }
    }
    Ok(())
}
