//! BinHex 4.0 (RFC 1741): runs in letters of six bits, a header, and two forks with checksums.

use super::super::member::{failure, node, wrong};
use super::super::ready::{self, ReadyBytes, Steps};
use super::super::tape::Tape;
use super::file::File;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::crc16::crc16;
use pfh_bytes::field::be32;
use pfh_bytes::node::{Content, Failure, Kind, Node, Run};
use std::io::{self, BufReader, Read};
use std::sync::Arc;

const LETTERS: &[u8; 64] = b"!\"#$%&'()*+,-012345689@ABCDEFGHIJKLMNPQRSTUVXYZ[`abcdefhijklmpqr";
/// The sign of a run.
const RUN: u8 = 0x90;

/// Decodes letters and runs, from the first colon to the next one.
struct Letters {
    input: BufReader<Tape>,
    ready: ReadyBytes,
    bits: (u32, u32),
    has_begun: bool,
    is_ended: bool,
    /// The byte before, and whether the sign of a run came.
    last: u8,
    is_run: bool,
}

impl Letters {
    fn new(bytes: &Arc<dyn Bytes>, file: &File) -> Letters {
        let tape = Tape::new(bytes.clone(), file.range.0, file.range.1);
        let (input, ready) = (BufReader::new(tape), ReadyBytes::default());
        Letters { input, ready, bits: (0, 0), has_begun: false, is_ended: false, last: 0, is_run: false }
    }

    fn put(&mut self, byte: u8) {
        if std::mem::take(&mut self.is_run) {
            match byte {
                0 => {
                    self.last = RUN;
                    self.ready.bytes.push(RUN);
                }
                count => {
                    let more = self.ready.bytes.len() + usize::from(count) - 1;
                    self.ready.bytes.resize(more, self.last);
                }
            }
        } else if byte == RUN {
            self.is_run = true;
        } else {
            self.last = byte;
            self.ready.bytes.push(byte);
        }
    }
}

impl Steps for Letters {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.ready
    }

    fn step(&mut self) -> io::Result<bool> {
        let mut text = [0; 64];
        let got = if self.is_ended { 0 } else { self.input.read(&mut text)? };
        for &byte in &text[..got] {
            match byte {
                b':' if self.has_begun => self.is_ended = true,
                b':' => self.has_begun = true,
                _ if !self.has_begun || self.is_ended || byte.is_ascii_whitespace() => {}
                _ => {
                    let Some(value) = LETTERS.iter().position(|letter| *letter == byte) else {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, "a letter that BinHex does not have"));
                    };
                    let (bits, count) = (self.bits.0 << 6 | value as u32, self.bits.1 + 6);
                    self.bits = (bits, count);
                    if count >= 8 {
                        self.bits.1 -= 8;
                        self.put((bits >> (count - 8)) as u8);
                        self.bits.0 &= (1 << self.bits.1) - 1;
                    }
                }
            }
        }
        Ok(got > 0)
    }
}

impl Read for Letters {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

/// The two forks of a file in BinHex.
pub fn members(bytes: &Arc<dyn Bytes>, file: File, most: u64) -> Vec<Result<Node, Failure>> {
    let wrong = |cause: String| vec![Err(Failure { offset: Some(file.range.0), ..failure(b"", cause) })];
    let mut letters = Letters::new(bytes, &file);
    let mut length = [0];
    if let Err(error) = letters.read_exact(&mut length) {
        return wrong(format!("the header of a BinHex file: {error}"));
    }
    let mut header = vec![0; usize::from(length[0]) + 21];
    if let Err(error) = letters.read_exact(&mut header) {
        return wrong(format!("the header of a BinHex file: {error}"));
    }
    let (covered, sum) = header.split_at(header.len() - 2);
    if crc16(0, &[&length[..], covered].concat()) != u16::from_be_bytes([sum[0], sum[1]]) {
        return wrong("the header of a BinHex file has another checksum than it states".to_owned());
    }
    let name = header[..usize::from(length[0])].to_vec();
    let sizes = [11, 15].map(|at| u64::from(be32(&header, usize::from(length[0]) + at)));
    let first = 22 + u64::from(length[0]);
    let forks = [(first, sizes[0], &b""[..]), (first + sizes[0] + 2, sizes[1], b":resource")];
    let filled = forks.into_iter().enumerate().filter(|(index, (_, size, _))| *index == 0 || *size > 0);
    filled
        .map(|(_, (start, size, ending))| {
            let path = [&name[..], ending].concat();
            let content = Fork { bytes: bytes.clone(), file: file.clone(), path: path.clone(), start, size, most };
            Ok(Node { size: Some(size), compressed: true, content: Some(Arc::new(content)), ..node(path, Kind::File) })
        })
        .collect()
}

struct Fork {
    bytes: Arc<dyn Bytes>,
    file: File,
    path: Vec<u8>,
    start: u64,
    size: u64,
    most: u64,
}

impl Content for Fork {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        if self.size > self.most {
            return Err(failure(&self.path, super::super::checked::bomb(self.most)));
        }
        let mut letters = Letters::new(&self.bytes, &self.file);
        let skipped = io::copy(&mut (&mut letters).take(self.start), &mut io::sink());
        match skipped {
            Ok(skipped) if skipped == self.start => {}
            Ok(_) => return Err(failure(&self.path, "the BinHex file ends before the fork")),
            Err(error) => return Err(failure(&self.path, error.to_string())),
        }
        Ok(Box::new(Reader { letters, path: self.path.clone(), left: self.size, sum: 0, is_checked: false }))
    }

    fn places(&self) -> Option<Vec<Run>> {
        let (start, end) = self.file.range;
        Some(vec![Run { file_offset: 0, medium_offset: Some(start), length: end - start }])
    }
}

/// Reads a fork, and its checksum behind it.
struct Reader {
    letters: Letters,
    path: Vec<u8>,
    left: u64,
    sum: u16,
    is_checked: bool,
}

impl Read for Reader {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let named = |cause: String| wrong(failure(&self.path, cause));
        if buffer.is_empty() || self.is_checked {
            return Ok(0);
        }
        if self.left == 0 {
            let mut stated = [0; 2];
            self.letters.read_exact(&mut stated).map_err(|error| named(format!("its checksum: {error}")))?;
            if u16::from_be_bytes(stated) != self.sum {
                return Err(named("its bytes have another checksum than the BinHex file states".to_owned()));
            }
            self.is_checked = true;
            return Ok(0);
        }
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let got = self.letters.read(&mut buffer[..room]).map_err(|error| named(error.to_string()))?;
        if got == 0 {
            return Err(named(format!("ends {} bytes before the size that it states", self.left)));
        }
        self.left -= got as u64;
        self.sum = crc16(self.sum, &buffer[..got]);
        Ok(got)
    }
}
