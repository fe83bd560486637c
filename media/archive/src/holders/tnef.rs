//! winmail.dat ([MS-OXTNEF]): attachments and bodies that Outlook sends in a form of its own.

use super::super::mail::Names;
use super::{ranged, wrong};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le16, le32, read, read_some};
use pfh_bytes::node::{Failure, Node, Nodes};
use std::ops::Range;
use std::sync::Arc;

/// The first bytes.
pub const MAGIC: &[u8] = b"\x78\x9f\x3e\x22";
/// Attributes by their numbers, without the type of their content.
const TITLE: u32 = 0x8010;
const BODY: u32 = 0x800c;
const DATA: u32 = 0x800f;
const BEGINS: u32 = 0x9002;
const PROPERTIES: u32 = 0x9003;
const OF_ATTACHMENT: u32 = 0x9005;
/// Bytes that are summed up at once.
const PIECE: u64 = 64 << 10;

/// An attachment that is being read.
#[derive(Default)]
struct Attachment {
    title: Option<Vec<u8>>,
    data: Option<Range<u64>>,
    begun: bool,
}

/// The attachments and bodies.
///
/// # Errors
/// If there are none before the first fault.
pub fn open(bytes: Arc<dyn Bytes>, most: u64) -> Result<Nodes, Failure> {
    let mut found = TnefParts { bytes, names: Names::default(), number: 0, nodes: Vec::new() };
    if let Err(failed) = found.attributes(most) {
        if found.nodes.is_empty() {
            return Err(failed);
        }
        found.nodes.push(Err(failed));
    }
    Ok(Box::new(found.nodes.into_iter()))
}

struct TnefParts {
    bytes: Arc<dyn Bytes>,
    names: Names,
    number: u64,
    nodes: Vec<Result<Node, Failure>>,
}

impl TnefParts {
    fn attributes(&mut self, most: u64) -> Result<(), Failure> {
        let (mut at, size) = (6, self.bytes.size());
        let mut current = Attachment::default();
        while at < size {
            if self.nodes.len() as u64 >= most {
                return Err(wrong(at, "winmail.dat has more files than allowed: what follows is not read"));
            }
            let head = read_some(&*self.bytes, at, 9)?;
            if head.len() < 9 || !matches!(head[0], 1 | 2) {
                // Some writers fill up the end.
                let rest = read_some(&*self.bytes, at, 64)?;
                if rest.iter().all(|byte| *byte == 0) {
                    break;
                }
                self.finish(&mut current);
                return Err(wrong(at, "winmail.dat (TNEF): an attribute that is none: what follows is not read"));
            }
            let (kind, length) = (le32(&head, 1) & 0xffff, u64::from(le32(&head, 5)));
            let range = at + 9..at + 9 + length;
            if range.end + 2 > size {
                self.finish(&mut current);
                return Err(wrong(at, "winmail.dat ends within an attribute: it is cut off"));
            }
            if self.sum(&range)? != le16(&read(&*self.bytes, range.end, 2)?, 0) {
                let cause = format!("winmail.dat: attribute {kind:#06x} has another checksum than it states");
                self.nodes.push(Err(wrong(at, &cause)));
            }
            match kind {
                BEGINS => {
                    self.finish(&mut current);
                    current.begun = true;
                }
                TITLE => current.title = Some(self.text(&range)?),
                DATA => current.data = Some(range.clone()),
                BODY if length > 1 => self.give(Some(b"body.txt".to_vec()), "body", &range),
                PROPERTIES => self.properties(&range, None)?,
                OF_ATTACHMENT => self.properties(&range, Some(&mut current))?,
                _ => {}
            }
            at = range.end + 2;
        }
        self.finish(&mut current);
        Ok(())
    }

    /// The sum of the bytes of an attribute, which stands behind it.
    fn sum(&self, range: &Range<u64>) -> Result<u16, Failure> {
        let (mut at, mut sum) = (range.start, 0_u16);
        while at < range.end {
            let piece = read(&*self.bytes, at, (range.end - at).min(PIECE) as usize)?;
            at += piece.len() as u64;
            sum = piece.iter().fold(sum, |sum, byte| sum.wrapping_add(u16::from(*byte)));
        }
        Ok(sum)
    }

    /// The name up to its zero.
    fn text(&self, range: &Range<u64>) -> Result<Vec<u8>, Failure> {
        let mut text = read(&*self.bytes, range.start, (range.end - range.start).min(1024) as usize)?;
        text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
        Ok(text)
    }

    fn give(&mut self, name: Option<Vec<u8>>, kind: &str, range: &Range<u64>) {
        self.number += 1;
        let path = self.names.give(name.as_deref(), kind, self.number, "");
        self.nodes.push(ranged(&self.bytes, path, std::slice::from_ref(range)));
    }

    /// The attachment at hand is whole.
    fn finish(&mut self, current: &mut Attachment) {
        let Attachment { title, data, begun } = std::mem::take(current);
        match data {
            Some(range) => self.give(title, "attachment", &range),
            None if begun => {
                let path = title.unwrap_or_else(|| b"attachment".to_vec());
                self.nodes.push(Err(Failure { path, ..wrong(0, "an attachment without content in winmail.dat") }));
            }
            None => {}
        }
    }

    /// Properties of MAPI: names and contents of an attachment, or bodies of the message.
    fn properties(&mut self, range: &Range<u64>, mut of: Option<&mut Attachment>) -> Result<(), Failure> {
        let number = |at: u64| -> Result<u32, Failure> { Ok(le32(&read(&*self.bytes, at, 4)?, 0)) };
        let count = number(range.start)?;
        let mut at = range.start + 4;
        let mut bodies = Vec::new();
        for _ in 0..count {
            if at + 8 > range.end {
                return Err(wrong(at, "winmail.dat: properties beyond their attribute"));
            }
            let tag = number(at)?;
            let (kind, id) = (tag & 0xffff, tag >> 16);
            at += 4;
            if id >= 0x8000 {
                // A name: a GUID, and a number or a text.
                let is_text = number(at + 16)? != 0;
                let length = number(at + 20)?;
                at += 24 + if is_text { u64::from(length).next_multiple_of(4) } else { 0 };
            }
            let is_many = kind & 0x1000 != 0;
            let width = match kind & 0xfff {
                2 | 3 | 4 | 10 | 11 => Some(4),
                5 | 6 | 7 | 0x14 | 0x40 => Some(8),
                0x48 => Some(16),
                0xd | 0x1e | 0x1f | 0x102 => None,
                _ => return Err(wrong(at, "winmail.dat: a property of a type that is not one")),
            };
            if let Some(width) = width {
                let values = if is_many { u64::from(number(at)?) } else { 1 };
                at += if is_many { 4 } else { 0 } + values * width;
                continue;
            }
            let values = number(at)?;
            at += 4;
            for _ in 0..values {
                let length = u64::from(number(at)?);
                let value = at + 4..at + 4 + length;
                if value.end > range.end {
                    return Err(wrong(at, "winmail.dat: a property beyond its attribute"));
                }
                at = value.start + length.next_multiple_of(4);
                match (&mut of, id, kind) {
                    (Some(current), 0x3707 | 0x3704, 0x1e | 0x1f) if id == 0x3707 || current.title.is_none() => {
                        let raw = read(&*self.bytes, value.start, length.min(2048) as usize)?;
                        let units = || raw.chunks_exact(2).map(|unit| le16(unit, 0)).collect::<Vec<u16>>();
                        let mut name = if kind == 0x1f { pfh_bytes::text::utf16(&units()) } else { raw };
                        name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
                        current.title = Some(name);
                    }
                    (Some(current), 0x3701, 0x102) => current.data = Some(value),
                    // Behind the identifier of its interface.
                    (Some(current), 0x3701, 0xd) if length > 16 => current.data = Some(value.start + 16..value.end),
                    (None, 0x1000, _) => bodies.push(("body.txt", value)),
                    (None, 0x1013, _) => bodies.push(("body.html", value)),
                    (None, 0x1009, _) => bodies.push(("body.rtf.lzfu", value)),
                    _ => {}
                }
            }
        }
        for (name, range) in bodies {
            self.give(Some(name.as_bytes().to_vec()), "body", &range);
        }
        Ok(())
    }
}
