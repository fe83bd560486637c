//! Decompressors of whole streams: one frame after the other, to the last byte.

use super::compress::Compress;
use super::format::Format;
use super::limits::Limits;
use super::tape::Tape;
use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lz4_flex::frame::FrameDecoder as Lz4Decoder;
use lzma_rust2::{LzipReader, LzmaReader, XzReader};
use pfh_bytes::bytes::Bytes;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    Compress,
    Lz4,
    Lzip,
    Lzma,
}

impl Packing {
    /// The packing of a format that is one stream.
    pub fn of(format: Format) -> Option<Packing> {
        Some(match format {
            Format::Gzip => Packing::Gzip,
            Format::Bzip2 => Packing::Bzip2,
            Format::Xz => Packing::Xz,
            Format::Zstd => Packing::Zstd,
            Format::Compress => Packing::Compress,
            Format::Lz4 => Packing::Lz4,
            Format::Lzip => Packing::Lzip,
            Format::Lzma => Packing::Lzma,
            _ => return None,
        })
    }
}

/// The compressed bytes of a stream.
type Input = BufReader<Box<dyn Read + Send>>;

/// Opens the whole of `bytes` as one stream, from its start.
///
/// # Errors
/// Those of the medium.
pub fn open(packing: Packing, bytes: Arc<dyn Bytes>, limits: &Limits) -> io::Result<Box<dyn Read + Send>> {
    let size = bytes.size();
    Ok(of(packing, Tape::buffered(bytes, 0, size), limits))
}

/// As [`open`], for a range that was opened.
pub fn of(packing: Packing, input: Input, limits: &Limits) -> Box<dyn Read + Send> {
    match packing {
        Packing::Xz => return Box::new(XzReader::new_mem_limit(input, true, limits.window_kib())),
        Packing::Compress => return Box::new(Compress::new(input)),
        Packing::Lzma => return Box::new(Alone::Closed(Some(input), limits.window_kib())),
        _ => {}
    }
    Box::new(Frames { packing, window: limits.window, state: State::Between(input), any: false })
}

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

enum State {
    Between(Input),
    Gzip(Box<GzDecoder<Input>>),
    Bzip2(BzDecoder<Input>),
    Zstd(Box<FrameDecoder>, Input),
    Lz4(Box<Lz4Decoder<Input>>),
    Lzip(Box<LzipReader<Input>>),
    Ended,
}

/// One frame after the other.
struct Frames {
    packing: Packing,
    window: u64,
    state: State,
    any: bool,
}

impl Frames {
    /// The next frame, or the end. Zeros fill up a tape, and are not an error.
    fn next(&mut self, mut input: Input) -> io::Result<State> {
        let first = input.fill_buf()?.first().copied();
        match first {
            None if self.any => return Ok(State::Ended),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
            Some(0) if self.any => {
                while let Some(zeros) = Some(input.fill_buf()?).filter(|buffer| !buffer.is_empty()) {
                    if zeros.iter().any(|byte| *byte != 0) {
                        return Err(invalid("something follows its end"));
                    }
                    let length = zeros.len();
                    input.consume(length);
                }
                return Ok(State::Ended);
            }
            Some(_) => {}
        }
        let right = match self.packing {
            Packing::Gzip => first == Some(0x1F),
            Packing::Bzip2 => first == Some(b'B'),
            Packing::Lzip => first == Some(b'L'),
            _ => true,
        };
        if self.any && !right {
            return Err(invalid("something follows its end"));
        }
        let state = match self.packing {
            Packing::Gzip => State::Gzip(Box::new(GzDecoder::new(input))),
            Packing::Bzip2 => State::Bzip2(BzDecoder::new(input)),
            Packing::Lz4 => self.lz4(input)?,
            Packing::Lzip => self.lzip(input)?,
            _ => self.zstd(input)?,
        };
        self.any = true;
        Ok(state)
    }

    /// A frame of LZ4, or one that is passed over.
    fn lz4(&self, mut input: Input) -> io::Result<State> {
        let start = input.fill_buf()?;
        if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] = start {
            let mut header = [0; 8];
            input.read_exact(&mut header)?;
            let length = u64::from(u32::from_le_bytes([header[4], header[5], header[6], header[7]]));
            if io::copy(&mut (&mut input).take(length), &mut io::sink())? < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            return Ok(State::Between(input));
        }
        Ok(State::Lz4(Box::new(Lz4Decoder::new(input))))
    }

    /// A member of lzip, whose window its header states.
    fn lzip(&self, mut input: Input) -> io::Result<State> {
        let start = input.fill_buf()?;
        let window = start.get(5).map_or(0, |code| {
            let whole = 1_u64 << (code & 31);
            whole - whole / 16 * u64::from(code >> 5)
        });
        if window > self.window {
            return Err(invalid("its window is larger than allowed"));
        }
        Ok(State::Lzip(Box::new(LzipReader::new(input))))
    }

    fn zstd(&self, mut input: Input) -> io::Result<State> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(self.window);
        match decoder.init(&mut input) {
            Ok(()) => {}
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let skipped = io::copy(&mut (&mut input).take(length.into()), &mut io::sink())?;
                if skipped < u64::from(length) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                return Ok(State::Between(input));
            }
            Err(error) => return Err(invalid(error.to_string())),
        }
        Ok(State::Zstd(Box::new(decoder), input))
    }
}

/// Reads on in a frame; 0 is its end.
fn read_zstd(decoder: &mut FrameDecoder, input: &mut Input, buffer: &mut [u8]) -> io::Result<usize> {
    while decoder.can_collect() == 0 && !decoder.is_finished() {
        let decoded = decoder.decode_blocks(&mut *input, BlockDecodingStrategy::UptoBlocks(1));
        decoded.map_err(|error| invalid(error.to_string()))?;
    }
    decoder.read(buffer)
}

impl Read for Frames {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let got = match &mut self.state {
                State::Ended => return Ok(0),
                State::Between(_) => 0,
                State::Gzip(decoder) => decoder.read(buffer)?,
                State::Bzip2(decoder) => decoder.read(buffer)?,
                State::Zstd(decoder, input) => read_zstd(decoder, input, buffer)?,
                State::Lz4(decoder) => decoder.read(buffer)?,
                State::Lzip(decoder) => decoder.read(buffer)?,
            };
            if got > 0 {
                return Ok(got);
            }
            let input = match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Between(input) => input,
                State::Gzip(decoder) => decoder.into_inner(),
                State::Bzip2(decoder) => decoder.into_inner(),
                State::Lz4(decoder) => decoder.into_inner(),
                State::Lzip(decoder) => decoder.into_inner(),
                State::Zstd(decoder, input) => {
                    let (stated, found) = (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
                    if stated.is_some() && stated != found {
                        return Err(invalid("its checksum does not hold"));
                    }
                    input
                }
            };
            self.state = self.next(input)?;
        }
    }
}

/// LZMA alone: a header, and one stream.
enum Alone {
    Closed(Option<Input>, u32),
    Open(Box<LzmaReader<Input>>),
    Ended,
}

impl Alone {
    /// The end of the stream. Zeros may follow it, and nothing else.
    fn end(&mut self) -> io::Result<usize> {
        if let Alone::Open(reader) = std::mem::replace(self, Alone::Ended) {
            let (mut input, unused) = reader.into_parts();
            let is_other = |bytes: &[u8]| bytes.iter().any(|byte| *byte != 0);
            let mut is_followed = is_other(&unused);
            while let Some(rest) = Some(input.fill_buf()?).filter(|rest| !is_followed && !rest.is_empty()) {
                is_followed = is_other(rest);
                let length = rest.len();
                input.consume(length);
            }
            if is_followed {
                return Err(invalid("something follows its end"));
            }
        }
        Ok(0)
    }
}

impl Read for Alone {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match self {
                Alone::Ended => return Ok(0),
                Alone::Open(reader) => match reader.read(buffer)? {
                    0 => return self.end(),
                    got => return Ok(got),
                },
                Alone::Closed(input, most) => {
                    let Some(input) = input.take() else { return Err(io::ErrorKind::UnexpectedEof.into()) };
                    *self = Alone::Open(Box::new(LzmaReader::new_mem_limit(input, *most, None)?));
                }
            }
        }
    }
}
