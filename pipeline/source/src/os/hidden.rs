//! A word that is typed on the terminal and not shown there.

use super::handles::AsFd;
use super::platform::Quiet;
use super::terminal;
use crate::document::Document;
use std::io::{self, Read, Write};

/// Longest word that is taken, in bytes.
const MOST: usize = 4096;

/// The typed answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedAnswer {
    /// A line, without its end.
    Line(Vec<u8>),
    /// Ctrl-C, Ctrl-D or the end of the terminal.
    Cancelled,
}

/// Asks on the controlling terminal, not on standard input or output, which may be files. Nothing
/// of the answer is shown.
///
/// # Errors
/// When the process has no terminal, or it cannot be set.
pub fn ask_hidden(question: &str) -> io::Result<TypedAnswer> {
    let (keys, mut shown) = terminal()?;
    let quiet = Quiet::begin(keys.as_fd())?;
    shown.write_all(question.as_bytes())?;
    // A signal ends the wait, and the terminal is as it was before the process ends.
    let typed = line(&mut Document::from(keys.try_clone()?));
    drop(quiet);
    shown.write_all(b"\n")?;
    typed
}

/// Reads keys up to the end of the line. The terminal neither edits nor makes signals meanwhile, so
/// that no signal leaves it without echo.
fn line(terminal: &mut impl Read) -> io::Result<TypedAnswer> {
    let mut typed: Vec<u8> = Vec::new();
    let mut key = [0];
    while typed.len() < MOST {
        match terminal.read(&mut key) {
            Ok(0) => return Ok(TypedAnswer::Cancelled),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        match key[0] {
            b'\r' | b'\n' => return Ok(TypedAnswer::Line(typed)),
            // Ctrl-C and Ctrl-\; Ctrl-D on an empty line.
            0x03 | 0x1c => return Ok(TypedAnswer::Cancelled),
            0x04 if typed.is_empty() => return Ok(TypedAnswer::Cancelled),
            // Backspace takes a whole character of UTF-8.
            0x08 | 0x7f => while typed.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            // Ctrl-U.
            0x15 => typed.clear(),
            byte => typed.push(byte),
        }
    }
    Err(io::Error::other("the line is too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_a_line() {
        let typed = |keys: &[u8]| line(&mut &keys[..]).unwrap();
        assert_eq!(typed(b"secret\nrest"), TypedAnswer::Line(b"secret".to_vec()));
        assert_eq!(typed("sé\u{7f}e\x08xy\r".as_bytes()), TypedAnswer::Line(b"sxy".to_vec()));
        assert_eq!(typed(b"wrong\x15right\n"), TypedAnswer::Line(b"right".to_vec()));
        for cancelled in [&b"ab\x03"[..], b"\x04", b"ab", b"\x1c"] {
            assert_eq!(typed(cancelled), TypedAnswer::Cancelled);
        }
        assert!(line(&mut io::repeat(b'x')).is_err());
    }
}
