//! Blocks that are compressed.

use std::io::Read;

use crate::lzo;

/// How the blocks of a volume are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Zlib,
    Lzma,
    Lzo,
    Xz,
    Lz4,
    Zstd,
}

/// KiB that a decoder of LZMA may take: a block has 1 MiB at the most.
const WINDOW: u32 = 16 << 10;

impl Method {
    /// The method of this number.
    pub fn of(number: u16) -> Option<Method> {
        Some(match number {
            1 => Method::Zlib,
            2 => Method::Lzma,
            3 => Method::Lzo,
            4 => Method::Xz,
            5 => Method::Lz4,
            6 => Method::Zstd,
            _ => return None,
        })
    }

    /// The bytes of a block, `most` or fewer; `None` if it is damaged.
    pub fn unpack(self, packed: &[u8], most: usize) -> Option<Vec<u8>> {
        let read = |reader: &mut dyn Read| {
            let mut out = Vec::with_capacity(most.min(packed.len().saturating_mul(16)));
            // One more than fits: the end of the stream has its checksum.
            reader.take(most as u64 + 1).read_to_end(&mut out).ok()?;
            (out.len() <= most).then_some(out)
        };
        match self {
            Method::Zlib => {
                let mut out = vec![0; most];
                let got = libdeflater::Decompressor::new().zlib_decompress(packed, &mut out).ok()?;
                out.truncate(got);
                Some(out)
            }
            Method::Lzma => read(&mut lzma_rust2::LzmaReader::new_mem_limit(packed, WINDOW, None).ok()?),
            Method::Xz => read(&mut lzma_rust2::XzReader::new_mem_limit(packed, false, WINDOW)),
            Method::Zstd => read(&mut ruzstd::decoding::StreamingDecoder::new(packed).ok()?),
            Method::Lzo => lzo::unpack(packed, most),
            Method::Lz4 => {
                let mut out = vec![0; most];
                let got = lz4_flex::block::decompress_into(packed, &mut out).ok()?;
                out.truncate(got);
                Some(out)
            }
        }
    }
}
