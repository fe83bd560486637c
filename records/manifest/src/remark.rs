//! Remarks in our lists, as comments that the tools that own the formats ignore: the algorithms of
//! the digests, in which directory relative names start, how many records there are, and the sum of
//! their names.
//!
//! ```text
//! # pfh begin algorithms=sha3-256
//! # pfh base /evidence
//! # pfh end names=6d3c1f0e52a84b97 records=2
//! ```

use pfh_digest::{Algorithm, Registry};
use pfh_source::os::names::is_absolute;

use crate::count::{Count, Names};
use crate::entry::EndCounts;
use crate::entry::ParsedLine;
use crate::escape;

const MARK: &[u8] = b"# pfh ";

/// The beginning: the algorithms in the order of `-a`, and the base where there is one. An end is
/// due then.
pub(crate) fn begin(out: &mut Vec<u8>, start: &str, algorithms: &[Algorithm], base: Option<&[u8]>, end: u8) {
    out.extend_from_slice(start.as_bytes());
    out.extend_from_slice(MARK);
    let names: Vec<String> = algorithms.iter().map(Algorithm::to_string).collect();
    out.extend_from_slice(format!("begin algorithms={}", names.join(",")).as_bytes());
    out.push(end);
    if let Some(base) = base {
        out.extend_from_slice(start.as_bytes());
        out.extend_from_slice(MARK);
        out.extend_from_slice(b"base ");
        out.extend_from_slice(&escape::escape(base));
        out.push(end);
    }
}

/// The end.
pub(crate) fn finish(out: &mut Vec<u8>, start: &str, count: Count, end: u8) {
    out.extend_from_slice(start.as_bytes());
    out.extend_from_slice(MARK);
    let Count { records, names } = count;
    out.extend_from_slice(format!("end names={names} records={records}").as_bytes());
    out.push(end);
}

/// A remark.
pub(crate) enum Remark {
    /// The algorithms of the lines that follow; those that are not known here by name.
    Begin(Vec<Result<Algorithm, Box<str>>>),
    /// Something about the list as a whole.
    Other(ParsedLine),
}

/// Reads a comment; `None` where it is not one of ours.
pub(crate) fn parse(registry: Registry, line: &[u8]) -> Option<Remark> {
    let line = line.strip_prefix(MARK).or_else(|| line.strip_prefix(b"#")?.strip_prefix(MARK))?;
    if let Some(names) = line.strip_prefix(b"begin algorithms=") {
        let names = pfh_digest::names(str::from_utf8(names).ok()?).into_iter().filter(|name| !name.is_empty());
        return Some(Remark::Begin(names.map(|name| registry.find(name).map_err(|_| name.into())).collect()));
    }
    if let Some(base) = line.strip_prefix(b"base ") {
        return Some(Remark::Other(ParsedLine::Base(escape::unescape(base).filter(|base| is_absolute(base))?)));
    }
    let end = str::from_utf8(line.strip_prefix(b"end ")?).ok()?;
    // The number comes last, so that an end which was cut is none.
    let (names, records) = match end.strip_prefix("names=") {
        Some(rest) => rest.split_once(' ').map(|(names, rest)| (Some(names), rest))?,
        None => (None, end),
    };
    // An end whose number cannot be read is that of other records.
    let records = Some(records.strip_prefix("records=")?.parse().unwrap_or(u64::MAX));
    Some(Remark::Other(ParsedLine::End(EndCounts { records, names: names.map(Names::parse), ..EndCounts::default() })))
}
