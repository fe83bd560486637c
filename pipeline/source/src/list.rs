//! Lists of names (`--files-from`): one path per line, or NUL-terminated. Bytes, not text.

use crate::operand::{Named, Paths};
use crate::os::names::entered;
use crate::problem::{Cause, Problem, Stage};
use std::io::{BufRead, Read};

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
pub fn names<R: BufRead + Send + 'static>(mut list: R, separator: Separator) -> Paths {
    let end = if separator == Separator::Nul { 0 } else { b'\n' };
    let mut done = false;
    let next = move || -> Option<Named> {
        while !done {
            let mut name = Vec::new();
            match list.by_ref().take(LONGEST).read_until(end, &mut name) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(e) => {
                    done = true;
                    return Some(Err((b"(list of names)".to_vec(), Problem::io(Stage::Walk, &e))));
                }
            }
            let bad = |name: &[u8], why| {
                let shown = name[..name.len().min(256)].to_vec();
                Some(Err((shown, Problem::new(Stage::Walk, Cause::BadName(why)))))
            };
            if name.last() == Some(&end) {
                name.pop();
            } else if name.len() as u64 == LONGEST {
                done = skip_to(&mut list, end);
                return bad(&name, "longer than 1 MiB");
            }
            if cfg!(windows) && end == b'\n' && name.last() == Some(&b'\r') {
                name.pop();
            }
            if name.is_empty() {
                continue;
            }
            return if name.contains(&0) { bad(&name, "holds a NUL byte") } else { Some(Ok(entered(name))) };
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
