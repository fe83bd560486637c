//! The filters whose codes are bytes: ASCIIHexDecode, ASCII85Decode and RunLengthDecode (ISO
//! 32000-1, 7.4.2, 7.4.3 and 7.4.5).

use super::super::ready::{self, ReadyBytes, Steps};
use super::object::is_space;
use std::io::{self, BufRead, Read};

/// How bytes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Two digits each.
    Hex,
    /// Five letters for four.
    Base85,
    /// Runs and copies.
    Runs,
}

/// The bytes behind a code.
pub struct AsciiDecoder<R> {
    code: Code,
    input: R,
    /// Decoded bytes that were not taken yet.
    out: ReadyBytes,
    is_ended: bool,
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl<R: BufRead> AsciiDecoder<R> {
    /// The bytes that `input` stands for.
    pub fn new(code: Code, input: R) -> Self {
        AsciiDecoder { code, input, out: ReadyBytes::default(), is_ended: false }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.input.fill_buf()?.first().copied();
        self.input.consume(usize::from(byte.is_some()));
        Ok(byte)
    }

    /// The next byte that is not space.
    fn letter(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.byte()? {
                Some(byte) if is_space(byte) => {}
                other => return Ok(other),
            }
        }
    }

    /// Decodes the next group.
    fn group(&mut self) -> io::Result<()> {
        match self.code {
            Code::Hex => self.hex(),
            Code::Base85 => self.base85(),
            Code::Runs => self.run(),
        }
    }

    fn hex(&mut self) -> io::Result<()> {
        let mut value = 0;
        for place in 0..2 {
            match self.letter()? {
                // An odd digit stands for one with a zero behind it.
                None | Some(b'>') => {
                    self.is_ended = true;
                    if place == 1 {
                        self.out.bytes.push(value << 4);
                    }
                    return Ok(());
                }
                Some(byte) => {
                    let digit = (byte as char).to_digit(16).ok_or_else(|| wrong("a byte that is not a digit"))?;
                    value = value << 4 | digit as u8;
                }
            }
        }
        self.out.bytes.push(value);
        Ok(())
    }

    fn base85(&mut self) -> io::Result<()> {
        let (mut value, mut count) = (0_u64, 0);
        while count < 5 {
            match self.letter()? {
                None | Some(b'~') => {
                    self.is_ended = true;
                    break;
                }
                Some(b'z') if count == 0 => {
                    self.out.bytes.extend([0; 4]);
                    return Ok(());
                }
                Some(letter @ b'!'..=b'u') => {
                    value = value * 85 + u64::from(letter - b'!');
                    count += 1;
                }
                Some(_) => return Err(wrong("a letter that is not one of the 85")),
            }
        }
        match count {
            0 => return Ok(()),
            1 => return Err(wrong("a group of one letter")),
            _ => {}
        }
        for _ in count..5 {
            value = value * 85 + 84;
        }
        let value = u32::try_from(value).map_err(|_| wrong("a group beyond 32 bits"))?;
        self.out.bytes.extend(&value.to_be_bytes()[..count - 1]);
        Ok(())
    }

    fn run(&mut self) -> io::Result<()> {
        match self.byte()? {
            None | Some(128) => self.is_ended = true,
            Some(length @ 0..=127) => {
                for _ in 0..=length {
                    let byte = self.byte()?.ok_or(io::ErrorKind::UnexpectedEof)?;
                    self.out.bytes.push(byte);
                }
            }
            Some(length) => {
                let byte = self.byte()?.ok_or(io::ErrorKind::UnexpectedEof)?;
                self.out.bytes.resize(self.out.bytes.len() + 257 - usize::from(length), byte);
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Steps for AsciiDecoder<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        if !self.is_ended {
            self.group()?;
        }
        Ok(!self.is_ended)
    }
}

impl<R: BufRead> Read for AsciiDecoder<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(code: Code, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        AsciiDecoder::new(code, bytes).read_to_end(&mut all).map(|_| all).map_err(|error| error.to_string())
    }

    #[test]
    fn codes_stand_for_bytes() {
        assert_eq!(read(Code::Hex, b"48 65 6C\n6c6F7>rest").unwrap(), b"Hellop");
        assert_eq!(read(Code::Base85, b"87cURD]j7BEbo80~>rest").unwrap(), b"Hello world!");
        assert_eq!(read(Code::Base85, b"87cUR~>").unwrap(), b"Hell");
        assert_eq!(read(Code::Base85, b"z87 cUR DZ~>").unwrap(), b"\0\0\0\0Hello");
        assert_eq!(read(Code::Runs, b"\x02abc\xfed\x80rest").unwrap(), b"abcddd");
        assert_eq!((read(Code::Base85, b"").unwrap(), read(Code::Hex, b"").unwrap()), (vec![], vec![]));
        for (code, bytes) in
            [(Code::Hex, &b"4x"[..]), (Code::Base85, b"a~>"), (Code::Base85, b"uuuuu"), (Code::Runs, b"\x05ab")]
        {
            assert!(read(code, bytes).is_err(), "{code:?}");
        }
    }
}
