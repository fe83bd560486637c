//! Writes one member of an archive to standard output: `cargo run --example member -- a.zip
//! docs/b.txt >b.txt`. Without a name it lists the members.
//!
//! A member that is damaged or encrypted ends with its cause and exit code 1: checksums stand
//! behind the bytes, so that a failure may come after most of them were written.

use pfh_archive::{Bytes, Format, Limits, Nodes, open};
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("give an ARCHIVE, and the name of a member")?;
    let name = path.to_string_lossy().into_owned();
    // A larger one would be read from the disk, by a type of one's own that has `Bytes`.
    let bytes: Arc<dyn Bytes> = Arc::new(std::fs::read(&path)?);
    match arguments.next() {
        Some(member) => copy(bytes, &name, member.as_encoded_bytes(), &mut io::stdout().lock()),
        None => list(members(bytes, &name)?, &mut io::stdout().lock()),
    }
}

/// The members of an archive by its first bytes, within the usual limits.
pub fn members(bytes: Arc<dyn Bytes>, name: &str) -> Result<Nodes, Box<dyn Error>> {
    let mut start = vec![0; Format::START.min(bytes.size() as usize)];
    bytes.read_exact_at(0, &mut start)?;
    let format = Format::recognize(&start).ok_or("not an archive that is read here")?;
    Ok(open(format, bytes, name.as_bytes(), &Limits::default())?)
}

/// Writes the bytes of the member of that name.
pub fn copy(bytes: Arc<dyn Bytes>, name: &str, member: &[u8], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for node in members(bytes, name)? {
        // A failure of another member does not concern this one.
        let Ok(node) = node else { continue };
        if node.path == member {
            let content = node.content.ok_or("the member has no content")?;
            io::copy(&mut content.open()?, out)?;
            return Ok(out.flush()?);
        }
    }
    Err("no member has that name".into())
}

/// Writes the names, and the failures in their places.
pub fn list(members: Nodes, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for found in members {
        match found {
            Ok(node) => writeln!(out, "{}", String::from_utf8_lossy(&node.path))?,
            Err(failed) => writeln!(out, "! {}: {failed}", String::from_utf8_lossy(&failed.path))?,
        }
    }
    Ok(())
}
