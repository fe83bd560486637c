//! A digest per line, and any text behind it: plain lists, GNU and BSD lists, md5deep's
//! `-z -c -t -q`, TSK's `.idx`.

use pfh_digest::{Algorithm, Registry};

use super::Known;
use crate::entry::Fault;
use crate::others::{deep, links};
use crate::remark::{self, Remark};
use crate::{bsd, digits};

pub struct Reader {
    registry: Registry,
    assumed: Vec<Algorithm>,
    candidates: Vec<Algorithm>,
    /// An algorithm that the list says its digests are of, and that no set can hold.
    unknown: Option<Box<str>>,
}

impl Reader {
    pub fn new(registry: Registry, assumed: &[Algorithm], hints: &[Algorithm]) -> Reader {
        let mut candidates = if assumed.is_empty() { hints.to_vec() } else { Vec::new() };
        candidates.extend(digits::candidates(registry, assumed));
        Reader { registry, assumed: assumed.to_vec(), candidates, unknown: None }
    }

    pub fn line(&mut self, line: &[u8]) -> Option<Result<Known, Fault>> {
        let line = line.trim_ascii();
        // Ours say what their digests are of, where lengths do not.
        if let Some(Remark::Begin(stated)) = remark::parse(self.registry, line)
            && self.assumed.is_empty()
        {
            self.unknown = stated.iter().find_map(|algorithm| algorithm.clone().err());
            self.candidates = stated.into_iter().filter_map(Result::ok).collect();
        }
        if line.is_empty() || matches!(line[0], b'#' | b';' | b'%') || is_index_header(line) {
            return None;
        }
        if let Some(entry) = links::entry(self.registry, &self.assumed, line) {
            return Some(entry.map(|entry| Known { digests: entry.digests, tag: None }));
        }
        let line = line.strip_prefix(b"\\").unwrap_or(line);
        let digest = match bsd::split(line) {
            Some(tagged) => bsd::digest(self.registry, &self.assumed, &tagged),
            None => self.plain(line),
        };
        Some(match digest {
            Ok(_) if is_piece(line) => Err(Fault::Malformed("digests of pieces are not those of files")),
            digest => digest.map(|digest| Known { digests: vec![digest], tag: None }),
        })
    }

    fn plain(&self, line: &[u8]) -> Result<pfh_digest::Digest, Fault> {
        let (first, rest) = token(line);
        if let Some(stated) = deep::stated(self.registry, first) {
            let asked =
                |digest: &pfh_digest::Digest| self.assumed.is_empty() || self.assumed.contains(&digest.algorithm());
            return stated.and_then(|digest| if asked(&digest) { Ok(digest) } else { Err(Fault::Unasked) });
        }
        match digits::unnamed(&self.candidates, first) {
            // md5deep -z puts the size in front; no digest is that short.
            Err(_) if first.len() <= 20 && !first.is_empty() && first.iter().all(u8::is_ascii_digit) => {
                digits::unnamed(&self.candidates, token(rest).0)
            }
            Err(_) if self.unknown.is_some() => Err(Fault::UnknownAlgorithm(self.unknown.clone().unwrap_or_default())),
            digest => digest,
        }
    }
}

/// The first field, without quotes, and the rest.
fn token(line: &[u8]) -> (&[u8], &[u8]) {
    let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';' | b'|');
    let start = line.iter().position(|byte| !separator(byte)).unwrap_or(line.len());
    let line = &line[start..];
    let end = line.iter().position(separator).unwrap_or(line.len());
    let token = &line[..end];
    let inner = token.strip_prefix(b"\"").and_then(|token| token.strip_suffix(b"\"")).unwrap_or(token);
    (inner, &line[end..])
}

/// TSK's `.idx` starts with two lines whose key is 0 or 1 and whose value is not an offset but a
/// word.
fn is_index_header(line: &[u8]) -> bool {
    let Some(at) = line.iter().position(|&byte| byte == b'|') else { return false };
    let (key, value) = (&line[..at], &line[at + 1..]);
    key.len() >= 32 && key[..31].iter().all(|&byte| byte == b'0') && !value.iter().all(u8::is_ascii_digit)
}

/// Whether a line ends as `md5deep -p` ends those of pieces: `offset 0-511`.
fn is_piece(line: &[u8]) -> bool {
    let mut words = line.rsplitn(3, |&byte| byte == b' ');
    let (range, word) = (words.next().unwrap_or_default(), words.next());
    let mut ends = range.splitn(2, |&byte| byte == b'-');
    let number = |end: Option<&[u8]>| end.is_some_and(|end| !end.is_empty() && end.iter().all(u8::is_ascii_digit));
    word == Some(b"offset") && number(ends.next()) && number(ends.next())
}
