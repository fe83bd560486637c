//! Chunks: deflated where that saves anything, else stored with a checksum behind.

use super::noise::is_noise;
use super::{EwfFault, is_sealed, seal};
use crate::is_zero;
use libdeflater::CompressionLvl;

/// How hard to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// Everything is stored.
    None,
    /// Only chunks of nothing but zeros are deflated.
    EmptyBlock,
    /// libdeflate's level 1; chunks that look like noise are stored.
    #[default]
    Fast,
    /// libdeflate's level 9.
    Best,
}

impl Compression {
    /// The number in the volume section.
    pub fn number(self) -> u8 {
        match self {
            Compression::None | Compression::EmptyBlock => 0,
            Compression::Fast => 1,
            Compression::Best => 2,
        }
    }

    fn level(self) -> CompressionLvl {
        let level = match self {
            Compression::Best => 9,
            _ => 1,
        };
        CompressionLvl::new(level).unwrap_or_default()
    }
}

/// A stored chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedChunk {
    /// The bytes in the image.
    pub bytes: Vec<u8>,
    /// Whether they are deflated; otherwise the chunk itself and its checksum.
    pub is_compressed: bool,
}

/// Packs chunks; one per thread.
pub struct Compressor {
    compression: Compression,
    inner: libdeflater::Compressor,
    room: Vec<u8>,
    /// The last all-zero chunk packed, with its length.
    empty: Option<(usize, PackedChunk)>,
}

impl Compressor {
    /// A compressor.
    pub fn new(compression: Compression) -> Self {
        Compressor {
            compression,
            inner: libdeflater::Compressor::new(compression.level()),
            room: Vec::new(),
            empty: None,
        }
    }

    /// Packs one chunk.
    pub fn pack(&mut self, chunk: &[u8]) -> PackedChunk {
        let is_empty = self.compression != Compression::None && is_zero(chunk);
        if let (true, Some((length, packed))) = (is_empty, &self.empty)
            && *length == chunk.len()
        {
            return packed.clone();
        }
        let deflates = match self.compression {
            Compression::None => false,
            Compression::EmptyBlock => is_empty,
            Compression::Fast => !is_noise(chunk),
            Compression::Best => true,
        };
        let packed = if deflates { self.deflate(chunk) } else { None };
        let packed = packed.unwrap_or_else(|| {
            let mut bytes = Vec::with_capacity(chunk.len() + 4);
            bytes.extend_from_slice(chunk);
            seal(&mut bytes, 0);
            PackedChunk { bytes, is_compressed: false }
        });
        if is_empty {
            self.empty = Some((chunk.len(), packed.clone()));
        }
        packed
    }

    /// `None` where deflating saves nothing: a deflated chunk must be shorter than the bare one.
    fn deflate(&mut self, chunk: &[u8]) -> Option<PackedChunk> {
        self.room.resize(chunk.len().saturating_sub(1), 0);
        let length = self.inner.zlib_compress(chunk, &mut self.room).ok()?;
        Some(PackedChunk { bytes: self.room[..length].to_vec(), is_compressed: true })
    }
}

/// Unpacks chunks; one per thread.
pub struct Decompressor(libdeflater::Decompressor);

impl Default for Decompressor {
    fn default() -> Self {
        Decompressor(libdeflater::Decompressor::new())
    }
}

impl Decompressor {
    /// Unpacks a stored chunk into `out`, which is as long as the chunk: no more bytes come out,
    /// even if `bytes` are hostile.
    ///
    /// # Errors
    /// When the checksum is wrong, or another number of bytes comes out than the medium's geometry
    /// says.
    pub fn unpack(&mut self, bytes: &[u8], is_compressed: bool, out: &mut [u8]) -> Result<(), EwfFault> {
        if is_compressed {
            return match self.0.zlib_decompress(bytes, out) {
                Ok(length) if length == out.len() => Ok(()),
                Ok(_) | Err(libdeflater::DecompressionError::InsufficientSpace) => {
                    Err(EwfFault::new("a chunk of the wrong length"))
                }
                Err(libdeflater::DecompressionError::BadData) => {
                    Err(EwfFault::new("a chunk that does not inflate or whose checksum is wrong"))
                }
            };
        }
        // Bytes behind the checksum would belong to nothing.
        if bytes.len() != out.len() + 4 {
            return Err(EwfFault::new("a stored chunk of the wrong length"));
        }
        if !is_sealed(bytes) {
            return Err(EwfFault::new("checksum of a stored chunk"));
        }
        out.copy_from_slice(&bytes[..out.len()]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zeros_and_noise() {
        let mut state = 1_u32;
        let mut noise = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state as u8
        };
        let noise: Vec<u8> = (0..32_768).map(|_| noise()).collect();
        for (compression, chunk, deflated) in [
            (Compression::None, vec![0; 32_768], false),
            (Compression::EmptyBlock, vec![0; 32_768], true),
            (Compression::EmptyBlock, vec![1; 32_768], false),
            (Compression::Fast, vec![1; 32_768], true),
            (Compression::Fast, noise, false),
        ] {
            let mut compressor = Compressor::new(compression);
            for _ in 0..2 {
                let packed = compressor.pack(&chunk);
                assert_eq!(packed.is_compressed, deflated, "{compression:?}");
                assert_eq!(packed.bytes.len() > chunk.len(), !deflated);
                let mut out = vec![9; chunk.len()];
                Decompressor::default().unpack(&packed.bytes, packed.is_compressed, &mut out).unwrap();
                assert_eq!(out, chunk);
            }
        }
    }

    proptest! {
        #[test]
        fn unpack_undoes_pack(chunk in prop::collection::vec(0..4_u8, 1..2000), best in any::<bool>()) {
            let packed = Compressor::new(if best { Compression::Best } else { Compression::Fast }).pack(&chunk);
            let mut out = vec![0; chunk.len()];
            Decompressor::default().unpack(&packed.bytes, packed.is_compressed, &mut out).unwrap();
            prop_assert_eq!(&out, &chunk);
            let mut short = vec![0; chunk.len() - 1];
            prop_assert!(Decompressor::default().unpack(&packed.bytes, packed.is_compressed, &mut short).is_err());
        }

        #[test]
        fn nothing_in_a_chunk_brings_it_down(bytes in prop::collection::vec(any::<u8>(), 0..300), deflated in any::<bool>()) {
            let mut out = vec![0; 256];
            let _ = Decompressor::default().unpack(&bytes, deflated, &mut out);
        }
    }
}
