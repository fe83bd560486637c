//! Which algorithms share a thread, and the work of each thread.

use super::prefix::{History, cuts};
use super::{Imaging, Portion};
use crate::pieces::{Allowance, Pieces};
use crate::record::Piece;
use pfh_digest::{Algorithm, Digest, Hasher, update_together};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The computation of one thread.
pub(super) struct Unit {
    /// Places of its algorithms in the caller's list.
    pub(super) places: Vec<usize>,
    hashers: Vec<Hasher>,
    pieces: Option<Pieces>,
    /// Whether its windows are the caller's marks.
    pub(super) is_marks: bool,
    /// Which of its hashers gives the digests of prefixes, from which offset on, at which grain.
    prefixes: Option<(usize, u64, Option<u64>)>,
    pub(super) busy: Duration,
}

/// The results of a unit.
pub(super) struct UnitResult {
    pub(super) digests: Vec<Digest>,
    pub(super) pieces: Vec<Piece>,
}

/// Cuts the algorithms into units: those that a stitched kernel computes for the time of one
/// together, every other by itself, the marks by themselves.
pub(super) fn cut(imaging: &Imaging) -> Vec<Unit> {
    let Imaging { algorithms, piecewise, marks, .. } = imaging;
    // Each unit has a thread of its own.
    let units = crate::plan::units(algorithms, 2);
    let allowance = Allowance::new(if piecewise.is_some() { imaging.memory } else { 0 });
    let unit = |places: Vec<usize>| {
        let mine: Vec<Algorithm> = places.iter().map(|p| algorithms[*p]).collect();
        Unit {
            hashers: mine.iter().map(|a| a.hasher()).collect(),
            pieces: piecewise.map(|length| Pieces::new(mine, length, allowance.clone())),
            places,
            is_marks: false,
            prefixes: None,
            busy: Duration::ZERO,
        }
    };
    let mut units: Vec<Unit> = units.into_iter().map(unit).collect();
    if let (Some(length), Ok(mark)) = (*marks, "xxh3-128".parse::<Algorithm>()) {
        let pieces = Some(Pieces::new(vec![mark], length, allowance));
        units.push(Unit {
            places: vec![],
            hashers: vec![],
            pieces,
            is_marks: true,
            prefixes: None,
            busy: Duration::ZERO,
        });
    }
    if let Some(wanted) = &imaging.prefixes {
        let of = |unit: &Unit| unit.hashers.iter().position(|hasher| hasher.algorithm() == wanted.algorithm);
        // Before `done` there is nothing to be resumed: these bytes are there already.
        let entry = |place| Some((place, imaging.done, wanted.grain));
        match units.iter_mut().find_map(|unit| of(unit).map(|place| (unit, place))) {
            Some((unit, place)) => unit.prefixes = entry(place),
            None => units.push(Unit {
                places: vec![],
                hashers: vec![wanted.algorithm.hasher()],
                pieces: None,
                is_marks: false,
                prefixes: entry(0),
                busy: Duration::ZERO,
            }),
        }
    }
    units
}

impl Unit {
    /// Takes in everything that comes.
    pub(super) fn run(&mut self, portions: &Receiver<Portion>, history: &History) {
        for portion in portions {
            let from = Instant::now();
            if !self.hashers.is_empty() {
                self.hash(&portion, history);
            }
            if let Some(pieces) = &mut self.pieces {
                pieces.update(&portion.bytes);
            }
            self.busy += from.elapsed();
        }
    }

    fn hash(&mut self, portion: &Portion, history: &History) {
        let Some((place, _, grain)) = self.prefixes.filter(|(_, from, _)| portion.offset >= *from) else {
            update_together(&mut self.hashers.iter_mut().collect::<Vec<_>>(), &portion.bytes);
            return;
        };
        let (mut found, mut at) = (Vec::new(), portion.offset);
        for upto in cuts(portion.offset, portion.bytes.len() as u64, grain) {
            let part = &portion.bytes[(at - portion.offset) as usize..(upto - portion.offset) as usize];
            update_together(&mut self.hashers.iter_mut().collect::<Vec<_>>(), part);
            found.push((upto, self.hashers[place].clone().finalize()));
            at = upto;
        }
        history.extend(found);
    }

    /// Ends it.
    pub(super) fn finish(self) -> UnitResult {
        let digests: Vec<Digest> = self.hashers.into_iter().map(Hasher::finalize).collect();
        let pieces = self.pieces.map(|pieces| pieces.finish(&digests)).unwrap_or_default();
        UnitResult { digests, pieces }
    }
}
