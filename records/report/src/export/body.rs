//! Body files of The Sleuth Kit, version 3, as mactime and log2timeline read them.

use pfh_source::Time;

/// The values of a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line<'a> {
    /// The MD5 in hexadecimal.
    pub md5: Option<&'a str>,
    /// The name; raw bytes.
    pub name: &'a [u8],
    /// Whether the file system has forgotten the file.
    pub is_deleted: bool,
    /// The inode.
    pub inode: Option<u64>,
    /// The size in bytes.
    pub size: Option<u64>,
    /// Last access, change of the content, change of the metadata, and birth.
    pub times: [Option<Time>; 4],
}

/// Appends a line: `MD5|name|inode|mode|UID|GID|size|atime|mtime|ctime|crtime`, with 0 for an
/// unknown value, and whole seconds. A vertical bar and a line feed in a name become underscores,
/// since the format has no escape.
pub fn line(out: &mut Vec<u8>, line: &Line<'_>) {
    out.extend_from_slice(line.md5.unwrap_or("0").as_bytes());
    out.push(b'|');
    out.extend(line.name.iter().map(|byte| if matches!(byte, b'|' | b'\n' | b'\r') { b'_' } else { *byte }));
    let deleted = if line.is_deleted { " (deleted)" } else { "" };
    let times = line.times.map(|time| time.map_or(0, |time| time.seconds).to_string()).join("|");
    let (inode, size) = (line.inode.unwrap_or(0), line.size.unwrap_or(0));
    out.extend_from_slice(format!("{deleted}|{inode}|r/r---------|0|0|{size}|{times}\n").as_bytes());
}
