//! The verdict on many things that are compared one by one: files of a list, of a tree, of a bag.

use super::{Verdict, ruled};

/// How many of them came out how. Each is compared whole, so that counts are the coverage: one that
/// is equal is a comparison that covers it, one that is unequal a comparison that differs, and one
/// that could not be compared is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Compared and equal.
    pub equal: u64,
    /// Compared and unequal; of a list or a tree also: missing, new, moved or copied.
    pub unequal: u64,
    /// Not compared, because they could not be read.
    pub open: u64,
}

impl Tally {
    /// The verdict on all of them.
    pub fn verdict(self) -> Verdict {
        ruled(self.unequal > 0, self.open > 0, self.equal > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Comparison, Coverage, Evidence, Subject, verdict};
    use super::*;

    /// Counts, and comparisons of as many parts of one image, give the same verdict.
    #[test]
    fn counts_and_comparisons_give_one_verdict() {
        const MOST: u64 = 3;
        let part = |at: u64, all: u64| {
            let over = Coverage { sizes: (all, None), compared: vec![(at, 1)], ..Coverage::default() };
            Comparison::new(Subject::Image, "a byte", "a list", Evidence::Bytes).over(over)
        };
        let mut seen = Vec::new();
        for counts in 0..MOST.pow(3) {
            let tally = Tally { equal: counts % MOST, unequal: counts / MOST % MOST, open: counts / MOST / MOST };
            let all = tally.equal + tally.unequal + tally.open;
            let of = |at: u64| match at {
                at if at < tally.equal => Some(part(at, all)),
                at if at < tally.equal + tally.unequal => Some(part(at, all).unequal(vec![(at, 1)])),
                _ => None,
            };
            let comparisons: Vec<Comparison> = (0..all).filter_map(of).collect();
            let theirs = verdict(&[Subject::Image], &comparisons, tally.open > 0);
            let ours = match tally.verdict() {
                // Of an image there is one word for all that is not compared.
                Verdict::Incomplete => Verdict::NothingToCompareWith,
                other => other,
            };
            assert_eq!(ours, theirs, "{tally:?}");
            seen.push(tally.verdict());
        }
        for verdict in [Verdict::Verified, Verdict::Differs, Verdict::Incomplete, Verdict::NothingToCompareWith] {
            assert!(seen.contains(&verdict), "{verdict}");
        }
    }
}
