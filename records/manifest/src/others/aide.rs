//! Reports of AIDE: for each file that changed the old and the new values in two columns. The list
//! is of the new ones, which are those of the files when the report was made.

use pfh_digest::{Algorithm, Registry};

use super::algorithm;
use crate::draft::{Draft, Names};
use crate::entry::{DecodeLine, Item, ParsedLine};
use crate::sample::Sample;

/// Whether a list is one.
pub(crate) fn is_start(sample: &Sample<'_>) -> bool {
    let says = |line: &&[u8]| {
        line.starts_with(b"AIDE found ") || (line.starts_with(b"Start timestamp: ") && line.ends_with(b")"))
    };
    let names_it = |line: &&[u8]| line.windows(4).any(|word| word == b"AIDE");
    sample.lines.iter().take(5).any(|line| says(line) && names_it(line))
}

/// Reads them.
pub(crate) struct Decoder {
    registry: Registry,
    draft: Draft,
    /// The algorithm of the digest at hand, which goes on over several lines, and its new value.
    digest: Option<(Result<Algorithm, String>, Vec<u8>)>,
}

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, draft: Draft::default(), digest: None }
    }

    fn end_digest(&mut self) {
        match self.digest.take() {
            Some((Ok(algorithm), text)) if !text.is_empty() => self.draft.digest(algorithm, &text),
            Some((Err(name), text)) if !text.is_empty() => self.draft.foreign(&name),
            _ => {}
        }
    }

    /// Ends the file at hand: `None` where the report states no digest.
    fn end_file(&mut self) -> Option<Item> {
        self.end_digest();
        let draft = std::mem::take(&mut self.draft);
        if draft.has_digest() { draft.finish(self.registry, &[], Names::Exact) } else { None }
    }
}

/// The value behind the bar; nothing where the file has none any more.
fn new_value(columns: &[u8]) -> &[u8] {
    let at = columns.windows(3).rposition(|bar| bar == b" | ");
    at.map_or(&b""[..], |at| columns[at + 3..].trim_ascii())
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if let Some(name) = line.strip_prefix(b"File: ") {
            let item = self.end_file();
            self.draft.rename(name.to_vec());
            return item.map_or(ParsedLine::Neutral, ParsedLine::Item);
        }
        let trimmed = line.trim_ascii();
        // The databases themselves come last.
        let is_end = trimmed.is_empty() || trimmed.starts_with(b"---") || line.ends_with(b":");
        if is_end || !line.starts_with(b" ") || !self.draft.is_named() {
            return self.end_file().map_or(ParsedLine::Neutral, ParsedLine::Item);
        }
        let at = trimmed.iter().take(16).position(|byte| *byte == b':');
        let label = at.and_then(|at| str::from_utf8(&trimmed[..at]).ok()).map(str::trim);
        match (label, at) {
            (Some(label), Some(at)) => {
                self.end_digest();
                let of = algorithm(self.registry, label);
                let is_other = |name: &str| ["HAVAL", "STRIBOG", "GOST", "CRC32B"].contains(&name);
                let of = of.ok_or_else(|| label.to_owned());
                if of.is_ok() || is_other(label) {
                    self.digest = Some((of, new_value(&trimmed[at + 1..]).to_vec()));
                }
            }
            _ => {
                if let Some((_, text)) = &mut self.digest {
                    text.extend_from_slice(new_value(line));
                }
            }
        }
        ParsedLine::Neutral
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        if ended { self.end_file() } else { None }
    }
}
