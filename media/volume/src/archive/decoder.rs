//! Decompressors of whole streams: one frame after the other, to the last byte.

use super::limits::Limits;
use super::tape::Tape;
use crate::bytes::Bytes;
use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
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
}

/// The compressed bytes of a stream.
type Input = BufReader<Box<dyn Read + Send>>;

/// Opens the whole of `bytes` as one stream, from its start.
///
/// # Errors
/// What the medium says.
pub fn open(packing: Packing, bytes: Arc<dyn Bytes>, limits: &Limits) -> io::Result<Box<dyn Read + Send>> {
    let size = bytes.size();
    Ok(of(packing, Tape::buffered(bytes, 0, size), limits))
}

/// The same of a range that was opened.
pub fn of(packing: Packing, input: Input, limits: &Limits) -> Box<dyn Read + Send> {
    if packing == Packing::Xz {
        return Box::new(XzReader::new_mem_limit(input, true, limits.window_kib()));
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
            Packing::Zstd | Packing::Xz => true,
        };
        if self.any && !right {
            return Err(invalid("something follows its end"));
        }
        let state = match self.packing {
            Packing::Gzip => State::Gzip(Box::new(GzDecoder::new(input))),
            Packing::Bzip2 => State::Bzip2(BzDecoder::new(input)),
            Packing::Zstd | Packing::Xz => self.zstd(input)?,
        };
        self.any = true;
        Ok(state)
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
            };
            if got > 0 {
                return Ok(got);
            }
            let input = match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Between(input) => input,
                State::Gzip(decoder) => decoder.into_inner(),
                State::Bzip2(decoder) => decoder.into_inner(),
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
