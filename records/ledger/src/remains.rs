//! The parts of a manifest that are not compared with any file.

use super::ledger::Ledger;
use pfh_manifest::{Ending, Fault, Reason};
use pfh_source::{FindingId, terminal};
use std::collections::BTreeMap;

impl Ledger {
    /// Parts of the manifest that are not compared with anything, a sentence each: they must not
    /// pass in silence.
    pub fn not_compared(&self) -> Vec<String> {
        let mut said = Vec::new();
        let mut unknown: BTreeMap<&str, u64> = BTreeMap::new();
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        let mut improper = 0;
        let mut bare: Vec<String> = Vec::new();
        for (_, fault) in &self.faults {
            match fault {
                Fault::UnknownAlgorithm(name) | Fault::OfUnknown(_, name) | Fault::NeedsKey(name) => {
                    *unknown.entry(name).or_default() += 1
                }
                Fault::NoFile(kind) => *kinds.entry(kind).or_default() += 1,
                Fault::Unasked => {}
                Fault::NoDigest(name) => bare.push(terminal::render(name)),
                Fault::NotUnderstood(what) => {
                    said.push(format!("the document is not understood: it is {}", terminal::render(what.as_bytes())));
                }
                _ => improper += 1,
            }
        }
        if improper > 0 {
            said.push(format!("{} improperly formatted", count(improper, "line is", "lines are")));
        }
        if let [first, rest @ ..] = &bare[..] {
            let rest = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            said.push(format!("{} no digest: {first}{rest}", count(bare.len() as u64, "file has", "files have")));
        }
        for (name, lines) in unknown {
            let name = terminal::render(name.as_bytes());
            said.push(format!("{} of {name} not verified", count(lines, "line", "lines")));
        }
        for (name, digests) in &self.foreign {
            let name = terminal::render(name.as_bytes());
            said.push(format!("{} of {name} not compared", count(*digests, "digest", "digests")));
        }
        for (kind, records) in kinds {
            let (one, many) = (format!("record of a {kind}"), format!("records of a {kind}"));
            said.push(format!("{} not verified, as it is not a file", count(records, &one, &many)));
        }
        let failed = self.unhashed.iter().filter(|unhashed| unhashed.reason == Reason::Failed);
        let failed: Vec<String> = failed.map(|unhashed| terminal::render(&unhashed.name)).collect();
        if let [first, rest @ ..] = &failed[..] {
            let rest = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            said.push(format!(
                "{} no digest, since reading failed when the manifest was made: {first}{rest}",
                count(failed.len() as u64, "record has", "records have")
            ));
        }
        match self.ending {
            Ending::Unmarked | Ending::Whole => {}
            Ending::Missing => {
                said.push("the manifest has no end: it was cut off, or its writer was interrupted".into())
            }
            Ending::Contradicted { what, stated, found } => {
                said.push(format!("the manifest is not whole: its end counts {stated} {what}, {found} were read"));
            }
            Ending::OtherNames => {
                said.push("the manifest is not whole: its end is of other names, though of as many records".into())
            }
            Ending::Broken => {
                said.push("the document is not well-formed: the part after the break was not read".into())
            }
        }
        said
    }

    /// The findings that keep parts of the list from being compared, and how often each is there.
    pub fn findings(&self) -> BTreeMap<FindingId, u64> {
        let mut found: BTreeMap<FindingId, u64> = BTreeMap::new();
        let mut add = |finding: FindingId, count: u64| *found.entry(finding).or_default() += count;
        self.faults.iter().for_each(|(_, fault)| add(fault.finding(), 1));
        self.foreign.values().for_each(|digests| add(FindingId::ListForeign, *digests));
        self.failed().for_each(|_| add(FindingId::ListFailed, 1));
        let contradictory = self.entries.iter().filter(|entry| entry.contradictory).count() as u64;
        if contradictory > 0 {
            add(FindingId::ListContradiction, contradictory);
        }
        match self.ending {
            Ending::Unmarked | Ending::Whole => {}
            Ending::Missing => add(FindingId::ListNoEnd, 1),
            Ending::Contradicted { .. } => add(FindingId::ListCount, 1),
            Ending::OtherNames => add(FindingId::ListNames, 1),
            Ending::Broken => add(FindingId::ListBrokenOff, 1),
        }
        found
    }

    /// Entries that were skipped by rule when the manifest was made, and things that are not files:
    /// there is nothing to compare.
    pub fn skipped(&self) -> u64 {
        self.unhashed.iter().filter(|unhashed| unhashed.reason == Reason::Skipped).count() as u64
    }
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
