//! A shell script that removes all but the first copy of each group, for a user to read and run.

use super::group::Group;
use pfh_source::terminal;
use std::os::unix::ffi::OsStrExt;

/// The script. Each copy is compared with the one that is kept once more, and removed only if both
/// are equal then.
pub fn script(groups: &[Group]) -> Vec<u8> {
    let mut lines =
        b"#!/bin/sh\n# Made by `pfh dups`. Each removal compares the two files once more, byte by byte.\n".to_vec();
    if let Ok(here) = std::env::current_dir() {
        lines.extend_from_slice(&[b"cd -- ", &quoted(here.as_os_str().as_bytes())[..], b" || exit\n"].concat());
    }
    lines.extend_from_slice(b"drop() {\n  if cmp -s -- \"$keep\" \"$1\"; then rm -f -- \"$1\"; else echo \"kept, it differs: $1\" >&2; fi\n}\n");
    for group in groups {
        let [kept, others @ ..] = &group.copies[..] else { continue };
        let keep = &kept.names[0];
        let (count, size) = (group.copies.len(), group.size);
        lines.extend_from_slice(
            format!("\n# {count} copies of {size} bytes; kept: {}\n", terminal::render(keep)).as_bytes(),
        );
        lines.extend_from_slice(&[b"keep=", &quoted(&plain(keep))[..], b"\n"].concat());
        for copy in others {
            if copy.shared {
                lines.extend_from_slice(b"# shares its storage with another copy: nothing would be won\n");
                continue;
            }
            for name in &copy.names {
                lines.extend_from_slice(&[b"drop ", &quoted(&plain(name))[..], b"\n"].concat());
            }
        }
    }
    lines
}

/// A name that no program takes for an option.
fn plain(name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"-") { [b"./", name].concat() } else { name.to_vec() }
}

/// A word for the shell, whatever bytes it has.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in word {
        if byte == b'\'' { quoted.extend_from_slice(b"'\\''") } else { quoted.push(byte) }
    }
    quoted.push(b'\'');
    quoted
}
