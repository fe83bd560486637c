//! Unpacks compressed clusters.

use std::io::Read;

use super::lz4;

/// How a cluster is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Lz4,
    /// LZMA without its header: the first byte holds the parameters.
    Lzma,
    Deflate,
    Zstd,
}

impl Method {
    /// The method of this number.
    pub fn of(number: u8) -> Option<Method> {
        Some(match number {
            0 => Method::Lz4,
            1 => Method::Lzma,
            2 => Method::Deflate,
            3 => Method::Zstd,
            _ => return None,
        })
    }

    /// The first `length` bytes of a cluster; `None` if it is damaged. `is_padded` for zeros in
    /// front of it, up to a block; `is_whole` if the cluster holds no more.
    pub fn unpack(
        self,
        packed: &[u8],
        length: usize,
        is_padded: bool,
        is_whole: bool,
        block: usize,
    ) -> Option<Vec<u8>> {
        let padding = match is_padded || self != Method::Lz4 {
            true => packed.iter().take(block).position(|&byte| byte != 0)?,
            false => 0,
        };
        let packed = &packed[padding..];
        let mut out = Vec::with_capacity(length);
        let mut read = |reader: &mut dyn Read| {
            reader.take(length as u64).read_to_end(&mut out).ok()?;
            (out.len() == length).then(|| std::mem::take(&mut out))
        };
        match self {
            Method::Lz4 => {
                let end = lz4::append(packed, &mut out, length)?;
                // Where both ends are known, they are the stream's.
                (!is_padded || !is_whole || end == packed.len()).then_some(out)
            }
            Method::Lzma => {
                // The coder's first byte is zero, and makes room for the parameters.
                let parameters = !packed.first()?;
                let stream = (&[0][..]).chain(&packed[1..]);
                let window = u32::try_from(length).ok()?.max(4096);
                let reader = lzma_rust2::LzmaReader::new_with_props(stream, u64::MAX, parameters, window, None);
                read(&mut reader.ok()?)
            }
            Method::Deflate => read(&mut flate2::bufread::DeflateDecoder::new(packed)),
            Method::Zstd => read(&mut ruzstd::decoding::StreamingDecoder::new(packed).ok()?),
        }
    }
}
