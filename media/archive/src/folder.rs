//! A folder of a 7z archive: packed streams through a chain of coders to one stream.

use super::limits::Limits;
use super::parts;
use super::tape::Tape;
use super::{decoder, decoder::Packing};
use deflate64::Deflate64Decoder;
use lzma_rust2::filter::bcj::BcjReader;
use lzma_rust2::filter::bcj2::Bcj2Reader;
use lzma_rust2::filter::delta::DeltaReader;
use lzma_rust2::{Lzma2Reader, LzmaReader};
use pfh_bytes::bytes::Bytes;
use ppmd_rust::Ppmd7Decoder;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::sync::Arc;

/// A step of the chain.
#[derive(Debug, Clone)]
pub struct Coder {
    pub id: u64,
    pub properties: Vec<u8>,
    /// Its inputs, by their numbers in the folder.
    pub inputs: Range<usize>,
    /// Bytes that come out.
    pub size: u64,
}

impl Coder {
    /// Bytes of its window or model: those of LZMA and PPMd by their properties, the most that
    /// bzip2 and the usual levels of Zstandard take.
    fn memory(&self) -> u64 {
        match (self.id, &self.properties[..]) {
            (0x0003_0101 | 0x0003_0401, [_, a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]).into(),
            (0x21, [bits @ 0..=40, ..]) => parts::dictionary(*bits),
            (0x04F7_1101 | 0x0004_0202, _) => 8 << 20,
            _ => 0,
        }
    }
}

/// Coders, and how they are bound.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    pub coders: Vec<Coder>,
    /// Inputs that come from the output of a coder.
    pub bound: Vec<(usize, usize)>,
    /// Inputs that come from packed streams.
    pub packed: Vec<(usize, usize)>,
    /// The coder whose output is the folder's.
    pub main: usize,
    pub crc: Option<u32>,
}

type FolderStream = Box<dyn Read + Send>;

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl Folder {
    /// Bytes that come out.
    pub fn size(&self) -> u64 {
        self.coders.get(self.main).map_or(0, |coder| coder.size)
    }

    /// Bytes that go in, of these packed streams.
    pub fn stored(&self, packed: &[(u64, u64)]) -> u64 {
        self.packed.iter().filter_map(|(_, at)| packed.get(*at)).map(|(_, length)| *length).sum()
    }

    /// Why it cannot be read, before anything is read.
    pub fn refusal(&self) -> Option<&'static str> {
        self.coders.iter().find_map(|coder| match coder.id {
            0x06F1_0701 => Some("is encrypted"),
            _ => None,
        })
    }

    /// Whether its stream may be decoded in parts.
    pub fn is_cut(&self) -> bool {
        self.coders.get(self.main).is_some_and(|coder| coder.id == 0x21)
    }

    /// Bytes of memory that its decoders take, as far as they say.
    pub fn memory(&self) -> u64 {
        self.coders.iter().fold(0, |sum: u64, coder| sum.saturating_add(coder.memory()))
    }

    /// Opens its stream.
    ///
    /// # Errors
    /// When a coder is not known, or needs more memory than allowed.
    pub fn open(&self, bytes: &Arc<dyn Bytes>, packed: &[(u64, u64)], limits: &Limits) -> io::Result<FolderStream> {
        let opened = self.output(self.main, &FolderPart { bytes, packed, limits }, 0)?;
        Ok(if self.is_cut() { opened } else { parts::beside(opened, &limits.crew) })
    }

    fn output(&self, number: usize, within: &FolderPart<'_>, depth: usize) -> io::Result<FolderStream> {
        let coder = self.coders.get(number).filter(|_| depth <= self.coders.len());
        let coder = coder.ok_or_else(|| invalid("coders are bound in a circle"))?;
        if let (0x21, [bits @ 0..=40], 1) = (coder.id, &coder.properties[..], coder.inputs.len())
            && let Some(place) = self.place(coder.inputs.start, within)
        {
            let window = parts::dictionary(*bits);
            if window > within.limits.window {
                return Err(invalid(wide(window)));
            }
            return parts::lzma2(within.bytes, place?, window as u32, within.limits);
        }
        let mut inputs =
            coder.inputs.clone().map(|input| self.input(input, within, depth)).collect::<Result<Vec<_>, _>>()?;
        if coder.id == 0x0303_011B && inputs.len() == 4 {
            return Ok(Box::new(Bcj2Reader::new(inputs, coder.size)));
        }
        match (inputs.pop(), inputs.is_empty()) {
            (Some(input), true) => decoded(coder, input, within.limits),
            _ => Err(invalid("a coder with a wrong number of inputs")),
        }
    }

    fn input(&self, input: usize, within: &FolderPart<'_>, depth: usize) -> io::Result<FolderStream> {
        if let Some((_, output)) = self.bound.iter().find(|(bound, _)| *bound == input) {
            return self.output(*output, within, depth + 1);
        }
        let place = self.place(input, within).ok_or_else(|| invalid("a coder without an input"))??;
        Ok(Box::new(Tape::new(within.bytes.clone(), place.start, place.end)))
    }

    /// Where the packed stream lies that is an input; `None` if it is none.
    fn place(&self, input: usize, within: &FolderPart<'_>) -> Option<io::Result<Range<u64>>> {
        let stream = self.packed.iter().find(|(packed, _)| *packed == input);
        let (start, length) = *stream.and_then(|(_, at)| within.packed.get(*at))?;
        // Packed streams start behind the signature header.
        let start = start.saturating_add(32);
        let end = start.checked_add(length).filter(|end| *end <= within.bytes.size());
        Some(end.map(|end| start..end).ok_or_else(|| invalid("a packed stream leads out of the archive")))
    }
}

struct FolderPart<'a> {
    bytes: &'a Arc<dyn Bytes>,
    packed: &'a [(u64, u64)],
    limits: &'a Limits,
}

/// The output of a coder with one input.
fn decoded(coder: &Coder, input: FolderStream, limits: &Limits) -> io::Result<FolderStream> {
    let properties = &coder.properties[..];
    let dictionary = |bytes: &[u8]| -> io::Result<u32> {
        let bytes = <[u8; 4]>::try_from(bytes).map_err(|_| invalid("wrong properties"))?;
        let size = u32::from_le_bytes(bytes);
        if u64::from(size) > limits.window { Err(invalid(wide(size.into()))) } else { Ok(size) }
    };
    let buffered = BufReader::with_capacity(64 << 10, input);
    Ok(match coder.id {
        0 => Box::new(buffered),
        0x0003_0101 => {
            let (first, size) = properties.split_first().ok_or_else(|| invalid("wrong properties"))?;
            Box::new(LzmaReader::new_with_props(buffered, coder.size, *first, dictionary(size)?, None)?)
        }
        0x21 => {
            let bits = match properties {
                [bits @ 0..=40] => u32::from(*bits),
                _ => return Err(invalid("wrong properties")),
            };
            let size = parts::dictionary(bits as u8);
            if size > limits.window {
                return Err(invalid(wide(size)));
            }
            Box::new(Lzma2Reader::new(buffered, size as u32, None))
        }
        3 => match properties {
            [distance] => Box::new(DeltaReader::new(buffered, usize::from(*distance) + 1)),
            _ => return Err(invalid("wrong properties")),
        },
        0x0303_0103 | 4 => Box::new(BcjReader::new_x86(buffered, 0)),
        0x0303_0205 | 5 => Box::new(BcjReader::new_ppc(buffered, 0)),
        0x0303_0401 | 6 => Box::new(BcjReader::new_ia64(buffered, 0)),
        0x0303_0501 | 7 => Box::new(BcjReader::new_arm(buffered, 0)),
        0x0303_0701 | 8 => Box::new(BcjReader::new_arm_thumb(buffered, 0)),
        0x0303_0805 | 9 => Box::new(BcjReader::new_sparc(buffered, 0)),
        0x0A => Box::new(BcjReader::new_arm64(buffered, 0)),
        0x0B => Box::new(BcjReader::new_riscv(buffered, 0)),
        0x0004_0108 => Box::new(flate2::bufread::DeflateDecoder::new(buffered)),
        0x0004_0109 => Box::new(Deflate64Decoder::with_buffer(buffered)),
        0x0003_0401 => {
            let (order, memory) = properties.split_first().ok_or_else(|| invalid("wrong properties"))?;
            let reader = Ppmd7Decoder::new(buffered, u32::from(*order), dictionary(memory)?);
            // Its stream does not say where it ends.
            Box::new(reader.map_err(|error| invalid(error.to_string()))?.take(coder.size))
        }
        0x0004_0202 => decoder::of(Packing::Bzip2, buffered, limits),
        0x04F7_1101 => decoder::of(Packing::Zstd, buffered, limits),
        id => return Err(invalid(format!("the method {id:x} is not read"))),
    })
}

fn wide(size: u64) -> String {
    format!("needs a window of {size} bytes, more than is allowed")
}
