//! compress (`.Z`): LZW with codes of 9 to 16 bits, the low bit first.

use super::ready::{self, ReadyBytes, Steps};
use std::io::{self, BufRead, Read};

const CLEAR: usize = 256;

/// The bytes behind the codes.
pub struct Compress<R> {
    input: R,
    /// The most bits of a code; 0 until the header was read.
    most: u32,
    /// Whether the code 256 begins again.
    is_block: bool,
    width: u32,
    bits: u32,
    held: u32,
    /// Codes of this width since it began: the program writes them in groups of eight.
    group: u32,
    prefixes: Vec<u16>,
    bytes: Vec<u8>,
    next: usize,
    last: Option<(usize, u8)>,
    out: ReadyBytes,
    is_ended: bool,
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl<R: BufRead> Compress<R> {
    /// The bytes of a stream with its header.
    pub fn new(input: R) -> Self {
        let (prefixes, bytes, out) = (Vec::new(), Vec::new(), ReadyBytes::default());
        let (most, is_block, width, bits, held, group, next, last) = (0, false, 9, 0, 0, 0, 0, None);
        let is_ended = false;
        Compress { input, most, is_block, width, bits, held, group, prefixes, bytes, next, last, out, is_ended }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.input.fill_buf()?.first().copied();
        self.input.consume(usize::from(byte.is_some()));
        Ok(byte)
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut header = [0; 3];
        self.input.read_exact(&mut header)?;
        self.most = u32::from(header[2] & 0x1f);
        if header[..2] != [0x1f, 0x9d] || header[2] & 0x60 != 0 || !(9..=16).contains(&self.most) {
            return Err(wrong("a header that is not compress's"));
        }
        if self.most == 9 {
            // compress itself and 7-Zip read such codes differently.
            return Err(wrong("codes of at most 9 bits, which programs read differently"));
        }
        self.is_block = header[2] & 0x80 != 0;
        self.prefixes = vec![0; 1 << self.most];
        self.bytes = vec![0; 1 << self.most];
        (0..=255).for_each(|byte| self.bytes[usize::from(byte)] = byte);
        self.next = if self.is_block { CLEAR + 1 } else { CLEAR };
        Ok(())
    }

    /// Goes on with codes of another width: the rest of a group of eight is filled up.
    fn change(&mut self, width: u32) -> io::Result<()> {
        let left = (8 - self.group % 8) % 8 * self.width;
        let mut left = left.saturating_sub(self.held) / 8;
        while left > 0 && self.byte()?.is_some() {
            left -= 1;
        }
        (self.bits, self.held, self.group, self.width) = (0, 0, 0, width);
        Ok(())
    }

    /// The next code; `None` at the end.
    fn code(&mut self) -> io::Result<Option<usize>> {
        while self.held < self.width {
            let Some(byte) = self.byte()? else {
                // The bits that fill up the last byte are zero.
                let is_rest = self.held < 8 && self.bits == 0;
                return if is_rest { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            };
            self.bits |= u32::from(byte) << self.held;
            self.held += 8;
        }
        let code = self.bits & ((1 << self.width) - 1);
        self.bits >>= self.width;
        self.held -= self.width;
        self.group += 1;
        Ok(Some(code as usize))
    }

    fn next_code(&mut self) -> io::Result<()> {
        if self.most == 0 {
            self.begin()?;
        }
        // The table's next entry no longer fits into this width.
        if self.width < self.most && self.next > (1 << self.width) - 1 {
            self.change(self.width + 1)?;
        }
        let Some(code) = self.code()? else {
            self.is_ended = true;
            return Ok(());
        };
        if code == CLEAR && self.is_block {
            self.change(9)?;
            (self.next, self.last) = (CLEAR + 1, None);
            return Ok(());
        }
        let Some((last, last_first)) = self.last else {
            if code > 255 {
                return Err(wrong("a first code that stands for no byte"));
            }
            self.out.bytes.push(code as u8);
            self.last = Some((code, code as u8));
            return Ok(());
        };
        if code > self.next || code == self.next && self.next == 1 << self.most {
            return Err(wrong("a code that is not in the table"));
        }
        // From the last byte to the first, and then turned round.
        let from = self.out.bytes.len();
        let mut at = code;
        if code == self.next {
            self.out.bytes.push(last_first);
            at = last;
        }
        while at > 255 {
            self.out.bytes.push(self.bytes[at]);
            at = usize::from(self.prefixes[at]);
        }
        self.out.bytes.push(at as u8);
        self.out.bytes[from..].reverse();
        if self.next < 1 << self.most {
            self.prefixes[self.next] = last as u16;
            self.bytes[self.next] = at as u8;
            self.next += 1;
        }
        self.last = Some((code, at as u8));
        Ok(())
    }
}

impl<R: BufRead> Steps for Compress<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        if !self.is_ended {
            self.next_code()?;
        }
        Ok(!self.is_ended)
    }
}

impl<R: BufRead> Read for Compress<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}
