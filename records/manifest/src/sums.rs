//! Lists as `sha256sum` and its kin print them: digest, space, marker, name (coreutils manual,
//! "md5sum invocation").
//!
//! A line holds one digest and does not name the algorithm: readers know it by its length or from a
//! comment. So a list may hold several algorithms, a line each, only where their digests differ in
//! length. Similarity digests are recognized by their form: `T1…`, `sdbf:…`. Where the length does
//! not tell, a comment in front does, and another at the end counts the records. `b3sum` refuses
//! comments, so a list of BLAKE3 alone has none: its reader finds out (see `Entry::guessed`).

use pfh_digest::{Algorithm, Digest, Output, Registry};
use pfh_engine::{Outcome, Record, Summary};
use pfh_similarity::{MethodName, Similar};

use crate::count::Count;
use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{DecodeLine, Entry, Fault, Options, ParsedLine};
use crate::format::{End, Layout, Marker};
use crate::others::{self, deep, distinfo, gentoo, links, trailing};
use crate::remark::{self, Remark};
use crate::sample::{self, Sample};
use crate::{blocks, bsd, digits, escape, roles, similarity};

/// Writes `digest  name`, a line per algorithm and file.
pub struct Encoder {
    layout: Layout,
    /// Whether the head names the kind of the list, so that it has an end as well.
    described: bool,
    count: Count,
}

impl Encoder {
    /// A writer with this end of record and this marker.
    pub fn new(layout: Layout) -> Encoder {
        Encoder { layout, described: false, count: Count::default() }
    }
}

/// Whether a reader cannot tell the digests of two algorithms apart.
fn look_alike(a: Algorithm, b: Algorithm) -> bool {
    let digits = |algorithm: Algorithm| match algorithm.output() {
        Output::Text => digits::hexadecimal(algorithm),
        _ => Some(2 * algorithm.length()),
    };
    let mrsh = |of: Algorithm| of.name().starts_with("mrsh-v2");
    // Similarity digests have forms of their own, but for the two kinds of mrsh-v2, and for TLSH of
    // a part.
    let (of_a, of_b) = (MethodName::of(a), MethodName::of(b));
    digits(a).is_some() && digits(a) == digits(b) || of_a.is_some() && of_a == of_b || mrsh(a) && mrsh(b)
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        for (n, algorithm) in preamble.algorithms.iter().enumerate() {
            if let Some(twin) = preamble.algorithms[..n].iter().find(|other| look_alike(**other, *algorithm)) {
                return Err(Unrepresentable::new(format!(
                    "sums cannot tell {twin} from {algorithm}: their digests look alike; use another format, such as jsonl"
                )));
            }
        }
        let is_clear = |algorithm: &Algorithm| match algorithm.output() {
            Output::Text => {
                // That of a part of the file looks like that of all of it.
                let is_own =
                    |method: MethodName| method.name() == algorithm.name() && method != MethodName::MrshV2Network;
                MethodName::of(*algorithm).is_some_and(is_own) && digits::hexadecimal(*algorithm).is_none()
            }
            _ => digits::USUAL.contains(&algorithm.name()),
        };
        let is_clear = preamble.algorithms.iter().all(is_clear);
        let bare = matches!(preamble.algorithms, [one] if one.name() == "blake3" && one.length() == 32);
        self.described = !bare && (!is_clear || preamble.base.is_some());
        if self.described {
            remark::begin(out, "", preamble.algorithms, preamble.base, self.layout.end.byte());
        }
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(FormatFit::No) };
        if !hashed.pieces.is_empty() {
            return Err(Unrepresentable::new("sums has no form for the digests of pieces"));
        }
        // TLSH has a word of its own for this.
        let absent = |similar: &&Similar| similar.is_absent() && similar.method() != MethodName::Tlsh;
        for digest in &hashed.digests {
            if let Some(similar) = Similar::of(digest).filter(absent) {
                let (name, why) = (digest.algorithm(), similar.method().profile().lacking);
                return Err(Unrepresentable::new(format!("{name} has no digest for it: {why}")));
            }
        }
        let name = match self.layout.end {
            End::Line => escape::escape(&record.name),
            End::Nul => (&record.name[..]).into(),
        };
        let escaped = self.layout.end == End::Line && escape::is_needed(&record.name);
        for digest in &hashed.digests {
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
            remark::finish(out, "", self.count, self.layout.end.byte());
        }
    }
}

/// Reads plain and tagged lines, as every GNU tool does in its `--check`.
pub(crate) struct Decoder {
    registry: Registry,
    assumed: Vec<Algorithm>,
    /// The algorithms of digests where the list names none: first fit by length.
    usual: Vec<Algorithm>,
    /// The algorithms that the list names for the digests which follow.
    stated: Option<Vec<Result<Algorithm, Box<str>>>>,
    bare: bool,
    end: End,
    shape: Shape,
    /// Whether a program of Windows wrote the list, by its comments or the ends of its lines: there
    /// `\` separates names.
    windows: bool,
    /// Whether it is a Manifest of Gentoo.
    is_gentoo: bool,
    /// How lines end, where the name is first.
    ends: Option<trailing::Shape>,
    /// Whether its lines are of `cksum` or `sum`: a checksum in decimal digits, a size and a name.
    is_cksum: bool,
    sizes: distinfo::Sizes,
    /// The mode of shasum whose mark every line has, where nobody else computes that.
    mode: Option<(u8, &'static str)>,
    /// Whether every line has a mark between blanks behind its SHA-256, as `git lfs ls-files -l`
    /// has. In another list the name begins with a blank.
    is_starred: bool,
    /// How many lines of text stand in front of the records.
    text: usize,
    /// Whether a line that is neither empty nor a comment was read.
    begun: bool,
}

/// The separator of digest and name. GNU fixes it by the first plain line: names may start with a
/// space or an asterisk, so a line alone cannot tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unknown,
    /// A space and a marker.
    Marked,
    /// One space, as the BSDs' `-r` prints.
    Reversed,
}

/// The marks of `shasum -0`, which takes characters for bits, and of its old `-p`, which takes CR
/// away.
const MODES: [(u8, &str); 2] = [(b'^', "shasum's bits mode (^)"), (b'?', "shasum's portable mode (?)")];

/// Hexadecimal digits of SHA-256.
const SHA256: usize = 64;

/// Whether all lines of a sample have a form, of those that are not empty, and there are some.
fn are_all(sample: &Sample<'_>, form: impl Fn(&[u8]) -> bool) -> bool {
    let mut lines = sample.lines.iter().filter(|line| !line.trim_ascii().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| form(line))
}

/// Whether a line is as `cksum -a crc` and `sum` print it: `2411870610 2 name`.
fn is_cksum(line: &[u8]) -> bool {
    let mut words = line.trim_ascii_start().splitn(2, |byte| *byte == b' ');
    let is_number = |word: &[u8]| (1..=10).contains(&word.len()) && word.iter().all(u8::is_ascii_digit);
    let (sum, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().trim_ascii_start());
    let mut words = rest.splitn(2, |byte| *byte == b' ');
    is_number(sum) && words.next().is_some_and(is_number) && words.next().is_some_and(|name| !name.is_empty())
}

/// Whether NUL ends the records of a list that begins so, as `sha256sum --zero` and `md5deep -0`
/// write them: all of them, with a digest each, and no line in a name looks like a record.
pub(crate) fn ends_with_nul(start: &[u8]) -> bool {
    let mut records = start.split(|byte| *byte == 0);
    let last = records.next_back().unwrap_or_default();
    let is_record = |line: &[u8]| {
        let line = line.trim_ascii_start();
        let first = line.split(|byte| matches!(byte, b' ' | b'\t' | b',')).next().unwrap_or_default();
        digits::is_digest(first) || bsd::split(line).is_some() || deep::split(line).is_some()
    };
    let is_one = |record: &[u8]| {
        let mut lines = record.split(|byte| *byte == b'\n');
        lines.next().is_some_and(is_record) && !lines.any(is_record)
    };
    let is_whole = last.is_empty() || start.len() as u64 >= sample::BYTES;
    let mut records = records.peekable();
    is_whole && records.peek().is_some() && records.all(is_one)
}

/// Whether a line is of `git ls-tree` or `git ls-files -s`: `100644 blob DIGEST<TAB>name`.
pub(crate) fn is_git(line: &[u8]) -> bool {
    let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { return false };
    let words: Vec<&[u8]> = line[..tab].split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let is_mode = |word: &[u8]| word.len() == 6 && word.iter().all(|byte| matches!(byte, b'0'..=b'7'));
    let is_object = |word: &[u8]| matches!(word.len(), 40 | 64) && word.iter().all(u8::is_ascii_hexdigit);
    match words[..] {
        [mode, b"blob" | b"tree" | b"commit", object] | [mode, b"blob" | b"tree" | b"commit", object, _] => {
            is_mode(mode) && is_object(object)
        }
        [mode, object, b"0" | b"1" | b"2" | b"3"] => is_mode(mode) && is_object(object),
        _ => false,
    }
}

impl Decoder {
    /// A reader of a list that begins with the lines of `sample`.
    pub(crate) fn new(registry: Registry, options: &Options, end: End, sample: &Sample<'_>) -> Decoder {
        let usual = digits::wanted(registry, &Options { assumed: Vec::new(), ..options.clone() });
        Decoder {
            registry,
            assumed: options.assumed.clone(),
            usual,
            stated: None,
            bare: options.bare,
            end,
            shape: Shape::Unknown,
            windows: end == End::Line && sample.windows,
            text: if end == End::Line { sample.text_in_front() } else { 0 },
            begun: false,
            is_gentoo: end == End::Line && gentoo::is_manifest(&sample.lines),
            ends: if end == End::Line { trailing::Shape::of(&sample.lines) } else { None },
            is_cksum: are_all(sample, is_cksum),
            sizes: distinfo::Sizes::of(sample),
            is_starred: end == End::Line
                && are_all(sample, |line| {
                    let (digest, rest) = line.split_at_checked(SHA256).unwrap_or_default();
                    digits::is_digest(digest) && (rest.starts_with(b" * ") || rest.starts_with(b" - "))
                }),
            mode: MODES.into_iter().find(|(mark, _)| {
                are_all(sample, |line| {
                    line.iter().position(|&byte| byte == b' ').is_some_and(|at| line[at + 1..].starts_with(&[*mark]))
                })
            }),
        }
    }

    /// The digest at the start of a plain line, and whether its algorithm is a guess.
    fn digest(&self, text: &[u8]) -> Result<(Digest, bool), Fault> {
        if !self.assumed.is_empty() {
            return match digits::similar(self.registry, &self.assumed, text) {
                Some(algorithm) => Ok((digits::digest(algorithm, text)?, false)),
                None => Ok((digits::unnamed(&self.assumed, text)?, false)),
            };
        }
        if let Some(stated) = &self.stated {
            let known: Vec<Algorithm> = stated.iter().filter_map(|algorithm| algorithm.clone().ok()).collect();
            let found = match digits::similar(self.registry, &known, text).filter(|_| !known.is_empty()) {
                Some(algorithm) => digits::digest(algorithm, text),
                None => digits::unnamed(&known, text),
            };
            return match (found, stated.iter().find_map(|algorithm| algorithm.clone().err())) {
                (Ok(digest), _) => Ok((digest, false)),
                (Err(_), Some(unknown)) => Err(Fault::UnknownAlgorithm(unknown)),
                // A list without a word about itself may stand behind one with.
                (Err(fault), None) => {
                    digits::unnamed(&self.usual, text).map_or(Err(fault), |digest| Ok((digest, true)))
                }
            };
        }
        match digits::similar(self.registry, &[], text) {
            // The modes of mrsh-v2 and of sdhash look alike.
            Some(algorithm) => {
                let has_modes = ["mrsh-v2", "sdhash"].iter().any(|method| algorithm.name().starts_with(method));
                Ok((digits::digest(algorithm, text)?, has_modes))
            }
            None => Ok((digits::unnamed(&self.usual, text)?, true)),
        }
    }

    fn plain(&mut self, line: &[u8], escaped: bool) -> Result<Entry, Fault> {
        if self.bare && !line.trim_ascii_end().iter().any(|byte| matches!(byte, b' ' | b'\t')) {
            let (digest, guessed) = self.digest(line.trim_ascii_end())?;
            return Ok(Entry { digests: vec![digest], guessed, ..Entry::default() });
        }
        match deep::split(line).map(|found| self.of_md5deep(&found)) {
            Some(Ok(entry)) => return Ok(entry),
            Some(Err(Fault::WrongLength)) => return Err(Fault::WrongLength),
            _ => {}
        }
        let at = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).ok_or(Fault::Malformed("no name"))?;
        let mut rest = &line[at + 1..];
        let (mut text, mut size) = (&line[..at], None);
        // ExactFile has the size in front.
        if let Some(digest) = rest.split(|byte| *byte == b' ').next().filter(|word| digits::is_digest(word))
            && rest[digest.len()..].starts_with(b" ?")
            && let Some(number) = str::from_utf8(text).ok().and_then(|text| text.parse().ok())
        {
            (text, size, rest) = (digest, Some(number), &rest[digest.len() + 1..]);
        }
        if let Some((algorithm, name)) = deep::marked(self.registry, rest) {
            let algorithm = algorithm?;
            if !self.assumed.is_empty() && !self.assumed.contains(&algorithm) {
                return Err(Fault::Unasked);
            }
            let digests = vec![digits::digest(algorithm, text)?];
            return Ok(Entry { name: self.name(name, false)?, size, digests, ..Entry::default() });
        }
        if let Some((_, mode)) = self.mode.filter(|(mark, _)| rest.starts_with(&[*mark])) {
            return Err(Fault::UnknownAlgorithm(mode.into()));
        }
        let first = line[..at].strip_suffix(b":").unwrap_or(&line[..at]);
        // `MD5: d41d…  name`
        if first.len() < at
            && let Some(of) = str::from_utf8(first).ok().and_then(|word| others::algorithm(self.registry, word))
        {
            let mut words = rest.trim_ascii_start().splitn(2, |byte| matches!(byte, b' ' | b'\t'));
            let digests = vec![digits::digest(of, words.next().unwrap_or_default())?];
            let name = words.next().unwrap_or_default().trim_ascii_start();
            return Ok(Entry { name: self.name(name, false)?, digests, ..Entry::default() });
        }
        let (digest, guessed) = match deep::stated(self.registry, &line[..at]) {
            Some(digest) => (digest?, false),
            // The colon belongs to a digest of ssdeep: `3::`.
            None if digits::is_digest(first) => self.digest(first)?,
            None => self.digest(&line[..at])?,
        };
        let rest = if self.is_starred { rest.get(1..).unwrap_or_default() } else { rest };
        let marked = rest.len() > 1 && matches!(rest[0], b' ' | b'*');
        let name = match (self.shape, marked) {
            (Shape::Marked, false) => return Err(Fault::Malformed("no marker in front of the name")),
            (Shape::Unknown | Shape::Marked, true) => {
                self.shape = Shape::Marked;
                &rest[1..]
            }
            // A name of one blank, as GNU takes it, or none: of other lines it says nothing.
            (Shape::Unknown, _) if rest == b" " => rest,
            (Shape::Unknown | Shape::Reversed, _) => {
                self.shape = Shape::Reversed;
                rest
            }
        };
        Ok(Entry { name: self.name(name, escaped)?, digests: vec![digest], guessed, ..Entry::default() })
    }

    /// The entry of a line as `md5deep` writes it with further columns.
    fn of_md5deep(&self, found: &deep::Columns<'_>) -> Result<Entry, Fault> {
        let (digest, guessed) = self.digest(found.digest)?;
        let name = self.name(found.name, false)?;
        Ok(Entry { name, size: found.size, digests: vec![digest], guessed, ..Entry::default() })
    }

    /// The entry of a line with its digests behind the name; `None` if one of them is of no
    /// algorithm that is meant here.
    fn trailing(&self, line: &[u8]) -> Option<Entry> {
        let trailing::Parts { name, size, digests: texts } = match self.ends {
            Some(shape) => shape.split(line)?,
            None => trailing::split(line)?,
        };
        let mut entry = Entry { name: self.name(name, false).ok()?, size, ..Entry::default() };
        if let Some(algorithms) = trailing::algorithms(self.registry, texts.len()) {
            for (algorithm, text) in algorithms.into_iter().zip(texts) {
                match algorithm {
                    Ok(algorithm) => entry.digests.push(digits::digest(algorithm, text).ok()?),
                    Err(name) => entry.foreign.push(name.into()),
                }
            }
            return Some(entry);
        }
        let crc32 = self.registry.find("crc32").ok()?;
        for text in texts {
            if text.len() == 2 * crc32.length() {
                entry.digests.push(digits::digest(crc32, text).ok()?);
                continue;
            }
            let (digest, guess) = match deep::stated(self.registry, text) {
                Some(stated) => (stated.ok()?, false),
                None => self.digest(text).ok()?,
            };
            entry.guessed |= guess;
            entry.digests.push(digest);
        }
        Some(entry)
    }

    fn name(&self, name: &[u8], escaped: bool) -> Result<Vec<u8>, Fault> {
        let name = if escaped {
            escape::unescape(name).ok_or(Fault::Malformed("no such escape in a name"))?
        } else if self.windows || (self.end == End::Line && others::is_windows_path(name)) {
            // In lines of ours and of GNU's a name with `\` is escaped; this one is of neither.
            // Where NUL ends names nothing is escaped, and `a:\` is a file's name.
            others::windows_name(name)
        } else {
            name.to_vec()
        };
        // Ports of GNU's tools escape the separators of whole paths too.
        let name = if self.windows && others::is_windows_path(&name) { others::windows_name(&name) } else { name };
        if name.is_empty() { Err(Fault::Malformed("no name")) } else { Ok(name) }
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.is_empty() {
            return ParsedLine::Neutral;
        }
        if self.text > 0 {
            self.text -= 1;
            return ParsedLine::Neutral;
        }
        if self.is_gentoo
            && let Some(parsed) = gentoo::line(self.registry, line)
        {
            return parsed;
        }
        // Where names are first, one may begin as a comment does.
        if self.ends.is_some()
            && let Some(entry) = self.trailing(line)
        {
            return Ok(entry).into();
        }
        if line.starts_with(b"#") {
            return match remark::parse(self.registry, line) {
                Some(Remark::Begin(algorithms)) => {
                    self.stated = Some(algorithms);
                    ParsedLine::Promise
                }
                Some(Remark::Other(parsed)) => {
                    if matches!(parsed, ParsedLine::End(_)) {
                        self.stated = None;
                    }
                    parsed
                }
                None => ParsedLine::Neutral,
            };
        }
        // A line of labels in front of the records.
        if !std::mem::replace(&mut self.begun, true) && roles::is_heading(self.registry, line) {
            return ParsedLine::Neutral;
        }
        if others::is_comment(line) {
            self.windows = true;
            return ParsedLine::Neutral;
        }
        if let Some(entry) = links::entry(self.registry, &self.assumed, line) {
            return entry.into();
        }
        if let Some(parsed) = self.sizes.line(line) {
            return parsed;
        }
        // The fences of Markdown around digests.
        if line.starts_with(b"```") && !line.contains(&b' ') {
            return ParsedLine::Neutral;
        }
        // The head of a section of TOML, whose lines are `"name" = "digest"`.
        if self.ends.is_some() && blocks::is_section(line) {
            return ParsedLine::Neutral;
        }
        if is_git(line) {
            return Fault::UnknownAlgorithm("git's objects, which are not digests of files".into()).into();
        }
        if self.is_cksum && is_cksum(line) {
            return Fault::UnknownAlgorithm("cksum or sum".into()).into();
        }
        let line = line.trim_ascii_start();
        let (line, escaped) = match line.strip_prefix(b"\\") {
            Some(line) if self.end == End::Line => (line, true),
            _ => (line, false),
        };
        let entry = match bsd::split(line) {
            Some(tagged) => self.name(tagged.name, escaped).and_then(|name| {
                let digest = bsd::digest(self.registry, &self.assumed, &tagged).map_err(|fault| fault.of(&name))?;
                Ok(self.sizes.sized(tagged.name, Entry { name, digests: vec![digest], ..Entry::default() }))
            }),
            None => self.plain(line, escaped).or_else(|fault| self.trailing(line).ok_or(fault)),
        };
        entry.into()
    }
}
