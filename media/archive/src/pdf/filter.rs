//! The filters of a stream, one behind the other (ISO 32000-1, 7.4).

use super::ascii::{AsciiDecoder, Code};
use super::lzw::Lzw;
use super::object::{Dictionary, Object};
use super::predictor::{Layout, PredictorReader};
use crate::checked::bomb;
use crate::member::{failure, wrong};
use crate::tape::{Tape, is_medium};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::sync::Arc;

/// Filters of one stream.
const MOST: usize = 16;
/// Bytes ahead of each filter.
const AHEAD: usize = 8 << 10;

type FilteredStream = Box<dyn Read + Send>;

/// One filter.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Filter {
    Code(Code),
    Flate,
    Lzw,
    /// A picture's own form: its bytes are not decoded.
    Picture(&'static str),
    /// A filter that is not known.
    Unknown(String),
}

impl Filter {
    fn of(name: &[u8]) -> Option<Filter> {
        Some(match name {
            b"FlateDecode" | b"Fl" => Filter::Flate,
            b"LZWDecode" | b"LZW" => Filter::Lzw,
            b"ASCII85Decode" | b"A85" => Filter::Code(Code::Base85),
            b"ASCIIHexDecode" | b"AHx" => Filter::Code(Code::Hex),
            b"RunLengthDecode" | b"RL" => Filter::Code(Code::Runs),
            b"DCTDecode" | b"DCT" => Filter::Picture("DCTDecode"),
            b"JPXDecode" => Filter::Picture("JPXDecode"),
            b"JBIG2Decode" => Filter::Picture("JBIG2Decode"),
            b"CCITTFaxDecode" | b"CCF" => Filter::Picture("CCITTFaxDecode"),
            // Without encryption it changes nothing.
            b"Crypt" => return None,
            other => Filter::Unknown(String::from_utf8_lossy(other).into_owned()),
        })
    }

    fn name(&self) -> &str {
        match self {
            Filter::Code(Code::Hex) => "ASCIIHexDecode",
            Filter::Code(Code::Base85) => "ASCII85Decode",
            Filter::Code(Code::Runs) => "RunLengthDecode",
            Filter::Flate => "FlateDecode",
            Filter::Lzw => "LZWDecode",
            Filter::Picture(name) => name,
            Filter::Unknown(name) => name,
        }
    }
}

/// The filters of a stream, with their parameters.
#[derive(Debug, Clone, Default)]
pub struct Chain(Vec<(Filter, Dictionary)>);

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl Chain {
    /// The filters that a stream states; `resolve` gives the object behind a reference.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn of(resolve: &dyn Fn(&Object) -> io::Result<Object>, dictionary: &Dictionary) -> io::Result<Chain> {
        let list = |names: [&str; 2]| -> io::Result<Vec<Object>> {
            let Some(object) = names.iter().find_map(|name| dictionary.get(name)) else { return Ok(Vec::new()) };
            Ok(match resolve(object)? {
                Object::Array(objects) if objects.len() > MOST => return Err(invalid("too many filters")),
                Object::Array(objects) => objects.iter().map(resolve).collect::<io::Result<_>>()?,
                Object::Null => Vec::new(),
                object => vec![object],
            })
        };
        let parameters = list(["DecodeParms", "DP"])?;
        let mut chain = Vec::new();
        for (at, object) in list(["Filter", "F"])?.into_iter().enumerate() {
            // `F` is also the name of a file that holds the bytes.
            let Object::Name(name) = &object else { continue };
            let Some(filter) = Filter::of(name) else { continue };
            let parameters = match parameters.get(at) {
                Some(Object::Dictionary(found)) => {
                    let entries = found.0.iter().map(|(key, value)| Ok((key.clone(), resolve(value)?)));
                    Dictionary(entries.collect::<io::Result<_>>()?)
                }
                _ => Dictionary::default(),
            };
            chain.push((filter, parameters));
        }
        Ok(Chain(chain))
    }

    /// The filter that is not known, or a picture's own, by its name.
    pub fn opaque(&self) -> Option<&str> {
        let found = self.0.iter().find(|(filter, _)| matches!(filter, Filter::Picture(_) | Filter::Unknown(_)));
        found.map(|(filter, _)| filter.name())
    }

    /// Whether the bytes are stored plainly.
    pub fn is_plain(&self) -> bool {
        self.0.first().is_none_or(|(filter, _)| matches!(filter, Filter::Picture(_)))
    }

    /// The bytes of the stream in a range of the document, each filter giving `most` of them. The
    /// filter of a picture, and those behind it, are left to the picture.
    pub fn open(&self, bytes: &Arc<dyn Bytes>, range: Range<u64>, most: u64) -> FilteredStream {
        let offset = range.start;
        let mut reader: FilteredStream = Box::new(Tape::new(bytes.clone(), range.start, range.end));
        for (filter, parameters) in &self.0 {
            if matches!(filter, Filter::Picture(_)) {
                break;
            }
            let name = filter.name().to_owned();
            let opened = decoded(filter, parameters, reader);
            reader = Box::new(Stage { reader: opened, name, offset, left: most, most });
        }
        reader
    }
}

/// The output of a filter.
fn decoded(filter: &Filter, parameters: &Dictionary, reader: FilteredStream) -> io::Result<FilteredStream> {
    let input = BufReader::with_capacity(AHEAD, reader);
    let opened: FilteredStream = match filter {
        Filter::Code(code) => return Ok(Box::new(AsciiDecoder::new(*code, input))),
        Filter::Picture(_) => return Ok(Box::new(input)),
        Filter::Unknown(_) => return Err(invalid("is not read")),
        Filter::Flate => Box::new(flate2::bufread::ZlibDecoder::new(input)),
        Filter::Lzw => Box::new(Lzw::new(input, parameters.integer("EarlyChange") != Some(0))),
    };
    let number = |name: &str, usual: u64| {
        parameters
            .integer(name)
            .map_or(Ok(usual), |number| u64::try_from(number).map_err(|_| invalid("rows that cannot be")))
    };
    let layout =
        Layout { colors: number("Colors", 1)?, bits: number("BitsPerComponent", 8)?, columns: number("Columns", 1)? };
    match number("Predictor", 1)? {
        0 | 1 => Ok(opened),
        2 => Ok(Box::new(PredictorReader::new(opened, layout, false)?)),
        10..=15 => Ok(Box::new(PredictorReader::new(BufReader::with_capacity(AHEAD, opened), layout, true)?)),
        other => Err(invalid(format!("the predictor {other} is not read"))),
    }
}

/// The output of a filter: no more than the limit, with the name of the filter in its faults.
struct Stage {
    reader: io::Result<FilteredStream>,
    name: String,
    /// Where the stream begins.
    offset: u64,
    left: u64,
    most: u64,
}

impl Stage {
    fn fail(&self, cause: String) -> io::Error {
        wrong(Failure { offset: Some(self.offset), ..failure(b"", cause) })
    }
}

impl Read for Stage {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let reader = match &mut self.reader {
            Ok(reader) => reader,
            Err(error) => {
                let cause = format!("{}: {error}", self.name);
                return Err(self.fail(cause));
            }
        };
        match reader.read(buffer) {
            Ok(got) => match self.left.checked_sub(got as u64) {
                Some(left) => {
                    self.left = left;
                    Ok(got)
                }
                None => Err(self.fail(bomb(self.most))),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) if error.get_ref().is_some_and(|inner| inner.is::<Failure>()) => Err(error),
            Err(error) if is_medium(&error) => Err(error),
            Err(error) => {
                let done = self.most - self.left;
                let cause = match error.kind() {
                    io::ErrorKind::UnexpectedEof => format!("its bytes end after {done} bytes of content"),
                    _ => format!("cannot be decoded after {done} bytes: {error}"),
                };
                Err(self.fail(format!("{}: {cause}", self.name)))
            }
        }
    }
}
