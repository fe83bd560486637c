//! Digests without the name of their algorithm: their length fits many. The files of a list show
//! which algorithm it means.

use super::place::{self, Place};
use super::request::Turn;
use crate::algorithms::REGISTRY;
use crate::job::Error;
use crate::pass::{Failure, pass};
use pfh_digest::{Algorithm, Standing};
use pfh_engine::{Control, Outcome, Record};
use pfh_judge::{Comparison, Expectations, Expected};
use pfh_source::Within;
use pfh_source::os::names::{OsStrExt, is_absolute};
use std::ffi::OsStr;
use std::io;

/// Number of files that are tried before the run. A check tries only small ones, since each file
/// gets its own chance later.
const FEW: usize = 4;
/// The largest of them in a check, in bytes.
const SMALL: u64 = 1 << 20;
/// Lists of fewer files are not worth it.
const MANY: usize = 16;
/// Entries among which the smallest are looked for.
const LOOKED_AT: usize = 256;

/// Takes guessed digests for those of the algorithm by which a few files match, if that is not the
/// usual one: then the run itself is made with it. An audit has only this; a check tries each
/// remaining file.
///
/// # Errors
/// When a thread panicked. A file that cannot be read is passed over.
pub fn settle(turn: Turn<'_>, expectations: &mut Expectations, control: &Control<'_>) -> Result<(), Error> {
    let guesses = expectations.guesses();
    if guesses.is_empty() || (!turn.request.is_audit() && expectations.entries.len() < MANY) {
        return Ok(());
    }
    let place = place::find(turn, expectations);
    let mut found: Vec<(Algorithm, Algorithm)> = Vec::new();
    for given in guesses {
        let entries = smallest(turn, &place, expectations, given);
        let all = explanations(turn, &place, expectations, &entries, control)?;
        let fits = |other: &Algorithm| other.length() == given.length();
        if !all.contains(&given)
            && let Some(other) = all.into_iter().find(|other| !expectations.algorithms.contains(other) && fits(other))
        {
            found.push((given, other));
        }
    }
    for (given, other) in found {
        expectations.adopt(given, other);
    }
    Ok(())
}

/// The smallest files that have a guessed digest of this algorithm.
fn smallest<'a>(turn: Turn<'_>, place: &Place, expectations: &'a Expectations, given: Algorithm) -> Vec<&'a Expected> {
    let of = |entry: &&Expected| entry.guesses().any(|(_, digest)| digest.algorithm() == given);
    let mut sized: Vec<(u64, &Expected)> = Vec::new();
    for entry in expectations.entries.iter().filter(of).take(LOOKED_AT) {
        let below = place.below(&entry.name);
        if !place.takes(below) {
            continue;
        }
        let path = if is_absolute(below) { below.to_vec() } else { [&place.root, &b"/"[..], below].concat() };
        let stat = std::fs::metadata(OsStr::from_bytes(&path)).ok().filter(std::fs::Metadata::is_file);
        // An empty file has the same digests wherever it lies, and is worth as much as any.
        let stat = stat.map(|stat| (stat.len(), entry));
        sized.extend(stat.filter(|(size, _)| turn.request.is_audit() || *size <= SMALL));
    }
    sized.sort_by_key(|(size, _)| *size);
    sized.into_iter().take(FEW).map(|(_, entry)| entry).collect()
}

/// The algorithms by which some of these files are as expected. None when they cannot be read: the
/// check reports it when it reads them.
fn explanations(
    turn: Turn<'_>,
    place: &Place,
    expectations: &Expectations,
    entries: &[&Expected],
    control: &Control<'_>,
) -> Result<Vec<Algorithm>, Error> {
    let names = entries.iter().map(|entry| place.below(&entry.name).to_vec()).collect();
    let Ok(within) = Within::open(&place.root, names) else { return Ok(Vec::new()) };
    let within = place.taking(within);
    let plan = turn.request.plan_of(widened(&expectations.algorithms, entries), None);
    let mut tried = Tried::new(entries);
    let passed = pass(Box::new(within), || None, &plan, &mut |record: Record| tried.take(&record), control);
    match passed {
        Ok(_) => Ok(tried.found.into_iter().flatten().flatten().collect()),
        Err(Failure::Run(panicked @ pfh_engine::Error::Panicked)) => Err(panicked.into()),
        Err(_) => Ok(Vec::new()),
    }
}

/// The algorithms with all that the guessed digests of these entries may be of.
pub fn widened(algorithms: &[Algorithm], entries: &[&Expected]) -> Vec<Algorithm> {
    let mut all = algorithms.to_vec();
    for entry in entries {
        let lengths: Vec<usize> = entry.guesses().map(|(_, digest)| digest.algorithm().length()).collect();
        let weak = REGISTRY
            .all()
            .filter(|other| other.standing() == Standing::NonCryptographic && lengths.contains(&other.length()));
        for other in entry.alternatives(REGISTRY).into_iter().chain(weak) {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    all
}

/// Files that are read again, with more algorithms.
pub struct Tried<'a> {
    /// The expectation for each.
    entries: &'a [&'a Expected],
    /// For each file the algorithms by which it is as expected; `None` if there are none.
    pub found: Vec<Option<Vec<Algorithm>>>,
    /// Checksums that some digest is of, which prove nothing against a forger.
    pub weak: Vec<Algorithm>,
}

impl<'a> Tried<'a> {
    /// Nothing was read yet.
    pub fn new(entries: &'a [&'a Expected]) -> Self {
        Tried { entries, found: Vec::new(), weak: Vec::new() }
    }

    /// Takes the record of the next entry.
    ///
    /// # Errors
    /// When there are more records than entries.
    pub fn take(&mut self, record: &Record) -> io::Result<()> {
        let entry = usize::try_from(record.number).ok().and_then(|at| self.entries.get(at));
        let entry = entry.ok_or_else(|| io::Error::other("a record of no name in the manifest"))?;
        let Outcome::Hashed(hashed) = &record.outcome else {
            self.found.push(None);
            return Ok(());
        };
        let explained = entry.explained_by(hashed, REGISTRY);
        let same = explained.compare(hashed) == Comparison::Same;
        self.found.push(same.then(|| explained.digests.iter().map(|digest| digest.algorithm()).collect()));
        if !same {
            let weak = |digest: &&pfh_digest::Digest| digest.algorithm().standing() == Standing::NonCryptographic;
            for found in hashed.digests.iter().filter(weak) {
                let here = entry.guesses().any(|(_, digest)| digest.bytes() == found.bytes());
                if here && !self.weak.contains(&found.algorithm()) {
                    self.weak.push(found.algorithm());
                }
            }
        }
        Ok(())
    }
}
