//! LZW as TIFF and PDF have it: codes of 9 to 12 bits, the high bit first (ISO 32000-1, 7.4.4).

use super::super::ready::{self, ReadyBytes, Steps};
use std::io::{self, BufRead, Read};

const CLEAR: usize = 256;
const END: usize = 257;
const CODES: usize = 4096;

/// The bytes behind the codes.
pub struct Lzw<R> {
    input: R,
    /// Whether codes grow one code early.
    is_early: bool,
    bits: u32,
    held: u32,
    /// For each code the code in front of its last byte, the last byte, and how many bytes it is.
    table: Vec<(u16, u8, u16)>,
    next: usize,
    last: Option<usize>,
    out: ReadyBytes,
    is_ended: bool,
}

impl<R: BufRead> Lzw<R> {
    /// The bytes that `input` stands for.
    pub fn new(input: R, is_early: bool) -> Self {
        let mut table = vec![(0, 0, 0); CODES];
        for (byte, entry) in table.iter_mut().take(CLEAR).enumerate() {
            *entry = (0, byte as u8, 1);
        }
        let (out, last, is_ended) = (ReadyBytes::default(), None, false);
        Lzw { input, is_early, bits: 0, held: 0, table, next: END + 1, last, out, is_ended }
    }

    /// The next code; `None` at the end of the input.
    fn code(&mut self) -> io::Result<Option<usize>> {
        let width = match self.next + usize::from(self.is_early) {
            0..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
        while self.held < width {
            let Some(byte) = self.input.fill_buf()?.first().copied() else { return Ok(None) };
            self.input.consume(1);
            self.bits = self.bits << 8 | u32::from(byte);
            self.held += 8;
        }
        self.held -= width;
        Ok(Some((self.bits >> self.held) as usize & ((1 << width) - 1)))
    }

    fn wrong<T>() -> io::Result<T> {
        Err(io::Error::new(io::ErrorKind::InvalidData, "a code that is not in the table"))
    }

    /// Puts out the bytes of the next code.
    fn next_code(&mut self) -> io::Result<()> {
        let code = match self.code()? {
            // Writers leave out the end.
            None | Some(END) => {
                self.is_ended = true;
                return Ok(());
            }
            Some(CLEAR) => {
                (self.next, self.last) = (END + 1, None);
                return Ok(());
            }
            Some(code) => code,
        };
        let Some(last) = self.last else {
            if code > 255 {
                return Self::wrong();
            }
            self.out.bytes.push(code as u8);
            self.last = Some(code);
            return Ok(());
        };
        let start = self.out.bytes.len();
        let is_known = code < self.next;
        if !is_known && (code != self.next || self.next == CODES) {
            return Self::wrong();
        }
        self.put(if is_known { code } else { last });
        let first = self.out.bytes[start];
        if !is_known {
            self.out.bytes.push(first);
        }
        if self.next < CODES {
            self.table[self.next] = (last as u16, first, self.table[last].2 + 1);
            self.next += 1;
        }
        self.last = Some(code);
        Ok(())
    }

    /// The bytes of a code, from the last to the first.
    fn put(&mut self, code: usize) {
        let start = self.out.bytes.len();
        let length = usize::from(self.table[code].2);
        self.out.bytes.resize(start + length, 0);
        let mut code = code;
        for slot in self.out.bytes[start..].iter_mut().rev() {
            *slot = self.table[code].1;
            code = usize::from(self.table[code].0);
        }
    }
}

impl<R: BufRead> Steps for Lzw<R> {
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

impl<R: BufRead> Read for Lzw<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        Lzw::new(bytes, true).read_to_end(&mut all).map(|_| all).map_err(|error| error.to_string())
    }

    #[test]
    fn the_example_of_the_standard() {
        // 7.4.4.2: 45 45 45 45 45 65 45 45 45 66.
        let packed = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        assert_eq!(read(&packed).unwrap(), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
        assert!(read(&[0x80, 0x0B, 0x7F, 0xFF]).is_err());
        assert_eq!(read(&[]).unwrap(), b"");
    }
}
