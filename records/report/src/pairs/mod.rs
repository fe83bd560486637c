//! Pairs and groups of similar entries: as the similarity tools print them, as CSV, and as JSON
//! lines.
//!
//! Text is for people and for scripts that read the reference tools' output: names go out as a
//! terminal may see them. CSV and JSON hold every name exactly.

pub mod page;
pub mod related;
pub mod table;

pub use crate::facts::{GroupFacts, Pair};
use crate::rows::{Cluster, Similar};
use pfh_manifest::csv;
use pfh_manifest::row::append_line;
use pfh_similarity::{Chance, Degenerate, MethodName, Score};
use pfh_source::terminal;
use std::fmt;
use std::str::FromStr;

/// The forms of a list of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As the algorithm's own tool prints: `ssdeep -d`, `sdhash -g`, `mrsh -g`, `tlsh -xref`.
    Text,
    /// Comma-separated values with a header line.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// As the framework of Breitinger & Petrov presents results: name, hash value and score, and
    /// name and hash value of the one that it is like, with tabs between them.
    Values,
}

impl Format {
    /// Every form.
    pub const ALL: [Format; 4] = [Format::Text, Format::Csv, Format::Jsonl, Format::Values];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Values => "values",
        }
    }
}

/// A text that names no form of a list of pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pairs cannot be written as {:?}; known are text, csv, jsonl and values", self.0)
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        Format::ALL.into_iter().find(|form| form.name() == text).ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// Which of its two kinds a score is: `similarity` or `distance`.
fn kind(score: Score) -> &'static str {
    match score {
        Score::Similarity(_) => "similarity",
        Score::Distance(_) => "distance",
    }
}

/// Writes the header of a list of pairs, where the form has one.
pub fn head(form: Format, out: &mut Vec<u8>) {
    if form == Format::Csv {
        header(
            out,
            &[
                "a",
                "b",
                "algorithm",
                "score",
                "kind",
                "shared_chunks",
                "shared_features",
                "shared_bytes",
                "a_in_b",
                "b_in_a",
                "resemblance",
                "once_in",
                "rarer",
                "degenerate",
                "a_b64",
                "b_b64",
            ],
        );
    }
}

/// Writes a pair.
pub fn pair(form: Format, out: &mut Vec<u8>, pair: &Pair<'_>) {
    match form {
        Format::Text => text(out, pair),
        Format::Values => {
            let [a, b] = [pair.a, pair.b].map(terminal::render);
            let [first, second] = pair.values;
            out.extend_from_slice(format!("{a}\t{first}\t{}\t{b}\t{second}\n", pair.score.number()).as_bytes());
        }
        Format::Csv => {
            let (a, a_exact) = csv::path(pair.a);
            let (b, b_exact) = csv::path(pair.b);
            let number = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
            let fields = [
                &a,
                &b,
                pair.algorithm.name(),
                &pair.score.to_string(),
                kind(pair.score),
                &number(pair.evidence.shared_chunks),
                &number(pair.evidence.shared_features),
                &number(pair.evidence.shared_bytes),
                &number(pair.evidence.contained.map(|[share, _]| share.into())),
                &number(pair.evidence.contained.map(|[_, share]| share.into())),
                &number(pair.evidence.resemblance().map(u64::from)),
                &number(pair.chance.map(|chance| chance.once_in)),
                rarer(pair.chance),
                &pair.degenerate.map_or_else(String::new, |why| why.to_string()),
                &a_exact,
                &b_exact,
            ];
            header(out, &fields);
        }
        Format::Jsonl => append_line(out, &Similar::of(pair)),
    }
}

/// Whether none of that many unrelated pairs was as much alike.
fn rarer(chance: Option<Chance>) -> &'static str {
    if chance.is_some_and(|chance| chance.is_bound) { "yes" } else { "" }
}

fn text(out: &mut Vec<u8>, pair: &Pair<'_>) {
    let (a, b, score) = (terminal::render(pair.a), terminal::render(pair.b), pair.score.number());
    let shared = pair.evidence.shared_chunks.or(pair.evidence.shared_features);
    let line = match MethodName::of(pair.algorithm) {
        Some(MethodName::Sdhash | MethodName::SdhashStream | MethodName::SdhashDd) => match shared {
            // The tool has no mark; it says nothing of it either.
            None if pair.degenerate == Some(Degenerate::Saturated) => format!("{a}|{b}|{score:03}|saturated\n"),
            None => format!("{a}|{b}|{score:03}\n"),
            Some(shared) if pair.degenerate == Some(Degenerate::Saturated) => {
                format!("{a}|{b}|{score:03}|{shared}|saturated\n")
            }
            Some(shared) => format!("{a}|{b}|{score:03}|{shared}\n"),
        },
        // The reference ends its lines with a space.
        Some(MethodName::MrshV2 | MethodName::MrshV2Network) => match shared {
            None => format!("{a} | {b} | {score:03} \n"),
            Some(shared) => format!("{a} | {b} | {score:03} | {shared}\n"),
        },
        Some(MethodName::Tlsh | MethodName::Pdq | MethodName::Phash | MethodName::Foreign(_)) => {
            format!("{a}\t{b}\t{score}\n")
        }
        Some(MethodName::Crops) => format!("{a}\t{b}\t{score} places\n"),
        Some(method @ (MethodName::Strings | MethodName::Imports | MethodName::Cells)) => {
            let [a_in_b, b_in_a] = pair.evidence.contained.unwrap_or_default();
            let (count, unit) = (pair.evidence.shared_features.unwrap_or(0), method.profile().unit);
            format!("{a}\t{b}\t{score}\t{count} {unit}s shared\t{a_in_b} % in the second\t{b_in_a} % in the first\n")
        }
        Some(MethodName::Shingles | MethodName::Text) => {
            let [a_in_b, b_in_a] = pair.evidence.contained.unwrap_or_default();
            let bytes = pair.evidence.shared_bytes.unwrap_or(0);
            format!("{a}\t{b}\t{score}\t{bytes} bytes shared\t{a_in_b} % in the second\t{b_in_a} % in the first\n")
        }
        // The later one of a pair stands first.
        Some(MethodName::Ssdeep) | None => format!("{b} matches {a} ({score})\n"),
    };
    out.extend_from_slice(line.as_bytes());
}

fn header(out: &mut Vec<u8>, fields: &[&str]) {
    csv::record(out, fields);
}

/// Writes the header of a list of groups, where the form has one.
pub fn cluster_head(form: Format, out: &mut Vec<u8>) {
    if form == Format::Csv {
        header(out, &["algorithm", "cluster", "size", "weakest", "representative", "path", "path_b64"]);
    }
}

/// Writes a group and the names in it.
pub fn cluster<'a>(
    form: Format,
    out: &mut Vec<u8>,
    of: &GroupFacts<'a>,
    names: impl ExactSizeIterator<Item = &'a [u8]>,
) {
    let size = names.len();
    match form {
        // As `ssdeep -t` prints its clusters.
        Format::Text | Format::Values => {
            // The words behind the tool's own are ours.
            let weakest = of.weakest.map_or_else(String::new, |score| format!(", the weakest pair {}", score.number()));
            let like =
                of.representative.map_or_else(String::new, |name| format!(", around {}", terminal::render(name)));
            out.extend_from_slice(format!("** Cluster size {size}{weakest}{like}\n").as_bytes());
            for name in names {
                out.extend_from_slice(terminal::render(name).as_bytes());
                out.push(b'\n');
            }
            out.push(b'\n');
        }
        Format::Csv => {
            for name in names {
                let (path, exact) = csv::path(name);
                let weakest = of.weakest.map_or_else(String::new, |score| score.number().to_string());
                let stands = if of.representative == Some(name) { "yes" } else { "" };
                let (number, size) = (of.number.to_string(), size.to_string());
                header(out, &[of.algorithm, &number, &size, &weakest, stands, &path, &exact]);
            }
        }
        Format::Jsonl => append_line(out, &Cluster::of(of, names)),
    }
}
