//! Lists as `sha256sum` and its kin print them: digest, space, marker, name (coreutils manual, "md5sum invocation").
//!
//! A line holds one digest and does not say of which algorithm: readers tell by its length or are told. So a list may hold
//! several algorithms, a line each, only where their digests differ in length. Similarity digests are told by their form: `T1…`, `sdbf:…`.

use pfh_digest::{Algorithm, Output, Registry};
use pfh_similarity::ABSENT;

use crate::decode::{DecodeLine, Entry, Fault, Parsed};
use crate::manifest::{Carried, Encode, End, Layout, Marker, Preamble, Problem, Row, Summary, Unrepresentable};
use crate::{bsd, digits, escape, similarity};

/// Writes `digest  name`, a line per algorithm and file.
pub struct Encoder {
    layout: Layout,
}

impl Encoder {
    /// A writer with this end of record and this marker.
    pub fn new(layout: Layout) -> Encoder {
        Encoder { layout }
    }
}

/// Whether a reader cannot tell the digests of two algorithms apart.
fn look_alike(a: Algorithm, b: Algorithm) -> bool {
    match (a.output(), b.output()) {
        // Similarity digests have forms of their own, but for the two kinds of mrsh-v2.
        (Output::Text, Output::Text) => a.name().starts_with("mrsh-v2") && b.name().starts_with("mrsh-v2"),
        (Output::Text, _) | (_, Output::Text) => false,
        _ => a.length() == b.length(),
    }
}

impl Encode for Encoder {
    fn head(&mut self, _: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        for (n, algorithm) in preamble.algorithms.iter().enumerate() {
            if let Some(twin) = preamble.algorithms[..n].iter().find(|other| look_alike(**other, *algorithm)) {
                return Err(Unrepresentable::new(format!(
                    "sums cannot tell {twin} from {algorithm}: their digests look alike; use another format, such as jsonl"
                )));
            }
        }
        Ok(())
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Unrepresentable> {
        if !row.pieces.is_empty() {
            return Err(Unrepresentable::new("sums has no form for the digests of pieces"));
        }
        if let Some(digest) = row.digests.iter().find(|digest| digest.text() == Some(ABSENT)) {
            return Err(Unrepresentable::new(format!("{} has no digest for it: too short", digest.algorithm())));
        }
        let name = match self.layout.end {
            End::Line => escape::escape(row.name),
            End::Nul => row.name.into(),
        };
        let escaped = self.layout.end == End::Line && escape::is_needed(row.name);
        for digest in row.digests {
            if escaped {
                out.push(b'\\');
            }
            similarity::push(out, digest);
            out.push(b' ');
            out.push(match self.layout.marker {
                Marker::Text => b' ',
                Marker::Binary => b'*',
            });
            out.extend_from_slice(&name);
            out.push(self.layout.end.byte());
        }
        Ok(())
    }

    fn problem(&mut self, _: &mut Vec<u8>, _: &Problem<'_>) -> Carried {
        Carried::No
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}

/// Reads plain and tagged lines, as every GNU tool does in its `--check`.
pub(crate) struct Decoder {
    registry: Registry,
    assumed: Vec<Algorithm>,
    candidates: Vec<Algorithm>,
    end: End,
    shape: Shape,
}

/// What stands between digest and name. GNU fixes it by the first plain line: names may start with a space or an asterisk, so a
/// line alone cannot tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unknown,
    /// A space and a marker.
    Marked,
    /// One space, as the BSDs' `-r` prints.
    Reversed,
}

impl Decoder {
    pub(crate) fn new(registry: Registry, assumed: &[Algorithm], end: End) -> Decoder {
        let candidates = digits::candidates(registry, assumed);
        Decoder { registry, assumed: assumed.to_vec(), candidates, end, shape: Shape::Unknown }
    }

    fn plain(&mut self, line: &[u8], escaped: bool) -> Result<Entry, Fault> {
        let at = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).ok_or(Fault::Malformed("no name"))?;
        let digest = match digits::similar(self.registry, &self.assumed, &line[..at]) {
            Some(algorithm) => digits::digest(algorithm, &line[..at])?,
            None => digits::unnamed(&self.candidates, &line[..at])?,
        };
        let rest = &line[at + 1..];
        let marked = rest.len() > 1 && matches!(rest[0], b' ' | b'*');
        let name = match (self.shape, marked) {
            (Shape::Marked, false) => return Err(Fault::Malformed("no marker in front of the name")),
            (Shape::Unknown | Shape::Marked, true) => {
                self.shape = Shape::Marked;
                &rest[1..]
            }
            (Shape::Unknown | Shape::Reversed, _) => {
                self.shape = Shape::Reversed;
                rest
            }
        };
        Ok(Entry { name: self.name(name, escaped)?, digests: vec![digest], ..Entry::default() })
    }

    fn name(&self, name: &[u8], escaped: bool) -> Result<Vec<u8>, Fault> {
        let name = if escaped {
            escape::unescape(name).ok_or(Fault::Malformed("no such escape in a name"))?
        } else {
            name.to_vec()
        };
        if name.is_empty() { Err(Fault::Malformed("no name")) } else { Ok(name) }
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> Parsed {
        if line.is_empty() || line.starts_with(b"#") {
            return Parsed::Neutral;
        }
        let line = line.trim_ascii_start();
        let (line, escaped) = match line.strip_prefix(b"\\") {
            Some(line) if self.end == End::Line => (line, true),
            _ => (line, false),
        };
        let entry = match bsd::split(line) {
            Some(tagged) => bsd::digest(self.registry, &self.assumed, &tagged).and_then(|digest| {
                Ok(Entry { name: self.name(tagged.name, escaped)?, digests: vec![digest], ..Entry::default() })
            }),
            None => self.plain(line, escaped),
        };
        entry.into()
    }
}
