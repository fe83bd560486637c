//! Digests without the name of their algorithm: their length fits many. The files of a list show
//! which algorithm it means.

use super::place::{self, Place};
use super::request::Turn;
use crate::algorithms::REGISTRY;
use crate::job::Error;
use crate::pass::{Failure, pass};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Control, HashedFile, Outcome, Record};
use pfh_ledger::{Facts, Ledger, Listing, Reread, disagree};
use pfh_source::FolderSource;
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
/// usual one: then the run itself is made with it. Each remaining file that differs gets its own
/// trial later. Gives the algorithms that files agree with.
///
/// # Errors
/// When a thread panicked. A file that cannot be read is passed over.
pub fn settle(turn: Turn<'_>, ledger: &mut Ledger, control: &Control<'_>) -> Result<Vec<Algorithm>, Error> {
    let guesses = ledger.guesses();
    if guesses.is_empty() || (!turn.request.is_audit() && ledger.entries.len() < MANY) {
        return Ok(Vec::new());
    }
    let place = place::find(turn, ledger);
    let mut found: Vec<(Algorithm, Algorithm)> = Vec::new();
    let mut confirmed: Vec<Algorithm> = Vec::new();
    for given in guesses {
        let entries = smallest(turn, &place, ledger, given);
        let all = explanations(turn, &place, ledger, &entries, control)?;
        let fits = |other: &Algorithm| other.length() == given.length();
        if all.contains(&given) {
            confirmed.push(given);
        } else if let Some(other) = all.into_iter().find(|other| !ledger.algorithms.contains(other) && fits(other)) {
            found.push((given, other));
        }
    }
    for (given, other) in found {
        ledger.adopt(given, other);
        confirmed.push(other);
    }
    Ok(confirmed)
}

/// The smallest files that have a guessed digest of this algorithm.
fn smallest<'a>(turn: Turn<'_>, place: &Place, ledger: &'a Ledger, given: Algorithm) -> Vec<&'a Listing> {
    let of = |entry: &&Listing| entry.guesses().any(|(_, digest)| digest.algorithm() == given);
    let mut sized: Vec<(u64, &Listing)> = Vec::new();
    for entry in ledger.entries.iter().filter(of).take(LOOKED_AT) {
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
    ledger: &Ledger,
    entries: &[&Listing],
    control: &Control<'_>,
) -> Result<Vec<Algorithm>, Error> {
    let names = entries.iter().map(|entry| place.below(&entry.name)).collect();
    let Ok(within) = FolderSource::open(&place.root, names) else { return Ok(Vec::new()) };
    let within = place.taking(within);
    let plan = turn.request.plan_of(widened(&ledger.algorithms, entries), None);
    let mut tried = GuessedFiles::new(entries, Vec::new());
    let passed = pass(Box::new(within), || None, &plan, &mut |record: Record| tried.take(&record), control);
    match passed {
        Ok(_) => Ok(tried.found.into_iter().flat_map(Trial::into_algorithms).collect()),
        Err(Failure::Run(panicked @ pfh_engine::Error::Panicked)) => Err(panicked.into()),
        Err(_) => Ok(Vec::new()),
    }
}

/// The algorithms with all that the guessed digests of these entries may be of.
pub fn widened(algorithms: &[Algorithm], entries: &[&Listing]) -> Vec<Algorithm> {
    let mut all = algorithms.to_vec();
    for entry in entries {
        for other in entry.alternatives(REGISTRY).into_iter().chain(entry.checksums(REGISTRY)) {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    all
}

/// The outcome of a file that was read with more algorithms.
#[derive(Debug)]
pub enum Trial {
    /// It is as listed, by these algorithms.
    Same(Vec<Algorithm>),
    /// It has the value as its checksum by this algorithm, which proves nothing against a forger.
    Weak(Algorithm),
    /// It is by none; the judge's words on it.
    Different(Option<String>),
    /// An earlier read had another digest by the same algorithm.
    Torn(Box<Reread>),
    /// It could not be read.
    Unread,
}

impl Trial {
    fn into_algorithms(self) -> Vec<Algorithm> {
        match self {
            Trial::Same(algorithms) => algorithms,
            Trial::Weak(_) | Trial::Different(_) | Trial::Torn(_) | Trial::Unread => Vec::new(),
        }
    }
}

/// Files that are read again, with more algorithms.
pub struct GuessedFiles<'a> {
    /// The statements of the list on each.
    entries: &'a [&'a Listing],
    /// The outcome of each.
    pub found: Vec<Trial>,
    /// Whether the bytes of some stated digest are in little-endian order.
    pub is_little: bool,
    /// The earlier read of each, where there was one.
    firsts: Vec<Option<&'a HashedFile>>,
}

impl<'a> GuessedFiles<'a> {
    /// Nothing was tried yet; these were read before.
    pub fn new(entries: &'a [&'a Listing], firsts: Vec<Option<&'a HashedFile>>) -> Self {
        GuessedFiles { entries, found: Vec::new(), is_little: false, firsts }
    }

    /// Takes the record of the next entry.
    ///
    /// # Errors
    /// When there are more records than entries.
    pub fn take(&mut self, record: &Record) -> io::Result<()> {
        let entry = usize::try_from(record.number).ok().and_then(|at| self.entries.get(at));
        let entry = entry.ok_or_else(|| io::Error::other("a record of no name in the manifest"))?;
        let Outcome::Hashed(hashed) = &record.outcome else {
            self.found.push(Trial::Unread);
            return Ok(());
        };
        let first = self.firsts.get(self.found.len()).copied().flatten();
        if let Some(first) = first.filter(|first| disagree(&first.digests, &hashed.digests)) {
            self.found.push(Trial::Torn(Box::new(entry.reread(first, &record.outcome, REGISTRY))));
            return Ok(());
        }
        let explained = entry.explained_by(hashed, REGISTRY);
        let judged = explained.judge(&Facts::from(hashed));
        if judged.is_right() {
            let is_other = |(one, other): (&Digest, &Digest)| one.bytes() != other.bytes();
            self.is_little |= explained.digests.iter().zip(&entry.digests).any(is_other);
            self.found.push(Trial::Same(explained.digests.iter().map(|digest| digest.algorithm()).collect()));
            return Ok(());
        }
        self.found.push(entry.weak(hashed).map_or(Trial::Different(judged.cause), Trial::Weak));
        Ok(())
    }
}
