//! mrsh-v2's file format: `name:size:filters − 1:chunks in the last:HEX` and an empty line for each
//! input.

use pfh_digest::{Algorithm, Registry};
use pfh_engine::{Outcome, Record, Summary};
use pfh_similarity::mrsh_v2::MrshV2;
use pfh_similarity::{Content, MethodName};

use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, Entry, Fault, ParsedLine};

/// Writes mrsh-v2's file format.
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
        super::only("mrsh", preamble.algorithms, &[MethodName::MrshV2, MethodName::MrshV2Network]).map(drop)
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(FormatFit::No) };
        let similar = super::value("mrsh", hashed)?;
        if record.name.iter().any(|byte| matches!(byte, b':' | b'\n')) {
            return Err(Unrepresentable::new("mrsh cannot hold a name with a colon or a line feed"));
        }
        out.extend_from_slice(&record.name);
        out.extend_from_slice(format!("{similar}\n\n").as_bytes());
        Ok(FormatFit::Yes)
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}

/// Reads mrsh-v2's file format. It does not say which build wrote it: taken for the plain one
/// unless the other is assumed.
pub(crate) struct Decoder(Option<Algorithm>, bool);

impl Decoder {
    pub(crate) fn new(registry: Registry, assumed: &[Algorithm]) -> Decoder {
        let network = assumed.iter().find(|algorithm| algorithm.name() == MethodName::MrshV2Network.name());
        Decoder(network.copied().or_else(|| registry.find(MethodName::MrshV2.name()).ok()), assumed.is_empty())
    }

    fn entry(&self, line: &[u8]) -> Result<Entry, Fault> {
        let algorithm = self.0.ok_or_else(|| Fault::UnknownAlgorithm(Box::default()))?;
        let (digest, name) = MrshV2::PLAIN.parse_line(line).map_err(super::fault)?;
        if name.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        let size = Some(digest.size());
        let digest = super::read(algorithm, Content::MrshV2(digest))?;
        Ok(Entry { name: name.to_vec(), size, digests: vec![digest], guessed: self.1, ..Entry::default() })
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.is_empty() { ParsedLine::Neutral } else { self.entry(line).into() }
    }
}
