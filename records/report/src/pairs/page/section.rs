//! The part of the page for one algorithm.

use super::said::PairResults;
use crate::html::{self, escape};
use pfh_similarity::{Degenerate, Score};
use std::collections::HashMap;

/// How an algorithm's scores are to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale {
    /// Whether they are distances: 0 is the best.
    pub distance: bool,
    /// The score that a pair had to reach, where that is known.
    pub threshold: Option<Score>,
    /// How many digests were compared, where that is known.
    pub digests: Option<u64>,
}

/// The compared sides.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its name; raw bytes.
    pub name: &'a [u8],
    /// Its size in bytes, where that is known.
    pub size: Option<u64>,
}

/// The part of the page for one algorithm.
#[derive(Debug, Default)]
pub struct Section {
    pub algorithm: String,
    pub threshold: String,
    pub distance: bool,
    pub digests: Option<u64>,
    pub pairs: Vec<Row>,
    /// Pairs beyond those that link members that no pair before linked: with them every group hangs
    /// together.
    pub bridges: Vec<(u32, u32, Score)>,
    /// A member's way to the one that stands for its group so far.
    pub parents: HashMap<u32, u32>,
    pub count: u64,
    /// Of them, those with a digest that matches random data.
    pub saturated: u64,
    pub bins: Vec<u64>,
    /// The numbers of the groups, if they are not 1, 2 …
    pub numbers: Vec<u64>,
}

/// A pair of the table.
#[derive(Debug)]
pub struct Row {
    pub a: u32,
    pub b: u32,
    pub score: Score,
    pub shared: Option<u64>,
    pub degenerate: Option<Degenerate>,
    /// The results of all methods, where they were asked together.
    pub said: Option<Box<PairResults>>,
}

impl Section {
    /// Sorts the pairs by score, the best first; equal ones stay in the order in which they came.
    /// Those of all methods came the closest first.
    pub fn order(&mut self) {
        if self.pairs.iter().any(|row| row.said.is_some()) {
            return;
        }
        match self.distance {
            true => self.pairs.sort_by_key(|row| row.score.number()),
            false => self.pairs.sort_by_key(|row| std::cmp::Reverse(row.score.number())),
        }
    }

    /// The number of the group at this place.
    pub fn number(&self, place: usize) -> u64 {
        self.numbers.get(place).copied().unwrap_or(place as u64 + 1)
    }

    /// The id that ties a group of this section to its rows: no other section has the same.
    pub fn group(&self, number: u64) -> String {
        format!("{}-{number}", escape(&self.algorithm))
    }

    /// Puts the groups of two members together; whether they were apart.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents.insert(a.max(b), a.min(b));
        }
        a != b
    }

    fn root(&mut self, mut member: u32) -> u32 {
        while let Some(&parent) = self.parents.get(&member) {
            if let Some(&next) = self.parents.get(&parent) {
                self.parents.insert(member, next);
            }
            member = parent;
        }
        member
    }
}

/// Ends a table of this many rows: those of a long one wait in a template.
pub fn end(out: &mut String, rows: usize) {
    if rows > html::STEP {
        out.push_str("</template></tbody></table>\n<noscript><p>Scripts do not run here: the first rows are shown.</p></noscript>\n");
    } else {
        out.push_str("</tbody></table>\n");
    }
}
