//! AppleSingle (RFC 1740) and MacBinary II and III: the two forks of a file of the Macintosh.

use super::super::member::plain_name;
use super::{ranged, wrong};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::crc16::crc16;
use pfh_bytes::field::{be16, be32, read, read_some};
use pfh_bytes::node::{Failure, Node, Nodes};
use std::sync::Arc;

/// The first bytes of AppleSingle.
const SINGLE: &[u8] = b"\0\x05\x16\0";

/// Whether a file begins as one of them.
pub fn is_one(start: &[u8]) -> bool {
    let is_single = start.starts_with(SINGLE) && matches!(be32(start, 4), 0x1_0000 | 0x2_0000) && start.len() > 38;
    is_single || is_macbinary(start)
}

/// Whether a header of MacBinary has its zeros, a name and its checksum.
fn is_macbinary(start: &[u8]) -> bool {
    let Some(header) = start.first_chunk::<128>() else { return false };
    let length = usize::from(header[1]);
    let is_named = (1..64).contains(&length) && header[2..2 + length].iter().all(|byte| *byte >= 32);
    [0, 74, 82].iter().all(|at| header[*at] == 0)
        && is_named
        && crc16(0, &header[..124]) == be16(header, 124)
        && header[122] >= 129
        && be32(header, 83) < 1 << 31
}

/// The forks.
///
/// # Errors
/// If a fork is not in the file.
pub fn open(bytes: Arc<dyn Bytes>, name: &[u8]) -> Result<Nodes, Failure> {
    let start = read_some(&*bytes, 0, 4096)?;
    let members = if start.starts_with(SINGLE) { single(&bytes, &start, name) } else { macbinary(&bytes, &start) };
    Ok(Box::new(members.into_iter()))
}

/// The last part of a name, in front of its ending.
fn stem(name: &[u8]) -> Vec<u8> {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let dot = last.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
    plain_name(&last[..dot.unwrap_or(last.len())])
}

fn fork(bytes: &Arc<dyn Bytes>, name: &[u8], ending: &[u8], start: u64, length: u64) -> Result<Node, Failure> {
    let path = [name, ending].concat();
    match start.checked_add(length) {
        Some(end) if end <= bytes.size() => ranged(bytes, path, std::slice::from_ref(&(start..end))),
        _ => Err(Failure { path, ..wrong(start, "the file ends before the fork does") }),
    }
}

fn single(bytes: &Arc<dyn Bytes>, start: &[u8], name: &[u8]) -> Vec<Result<Node, Failure>> {
    let count = usize::from(be16(start, 24)).min(256);
    let entry = |index: usize| [0, 4, 8].map(|at| be32(start, 26 + 12 * index + at));
    let entries: Vec<[u32; 3]> = (0..count).map(entry).collect();
    let stated = entries.iter().find(|entry| entry[0] == 3 && entry[2] < 1024);
    let stated = stated.and_then(|entry| read(&**bytes, u64::from(entry[1]), entry[2] as usize).ok());
    let name = stated.filter(|name| !name.is_empty()).map_or_else(|| stem(name), |name| plain_name(&name));
    let of = |kind: u32, ending: &'static [u8]| (entries.iter().find(move |entry| entry[0] == kind), ending);
    let forks = [of(1, b""), of(2, b":resource")].into_iter();
    let forks = forks.filter_map(|(entry, ending)| Some((entry.filter(|entry| entry[2] > 0)?, ending)));
    forks.map(|(entry, ending)| fork(bytes, &name, ending, u64::from(entry[1]), u64::from(entry[2]))).collect()
}

fn macbinary(bytes: &Arc<dyn Bytes>, header: &[u8]) -> Vec<Result<Node, Failure>> {
    let name = plain_name(&header[2..2 + usize::from(header[1])]);
    let (data, resource) = (u64::from(be32(header, 83)), u64::from(be32(header, 87)));
    let first = 128 + u64::from(be16(header, 120)).next_multiple_of(128);
    let mut found = vec![fork(bytes, &name, b"", first, data)];
    if resource > 0 {
        found.push(fork(bytes, &name, b":resource", first + data.next_multiple_of(128), resource));
    }
    found
}
