//! The files that a manifest lists, each compared with its entry.

use super::again::Rereader;
use super::guess::{GuessedFiles, Trial, widened};
use super::likely::Nearest;
use super::part::Files;
use super::place::{Place, Remark};
use super::problem::Problem;
use super::request::{Request, Turn};
use super::{Event, Events, FileOutcome, Findings, Nothing, Part, Task};
use crate::job::{Error, PathError};
use crate::pass::pass;
use pfh_digest::Algorithm;
use pfh_engine::{Control, HashedFile, Outcome, Record};
use pfh_ledger::{Facts, Ledger, Likely, Listing, Reread};
use pfh_source::os::names::{OsStrExt, is_absolute};
use pfh_source::terminal::render;
use pfh_source::{Descend, FolderSource, Item, NameRow, Operands, Source, is_address};
use std::ffi::OsStr;
use std::io;
use std::time::Instant;

/// A file's state after the first pass.
enum First {
    /// The outcome, its cause, and the second read.
    Checked(FileOutcome, Option<String>, Option<Box<Reread>>),
    /// The file of this path below the root is to be read, with other algorithms than it was read
    /// with.
    Again(Vec<u8>, Option<Box<HashedFile>>),
}

/// Entries that are begun before a time; the first one in any case.
struct Until {
    source: Box<dyn Source>,
    until: Option<Instant>,
    begun: bool,
}

impl Until {
    fn is_over(&mut self) -> bool {
        let begun = std::mem::replace(&mut self.begun, true);
        begun && self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl Source for Until {
    fn pull(&mut self) -> Option<Item> {
        if self.is_over() { None } else { self.source.pull() }
    }
}

/// Compares the files that a manifest names, at this place; none is begun after a time, if there is
/// one.
pub fn run(
    turn: Turn<'_>,
    place: Place,
    ledger: &Ledger,
    until: Option<Instant>,
    summary: &mut Part,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<(), Error> {
    let request = turn.request;
    summary.remarks.extend(place.remark.clone());
    summary.root = place.absolute.is_none().then(|| place.root.clone());
    let names = || ledger.entries.iter().map(|entry| place.below(&entry.name)).collect::<NameRow>();
    let source = Box::new(Until { source: source(request, &place, names())?, until, begun: false });
    let plan = request.plan_of(ledger.algorithms.clone(), ledger.piecewise);
    let ignore_missing = matches!(request.task, Task::Files { ignore_missing: true, .. });
    let entries = &ledger.entries;
    let mut again = Rereader::new(request, control);
    let mut comparing = Comparing {
        entries,
        place: &place,
        likely: request.likely,
        nearest: Nearest::new(&place.root, ledger.flat),
        ignore_missing,
        files: Files::default(),
        held: Vec::new(),
        again: &mut again,
        summary,
        events,
    };
    let counted = || self::source(request, &place, names()).ok();
    let passed = pass(source, counted, &plan, &mut comparing, control)?;
    let Comparing { mut files, held, .. } = comparing;
    if passed.interrupted {
        return Err(Error::cancelled(Problem::Interrupted(files.compared())));
    }
    events(Event::Passed(&passed)).map_err(Error::Sink)?;
    if !held.is_empty() {
        let doubts = Doubts { request, place: &place, ledger, held: &held };
        doubts.resolve(&mut files, &mut again, summary, events, control)?;
    }
    if files.likely > 0 {
        summary.remarks.push(Remark::Likely(files.likely));
    }
    if files.compared() > 0 {
        // Only some of a large list's names were looked for beforehand.
        summary.remarks.retain(|remark| *remark != Remark::Nowhere);
    }
    summary.rereads = again.counts;
    summary.findings = Findings::Files(files);
    if ignore_missing && files.compared() == 0 {
        summary.nothing = Some(Nothing::NoFile);
    }
    Ok(())
}

/// The files of these paths below the root. Relative ones stay there; absolute ones are taken as
/// they are where the place takes them.
fn source(request: &Request, place: &Place, names: NameRow) -> Result<Box<dyn Source>, Error> {
    #[cfg(feature = "inside")]
    if let Some(options) = super::within::options(request, names.left()) {
        let outer = of_files(request, place, names)?;
        // Names that may lead outside are joined with the root already.
        let root = if request.leads_outside() { &b""[..] } else { &place.root };
        return Ok(Box::new(crate::inside::Lookup::new(outer, options, root)));
    }
    of_files(request, place, names)
}

fn of_files(request: &Request, place: &Place, names: NameRow) -> Result<Box<dyn Source>, Error> {
    let root = &place.root;
    if !request.leads_outside() {
        let within = FolderSource::open(root, names);
        let within = within.map_err(|problem| Error::input(PathError::new(OsStr::from_bytes(root), problem)))?;
        return Ok(Box::new(place.taking(within)));
    }
    let is_whole = |name: &[u8]| is_absolute(name) || is_address(name);
    let outside = |name: Vec<u8>| if is_whole(&name) { name } else { [root, &b"/"[..], &name].concat() };
    let names: Vec<Vec<u8>> = names.map(outside).collect();
    #[cfg(feature = "remote")]
    if names.iter().any(|name| is_address(name)) {
        let names = Box::new(names.into_iter().map(Ok));
        return Ok(Box::new(pfh_remote::LocatedSource::new(names, Descend::default(), pfh_remote::Meant::Exactly)));
    }
    Ok(Box::new(Operands::new(names, Descend::default())))
}

/// Files that do not have the digest that a line of this length usually means, or are here under
/// another spelling of their names.
struct Doubts<'a> {
    request: &'a Request,
    place: &'a Place,
    ledger: &'a Ledger,
    /// The results of the first pass from the first doubt on.
    held: &'a [(usize, First)],
}

impl Doubts<'_> {
    /// Reads the doubtful files with each algorithm that their lines may mean, and reports
    /// the results that were held back meanwhile.
    fn resolve(
        &self,
        files: &mut Files,
        again: &mut Rereader<'_>,
        summary: &mut Part,
        events: &mut Events<'_>,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        let Doubts { request, place, ledger, held } = self;
        let doubtful = held.iter().filter_map(|(at, first)| match first {
            First::Again(path, hashed) => Some(((&ledger.entries[*at], hashed.as_deref()), path.clone())),
            First::Checked(..) => None,
        });
        let (doubts, paths): (Vec<_>, Vec<Vec<u8>>) = doubtful.unzip();
        let (entries, firsts): (Vec<&Listing>, Vec<Option<&HashedFile>>) = doubts.into_iter().unzip();
        let files_again = source(request, place, paths.iter().collect())?;
        let plan = request.plan_of(widened(&ledger.algorithms, &entries), None);
        let lengths: Vec<usize> =
            entries.iter().flat_map(|entry| entry.guesses()).map(|(_, one)| one.bytes().len()).collect();
        let plan_tried = plan.algorithms.iter().filter(|of| lengths.contains(&of.length())).count();
        let mut tried = GuessedFiles::new(&entries, firsts);
        let passed = pass(
            files_again,
            || None,
            &plan,
            &mut |record: Record| {
                if !matches!(record.outcome, Outcome::Hashed(_)) {
                    events(Event::Unread(&record))?;
                }
                tried.take(&record)
            },
            control,
        )?;
        if passed.interrupted {
            return Err(Error::cancelled(Problem::InterruptedTrying(entries.len())));
        }
        // Where nothing says which algorithm it is, neither the list's name nor another of its
        // files, a value that is the file's checksum is not called the wrong digest of it.
        let is_right = |trial: &Trial| matches!(trial, Trial::Same(_));
        let is_open = !ledger.named && files.right == 0 && !tried.found.iter().any(is_right);
        let mut weak = None;
        let is_little = tried.is_little;
        let mut found = tried.found.into_iter();
        let (mut others, mut unknown): (Vec<Algorithm>, u64) = (Vec::new(), 0);
        for (at, first) in *held {
            let entry = &ledger.entries[*at];
            let mut reread = None;
            let (found, cause) = match first {
                First::Checked(found, cause, second) => {
                    reread.clone_from(second);
                    (*found, cause.clone())
                }
                First::Again(path, hashed) => match found.next().unwrap_or(Trial::Unread) {
                    Trial::Same(algorithms) => {
                        files.right += 1;
                        others.extend(algorithms.iter().filter(|other| !ledger.algorithms.contains(other)));
                        summary.verify(algorithms);
                        (FileOutcome::Right, None)
                    }
                    Trial::Weak(algorithm) if is_open => {
                        weak = Some(algorithm);
                        files.weak += 1;
                        (FileOutcome::Weak, Some(format!("not compared: what stands there is its {algorithm}")))
                    }
                    Trial::Weak(algorithm) => {
                        weak = Some(algorithm);
                        files.different += 1;
                        (FileOutcome::Wrong, None)
                    }
                    Trial::Different(cause) => {
                        unknown += 1;
                        files.different += 1;
                        reread = hashed.as_ref().and_then(|hashed| again.read(place, path, entry, hashed));
                        (FileOutcome::Wrong, cause)
                    }
                    Trial::Torn(torn) => {
                        files.different += 1;
                        reread = again.take(*torn);
                        (FileOutcome::Wrong, None)
                    }
                    Trial::Unread => {
                        files.unread += 1;
                        (FileOutcome::Unread, None)
                    }
                },
            };
            let (cause, reread) = (cause.as_deref(), reread.as_deref());
            events(Event::Compared { entry, found, cause, reread }).map_err(Error::Sink)?;
        }
        others.sort();
        others.dedup();
        if is_little {
            let how = "its digests are those of xxHash in little-endian order";
            summary.remarks.push(Remark::Read(how.to_owned()));
        } else if !others.is_empty() {
            summary.remarks.push(Remark::OtherAlgorithms(others));
        }
        summary.remarks.extend(weak.map(Remark::Weak));
        if is_open && unknown > 0 {
            summary.remarks.push(Remark::NoAlgorithm(plan_tried));
        }
        Ok(())
    }
}

/// Compares records with the entries of their names.
struct Comparing<'a, 'c> {
    entries: &'a [Listing],
    place: &'a Place,
    /// The treatment of files whose names are other spellings of listed ones.
    likely: Likely,
    nearest: Nearest,
    ignore_missing: bool,
    files: Files,
    /// Findings from the first doubtful one on: the order is that of the manifest.
    held: Vec<(usize, First)>,
    again: &'a mut Rereader<'c>,
    summary: &'a mut Part,
    events: &'a mut Events<'a>,
}

/// Whether a file is not there: a part of its path is missing or no directory.
fn is_missing(record: &Record) -> bool {
    matches!(&record.outcome, Outcome::Failed(problem) if matches!(problem.code(), "ENOENT" | "ENOTDIR"))
}

impl Comparing<'_, '_> {
    fn compare(&mut self, record: &Record, entry: &Listing) -> First {
        match &record.outcome {
            Outcome::Hashed(hashed) => {
                let judged = entry.judge(&Facts::from(hashed));
                if judged.is_right() {
                    self.files.right += 1;
                    let pieces = entry.pieces.first().map(|piece| &piece.digests[..]).unwrap_or_default();
                    let digests = if entry.digests.is_empty() { pieces } else { &entry.digests };
                    self.summary.verify(digests.iter().map(|digest| digest.algorithm()));
                    First::Checked(FileOutcome::Right, None, None)
                } else if entry.guesses().next().is_some() {
                    First::Again(self.place.below(&entry.name).to_vec(), Some(Box::new(hashed.clone())))
                } else {
                    self.files.different += 1;
                    let reread = self.again.read(self.place, self.place.below(&entry.name), entry, hashed);
                    First::Checked(FileOutcome::Wrong, judged.cause, reread)
                }
            }
            Outcome::Failed(_) if is_missing(record) => self.missing(entry),
            Outcome::Failed(_) | Outcome::Skipped(_) => {
                self.files.unread += 1;
                First::Checked(FileOutcome::Unread, None, None)
            }
        }
    }

    /// A name that no file has: a file of another spelling of it is read, or named.
    fn missing(&mut self, entry: &Listing) -> First {
        let name = self.place.below(&entry.name);
        let found = self.nearest.find(name).or_else(|| self.nearest.below(name, entry.size));
        match found {
            Some((path, likeness)) if likeness.is_spelling() || self.likely == Likely::Taken => {
                First::Again(path, None)
            }
            Some((path, likeness)) => {
                self.files.likely += 1;
                let cause = format!("not compared: {} is there, which differs by {likeness}", render(&path));
                First::Checked(FileOutcome::Likely, Some(cause), None)
            }
            None if self.ignore_missing => {
                self.files.ignored += 1;
                First::Checked(FileOutcome::Ignored, None, None)
            }
            None => {
                self.files.missing += 1;
                First::Checked(FileOutcome::Missing, None, None)
            }
        }
    }
}

impl pfh_engine::Sink for Comparing<'_, '_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        // Records come in the order of the names, one for each.
        let number = usize::try_from(record.number).ok();
        let entries = self.entries;
        let Some((at, entry)) = number.and_then(|at| Some((at, entries.get(at)?))) else {
            return Err(io::Error::other("a record of no name in the manifest"));
        };
        let first = self.compare(&record, entry);
        if matches!(first, First::Checked(FileOutcome::Missing | FileOutcome::Unread, ..))
            && !matches!(record.outcome, Outcome::Hashed(_))
        {
            (self.events)(Event::Unread(&record))?;
        }
        match first {
            First::Checked(found, cause, reread) if self.held.is_empty() => {
                let (cause, reread) = (cause.as_deref(), reread.as_deref());
                (self.events)(Event::Compared { entry, found, cause, reread })
            }
            first => {
                self.held.push((at, first));
                Ok(())
            }
        }
    }
}
