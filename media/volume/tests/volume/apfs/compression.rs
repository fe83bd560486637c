//! Compressed contents, as the attribute and the resource fork hold them.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

const CHUNK: usize = 64 << 10;

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A chunk of LZVN, or a plain one where that is not longer.
pub fn lzvn_chunk(bytes: &[u8]) -> Vec<u8> {
    let packed = lzvn(bytes);
    if packed.len() <= bytes.len() { packed } else { [&[6], bytes].concat() }
}

/// LZVN of literal bytes alone, and of a repetition where the rest of a chunk is the same byte.
pub fn lzvn(bytes: &[u8]) -> Vec<u8> {
    let last = bytes.last().copied().unwrap_or_default();
    let same = bytes.iter().rev().take_while(|byte| **byte == last).count();
    let plain = bytes.len() - same.saturating_sub(1);
    let mut codes = Vec::new();
    for part in bytes[..plain].chunks(271) {
        match part.len() {
            length @ 16.. => codes.extend([0xe0, (length - 16) as u8]),
            length => codes.push(0xe0 | length as u8),
        }
        codes.extend(part);
    }
    let mut rest = bytes.len() - plain;
    if rest >= 3 {
        // Three with a distance of one, and more from there.
        codes.extend([0x07, 1, 0]);
        rest -= 3;
    }
    while rest > 0 {
        let length = rest.min(271);
        match length {
            16.. => codes.extend([0xf0, (length - 16) as u8]),
            _ => codes.push(0xf0 | length as u8),
        }
        rest -= length;
    }
    codes.extend([6, 0, 0, 0, 0, 0, 0, 0]);
    codes
}

/// LZFSE: half of the bytes plain, the rest as a block of LZVN.
pub fn lzfse(bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let packed = lzvn(second);
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    [b"bvx-", &length(first)[..], first, b"bvxn", &length(second), &length(&packed), &packed, b"bvx$"].concat()
}

/// A fork of chunks with a table of offsets in front.
pub fn offsets(bytes: &[u8], pack: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let chunks: Vec<Vec<u8>> = bytes.chunks(CHUNK).map(pack).collect();
    let mut at = 4 * (chunks.len() as u32 + 1);
    let mut fork = at.to_le_bytes().to_vec();
    for chunk in &chunks {
        at += chunk.len() as u32;
        fork.extend(at.to_le_bytes());
    }
    [fork, chunks.concat()].concat()
}

/// A fork as resources are kept, with zlib: numbers with the highest byte first around it.
pub fn resources(bytes: &[u8], pack: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let chunks: Vec<Vec<u8>> = bytes.chunks(CHUNK).map(pack).collect();
    let mut data = (chunks.len() as u32).to_le_bytes().to_vec();
    let mut at = 4 + 8 * chunks.len() as u32;
    for chunk in &chunks {
        data.extend(at.to_le_bytes());
        data.extend((chunk.len() as u32).to_le_bytes());
        at += chunk.len() as u32;
    }
    let data = [data, chunks.concat()].concat();
    let length = data.len() as u32;
    let mut fork = [256, 260 + length, 4 + length, 50].map(u32::to_be_bytes).concat();
    fork.resize(256, 0);
    [fork, length.to_be_bytes().to_vec(), data, vec![0; 50]].concat()
}
