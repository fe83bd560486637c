//! The parts of a file that have come, in any order, with the values of its leaves.

use std::collections::BTreeMap;
use std::ops::Range;

use pfh_digest::Executor;

use crate::flat::ReadRange;
use crate::tree_kind::{Edge, Grown, NoTree, TreeKind, Values};

/// The parts of a file that have come from streams side by side. It holds a value for each leaf,
/// and for each part of a leaf, but no bytes: they are where the caller has written them.
///
/// A stream claims a range before it writes it, and places the values when it has written; of a
/// leaf in parts the caller reads the bytes back.
///
/// ```
/// use pfh_digest::Alone;
/// use pfh_tree::outboard::{Builder, Function, Parameters};
/// use pfh_tree::{Arrivals, Grown, TreeKind};
/// let parameters = Parameters::new(Function::Blake3, 1024).unwrap();
/// let data = vec![7; 5000];
/// let kind = TreeKind::Pairs(parameters);
/// let mut arrivals = Arrivals::new(kind, 5000);
/// for range in [3000..5000, 0..3000] {
///     let bytes = &data[range.start as usize..range.end as usize];
///     assert_eq!(arrivals.claim(range.clone()).unwrap().len(), 1);
///     let values = kind.values(5000, range.start, bytes, &Alone);
///     for leaf in arrivals.place(range, values) {
///         let range = arrivals.range(leaf);
///         arrivals.settle(leaf, &data[range.start as usize..range.end as usize]).unwrap();
///     }
/// }
/// let tree = arrivals.tree(&mut |_, _| Ok::<(), ()>(()), &Alone).unwrap();
/// let mut whole = Builder::new(parameters);
/// whole.update(&data);
/// assert_eq!(tree, Grown::Pairs(whole.finish()));
/// ```
#[derive(Clone, Debug)]
pub struct Arrivals {
    pub(crate) kind: TreeKind,
    pub(crate) length: u64,
    /// The values of all leaves; zeros of those that have none yet.
    pub(crate) values: Vec<u8>,
    /// The leaves that have values: the first of a run, and the one behind its last.
    pub(crate) whole: BTreeMap<u64, u64>,
    /// Parts of other leaves, by their offsets.
    pub(crate) edges: BTreeMap<u64, Edge>,
    /// Ranges that are being written.
    claims: Vec<Range<u64>>,
}

/// A stretch of a range that a stream brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Where it lies in the file, in bytes.
    pub range: Range<u64>,
    /// Whether it came before: its bytes are to be compared with those that are there. It is to be
    /// written otherwise.
    pub came: bool,
}

impl Arrivals {
    /// Nothing yet of a file of `length` bytes.
    pub fn new(kind: TreeKind, length: u64) -> Arrivals {
        let values = vec![0; kind.leaves(length) as usize * kind.width()];
        Arrivals { kind, length, values, whole: BTreeMap::new(), edges: BTreeMap::new(), claims: Vec::new() }
    }

    /// The kind of the tree.
    pub fn kind(&self) -> TreeKind {
        self.kind
    }

    /// Bytes of the whole file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Where a leaf lies, in bytes.
    pub fn range(&self, leaf: u64) -> Range<u64> {
        self.kind.range(leaf, self.length)
    }

    /// The first stretch that has come and ends behind `from`.
    fn next(&self, from: u64) -> Option<Range<u64>> {
        let bytes = |(first, behind): (&u64, &u64)| self.range(*first).start..self.range(behind - 1).end;
        let leaf = from / self.kind.leaf() as u64;
        let before = self.whole.range(..=leaf).next_back().map(bytes).filter(|run| run.end > from);
        let run = before.or_else(|| self.whole.range(leaf + 1..).next().map(bytes));
        let edge = |(_, edge): (&u64, &Edge)| edge.range.clone();
        let before = self.edges.range(..=from).next_back().map(edge).filter(|edge| edge.end > from);
        let part = before.or_else(|| self.edges.range(from..).next().map(edge));
        run.into_iter().chain(part).min_by_key(|range| range.start)
    }

    /// The stretches of a range, in order.
    fn split(&self, range: &Range<u64>) -> Vec<Stretch> {
        let (mut stretches, mut at): (Vec<Stretch>, u64) = (Vec::new(), range.start);
        while at < range.end {
            let next = self.next(at).filter(|next| next.start < range.end);
            let (range, came) = match next {
                Some(next) if next.start <= at => (at..next.end.min(range.end), true),
                Some(next) => (at..next.start, false),
                None => (at..range.end, false),
            };
            at = range.end;
            match stretches.last_mut() {
                Some(last) if last.came == came => last.range.end = at,
                _ => stretches.push(Stretch { range, came }),
            }
        }
        stretches
    }

    /// Claims the stretches of a range that have not come. The caller [places](Arrivals::place) or
    /// [releases](Arrivals::release) each. `None` while another claim meets the range.
    pub fn claim(&mut self, range: Range<u64>) -> Option<Vec<Stretch>> {
        if self.claims.iter().any(|claim| claim.start < range.end && range.start < claim.end) {
            return None;
        }
        let stretches = self.split(&range);
        self.claims.extend(stretches.iter().filter(|stretch| !stretch.came).map(|stretch| stretch.range.clone()));
        Some(stretches)
    }

    /// Gives up the claim of a stretch.
    pub fn release(&mut self, range: &Range<u64>) {
        self.claims.retain(|claim| claim != range);
    }

    /// Takes in the values of a stretch that was claimed and has been written. The leaves that are
    /// complete now, and came in parts, are returned: they are to be [settled](Arrivals::settle).
    pub fn place(&mut self, range: Range<u64>, values: Values) -> Vec<u64> {
        self.release(&range);
        let count = (values.values.len() / self.kind.width()) as u64;
        if count > 0 {
            let at = values.first as usize * self.kind.width();
            self.values[at..at + values.values.len()].copy_from_slice(&values.values);
            self.join(values.first..values.first + count);
        }
        let mut complete = Vec::new();
        for edge in values.edges {
            let leaf = edge.range.start / self.kind.leaf() as u64;
            self.edges.insert(edge.range.start, edge);
            if matches!(&self.split(&self.range(leaf))[..], [Stretch { came: true, .. }]) {
                complete.push(leaf);
            }
        }
        complete
    }

    /// Notes a run of leaves that have values.
    pub(crate) fn join(&mut self, mut run: Range<u64>) {
        if let Some((first, behind)) = self.whole.range(..=run.start).next_back().map(|(first, end)| (*first, *end))
            && behind == run.start
        {
            self.whole.remove(&first);
            run.start = first;
        }
        if let Some(behind) = self.whole.remove(&run.end) {
            run.end = behind;
        }
        self.whole.insert(run.start, run.end);
    }

    /// Gives a leaf that came in parts its value. `bytes` are those of the leaf, read back.
    ///
    /// # Errors
    /// The offset of a part whose bytes are not those that came.
    pub fn settle(&mut self, leaf: u64, bytes: &[u8]) -> Result<(), u64> {
        let range = self.range(leaf);
        for (_, edge) in self.edges.range(range.clone()) {
            let part = &bytes[(edge.range.start - range.start) as usize..(edge.range.end - range.start) as usize];
            if self.kind.value(leaf, self.length, part) != edge.value {
                return Err(edge.range.start);
            }
        }
        let value = self.kind.value(leaf, self.length, bytes);
        let at = leaf as usize * self.kind.width();
        self.values[at..at + value.len()].copy_from_slice(&value);
        self.edges.retain(|start, _| !range.contains(start));
        self.join(leaf..leaf + 1);
        Ok(())
    }

    /// The leaves whose parts have all come and that have no value: those of a receipt that was
    /// written before they were settled.
    pub fn unsettled(&self) -> Vec<u64> {
        let mut leaves: Vec<u64> = self.edges.keys().map(|start| start / self.kind.leaf() as u64).collect();
        leaves.dedup();
        leaves.retain(|leaf| matches!(&self.split(&self.range(*leaf))[..], [Stretch { came: true, .. }]));
        leaves
    }

    /// The stretches that have come, as they are noted: runs of whole leaves, and parts of leaves.
    pub fn noted(&self) -> Vec<Range<u64>> {
        let runs = self.whole.iter().map(|(first, behind)| self.range(*first).start..self.range(behind - 1).end);
        runs.chain(self.edges.values().map(|edge| edge.range.clone())).collect()
    }

    /// Compares bytes that were read back with the values that are noted of them: whole leaves of
    /// one of the [noted](Arrivals::noted) stretches, or all of a part of a leaf.
    ///
    /// # Errors
    /// The offset of a leaf, or a part, whose bytes are not those that came.
    pub fn compare(&self, offset: u64, bytes: &[u8], executor: &dyn Executor) -> Result<(), u64> {
        let differs = match self.edges.get(&offset) {
            Some(edge) => {
                let value = self.kind.value(offset / self.kind.leaf() as u64, self.length, bytes);
                (value != edge.value).then_some(offset)
            }
            None => self.kind.compare(self.length, offset, bytes, &self.values, executor),
        };
        differs.map_or(Ok(()), Err)
    }

    /// Bytes that have come.
    pub fn bytes(&self) -> u64 {
        self.noted().iter().map(|range| range.end - range.start).sum()
    }

    /// The ranges that have not come, ascending and joined where they touch.
    pub fn missing(&self) -> Vec<Range<u64>> {
        let stretches = self.split(&(0..self.length)).into_iter();
        stretches.filter(|stretch| !stretch.came).map(|stretch| stretch.range).collect()
    }

    /// Whether every leaf has its value.
    pub fn is_complete(&self) -> bool {
        let leaves = self.kind.leaves(self.length);
        leaves == 0 || self.whole.get(&0) == Some(&leaves)
    }

    /// The tree of a file that is complete. `read` is asked for bytes that the tree itself holds;
    /// under leaf interleaving, which needs a file in order, for all of them.
    ///
    /// # Errors
    /// Those of `read`; that its bytes are not those that came.
    ///
    /// # Panics
    /// If the file is not complete.
    pub fn tree<E>(&self, read: &mut ReadRange<'_, E>, executor: &dyn Executor) -> Result<Grown, NoTree<E>> {
        assert!(self.is_complete(), "a tree of a file that has not come");
        self.kind.tree(self.length, &self.values, read, executor)
    }
}
