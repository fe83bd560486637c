//! Tagged lines, `SHA256 (name) = digest`, as the BSDs' md5(1) and GNU `cksum` print them.
//!
//! Algorithms are spelled as GNU spells them where GNU knows them, otherwise as OpenSSL does:
//! `SHA256`, `SHA3-256`, `BLAKE2b`, `SHA512/256`. The rest takes its own name in capitals. Where
//! the length can vary and is not the default, it follows in bits: `SHAKE128-160`, `BLAKE3-512`.

use pfh_digest::{Algorithm, Digest, Output, Registry, hex};
use pfh_engine::{Outcome, Record, Summary};

use crate::count::Count;
use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::Fault;
use crate::format::End;
use crate::{digits, escape, remark};

/// The spelling of an algorithm in front of the parenthesis.
pub fn tag(algorithm: Algorithm) -> String {
    let name = match algorithm.name() {
        "blake2b" => "BLAKE2b".to_owned(),
        "blake2s" => "BLAKE2s".to_owned(),
        "sha512-256" => "SHA512/256".to_owned(),
        "sha512-224" => "SHA512/224".to_owned(),
        "ripemd160" => "RIPEMD160".to_owned(),
        // xxhsum writes and reads these and no others.
        "xxh3-128" => "XXH128".to_owned(),
        "xxh3-64" => "XXH3".to_owned(),
        // RHash's names.
        "streebog-256" => "GOST12-256".to_owned(),
        "streebog-512" => "GOST12-512".to_owned(),
        name => name.to_ascii_uppercase(),
    };
    match algorithm.output() {
        Output::Stated { default, .. } if algorithm.length() != default => format!("{name}-{}", 8 * algorithm.length()),
        _ => name,
    }
}

/// Writes tagged lines, a line per algorithm and file.
pub struct Encoder {
    end: End,
    tags: Vec<String>,
    /// Whether the head says where names start, so that the list has an end as well.
    described: bool,
    count: Count,
}

impl Encoder {
    /// A writer with this end of record.
    pub fn new(end: End) -> Encoder {
        Encoder { end, tags: Vec::new(), described: false, count: Count::default() }
    }
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        if let Some(text) = preamble.algorithms.iter().find(|algorithm| algorithm.output() == Output::Text) {
            return Err(Unrepresentable::new(format!("bsd cannot hold {text}, whose digests are text")));
        }
        if let Some(stated) = preamble.algorithms.iter().find(|algorithm| algorithm.has_own_parameters()) {
            return Err(Unrepresentable::new(format!(
                "bsd cannot hold {stated}, whose tag has no place for parameters; use jsonl"
            )));
        }
        self.tags = preamble.algorithms.iter().copied().map(tag).collect();
        self.described = preamble.base.is_some();
        if self.described {
            remark::begin(out, "", preamble.algorithms, preamble.base, self.end.byte());
        }
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(FormatFit::No) };
        if !hashed.pieces.is_empty() {
            return Err(Unrepresentable::new("bsd has no form for the digests of pieces"));
        }
        let name = match self.end {
            End::Line => escape::escape(&record.name),
            End::Nul => (&record.name[..]).into(),
        };
        let escaped = self.end == End::Line && escape::is_needed(&record.name);
        for (tag, digest) in self.tags.iter().zip(&hashed.digests) {
            if escaped {
                out.push(b'\\');
            }
            out.extend_from_slice(tag.as_bytes());
            out.extend_from_slice(b" (");
            out.extend_from_slice(&name);
            out.extend_from_slice(b") = ");
            hex::push(out, digest.bytes());
            out.push(self.end.byte());
            self.count.add(&record.name);
        }
        Ok(FormatFit::Yes)
    }

    fn count(&self) -> Count {
        self.count
    }

    fn adopt(&mut self, records: Count) {
        self.count.join(records);
    }

    fn tail(&mut self, out: &mut Vec<u8>, _: &Summary) {
        if self.described {
            remark::finish(out, "", self.count, self.end.byte());
        }
    }
}

/// The parts of a tagged line.
pub(crate) struct TaggedLine<'a> {
    tag: &'a str,
    pub(crate) name: &'a [u8],
    digest: &'a [u8],
}

/// Takes `TAG (name) = digest`, OpenSSL's `TAG(name)= digest` or RHash's `TAG   (name) = digest`
/// apart; `None` where a line has not that form. The name ends at the last parenthesis, for it may
/// hold others.
pub(crate) fn split(line: &[u8]) -> Option<TaggedLine<'_>> {
    let (tag, open) = front(line)?;
    let close = line.iter().rposition(|&byte| byte == b')').filter(|&close| close > open)?;
    let digest = line[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
    // A name of parentheses behind a digest of another list.
    if digest.is_empty() {
        return None;
    }
    Some(TaggedLine { tag, name: &line[open + 1..close], digest })
}

/// The tag that a line begins with, and where the parenthesis behind it opens.
fn front(line: &[u8]) -> Option<(&str, usize)> {
    let open = line.iter().position(|&byte| byte == b'(')?;
    let tag = str::from_utf8(&line[..open]).ok()?;
    let tag = tag.trim_end_matches(' ');
    if tag.is_empty() || !tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'_')) {
        return None;
    }
    // A digest in front of a name with parentheses; no algorithm has a name of such digits.
    let is_digest = tag.len() >= 8 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!is_digest).then_some((tag, open))
}

/// Whether this is the front of a tagged line whose parenthesis does not close, `MD5 (name =`: the
/// line is damaged, and its digest is not that of a file `MD5 (name =`.
pub(crate) fn is_unclosed(front_of_digest: &[u8]) -> bool {
    front_of_digest.trim_ascii_end().ends_with(b"=")
        && front(front_of_digest).is_some_and(|(_, open)| !front_of_digest[open..].contains(&b')'))
}

/// The digest of a tagged line; the tag must be one of `assumed` unless that is empty.
pub(crate) fn digest(registry: Registry, assumed: &[Algorithm], tagged: &TaggedLine<'_>) -> Result<Digest, Fault> {
    let algorithm = algorithm(registry, tagged).ok_or_else(|| Fault::UnknownAlgorithm(tagged.tag.into()));
    if !assumed.is_empty() && !algorithm.as_ref().is_ok_and(|algorithm| assumed.contains(algorithm)) {
        return Err(Fault::Unasked);
    }
    let digest = digits::digest(algorithm?, tagged.digest)?;
    // `xxhsum --little-endian` has the bytes of its digests in the other order.
    match little(tagged.tag) {
        Some(_) => {
            let bytes: Vec<u8> = digest.bytes().iter().rev().copied().collect();
            Digest::from_bytes(digest.algorithm(), &bytes).map_err(|_| Fault::WrongLength)
        }
        None => Ok(digest),
    }
}

/// The tag in front of xxhsum's mark for digests in little-endian order: `XXH64` of `XXH64_LE`.
fn little(tag: &str) -> Option<&str> {
    tag.strip_suffix("_LE").filter(|tag| tag.starts_with("XXH"))
}

/// The statement of a line beside the digests of the BSDs' distinfo.
pub(crate) enum SizeStatement<'a> {
    /// `SIZE (name) = 3`, and NetBSD's `Size (name) = 3 bytes`.
    Size(&'a [u8], u64),
    /// `TIMESTAMP = 1600000000`, `$NetBSD$`.
    Nothing,
}

/// The size of a file in a line of its own, beside the line of its digest; `None` of other lines.
pub(crate) fn beside(line: &[u8]) -> Option<SizeStatement<'_>> {
    let number = |text: &[u8]| str::from_utf8(text).ok()?.parse().ok();
    match split(line) {
        Some(tagged) => {
            let size = match tagged.tag {
                "SIZE" => number(tagged.digest)?,
                "Size" => number(tagged.digest.strip_suffix(b" bytes")?)?,
                _ => return None,
            };
            Some(SizeStatement::Size(tagged.name, size))
        }
        None if line.starts_with(b"$NetBSD") => Some(SizeStatement::Nothing),
        None => {
            let stamp: u64 = number(line.strip_prefix(b"TIMESTAMP = ")?.trim_ascii())?;
            (stamp > 0).then_some(SizeStatement::Nothing)
        }
    }
}

fn algorithm(registry: Registry, tagged: &TaggedLine<'_>) -> Option<Algorithm> {
    // xxhsum calls XXH3 with 64 bits so, which as a name stands for 128.
    let tag = little(tagged.tag).unwrap_or(tagged.tag);
    if tag == "XXH3" && tagged.digest.len() == 16 {
        return registry.find("xxh3-64").ok();
    }
    let found = registry.find(tag).ok()?;
    // OpenSSL writes `SHAKE-128` for any length; the length follows from the digits.
    if matches!(tagged.tag, "SHAKE-128" | "SHAKE-256") {
        return found.with_length(tagged.digest.len() / 2);
    }
    Some(found)
}
