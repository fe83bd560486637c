//! Separated values with a header line. Columns are found by name, so every dialect that has
//! columns of digests is one reader: NSRL RDSv2 (`"SHA-1","MD5","CRC32",…`) and 1.5, HashKeeper
//! (`"hash"`), iLook (`V1Hash,HashType,…`, `V3Hash,HashSHA1,…`), ICSE (`MD5;SHA1;…`), X-Ways.
//! Feeds of indicators have a column of kinds beside that of values: OTX, MISP, ThreatFox.

use pfh_digest::{Algorithm, Digest, Registry};

use super::KnownFile;
use crate::columns::Columns;
use crate::digits;
use crate::entry::Fault;
use crate::others::deep;
use crate::roles::{self, Role};

/// The contents of a column.
#[derive(Clone, Copy)]
enum Column {
    Digest(Algorithm),
    /// A digest of any algorithm of its length.
    Any,
    /// A value that divides the set, and how it is recognized.
    Tag(&'static str),
}

impl Column {
    /// A column of this role, if it holds digests; CRC-32 and other checksums identify nothing.
    fn of(role: Role) -> Option<Column> {
        match role {
            Role::Digest(algorithm) if algorithm.length() >= 16 => Some(Column::Digest(algorithm)),
            Role::Hash => Some(Column::Any),
            _ => None,
        }
    }
}

pub struct Reader {
    registry: Registry,
    candidates: Vec<Algorithm>,
    /// The algorithms of digests where nothing names one.
    usual: Vec<Algorithm>,
    head: Option<Head>,
}

struct Head {
    registry: Registry,
    separator: u8,
    /// Columns that matter, by their position.
    columns: Vec<(usize, Column)>,
    /// The columns of kinds and of values, where a row is an indicator of any kind.
    pair: Option<[usize; 2]>,
}

/// Labels of the columns of an indicator: its kind, its value.
const KINDS: [&str; 6] = ["type", "indicatortype", "ioctype", "attributetype", "observabletype", "datatype"];
const VALUES: [&str; 6] = ["value", "indicator", "indicatorvalue", "iocvalue", "ioc", "observable"];

impl Reader {
    /// A reader of separated values; `columns` where no header line in front tells them.
    pub fn new(registry: Registry, assumed: &[Algorithm], columns: Option<Columns>) -> Reader {
        let usual = digits::candidates(registry, &[]);
        let head = columns.filter(|columns| !columns.is_labelled()).map(|columns| Head {
            registry,
            separator: columns.separator(),
            columns: (0..).zip(columns.roles()).filter_map(|(at, role)| Some((at, Column::of(*role)?))).collect(),
            pair: None,
        });
        Reader { registry, candidates: digits::candidates(registry, assumed), usual, head }
    }

    /// The record of a line, and a fault beside it where only some of its columns of digests are
    /// good.
    pub fn line(&mut self, line: &[u8]) -> (Option<Result<KnownFile, Fault>>, Option<Fault>) {
        // The number of a row has `#` for its label.
        let is_head = self.head.is_none()
            && is_header(self.registry, line)
            && line.get(1).is_some_and(|byte| b",;\t|".contains(byte));
        if let (None, Some(comment)) = (&self.head, line.strip_prefix(b"#"))
            && !is_head
        {
            // Feeds have their header line as a comment.
            self.head = Head::parse(self.registry, comment.trim_ascii());
            return (None, None);
        }
        if line.trim_ascii().is_empty() || (line.starts_with(b"#") && !is_head) {
            return (None, None);
        }
        match &self.head {
            Some(head) => match head.record(&self.candidates, &self.usual, line) {
                Ok((known, beside)) => (known.map(Ok), beside),
                Err(fault) => (Some(Err(fault)), None),
            },
            None => {
                let head = Head::parse(self.registry, line);
                let missing = head.is_none();
                self.head = head;
                let fault = || Err(Fault::Malformed("no column of digests in the header line"));
                (missing.then(fault), None)
            }
        }
    }
}

/// Whether a line is a header with a column of digests.
pub fn is_header(registry: Registry, line: &[u8]) -> bool {
    Head::parse(registry, line).is_some()
}

fn separator(line: &[u8]) -> Option<u8> {
    [b',', b';', b'\t', b'|']
        .into_iter()
        .max_by_key(|&byte| line.iter().filter(|&&other| other == byte).count())
        .filter(|byte| line.contains(byte))
}

fn name_of(field: &[u8]) -> Option<String> {
    Some(str::from_utf8(field).ok()?.trim().to_ascii_lowercase())
}

impl Head {
    fn parse(registry: Registry, line: &[u8]) -> Option<Head> {
        let separator = separator(line)?;
        let (mut columns, mut kind, mut value) = (Vec::new(), None, None);
        // The first line of an index of TSK: zeros, `|` and `md5sum`.
        let mut is_row = false;
        let whole = fields(line, separator, |at, field| {
            let Some(name) = name_of(field) else { return };
            is_row |= field.len() >= 16 && field.iter().all(u8::is_ascii_hexdigit);
            let plain: String = name.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
            for (labels, found) in [(KINDS, &mut kind), (VALUES, &mut value)] {
                *found = found.or(labels.contains(&&*plain).then_some(at));
            }
            let column = match name.as_str() {
                "specialcode" => Some(Column::Tag("special code")),
                "category" => Some(Column::Tag("category")),
                "baseline" => Some(Column::Tag("baseline")),
                // Of iLook's version 1,
                // `V1Hash,HashType,SetDescription,FileName,FilePath,FileSize`, only the header is
                // known to the public. The words of HashType are not, and are not needed: the
                // length of a digest tells what it is of.
                "hashes" => Some(Column::Any),
                // Capitals may separate its words.
                _ => Column::of(roles::of(registry, str::from_utf8(field).unwrap_or_default())),
            };
            columns.extend(column.map(|column| (at, column)));
        });
        let any = columns.iter().any(|(_, column)| !matches!(column, Column::Tag(_)));
        let pair = kind.zip(value).map(|(kind, value)| [kind, value]).filter(|_| !any);
        (whole && !is_row && (any || pair.is_some())).then_some(Head { registry, separator, columns, pair })
    }

    /// The digest that an indicator is; `None` of an indicator of another kind.
    fn indicator(&self, [kind, value]: [usize; 2], line: &[u8]) -> Result<Option<KnownFile>, Fault> {
        let mut found: [&[u8]; 2] = [b"", b""];
        let whole = fields(line, self.separator, |at, field| {
            for (place, found) in [kind, value].into_iter().zip(&mut found) {
                if at == place {
                    // `filename|sha1`
                    let last = field.rsplit(|byte| *byte == b'|').next().unwrap_or_default();
                    *found = last.trim_ascii();
                }
            }
        });
        if !whole {
            return Err(Fault::Malformed("quotes do not match"));
        }
        let [kind, value] = found;
        let kind = String::from_utf8_lossy(kind).to_ascii_lowercase();
        // `FileHash-SHA256`
        let of =
            kind.trim_start_matches("file").trim_start_matches("hash").trim_start_matches(['-', '_', ':', ' ', '.']);
        // `hash`, or no kind: the value says whether it is a digest. `file` is the name of one.
        let is_hash = kind.contains("hash") || digits::is_digest(value);
        let digest = match roles::of(self.registry, if of.is_empty() && is_hash { "hash" } else { of }) {
            Role::Digest(algorithm) if algorithm.length() >= 16 => digits::digest(algorithm, value)?,
            Role::Hash => digits::unnamed(&digits::candidates(self.registry, &[]), value)?,
            // Of an algorithm that is not known here.
            _ if kind.contains("hash") => return Err(Fault::UnknownAlgorithm(kind.into())),
            _ => return Ok(None),
        };
        Ok(Some(KnownFile { digests: vec![digest], tag: None }))
    }

    /// `None` for a record whose columns of digests are all empty, as databases export them. Beside
    /// it the fault of a column whose neighbours are good: rows with shifted columns, which iLook's
    /// users have.
    fn record(
        &self,
        candidates: &[Algorithm],
        usual: &[Algorithm],
        line: &[u8],
    ) -> Result<(Option<KnownFile>, Option<Fault>), Fault> {
        if let Some(pair) = self.pair {
            return Ok((self.indicator(pair, line)?, None));
        }
        let mut known = KnownFile::default();
        let mut fault = None;
        let mut passed_over = None;
        let mut next = 0;
        let whole = fields(line, self.separator, |at, field| {
            let Some(&(position, column)) = self.columns.get(next) else { return };
            if position != at {
                return;
            }
            next += 1;
            let field = field.trim_ascii();
            if field.is_empty() {
                return;
            }
            let mut digest = |digest: Result<Digest, Fault>| match digest {
                Ok(digest) => known.digests.push(digest),
                Err(error) => fault = Some(error),
            };
            match column {
                Column::Digest(algorithm) => digest(digits::digest(algorithm, field)),
                Column::Any => match deep::several(self.registry, field) {
                    Some(several) => several
                        .into_iter()
                        .filter_map(|(of, text)| Some(digits::digest(of.ok()?, text)))
                        .filter(|found| found.as_ref().is_ok_and(|found| found.bytes().len() >= 16))
                        .for_each(digest),
                    None => {
                        match deep::stated(self.registry, field).unwrap_or_else(|| digits::unnamed(candidates, field)) {
                            // A digest of an algorithm that nobody asked for; the columns beside
                            // may have one that somebody did.
                            Err(fault) if digits::unnamed(usual, field).is_ok() => passed_over = Some(fault),
                            found => digest(found),
                        }
                    }
                },
                Column::Tag(name) => known.tag = Some(format!("{name} {}", String::from_utf8_lossy(field))),
            }
        });
        match fault {
            _ if !whole => Err(Fault::Malformed("quotes do not match")),
            Some(fault) if known.digests.is_empty() => Err(fault),
            // The last columns are missing: the others may be shifted.
            None if next < self.columns.len() => Err(Fault::Malformed("too few fields")),
            None if known.digests.is_empty() => passed_over.map_or(Ok((None, None)), Err),
            fault => Ok((Some(known), fault)),
        }
    }
}

/// Hands out the fields of a line, unquoted; doubled quotes inside stay doubled, for no field that
/// matters has any. `false` where the last quote is not closed. NSRL does not promise UTF-8, and
/// nothing here asks for it.
fn fields<'a>(line: &'a [u8], separator: u8, mut take: impl FnMut(usize, &'a [u8])) -> bool {
    let mut rest = line;
    for at in 0.. {
        // Some programs write a blank between a separator and a quote.
        let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
        if rest.get(blanks) == Some(&b'"') {
            rest = &rest[blanks..];
        }
        let mut end = 0;
        let field = if rest.first() == Some(&b'"') {
            end = 1;
            loop {
                let Some(quote) = memchr::memchr(b'"', &rest[end..]) else { return false };
                end += quote + 1;
                if rest.get(end) != Some(&b'"') {
                    break;
                }
                end += 1;
            }
            let field = &rest[1..end - 1];
            end += memchr::memchr(separator, &rest[end..]).unwrap_or(rest.len() - end);
            field
        } else {
            end += memchr::memchr(separator, rest).unwrap_or(rest.len());
            &rest[..end]
        };
        take(at, field);
        if end == rest.len() {
            break;
        }
        rest = &rest[end + 1..];
    }
    true
}
