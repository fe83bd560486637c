//! Separated values with a header line of others: a column of names, and columns of digests called
//! by their algorithm, or one of digests beside one of algorithms (`Get-FileHash | Export-Csv`).

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Registry};

use super::{algorithm, windows_name};
use crate::csv::{separate, split_by};
use crate::digits;
use crate::entry::{DecodeLine, Entry, Fault, Parsed};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    /// The name exactly, in base64, where it is not shown as it is: as `pfh export` writes it.
    Exact,
    Size,
    Algorithm,
    /// Digests of the algorithm in the column of algorithms, or of the usual ones by length.
    Hash,
    Digest(Algorithm),
    Other,
}

/// PowerShell 5 begins `Export-Csv` with this line.
pub(crate) const TYPE: &[u8] = b"#TYPE";

/// The columns that a header names; `None` if no name or no digest is among them.
fn columns(registry: Registry, fields: &[Vec<u8>]) -> Option<Vec<Column>> {
    let mut named = false;
    let mut column = |field: &Vec<u8>| {
        let text = String::from_utf8_lossy(field).trim().to_ascii_lowercase();
        match text.replace([' ', '_'], "").as_str() {
            // The first of them: `path` beside `name` is the whole one, wherever it stands.
            "path" | "filepath" | "fullpath" | "fullname" | "filename" | "filenames" | "name" | "file" => {
                named = true;
                Column::Name
            }
            "pathb64" => Column::Exact,
            "size" | "filesize" | "length" | "bytes" => Column::Size,
            "algorithm" | "hashtype" | "hashalgorithm" => Column::Algorithm,
            "hash" | "digest" | "checksum" | "hashvalue" => Column::Hash,
            _ => algorithm(registry, &text).map_or(Column::Other, Column::Digest),
        }
    };
    let mut columns: Vec<Column> = fields.iter().map(&mut column).collect();
    // Of several columns of names the one that holds the most of it.
    let rank = |field: &[u8]| {
        let text = String::from_utf8_lossy(field).to_ascii_lowercase();
        if text.contains("path") || text.contains("full") { 0 } else { 1 }
    };
    let best = (0..columns.len()).filter(|&at| columns[at] == Column::Name).min_by_key(|&at| rank(&fields[at]));
    for (at, column) in columns.iter_mut().enumerate() {
        if *column == Column::Name && Some(at) != best {
            *column = Column::Other;
        }
    }
    let digests = columns.iter().any(|column| matches!(column, Column::Hash | Column::Digest(_)));
    (named && digests).then_some(columns)
}

/// Whether a line is such a header.
pub(crate) fn is_header(registry: Registry, line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    separate(line).is_some_and(|(_, fields)| columns(registry, &fields).is_some())
}

/// Reads them.
pub(crate) struct Decoder {
    registry: Registry,
    candidates: Vec<Algorithm>,
    head: Option<(u8, Vec<Column>)>,
}

impl Decoder {
    pub(crate) fn new(registry: Registry, assumed: &[Algorithm]) -> Decoder {
        Decoder { registry, candidates: digits::candidates(registry, assumed), head: None }
    }

    fn record(&self, columns: &[Column], fields: &[Vec<u8>]) -> Result<Entry, Fault> {
        if columns.len() != fields.len() {
            return Err(Fault::Malformed("not as many fields as the header has"));
        }
        let get = |wanted: Column| {
            let at = columns.iter().position(|column| *column == wanted);
            at.map(|at| fields[at].trim_ascii()).filter(|field| !field.is_empty())
        };
        let name = fields[columns.iter().position(|column| *column == Column::Name).unwrap_or(0)].as_slice();
        if name.is_empty() || name.contains(&0) {
            return Err(if name.is_empty() { Fault::Malformed("no name") } else { Fault::Nul });
        }
        let stated = match get(Column::Algorithm) {
            Some(word) => {
                let word = String::from_utf8_lossy(word);
                Some(algorithm(self.registry, &word).ok_or_else(|| Fault::UnknownAlgorithm(word.into()))?)
            }
            None => None,
        };
        let name = match get(Column::Exact) {
            Some(exact) => BASE64.decode(exact).map_err(|_| Fault::Malformed("path_b64 is not base64"))?,
            // A table of ours: nothing of a name was changed.
            None if columns.contains(&Column::Exact) => name.to_vec(),
            None => windows_name(name),
        };
        let mut entry = Entry { name, ..Entry::default() };
        for (column, field) in columns.iter().zip(fields).map(|(column, field)| (*column, field.trim_ascii())) {
            match column {
                Column::Digest(algorithm) if !field.is_empty() => entry.digests.push(digits::digest(algorithm, field)?),
                Column::Hash if !field.is_empty() => {
                    entry.guessed = stated.is_none();
                    entry.digests.push(match stated {
                        Some(algorithm) => digits::digest(algorithm, field)?,
                        None => digits::unnamed(&self.candidates, field)?,
                    });
                }
                Column::Size => entry.size = str::from_utf8(field).ok().and_then(|text| text.parse().ok()),
                _ => {}
            }
        }
        entry.guessed &= entry.digests.len() == 1;
        if entry.digests.is_empty() { Err(Fault::Malformed("no digest")) } else { Ok(entry) }
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> Parsed {
        if line.trim_ascii().is_empty() || (self.head.is_none() && line.starts_with(TYPE)) {
            return Parsed::Neutral;
        }
        let Some((separator, columns)) = &self.head else {
            self.head =
                separate(line).and_then(|(separator, fields)| Some((separator, columns(self.registry, &fields)?)));
            return match self.head {
                Some(_) => Parsed::Neutral,
                None => Fault::Malformed("not a header line: no columns of names and digests").into(),
            };
        };
        match split_by(line, *separator) {
            Some(fields) => self.record(columns, &fields).into(),
            None => Fault::Malformed("quotes do not match").into(),
        }
    }
}
