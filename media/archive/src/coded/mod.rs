//! Files that are coded as text: uuencode in its forms, xxencode, yEnc, BinHex, base64, PEM, cards,
//! the files of shell archives, Intel HEX and S-records, archives in strings. The text around them
//! is not among the members.

mod binhex;
mod body;
mod decode;
mod file;
mod line;
mod record;
mod scan;

use super::checked::{CheckedBytes, StatedSum};
use super::limits::Limits;
use super::mail::{Decoder as Transfer, Encoding, Names};
use super::member::{failure, node};
use super::tape::Tape;
use decode::Decoder;
use file::{Code, File};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Run};
use record::Records;
use scan::Scan;
use std::io::Read;
use std::sync::Arc;

pub use body::IsArchive;
pub use scan::is_one;

/// Bytes of a text in which the first file must begin.
const ROOM: usize = 64 << 10;

/// Whether a text holds a file that does not begin among its first bytes.
pub fn is_further(start: &[u8], bytes: &dyn Bytes, is_archive: IsArchive) -> bool {
    let is_text = !start.is_empty() && !start.iter().any(|byte| matches!(byte, 0..=8 | 14..=25 | 28..=31));
    let has_mark = || {
        start.len() >= 4096
            && bytes.size() > start.len() as u64
            && pfh_bytes::field::read_some(bytes, 0, ROOM).is_ok_and(|text| scan::has_mark(&text))
    };
    is_text && (has_mark() || body::is_in(bytes, is_archive))
}

/// Whether a text begins so that an archive may be coded in it.
pub fn may_have_body(start: &[u8]) -> bool {
    body::may_begin(start) && !start.iter().any(|byte| matches!(byte, 0..=8 | 14..=25 | 28..=31))
}

/// The files in a text. One that is all base64 is named after the text.
///
/// # Errors
/// If none is found.
pub fn open(bytes: Arc<dyn Bytes>, name: &[u8], limits: &Limits, is_archive: IsArchive) -> Result<Nodes, Failure> {
    let start = pfh_bytes::field::read_some(&*bytes, 0, 4096)?;
    if record::is_one(&start) {
        return Ok(listed(Records::new(bytes.clone()), bytes, name, limits));
    }
    let mut bodies = body::files(&*bytes, is_archive);
    let mut scan = Scan::new(bytes.clone());
    let mut files = std::iter::from_fn(move || {
        let Some(found) = scan.next() else { return (!bodies.is_empty()).then(|| Ok(bodies.remove(0))) };
        // A body of a file that lines begin and end is in that.
        if let Ok(file) = &found {
            bodies.retain(|body| !(file.range.0..file.range.1).contains(&body.range.0));
        }
        Some(found)
    })
    .peekable();
    if files.peek().is_none() {
        return Err(failure(b"", "a shell archive (shar) whose files are not found: not read"));
    }
    Ok(listed(files, bytes, name, limits))
}

fn listed(
    found: impl Iterator<Item = Result<File, Failure>> + Send + 'static,
    bytes: Arc<dyn Bytes>,
    name: &[u8],
    limits: &Limits,
) -> Nodes {
    let (mut names, mut number) = (Names::default(), 0);
    let (most, own) = (limits.most(bytes.size()), stem(name));
    let files = found.flat_map(move |found| match found {
        Ok(file) if file.code == Code::BinHex => binhex::members(&bytes, file, most),
        Ok(file) => vec![Ok(member(&bytes, file, most))],
        Err(failed) => vec![Err(failed)],
    });
    Box::new(files.map(move |found| {
        found.map(|found| {
            number += 1;
            let stated = (!found.path.is_empty()).then_some(&found.path[..]);
            let path = names.give(stated.or(own.as_deref()), "file", number, "");
            Node { path, ..found }
        })
    }))
}

/// The last part of a name without the ending that a code has.
fn stem(name: &[u8]) -> Option<Vec<u8>> {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let endings: [&[u8]; 5] = [b".b64", b".base64", b".pem", b".uue", b".txt"];
    let has = |ending: &&&[u8]| last.len() > ending.len() && last.to_ascii_lowercase().ends_with(ending);
    let end = endings.iter().find(has).map_or(last.len(), |ending| last.len() - ending.len());
    (end > 0).then(|| last[..end].to_vec())
}

fn member(bytes: &Arc<dyn Bytes>, file: File, most: u64) -> Node {
    let name = file.name.clone();
    let content = CodedFile { bytes: bytes.clone(), file, most };
    Node { compressed: true, content: Some(Arc::new(content)), ..node(name, Kind::File) }
}

/// A file that is decoded as it is read.
struct CodedFile {
    bytes: Arc<dyn Bytes>,
    file: File,
    most: u64,
}

impl Content for CodedFile {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let (start, end) = self.file.range;
        let tape = Tape::new(self.bytes.clone(), start, end);
        let (path, stated) = (self.file.name.clone(), StatedSum { size: self.file.size, crc: self.file.crc });
        let decoded: Box<dyn Read + Send> = match &self.file.code {
            Code::Uuencode => Box::new(Transfer::new(tape, Encoding::Uuencode, start, &path)),
            Code::Base64 => Box::new(Transfer::new(tape, Encoding::Base64, start, &path)),
            code => Box::new(Decoder::new(tape, code.clone(), start, &path)),
        };
        Ok(Box::new(CheckedBytes::new(decoded, path.into(), stated, self.most)))
    }

    fn places(&self) -> Option<Vec<Run>> {
        let (start, end) = self.file.range;
        Some(vec![Run { file_offset: 0, medium_offset: Some(start), length: end - start }])
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        Ok(Some(Box::new(Tape::new(self.bytes.clone(), self.file.range.0, self.file.range.1))))
    }
}
