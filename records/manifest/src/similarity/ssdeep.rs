//! ssdeep's file format, version 1.1: a header, then `digest,"name"`.

use pfh_digest::{Algorithm, Registry};
use pfh_engine::{Outcome, Record, Summary};
use pfh_similarity::{Content, MethodName, ssdeep};

use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, Entry, Fault, ParsedLine};

/// Writes ssdeep's file format.
#[derive(Default)]
pub struct Encoder(());

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder(())
    }
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        super::only("ssdeep", preamble.algorithms, &[MethodName::Ssdeep])?;
        out.extend_from_slice(ssdeep::FILE_HEADER.as_bytes());
        out.push(b'\n');
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(FormatFit::No) };
        let Content::Ssdeep(digest) = super::value("ssdeep", hashed)?.content() else {
            return Err(Unrepresentable::new("not a digest of ssdeep"));
        };
        ssdeep::print_line(digest, &record.name, out)
            .map_err(|_| Unrepresentable::new("ssdeep cannot hold a name with a line feed, or one that its reader would misread: \\ at the end or before a \""))?;
        out.push(b'\n');
        Ok(FormatFit::Yes)
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}

/// Reads ssdeep's file format, also several files one behind the other and without a header.
pub(crate) struct Decoder(Option<Algorithm>);

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder(registry.find(MethodName::Ssdeep.name()).ok())
    }

    fn entry(&self, line: &[u8]) -> Result<Entry, Fault> {
        let algorithm = self.0.ok_or_else(|| Fault::UnknownAlgorithm(Box::default()))?;
        let (digest, name) = ssdeep::parse_line(line).map_err(super::fault)?;
        if name.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        let digest = super::read(algorithm, Content::Ssdeep(digest))?;
        Ok(Entry { name, digests: vec![digest], ..Entry::default() })
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.is_empty() || line.starts_with(b"ssdeep,1.") {
            return ParsedLine::Neutral;
        }
        self.entry(line).into()
    }
}
