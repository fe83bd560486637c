//! Tagged lines, `SHA256 (name) = digest`, as the BSDs' md5(1) and GNU `cksum` print them.
//!
//! Algorithms are spelled as GNU spells them where GNU knows them, otherwise as OpenSSL does: `SHA256`, `SHA3-256`, `BLAKE2b`,
//! `SHA512/256`. The rest, and every algorithm with a length that is not its default, takes its own name in capitals with the
//! length in bits behind a hyphen where it can vary: `SHAKE128-256`, `KT128-256`.

use pfh_digest::{Algorithm, Output};

use crate::escape;
use crate::hex;
use crate::manifest::{Carried, Encode, End, Preamble, Problem, Row, Summary, Unrepresentable};

/// The spelling of an algorithm in front of the parenthesis.
pub fn tag(algorithm: Algorithm) -> String {
    let capitals = algorithm.name().to_ascii_uppercase();
    match algorithm.name() {
        "blake2b" => "BLAKE2b".to_owned(),
        "blake2s" => "BLAKE2s".to_owned(),
        "sha512-256" => "SHA512/256".to_owned(),
        "sha512-224" => "SHA512/224".to_owned(),
        "ripemd160" => "RIPEMD160".to_owned(),
        _ => match algorithm.output() {
            Output::Stated { .. } => format!("{capitals}-{}", 8 * algorithm.length()),
            _ => capitals,
        },
    }
}

/// Writes tagged lines, a line per algorithm and file.
pub struct Encoder {
    end: End,
    tags: Vec<String>,
}

impl Encoder {
    /// A writer with this end of record.
    pub fn new(end: End) -> Encoder {
        Encoder { end, tags: Vec::new() }
    }
}

impl Encode for Encoder {
    fn head(&mut self, _: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        if let Some(text) = preamble.algorithms.iter().find(|algorithm| algorithm.output() == Output::Text) {
            return Err(Unrepresentable::new(format!("bsd cannot hold {text}, whose digests are text")));
        }
        self.tags = preamble.algorithms.iter().copied().map(tag).collect();
        Ok(())
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Unrepresentable> {
        if !row.pieces.is_empty() {
            return Err(Unrepresentable::new("bsd has no form for the digests of pieces"));
        }
        let name = match self.end {
            End::Line => escape::escape(row.name),
            End::Nul => row.name.into(),
        };
        let escaped = self.end == End::Line && escape::is_needed(row.name);
        for (tag, digest) in self.tags.iter().zip(row.digests) {
            if escaped {
                out.push(b'\\');
            }
            out.extend_from_slice(tag.as_bytes());
            out.extend_from_slice(b" (");
            out.extend_from_slice(&name);
            out.extend_from_slice(b") = ");
            hex::push(out, digest.bytes());
            out.push(self.end.byte());
        }
        Ok(())
    }

    fn problem(&mut self, _: &mut Vec<u8>, _: &Problem<'_>) -> Carried {
        Carried::No
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}
