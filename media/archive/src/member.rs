//! The facts about members that all archives have.

use pfh_bytes::node::{Allocation, Failure, Flaw, Kind, Node, Nodes, Times};
use std::io;

/// The fault of the member of this name; with the archive if that is empty.
pub fn failure(path: &[u8], cause: impl Into<String>) -> Failure {
    Failure { path: path.to_vec(), cause: cause.into(), ..Failure::default() }
}

/// The same, with a kind of its own, in the place of a result.
pub fn flawed<T>(flaw: Flaw, path: &[u8], cause: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { flaw, ..failure(path, cause) })
}

/// The failure as an error of a read.
pub fn wrong(failure: Failure) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, failure)
}

/// A live name; nothing more is known yet.
pub fn node(path: Vec<u8>, kind: Kind) -> Node {
    Node {
        path,
        kind,
        size: None,
        id: None,
        times: Times::default(),
        allocation: Allocation::Live,
        resident: false,
        compressed: false,
        content: None,
    }
}

/// At most that many members: a failure stands in place of the first one beyond.
pub fn limited(nodes: Nodes, most: u64) -> Nodes {
    let mut left = most.checked_add(1);
    Box::new(nodes.map_while(move |found| {
        left = left.and_then(|left| left.checked_sub(1));
        match left? {
            0 => Some(Err(failure(b"", "more files than allowed: what follows is not read"))),
            _ => Some(found),
        }
    }))
}

/// 100 ns since 1601 as nanoseconds since 1970.
pub fn from_filetime(ticks: u64) -> i128 {
    (i128::from(ticks) - 116_444_736_000_000_000) * 100
}

/// A name that is one part of a path: a slash in it becomes `%2F`, a zero byte `%00`; an empty
/// name, `.` and `..` get a `_` at the end.
pub fn plain_name(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for byte in name {
        match byte {
            b'/' => out.extend_from_slice(b"%2F"),
            0 => out.extend_from_slice(b"%00"),
            other => out.push(*other),
        }
    }
    if matches!(&out[..], b"" | b"." | b"..") {
        out.push(b'_');
    }
    out
}
