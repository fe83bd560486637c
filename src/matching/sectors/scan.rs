//! Looks the blocks of a piece of a medium up.

use super::medium::{Piece, STEP};
use super::problem::Problem;
use crate::job;
use pfh_digest::{Algorithm, hash_many};
use pfh_known::{BlockTable, Error, Flag, KnownSet, Rolling, Sieve};
use std::collections::{BTreeSet, HashMap};

/// Blocks between sectors that are hashed at once.
const BATCH: usize = 64;

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
    /// The flag that its bytes call for.
    pub flag: Option<Flag>,
}

/// The tables of one size and algorithm.
struct Group<'a> {
    size: u32,
    algorithm: Algorithm,
    /// With the positions of their sets.
    tables: Vec<(usize, &'a BlockTable)>,
    /// The filters of these tables, where blocks are looked for at any byte.
    sieves: Vec<Sieve>,
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
    /// Looks for blocks of these sizes, in ascending order; `anywhere` at any byte.
    ///
    /// # Errors
    /// A set that was damaged, or has no filter for that.
    pub fn new(sets: &'a [KnownSet], sizes: &[u32], anywhere: bool) -> Result<Scan<'a>, job::Error> {
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
                let sieve = if anywhere && asked.is_some() {
                    let sieve = known.sieve(table).map_err(job::Error::aborted)?;
                    Some(sieve.ok_or_else(|| job::Error::request(Problem::NoSums(known.path().to_owned())))?)
                } else {
                    None
                };
                let same = |group: &&mut Group<'_>| group.size == size && group.algorithm == table.algorithm();
                match groups.iter_mut().find(same) {
                    Some(group) => {
                        group.tables.push((number, table));
                        group.sieves.extend(sieve);
                    }
                    None => {
                        let (algorithm, tables) = (table.algorithm(), vec![(number, table)]);
                        groups.push(Group { size, algorithm, tables, sieves: sieve.into_iter().collect(), asked });
                    }
                }
            }
        }
        Ok(Scan { sets, groups, first })
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
            if !group.sieves.is_empty() {
                self.between(group, piece, &mut hits)?;
            }
        }
        hits.sort_by_key(|hit| (hit.offset, hit.size, hit.set));
        Ok(hits)
    }

    /// Adds the telling blocks that begin at no sector. Within one that is found no other one of
    /// its size is looked for.
    fn between(&self, group: &Group<'_>, piece: &Piece, hits: &mut Vec<Hit>) -> Result<(), Error> {
        let (Some(asked), size) = (group.asked, group.size as usize) else { return Ok(()) };
        let mut places = Vec::new();
        Rolling::new(size).each(&piece.bytes, piece.starts, &mut |at, sum| {
            if group.sieves.iter().any(|sieve| sieve.may_hold(sum)) && !(at as u64).is_multiple_of(STEP) {
                places.push((at, sum));
            }
        });
        places.sort_unstable();
        // Repeated places have few different blocks: those that were looked up in vain, by sums.
        let mut vain: HashMap<u64, usize> = HashMap::new();
        let mut next = 0;
        let block = |at: usize| &piece.bytes[at..at + size];
        while let Some((at, _)) = places.get(next).copied() {
            // The next places that need a look.
            let mut batch: Vec<(usize, u64)> = Vec::with_capacity(BATCH);
            while let Some((at, sum)) = places.get(next).copied().filter(|_| batch.len() < BATCH) {
                next += 1;
                if vain.get(&sum).is_none_or(|before| block(*before) != block(at)) {
                    batch.push((at, sum));
                }
            }
            let blocks: Vec<&[u8]> = batch.iter().map(|(at, _)| block(*at)).collect();
            let mut free = at;
            for ((at, sum), digest) in batch.into_iter().zip(hash_many(group.algorithm, &blocks)) {
                if at < free {
                    continue;
                }
                let mut found = false;
                for (set, table) in &group.tables {
                    let Some(number) = self.sets[*set].find_block(table, &digest)? else { continue };
                    if Flag::of(block(at)).is_some() {
                        break;
                    }
                    found = true;
                    hits.push(Hit { offset: piece.offset + at as u64, size: asked, set: *set, number, flag: None });
                }
                if found {
                    free = at + size;
                } else {
                    vain.insert(sum, at);
                }
            }
            next += places[next..].partition_point(|(at, _)| *at < free);
        }
        Ok(())
    }
}
