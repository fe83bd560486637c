//! A message and its parts.

use super::super::checked::{CheckedBytes, StatedSum};
use super::super::limits::Limits;
use super::super::member::{failure, node};
use super::super::tape::Tape;
use super::apple;
use super::names::Names;
use super::part::{Part, Parts};
use super::transfer::{Decoder, Encoding};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Run};
use std::io::Read;
use std::sync::Arc;

/// Fields that hardly anything but a message has.
const STRONG: [&str; 9] = [
    "received",
    "return-path",
    "message-id",
    "mime-version",
    "delivered-to",
    "x-mailer",
    "x-mozilla-status",
    "dkim-signature",
    "x-originating-ip",
];
/// Fields that every message has.
const USUAL: [&str; 7] = ["from", "to", "date", "subject", "cc", "sender", "reply-to"];

/// How many strong and usual fields the first lines have; `None` if they are not a header.
fn fields(start: &[u8]) -> Option<(usize, usize)> {
    let (mut strong, mut usual) = (0, 0);
    let whole = start.iter().rposition(|byte| *byte == b'\n')?;
    for (number, line) in start[..whole].split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() && number > 0 {
            break;
        }
        if matches!(line.first(), Some(b' ' | b'\t')) && number > 0 {
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let name = line[..colon.unwrap_or(0)].trim_ascii_end();
        if name.is_empty() || !name.iter().all(|byte| matches!(byte, 33..=126)) {
            // A header may have a line that is not a field.
            if strong + usual >= 2 {
                break;
            }
            return None;
        }
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        strong += usize::from(STRONG.iter().any(|known| is(known)));
        usual += usize::from(USUAL.iter().any(|known| is(known)));
    }
    Some((strong, usual))
}

/// Whether a file that begins so is a message.
pub fn is_message(start: &[u8]) -> bool {
    let start = apple::message(start);
    let is_letter = start.first().is_some_and(u8::is_ascii_alphabetic);
    is_letter && fields(start).is_some_and(|(strong, usual)| strong >= 1 && usual >= 1 && strong + usual >= 3)
}

/// Whether the name of a file says that it is a message, and its beginning is text.
pub fn is_message_named(start: &[u8], name: &[u8]) -> bool {
    let ends =
        |ending: &[u8]| name.len() > ending.len() && name[name.len() - ending.len()..].eq_ignore_ascii_case(ending);
    [&b".eml"[..], b".mht", b".mhtml"].into_iter().any(ends)
        && !start.is_empty()
        && !start[..start.len().min(64)].contains(&0)
}

/// The parts of a message.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    let (mut names, mut number, mut left) = (Names::default(), 0, limits.entries);
    let most = limits.most(bytes.size());
    let (range, behind) = match apple::divided(&*bytes) {
        Ok(divided) => divided,
        Err(failed) => return Box::new(std::iter::once(Err(failed))),
    };
    let parts = Parts::new(bytes.clone(), range).chain(behind);
    Box::new(parts.map_while(move |found| {
        if left == 0 {
            return None;
        }
        left -= 1;
        if left == 0 {
            return Some(Err(failure(b"", "the message has more parts than allowed")));
        }
        Some(found.map(|part| {
            number += u64::from(!part.is_beside);
            let ending = ending(&part);
            let path = names.give(part.header.name.as_deref(), "part", number, ending);
            named(path, part, &bytes, most)
        }))
    }))
}

/// The ending of a part without a name.
fn ending(part: &Part) -> &'static str {
    match part.header.kind.as_str() {
        "" | "text/plain" => ".txt",
        "text/html" => ".html",
        "text/calendar" => ".ics",
        "message/rfc822" => ".eml",
        "image/jpeg" => ".jpg",
        "image/png" => ".png",
        "image/gif" => ".gif",
        "application/pdf" => ".pdf",
        "application/pgp-signature" => ".asc",
        apple::KIND => ".plist",
        kind if kind.starts_with("text/") => ".txt",
        _ => "",
    }
}

fn named(path: Vec<u8>, part: Part, bytes: &Arc<dyn Bytes>, most: u64) -> Node {
    let encoding = if part.is_uuencoded { Some(Encoding::Uuencode) } else { Encoding::of(&part.header.encoding) };
    let (start, end) = part.range;
    let is_plain = encoding == Some(Encoding::None);
    let unknown = encoding.is_none().then_some(part.header.encoding);
    let encoding = encoding.unwrap_or(Encoding::None);
    let member =
        Member { bytes: bytes.clone(), path: path.clone().into(), range: (start, end), encoding, unknown, most };
    Node {
        size: is_plain.then_some(end - start),
        compressed: !is_plain,
        content: Some(Arc::new(member)),
        ..node(path, Kind::File)
    }
}

/// The bytes of a part.
struct Member {
    bytes: Arc<dyn Bytes>,
    path: Arc<[u8]>,
    range: (u64, u64),
    encoding: Encoding,
    /// The name of an encoding that is not known.
    unknown: Option<String>,
    most: u64,
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        if let Some(unknown) = &self.unknown {
            let cause = format!("the transfer encoding {unknown:?} is not read");
            return Err(Failure { offset: Some(self.range.0), ..failure(&self.path, cause) });
        }
        let (start, end) = self.range;
        let tape = Tape::new(self.bytes.clone(), start, end);
        let (stated, path) = (StatedSum { size: None, crc: None }, self.path.clone());
        Ok(match self.encoding {
            Encoding::None => {
                let stated = StatedSum { size: Some(end - start), crc: None };
                Box::new(CheckedBytes::new(tape, path, stated, self.most))
            }
            encoding => {
                let decoder = Decoder::new(tape, encoding, start, &self.path);
                Box::new(CheckedBytes::new(decoder, path, stated, self.most))
            }
        })
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let is_plain = self.encoding == Encoding::None && self.unknown.is_none();
        let (start, end) = self.range;
        is_plain.then(|| vec![Run { file_offset: 0, medium_offset: Some(start), length: end - start }])
    }

    fn places(&self) -> Option<Vec<Run>> {
        let (start, end) = self.range;
        Some(vec![Run { file_offset: 0, medium_offset: Some(start), length: end - start }])
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        Ok(Some(Box::new(Tape::new(self.bytes.clone(), self.range.0, self.range.1))))
    }
}
