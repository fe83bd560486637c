//! Units of compressed content: each is unpacked whole, and never to more bytes than the image
//! states.

use super::Failure;
use crate::lzfse::lzfse;
use libdeflater::{DecompressionError, Decompressor};

/// The longest unit that is unpacked, in bytes.
pub const LONGEST: u64 = 64 << 20;

/// How a unit is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Deflate in zlib's wrapping (RFC 1950).
    Zlib,
    /// Deflate (RFC 1951).
    Deflate,
    /// bzip2.
    Bzip2,
    /// LZMA2 in the format of xz.
    Xz,
    /// Zstandard.
    Zstandard,
    /// Snappy, one block.
    Snappy,
    /// LZ4, one block.
    Lz4,
    /// LZFSE, one stream.
    Lzfse,
    /// Apple Data Compression.
    Adc,
}

/// Unpacks `bytes` to `length` bytes. Bytes behind the end of a compressed stream are ignored.
///
/// # Errors
/// [`Failure::Malformed`] if another number of bytes comes out, or none; [`Failure::Refused`] if
/// this build has no decompressor of the method.
pub fn unpack(method: Method, bytes: &[u8], length: u64) -> Result<Vec<u8>, Failure> {
    let out = unpack_up_to(method, bytes, length)?;
    if out.len() as u64 == length {
        return Ok(out);
    }
    Err(Failure::malformed(format!("a compressed unit that does not hold {length} bytes")))
}

/// Unpacks `bytes` to at most `most` bytes.
///
/// # Errors
/// Those of [`unpack`].
pub fn unpack_up_to(method: Method, bytes: &[u8], most: u64) -> Result<Vec<u8>, Failure> {
    if most > LONGEST {
        return Err(Failure::refused(format!("a compressed unit of {most} bytes: too long to be unpacked in memory")));
    }
    let mut out = vec![0; most as usize];
    let got = match method {
        Method::Zlib => inflated(Decompressor::new().zlib_decompress(bytes, &mut out)),
        Method::Deflate => inflated(Decompressor::new().deflate_decompress(bytes, &mut out)),
        Method::Adc => super::adc::unpack(bytes, &mut out),
        Method::Lzfse => {
            let found = lzfse(bytes, out.len());
            return found
                .ok_or_else(|| Failure::malformed(format!("a compressed unit that does not hold {most} bytes")));
        }
        other => others::unpack(other, bytes, &mut out)?,
    };
    match got {
        Some(got) if got <= out.len() => {
            out.truncate(got);
            Ok(out)
        }
        Some(_) => Err(Failure::malformed(format!("a compressed unit that holds more than {most} bytes"))),
        None => Err(Failure::malformed("a compressed unit that does not unpack")),
    }
}

fn inflated(result: Result<usize, DecompressionError>) -> Option<usize> {
    match result {
        Ok(got) => Some(got),
        // More than there is room for.
        Err(DecompressionError::InsufficientSpace) => Some(usize::MAX),
        Err(DecompressionError::BadData) => None,
    }
}

#[cfg(feature = "unpack")]
mod others {
    use super::{Failure, Method};
    use std::io::Read;

    /// KiB for the window of xz: that of a unit of the longest kind, and the needs of the decoder.
    const WINDOW: u32 = 80 << 10;

    /// How many bytes came out; `usize::MAX` for more than there is room for, `None` for bytes that
    /// do not unpack.
    pub fn unpack(method: Method, bytes: &[u8], out: &mut [u8]) -> Result<Option<usize>, Failure> {
        Ok(match method {
            Method::Bzip2 => filled(&mut bzip2::read::BzDecoder::new(bytes), out),
            Method::Xz => filled(&mut lzma_rust2::XzReader::new_mem_limit(bytes, false, WINDOW), out),
            Method::Zstandard => match ruzstd::decoding::StreamingDecoder::new(bytes) {
                Ok(mut reader) => filled(&mut reader, out),
                Err(_) => None,
            },
            Method::Snappy => match snap::raw::decompress_len(bytes) {
                Ok(length) if length > out.len() => Some(usize::MAX),
                Ok(_) => snap::raw::Decoder::new().decompress(bytes, out).ok(),
                Err(_) => None,
            },
            Method::Lz4 => match lz4_flex::block::decompress_into(bytes, out) {
                Ok(got) => Some(got),
                Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) => Some(usize::MAX),
                Err(_) => None,
            },
            Method::Zlib | Method::Deflate | Method::Lzfse | Method::Adc => None,
        })
    }

    fn filled(reader: &mut dyn Read, out: &mut [u8]) -> Option<usize> {
        let mut done = 0;
        while done < out.len() {
            match reader.read(&mut out[done..]) {
                Ok(0) => return Some(done),
                Ok(got) => done += got,
                Err(_) => return None,
            }
        }
        match reader.read(&mut [0]) {
            Ok(0) => Some(done),
            Ok(_) => Some(usize::MAX),
            Err(_) => None,
        }
    }
}

#[cfg(not(feature = "unpack"))]
mod others {
    use super::{Failure, Method};

    pub fn unpack(method: Method, _: &[u8], _: &mut [u8]) -> Result<Option<usize>, Failure> {
        Err(Failure::refused(format!("content that is compressed by {method:?}: this program was built without it")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_and_less_than_stated() {
        let mut packed = [0; 64];
        let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
        let got = compressor.zlib_compress(&[7; 100], &mut packed).unwrap();
        // Bytes behind the stream's end do no harm.
        assert_eq!(unpack(Method::Zlib, &packed[..got + 3], 100).unwrap(), [7; 100]);
        for length in [99, 101, LONGEST + 1] {
            assert!(unpack(Method::Zlib, &packed[..got], length).is_err());
        }
        assert!(unpack(Method::Zlib, &packed[1..got], 100).is_err());
    }

    #[cfg(feature = "unpack")]
    #[test]
    fn blocks_of_each_method() {
        let text = b"the same words, the same words, the same words, and the same words".repeat(9);
        let snappy = snap::raw::Encoder::new().compress_vec(&text).unwrap();
        let lz4 = lz4_flex::block::compress(&text);
        for (method, packed) in [(Method::Snappy, snappy), (Method::Lz4, lz4)] {
            assert_eq!(unpack(method, &packed, text.len() as u64).unwrap(), text);
            assert!(unpack(method, &packed, text.len() as u64 - 1).is_err());
            assert!(unpack(method, &packed, text.len() as u64 + 1).is_err());
            assert!(unpack(method, &packed[..packed.len() / 2], text.len() as u64).is_err());
        }
    }
}
