//! Objects in RTF: the digits behind `\objdata`, as OLE 1.0 stores them ([MS-OLEDS] 2.2).

use super::super::mail::Names;
use super::super::member::{node, wrong as reported};
use super::super::ready::{self, ReadyBytes, Steps};
use super::super::tape::Tape;
use super::native::package;
use super::wrong;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le32, read_some};
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes};
use std::io::{self, BufReader, Read};
use std::sync::Arc;

const MARK: &[u8] = b"\\objdata";
const WINDOW: usize = 1 << 20;
/// Bytes of an object in which its header must end.
const HEADER: u64 = 8192;

/// Whether a document begins so, and has an object.
pub fn is_one(start: &[u8], bytes: &dyn Bytes) -> bool {
    start.starts_with(b"{\\rt") && next(bytes, 0).ok().flatten().is_some()
}

/// Where the digits of the next object begin.
fn next(bytes: &dyn Bytes, mut at: u64) -> Result<Option<u64>, Failure> {
    loop {
        let window = read_some(bytes, at, WINDOW)?;
        if let Some(place) = memchr::memmem::find(&window, MARK) {
            return Ok(Some(at + (place + MARK.len()) as u64));
        }
        if window.len() < WINDOW {
            return Ok(None);
        }
        at += (window.len() - MARK.len()) as u64;
    }
}

/// The files in the objects.
pub fn open(bytes: Arc<dyn Bytes>) -> Nodes {
    let (mut at, mut number, mut names, mut is_ended) = (0, 0, Names::default(), false);
    Box::new(std::iter::from_fn(move || {
        if is_ended {
            return None;
        }
        let start = match next(&*bytes, at) {
            Ok(start) => start?,
            Err(failed) => {
                is_ended = true;
                return Some(Err(failed));
            }
        };
        (at, number) = (start, number + 1);
        Some(object(&bytes, start, number, &mut names))
    }))
}

/// The object whose digits begin there.
fn object(bytes: &Arc<dyn Bytes>, at: u64, number: u64, names: &mut Names) -> Result<Node, Failure> {
    let mut start = Vec::new();
    let failed = |cause: &str| {
        let path = format!("object {number}").into_bytes();
        Failure { path, ..wrong(at, cause) }
    };
    let read = Digits::new(bytes, at).take(HEADER).read_to_end(&mut start);
    read.map_err(|error| failed(&error.to_string()))?;
    // A version, 2 for an embedded object, and three texts with their lengths.
    let mut place = 8;
    for _ in 0..3 {
        place += 4 + le32(&start, place) as usize;
        if place + 4 > start.len() {
            return Err(failed("an object whose header is not one of OLE: not read"));
        }
    }
    if le32(&start, 4) != 2 {
        return Err(failed("an object that is not embedded: not read"));
    }
    let (held, size) = (place as u64 + 4, u64::from(le32(&start, place)));
    let packed = package(&start[place + 4..]);
    let (name, from, size) = match packed {
        Some(packed) => (Some(packed.name), held + packed.start, packed.length),
        None => (None, held, size),
    };
    let path = names.give(name.as_deref(), "object", number, "");
    let content = Object { bytes: bytes.clone(), path: path.clone(), at, from, size };
    Ok(Node { size: Some(size), compressed: true, content: Some(Arc::new(content)), ..node(path, Kind::File) })
}

struct Object {
    bytes: Arc<dyn Bytes>,
    path: Vec<u8>,
    at: u64,
    from: u64,
    size: u64,
}

impl Content for Object {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let failed = |cause: String| Failure { path: self.path.clone(), ..wrong(self.at, &cause) };
        let mut digits = Digits::new(&self.bytes, self.at);
        let skipped = io::copy(&mut (&mut digits).take(self.from), &mut io::sink());
        skipped.map_err(|error| failed(error.to_string()))?;
        Ok(Box::new(Exact {
            digits,
            left: self.size,
            failed: failed("the object ends before its file does".to_owned()),
        }))
    }
}

/// As many bytes as are stated, or a failure.
struct Exact {
    digits: Digits,
    left: u64,
    failed: Failure,
}

impl Read for Exact {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let got = self.digits.read(&mut buffer[..room])?;
        if got == 0 && room > 0 {
            return Err(reported(self.failed.clone()));
        }
        self.left -= got as u64;
        Ok(got)
    }
}

/// Decodes digits up to the end of their group; words of RTF among them are passed over.
struct Digits {
    input: BufReader<Tape>,
    ready: ReadyBytes,
    half: Option<u8>,
    depth: u32,
    /// Whether a word or a sign is being passed over.
    is_word: bool,
    is_ended: bool,
}

impl Digits {
    fn new(bytes: &Arc<dyn Bytes>, at: u64) -> Digits {
        let input = BufReader::new(Tape::new(bytes.clone(), at, bytes.size()));
        Digits { input, ready: ReadyBytes::default(), half: None, depth: 0, is_word: false, is_ended: false }
    }

    fn digit(&mut self, byte: u8) {
        match byte {
            b'\\' => self.is_word = true,
            b'{' => self.depth += 1,
            b'}' if self.depth == 0 => self.is_ended = true,
            b'}' => self.depth -= 1,
            b if self.is_word && (b.is_ascii_alphanumeric() || matches!(b, b'*' | b'-' | b'\'')) => {}
            _ if self.is_word => self.is_word = false,
            _ => {
                // Groups within hold other things.
                let Some(digit) = char::from(byte).to_digit(16).filter(|_| self.depth == 0) else { return };
                match self.half.take() {
                    Some(high) => self.ready.bytes.push(high << 4 | digit as u8),
                    None => self.half = Some(digit as u8),
                }
            }
        }
    }
}

impl Steps for Digits {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.ready
    }

    fn step(&mut self) -> io::Result<bool> {
        let mut text = [0; 4096];
        let got = if self.is_ended { 0 } else { self.input.read(&mut text)? };
        for &byte in &text[..got] {
            if !self.is_ended {
                self.digit(byte);
            }
        }
        Ok(got > 0)
    }
}

impl Read for Digits {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}
