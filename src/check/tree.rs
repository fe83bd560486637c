//! A whole tree against a manifest.

use super::again::{MOST, Rereader};
use super::place::{self, Place, Remark};
use super::problem::Problem;
use super::request::Turn;
use super::unasked::NameBounds;
use super::{Event, Events, Findings, Nothing, Part, Task};
use crate::algorithms::REGISTRY;
use crate::job::Error;
use crate::objects;
use crate::pass::pass;
use pfh_engine::{Control, HashedFile, Outcome, Record};
use pfh_ledger::{Auditor, Change, Class, Ledger, Met, Reread, disagree, folded, plain};
use pfh_source::os::names::{OsStrExt, is_absolute, resolved, stream_below};
use pfh_source::{Descend, FolderSource, Links, Operands, Recurse, Skip, Source, is_address};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// Where an audit walks: the answer of [`place::find`], except for absolute names, which say it
/// themselves.
pub(crate) fn find(turn: Turn<'_>, ledger: &Ledger) -> Result<Place, Error> {
    let absolute = ledger.entries.iter().all(|entry| is_absolute(&entry.name));
    if turn.request.root.is_some() || !absolute {
        return Ok(place::find(turn, ledger));
    }
    let common = place::common(&ledger.entries);
    let unasked = NameBounds::of(turn.manifest(), ledger);
    let here = pfh_source::os::names::working_directory()
        .map(|here| [here.as_os_str().as_bytes(), b"/"].concat())
        .unwrap_or_default();
    if here.len() > 1 && common.starts_with(&here) {
        return Ok(Place::new(b".", &here, Some(unasked), None));
    }
    // A manifest that others wrote does not choose the directory freely.
    if common == b"/" || !unasked.takes(&common) {
        return Err(Error::request(Problem::NoRoot(turn.manifest().to_owned())));
    }
    let remark = Some(Remark::Walked(common.clone()));
    Ok(Place::new(&common, &common, Some(unasked), remark))
}

/// The operands.
struct Walk {
    /// Objects below an address, or files.
    is_remote: bool,
    operands: Vec<Vec<u8>>,
    descend: Descend,
    #[cfg(feature = "inside")]
    inside: Option<std::sync::Arc<crate::inside::Options>>,
}

impl Walk {
    fn source(&self) -> Result<Box<dyn Source>, Error> {
        if self.is_remote {
            return Ok(objects::below(self.operands.clone())?);
        }
        let operands = Box::new(Operands::new(self.operands.clone(), self.descend.clone()));
        #[cfg(feature = "inside")]
        if let Some(options) = &self.inside {
            return Ok(Box::new(crate::inside::Expanding::new(operands, options.clone())));
        }
        Ok(operands)
    }

    /// The same entries, to count them; nothing where that would take a read of containers, or a
    /// second listing.
    fn again(&self) -> Option<Box<dyn Source>> {
        if self.is_remote {
            return None;
        }
        #[cfg(feature = "inside")]
        if self.inside.is_some() {
            return None;
        }
        self.source().ok()
    }
}

/// Audits the tree.
pub fn run(
    turn: Turn<'_>,
    mut ledger: Ledger,
    summary: &mut Part,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<(), Error> {
    let request = turn.request;
    let Task::Audit { below, follow } = &request.task else { return Ok(()) };
    let plan = request.plan_of(ledger.algorithms.clone(), ledger.piecewise);
    let place = find(turn, &ledger)?;
    summary.remarks.extend(place.remark.clone());
    let at = |name: &[u8]| [&place.root[..], b"/", place.below(name)].concat();
    let is_link = |directory: &[u8]| Path::new(OsStr::from_bytes(&at(directory))).is_symlink();
    ledger.respell(|name| match place.within(name) {
        Some(below) => Some([&place.prefix[..], below].concat()),
        None => folded(name, is_link),
    });
    let walked = match &place.root[..] {
        b"." => Vec::new(),
        root if root.ends_with(b"/") => root.to_vec(),
        root => [root, b"/"].concat(),
    };
    let parts: Vec<Vec<u8>> = below.iter().map(|path| part(path.as_bytes(), &walked)).collect();
    let operands: Vec<Vec<u8>> = match &parts[..] {
        [] => vec![place.root.clone()],
        parts => parts.iter().map(|part| [&walked[..], part].concat()).collect(),
    };
    let links = if *follow { Links::Follow } else { Links::Keep };
    let is_remote = objects::folder(&place.root).is_some();
    let streams = !is_remote && ledger.entries.iter().any(|entry| stream_below(place.below(&entry.name)).is_some());
    let walk = Walk {
        is_remote,
        operands,
        descend: Descend { recurse: Recurse::Yes, links, streams, ..Descend::default() },
        #[cfg(feature = "inside")]
        inside: place::opened(request, &place, &ledger.entries).map(std::sync::Arc::new),
    };
    let named: Vec<Vec<u8>> = parts.iter().map(|part| [&place.prefix[..], part].concat()).collect();
    let algorithms = ledger.algorithms.clone();
    let audit = Auditor::new(ledger, &place.prefix, &named, request.likely);
    let owned = turn.manifests.iter().flat_map(|manifest| own(manifest)).collect();
    let prefix = place.prefix.clone();
    let again = Rereader::new(request, control);
    let mut auditing = Auditing {
        audit,
        walked,
        prefix,
        own: owned,
        links: Vec::new(),
        place: &place,
        again,
        rereads: HashMap::new(),
        doubts: HashMap::new(),
        events,
    };
    let passed = pass(walk.source()?, || walk.again(), &plan, &mut auditing, control)?;
    if passed.interrupted {
        return Err(Error::cancelled(Problem::InterruptedAudit));
    }
    (auditing.events)(Event::Passed(&passed)).map_err(Error::Sink)?;
    auditing.again(turn, &place, control)?;
    let Auditing { audit, events, again, mut rereads, .. } = auditing;
    summary.rereads = again.counts;
    let is_directory = |name: &[u8]| Path::new(OsStr::from_bytes(&at(name))).is_dir();
    let (last, counts) = audit.finish(&|name| is_directory(name).then_some("directory"));
    for mut change in last {
        if matches!(change.class, Class::Modified | Class::BitRot) {
            change.reread = rereads.remove(&change.name);
        }
        events(Event::Classed(&change)).map_err(Error::Sink)?;
    }
    if !counts.add_up() {
        return Err(Error::aborted(Problem::Counts(Box::new(counts))));
    }
    for _ in 0..counts.fine() {
        summary.verify(algorithms.iter().copied());
    }
    if counts.negative() == 0 && counts.unread() == 0 && counts.fine() == 0 {
        summary.nothing = Some(Nothing::NoPart);
    }
    summary.findings = Findings::Audit(counts);
    Ok(())
}

/// Device and inode of the manifest and of all that is kept beside it under its name: none of it is
/// a part of the tree.
pub fn own(manifest: &Path) -> Vec<(u64, u128)> {
    let identity = |path: &Path| pfh_source::os::stat_path(path).ok().map(|(stat, _)| stat.identity());
    crate::beside::beside(manifest).iter().filter_map(|path| identity(path)).collect()
}

/// A part to audit as a path below the root, also if it is given in full or with the root in front.
fn part(path: &[u8], walked: &[u8]) -> Vec<u8> {
    let path = path.strip_prefix(b"./").unwrap_or(path);
    let full = resolved(Path::new(OsStr::from_bytes(if walked.is_empty() { b"." } else { walked })));
    let full = full.map(|full| [&full[..], b"/"].concat()).unwrap_or_default();
    let full = if full == b"//" { b"/".to_vec() } else { full };
    let below = path.strip_prefix(&full[..]).filter(|_| is_absolute(path) && !full.is_empty()).unwrap_or(path);
    let end = below.iter().rposition(|&byte| byte != b'/').map_or(0, |at| at + 1);
    below[..end].to_vec()
}

/// Gives each record of a walk to the audit, under the name that the manifest has for it.
struct Auditing<'a> {
    audit: Auditor,
    /// The prefix of names as the walk gives them.
    walked: Vec<u8>,
    /// Their prefix in the manifest.
    prefix: Vec<u8>,
    own: Vec<(u64, u128)>,
    /// Listed names that are links: what they lead to is compared, as in a check.
    links: Vec<Vec<u8>>,
    place: &'a Place,
    again: Rereader<'a>,
    /// The second reads of files that are not as listed under their own name: whether they were
    /// moved is known at the end.
    rereads: HashMap<Vec<u8>, Box<Reread>>,
    /// The reads of files that are not as listed by the usual algorithm of an unnamed digest.
    doubts: HashMap<Vec<u8>, HashedFile>,
    events: &'a mut Events<'a>,
}

impl Auditing<'_> {
    /// A walked name as the manifest has it.
    fn named(&self, name: &[u8]) -> Vec<u8> {
        let name = name.strip_prefix(b"./").unwrap_or(name);
        // The root itself, if it could not be read.
        let root = name == b"." || [name, b"/"].concat() == self.walked;
        let below = if root { b"" } else { name.strip_prefix(&self.walked[..]).unwrap_or(name) };
        match below {
            b"" => self.prefix.strip_suffix(b"/").unwrap_or(&self.prefix).to_vec(),
            below => [&self.prefix[..], below].concat(),
        }
    }
}

impl Auditing<'_> {
    /// Reads the files that listed links lead to, and with more algorithms those whose stated
    /// digests may be of another one.
    fn again(&mut self, turn: Turn<'_>, place: &Place, control: &Control<'_>) -> Result<(), Error> {
        let doubts = self.audit.doubts();
        let names: Vec<Vec<u8>> = self.links.iter().chain(&doubts).cloned().collect();
        if names.is_empty() {
            return Ok(());
        }
        let paths = names.iter().map(|name| place.below(name));
        let source: Box<dyn Source> = match objects::folder(&place.root) {
            Some(folder) => objects::exactly(&folder, paths)?,
            None => match FolderSource::open(&place.root, paths.collect()) {
                Ok(within) => Box::new(place.taking(within)),
                Err(_) => return Ok(()),
            },
        };
        let plan = turn.request.plan_of(self.audit.widened(&names, REGISTRY), None);
        let (links, audit, events) = (self.links.len() as u64, &mut self.audit, &mut *self.events);
        let (second, firsts, rereads) = (&mut self.again, &self.doubts, &mut self.rereads);
        let mut take = |record: Record| {
            let name = usize::try_from(record.number).ok().and_then(|at| names.get(at));
            let name = name.ok_or_else(|| io::Error::other("a record of no name in the manifest"))?;
            let change = match &record.outcome {
                _ if record.number < links => audit.take(&Met::from(&record), name),
                Outcome::Hashed(hashed) => {
                    let change = audit.explain(name, hashed, REGISTRY);
                    if let (None, Some(first), Some(entry)) = (&change, firsts.get(&plain(name)), audit.listing(name)) {
                        let reread = match disagree(&first.digests, &hashed.digests) {
                            true => second.take(entry.reread(first, &record.outcome, REGISTRY)),
                            false => second.read(place, place.below(name), entry, first),
                        };
                        rereads.extend(reread.map(|reread| (plain(name), reread)));
                    }
                    change
                }
                Outcome::Skipped(_) | Outcome::Failed(_) => None,
            };
            change.map_or(Ok(()), |change| events(Event::Classed(&change)))
        };
        let ran = pass(source, || None, &plan, &mut take, control)?;
        if ran.interrupted { Err(Error::cancelled(Problem::InterruptedAudit)) } else { Ok(()) }
    }
}

impl pfh_engine::Sink for Auditing<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        if matches!(record.outcome, Outcome::Skipped(skip) if objects::is_folder(&record.name, skip)) {
            return Ok(());
        }
        let stat = match &record.outcome {
            Outcome::Hashed(hashed) => hashed.closed.stat.as_ref().map(|stat| (stat.device, stat.inode)),
            Outcome::Skipped(_) | Outcome::Failed(_) => {
                (self.events)(Event::Unread(&record))?;
                None
            }
        };
        let named = self.named(&record.name);
        // A list that names itself is compared, like any other listed file.
        if stat.is_some_and(|stat| self.own.contains(&stat)) && !self.audit.lists(&named) {
            return Ok(());
        }
        if matches!(&record.outcome, Outcome::Skipped(Skip::Symlink)) && self.audit.lists(&named) {
            self.links.push(named);
            return Ok(());
        }
        if let Outcome::Hashed(hashed) = &record.outcome
            && !is_address(&self.place.root)
            && let Some(entry) = self.audit.listing(&named)
        {
            if entry.guesses().next().is_some() {
                // Whether another algorithm explains it is found out first.
                if self.doubts.len() < MOST as usize && self.again.wants(entry, hashed) {
                    self.doubts.insert(plain(&named), hashed.clone());
                }
            } else if let Some(reread) = self.again.read(self.place, self.place.below(&named), entry, hashed) {
                self.rereads.insert(plain(&named), reread);
            }
        }
        let change: Option<Change> = self.audit.take(&Met::from(&record), &named);
        change.map_or(Ok(()), |change| (self.events)(Event::Classed(&change)))
    }
}
