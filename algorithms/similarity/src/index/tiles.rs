//! Filters that share enough bits: each against 512 at a time that stand bit by bit.
//!
//! A third of the bits of a full filter are set, so that no bit is rare and every two filters share
//! some: an index of bits would list all filters for each. Instead one filter is compared with 512
//! at once ([`Columns`]), and for all of them together it is known soon that none shares enough.
//! The bound is that of the rule for the least weight among the 512, so filters of like weight
//! stand together. Of two filters the lighter one has fewer bits to count, so it is compared with
//! the blocks in which there are heavier ones.
//!
//! A digest is in one chunk, so that the two of a pair meet in one pair of chunks.

use super::packed::PackedFilters;
use super::rule::{Rule, Weight};
use super::{Pairs, Share, Visitor};
use pfh_kernel::similarity::bloom::{self, Bits};
use pfh_kernel::similarity::columns::{Columns, LANES, Places};
use std::ops::{ControlFlow, Range};

/// Filters of a chunk at most, and chunks of small searches.
const CHUNK: usize = 64 * LANES;
const CHUNKS: usize = 8;
/// Filters whose bits, as numbers of columns, stay in the second cache beside a block.
const TILE: usize = 256;

/// Digests that are scored between two reports of progress.
const STEP: usize = 1 << 12;

/// The filters of digests, in chunks.
pub(super) struct Tiles {
    chunks: Vec<Chunk>,
    /// Those of the second set, where two are compared.
    others: Vec<Chunk>,
    is_half: bool,
}

struct Chunk {
    /// The numbers of its digests, ascending.
    numbers: Vec<u32>,
    /// Its filters by weight.
    filters: Vec<Filter>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy)]
struct Filter {
    /// The digest, as its place in the chunk, and which of its filters.
    digest: u32,
    filter: u32,
    weight: Weight,
}

/// 512 filters of a chunk, or its last.
struct Block {
    columns: Columns,
    filters: Range<usize>,
    /// Not more than the weight of any of them.
    least: Weight,
    /// The weight of the last.
    most: Weight,
}

impl Tiles {
    /// Those of digests whose pairs are asked for.
    pub fn new(packed: &PackedFilters, pairs: Pairs) -> Tiles {
        // Fits: there are fewer than 2^31 digests.
        let all = 0..packed.entries.len() as u32;
        let is_second = |number: &u32| match pairs {
            Pairs::All => false,
            Pairs::Across(split) => packed.entries[*number as usize].place >= split,
        };
        let (others, first): (Vec<u32>, Vec<u32>) = all.partition(is_second);
        let chunks = |numbers: Vec<u32>| -> Vec<Chunk> {
            parts(packed, &numbers).into_iter().map(|part| Chunk::new(packed, numbers[part].to_vec())).collect()
        };
        Tiles { chunks: chunks(first), others: chunks(others), is_half: pairs == Pairs::All }
    }

    /// The pairs of chunks of a share, each with the steps before it and all steps, which take
    /// about the same time each.
    pub fn pairs(&self, share: Share) -> impl Iterator<Item = ([usize; 2], (u64, u64))> {
        let (count, others) = (self.chunks.len(), self.others.len());
        let behind = move |first| if self.is_half { first..count } else { 0..others };
        let all = if self.is_half { count * (count + 1) / 2 } else { count * others };
        let pairs = (0..count).flat_map(move |first| behind(first).map(move |second| [first, second]));
        let numbered = pairs.enumerate().map(move |(number, pair)| (pair, (number as u64, all as u64)));
        numbered.skip(share.part as usize).step_by(share.of.max(1) as usize)
    }

    /// Calls `found` with the numbers of each two digests of two chunks that have two filters with
    /// the bits needed for `least`, once; tells the visitor the progress meanwhile. The number of
    /// filters compared.
    pub fn each<V: Visitor>(
        &self,
        packed: &PackedFilters,
        ([first, second], (done, all)): ([usize; 2], (u64, u64)),
        (rule, least): (&impl Rule, u32),
        visitor: &mut V,
        found: impl Fn(&mut V, u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        let one = &self.chunks[first];
        let other = if self.is_half { &self.chunks[second] } else { &self.others[second] };
        let mut marks = Marks::new(one, other);
        let mut tell = || visitor.progress(done, all);
        let (rule, of_one) = ((rule, least), self.is_half && first == second);
        let compared = if of_one {
            let order = |row: u32, lane: u32| (row != lane).then(|| [row.min(lane), row.max(lane)]);
            against(packed, (one, other), rule, order, &mut marks, &mut tell)?
        } else {
            against(packed, (one, other), rule, |row, lane| Some([row, lane]), &mut marks, &mut tell)?
                + against(packed, (other, one), rule, |row, lane| Some([lane, row]), &mut marks, &mut tell)?
        };
        for (number, (a, b)) in marks.each().enumerate() {
            if number % STEP == 0 {
                visitor.progress(done, all)?;
            }
            found(visitor, one.numbers[a], other.numbers[b])?;
        }
        ControlFlow::Continue(compared)
    }
}

/// Compares the filters of a chunk with the heavier ones of another, or of itself, and marks the
/// digests of those that share enough. `order`: their places as they are marked, if they are.
fn against(
    packed: &PackedFilters,
    (rows, lanes): (&Chunk, &Chunk),
    (rule, least): (&impl Rule, u32),
    order: impl Fn(u32, u32) -> Option<[u32; 2]>,
    marks: &mut Marks,
    tell: &mut impl FnMut() -> ControlFlow<()>,
) -> ControlFlow<(), u64> {
    let mut compared = 0;
    for tile in rows.filters.chunks(TILE) {
        tell()?;
        let places: Vec<Places> = tile.iter().map(|row| Places::new(rows.filter(packed, row))).collect();
        // The first of a tile is the lightest, the last block the heaviest.
        let from = lanes.blocks.partition_point(|block| block.most < tile[0].weight);
        for block in &lanes.blocks[from..] {
            let heavier = tile.partition_point(|row| row.weight <= block.most);
            let of_block = &lanes.filters[block.filters.clone()];
            for (row, places) in tile[..heavier].iter().zip(&places) {
                compared += of_block.len() as u64;
                let sharing = block.columns.sharing(places, rule.needed(row.weight, block.least, least));
                for lane in sharing.each().map(|lane| &of_block[lane]) {
                    let Some(pair) = order(row.digest, lane.digest).filter(|pair| !marks.has(*pair)) else { continue };
                    let [bits, other] = [rows.filter(packed, row), lanes.filter(packed, lane)];
                    let mut common = [0];
                    bloom::common(bits, std::slice::from_ref(other), &mut common);
                    if common[0] >= rule.needed(row.weight, lane.weight, least) {
                        marks.add(pair);
                    }
                }
            }
        }
    }
    ControlFlow::Continue(compared)
}

/// A bit for each two digests of two chunks; rows without one take no room.
struct Marks {
    rows: Vec<Option<Box<[u64]>>>,
    words: usize,
}

impl Marks {
    fn new(one: &Chunk, other: &Chunk) -> Marks {
        Marks { rows: vec![None; one.numbers.len()], words: other.numbers.len().div_ceil(64) }
    }

    fn has(&self, [a, b]: [u32; 2]) -> bool {
        self.rows[a as usize].as_ref().is_some_and(|row| row[b as usize / 64] >> (b % 64) & 1 == 1)
    }

    fn add(&mut self, [a, b]: [u32; 2]) {
        let words = self.words;
        let row = self.rows[a as usize].get_or_insert_with(|| vec![0; words].into_boxed_slice());
        row[b as usize / 64] |= 1 << (b % 64);
    }

    /// Those that are marked, ascending.
    fn each(&self) -> impl Iterator<Item = (usize, usize)> {
        let of = |(a, row): (usize, &Option<Box<[u64]>>)| {
            let words = row.iter().flat_map(|row| row.iter().enumerate()).filter(|(_, word)| **word != 0);
            let bits = |(at, word): (usize, &u64)| {
                let word = *word;
                (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * at + bit)
            };
            words.flat_map(bits).map(move |b| (a, b)).collect::<Vec<_>>()
        };
        self.rows.iter().enumerate().flat_map(of)
    }
}

/// Ranges of digests with as many filters as a chunk has, or of one digest.
fn parts(packed: &PackedFilters, numbers: &[u32]) -> Vec<Range<usize>> {
    let all: usize = numbers.iter().map(|number| packed.filters(*number)).sum();
    let most = all.div_ceil(CHUNKS).next_multiple_of(LANES).clamp(LANES, CHUNK);
    let (mut parts, mut start, mut filters) = (Vec::new(), 0, 0);
    for (at, &number) in numbers.iter().enumerate() {
        let own = packed.filters(number);
        if filters + own > most && at > start {
            parts.push(start..at);
            (start, filters) = (at, 0);
        }
        filters += own;
    }
    if start < numbers.len() {
        parts.push(start..numbers.len());
    }
    parts
}

impl Chunk {
    fn new(packed: &PackedFilters, numbers: Vec<u32>) -> Chunk {
        let filter = |(digest, filter, weight): (usize, usize, Weight)| {
            // Fits: as many as digests, and as filters of one in memory.
            Filter { digest: digest as u32, filter: filter as u32, weight }
        };
        let mut filters: Vec<Filter> = packed.compared(&numbers).map(filter).collect();
        filters.sort_by_key(|filter| filter.weight);
        let mut chunk = Chunk { numbers, filters, blocks: Vec::new() };
        let block = |(number, filters): (usize, &[Filter])| {
            let bits: Vec<&Bits> = filters.iter().map(|filter| chunk.filter(packed, filter)).collect();
            let weights = filters.iter().map(|filter| filter.weight);
            Block {
                columns: Columns::new(&bits),
                filters: number * LANES..number * LANES + filters.len(),
                least: weights.clone().reduce(Weight::min).unwrap_or(Weight::NONE),
                most: weights.max().unwrap_or(Weight::NONE),
            }
        };
        chunk.blocks = chunk.filters.chunks(LANES).enumerate().map(block).collect();
        chunk
    }

    fn filter<'a>(&self, packed: &PackedFilters<'a>, filter: &Filter) -> &'a Bits {
        packed.filter(self.numbers[filter.digest as usize], filter.filter)
    }
}
