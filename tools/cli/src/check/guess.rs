//! Digests that do not say of which algorithm they are: their length fits many. What a list means is found out by its files.

use super::{Check, place};
use crate::run::{Taker, Voice};
use pfh::sink::check::{Comparison, Expectations, Expected};
use pfh::{Algorithm, Outcome, Record, Standing, Within};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// So many files are tried before the run, of at most this size where every file gets its own chance later.
const FEW: usize = 4;
const SMALL: u64 = 1 << 20;
/// Lists of fewer files are not worth it.
const MANY: usize = 16;

/// Takes guessed digests for those of the algorithm that a few files have, if that is another than the usual: so the run itself is made
/// with it. An audit has only this; a check tries each file that remains.
pub fn settle(request: &Check, manifest: &Path, root: Option<&OsStr>, expectations: &mut Expectations) {
    let guesses = expectations.guesses();
    if guesses.is_empty() || (!request.audit && expectations.entries.len() < MANY) {
        return;
    }
    let place = place::find(root, manifest, expectations);
    let mut found: Vec<(Algorithm, Algorithm)> = Vec::new();
    for given in guesses {
        let of = |entry: &&Expected| entry.guesses().any(|(_, digest)| digest.algorithm() == given);
        let mut sized: Vec<(u64, &Expected)> = Vec::new();
        for entry in expectations.entries.iter().filter(of).take(256) {
            let below = place.below(&entry.name);
            let path = if below.starts_with(b"/") { below.to_vec() } else { [&place.root, &b"/"[..], below].concat() };
            let stat = std::fs::metadata(OsStr::from_bytes(&path)).ok().filter(std::fs::Metadata::is_file);
            // An empty file has the same digests wherever it lies, and is worth as much as any.
            sized.extend(stat.map(|stat| (stat.len(), entry)).filter(|(size, _)| request.audit || *size <= SMALL));
        }
        sized.sort_by_key(|(size, _)| *size);
        let entries: Vec<&Expected> = sized.into_iter().take(FEW).map(|(_, entry)| entry).collect();
        let names = entries.iter().map(|entry| place.below(&entry.name).to_vec()).collect();
        let (Ok(within), Ok(plan)) =
            (Within::open(&place.root, names), request.run.plan(widened(&expectations.algorithms, &entries)))
        else {
            continue;
        };
        let within = if place.named { within } else { within.with_absolute() };
        let mut again = Quiet(Again { entries: &entries, found: Vec::new(), weak: Vec::new() });
        if request.run.carry_out(Box::new(within), None, &plan, &mut again).is_err() {
            continue;
        }
        let all: Vec<Algorithm> = again.0.found.into_iter().flatten().flatten().collect();
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
}

/// The algorithms with all that the guessed digests of these entries may be of.
pub fn widened(algorithms: &[Algorithm], entries: &[&Expected]) -> Vec<Algorithm> {
    let mut all = algorithms.to_vec();
    for entry in entries {
        let lengths: Vec<usize> = entry.guesses().map(|(_, digest)| digest.algorithm().length()).collect();
        let weak = pfh::REGISTRY
            .all()
            .filter(|other| other.standing() == Standing::NonCryptographic && lengths.contains(&other.length()));
        for other in entry.alternatives(pfh::REGISTRY).into_iter().chain(weak) {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    all
}

/// Files that are read again, with more algorithms.
pub struct Again<'a> {
    /// What is expected of each.
    pub entries: &'a [&'a Expected],
    /// For each the algorithms by which it is as expected; `None` where there are none.
    pub found: Vec<Option<Vec<Algorithm>>>,
    /// Checksums that some digest is of, which prove nothing against a forger.
    pub weak: Vec<Algorithm>,
}

impl Taker for Again<'_> {
    fn take(&mut self, record: Record, _: &Voice<'_>) -> io::Result<()> {
        let entry = usize::try_from(record.number).ok().and_then(|at| self.entries.get(at));
        let entry = entry.ok_or_else(|| io::Error::other("a record of no name in the manifest"))?;
        let Outcome::Hashed(hashed) = &record.outcome else {
            self.found.push(None);
            return Ok(());
        };
        let explained = entry.explained_by(hashed, pfh::REGISTRY);
        let same = explained.compare(hashed) == Comparison::Same;
        self.found.push(same.then(|| explained.digests.iter().map(|digest| digest.algorithm()).collect()));
        if !same {
            let weak = |digest: &&pfh::Digest| digest.algorithm().standing() == Standing::NonCryptographic;
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

/// The same without a word: what is wrong with a file is said when its turn comes.
struct Quiet<'a>(Again<'a>);

impl Taker for Quiet<'_> {
    fn take(&mut self, record: Record, voice: &Voice<'_>) -> io::Result<()> {
        self.0.take(record, voice)
    }

    fn tells(&self, _: &Record) -> bool {
        false
    }
}
