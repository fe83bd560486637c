//! Piecewise digests: windows of one message are messages of their own, and go to the lanes
//! together.

use crate::record::Piece;
use pfh_digest::{Algorithm, Digest, Hasher, hash_many};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that all windows of a run may hold back until there are enough of them for the lanes.
pub(crate) struct Allowance(AtomicU64);

impl Allowance {
    pub(crate) fn new(bytes: usize) -> Arc<Allowance> {
        Arc::new(Allowance(AtomicU64::new(bytes as u64)))
    }

    /// At most `most` times that many bytes; returns how many times.
    fn take(&self, bytes: u64, most: u64) -> u64 {
        let count = |left: u64| most.min(left / bytes);
        // One window alone has no company.
        let less = |left: u64| Some(left - bytes * count(left)).filter(|_| count(left) > 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).map_or(0, count)
    }
}

/// Windows of one message, for the algorithms of one unit.
pub(crate) struct Pieces {
    length: u64,
    algorithms: Vec<Algorithm>,
    allowance: Arc<Allowance>,
    /// Windows that are hashed together, once it was asked for; 1 if each is hashed as it comes.
    width: Option<u64>,
    /// Windows that wait for company, and the one being filled: fewer than the width.
    held: Vec<u8>,
    /// The window being filled, where each is hashed as it comes.
    hashers: Vec<Hasher>,
    offset: u64,
    filled: u64,
    done: Vec<Piece>,
}

impl Pieces {
    pub(crate) fn new(algorithms: Vec<Algorithm>, length: u64, allowance: Arc<Allowance>) -> Self {
        let (hashers, held, done) = (Vec::new(), Vec::new(), Vec::new());
        Pieces { length, algorithms, allowance, width: None, held, hashers, offset: 0, filled: 0, done }
    }

    /// Windows that are hashed together: as many as there are lanes, or as the allowance has room
    /// for.
    fn width(&mut self) -> u64 {
        let (length, allowance) = (self.length, &self.allowance);
        let lanes = || self.algorithms.iter().map(|algorithm| algorithm.lanes()).max().unwrap_or(1) as u64;
        *self.width.get_or_insert_with(|| match lanes() {
            0 | 1 => 1,
            lanes => allowance.take(length, lanes).max(1),
        })
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        let width = self.width();
        if width == 1 {
            return self.as_it_comes(bytes);
        }
        // Fits: the width times the length is within a number of bytes in memory.
        let length = self.length as usize;
        let head = bytes.len().min((length - self.held.len() % length) % length);
        self.hold(&bytes[..head]);
        bytes = &bytes[head..];
        if self.held.len().is_multiple_of(length) && (self.held.len() + bytes.len()) / length >= width as usize {
            let whole = bytes.len() - bytes.len() % length;
            let held = std::mem::take(&mut self.held);
            self.close(&held.chunks(length).chain(bytes[..whole].chunks(length)).collect::<Vec<_>>());
            self.held = held;
            self.held.clear();
            bytes = &bytes[whole..];
        }
        self.hold(bytes);
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.held.capacity() == 0 && !bytes.is_empty() {
            // Pages that are not written to cost nothing.
            let most = self.width() * self.length;
            self.held.reserve_exact(most as usize);
        }
        self.held.extend_from_slice(bytes);
    }

    /// Enters the digests of the next windows.
    fn close(&mut self, windows: &[&[u8]]) {
        for (digests, window) in together(&self.algorithms, windows).into_iter().zip(windows) {
            let length = window.len() as u64;
            self.done.push(Piece { offset: self.offset, length, digests });
            self.offset += length;
        }
    }

    /// Hashes windows without company.
    fn as_it_comes(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.filled == 0 {
                self.hashers = self.algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
            }
            let left = usize::try_from(self.length - self.filled).unwrap_or(usize::MAX);
            let (some, rest) = bytes.split_at(bytes.len().min(left));
            self.hashers.iter_mut().for_each(|hasher| hasher.update(some));
            self.filled += some.len() as u64;
            if self.filled == self.length {
                self.close_window();
            }
            bytes = rest;
        }
    }

    fn close_window(&mut self) {
        let digests = std::mem::take(&mut self.hashers).into_iter().map(Hasher::finalize).collect();
        self.done.push(Piece { offset: self.offset, length: self.filled, digests });
        self.offset += self.filled;
        self.filled = 0;
    }

    /// Ends the message, whose own digests are `whole`, if they are had: those of its only window.
    pub(crate) fn finish(mut self, whole: &[Digest]) -> Vec<Piece> {
        if self.filled > 0 {
            self.close_window();
        }
        let held = self.held.len() as u64;
        if self.done.is_empty() && (1..=self.length).contains(&held) && whole.len() == self.algorithms.len() {
            self.done.push(Piece { offset: 0, length: held, digests: whole.to_vec() });
        } else if held > 0 {
            let held = std::mem::take(&mut self.held);
            self.close(&held.chunks(self.length as usize).collect::<Vec<_>>());
        }
        std::mem::take(&mut self.done)
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        // A width of one holds nothing back.
        let width = self.width.filter(|width| *width > 1).unwrap_or(0);
        self.allowance.0.fetch_add(width * self.length, Ordering::Relaxed);
    }
}

/// The windows of whole messages, those of all of them together. `digests` are those of the
/// messages: a window that is the whole message has them already.
pub(crate) fn of_messages(
    algorithms: &[Algorithm],
    length: u64,
    messages: &[&[u8]],
    digests: &[Vec<Digest>],
) -> Vec<Vec<Piece>> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let longer = messages.iter().filter(|message| message.len() > length);
    let windows: Vec<&[u8]> = longer.flat_map(|message| message.chunks(length)).collect();
    let mut found = together(algorithms, &windows).into_iter();
    let of = |(message, whole): (&&[u8], &Vec<Digest>)| {
        let mut offset = 0;
        let piece = |window: &[u8]| {
            let digests = if message.len() > length { found.next().unwrap_or_default() } else { whole.clone() };
            let piece = Piece { offset, length: window.len() as u64, digests };
            offset += piece.length;
            piece
        };
        message.chunks(length).map(piece).collect()
    };
    messages.iter().zip(digests).map(of).collect()
}

/// The digests of each window.
fn together(algorithms: &[Algorithm], windows: &[&[u8]]) -> Vec<Vec<Digest>> {
    let mut each: Vec<_> = algorithms.iter().map(|algorithm| hash_many(*algorithm, windows).into_iter()).collect();
    windows.iter().map(|_| each.iter_mut().filter_map(Iterator::next).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any pieces of any message give the digests of its windows, however little may be held
        /// back, and all of that is given back.
        #[test]
        fn windows_are_messages_of_their_own(
            bytes in prop::collection::vec(any::<u8>(), 0..5000),
            length in prop_oneof![1_u64..20, 1_u64..6000],
            cuts in prop::collection::vec(0_usize..5000, 0..20),
            allowed in prop_oneof![Just(0_usize), 0_usize..3000, Just(1 << 20)],
            is_known in any::<bool>(),
        ) {
            let algorithms: Vec<Algorithm> = ["md5", "blake3", "sha3-256"].map(|name| name.parse().unwrap()).into();
            let allowance = Allowance::new(allowed);
            let mut pieces = Pieces::new(algorithms.clone(), length, allowance.clone());
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            for pair in cuts.windows(2) {
                pieces.update(&bytes[pair[0]..pair[1]]);
                prop_assert!(pieces.held.len() <= allowed && pieces.held.capacity() <= allowed);
            }
            let whole: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(&bytes)).collect();
            let found = pieces.finish(if is_known { &whole } else { &[] });
            let windows: Vec<&[u8]> = bytes.chunks(length as usize).collect();
            prop_assert_eq!(found.len(), windows.len());
            let others = of_messages(&algorithms, length, &[b"", &bytes], &[Vec::new(), whole]);
            prop_assert!(others[0].is_empty() && others[1].len() == windows.len());
            let mut offset = 0;
            for ((piece, other), window) in found.iter().zip(&others[1]).zip(windows) {
                let digests: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(window)).collect();
                for one in [piece, other] {
                    prop_assert_eq!((one.offset, one.length, &one.digests), (offset, window.len() as u64, &digests));
                }
                offset += window.len() as u64;
            }
            prop_assert_eq!(allowance.0.load(Ordering::Relaxed), allowed as u64);
        }
    }

    #[test]
    fn the_allowance_is_shared() {
        let allowance = Allowance::new(100);
        assert_eq!((allowance.take(20, 4), allowance.take(20, 4), allowance.take(10, 4)), (4, 0, 2));
        assert_eq!((allowance.take(u64::MAX, 64), allowance.take(1, 1)), (0, 0));
    }
}
