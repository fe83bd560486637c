//! The account of archives whose members lie one behind the other, each behind its header.

use pfh_bytes::account::{Claims, Holds};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Failure, Node};

/// The claims of such an archive: of headers, of contents, and of its end. `at` says how far its
/// members have been read.
pub fn in_order<M>(bytes: &dyn Bytes, mut members: M, at: impl Fn(&M) -> u64) -> Claims
where
    M: Iterator<Item = Result<Node, Failure>>,
{
    let mut claims = Claims::default();
    loop {
        let before = at(&members);
        match members.next() {
            None => {
                claims.add(before..at(&members).max(before), Holds::Structure, b"end of the archive");
                return claims;
            }
            Some(Ok(node)) if node.content.is_some() => {
                // A hard link has the bytes of another member, which lie in front of its header.
                let runs = node.content.and_then(|content| content.runs()).unwrap_or_default();
                match runs.first().and_then(|run| Some((run.medium_offset?, run.length))) {
                    Some((start, length)) if start >= before => {
                        claims.add(before..start, Holds::Structure, b"header");
                        claims.add(start..start.saturating_add(length), Holds::Content, &node.path);
                    }
                    Some(_) => claims.add(before..at(&members), Holds::Structure, b"header"),
                    None => claims.add(before..at(&members), Holds::Content, &node.path),
                }
            }
            Some(Ok(_)) => claims.add(before..at(&members), Holds::Structure, b"header"),
            Some(Err(fault)) => {
                claims.add(before..at(&members).max(before), Holds::Structure, b"header");
                // Residue behind it says the same, with its place.
                if !is_residue(bytes, at(&members)) {
                    claims.fault(fault);
                }
            }
        }
    }
}

/// Whether a sector from this place on is not all one byte.
fn is_residue(bytes: &dyn Bytes, mut at: u64) -> bool {
    const WINDOW: usize = 64 << 10;
    loop {
        // Bytes that cannot be read are a fault.
        let Ok(window) = read_some(bytes, at, WINDOW) else { return false };
        let mut sectors = window.chunks_exact(512);
        if sectors.any(|sector| sector.iter().any(|byte| *byte != sector[0])) {
            return true;
        }
        if window.len() < WINDOW {
            return false;
        }
        at += WINDOW as u64;
    }
}
