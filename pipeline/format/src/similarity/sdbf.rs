//! sdhash's file format: a line `sdbf:03:…` or `sdbf-dd:03:…` for each input, the name inside, told off by its length.

use pfh_digest::{Digest, Registry};
use pfh_similarity::{Named, sdhash};

use crate::decode::{DecodeLine, Entry, Fault, Parsed};
use crate::manifest::{Carried, Encode, Preamble, Problem, Row, Summary, Unrepresentable};

/// What begins a digest's text, up to the name's length.
const MARKS: [(&str, Named); 2] = [("sdbf:03:", Named::Sdhash), ("sdbf-dd:03:", Named::SdhashDd)];
/// The length of an empty name, and what follows it.
const NAMELESS: &str = "0::";

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
        super::only("sdbf", preamble.algorithms, &[Named::Sdhash, Named::SdhashStream, Named::SdhashDd]).map(drop)
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Unrepresentable> {
        let text = super::text("sdbf", row)?;
        let parts = MARKS.iter().find_map(|(mark, _)| Some((mark, text.strip_prefix(mark)?.strip_prefix(NAMELESS)?)));
        let (mark, rest) = parts.ok_or_else(|| Unrepresentable::new("not a digest of sdhash"))?;
        if row.name.contains(&b'\n') {
            return Err(Unrepresentable::new("sdbf cannot hold a name with a line feed"));
        }
        out.extend_from_slice(format!("{mark}{}:", row.name.len()).as_bytes());
        out.extend_from_slice(row.name);
        out.push(b':');
        out.extend_from_slice(rest.as_bytes());
        out.push(b'\n');
        Ok(())
    }

    fn problem(&mut self, _: &mut Vec<u8>, _: &Problem<'_>) -> Carried {
        Carried::No
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}

/// Reads sdhash's file format, digests of both modes.
pub(crate) struct Decoder(Registry);

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder(registry)
    }

    fn entry(&self, line: &[u8]) -> Result<Entry, Fault> {
        let (digest, name) = sdhash::Digest::parse_line(line).map_err(super::fault)?;
        if name.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        let (mark, method) = MARKS[usize::from(digest.block().is_some())];
        let algorithm = self.0.find(method.name()).map_err(|_| Fault::UnknownAlgorithm(method.name().into()))?;
        // The line was found right, so what follows the name is what the digest prints.
        let length = name.len().to_string().len();
        let rest = &line[mark.len() + length + 1 + name.len() + 1..];
        let rest = str::from_utf8(rest).map_err(|_| Fault::Malformed("digest is not text"))?;
        let text = [mark, NAMELESS, rest].concat();
        let size = Some(digest.size());
        let digest = Digest::parse(algorithm, &text).map_err(|_| Fault::WrongLength)?;
        Ok(Entry { name: name.to_vec(), size, digests: vec![digest], ..Entry::default() })
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> Parsed {
        if line.is_empty() { Parsed::Neutral } else { self.entry(line).into() }
    }
}
