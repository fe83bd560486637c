//! A digest per line, and any text behind it: plain lists, GNU and BSD lists, md5deep's
//! `-z -c -t -q`, TSK's `.idx`.

use pfh_digest::{Algorithm, Digest, Output, Registry};

use super::KnownFile;
use crate::entry::Fault;
use crate::others::{algorithm, deep, links, trailing};
use crate::remark::{self, Remark};
use crate::roles::{self, Role};
use crate::sample::Sample;
use crate::{bsd, digits};

pub struct Reader {
    registry: Registry,
    assumed: Vec<Algorithm>,
    candidates: Vec<Algorithm>,
    /// An algorithm that the list says its digests are of, and that no set can hold.
    unknown: Option<Box<str>>,
    /// An algorithm that the name of the list states, and the length of its digests: no set can
    /// hold those without a name.
    foreign: Option<(&'static str, usize)>,
    /// How lines end, where the name is first.
    ends: Option<trailing::Shape>,
    /// Whether a line that is neither empty nor a comment was read.
    begun: bool,
}

impl Reader {
    /// A reader of a list that begins with the lines of `sample`. `foreign`: an algorithm that is
    /// not known here and that its name states, with the length of its digests.
    pub fn new(
        registry: Registry,
        (assumed, hints): (&[Algorithm], &[Algorithm]),
        foreign: Option<(&'static str, usize)>,
        sample: &Sample<'_>,
    ) -> Reader {
        let foreign = foreign.filter(|_| assumed.is_empty());
        let mut candidates = if assumed.is_empty() { hints.to_vec() } else { Vec::new() };
        candidates.extend(digits::candidates(registry, assumed));
        if assumed.is_empty() {
            // Of other lengths than the usual ones: Tiger.
            let usual: Vec<usize> = candidates.iter().map(|one| one.length()).collect();
            let is_other = |one: &Algorithm| one.length() >= 16 && !usual.contains(&one.length());
            candidates.extend(registry.all().filter(|one| one.output() != Output::Text).filter(is_other));
        }
        let ends = trailing::Shape::of(&sample.lines);
        Reader { registry, assumed: assumed.to_vec(), candidates, unknown: None, foreign, ends, begun: false }
    }

    pub fn line(&mut self, line: &[u8]) -> Option<Result<KnownFile, Fault>> {
        let line = line.trim_ascii();
        // Ours say what their digests are of, where lengths do not.
        if let Some(Remark::Begin(stated)) = remark::parse(self.registry, line)
            && self.assumed.is_empty()
        {
            self.unknown = stated.iter().find_map(|algorithm| algorithm.clone().err());
            self.candidates = stated.into_iter().filter_map(Result::ok).collect();
        }
        if let Some(trailing::Parts { digests: texts, .. }) = self.ends.and_then(|ends| ends.split(line)) {
            let digests: Result<Vec<Digest>, Fault> = self.behind(&texts);
            return Some(digests.map(|digests| KnownFile { digests, tag: None }));
        }
        if line.is_empty() || matches!(line[0], b'#' | b';' | b'%') || is_index_header(line) {
            return None;
        }
        if !std::mem::replace(&mut self.begun, true) && self.is_heading(line) {
            return None;
        }
        if let Some(entry) = links::entry(self.registry, &self.assumed, line) {
            return Some(entry.map(|entry| KnownFile { digests: entry.digests, tag: None }));
        }
        let line = line.strip_prefix(b"\\").unwrap_or(line);
        let digest = match bsd::split(line) {
            Some(tagged) => bsd::digest(self.registry, &self.assumed, &tagged),
            None => self.plain(line),
        };
        Some(match digest {
            Ok(_) if is_piece(line) => Err(Fault::Malformed("digests of pieces are not those of files")),
            digest => digest.map(|digest| KnownFile { digests: vec![digest], tag: None }),
        })
    }

    /// Whether the first line names the algorithm of the digests that follow, as X-Ways' sets and
    /// columns of spreadsheets do; it binds.
    fn is_heading(&mut self, line: &[u8]) -> bool {
        let inner = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
        match str::from_utf8(inner).map(|label| roles::of(self.registry, label)) {
            Ok(Role::Digest(algorithm)) => {
                if self.assumed.is_empty() {
                    self.candidates = vec![algorithm];
                }
                true
            }
            Ok(Role::Hash) => true,
            _ => roles::is_heading(self.registry, line),
        }
    }

    /// The digests behind a name. Checksums identify nothing.
    fn behind(&self, texts: &[&[u8]]) -> Result<Vec<Digest>, Fault> {
        if let Some(algorithms) = trailing::algorithms(self.registry, texts.len()) {
            let known = algorithms.into_iter().zip(texts).filter_map(|(algorithm, text)| Some((algorithm.ok()?, text)));
            return known.map(|(algorithm, text)| digits::digest(algorithm, text)).collect();
        }
        let long = texts.iter().filter(|text| text.len() > 8);
        let digest = |text: &&[u8]| match deep::stated(self.registry, text) {
            Some(stated) => stated,
            None => digits::unnamed(&self.candidates, text),
        };
        long.map(digest).collect()
    }

    fn plain(&self, line: &[u8]) -> Result<Digest, Fault> {
        let (first, rest) = token(line);
        // `MD5: d41d…  name`
        let label = first.strip_suffix(b":").and_then(|label| str::from_utf8(label).ok());
        if let Some(algorithm) = label.and_then(|label| algorithm(self.registry, label)) {
            return digits::digest(algorithm, token(rest).0);
        }
        if let Some((algorithm, _)) = rest.strip_prefix(b" ").and_then(|rest| deep::marked(self.registry, rest)) {
            let algorithm = algorithm?;
            let asked = self.assumed.is_empty() || self.assumed.contains(&algorithm);
            return if asked { digits::digest(algorithm, first) } else { Err(Fault::Unasked) };
        }
        // `shasum -0` takes characters for bits: nobody else computes that.
        if rest.starts_with(b" ^") {
            return Err(Fault::UnknownAlgorithm("shasum's bits mode (^)".into()));
        }
        // ClamAV's signatures: `digest:size:name`, with `*` for any size.
        if let Some(digest) = first.split(|&byte| byte == b':').next().filter(|digest| digest.len() < first.len())
            && digest.iter().all(u8::is_ascii_hexdigit)
            && let Ok(digest) = digits::unnamed(&self.candidates, digest)
        {
            return Ok(digest);
        }
        if let Some(stated) = deep::stated(self.registry, first) {
            let asked = |digest: &Digest| self.assumed.is_empty() || self.assumed.contains(&digest.algorithm());
            return stated.and_then(|digest| if asked(&digest) { Ok(digest) } else { Err(Fault::Unasked) });
        }
        match digits::unnamed(&self.candidates, first) {
            // md5deep -z puts the size in front; no digest is that short.
            Err(_) if first.len() <= 20 && !first.is_empty() && first.iter().all(u8::is_ascii_digit) => {
                digits::unnamed(&self.candidates, token(rest).0)
            }
            Err(_) if self.unknown.is_some() => Err(Fault::UnknownAlgorithm(self.unknown.clone().unwrap_or_default())),
            Ok(digest) => match self.foreign.filter(|(_, length)| *length == digest.bytes().len()) {
                Some((name, _)) => Err(Fault::UnknownAlgorithm(name.into())),
                None => Ok(digest),
            },
            fault => fault,
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
