//! The bytes of a member of a zip, by its method of compression.

use super::checked::{Checked, Stated, bomb};
use super::decoder::{self, Packing};
use super::limits::Limits;
use super::member::failure;
use super::tape::Tape;
use super::zip_directory::{Record, u16_at, u32_at};
use crate::bytes::Bytes;
use crate::node::Failure;
use lzma_rust2::LzmaReader;
use std::io::{BufRead, Read};
use std::sync::Arc;

const ENCRYPTED: u16 = 1;

/// Opens the member whose stored bytes begin at `data`.
///
/// # Errors
/// When it is encrypted, gives more than it may, or its method is not read.
pub fn open(
    bytes: &Arc<dyn Bytes>,
    limits: &Limits,
    record: &Record,
    data: u64,
    path: &Arc<[u8]>,
) -> Result<Box<dyn Read + Send>, Failure> {
    let fail = |cause: String| Err(failure(path, cause));
    if record.flags & ENCRYPTED != 0 || record.method == 99 {
        return fail("is encrypted".into());
    }
    let most = limits.most(record.stored);
    if record.size > most {
        return fail(bomb(most));
    }
    let end = data.saturating_add(record.stored);
    let input = Tape::buffered(bytes.clone(), data, end);
    let opened: Box<dyn Read + Send> = match record.method {
        0 => Box::new(Tape::new(bytes.clone(), data, end)),
        8 => Box::new(flate2::bufread::DeflateDecoder::new(input)),
        12 => decoder::of(Packing::Bzip2, input, limits),
        14 => match lzma(input, record.size, limits) {
            Ok(reader) => reader,
            Err(error) => return fail(format!("LZMA: {error}")),
        },
        93 | 20 => decoder::of(Packing::Zstd, input, limits),
        95 => decoder::of(Packing::Xz, input, limits),
        9 => return fail("the method Deflate64 is not read".into()),
        98 => return fail("the method PPMd is not read".into()),
        method => return fail(format!("the method {method} is not read")),
    };
    let stated = Stated { size: Some(record.size), crc: Some(record.crc) };
    Ok(Box::new(Checked::new(opened, path.clone(), stated, most)))
}

/// LZMA in a zip: the version of the SDK, the length of the properties, the properties.
fn lzma(mut input: impl BufRead + Send + 'static, size: u64, limits: &Limits) -> std::io::Result<Box<dyn Read + Send>> {
    let mut header = [0; 9];
    input.read_exact(&mut header)?;
    let (properties, dictionary) = (header[4], u32_at(&header, 5));
    if u16_at(&header, 2) != 5 || u64::from(dictionary) > limits.window {
        return Err(std::io::Error::other("its window is larger than allowed"));
    }
    Ok(Box::new(LzmaReader::new_with_props(input, size, properties, dictionary, None)?))
}
