//! The verdict of every job that compares.
//!
//! A [`Comparison`] names both sides, the evidence and the ranges that it covers. One function,
//! [`verdict`], computes the verdict on images, logs and signatures from comparisons and from
//! nothing else. Sides that are compared whole and one by one (the files of a list, a tree or a
//! bag) are counted in a [`Tally`], whose verdict is by the same rule.

mod comparison;
mod coverage;
mod covering;
mod tally;

use pfh_manifest::row::Words;
use std::fmt;

pub use comparison::{Comparison, Evidence, Outcome, Subject};
pub use coverage::{Alone, Coverage, Side, Space, Unread};
pub use tally::Tally;

/// The verdict on a comparison. A good verdict names its evidence: the summary that gives it names
/// both sides of each comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every byte of both sides was compared and is equal, or the evidence itself states that a
    /// part is outside.
    Verified,
    /// Something was compared and is unequal; of an audited tree also: is missing, new, moved or
    /// copied.
    Differs,
    /// Nothing differs, and something could not be read.
    Incomplete,
    /// Nothing could be compared; of an image also: not all.
    NothingToCompareWith,
}

impl Words for Verdict {
    const ALL: &'static [Verdict] =
        &[Verdict::Verified, Verdict::Differs, Verdict::Incomplete, Verdict::NothingToCompareWith];

    fn word(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Differs => "differs",
            Verdict::Incomplete => "incomplete",
            Verdict::NothingToCompareWith => "nothing-to-compare-with",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The verdict on the `wanted` subjects, from all comparisons. `is_open` says that something could
/// not be read, understood or compared at all.
pub fn verdict(wanted: &[Subject], comparisons: &[Comparison], is_open: bool) -> Verdict {
    let is_open = is_open || !missing(wanted, comparisons).is_empty();
    match ruled(comparisons.iter().any(Comparison::is_unequal), is_open, is_covered(wanted, comparisons)) {
        Verdict::Incomplete => Verdict::NothingToCompareWith,
        other => other,
    }
}

/// The rule behind every verdict: a difference decides; without one, an open point; a good verdict
/// needs comparisons that cover the wanted subjects.
fn ruled(is_unequal: bool, is_open: bool, is_covered: bool) -> Verdict {
    match (is_unequal, is_open, is_covered) {
        (true, ..) => Verdict::Differs,
        (false, true, _) => Verdict::Incomplete,
        (false, false, true) => Verdict::Verified,
        (false, false, false) => Verdict::NothingToCompareWith,
    }
}

/// The comparisons on one thing.
fn of(about: Subject, comparisons: &[Comparison]) -> Vec<&Comparison> {
    comparisons.iter().filter(|one| one.about == about).collect()
}

/// Whether there is evidence for all that is wanted: for an image for every byte of it.
fn is_covered(wanted: &[Subject], comparisons: &[Comparison]) -> bool {
    wanted.iter().all(|about| match about {
        Subject::Image => covering::is_whole(&of(*about, comparisons)),
        Subject::Log | Subject::Signer | Subject::Seal => !of(*about, comparisons).is_empty(),
    })
}

/// Reasons against a good verdict, one sentence each: parts of one side that nothing covers, and
/// subjects that were compared with nothing.
pub fn missing(wanted: &[Subject], comparisons: &[Comparison]) -> Vec<String> {
    let mut all: Vec<String> = comparisons.iter().flat_map(Comparison::gaps).collect();
    for about in wanted {
        let of_it = of(*about, comparisons);
        match about {
            Subject::Image if !covering::is_whole(&of_it) => all.extend(covering::uncovered(&of_it)),
            Subject::Log if of_it.is_empty() => all.push("the log was not compared".to_owned()),
            Subject::Signer if of_it.is_empty() => all.push("no log here is signed by that key".to_owned()),
            Subject::Seal if of_it.is_empty() => all.push("the seal was not compared".to_owned()),
            Subject::Image | Subject::Log | Subject::Signer | Subject::Seal => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_image(size: u64, compared: &[(u64, u64)]) -> Comparison {
        let coverage = Coverage { sizes: (size, None), compared: compared.to_vec(), ..Coverage::default() };
        Comparison::new(Subject::Image, "the image", "a list", Evidence::Bytes).over(coverage)
    }

    fn alone(side: Side, stated: Option<&str>) -> Comparison {
        let mut one = of_image(100, &[(0, 60)]);
        one.coverage.sizes = (100, Some(60));
        one.coverage.alone.push(Alone { side, offset: 60, length: 40, stated: stated.map(str::to_owned) });
        one
    }

    const IMAGE: &[Subject] = &[Subject::Image];

    #[test]
    fn verified_is_only_what_is_covered_and_equal() {
        assert_eq!(verdict(IMAGE, &[], false), Verdict::NothingToCompareWith);
        assert_eq!(verdict(IMAGE, &[of_image(100, &[(0, 100)])], false), Verdict::Verified);
        assert_eq!(verdict(IMAGE, &[of_image(100, &[(0, 100)])], true), Verdict::NothingToCompareWith);
        assert_eq!(verdict(IMAGE, &[of_image(0, &[])], false), Verdict::Verified, "an empty image, compared");
        // Two pieces make a whole, one does not.
        let (first, second) = (of_image(100, &[(0, 50)]), of_image(100, &[(50, 50)]));
        assert_eq!(verdict(IMAGE, std::slice::from_ref(&first), false), Verdict::NothingToCompareWith);
        assert_eq!(verdict(IMAGE, &[second, first], false), Verdict::Verified);
        assert_eq!(verdict(IMAGE, &[of_image(100, &[(0, 99)])], false), Verdict::NothingToCompareWith);
    }

    #[test]
    fn a_part_on_one_side_alone_counts_as_the_evidence_states() {
        for side in [Side::This, Side::Other] {
            assert_eq!(verdict(IMAGE, &[alone(side, None)], false), Verdict::NothingToCompareWith);
        }
        assert_eq!(verdict(IMAGE, &[alone(Side::This, Some("the log"))], false), Verdict::Verified);
        // The additional part of the other side does not cover the image.
        assert_eq!(verdict(IMAGE, &[alone(Side::Other, Some("the log"))], false), Verdict::NothingToCompareWith);
    }

    #[test]
    fn unreadable_is_no_difference_and_no_success() {
        let mut one = of_image(100, &[(0, 90)]);
        one.coverage.unread.push(Unread { side: Side::Other, offset: 90, length: 10 });
        assert_eq!(verdict(IMAGE, &[of_image(100, &[(0, 100)]), one], false), Verdict::NothingToCompareWith);
    }

    #[test]
    fn one_unequal_comparison_decides() {
        let unequal = of_image(100, &[(0, 100)]).unequal(vec![(7, 1)]);
        assert_eq!(verdict(IMAGE, &[of_image(100, &[(0, 100)]), unequal], true), Verdict::Differs);
    }

    #[test]
    fn a_chain_is_evidence_for_the_log_and_a_signature_for_the_signer() {
        let log = Comparison::new(Subject::Log, "the chain of records", "a.log.jsonl", Evidence::Fact);
        assert_eq!(verdict(IMAGE, std::slice::from_ref(&log), false), Verdict::NothingToCompareWith);
        assert_eq!(verdict(&[Subject::Log], std::slice::from_ref(&log), false), Verdict::Verified);
        let both = [Subject::Log, Subject::Signer];
        assert_eq!(verdict(&both, std::slice::from_ref(&log), false), Verdict::NothingToCompareWith);
        let signer = Comparison::new(Subject::Signer, "the signature", "a key", Evidence::Fact);
        assert_eq!(verdict(&both, &[log, signer], false), Verdict::Verified);
        // Sizes and case data cover no byte of the image.
        let fact = Comparison::new(Subject::Image, "the case data", "a log", Evidence::Fact);
        assert_eq!(verdict(IMAGE, &[fact], false), Verdict::NothingToCompareWith);
    }
}
