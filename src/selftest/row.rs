//! The answers, and their counts.

use crate::verdict::Verdict;
use pfh_manifest::row::Words;
use pfh_source::FindingId;

/// The subject of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Group {
    /// The machine, the kernel and the file system.
    Machine,
    /// Digests by vectors of standards and of other programs.
    Digests,
    /// Images, lists and a seal that are part of the program.
    Known,
    /// The honesty of the file system.
    Files,
    /// Speeds, for information.
    Speed,
}

impl Words for Group {
    const ALL: &'static [Group] = &[Group::Machine, Group::Digests, Group::Known, Group::Files, Group::Speed];

    fn word(self) -> &'static str {
        match self {
            Group::Machine => "machine",
            Group::Digests => "digests",
            Group::Known => "known",
            Group::Files => "files",
            Group::Speed => "speed",
        }
    }
}

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It is as it should be.
    Holds,
    /// A fact that is neither good nor bad.
    Note,
    /// It does not hold, and something is less safe for it.
    LessSafe,
    /// It could not be tried.
    Untried,
    /// A digest or a verdict of pfh is wrong here.
    Wrong,
}

impl Words for Standing {
    const ALL: &'static [Standing] =
        &[Standing::Holds, Standing::Note, Standing::LessSafe, Standing::Untried, Standing::Wrong];

    fn word(self) -> &'static str {
        match self {
            Standing::Holds => "holds",
            Standing::Note => "note",
            Standing::LessSafe => "less-safe",
            Standing::Untried => "untried",
            Standing::Wrong => "wrong",
        }
    }
}

impl Standing {
    /// The finding that it is, but for one that holds and for a fact.
    pub fn finding(self) -> Option<FindingId> {
        match self {
            Standing::Holds | Standing::Note => None,
            Standing::LessSafe => Some(FindingId::SelftestLessSafe),
            Standing::Untried => Some(FindingId::SelftestUntried),
            Standing::Wrong => Some(FindingId::SelftestWrong),
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Its subject.
    pub group: Group,
    /// The name of the test, unique in its group.
    pub name: String,
    /// The result.
    pub standing: Standing,
    /// The facts found, in words.
    pub detail: String,
    /// The consequence where it does not hold.
    pub consequence: Option<&'static str>,
    /// The remedy where it does not hold.
    pub remedy: Option<&'static str>,
}

impl Row {
    pub(super) fn new(group: Group, name: impl Into<String>, standing: Standing, detail: impl Into<String>) -> Row {
        Row { group, name: name.into(), standing, detail: detail.into(), consequence: None, remedy: None }
    }

    /// The same with a consequence and a remedy.
    pub(super) fn but(mut self, consequence: &'static str, remedy: &'static str) -> Row {
        (self.consequence, self.remedy) = (Some(consequence), Some(remedy));
        self
    }
}

/// How many answers of each result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// As they should be.
    pub holds: u64,
    /// Less safe.
    pub less_safe: u64,
    /// Not tried.
    pub untried: u64,
    /// Wrong.
    pub wrong: u64,
}

impl Summary {
    pub(super) fn count(&mut self, row: &Row) {
        match row.standing {
            Standing::Holds => self.holds += 1,
            Standing::Note => {}
            Standing::LessSafe => self.less_safe += 1,
            Standing::Untried => self.untried += 1,
            Standing::Wrong => self.wrong += 1,
        }
    }

    /// *Differs* if something is wrong, *incomplete* if something is less safe or was not tried.
    pub fn verdict(&self) -> Verdict {
        match self {
            Summary { wrong: 1.., .. } => Verdict::Differs,
            Summary { less_safe: 0, untried: 0, .. } => Verdict::Verified,
            _ => Verdict::Incomplete,
        }
    }
}
