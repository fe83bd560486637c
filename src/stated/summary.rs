//! The result over all objects.

use super::judge::{Came, ObjectJudgement, compared};
use crate::Verdict;
use crate::check::Manner;
use crate::verdict::Tally;
use std::collections::BTreeMap;

/// The result of the job.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Objects that are as their stores state.
    pub verified: u64,
    /// Objects that are not.
    pub different: u64,
    /// Objects without a stated digest that could be compared.
    pub nothing: u64,
    /// Objects that could not be read.
    pub unread: u64,
    /// Keys that stand for folders.
    pub skipped: u64,
    /// Objects with values that were stated and not compared, beside others that were.
    pub in_part: u64,
    /// Verified objects by the values that they were compared with.
    pub by: BTreeMap<String, u64>,
    /// How the request judges values that were not compared.
    pub manner: Manner,
}

impl Summary {
    pub(super) fn count(&mut self, judged: &ObjectJudgement) {
        match judged.verdict() {
            Verdict::Differs => self.different += 1,
            Verdict::Verified => {
                self.verified += 1;
                self.in_part += u64::from(judged.not_compared().next().is_some());
                for (claim, _) in judged.findings.iter().filter(|(_, came)| matches!(came, Came::Same(_))) {
                    *self.by.entry(compared(claim)).or_default() += 1;
                }
            }
            _ => self.nothing += 1,
        }
    }

    pub(super) fn unread(&mut self, skipped: bool) {
        if skipped { self.skipped += 1 } else { self.unread += 1 }
    }

    /// All objects.
    pub fn objects(&self) -> u64 {
        self.verified + self.different + self.nothing + self.unread
    }

    /// The verdict over all objects. Values that were not compared are in the counts beside it.
    pub fn verdict(&self) -> Verdict {
        Tally { equal: self.verified, unequal: self.different, open: self.unread }.verdict()
    }

    /// The verdict over all objects and all that is stated of them, which must be compared as a
    /// whole unless the request is lenient.
    pub fn conclusion(&self) -> Verdict {
        match self.verdict() {
            Verdict::Verified if !self.not_compared().is_empty() && self.manner != Manner::Lenient => {
                Verdict::Incomplete
            }
            verdict => verdict,
        }
    }

    /// Values that could not be compared, a sentence for each kind.
    pub fn not_compared(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let objects = |count: u64| if count == 1 { "object" } else { "objects" };
        if self.nothing > 0 && self.verified + self.different > 0 {
            let count = self.nothing;
            sentences.push(format!("{count} {} with nothing stated to compare with", objects(count)));
        }
        if self.in_part > 0 {
            let count = self.in_part;
            sentences.push(format!("{count} {} with a stated value that was not compared", objects(count)));
        }
        sentences
    }

    /// The compared objects and headers, and the values that were not compared.
    pub fn sentence(&self) -> String {
        let all = self.objects();
        let objects = if all == 1 { "object" } else { "objects" };
        if self.verdict() == Verdict::NothingToCompareWith {
            return format!(
                "nothing to compare with: of {all} {objects} the store states nothing that can be compared"
            );
        }
        let count = match self.verified {
            verified if verified == all => format!("{verified} {objects}"),
            verified => format!("{verified} of {all} {objects}"),
        };
        let by = self.by.iter();
        let by = by.map(|(by, count)| if *count == self.verified { by.clone() } else { format!("{by} ({count})") });
        let by = by.collect::<Vec<_>>().join(", ");
        let mut line = format!("{count} verified against what the store states");
        if !by.is_empty() {
            line += &format!(": {by}");
        }
        for (count, what) in [(self.different, "not as the store states"), (self.unread, "could not be read")] {
            if count > 0 {
                line += &format!("; {count} {what}");
            }
        }
        for sentence in self.not_compared() {
            line += &format!("; {sentence}");
        }
        line
    }
}
