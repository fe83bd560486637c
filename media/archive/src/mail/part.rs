//! The parts of a message: where each lies, and how it is encoded. A message is read once, line by
//! line; of a line only its beginning is held.

use super::header::{self, Header};
use super::transfer::{self, Encoding};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::io::{self, BufRead, BufReader};
use std::sync::Arc;

use super::super::tape::Tape;

/// Bytes of a line that are held: more than a boundary may have (RFC 2046: 70), and a header line.
const HELD: usize = 16 << 10;
/// Text between parts that hardly anybody reads: a sentence for old programs, a footer. Longer than
/// a sector it is a part by itself.
const SENTENCE: u64 = 512;
/// Multiparts in one another.
const DEEPEST: usize = 100;

/// A part that holds bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its header.
    pub header: Header,
    /// Where its bytes begin and end.
    pub range: (u64, u64),
    /// Whether it is a file in the text of the part before.
    pub is_uuencoded: bool,
    /// Whether it stands beside the parts, and has no number among them.
    pub is_beside: bool,
}

/// A part of a message, or a failure in its place.
pub type PartResult = Result<Part, Failure>;

/// A line: where it is, its beginning, and where the next one is.
struct Line {
    at: u64,
    start: Vec<u8>,
    next: u64,
    /// Bytes of its end: 0 at the end of the message, 1 or 2.
    end: u64,
}

/// The place in the message.
enum State {
    /// The header of a part, up to here; and where a line is that is not a field.
    Header(Vec<u8>, Option<u64>),
    /// The text in front of the first part of a multipart (`preamble`) or behind the last
    /// (`epilogue`), and where it begins.
    Between(&'static str, u64),
    /// The bytes of a part.
    Body(Header, u64),
}

/// A file that is encoded within a text.
struct EncodedFile {
    name: Vec<u8>,
    start: u64,
    /// Whether a line of it came.
    is_sure: bool,
}

/// Reads a message.
pub struct Parts {
    input: BufReader<Tape>,
    at: u64,
    size: u64,
    boundaries: Vec<Vec<u8>>,
    state: State,
    /// Bytes of the end of the line before.
    end: u64,
    within: Option<EncodedFile>,
    found: std::collections::VecDeque<PartResult>,
    is_ended: bool,
}

impl Parts {
    /// The parts of the message in a range of `bytes`.
    pub fn new(bytes: Arc<dyn Bytes>, range: (u64, u64)) -> Parts {
        Parts {
            input: BufReader::with_capacity(64 << 10, Tape::new(bytes, range.0, range.1)),
            at: range.0,
            size: range.1,
            boundaries: Vec::new(),
            state: State::Header(Vec::new(), None),
            end: 0,
            within: None,
            found: std::collections::VecDeque::new(),
            is_ended: false,
        }
    }

    fn line(&mut self) -> io::Result<Option<Line>> {
        let (at, mut start, mut length, mut last) = (self.at, Vec::new(), 0_u64, 0);
        loop {
            let room = self.input.fill_buf()?;
            if room.is_empty() {
                break;
            }
            let stop = room.iter().position(|byte| *byte == b'\n');
            let piece = &room[..stop.map_or(room.len(), |stop| stop + 1)];
            let take = piece.len().min(HELD.saturating_sub(start.len()));
            start.extend_from_slice(&piece[..take]);
            length += piece.len() as u64;
            let got = piece.len();
            let before = if got > 1 { piece[got - 2] } else { last };
            last = piece[got - 1];
            self.input.consume(got);
            if stop.is_some() {
                let end = if before == b'\r' { 2 } else { 1 };
                self.at = at + length;
                return Ok(Some(Line { at, start, next: self.at, end }));
            }
        }
        self.at = at + length;
        Ok((length > 0).then_some(Line { at, start, next: at + length, end: 0 }))
    }

    fn fail(&mut self, offset: u64, cause: impl Into<String>) {
        self.found.push_back(Err(Failure { offset: Some(offset), cause: cause.into(), ..Failure::default() }));
    }

    /// Which of the open multiparts a line divides, and whether it ends it.
    fn divides(&self, line: &[u8]) -> Option<(usize, bool)> {
        let rest = line.strip_prefix(b"--")?;
        self.boundaries.iter().enumerate().rev().find_map(|(at, boundary)| {
            let behind = rest.strip_prefix(&boundary[..])?.trim_ascii_end();
            match behind {
                b"" => Some((at, false)),
                b"--" => Some((at, true)),
                _ => None,
            }
        })
    }

    /// The part that is read ends there.
    fn end_part(&mut self, end: u64) {
        if let State::Header(bytes, Some(odd)) = &mut self.state {
            // No empty line came: the bytes begin with the line that is not a field.
            let (bytes, odd) = (std::mem::take(bytes), *odd);
            self.begin_body(&bytes, odd);
        }
        match std::mem::replace(&mut self.state, State::Between("epilogue", end)) {
            State::Header(bytes, _) => {
                // One that is all header has no bytes; nothing at all is not a part.
                if !bytes.is_empty() {
                    let header = header::read(&bytes);
                    self.found.push_back(Ok(Part { header, range: (end, end), is_uuencoded: false, is_beside: false }));
                }
            }
            State::Between(name, start) if end.saturating_sub(start) > SENTENCE => {
                let name = Some(format!("{name}.txt").into_bytes());
                let header = Header { kind: "text/plain".to_owned(), name, ..Header::default() };
                self.found.push_back(Ok(Part { header, range: (start, end), is_uuencoded: false, is_beside: true }));
            }
            State::Between(..) => {}
            State::Body(header, start) => {
                let range = (start, end.max(start));
                self.found.push_back(Ok(Part { header, range, is_uuencoded: false, is_beside: false }));
            }
        }
        if let Some(within) = self.within.take().filter(|within| within.is_sure) {
            self.fail(within.start, "a file that is uuencoded in a text does not end");
        }
    }

    /// The header of a part is whole: its bytes follow from `start` on.
    fn begin_body(&mut self, bytes: &[u8], start: u64) {
        let header = header::read(bytes);
        if header.kind.starts_with("multipart/") {
            match &header.boundary {
                Some(boundary) if !boundary.is_empty() && self.boundaries.len() < DEEPEST => {
                    self.boundaries.push(boundary.trim_ascii_end().to_vec());
                    self.state = State::Between("preamble", start);
                    return;
                }
                Some(boundary) if !boundary.is_empty() => {
                    self.fail(start, "more multiparts in one another than are read");
                }
                _ => self.fail(start, "a multipart without a boundary: its parts are not found"),
            }
        }
        self.state = State::Body(header, start);
    }

    fn take(&mut self, line: Line) {
        let content = line.start.trim_ascii_end();
        if let Some((depth, is_last)) = self.divides(&line.start) {
            // The end of the line before belongs to the boundary.
            let end = line.at - if matches!(self.state, State::Body(..)) { self.end.min(line.at) } else { 0 };
            self.end_part(end);
            self.boundaries.truncate(depth + usize::from(!is_last));
            self.state = if is_last { State::Between("epilogue", line.next) } else { State::Header(Vec::new(), None) };
            self.end = line.end;
            return;
        }
        match &mut self.state {
            State::Header(bytes, odd) if content.is_empty() => {
                let (bytes, odd) = (std::mem::take(bytes), odd.take());
                if let Some(odd) = odd {
                    self.fail(odd, "a line in a header that is not a field: where the part begins is not sure");
                }
                self.begin_body(&bytes, line.next);
            }
            // Bytes without a header.
            State::Header(bytes, _) if bytes.is_empty() && !header::is_field(&line.start, true) => {
                self.begin_body(b"", line.at);
                return self.take(line);
            }
            State::Header(bytes, odd) => {
                if bytes.len() + line.start.len() > header::LONGEST {
                    let bytes = std::mem::take(bytes);
                    self.fail(line.at, "a header of more than 1 MiB");
                    self.begin_body(&bytes, line.next);
                } else {
                    if odd.is_none() && !header::is_field(&line.start, false) {
                        *odd = Some(line.at);
                    }
                    bytes.extend_from_slice(&line.start);
                    if line.end == 0 {
                        bytes.push(b'\n');
                    }
                }
            }
            State::Between(..) => {}
            State::Body(header, _) => {
                let is_text = header.kind.is_empty() || header.kind == "text/plain";
                if is_text && Encoding::of(&header.encoding) == Some(Encoding::None) {
                    self.look_within(content, &line);
                }
            }
        }
        self.end = line.end;
    }

    /// Looks for files that are uuencoded in a text.
    fn look_within(&mut self, content: &[u8], line: &Line) {
        match &mut self.within {
            None => {
                let name = begins(content);
                self.within = name.map(|name| EncodedFile { name, start: line.at, is_sure: false });
            }
            Some(within) if content == b"end" && within.is_sure => {
                let header = Header { name: Some(within.name.clone()), ..Header::default() };
                let range = (within.start, line.next);
                self.within = None;
                self.found.push_back(Ok(Part { header, range, is_uuencoded: true, is_beside: false }));
            }
            Some(within) => {
                let is_line = content == b"`" || transfer::uu_line(&line.start).is_some();
                // A sentence that begins with this word.
                if !is_line && !within.is_sure {
                    self.within = None;
                } else if is_line {
                    within.is_sure = true;
                }
            }
        }
    }
}

/// `begin 644 name`.
fn begins(line: &[u8]) -> Option<Vec<u8>> {
    let rest = line.strip_prefix(b"begin ")?;
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let is_mode = (3..=4).contains(&space) && rest[..space].iter().all(|byte| (b'0'..=b'7').contains(byte));
    is_mode.then(|| rest[space + 1..].trim_ascii().to_vec()).filter(|name| !name.is_empty())
}

impl Iterator for Parts {
    type Item = PartResult;

    fn next(&mut self) -> Option<PartResult> {
        while self.found.is_empty() && !self.is_ended {
            match self.line() {
                Ok(Some(line)) => self.take(line),
                Ok(None) => {
                    self.is_ended = true;
                    let size = self.size;
                    let is_open = !self.boundaries.is_empty();
                    self.end_part(size);
                    if is_open {
                        self.fail(size, "a multipart does not end: the message is cut off, or badly made");
                    }
                }
                Err(error) => {
                    self.is_ended = true;
                    self.found.push_back(Err(pfh_bytes::field::unreadable(self.at, &error)));
                }
            }
        }
        self.found.pop_front()
    }
}
