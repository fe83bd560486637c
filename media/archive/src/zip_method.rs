//! The bytes of a member of a zip, by its method of compression.

use super::checked::{CheckedBytes, StatedSum, bomb};
use super::decoder::{self, Packing};
use super::limits::Limits;
use super::member::{failure, wrong};
use super::tape::Tape;
use super::zip_cipher::{self, Authentic, DecryptedMember, ENCRYPTED, MemberForm};
use super::zip_directory::{Record, u16_at, u32_at};
use super::{zip_implode::Implode, zip_reduce::Reduce, zip_shrink::Shrink};
use deflate64::Deflate64Decoder;
use lzma_rust2::LzmaReader;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use ppmd_rust::{Ppmd8Decoder, RestoreMethod};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// Why a member under a password is not opened, as long as none was given.
pub const NEEDS_PASSWORD: &str = "is encrypted: a password opens it";

/// Bytes of a member that are read at once where they are decrypted.
const AHEAD: usize = 64 << 10;

/// The bytes of a member in front of its decompressor.
type Input = BufReader<Box<dyn Read + Send>>;

/// Opens the member whose stored bytes begin at `data`.
///
/// # Errors
/// When no password opens it, it gives more than it may, or its method is not read.
pub fn open(
    bytes: &Arc<dyn Bytes>,
    limits: &Limits,
    record: &Record,
    data: u64,
    path: &Arc<[u8]>,
) -> Result<Box<dyn Read + Send>, Failure> {
    let most = limits.most(record.stored);
    if record.size > most {
        return Err(failure(path, bomb(most)));
    }
    let end = data.saturating_add(record.stored);
    if record.flags & ENCRYPTED == 0 {
        let packed = MemberForm::of(record);
        let opened = match packed.method {
            0 => Box::new(Tape::new(bytes.clone(), data, end)),
            _ => unpacked(Tape::buffered(bytes.clone(), data, end), limits, record, &packed, path)?,
        };
        return Ok(checked(opened, record, &packed, path, most));
    }
    let (cipher, packed) = zip_cipher::of(record).map_err(|cause| failure(path, cause))?;
    if limits.passwords.is_empty() {
        return Err(failure(path, NEEDS_PASSWORD));
    }
    let under = |password: &[u8]| -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let opened = cipher.open(bytes, (data, end), record, password);
        let opened = opened.map_err(|error| failure(path, format!("its encrypted bytes: {error}")))?;
        let Some(DecryptedMember { reader, proof }) = opened else { return Ok(None) };
        let inner = unpacked(BufReader::with_capacity(AHEAD, reader), limits, record, &packed, path)?;
        Ok(Some(checked(Box::new(Authentic { inner, proof }), record, &packed, path, most)))
    };
    // A password that seems to fit may be wrong: with another one behind it, the content decides.
    let mut fitting = limits.passwords.iter().filter_map(|password| under(password).transpose().map(|_| password));
    let Some(mut password) = fitting.next() else {
        return Err(failure(path, "is encrypted, and none of the passwords opens it"));
    };
    for other in fitting {
        let is_right = under(password).is_ok_and(|reader| {
            reader.is_some_and(|mut reader| std::io::copy(&mut reader, &mut std::io::sink()).is_ok())
        });
        if is_right {
            break;
        }
        password = other;
    }
    let opened = under(password)?;
    let opened = opened.ok_or_else(|| failure(path, "its encrypted bytes changed while they were read"))?;
    Ok(if cipher.is_traditional() { Box::new(Doubtful(opened)) } else { opened })
}

/// Content under a password that may be a wrong one: the traditional cipher has one byte to tell.
struct Doubtful(Box<dyn Read + Send>);

impl Read for Doubtful {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const DOUBT: &str = "; or the password is wrong: of 256, one or two seem to fit";
        self.0.read(buffer).map_err(|error| match error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>()) {
            Some(failed) => wrong(Failure { cause: failed.cause.clone() + DOUBT, ..failed.clone() }),
            None if error.kind() == io::ErrorKind::InvalidData => {
                io::Error::new(error.kind(), format!("{error}{DOUBT}"))
            }
            None => error,
        })
    }
}

/// The content, held to the size and the CRC that are stated.
fn checked(
    opened: Box<dyn Read + Send>,
    record: &Record,
    packed: &MemberForm,
    path: &Arc<[u8]>,
    most: u64,
) -> Box<dyn Read + Send> {
    let stated = StatedSum { size: Some(record.size), crc: packed.crc };
    Box::new(CheckedBytes::new(opened, path.clone(), stated, most))
}

/// The content behind its method of compression.
fn unpacked(
    input: Input,
    limits: &Limits,
    record: &Record,
    packed: &MemberForm,
    path: &Arc<[u8]>,
) -> Result<Box<dyn Read + Send>, Failure> {
    let fail = |cause: String| Err(failure(path, cause));
    Ok(match packed.method {
        0 => Box::new(input),
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
    })
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
