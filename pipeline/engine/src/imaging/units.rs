//! Which algorithms share a thread, and what each thread does.

use super::Portion;
use crate::pieces::Pieces;
use crate::record::Piece;
use pfh_digest::{Algorithm, Digest, Hasher, update_together};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// What one thread computes.
pub(super) struct Unit {
    /// Places of its algorithms in the caller's list.
    pub(super) places: Vec<usize>,
    hashers: Vec<Hasher>,
    pieces: Option<Pieces>,
    /// Whether its windows are the caller's marks.
    pub(super) is_marks: bool,
    pub(super) busy: Duration,
}

/// What a unit found.
pub(super) struct Found {
    pub(super) digests: Vec<Digest>,
    pub(super) pieces: Vec<Piece>,
}

/// Cuts the algorithms into units: MD5, SHA-1 and SHA-256 together (the stitched kernel gives the three for the time of
/// MD5), every other by itself, the marks by themselves.
pub(super) fn cut(algorithms: &[Algorithm], piecewise: Option<u64>, marks: Option<u64>) -> Vec<Unit> {
    let stitched = |a: &Algorithm| ["md5", "sha1", "sha256"].contains(&a.name());
    let (mut together, mut units): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    for (place, algorithm) in algorithms.iter().enumerate() {
        if stitched(algorithm) { together.push(place) } else { units.push(vec![place]) }
    }
    if !together.is_empty() {
        units.push(together);
    }
    let unit = |places: Vec<usize>| {
        let mine: Vec<Algorithm> = places.iter().map(|p| algorithms[*p]).collect();
        Unit {
            hashers: mine.iter().map(|a| a.hasher()).collect(),
            pieces: piecewise.map(|length| Pieces::new(mine, length)),
            places,
            is_marks: false,
            busy: Duration::ZERO,
        }
    };
    let mut units: Vec<Unit> = units.into_iter().map(unit).collect();
    if let (Some(length), Ok(mark)) = (marks, "xxh3-128".parse::<Algorithm>()) {
        let pieces = Some(Pieces::new(vec![mark], length));
        units.push(Unit { places: vec![], hashers: vec![], pieces, is_marks: true, busy: Duration::ZERO });
    }
    units
}

impl Unit {
    /// Takes in everything that comes.
    pub(super) fn run(&mut self, portions: &Receiver<Portion>) {
        for portion in portions {
            let from = Instant::now();
            if !self.hashers.is_empty() {
                update_together(&mut self.hashers.iter_mut().collect::<Vec<_>>(), &portion.bytes);
            }
            if let Some(pieces) = &mut self.pieces {
                pieces.update(&portion.bytes);
            }
            self.busy += from.elapsed();
        }
    }

    /// Ends it.
    pub(super) fn finish(self) -> Found {
        Found {
            digests: self.hashers.into_iter().map(Hasher::finalize).collect(),
            pieces: self.pieces.map(Pieces::finish).unwrap_or_default(),
        }
    }
}
