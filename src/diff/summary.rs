//! The result of a comparison: the counts, the digests, and the parts that were not compared.

use super::class::Counts;
use super::request::{Extra, Request};
use super::side::{DiffSide, List};
use crate::hash::Use;
use crate::verdict::{Tally, Verdict};
use pfh_digest::Algorithm;
use pfh_manifest::Ending;
use pfh_source::terminal::{render, shown};
use pfh_source::{FindingId, Levels};
use std::collections::BTreeMap;
use std::ffi::OsString;

/// Why there was nothing to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nothing {
    /// Both sides are the same directory or file.
    OneThing,
    /// This side is a list without a record.
    NoRecord(DiffSide),
    /// Neither side has a file.
    NoFile,
}

/// The result of a comparison.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// A and B, as they were named.
    pub sides: [OsString; 2],
    /// How many names are of each class.
    pub counts: Counts,
    /// The algorithms by which contents were compared.
    pub computed: Vec<Algorithm>,
    /// The start of the names of each side that was left out, so that they agree.
    pub bases: [Vec<u8>; 2],
    /// Why there was nothing to compare; `None` if there was something.
    pub nothing: Option<Nothing>,
    /// Parts of the lists that were not compared, one sentence for each kind.
    pub not_compared: Vec<String>,
    /// The same by their findings, with those that have no sentence.
    pub unlisted: BTreeMap<FindingId, u64>,
    /// How much each finding counts.
    pub levels: Levels,
    /// Whether a list is broken off in the middle of a document.
    pub broken: bool,
    /// Links and other things that are not files, of each side.
    pub skipped: [u64; 2],
    /// Whether names of B alone are differences.
    pub extra: Extra,
    /// How the cache was used, if there is one.
    pub cache: Option<Use>,
}

impl Summary {
    /// Nothing was compared yet.
    pub(super) fn new(request: &Request) -> Summary {
        Summary {
            sides: request.sides.clone(),
            counts: Counts::default(),
            computed: Vec::new(),
            bases: Default::default(),
            nothing: None,
            not_compared: Vec::new(),
            unlisted: BTreeMap::new(),
            levels: request.plan.levels.clone(),
            broken: false,
            skipped: [0; 2],
            extra: request.extra,
            cache: None,
        }
    }

    /// Notes the parts of a list that are compared with nothing.
    pub(super) fn add(&mut self, list: &List) {
        let name = shown(&list.path);
        let sentences = list.ledger.not_compared().into_iter();
        self.not_compared.extend(sentences.map(|sentence| format!("{name}: {sentence}")));
        for (finding, count) in list.ledger.findings() {
            // Of names that a list contradicts itself about the class is said.
            if finding != FindingId::ListContradiction {
                *self.unlisted.entry(finding).or_default() += count;
            }
        }
        self.broken |= list.ledger.ending == Ending::Broken;
        self.skipped[list.which as usize] += list.ledger.skipped();
    }

    /// The verdict over all names.
    pub fn verdict(&self) -> Verdict {
        let mut tally = self.counts.tally(&self.levels);
        if self.extra == Extra::Welcome {
            let counts = |finding| self.levels.counts(finding);
            let extra = [super::Class::Added, super::Class::Copied].into_iter();
            let extra = extra.filter(|class| class.finding().is_some_and(counts)).map(|class| self.counts.of(class));
            tally.unequal = tally.unequal.saturating_sub(extra.sum());
        }
        tally.open += self.unlisted.keys().filter(|finding| self.levels.counts(**finding)).count() as u64;
        // Of sides that are one, or hold nothing, nothing was compared.
        if self.nothing.is_some() { Tally::default().verdict() } else { tally.verdict() }
    }

    /// The compared sides, the digests, and the result.
    pub fn sentence(&self) -> String {
        let side = |which: DiffSide| render(self.sides[which as usize].as_encoded_bytes());
        let (a, b) = (side(DiffSide::A), side(DiffSide::B));
        let between = format!("{a} and {b}");
        let mut line = match self.nothing {
            Some(Nothing::OneThing) => return format!("{between} are one and the same: nothing to compare"),
            Some(Nothing::NoRecord(which)) => {
                let name = side(which);
                return format!("{name}: nothing to compare with: it is a list without a record, or no list at all");
            }
            Some(Nothing::NoFile) => return format!("{between}: nothing to compare: neither has a file"),
            None => format!("{between} {}", self.outcome()),
        };
        for (base, which) in self.bases.iter().zip([DiffSide::A, DiffSide::B]).filter(|(base, _)| !base.is_empty()) {
            line += &format!("; names of {} are compared without {} in front", side(which), render(base));
        }
        let skipped: u64 = self.skipped.iter().sum();
        if skipped > 0 {
            line += &format!("; {skipped} links and other things that are not files were not compared");
        }
        if let Some(used) = self.cache {
            line += &format!("; {} files were not read again", used.reused);
        }
        if !self.not_compared.is_empty() {
            line += "; not all of the lists was compared, see above";
        }
        line
    }

    fn outcome(&self) -> String {
        use super::Class;
        let counted =
            |class: &Class| (self.counts.of(*class) > 0).then(|| format!("{} {class}", self.counts.of(*class)));
        let found: Vec<String> = Class::ALL.iter().filter(|class| **class != Class::Same).filter_map(counted).collect();
        let names: Vec<String> = self.computed.iter().map(Algorithm::to_string).collect();
        let same = self.counts.of(Class::Same);
        let by = if names.is_empty() { String::new() } else { format!(" by {}", names.join(", ")) };
        match self.verdict() {
            Verdict::Differs => format!("differ: {}; {same} same{by}", found.join(", ")),
            Verdict::Verified => format!("are the same: {same} {}{by}", if same == 1 { "file" } else { "files" }),
            _ if found.is_empty() => format!("are the same as far as they were compared: {same} same{by}"),
            _ => format!("are the same as far as they could be compared: {}; {same} same{by}", found.join(", ")),
        }
    }
}
