//! Extents that are compressed.

use std::io::Read;

use super::lzo;
use super::record::Method;

/// Unpacks compressed bytes: no more than `size`, and less by no more than a block; the missing
/// bytes are behind the end of the file and zero. `None` if they are damaged.
pub fn unpack(method: Method, packed: &[u8], size: usize, block: usize) -> Option<Vec<u8>> {
    let read = |reader: &mut dyn Read| {
        let mut out = Vec::with_capacity(size + 1);
        // One more than stated: the end of the stream has its checksum, and it is the end.
        reader.take(size as u64 + 1).read_to_end(&mut out).ok()?;
        (out.len() <= size).then_some(out)
    };
    let mut out = match method {
        Method::Plain => packed.get(..size)?.to_vec(),
        Method::Zlib => read(&mut flate2::bufread::ZlibDecoder::new(packed))?,
        Method::Zstd => read(&mut ruzstd::decoding::StreamingDecoder::new(packed).ok()?)?,
        Method::Lzo => lzo::unpack(packed, block, size)?,
    };
    if size - out.len() >= block {
        return None;
    }
    out.resize(size, 0);
    Some(out)
}
