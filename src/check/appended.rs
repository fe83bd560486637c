//! An archive with its own digest behind it: Samsung's `AP.tar.md5` is a tar, then the line of
//! `md5sum` for the tar in front of it.

use pfh_digest::Algorithm;
use pfh_manifest::csv;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes at the end of the file that may hold the line.
const TAIL: u64 = 512;
/// Where a tar says that it is one (POSIX, "ustar Interchange Format").
const MAGIC: u64 = 257;

/// The list that such a file stands for, as CSV: its name with the digest of the tar in it, and of
/// the line behind; `None` for any other file. The file is at its start afterwards.
///
/// # Errors
/// When the file does not return to its start.
pub fn list(path: &Path, mut file: impl Read + Seek) -> io::Result<Option<Vec<u8>>> {
    let is_named = path.to_str().is_some_and(|name| name.to_ascii_lowercase().ends_with(".tar.md5"));
    // A pipe has no end to seek, and stays where it is.
    let Some(size) = is_named.then(|| file.seek(SeekFrom::End(0)).ok()).flatten() else { return Ok(None) };
    let found = stated(path, &mut file, size);
    file.rewind()?;
    Ok(found)
}

/// The list, from the ends of a file of `size` bytes.
fn stated(path: &Path, file: &mut (impl Read + Seek), size: u64) -> Option<Vec<u8>> {
    let mut magic = [0; 5];
    file.seek(SeekFrom::Start(MAGIC)).ok()?;
    file.read_exact(&mut magic).ok()?;
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(size.checked_sub(TAIL)?)).ok()?;
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    let line = tail.rsplit(|&byte| byte == 0).next()?;
    let digits = str::from_utf8(line.get(..32)?).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    if &magic != b"ustar" || !line[32..].starts_with(b"  ") {
        return None;
    }
    let md5: Algorithm = "md5".parse().ok()?;
    let (length, name) = (size - line.len() as u64, path.file_name()?.as_encoded_bytes());
    let (shown, exact) = csv::path(name);
    let mut out = Vec::new();
    csv::record(&mut out, &["path", "path_b64", "offset", "length", "md5"]);
    let mut piece = |offset: u64, length: usize, digest: &str| {
        csv::record(&mut out, &[&shown, &exact, &offset.to_string(), &length.to_string(), digest]);
    };
    piece(0, usize::try_from(length).ok()?, &digits.to_ascii_lowercase());
    piece(length, line.len(), &md5.digest(line).to_string());
    Some(out)
}
