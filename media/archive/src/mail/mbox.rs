//! mbox: messages one behind the other, each after a line that begins with `From ` (RFC 4155, and
//! the older forms). A message is a member as it is stored: a `>From ` in it stays so.

use super::super::limits::Limits;
use super::super::member::{failure, node};
use super::super::tape::Tape;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::unreadable;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Run};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// The first line of each patch of git, which is not a mail store.
const GIT: &[u8] = b"Mon Sep 17 00:00:00 2001";
/// Days as the line in front of a message has them.
const DAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
/// The longest line that may begin a message.
const LINE: usize = 1024;

/// Whether a line is the one in front of a message: who, and when.
fn divides(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    let clock = rest.windows(5).any(|at| at[2] == b':' && [0, 1, 3, 4].iter().all(|place| at[*place].is_ascii_digit()));
    let year = rest.windows(4).any(|at| at.iter().all(u8::is_ascii_digit) && matches!(at[0], b'1' | b'2'));
    clock && year && !rest.windows(GIT.len()).any(|at| at == GIT)
}

/// Whether a file that begins so is an mbox.
pub fn is_mbox(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n');
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let colon = second.iter().position(|byte| *byte == b':');
    let is_field = |colon: usize| colon > 0 && second[..colon].iter().all(|byte| matches!(byte, 33..=126));
    let is_day = |day: &&[u8]| first.windows(5).any(|at| at[0] == b' ' && at[4] == b' ' && &at[1..4] == *day);
    // A message need not have a header.
    let is_blank = second.trim_ascii().is_empty() && DAYS.iter().any(is_day);
    divides(first) && (second.starts_with(b">From ") || colon.is_some_and(is_field) || is_blank)
}

/// The messages.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    let size = bytes.size();
    let input = BufReader::with_capacity(64 << 10, Tape::new(bytes.clone(), 0, size));
    let entries = limits.entries;
    Box::new(Messages { bytes, input, at: 0, start: None, number: 0, blank: (true, 0), entries, is_ended: false })
}

struct Messages {
    bytes: Arc<dyn Bytes>,
    input: BufReader<Tape>,
    at: u64,
    /// Where the message that is read begins.
    start: Option<u64>,
    number: u64,
    /// Whether the line before is empty, and how many bytes it has.
    blank: (bool, u64),
    entries: u64,
    is_ended: bool,
}

impl Messages {
    /// The beginning of the next line, and its length; `None` at the end.
    fn line(&mut self) -> io::Result<Option<(Vec<u8>, u64)>> {
        let (mut start, mut length) = (Vec::new(), 0);
        loop {
            let room = self.input.fill_buf()?;
            if room.is_empty() {
                return Ok((length > 0).then_some((start, length)));
            }
            let stop = room.iter().position(|byte| *byte == b'\n');
            let piece = &room[..stop.map_or(room.len(), |stop| stop + 1)];
            start.extend_from_slice(&piece[..piece.len().min(LINE - start.len().min(LINE))]);
            let got = piece.len();
            length += got as u64;
            self.input.consume(got);
            if stop.is_some() {
                return Ok(Some((start, length)));
            }
        }
    }

    /// The message that ends there.
    fn message(&mut self, end: u64) -> Option<Node> {
        let start = self.start.take()?;
        self.number += 1;
        let path = format!("message {}.eml", self.number).into_bytes();
        let range = (start, end.max(start));
        let content = Arc::new(Message { bytes: self.bytes.clone(), range });
        Some(Node { size: Some(range.1 - range.0), content: Some(content), ..node(path, Kind::File) })
    }
}

impl Iterator for Messages {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_ended {
            let (line, length) = match self.line() {
                Ok(Some(found)) => found,
                Ok(None) => {
                    self.is_ended = true;
                    let end = self.at;
                    return self.message(end).map(Ok);
                }
                Err(error) => {
                    self.is_ended = true;
                    return Some(Err(unreadable(self.at, &error)));
                }
            };
            let at = self.at;
            self.at += length;
            let (is_blank, blank) = self.blank;
            self.blank = (line == b"\n" || line == b"\r\n", length);
            if is_blank && divides(&line) {
                // The empty line in front belongs to the store.
                let found = self.message(at - blank.min(at));
                self.start = Some(self.at);
                let Some(node) = found else { continue };
                let Some(left) = self.entries.checked_sub(1) else {
                    self.is_ended = true;
                    return Some(Err(failure(b"", "the mbox has more messages than allowed")));
                };
                self.entries = left;
                return Some(Ok(node));
            }
        }
        None
    }
}

/// A message as it is stored.
struct Message {
    bytes: Arc<dyn Bytes>,
    range: (u64, u64),
}

impl Content for Message {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Ok(Box::new(Tape::new(self.bytes.clone(), self.range.0, self.range.1)))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let (start, end) = self.range;
        Some(vec![Run { file_offset: 0, medium_offset: Some(start), length: end - start }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_front_of_messages() {
        assert!(is_mbox(b"From a@b Thu Nov 26 20:00:00 2026\nReturn-Path: <a@b>\n"));
        assert!(is_mbox(b"From - Thu Nov 26 20:00:00 2026\r\nX-Mozilla-Status: 0001\r\n"));
        assert!(!is_mbox(b"From here on it is 20:00 of 2026.\nThe rest: \n"));
        assert!(!is_mbox(b"From 8a3f Mon Sep 17 00:00:00 2001\nFrom: x\n"));
        assert!(!is_mbox(b"From a@b\n\n") && is_mbox(b"From a@b Thu Nov 26 20:00:00 2026\n\n"));
    }
}
