//! The package that OLE makes of a file ([MS-OLEDS] 2.3.6 and the layout of Packager).

use pfh_bytes::field::{le16, le32};

/// A file in a package: its name, and where its bytes begin and end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: Vec<u8>,
    pub start: u64,
    pub length: u64,
}

/// The longest name or path.
const NAME: usize = 1024;

/// The bytes up to a zero, and where the next ones are.
fn text(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let end = rest.iter().take(NAME).position(|byte| *byte == 0)?;
    Some((&rest[..end], at + end + 1))
}

/// Reads the header of a package without the size in front of it.
pub fn package(start: &[u8]) -> Option<Package> {
    if le16(start, 0) != 2 {
        return None;
    }
    let (label, at) = text(start, 2)?;
    let (path, at) = text(start, at)?;
    // An icon, and the kind of the object: 3 is a file.
    if le16(start, at + 2) != 3 {
        return None;
    }
    let temporary = le32(start, at + 4) as usize;
    let at = (at + 8).checked_add(temporary).filter(|at| *at + 4 <= start.len())?;
    let own = if label.is_empty() { path } else { label };
    let name = own.rsplit(|byte| matches!(byte, b'\\' | b'/')).next().unwrap_or(own).to_vec();
    Some(Package { name, start: at as u64 + 4, length: u64::from(le32(start, at)) })
}
