//! The bytes of a member of a zip, by its method of compression.

use super::checked::{Checked, Stated, bomb};
use super::decoder::{self, Packing};
use super::limits::Limits;
use super::member::failure;
use super::tape::Tape;
use super::zip_directory::{Record, u16_at, u32_at};
use super::{zip_implode::Implode, zip_reduce::Reduce, zip_shrink::Shrink};
use crate::bytes::Bytes;
use crate::node::Failure;
use deflate64::Deflate64Decoder;
use lzma_rust2::LzmaReader;
use ppmd_rust::{Ppmd8Decoder, RestoreMethod};
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
        // Streams of these do not say where they end.
        1 => Box::new(Shrink::new(input).take(record.size)),
        factor @ 2..=5 => Box::new(Reduce::new(input, u32::from(factor) - 1).take(record.size)),
        6 => Box::new(Implode::new(input, record.flags).take(record.size)),
        9 => Box::new(Deflate64Decoder::with_buffer(input)),
        8 => Box::new(flate2::bufread::DeflateDecoder::new(input)),
        12 => decoder::of(Packing::Bzip2, input, limits),
        14 => match lzma(input, record.size, limits) {
            Ok(reader) => reader,
            Err(error) => return fail(format!("LZMA: {error}")),
        },
        93 | 20 => decoder::of(Packing::Zstd, input, limits),
        95 => decoder::of(Packing::Xz, input, limits),
        98 => match ppmd(input, limits) {
            Ok(reader) => Box::new(reader.take(record.size)),
            Err(error) => return fail(format!("PPMd: {error}")),
        },
        method => return fail(format!("the method {method} is not read")),
    };
    let stated = Stated { size: Some(record.size), crc: Some(record.crc) };
    Ok(Box::new(Checked::new(opened, path.clone(), stated, most)))
}

/// PPMd in a zip: the order, the memory, and the way to continue when the memory is full, in 16
/// bits.
fn ppmd<R: BufRead>(mut input: R, limits: &Limits) -> std::io::Result<Ppmd8Decoder<R>> {
    let mut header = [0; 2];
    input.read_exact(&mut header)?;
    let raw = u32::from(u16_at(&header, 0));
    let (order, memory) = ((raw & 0xf) + 1, ((raw >> 4 & 0xff) + 1) << 20);
    let restore = match raw >> 12 {
        0 => RestoreMethod::Restart,
        1 => RestoreMethod::CutOff,
        _ => return Err(std::io::Error::other("a way of going on that there is not")),
    };
    if u64::from(memory) > limits.window {
        return Err(std::io::Error::other("needs more memory than allowed"));
    }
    Ppmd8Decoder::new(input, order, memory, restore).map_err(std::io::Error::other)
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
