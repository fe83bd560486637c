//! The judge: facts of a file against all that a list states of it. Every job asks it, and shows
//! the answer in its own words.

use super::classes::{Class, Rot};
use super::facts::{Facts, Instants};
use super::listing::Listing;
use pfh_digest::Digest;
use pfh_engine::{HashedFile, Piece};

/// How a file compares with the statements on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Every stated digest is the file's, and so is the size.
    Same,
    /// Some digests are, others are not.
    Partly,
    /// None is.
    Different,
    /// There is no digest of an algorithm that both have, and no other size; or the algorithm of
    /// the only ones is a guess on one side.
    Unknown,
}

/// The limit of a proof that a content changed under the same times where the file system keeps no
/// change time.
pub const UNTIMED: &str = "no change time is kept here: a write that put the old time back looks the same";

/// The answer of the judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// How the content compares.
    pub comparison: Comparison,
    /// The class of the file under its own name: matched, metadata-only, modified, bit-rot or
    /// error.
    pub class: Class,
    /// Of another content under the same size and modification time: what the change time says.
    pub rot: Option<Rot>,
    /// Whether a time is another.
    pub is_retimed: bool,
    /// Details that the class does not tell.
    pub cause: Option<String>,
}

impl Judgement {
    /// Whether the file is as it is stated, but for times.
    pub fn is_right(&self) -> bool {
        self.comparison == Comparison::Same
    }

    /// Whether some digests are as stated, others not.
    pub fn is_partly(&self) -> bool {
        self.comparison == Comparison::Partly
    }
}

impl Listing {
    /// Judges the facts of the file of its name.
    pub fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let comparison = self.compare_with(facts);
        let modified = Instants::new((self.times.modified, self.grain), (facts.times.modified, facts.grain));
        // No copy and no file system cuts the change time; formats do, and it shows.
        let changed = Instants::new((self.times.changed, 0), (facts.times.changed, 0));
        let other = |both: Option<Instants>| both.is_some_and(|both| !both.are_same());
        let is_retimed = other(modified) || other(changed);
        let mut causes: Vec<String> = Vec::new();
        let (class, rot) = match comparison {
            Comparison::Same if other(modified) => (Class::MetadataOnly, None),
            Comparison::Same => (Class::Matched, None),
            Comparison::Unknown => {
                let is_guess = self.guessed != 0 || facts.guessed != 0;
                let shared = facts
                    .digests
                    .iter()
                    .any(|digest| self.digests.iter().any(|own| own.algorithm() == digest.algorithm()));
                causes.push(match is_guess && shared {
                    true => "the algorithm of its digest is a guess by its length, which nothing confirms".to_owned(),
                    false => "no digest of one algorithm on both sides".to_owned(),
                });
                (Class::Error, None)
            }
            Comparison::Partly | Comparison::Different => match self.rot(facts) {
                Some(rot) => {
                    let cut = modified.and_then(|both| both.cut());
                    causes.extend(cut.map(|cut| format!("times are compared in {cut}")));
                    causes.extend(facts.untimed.then(|| UNTIMED.to_owned()));
                    (Class::BitRot, Some(rot))
                }
                None => (Class::Modified, None),
            },
        };
        if !matches!(comparison, Comparison::Same | Comparison::Unknown) {
            causes.extend(self.contradicted(facts));
            causes.extend(self.grown(facts));
        }
        let cause = (!causes.is_empty()).then(|| causes.join("; "));
        Judgement { comparison, class, rot, is_retimed, cause }
    }

    fn contradicted(&self, facts: &Facts<'_>) -> Option<String> {
        let is_it = self.contradictory || facts.contradictory;
        is_it.then(|| "the list contradicts itself about it".to_owned())
    }

    /// Whether its pieces show that bytes were only added behind those that are stated.
    fn grown(&self, facts: &Facts<'_>) -> Option<String> {
        let end = self.pieces.iter().map(|piece| piece.offset.saturating_add(piece.length)).max()?;
        let longest = self.pieces.iter().map(|piece| piece.length).max()?;
        let size = facts.size.filter(|size| *size > end)?;
        let is_same = |piece: &Piece| facts.pieces.contains(piece);
        // The last one may have been short, and is longer now.
        let whole: Vec<&Piece> = self.pieces.iter().filter(|piece| piece.length == longest).collect();
        let are_same = whole.iter().all(|piece| is_same(piece)) && !whole.is_empty();
        let same = whole.iter().map(|piece| piece.length).sum::<u64>();
        are_same
            .then(|| format!("it grew from {end} to {size} bytes; the first {same} are as they were, by its pieces"))
    }

    /// Compares with a file that was read.
    pub fn compare(&self, hashed: &HashedFile) -> Comparison {
        self.compare_with(&Facts::from(hashed))
    }

    /// Compares with the known facts of a file.
    pub fn compare_with(&self, facts: &Facts<'_>) -> Comparison {
        let (mut same, mut other, mut unsure) = (0_u64, 0_u64, 0_u64);
        let mut count = |equal: bool, is_guess: bool| match (equal, is_guess) {
            (true, _) => same += 1,
            (false, true) => unsure += 1,
            (false, false) => other += 1,
        };
        let is_theirs = |at: usize| at < 64 && facts.guessed >> at & 1 == 1;
        for (at, digest) in self.digests.iter().enumerate() {
            let of = |found: &Digest| found.algorithm() == digest.algorithm();
            if facts.read || facts.digests.iter().any(of) {
                // Of files that were read every algorithm is tried before this is asked last.
                count(facts.digests.contains(digest), !facts.read && self.is_guess(at));
            }
        }
        if !facts.read {
            // One of several values of a list that contradicts itself is not enough.
            for (at, digest) in facts.digests.iter().enumerate() {
                let mut ours = self.digests.iter().enumerate().filter(|(_, own)| own.algorithm() == digest.algorithm());
                if let Some((own, _)) = ours.next()
                    && !self.digests.contains(digest)
                {
                    count(false, is_theirs(at) || self.is_guess(own));
                }
            }
        }
        for piece in self.pieces.iter() {
            let of = |found: &&Piece| found.offset == piece.offset && found.length == piece.length;
            let found = facts.pieces.iter().find(of);
            for digest in piece.digests.iter().filter(|_| facts.read || found.is_some()) {
                count(found.is_some_and(|found| found.digests.contains(digest)), false);
            }
        }
        // Pieces without a digest of the whole say nothing of bytes added behind the last.
        let end = self.pieces.iter().map(|piece| piece.offset.saturating_add(piece.length)).max();
        let grown = self.digests.is_empty() && end.zip(facts.size).is_some_and(|(end, size)| size > end);
        let sizes = self.size.zip(facts.size);
        let resized = grown || sizes.is_some_and(|(one, other)| one != other);
        match (same, other) {
            _ if self.contradictory || facts.contradictory || resized => {
                if same > 0 {
                    Comparison::Partly
                } else {
                    Comparison::Different
                }
            }
            (_, 0) if unsure > 0 => Comparison::Unknown,
            (1.., 0) => Comparison::Same,
            (1.., _) => Comparison::Partly,
            (0, 0) if !facts.read => Comparison::Unknown,
            (0, _) => Comparison::Different,
        }
    }

    /// The facts that are stated of it, to be compared with another list's.
    pub fn facts(&self) -> Facts<'_> {
        Facts {
            size: self.size,
            digests: &self.digests,
            guessed: self.guessed,
            pieces: &self.pieces,
            times: *self.times,
            grain: self.grain,
            contradictory: self.contradictory,
            ..Facts::default()
        }
    }

    /// If size and modification time are known and the file's: whether the change time is.
    fn rot(&self, facts: &Facts<'_>) -> Option<Rot> {
        let both = |one, other, grains: [u32; 2]| {
            Instants::new((one, grains[0]), (other, grains[1])).map(|both| both.are_same())
        };
        let modified = both(self.times.modified, facts.times.modified, [self.grain, facts.grain]);
        let at_rest = self.size.is_some() && self.size == facts.size && modified == Some(true);
        at_rest.then(|| match both(self.times.changed, facts.times.changed, [0, 0]) {
            Some(true) => Rot::AtRest,
            Some(false) => Rot::Touched,
            None => Rot::Untold,
        })
    }
}
