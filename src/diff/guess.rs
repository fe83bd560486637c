//! Digests in lists that do not name their algorithm: the other list decides, or the files of the
//! other side.

use super::problem::Problem;
use super::side::List;
use crate::algorithms::REGISTRY;
use crate::check::{Ledger, Listing};
use crate::job::Error;
use crate::objects;
use crate::pass::pass;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Plan, Record};
use pfh_ledger::plain;
use pfh_manifest::digits;
use pfh_source::{FolderSource, Source};
use std::collections::HashMap;
use std::io;

/// Takes the guessed digests of one list for those of the algorithm by which most of them are in
/// the other list. Where none is, they stay a guess.
pub fn settle(list: &mut List, other: &Ledger) {
    let mut named: HashMap<&[u8], Vec<Algorithm>> = HashMap::new();
    for digest in other.entries.iter().flat_map(|entry| &entry.digests) {
        let algorithms = named.entry(digest.bytes()).or_default();
        if !algorithms.contains(&digest.algorithm()) {
            algorithms.push(digest.algorithm());
        }
    }
    let mut votes: HashMap<(Algorithm, Algorithm), usize> = HashMap::new();
    for (_, digest) in list.ledger.entries.iter().flat_map(Listing::guesses) {
        let others = digits::alternatives(REGISTRY, digest);
        let fits = |found: &&Algorithm| **found == digest.algorithm() || others.contains(found);
        for found in named.get(digest.bytes()).into_iter().flatten().filter(fits) {
            *votes.entry((digest.algorithm(), *found)).or_default() += 1;
        }
    }
    let hints = crate::check::hints(&list.path);
    for given in list.ledger.guesses() {
        let count = |found: Algorithm| votes.get(&(given, found)).copied().unwrap_or_default();
        let others = votes.keys().filter(|(guess, _)| *guess == given).map(|(_, found)| *found);
        let best = others.max_by_key(|found| (count(*found), *found == given));
        if let Some(best) = best.filter(|best| *best != given) {
            list.ledger.adopt(given, best);
        }
        if best.is_some() || hints.contains(&given) {
            let known = best.unwrap_or(given);
            list.ledger.entries.iter_mut().for_each(|entry| entry.confirm(known));
        }
    }
}

/// Reads files below a directory once more by this plan: with more algorithms, or behind links.
///
/// # Errors
/// When the caller ended the comparison, a thread panicked, or `take` refused a record.
pub fn read(
    directory: &[u8],
    names: &[Vec<u8>],
    plan: Plan,
    control: &Control<'_>,
    take: &mut dyn FnMut(&[u8], Record) -> io::Result<()>,
) -> Result<(), Error> {
    let source: Box<dyn Source> = match objects::folder(directory) {
        Some(folder) => objects::exactly(&folder, names.iter().map(|name| &name[..]))?,
        None => match FolderSource::open(directory, names.iter().collect()) {
            Ok(within) => Box::new(within),
            Err(_) => return Ok(()),
        },
    };
    let mut each = |record: Record| {
        let name = usize::try_from(record.number).ok().and_then(|at| names.get(at));
        take(name.ok_or_else(|| io::Error::other("a record of no name"))?, record)
    };
    let ran = pass(source, || None, &plan, &mut each, control)?;
    if ran.interrupted { Err(Error::cancelled(Problem::Interrupted)) } else { Ok(()) }
}

/// Settles the guesses of a list by the files of a directory, whose digests are in `files`: those
/// that differ are read again with every algorithm that the list may mean.
///
/// # Errors
/// As [`read`].
pub fn try_files(
    directory: &[u8],
    files: &mut Ledger,
    list: &mut Ledger,
    plan: Plan,
    control: &Control<'_>,
) -> Result<(), Error> {
    let places: HashMap<Vec<u8>, usize> =
        files.entries.iter().enumerate().map(|(at, entry)| (plain(&entry.name), at)).collect();
    let mut doubts: HashMap<Vec<u8>, (usize, usize)> = HashMap::new();
    for (at, entry) in list.entries.iter().enumerate().filter(|(_, entry)| entry.guesses().next().is_some()) {
        let name = plain(&entry.name);
        if let Some(file) = places.get(&name)
            && files.entries[*file].judge(&entry.facts()).class != crate::check::Class::Matched
        {
            doubts.insert(name, (*file, at));
        }
    }
    let mut weak: Vec<usize> = Vec::new();
    let entries: Vec<&Listing> = doubts.values().map(|(_, at)| &list.entries[*at]).collect();
    let plan = Plan { algorithms: crate::check::widened(&list.algorithms, &entries), piecewise: None, ..plan };
    let mut names: Vec<Vec<u8>> = doubts.keys().cloned().collect();
    names.sort();
    if !names.is_empty() {
        read(directory, &names, plan, control, &mut |name, record| {
            if let (Some((file, at)), Outcome::Hashed(hashed)) = (doubts.get(name), record.outcome) {
                let explained = list.entries[*at].explained_by(&hashed, REGISTRY);
                if explained.judge(&(&hashed).into()).is_right() {
                    list.entries[*at] = explained;
                    files.entries[*file].digests = hashed.digests;
                } else if list.entries[*at].weak(&hashed).is_some() {
                    weak.push(*at);
                }
            }
            Ok(())
        })?;
    }
    // Where nothing names the algorithm, a checksum of the file is not a wrong digest.
    if !list.named && weak.len() == list.entries.len() {
        weak.into_iter().for_each(|at| list.entries[at].digests.clear());
    }
    // Every algorithm was tried: what differs now differs.
    list.entries.iter_mut().for_each(|entry| entry.guessed = 0);
    Ok(())
}
