//! Verdicts of known sets on files: a record per file, as text, JSON lines, CSV or DFXML.

use std::fmt;
use std::str::FromStr;

pub use crate::facts::{KnownFacts, Place};
use crate::rows::{Lookup, Match, Total, word};
use pfh_digest::Digest;
use pfh_engine::{Outcome, Summary};
use pfh_manifest::csv::Line;
use pfh_manifest::row::{Is, append_line};
use pfh_manifest::{Encode, Preamble, UnknownFormat, Unrepresentable, dfxml, jsonl};
use pfh_source::terminal;
use serde::{Serialize, Serializer};

/// The formats of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A line per file for people: verdict, name, sets. Names are rendered for a terminal.
    #[default]
    Text,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// Digital Forensics XML with `pfh:verdict` and `pfh:known` in each file object.
    Dfxml,
    /// As the framework of Breitinger & Petrov presents results, a line for each set that holds a
    /// file: name, hash value, score, set and hash value, with tabs between them.
    Values,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        Ok(match text {
            "text" => Format::Text,
            "jsonl" => Format::Jsonl,
            "csv" => Format::Csv,
            "dfxml" => Format::Dfxml,
            "values" => Format::Values,
            _ => return Err(UnknownFormat::of(text, &["text", "jsonl", "csv", "dfxml", "values"])),
        })
    }
}

/// How people see a verdict's word: the word, and its colours.
pub type Paint = fn(&str) -> String;

/// Writes verdicts.
pub struct Encoder {
    form: Format,
    paint: Option<Paint>,
    dfxml: dfxml::Encoder,
    names: Vec<String>,
}

impl Encoder {
    /// A writer.
    pub fn new(form: Format) -> Encoder {
        Encoder { form, paint: None, dfxml: dfxml::Encoder::new(), names: Vec::new() }
    }

    /// Shows the words of verdicts in text so.
    #[must_use]
    pub fn painted(mut self, paint: Option<Paint>) -> Encoder {
        self.paint = paint;
        self
    }

    /// Starts. An error where the format cannot hold these algorithms.
    pub fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        match self.form {
            Format::Text | Format::Values => Ok(()),
            Format::Jsonl => {
                self.names = preamble.algorithms.iter().map(ToString::to_string).collect();
                jsonl::Encoder::new().head(out, preamble)
            }
            Format::Dfxml => self.dfxml.head(out, preamble),
            Format::Csv => {
                let mut line = Line::new(out);
                let fixed = [
                    "verdict", "path", "path_b64", "size", "sets", "classes", "versions", "products", "tags",
                    "found_by",
                ];
                fixed.iter().for_each(|name| line.field(name));
                preamble.algorithms.iter().for_each(|algorithm| line.field(&algorithm.to_string()));
                ["stage", "code", "cause"].iter().for_each(|name| line.field(name));
                line.end();
                Ok(())
            }
        }
    }

    /// Writes the row of one file; `digests` is how many the preamble has.
    pub fn row(&mut self, out: &mut Vec<u8>, known: &KnownFacts<'_>, digests: usize) {
        match self.form {
            Format::Text => {
                let why = known.record.outcome.cause();
                let KnownFacts { record, verdict, places, empty } = known;
                let shown = self.paint.map_or_else(|| (*verdict).to_owned(), |paint| paint(verdict));
                let gap = " ".repeat(12_usize.saturating_sub(verdict.len()).max(2));
                text(out, &record.name, why.as_deref(), &(shown + &gap), places, *empty);
            }
            Format::Jsonl => append_line(out, &Match::of(known, &self.names)),
            Format::Csv => csv(out, known, digests),
            Format::Values => values(out, known),
            Format::Dfxml => self.xml(out, known),
        }
    }

    /// Ends; `counts` are the verdicts' words with their numbers.
    pub fn tail(&mut self, out: &mut Vec<u8>, counts: &[(&str, u64)], summary: &Summary) {
        match self.form {
            Format::Text | Format::Csv | Format::Values => {}
            Format::Dfxml => self.dfxml.tail(out, summary),
            Format::Jsonl => {
                append_line(out, &Total { r#type: Is(word::Summary), counts: VerdictCounts(counts) });
            }
        }
    }

    fn xml(&mut self, out: &mut Vec<u8>, known: &KnownFacts<'_>) {
        self.dfxml.object(out, known.record, |out| {
            dfxml::element(out, "    ", "pfh:verdict", known.verdict.as_bytes());
            for place in known.places {
                dfxml::element(out, "    ", "pfh:known", describe(place).as_bytes());
            }
        });
    }
}

/// A line for each set that holds the file; none for a file that is in no set.
fn values(out: &mut Vec<u8>, known: &KnownFacts<'_>) {
    let Outcome::Hashed(hashed) = &known.record.outcome else { return };
    for place in known.places {
        let value = hashed.digests.iter().find(|digest| digest.algorithm().name() == place.algorithm);
        let value = value.map_or_else(String::new, Digest::to_string);
        let (name, set) = (terminal::render(&known.record.name), terminal::render(place.set.as_bytes()));
        out.extend_from_slice(format!("{name}\t{value}\t100\t{set}\t{value}\n").as_bytes());
    }
}

/// Verdicts' words with their numbers.
struct VerdictCounts<'a>(&'a [(&'a str, u64)]);

impl Serialize for VerdictCounts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// Writes the verdict on a digest: a line of text, or for [`Format::Jsonl`] an object.
pub fn digest(out: &mut Vec<u8>, form: Format, digest: &Digest, verdict: &str, places: &[Place<'_>], empty: bool) {
    if form == Format::Jsonl {
        append_line(out, &Lookup::of(digest, verdict, places, empty));
    } else {
        text(out, digest.to_string().as_bytes(), None, &format!("{verdict:<10}  "), places, empty);
    }
}

/// A line for people; `verdict` with the space behind it, `why` the cause of an input without
/// digests.
fn text(out: &mut Vec<u8>, name: &[u8], why: Option<&str>, verdict: &str, places: &[Place<'_>], empty: bool) {
    out.extend_from_slice(format!("{verdict}{}", terminal::render(name)).as_bytes());
    if let Some(cause) = why {
        let cause = harmless(cause);
        out.extend_from_slice(format!("  ({cause})").as_bytes());
    }
    let mut notes: Vec<String> = places.iter().map(describe).collect();
    if empty {
        notes.push("empty file".to_owned());
    }
    if !notes.is_empty() {
        out.extend_from_slice(format!("  [{}]", notes.join("; ")).as_bytes());
    }
    out.push(b'\n');
}

fn csv(out: &mut Vec<u8>, known: &KnownFacts<'_>, digests: usize) {
    let mut line = Line::new(out);
    let hashed = match &known.record.outcome {
        Outcome::Hashed(hashed) => Some(hashed),
        Outcome::Skipped(_) | Outcome::Failed(_) => None,
    };
    line.field(known.verdict);
    line.path(&known.record.name);
    line.number(hashed.map(|hashed| hashed.closed.size));
    let columns: [fn(&Place<'_>) -> String; 6] = [
        |place| if place.maybe { format!("{} (maybe)", place.set) } else { place.set.to_owned() },
        |place| place.class.to_owned(),
        |place| place.version.unwrap_or_default().to_owned(),
        |place| place.product.unwrap_or_default().to_owned(),
        |place| place.tag.unwrap_or_default().to_owned(),
        |place| place.algorithm.to_owned(),
    ];
    for column in columns {
        let values: Vec<String> = known.places.iter().map(column).collect();
        let empty = values.iter().all(String::is_empty);
        let joined = if empty { String::new() } else { values.join(";") };
        line.field(&terminal::render(joined.as_bytes()));
    }
    match &known.record.outcome {
        Outcome::Hashed(hashed) => {
            hashed.digests.iter().for_each(|digest| line.field(&digest.to_string()));
            line.empty(3);
        }
        Outcome::Skipped(skip) => {
            line.empty(digests + 1);
            [skip.reason(), skip.reason()].iter().for_each(|field| line.field(field));
        }
        Outcome::Failed(problem) => {
            line.empty(digests);
            let cause = problem.cause.to_string();
            [problem.stage.name(), problem.code(), &cause].iter().for_each(|field| line.field(field));
        }
    }
    line.end();
}

/// A set for people: name, version, product, class, tag. Names of sets are those of files and
/// databases: rendered.
fn describe(place: &Place<'_>) -> String {
    let mut words = place.set.to_owned();
    for more in [place.version, place.product].into_iter().flatten() {
        words += &format!(" {more}");
    }
    words += &format!(": {}", place.class);
    if let Some(tag) = place.tag {
        words += &format!(", {tag}");
    }
    if place.maybe {
        words += ", maybe";
    }
    harmless(&words)
}

/// A text without characters that a terminal must not see.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if terminal::is_unsafe(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Text => "text",
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Dfxml => "dfxml",
            Format::Values => "values",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::Algorithm;
    use pfh_engine::HashedFile;
    use pfh_engine::Record;
    use pfh_source::{Cause, Problem, ReadResult, Stage};

    fn written(form: Format) -> String {
        let md5: Algorithm = "md5".parse().expect("md5");
        let digests = [md5.digest(b"abc")];
        let mut encoder = Encoder::new(form);
        let mut out = Vec::new();
        encoder.head(&mut out, &Preamble { algorithms: &[md5], version: "0", ..Preamble::default() }).expect("a head");
        let places = [
            Place { set: "nsrl", class: "good", version: Some("2026"), algorithm: "md5", ..Place::default() },
            Place { set: "mal\u{1b}", class: "bad", tag: Some("category 1"), algorithm: "md5", ..Place::default() },
        ];
        let closed = ReadResult { size: 3, stat: None, notes: Vec::new(), inside: None };
        let hashed = Outcome::Hashed(HashedFile { closed, digests: digests.to_vec(), pieces: Vec::new() });
        let record = Record { number: 0, name: b"=a\nb\xFF".to_vec(), outcome: hashed };
        let known = KnownFacts { record: &record, verdict: "known-bad", places: &places, empty: false };
        encoder.row(&mut out, &known, 1);
        let failed = Outcome::Failed(Problem::new(Stage::Read, Cause::Image("bad".into())));
        let record = Record { number: 1, name: b"c".to_vec(), outcome: failed };
        encoder.row(&mut out, &KnownFacts { record: &record, verdict: "error", places: &[], empty: false }, 1);
        encoder.tail(&mut out, &[("known-bad", 1), ("error", 1)], &Summary::default());
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn samples() {
        assert_eq!(
            written(Format::Text),
            "known-bad   =a\\nb\\xff  [nsrl 2026: good; mal\u{fffd}: bad, category 1]\nerror       c  (bad)\n"
        );
        assert_eq!(
            written(Format::Jsonl),
            "{\"type\":\"match\",\"path\":\"=a\\nb\u{fffd}\",\"path_b64\":\"PWEKYv8=\",\"verdict\":\"known-bad\",\"size\":3,\"digests\":\
             {\"md5\":\"900150983cd24fb0d6963f7d28e17f72\"},\"sets\":[{\"set\":\"nsrl\",\"class\":\"good\",\"version\":\"2026\",\
             \"algorithm\":\"md5\"},{\"set\":\"mal\\u001b\",\"class\":\"bad\",\"tag\":\"category 1\",\"algorithm\":\"md5\"}]}\n\
             {\"type\":\"match\",\"path\":\"c\",\"verdict\":\"error\",\"stage\":\"read\",\"code\":\"image\",\"cause\":\"bad\",\
             \"id\":\"image/damaged\",\"level\":\"error\"}\n\
             {\"type\":\"summary\",\"known-bad\":1,\"error\":1}\n"
        );
        assert_eq!(
            written(Format::Csv),
            "verdict,path,path_b64,size,sets,classes,versions,products,tags,found_by,md5,stage,code,cause\r\n\
             known-bad,'=a\\nb\\xff,PWEKYv8=,3,nsrl;mal\\x1b,good;bad,2026;,,;category 1,md5;md5,\
             900150983cd24fb0d6963f7d28e17f72,,,\r\nerror,c,,,,,,,,,,read,image,bad\r\n"
        );
        let xml = written(Format::Dfxml);
        assert!(
            xml.contains("<pfh:verdict>known-bad</pfh:verdict>\n    <pfh:known>nsrl 2026: good</pfh:known>"),
            "{xml}"
        );
        assert_eq!(xml.matches("</fileobject>").count(), 2);
    }
}
