//! GNU's check: a line per file.

use super::told::Told;
use super::{Check, guess, name, place};
use crate::exit::{self, Exit};
use crate::run::{Taker, Voice};
use crate::shown;
use pfh::sink::check::{Comparison, Expectations, Expected};
use pfh::{Algorithm, Descend, Operands, Outcome, Record, Source, Within};
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::Path;

/// Checks the files that a manifest names.
///
/// # Errors
/// A sentence for the user, when the root cannot be opened.
pub fn run(
    request: &Check,
    manifest: &Path,
    root: Option<&OsStr>,
    expectations: &Expectations,
    told: &mut Told,
) -> Result<Exit, String> {
    let place = place::find(root, manifest, expectations);
    told.remarks.extend(place.remark.clone());
    let names = || expectations.entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
    let files = source(request, &place, names())?;
    // The names once more only where somebody looks at the progress.
    let watched = !request.run.no_progress && io::stderr().is_terminal();
    let again = watched.then(|| source(request, &place, names()).ok()).flatten();
    let mut plan = request.run.plan(expectations.algorithms.clone())?;
    plan.piecewise = expectations.piecewise;
    let mut checking =
        Checking { request, entries: &expectations.entries, seen: Seen::default(), held: Vec::new(), told };
    let ended = match request.run.carry_out(files, again, &plan, &mut checking) {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    if ended.summary.interrupted {
        return Ok(ended.interrupted(format_args!("{} files were looked at, the rest was not", checking.seen.looked())));
    }
    request.run.tell(&ended.summary);
    let Checking { seen, held, .. } = checking;
    let mut seen = seen;
    if !held.is_empty() {
        match doubts(request, &place, expectations, &held, &mut seen, told)? {
            Ok(()) => {}
            Err(exit) => return Ok(exit),
        }
    }
    if !request.status {
        for (count, one, many) in [
            (seen.missing + seen.unread, "listed file could not be read", "listed files could not be read"),
            (seen.different, "computed checksum did NOT match", "computed checksums did NOT match"),
        ] {
            if count > 0 {
                exit::say(format!("WARNING: {count} {}", if count == 1 { one } else { many }));
            }
        }
    }
    if request.ignore_missing && seen.looked() == 0 {
        told.nothing(format!("no file of {} was verified", name(manifest)));
        return Ok(Exit::Incomplete);
    }
    told.against.extend([
        (seen.different, "not as the manifest has it"),
        (seen.missing, "missing"),
        (seen.ignored, "not there, ignored"),
        (seen.unread, "could not be read"),
    ]);
    Ok(match seen {
        Seen { different: 0, missing: 0, unread: 0, .. } => Exit::Good,
        Seen { different: 0, missing: 0, .. } => Exit::Incomplete,
        _ => Exit::Verdict,
    })
}

/// The files of these names. Relative ones stay below the root; absolute ones are taken as they are, unless the user said where to look.
fn source(request: &Check, place: &place::Place, names: Vec<Vec<u8>>) -> Result<Box<dyn Source>, String> {
    let root = &place.root;
    let names = names.into_iter().map(|name| place.below(&name).to_vec());
    if !request.allow_outside {
        let within = Within::open(root, names.collect()).map_err(|problem| format!("{}: {problem}", shown(root)))?;
        return Ok(if place.named { Box::new(within) } else { Box::new(within.with_absolute()) });
    }
    let outside = |name: Vec<u8>| if name.first() == Some(&b'/') { name } else { [root, &b"/"[..], &name].concat() };
    let names: Vec<Vec<u8>> = names.map(outside).collect();
    Ok(Box::new(Operands::new(names, Descend::default())))
}

/// Reads the files again that have not the digest that a line of this length usually means, with every algorithm that it may mean.
/// Prints what was held back meanwhile.
fn doubts(
    request: &Check,
    place: &place::Place,
    expectations: &Expectations,
    held: &[(usize, Word)],
    seen: &mut Seen,
    told: &mut Told,
) -> Result<Result<(), Exit>, String> {
    let doubtful: Vec<usize> = held.iter().filter(|(_, word)| *word == Word::Doubt).map(|(at, _)| *at).collect();
    let entries: Vec<&Expected> = doubtful.iter().map(|at| &expectations.entries[*at]).collect();
    let files = source(request, place, entries.iter().map(|entry| entry.name.clone()).collect())?;
    let plan = request.run.plan(guess::widened(&expectations.algorithms, &entries))?;
    let mut again = guess::Again { entries: &entries, found: Vec::new(), weak: Vec::new() };
    match request.run.carry_out(files, None, &plan, &mut again) {
        Err(exit) => return Ok(Err(exit)),
        Ok(ended) if ended.summary.interrupted => {
            return Ok(Err(ended.interrupted(format_args!("{} files have no verdict", doubtful.len()))));
        }
        Ok(_) => {}
    }
    let guess::Again { found, weak, .. } = again;
    let mut found = found.into_iter();
    let mut others: Vec<Algorithm> = Vec::new();
    for (at, word) in held {
        let word = match word {
            Word::Doubt => match found.next().flatten() {
                Some(algorithms) => {
                    seen.right += 1;
                    told.verify(algorithms.iter());
                    others.extend(algorithms.iter().filter(|other| !expectations.algorithms.contains(other)));
                    Word::Right
                }
                None => {
                    seen.different += 1;
                    Word::Wrong
                }
            },
            word => *word,
        };
        if let Err(error) = word.print(request, &expectations.entries[*at]) {
            return Ok(Err(exit::of_output(&error)));
        }
    }
    others.sort();
    others.dedup();
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(Algorithm::to_string).collect();
        told.remarks.push(format!("that digests are of {} was found by trying: -a says it", names.join(" and ")));
    }
    if let Some(weak) = weak.first() {
        told.remarks.push(format!(
            "a file has the {weak} that stands there, which anybody can bring about: say -a {weak} if the manifest is of that"
        ));
    }
    Ok(Ok(()))
}

#[derive(Clone, Copy, Default)]
struct Seen {
    right: u64,
    different: u64,
    missing: u64,
    ignored: u64,
    unread: u64,
}

impl Seen {
    fn looked(&self) -> u64 {
        self.right + self.different
    }
}

/// What is said of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Right,
    Wrong,
    Unread,
    Ignored,
    /// Not yet: other algorithms are to be tried.
    Doubt,
}

impl Word {
    fn print(self, request: &Check, entry: &Expected) -> io::Result<()> {
        let word = match self {
            Word::Right if request.quiet => return Ok(()),
            Word::Right => "OK",
            Word::Wrong | Word::Doubt => "FAILED",
            Word::Unread => "FAILED open or read",
            Word::Ignored => return Ok(()),
        };
        if request.status { Ok(()) } else { exit::print(format!("{}: {word}\n", shown(&entry.name)).as_bytes()) }
    }
}

struct Checking<'a> {
    request: &'a Check,
    entries: &'a [Expected],
    seen: Seen,
    /// What is to be said from the first doubt on: the order is that of the manifest.
    held: Vec<(usize, Word)>,
    told: &'a mut Told,
}

/// Whether a file is not there: a part of its path is none, or no directory.
fn is_missing(record: &Record) -> bool {
    matches!(&record.outcome, Outcome::Failed(problem) if matches!(problem.code(), "ENOENT" | "ENOTDIR"))
}

impl Taker for Checking<'_> {
    fn take(&mut self, record: Record, _: &Voice<'_>) -> io::Result<()> {
        // Records come in the order of the names, one for each.
        let number = usize::try_from(record.number).ok();
        let Some((at, entry)) = number.and_then(|at| Some((at, self.entries.get(at)?))) else {
            return Err(io::Error::other("a record of no name in the manifest"));
        };
        let word = match &record.outcome {
            Outcome::Hashed(hashed) if entry.compare(hashed) == Comparison::Same => {
                self.seen.right += 1;
                let pieces = entry.pieces.first().map(|piece| &piece.digests[..]).unwrap_or_default();
                let digests = if entry.digests.is_empty() { pieces } else { &entry.digests };
                let algorithms: Vec<Algorithm> = digests.iter().map(|digest| digest.algorithm()).collect();
                self.told.verify(algorithms.iter());
                Word::Right
            }
            Outcome::Hashed(_) if entry.guesses().next().is_some() => Word::Doubt,
            Outcome::Hashed(_) => {
                self.seen.different += 1;
                Word::Wrong
            }
            Outcome::Failed(_) if is_missing(&record) && self.request.ignore_missing => {
                self.seen.ignored += 1;
                Word::Ignored
            }
            Outcome::Failed(_) if is_missing(&record) => {
                self.seen.missing += 1;
                Word::Unread
            }
            Outcome::Failed(_) | Outcome::Skipped(_) => {
                self.seen.unread += 1;
                Word::Unread
            }
        };
        if word == Word::Doubt || !self.held.is_empty() {
            self.held.push((at, word));
            return Ok(());
        }
        word.print(self.request, entry)
    }

    fn tells(&self, record: &Record) -> bool {
        !(self.request.ignore_missing && is_missing(record))
    }
}
