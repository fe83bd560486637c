//! sdhash's file format: a line `sdbf:03:…` or `sdbf-dd:03:…` for each input, the name inside,
//! delimited by its length.
//!
//! A file of more than 128 MiB has a line for each segment of that size, named `name.0000M`,
//! `name.0128M` and so on: they are written from one digest, and read as one if they are all there,
//! one behind the other.

use pfh_digest::Registry;
use pfh_engine::{Outcome, Record, Summary};
use pfh_similarity::{Content, MethodName, sdhash};
use std::collections::VecDeque;

use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, Entry, Fault, Item, ParsedLine};

/// Writes sdhash's file format.
#[derive(Default)]
pub struct Encoder(());

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder(())
    }
}

impl Encode for Encoder {
    fn head(&mut self, _: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        super::only("sdbf", preamble.algorithms, &[MethodName::Sdhash, MethodName::SdhashStream, MethodName::SdhashDd])
            .map(drop)
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(FormatFit::No) };
        let Content::Sdhash(digest) = super::value("sdbf", hashed)?.content() else {
            return Err(Unrepresentable::new("not a digest of sdhash"));
        };
        let unprintable = |_| Unrepresentable::new("sdbf cannot hold a name with a line feed");
        if digest.is_segmented() {
            for segment in digest.clone().into_segments() {
                segment.digest.print_line(&segment.name(&record.name), out).map_err(unprintable)?;
                out.push(b'\n');
            }
            return Ok(FormatFit::Yes);
        }
        digest.print_line(&record.name, out).map_err(unprintable)?;
        out.push(b'\n');
        Ok(FormatFit::Yes)
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}

/// Reads sdhash's file format, digests of both modes.
pub(crate) struct Decoder {
    registry: Registry,
    /// The segments of one file, as far as they came.
    segments: Vec<sdhash::Digest>,
    /// The name of that file.
    file: Vec<u8>,
    ready: VecDeque<Item>,
}

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, segments: Vec::new(), file: Vec::new(), ready: VecDeque::new() }
    }

    fn entry(&self, digest: sdhash::Digest, name: Vec<u8>) -> Result<Entry, Fault> {
        let method = if digest.block().is_some() { MethodName::SdhashDd } else { MethodName::Sdhash };
        let algorithm = self.registry.find(method.name()).map_err(|_| Fault::UnknownAlgorithm(method.name().into()))?;
        let size = Some(digest.size());
        let digest = super::read(algorithm, Content::Sdhash(digest))?;
        // A line does not say in which mode the method chose blocks or stream.
        Ok(Entry { name, size, digests: vec![digest], guessed: true, ..Entry::default() })
    }

    fn take(&mut self, line: &[u8]) -> Result<(), Fault> {
        let (digest, name) = sdhash::Digest::parse_line(line).map_err(super::fault)?;
        if name.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        if let Some((file, begin)) = sdhash::split_name(name) {
            let expected = self.segments.len() as u64 * (sdhash::SEGMENT >> 20);
            let follows = begin == expected && (begin == 0 || file == self.file);
            if follows && (digest.is_whole_segment() || (begin > 0 && digest.is_last_segment())) {
                let last = !digest.is_whole_segment();
                self.file.clear();
                self.file.extend_from_slice(file);
                self.segments.push(digest);
                if last {
                    self.close();
                }
                return Ok(());
            }
            // Another file's first segment, after one that ended with a whole segment.
            if begin == 0 && digest.is_whole_segment() {
                self.close();
                self.file = file.to_vec();
                self.segments.push(digest);
                return Ok(());
            }
        }
        self.close();
        let entry = self.entry(digest, name.to_vec())?;
        self.ready.push_back(Item::Entry(entry));
        Ok(())
    }

    /// Makes one digest of the segments. One alone is none of a file that was cut: it keeps its
    /// name.
    fn close(&mut self) {
        let many = self.segments.len();
        let mut segments = std::mem::take(&mut self.segments).into_iter();
        let Some(mut digest) = segments.next() else { return };
        segments.for_each(|next| digest.append(next));
        let mut name = std::mem::take(&mut self.file);
        if many == 1 {
            name.extend_from_slice(b".0000M");
        }
        let item = self.entry(digest, name).map_or_else(Item::Fault, Item::Entry);
        self.ready.push_back(item);
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.is_empty() {
            return ParsedLine::Neutral;
        }
        match self.take(line) {
            Ok(()) if self.ready.len() == 1 && self.segments.is_empty() => {
                self.ready.pop_front().map_or(ParsedLine::Neutral, ParsedLine::Item)
            }
            Ok(()) => ParsedLine::Neutral,
            Err(fault) => fault.into(),
        }
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        if ended {
            self.close();
        }
        self.ready.pop_front()
    }
}
