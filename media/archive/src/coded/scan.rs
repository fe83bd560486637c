//! Finds the files in a text.

use super::super::mail::uu_line;
use super::decode::xx_line;
use super::file::{Code, File};
use super::line::{Line, Lines};
use super::record;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::collections::VecDeque;
use std::sync::Arc;

/// A file that has begun.
struct OpenFile {
    file: File,
    /// The line that ends it.
    end: Vec<u8>,
    /// Whether a line of it came.
    is_sure: bool,
    /// The line before, as far as it may be the empty one of uuencode or xxencode.
    before: Vec<u8>,
    /// Whether the colon of BinHex came.
    has_begun: bool,
}

/// Finds files.
pub struct Scan {
    lines: Lines,
    begun: Option<OpenFile>,
    found: VecDeque<Result<File, Failure>>,
    is_ended: bool,
    size: u64,
    is_script: bool,
    is_card: bool,
}

/// The lines that stand around base64 of PEM: its kinds that hold files.
const PEM: [&[u8]; 3] = [b"-----BEGIN PKCS7-----", b"-----BEGIN CMS-----", b"-----BEGIN PKCS #7 SIGNED DATA-----"];
const BINHEX: &[u8] = b"(This file must be converted with BinHex";

/// Whether a text begins so that holds such files.
pub fn is_one(start: &[u8]) -> bool {
    if start.len() < 24 || start.iter().take(16).any(is_control) {
        return false;
    }
    let found = record::is_one(start) || is_base64(start) || is_card(start) || is_shar(start) || has_mark(start);
    let head = memchr::memmem::find(start, b"=ybegin ").unwrap_or(start.len());
    found && !start.iter().take(head.min(256)).any(is_control)
}

fn is_control(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 14..=25 | 28..=31)
}

/// Whether one of these lines begins a file.
pub fn has_mark(text: &[u8]) -> bool {
    const MARKS: [&[u8]; 3] = [b"begin", BINHEX, b"-----BEGIN "];
    let is_here = |at: usize| {
        let at = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = text[at..].split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end());
        let (line, next) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        begins(line).is_some_and(|file| is_line(&file.code, next))
            || yenc(line).is_some()
            || line.starts_with(BINHEX)
            || PEM.contains(&line)
    };
    MARKS.iter().any(|mark| memchr::memmem::find_iter(text, mark).any(is_here))
}

/// Whether a script writes files: its comment says so.
fn is_shar(start: &[u8]) -> bool {
    const SAYS: [&[u8]; 2] = [b"his is a sh", b"o unbundle, sh this file"];
    let head = &start[..start.len().min(2048)];
    let is_said = |at: usize| {
        [&b"his is a shell archive"[..], b"his is a shar", b"o unb"].iter().any(|says| head[at..].starts_with(says))
    };
    SAYS.iter().any(|says| memchr::memmem::find(head, says).is_some_and(is_said))
}

/// Whether a card or a calendar begins so, and a line of it has a file.
fn is_card(start: &[u8]) -> bool {
    (start.starts_with(b"BEGIN:VCARD") || start.starts_with(b"BEGIN:VCALENDAR"))
        && start.split(|byte| *byte == b'\n').any(|line| property(line).is_some())
}

/// `PHOTO;ENCODING=b;TYPE=JPEG:` of a card (RFC 2426, RFC 5545): the name of the file, and how many
/// bytes are in front of it.
fn property(line: &[u8]) -> Option<(Vec<u8>, usize)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let mut words = line[..colon].split(|byte| *byte == b';');
    let (name, mut stated, mut is_coded) = (words.next()?.to_ascii_lowercase(), None, false);
    for word in words {
        let lower = word.to_ascii_lowercase();
        is_coded |= matches!(&lower[..], b"encoding=b" | b"encoding=base64" | b"base64");
        if lower.starts_with(b"x-filename=") || lower.starts_with(b"filename=") {
            stated = word.iter().position(|byte| *byte == b'=').map(|equals| word[equals + 1..].trim_ascii().to_vec());
        }
    }
    is_coded.then(|| (stated.unwrap_or(name), colon + 1))
}

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether these bytes are all letters of base64, in lines of one length, of every kind.
fn is_base64(start: &[u8]) -> bool {
    if start.iter().take(40).any(|byte| !is_letter(byte)) {
        return false;
    }
    let lines: Vec<&[u8]> = start.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end()).collect();
    let first = lines[0].len();
    if first < 40 || start.len() < 256 || !start.iter().all(|byte| is_letter(byte) || byte.is_ascii_whitespace()) {
        return false;
    }
    // The last line is cut, or the last of all.
    let filled: Vec<&&[u8]> = lines.iter().filter(|line| !line.is_empty()).collect();
    let (last, others) = match filled.split_last() {
        Some((last, others)) => (last, others),
        None => return false,
    };
    let is_even = others.iter().all(|line| line.len() == first)
        && last.len() <= first
        && (others.is_empty() || first.is_multiple_of(4));
    let inner = start
        .iter()
        .position(|byte| *byte == b'=')
        .is_none_or(|at| start[at..].iter().all(|byte| *byte == b'=' || byte.is_ascii_whitespace()));
    let has = |is: fn(&u8) -> bool| start.iter().any(is);
    let is_mixed =
        has(u8::is_ascii_digit) && has(|byte| matches!(byte, b'g'..=b'z')) && has(|byte| matches!(byte, b'G'..=b'Z'));
    is_even && inner && is_mixed
}

/// `begin 644 name`, `begin-base64 644 name`: the file that begins so.
fn begins(line: &[u8]) -> Option<File> {
    let (rest, code) = match line.strip_prefix(b"begin-base64 ") {
        Some(rest) => (rest, Code::Base64),
        None => (line.strip_prefix(b"begin ")?, Code::Uuencode),
    };
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let is_mode = (3..=4).contains(&space) && rest[..space].iter().all(|byte| (b'0'..=b'7').contains(byte));
    let name = rest[space + 1..].trim_ascii().to_vec();
    (is_mode && !name.is_empty()).then(|| file(name, code, 0))
}

fn file(name: Vec<u8>, code: Code, start: u64) -> File {
    File { name, code, range: (start, start), size: None, crc: None }
}

/// Whether a line may follow the one that begins a file.
fn is_line(code: &Code, line: &[u8]) -> bool {
    let is_base64 = || line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    match code {
        Code::Base64 => !line.is_empty() && is_base64(),
        _ => matches!(line, b"`" | b"end") || uu_line(line).is_some() || xx_line(line).is_some(),
    }
}

/// The value of a word `key=value` of yEnc.
fn word<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find(line, key)? + key.len();
    let rest = &line[at..];
    Some(&rest[..rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len())])
}

fn number(line: &[u8], key: &[u8], radix: u32) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(word(line, key)?).ok()?, radix).ok()
}

/// `=ybegin line=128 size=123 name=a.bin`
fn yenc(line: &[u8]) -> Option<File> {
    let rest = line.strip_prefix(b"=ybegin ")?;
    number(rest, b"size=", 10)?;
    let name = &rest[memchr::memmem::find(rest, b"name=")? + 5..];
    let mut name = name.trim_ascii().to_vec();
    if let Some(part) = number(rest, b"part=", 10) {
        name.extend(format!(" (part {part})").bytes());
    }
    Some(file(name, Code::Yenc, 0))
}

/// `sed 's/^X//' >'name' <<'END'`
struct Heredoc {
    prefix: Vec<u8>,
    name: Vec<u8>,
    end: Vec<u8>,
    /// Whether the shell writes the lines as they are, and nothing before them.
    is_plain: bool,
}

fn heredoc(line: &[u8]) -> Option<Heredoc> {
    let mark = memchr::memmem::find(line, b"<<")?;
    let (end, is_quoted, behind) = unquoted(&line[mark + 2..])?;
    let others = [&line[..mark], b" ", behind].concat();
    let target = others.iter().position(|byte| *byte == b'>')?;
    let is_appended = others.get(target + 1) == Some(&b'>');
    let (name, ..) = unquoted(&others[target + 1 + usize::from(is_appended)..])?;
    if name.is_empty() || name.starts_with(b"/dev/") || name.starts_with(b"&") {
        return None;
    }
    let is_indented = line[mark + 2..].trim_ascii_start().starts_with(b"-");
    let prefix = written(&others);
    let is_plain = is_quoted && !is_appended && !is_indented && prefix.is_some();
    Some(Heredoc { prefix: prefix.unwrap_or_default(), name, end, is_plain })
}

/// The prefix that a command takes off the lines that it writes: none for `cat`, that of the one
/// expression `s/^X//` for `sed`. Nothing where lines may come out otherwise.
fn written(command: &[u8]) -> Option<Vec<u8>> {
    let is_break = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'(' | b'{' | b'<' | b'>');
    let last = |word: &[u8]| word.rsplit(|byte| *byte == b'/').next() == Some(b"cat");
    let words: Vec<&[u8]> = command.split(is_break).filter(|word| !word.is_empty()).collect();
    if command.contains(&b'|') {
        return None;
    }
    let Some(sed) = words.iter().position(|word| matches!(word, [.., b's', b'e', b'd'])) else {
        return words.iter().any(|word| last(word)).then(Vec::new);
    };
    let expression = words[sed + 1..].iter().find(|word| **word != b"-e")?;
    let inner = match expression.split_first()? {
        (quote @ (b'\'' | b'"'), rest) => rest.strip_suffix(std::slice::from_ref(quote))?,
        _ => *expression,
    };
    let prefix = inner.strip_prefix(b"s/^")?.strip_suffix(b"//")?;
    let is_once = words[sed + 1..].iter().filter(|word| word.windows(3).any(|part| part == b"s/^")).count() == 1;
    let is_literal = !prefix.is_empty() && !prefix.iter().any(|byte| b"/.[]*\\$^".contains(byte));
    (is_once && is_literal).then(|| prefix.to_vec())
}

/// A word of the shell without its quotes, whether it had some, and what follows.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, bool, &[u8])> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"-").unwrap_or(text).trim_ascii_start();
    match text.first()? {
        quote @ (b'\'' | b'"') => {
            let end = 1 + text[1..].iter().position(|byte| byte == quote)?;
            Some((text[1..end].to_vec(), true, &text[end + 1..]))
        }
        first => {
            let word = text.strip_prefix(b"\\").unwrap_or(text);
            let is_end =
                |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'|' | b')' | b'<' | b'>');
            let end = word.iter().position(is_end).unwrap_or(word.len());
            Some((word[..end].to_vec(), *first == b'\\', &word[end..]))
        }
    }
}

impl Scan {
    /// The files in `bytes`.
    pub fn new(bytes: Arc<dyn Bytes>) -> Scan {
        let size = bytes.size();
        let start = pfh_bytes::field::read_some(&*bytes, 0, 4096).unwrap_or_default();
        let mut found = VecDeque::new();
        let is_whole = is_base64(&start);
        if is_whole {
            let range = (0, size);
            found.push_back(Ok(File { range, ..file(Vec::new(), Code::Base64, 0) }));
        }
        let (is_script, is_card) = (is_shar(&start), is_card(&start));
        Scan { lines: Lines::new(bytes), begun: None, found, is_ended: is_whole, size, is_script, is_card }
    }

    fn fail(&mut self, path: &[u8], offset: u64, cause: &str) {
        let failed =
            Failure { path: path.to_vec(), offset: Some(offset), cause: cause.to_owned(), ..Failure::default() };
        self.found.push_back(Err(failed));
    }

    fn take(&mut self, line: &Line) {
        if let Some(begun) = &mut self.begun {
            let (text, code) = (&line.text[..], begun.file.code.clone());
            if !begun.is_sure && matches!(code, Code::Uuencode) {
                if uu_line(text).is_none() && xx_line(text).is_some() {
                    begun.file.code = Code::Xxencode;
                } else if !is_line(&code, text) {
                    // A sentence that begins with this word.
                    self.begun = None;
                    return;
                }
            }
            if !begun.is_sure && matches!(code, Code::Lines(_)) && begins(text).is_some() {
                // The shell decodes them.
                self.begun = None;
                return self.begin(line);
            }
            if begun.file.code == Code::Base64
                && begun.end.is_empty()
                && !text.starts_with(b" ")
                && !text.starts_with(b"\t")
            {
                self.end(line);
                return self.begin(line);
            }
            begun.is_sure = true;
            let is_end = match begun.file.code {
                Code::Yenc => text.starts_with(&begun.end),
                // Its last line ends with a colon, and so may the first one.
                Code::BinHex => {
                    let has_begun = begun.has_begun;
                    begun.has_begun |= text.starts_with(b":");
                    text.trim_ascii_end().ends_with(b":") && (has_begun || text.trim_ascii_end().len() > 1)
                }
                _ => {
                    text == begun.end
                        || text.trim_ascii_end() == begun.end && !matches!(begun.file.code, Code::Lines(_))
                }
            };
            if is_end {
                // A line of one may be one of the other as well; the empty line in front of the end
                // says which they are.
                match (&begun.file.code, &begun.before[..]) {
                    (Code::Uuencode, b"+") => begun.file.code = Code::Xxencode,
                    (Code::Xxencode, b"" | b"`") => begun.file.code = Code::Uuencode,
                    _ => {}
                }
                self.end(line);
            } else if begun.file.code == Code::Yenc && text.starts_with(b"=ypart ") {
                begun.file.range.0 = line.next;
            } else if matches!(begun.file.code, Code::Uuencode | Code::Xxencode) {
                begun.before = text.trim_ascii_end()[..].iter().take(2).copied().collect();
            }
            return;
        }
        self.begin(line);
    }

    fn begin(&mut self, line: &Line) {
        let text = &line.text[..];
        let begun = |file: File, start: u64, end: &[u8]| {
            Some(OpenFile {
                file: File { range: (start, start), ..file },
                end: end.to_vec(),
                is_sure: false,
                before: Vec::new(),
                has_begun: false,
            })
        };
        self.begun = if let Some(file) = begins(text) {
            match file.code {
                Code::Base64 => begun(file, line.next, b"===="),
                _ => begun(file, line.at, b"end"),
            }
        } else if let Some(file) = yenc(text) {
            begun(file, line.next, b"=yend ")
        } else if text.starts_with(BINHEX) {
            begun(file(Vec::new(), Code::BinHex, 0), line.next, b"")
        } else if PEM.contains(&text.trim_ascii_end()) {
            let end = [b"-----END", &text.trim_ascii_end()[10..]].concat();
            begun(file(Vec::new(), Code::Base64, 0), line.next, &end)
        } else if let Some((name, at)) = property(text).filter(|_| self.is_card) {
            begun(file(name, Code::Base64, 0), line.at + at as u64, b"")
        } else if self.is_script && text.split_first().is_some_and(|(_, rest)| begins(rest).is_some()) {
            return self.fail(b"", line.at, "a coded file of a shell archive behind a prefix: not read");
        } else if let Some(found) = heredoc(text).filter(|_| self.is_script) {
            if !found.is_plain {
                self.fail(&found.name, line.at, "a file of a shell archive that the shell writes: not read");
                return;
            }
            begun(file(found.name, Code::Lines(found.prefix), 0), line.next, &found.end)
        } else {
            None
        };
    }

    /// The file that has begun ends with this line.
    fn end(&mut self, line: &Line) {
        let Some(OpenFile { mut file, .. }) = self.begun.take() else { return };
        let is_within = matches!(file.code, Code::Uuencode | Code::Xxencode | Code::BinHex);
        file.range.1 = if is_within { line.next } else { line.at };
        if file.code == Code::Yenc {
            file.size = number(&line.text, b"size=", 10);
            let sum = number(&line.text, b"pcrc32=", 16).or_else(|| number(&line.text, b" crc32=", 16));
            file.crc = sum.and_then(|sum| u32::try_from(sum).ok());
        }
        if matches!(file.code, Code::Lines(_)) && file.name.iter().any(|byte| matches!(byte, b'$' | b'`')) {
            return self.fail(&file.name, file.range.0, "a file of a shell archive that the shell names: not read");
        }
        self.found.push_back(Ok(file));
    }
}

impl Iterator for Scan {
    type Item = Result<File, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.found.is_empty() && !self.is_ended {
            match self.lines.next() {
                Ok(Some(line)) => self.take(&line),
                Ok(None) => {
                    self.is_ended = true;
                    let is_folded = |begun: &&mut OpenFile| begun.file.code == Code::Base64 && begun.end.is_empty();
                    if self.begun.as_mut().filter(is_folded).is_some() {
                        self.end(&Line { at: self.size, next: self.size, text: Vec::new() });
                    } else if let Some(begun) = self.begun.take() {
                        self.fail(&begun.file.name, self.size, "a file that is coded as text does not end");
                    }
                }
                Err(error) => {
                    self.is_ended = true;
                    self.found.push_back(Err(pfh_bytes::field::unreadable(0, &error)));
                }
            }
        }
        self.found.pop_front()
    }
}
