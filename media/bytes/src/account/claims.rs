//! Claims on ranges of a medium, and the account that they make.

use super::extent::{Account, Extent, Holds};
use super::look::looks_like;
use crate::bytes::Bytes;
use crate::field::{failure, read_some};
use crate::node::Failure;
use std::ops::Range;

/// Bytes that are looked at together: residue begins and ends with such a block, counted from the
/// start of what nothing claims.
const UNIT: usize = 512;
/// Claims beyond the end that are named.
const FAULTS: usize = 100;
/// Bytes of a medium that are read at once.
const WINDOW: usize = 64 * UNIT;

/// Ranges that a reader understands, and what it found wrong on the way.
#[derive(Debug, Clone, Default)]
pub struct Claims(Vec<Extent>, Vec<Failure>);

impl Claims {
    /// Takes up a range; an empty one is none.
    pub fn add(&mut self, range: Range<u64>, holds: Holds, name: &[u8]) {
        if range.start < range.end {
            let (start, length) = (range.start, range.end - range.start);
            self.0.push(Extent { start, length, holds, name: name.to_vec() });
        }
    }

    /// Takes up a fault: an account with one is not whole.
    pub fn fault(&mut self, fault: Failure) {
        self.1.push(fault);
    }

    /// Takes up a range unless the same was taken up last.
    pub fn add_once(&mut self, range: Range<u64>, holds: Holds, name: &[u8]) {
        let is_there = |last: &Extent| last.start == range.start && last.end() == range.end && last.holds == holds;
        if !self.0.iter().rev().take(64).any(is_there) {
            self.add(range, holds, name);
        }
    }

    /// Takes up a range as the rest of the one before, if that is of the same use and ends there.
    pub fn add_next(&mut self, range: Range<u64>, holds: Holds, name: &[u8]) {
        match self.0.last_mut().filter(|last| last.end() == range.start && last.holds == holds && last.name == name) {
            Some(last) => last.length = range.end - last.start,
            None => self.add(range, holds, name),
        }
    }

    /// Takes up those parts of other claims that nothing here claims.
    pub fn add_beneath(&mut self, size: u64, others: Claims) {
        self.1.extend(others.1);
        let mut own: Vec<Range<u64>> = self.0.iter().map(|claim| claim.start..claim.end()).collect();
        own.sort_unstable_by_key(|range| range.start);
        let (mut gaps, mut at) = (Vec::new(), 0);
        for range in own {
            if range.start > at {
                gaps.push(at..range.start);
            }
            at = at.max(range.end);
        }
        gaps.push(at..size.max(at));
        for other in others.0 {
            let first = gaps.partition_point(|gap| gap.end <= other.start);
            for gap in gaps[first..].iter().take_while(|gap| gap.start < other.end()) {
                self.add(gap.start.max(other.start)..gap.end.min(other.end()), other.holds, &other.name);
            }
        }
    }

    /// Takes up the claims of a part of the medium that begins there, with this in front of names.
    pub fn add_part(&mut self, start: u64, prefix: &[u8], part: Account) {
        for fault in part.faults {
            let offset = fault.offset.map(|offset| offset.saturating_add(start));
            self.1.push(Failure { path: [prefix, &fault.path].concat(), offset, ..fault });
        }
        for extent in part.extents.into_iter().chain(part.overlaps) {
            let is_named = !matches!(extent.holds, Holds::Residue | Holds::Padding);
            let name = [if is_named { prefix } else { b"" }, &extent.name].concat();
            self.add(start + extent.start..start + extent.end(), extent.holds, &name);
        }
    }

    /// The account of a medium of `size` bytes: claims in order of place, cut where an earlier one
    /// has the bytes, and what lies between them. A claim beyond the end is a fault.
    ///
    /// # Errors
    /// If bytes that nothing claims cannot be read.
    pub fn close(mut self, bytes: &dyn Bytes) -> Result<Account, Failure> {
        let size = bytes.size();
        let mut account = Account { size, faults: std::mem::take(&mut self.1), ..Account::default() };
        for claim in self.0.iter().filter(|claim| claim.end() > size).take(FAULTS) {
            let missing = claim.end() - size.max(claim.start);
            let cause = format!("{} reaches {missing} bytes beyond the end: it is cut off", claim.holds.name());
            account.faults.push(Failure { path: claim.name.clone(), ..failure(Some(claim.start), cause) });
        }
        for place in self.places(size, &mut account.overlaps) {
            match place {
                Ok(extent) => account.extents.push(extent),
                Err(gap) => between(bytes, gap, &mut account.extents)?,
            }
        }
        Ok(account)
    }

    /// The ranges below `size` that nothing claims.
    pub fn gaps(self, size: u64) -> Vec<Range<u64>> {
        self.places(size, &mut Vec::new()).into_iter().filter_map(Result::err).collect()
    }

    /// The claims in order of place, and the gaps between them; claims beyond the first on the same
    /// bytes are overlaps.
    fn places(self, size: u64, overlaps: &mut Vec<Extent>) -> Vec<Result<Extent, Range<u64>>> {
        let mut claims = self.0;
        claims.sort_by(|one, next| (one.start, next.length, one.holds).cmp(&(next.start, one.length, next.holds)));
        let (mut places, mut at): (Vec<Result<Extent, Range<u64>>>, u64) = (Vec::new(), 0);
        for claim in claims {
            let (start, end) = (claim.start.min(size), claim.start.saturating_add(claim.length).min(size));
            if start > at {
                places.push(Err(at..start));
                at = start;
            }
            if start < at.min(end) {
                overlaps.push(Extent { start, length: at.min(end) - start, ..claim.clone() });
            }
            if end <= at {
                continue;
            }
            match places.last_mut() {
                Some(Ok(last)) if last.end() == at && last.holds == claim.holds && last.name == claim.name => {
                    last.length = end - last.start;
                }
                _ => places.push(Ok(Extent { start: at, length: end - at, ..claim })),
            }
            at = end;
        }
        if at < size {
            places.push(Err(at..size));
        }
        places
    }
}

/// The extents of bytes that nothing claims: padding and residue in turns.
fn between(bytes: &dyn Bytes, gap: Range<u64>, extents: &mut Vec<Extent>) -> Result<(), Failure> {
    let first = extents.len();
    let (mut at, mut fill) = (gap.start, None);
    while at < gap.end {
        let window = read_some(bytes, at, (gap.end - at).min(WINDOW as u64) as usize)?;
        for block in window.chunks(UNIT) {
            let value = block.first().copied().filter(|first| block.iter().all(|byte| byte == first));
            let holds = if value.is_some() { Holds::Padding } else { Holds::Residue };
            match extents[first..].last_mut() {
                // Padding of another value is another piece of it.
                Some(last) if last.holds == holds && fill == value => last.length += block.len() as u64,
                _ => extents.push(Extent { start: at, length: block.len() as u64, holds, name: Vec::new() }),
            }
            fill = value;
            at += block.len() as u64;
        }
        if window.is_empty() {
            break;
        }
    }
    for extent in extents[first..].iter_mut().filter(|extent| extent.holds == Holds::Residue) {
        let start = read_some(bytes, extent.start, extent.length.min(4096) as usize)?;
        extent.name = looks_like(&start).into_bytes();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gaps_are_padding_or_residue() {
        let mut medium = vec![0; 4096];
        medium[1024..1030].copy_from_slice(b"hidden");
        let mut claims = Claims::default();
        claims.add(0..512, Holds::Structure, b"table");
        claims.add(2048..3000, Holds::Content, b"a");
        claims.add(2900..3100, Holds::Content, b"b");
        let account = claims.close(&medium).unwrap();
        let seen: Vec<_> = account.extents.iter().map(|extent| (extent.start, extent.length, extent.holds)).collect();
        let expected = [
            (0, 512, Holds::Structure),
            (512, 512, Holds::Padding),
            (1024, 512, Holds::Residue),
            (1536, 512, Holds::Padding),
            (2048, 952, Holds::Content),
            (3000, 100, Holds::Content),
            (3100, 996, Holds::Padding),
        ];
        assert_eq!(seen, expected);
        let residue = account.residue().next().unwrap();
        assert_eq!(residue.name, b"text: hidden");
        assert!(account.faults.is_empty());
        let mut beyond = Claims::default();
        beyond.add(4000..5000, Holds::Content, b"c");
        let faults = beyond.close(&medium).unwrap().faults;
        assert!(faults[0].path == b"c" && faults[0].cause.contains("904 bytes beyond the end"), "{faults:?}");
        let overlap = &account.overlaps[0];
        assert_eq!((overlap.start, overlap.length, &overlap.name[..]), (2900, 100, &b"b"[..]));
    }

    proptest! {
        #[test]
        fn extents_tile_the_medium(
            claims in prop::collection::vec((0..3000_u64, 0..900_u64, 0..7_usize), 0..20),
            marks in prop::collection::vec(0..2500_usize, 0..20),
        ) {
            let mut medium = vec![0; 2500];
            marks.iter().for_each(|at| medium[*at] = 1);
            let mut all = Claims::default();
            for (start, length, holds) in &claims {
                all.add(*start..start + length, Holds::ALL[*holds], b"x");
            }
            let account = all.close(&medium).unwrap();
            let mut at = 0;
            for extent in &account.extents {
                prop_assert_eq!(extent.start, at);
                prop_assert!(extent.length > 0);
                at = extent.end();
            }
            prop_assert_eq!(at, 2500);
            let total: u64 = Holds::ALL.iter().map(|holds| account.sum(*holds)).sum();
            prop_assert_eq!(total, 2500);
            // Every claimed byte is in the account as claimed, or in an overlap.
            let claimed: u64 = claims.iter().map(|(start, length, _)| (start + length).min(2500).saturating_sub(*start)).sum();
            let kept: u64 = account.extents.iter().filter(|extent| extent.name == b"x").map(|extent| extent.length).sum();
            let lapped: u64 = account.overlaps.iter().map(|extent| extent.length).sum();
            prop_assert_eq!(claimed, kept + lapped);
        }
    }
}
