//! Lists of names (`--files-from`): one path per line, or NUL-terminated. Bytes, not text, but for
//! lists of Windows: in those lines end with CR and LF, or a byte order mark stands in front, names
//! are text, and `\` separates as `/` does.

use crate::operand::{OperandPath, Paths};
use crate::os::names::entered;
use crate::problem::{Cause, Problem, Stage};
use crate::text::{Text, has_windows_lines};
use std::io::{self, BufRead, Read};

/// The end of a name in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Separator {
    /// A line feed.
    #[default]
    Line,
    /// A NUL byte, as `find -print0` writes.
    Nul,
}

/// Longest name taken from a list, in bytes. Paths beyond PATH_MAX are legal (they are opened piece
/// by piece).
const LONGEST: u64 = 1 << 20;

/// Reads names from a list, each once; an overlong name or one with a NUL inside is one problem and
/// is skipped whole. A read error ends the list with a problem.
pub fn names<R: BufRead + Send + 'static>(list: R, separator: Separator) -> Paths {
    if separator == Separator::Nul {
        return split(list, 0, false);
    }
    // A mark is looked for when the first name is asked for: a list may be a pipe that waits.
    let open = move || -> Paths {
        match Text::marked(list) {
            Ok((marked, text)) => split(text, b'\n', marked),
            Err(error) => Box::new(std::iter::once(failure(&error))),
        }
    };
    Box::new(std::iter::once_with(open).flatten())
}

/// The item that stands for a list that cannot be read on.
fn failure(error: &io::Error) -> OperandPath {
    Err((b"(list of names)".to_vec(), Problem::io(Stage::Walk, error)))
}

fn split<R: BufRead + Send + 'static>(mut list: R, end: u8, marked: bool) -> Paths {
    let mut done = false;
    // Whether it is a list of Windows: the first line tells, where no mark does.
    let mut windows = if cfg!(windows) || marked { Some(true) } else { None };
    let next = move || -> Option<OperandPath> {
        while !done {
            let mut name = Vec::new();
            match list.by_ref().take(LONGEST).read_until(end, &mut name) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(e) => {
                    done = true;
                    return Some(failure(&e));
                }
            }
            let bad = |name: &[u8], why| {
                let shown = name[..name.len().min(256)].to_vec();
                Some(Err((shown, Problem::new(Stage::Walk, Cause::BadName(why)))))
            };
            let windows = end == b'\n' && *windows.get_or_insert_with(|| has_windows_lines(&name));
            if name.last() == Some(&end) {
                name.pop();
            } else if name.len() as u64 == LONGEST {
                done = skip_to(&mut list, end);
                return bad(&name, "longer than 1 MiB");
            }
            if windows && name.last() == Some(&b'\r') {
                name.pop();
            }
            if name.is_empty() {
                continue;
            }
            if name.contains(&0) {
                return bad(&name, "holds a NUL byte");
            }
            if windows && !cfg!(windows) {
                name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
            }
            return Some(Ok(entered(name)));
        }
        None
    };
    Box::new(std::iter::from_fn(next))
}

/// Skips to behind the next separator; says whether the list has ended or failed.
fn skip_to(list: &mut impl BufRead, end: u8) -> bool {
    loop {
        let (skip, found) = match list.fill_buf() {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) | Ok([]) => return true,
            Ok(room) => match room.iter().position(|&b| b == end) {
                Some(at) => (at + 1, true),
                None => (room.len(), false),
            },
        };
        list.consume(skip);
        if found {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `dir /b /s > list` of cmd.exe and of PowerShell write them, and Notepad.
    #[test]
    fn lists_of_windows() {
        let list = |bytes: Vec<u8>| {
            names(std::io::Cursor::new(bytes), Separator::Line).map(|name| name.unwrap()).collect::<Vec<_>>()
        };
        let text = "sub\\caf\u{e9}.txt\r\nb\r\n\r\nlast";
        let expected = ["sub/caf\u{e9}.txt", "b", "last"].map(|name| name.as_bytes().to_vec());
        let units = || std::iter::once(0xfeff).chain(text.encode_utf16());
        assert_eq!(list(text.into()), expected);
        assert_eq!(list(format!("\u{feff}{text}").into()), expected);
        assert_eq!(list(format!("\u{feff}{}", text.replace('\r', "")).into()), expected);
        assert_eq!(list(units().flat_map(u16::to_le_bytes).collect()), expected);
        assert_eq!(list(units().flat_map(u16::to_be_bytes).collect()), expected);
        // Names are bytes elsewhere: only the first line says whose list it is.
        let plain = list(b"a\\b\nc\r\n".to_vec());
        let kept = [b"a\\b".to_vec(), b"c\r".to_vec()];
        assert_eq!(plain == kept, cfg!(not(windows)), "{plain:?}");
        let nul = names(std::io::Cursor::new(b"\xff\xfea\r\n\0".to_vec()), Separator::Nul);
        assert!(nul.map(|name| name.unwrap()).eq([b"\xff\xfea\r\n".to_vec()]));
    }

    #[test]
    fn lines_and_nuls() {
        let list = |bytes: &[u8], s| names(std::io::Cursor::new(bytes.to_vec()), s).collect::<Vec<_>>();
        let lines = list(b"a\n\nb\0c\nlast", Separator::Line);
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0].as_deref().unwrap(), b"a");
        assert!(lines[1].is_err());
        assert_eq!(lines[2].as_deref().unwrap(), b"last");
        let nuls = list(b"a\nb\0c\0", Separator::Nul);
        assert_eq!(nuls[0].as_deref().unwrap(), b"a\nb");
        let mut long = vec![b'x'; 3 << 20];
        long.extend_from_slice(b"\nok\n");
        let found = list(&long, Separator::Line);
        assert_eq!(found.len(), 2);
        assert!(found[0].is_err() && found[1].as_deref().unwrap() == b"ok");
    }
}
