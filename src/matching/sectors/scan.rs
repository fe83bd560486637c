//! Looks the blocks of a piece of a medium up.

use super::medium::{Piece, STEP};
use pfh_digest::{Algorithm, hash_many};
use pfh_known::{BlockTable, Error, Flag, KnownSet};
use std::collections::BTreeSet;

/// A block of the medium that is one of a known file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Where on the medium, in bytes.
    pub offset: u64,
    /// The position of its size.
    pub size: usize,
    /// The position of the set that knows it.
    pub set: usize,
    /// The number that the set has for it.
    pub number: u32,
    /// What its bytes say.
    pub flag: Option<Flag>,
}

/// The tables of one size and algorithm.
struct Group<'a> {
    size: u32,
    algorithm: Algorithm,
    /// With the positions of their sets.
    tables: Vec<(usize, &'a BlockTable)>,
    /// The position among the sizes that were asked for.
    asked: Option<usize>,
}

/// The sets' blocks.
pub struct Scan<'a> {
    sets: &'a [KnownSet],
    /// In ascending order of their sizes.
    groups: Vec<Group<'a>>,
    /// A size that every set in use has, and that the others need not be looked for without: a
    /// block of a known file begins with a smaller block of that file.
    first: Option<u32>,
}

impl<'a> Scan<'a> {
    /// Looks for blocks of these sizes, in ascending order.
    pub fn new(sets: &'a [KnownSet], sizes: &[u32]) -> Scan<'a> {
        let of = |known: &'a KnownSet, size: u32| known.blocks().iter().find(move |table| table.size() == size);
        let used: Vec<&KnownSet> =
            sets.iter().filter(|known| sizes.iter().any(|size| of(known, *size).is_some())).collect();
        let mut all: Vec<u32> = sets.iter().flat_map(|known| known.blocks().iter().map(BlockTable::size)).collect();
        all.sort_unstable();
        let first =
            all.into_iter().find(|size| used.iter().all(|known| known.blocks().iter().any(|t| t.size() == *size)));
        let mut wanted: BTreeSet<u32> = sizes.iter().copied().collect();
        let largest = sizes.last().copied().unwrap_or_default();
        wanted.extend(first.filter(|first| *first < largest));
        let mut groups: Vec<Group<'a>> = Vec::new();
        for size in wanted {
            let asked = sizes.iter().position(|one| *one == size);
            for (number, known) in sets.iter().enumerate() {
                let Some(table) = of(known, size) else { continue };
                let same = |group: &&mut Group<'_>| group.size == size && group.algorithm == table.algorithm();
                match groups.iter_mut().find(same) {
                    Some(group) => group.tables.push((number, table)),
                    None => {
                        let algorithm = table.algorithm();
                        groups.push(Group { size, algorithm, tables: vec![(number, table)], asked });
                    }
                }
            }
        }
        Scan { sets, groups, first }
    }

    /// The longest block that is looked at, in bytes.
    pub fn longest(&self) -> u32 {
        self.groups.iter().map(|group| group.size).max().unwrap_or(STEP as u32)
    }

    /// The algorithms by which blocks are known.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        let mut all: Vec<Algorithm> = Vec::new();
        for group in self.groups.iter().filter(|group| group.asked.is_some()) {
            if !all.contains(&group.algorithm) {
                all.push(group.algorithm);
            }
        }
        all
    }

    /// The known blocks of a piece, in order of place and then of size and set.
    ///
    /// # Errors
    /// A set that cannot be read or was damaged: then nothing may be concluded.
    pub fn hits(&self, piece: &Piece) -> Result<Vec<Hit>, Error> {
        let mut hits = Vec::new();
        // Where blocks of the first size are known.
        let mut places: BTreeSet<usize> = BTreeSet::new();
        for group in &self.groups {
            let size = group.size as usize;
            let starts: Vec<usize> = if self.first.is_some_and(|first| first < group.size) {
                places.iter().copied().collect()
            } else {
                (0..piece.starts).step_by(STEP as usize).collect()
            };
            let starts: Vec<usize> = starts.into_iter().filter(|at| at + size <= piece.bytes.len()).collect();
            let blocks: Vec<&[u8]> = starts.iter().map(|at| &piece.bytes[*at..*at + size]).collect();
            for ((at, digest), block) in starts.iter().zip(hash_many(group.algorithm, &blocks)).zip(&blocks) {
                let mut flag = None;
                for (set, table) in &group.tables {
                    let Some(number) = self.sets[*set].find_block(table, &digest)? else { continue };
                    if self.first == Some(group.size) {
                        places.insert(*at);
                    }
                    let Some(asked) = group.asked else { continue };
                    let flag = *flag.get_or_insert_with(|| Flag::of(block));
                    hits.push(Hit { offset: piece.offset + *at as u64, size: asked, set: *set, number, flag });
                }
            }
        }
        hits.sort_by_key(|hit| (hit.offset, hit.size, hit.set));
        Ok(hits)
    }
}
