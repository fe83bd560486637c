//! Building a tree of pieces that come in any order, as parallel transfers deliver them.

use std::collections::BTreeMap;
use std::ops::Range;

use pfh_digest::Executor;

use super::{Outboard, Parameters, Value};

/// Takes the pieces of a file in any order and gives its tree. Holds 32 bytes for each leaf, and
/// the bytes of partly received leaves.
///
/// ```
/// use pfh_digest::Alone;
/// use pfh_tree::outboard::{Builder, Function, Parameters, Pieces};
/// let parameters = Parameters::new(Function::Blake3, 1024).unwrap();
/// let data = vec![7; 5000];
/// let mut pieces = Pieces::new(parameters, 5000);
/// pieces.place(3000, &data[3000..], &Alone).unwrap();
/// assert_eq!(pieces.missing(), [0..3000]);
/// pieces.place(0, &data[..3000], &Alone).unwrap();
/// let mut whole = Builder::new(parameters);
/// whole.update(&data);
/// assert_eq!(pieces.finish().unwrap(), whole.finish());
/// ```
#[derive(Clone, Debug)]
pub struct Pieces {
    parameters: Parameters,
    length: u64,
    values: Vec<Option<Value>>,
    /// Partly received leaves, by index.
    parts: BTreeMap<u64, Part>,
}

#[derive(Clone, Debug, Default)]
struct Part {
    bytes: Vec<u8>,
    /// The ranges of them that have come: ascending, no two of them touch.
    have: Vec<Range<usize>>,
}

/// A piece that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceError {
    /// It reaches beyond the end of the file, whose length this is.
    Beyond(u64),
    /// These bytes of it have come before: they are not compared, as they may be gone.
    Twice(Range<u64>),
}

impl std::fmt::Display for PieceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PieceError::Beyond(length) => write!(f, "it reaches beyond the end of the file, which has {length} bytes"),
            PieceError::Twice(range) => write!(f, "bytes {} to {} came before", range.start, range.end),
        }
    }
}

impl std::error::Error for PieceError {}

impl Part {
    /// Takes in bytes at a place of the leaf; the range that came before, if any did.
    fn place(&mut self, at: usize, bytes: &[u8]) -> Result<(), Range<usize>> {
        let range = at..at + bytes.len();
        if let Some(had) = self.have.iter().find(|had| had.start < range.end && range.start < had.end) {
            return Err(had.start.max(range.start)..had.end.min(range.end));
        }
        self.bytes[range.clone()].copy_from_slice(bytes);
        self.have.push(range);
        self.have.sort_by_key(|have| have.start);
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(self.have.len());
        for have in self.have.drain(..) {
            match joined.last_mut() {
                Some(last) if last.end == have.start => last.end = have.end,
                _ => joined.push(have),
            }
        }
        self.have = joined;
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.have.first() == Some(&(0..self.bytes.len()))
    }
}

impl Pieces {
    /// Nothing yet of a file of that many bytes.
    pub fn new(parameters: Parameters, length: u64) -> Pieces {
        let leaves = parameters.leaf_count(length) as usize;
        Pieces { parameters, length, values: vec![None; leaves], parts: BTreeMap::new() }
    }

    /// Takes in bytes of the file from `offset` on. Whole leaves are hashed by the executor's
    /// threads.
    ///
    /// # Errors
    /// When they lie beyond the end, or any of them has come before; the bytes before those are
    /// taken then.
    pub fn place(&mut self, offset: u64, bytes: &[u8], executor: &dyn Executor) -> Result<(), PieceError> {
        let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= self.length);
        let Some(end) = end else { return Err(PieceError::Beyond(self.length)) };
        let leaf = self.parameters.leaf_length() as u64;
        let mut at = offset;
        // Whole leaves are hashed together where they lie.
        let mut whole: Vec<(u64, &[u8])> = Vec::new();
        let mut twice = None;
        while at < end {
            let index = at / leaf;
            let range = self.parameters.leaf_range(index, self.length);
            let until = range.end.min(end);
            let now = &bytes[(at - offset) as usize..(until - offset) as usize];
            if self.values[index as usize].is_some() {
                twice = Some(at..until);
                break;
            }
            if at == range.start && until == range.end && !self.parts.contains_key(&index) {
                whole.push((index, now));
            } else {
                let room = (range.end - range.start) as usize;
                let part = self.parts.entry(index).or_insert_with(|| Part { bytes: vec![0; room], have: Vec::new() });
                if let Err(had) = part.place((at - range.start) as usize, now) {
                    twice = Some(range.start + had.start as u64..range.start + had.end as u64);
                    break;
                }
                if part.is_whole() {
                    let part = self.parts.remove(&index).unwrap_or_default();
                    let values = self.parameters.leaves_of(self.length, &[(index, &part.bytes)]);
                    self.values[index as usize] = values.first().copied();
                }
            }
            at = until;
        }
        let values = match &whole[..] {
            [] => Vec::new(),
            [only] => self.parameters.leaves_of(self.length, &[*only]),
            many => self.parameters.leaves_on(many, executor),
        };
        for ((index, _), value) in whole.iter().zip(values) {
            self.values[*index as usize] = Some(value);
        }
        twice.map_or(Ok(()), |range| Err(PieceError::Twice(range)))
    }

    /// The ranges that have not come, ascending and joined where they touch.
    pub fn missing(&self) -> Vec<Range<u64>> {
        let mut missing: Vec<Range<u64>> = Vec::new();
        let mut add = |range: Range<u64>| match missing.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.end == range.start => last.end = range.end,
            _ => missing.push(range),
        };
        for (index, _) in (0..).zip(&self.values).filter(|(_, value)| value.is_none()) {
            let range = self.parameters.leaf_range(index, self.length);
            let mut from = range.start;
            for have in self.parts.get(&index).iter().flat_map(|part| &part.have) {
                add(from..range.start + have.start as u64);
                from = range.start + have.end as u64;
            }
            add(from..range.end);
        }
        missing
    }

    /// The tree.
    ///
    /// # Errors
    /// The ranges that have not come.
    pub fn finish(mut self) -> Result<Outboard, Vec<Range<u64>>> {
        if self.length == 0 {
            self.values = vec![Some(self.parameters.only_leaf(&[]))];
        }
        match self.values.iter().copied().collect::<Option<Vec<Value>>>() {
            Some(values) => Ok(Outboard::over(self.parameters, self.length, values)),
            None => Err(self.missing()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outboard::{Builder, Function};
    use pfh_digest::Alone;

    /// Pieces of any lengths in any order give the tree of the whole.
    #[test]
    fn any_order_gives_the_tree_of_the_whole() {
        let mut state = 1_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for function in Function::ALL {
            let parameters = Parameters::new(function, 1024).expect("a power of two");
            for length in [0_usize, 1, 1023, 1024, 1025, 2048, 5000, 40_000] {
                let data: Vec<u8> = (0..length).map(|n| (n * 31 % 251) as u8).collect();
                let mut whole = Builder::new(parameters);
                whole.update(&data);
                let whole = whole.finish();
                for _ in 0..5 {
                    let mut cuts = vec![0, length];
                    cuts.extend((0..next(12)).map(|_| next(length + 1)));
                    cuts.sort_unstable();
                    let mut ranges: Vec<Range<usize>> = cuts.windows(2).map(|cut| cut[0]..cut[1]).collect();
                    let mut pieces = Pieces::new(parameters, length as u64);
                    let mut left: u64 = length as u64;
                    while !ranges.is_empty() {
                        let range = ranges.swap_remove(next(ranges.len()));
                        pieces.place(range.start as u64, &data[range.clone()], &Alone).expect("a place");
                        left -= range.len() as u64;
                        assert_eq!(pieces.missing().iter().map(|range| range.end - range.start).sum::<u64>(), left);
                    }
                    assert_eq!(pieces.finish(), Ok(whole.clone()), "{function:?} {length}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_what_is_missing_is_known() {
        let parameters = Parameters::new(Function::Sha256, 1024).expect("a power of two");
        let mut pieces = Pieces::new(parameters, 3000);
        assert_eq!(pieces.place(2999, &[1, 2], &Alone), Err(PieceError::Beyond(3000)));
        assert_eq!(pieces.place(u64::MAX, &[1], &Alone), Err(PieceError::Beyond(3000)));
        pieces.place(500, &[1; 100], &Alone).expect("a place");
        assert_eq!(pieces.place(550, &[1; 100], &Alone), Err(PieceError::Twice(550..600)));
        pieces.place(1024, &[1; 1024], &Alone).expect("a place");
        assert_eq!(pieces.place(1100, &[1; 1], &Alone), Err(PieceError::Twice(1100..1101)));
        assert_eq!(pieces.missing(), [0..500, 600..1024, 2048..3000]);
        assert_eq!(pieces.finish(), Err(vec![0..500, 600..1024, 2048..3000]));
    }
}
