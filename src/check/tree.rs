//! A whole tree against a manifest.

use super::place::{self, Place, Remark};
use super::problem::Problem;
use super::request::Turn;
use super::unasked::Unasked;
use super::{Event, Events, Findings, Nothing, Part, Task};
use crate::job::Error;
use crate::pass::pass;
use pfh_engine::{Control, Outcome, Record};
use pfh_judge::{Auditor, Change, Expectations, Met};
use pfh_source::os::names::{OsStrExt, is_absolute, resolved, stream_below};
use pfh_source::{Descend, Links, Operands, Recurse, Source};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// Where an audit walks: the answer of [`place::find`], except for absolute names, which say it
/// themselves.
pub(crate) fn find(turn: Turn<'_>, expectations: &Expectations) -> Result<Place, Error> {
    let absolute = expectations.entries.iter().all(|entry| is_absolute(&entry.name));
    if turn.request.root.is_some() || !absolute {
        return Ok(place::find(turn, expectations));
    }
    let common = place::common(&expectations.entries);
    let unasked = Unasked::of(turn.manifest(), expectations);
    let here = pfh_source::os::names::working_directory()
        .map(|here| [here.as_os_str().as_bytes(), b"/"].concat())
        .unwrap_or_default();
    if here.len() > 1 && common.starts_with(&here) {
        return Ok(Place { root: b".".to_vec(), prefix: here, absolute: Some(unasked), remark: None });
    }
    // A manifest that others wrote does not choose the directory freely.
    if common == b"/" || !unasked.takes(&common) {
        return Err(Error::request(Problem::NoRoot(turn.manifest().to_owned())));
    }
    let remark = Some(Remark::Walked(common.clone()));
    Ok(Place { root: common.clone(), prefix: common, absolute: Some(unasked), remark })
}

/// The operands.
struct Walk {
    operands: Vec<Vec<u8>>,
    descend: Descend,
    #[cfg(feature = "inside")]
    inside: Option<std::sync::Arc<crate::inside::Options>>,
}

impl Walk {
    fn source(&self) -> Box<dyn Source> {
        let operands = Box::new(Operands::new(self.operands.clone(), self.descend.clone()));
        #[cfg(feature = "inside")]
        if let Some(options) = &self.inside {
            return Box::new(crate::inside::Expanding::new(operands, options.clone()));
        }
        operands
    }

    /// The same entries, to count them; nothing where that would take a read of containers.
    fn again(&self) -> Option<Box<dyn Source>> {
        #[cfg(feature = "inside")]
        if self.inside.is_some() {
            return None;
        }
        Some(self.source())
    }
}

/// Audits the tree.
pub fn run(
    turn: Turn<'_>,
    expectations: Expectations,
    summary: &mut Part,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<(), Error> {
    let request = turn.request;
    let Task::Audit { below, follow } = &request.task else { return Ok(()) };
    let plan = request.plan_of(expectations.algorithms.clone(), expectations.piecewise);
    let place = find(turn, &expectations)?;
    summary.remarks.extend(place.remark.clone());
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
    let streams = expectations.entries.iter().any(|entry| stream_below(place.below(&entry.name)).is_some());
    let walk = Walk {
        operands,
        descend: Descend { recurse: Recurse::Yes, links, streams, ..Descend::default() },
        #[cfg(feature = "inside")]
        inside: place::opened(request, &place, &expectations.entries).map(std::sync::Arc::new),
    };
    let named: Vec<Vec<u8>> = parts.iter().map(|part| [&place.prefix[..], part].concat()).collect();
    let algorithms = expectations.algorithms.clone();
    let audit = Auditor::new(expectations, &place.prefix, &named);
    let owned = turn.manifests.iter().flat_map(|manifest| own(manifest)).collect();
    let mut auditing = Auditing { audit, walked, prefix: place.prefix, own: owned, events };
    let passed = pass(walk.source(), || walk.again(), &plan, &mut auditing, control)?;
    if passed.interrupted {
        return Err(Error::cancelled(Problem::InterruptedAudit));
    }
    let Auditing { audit, events, .. } = auditing;
    events(Event::Passed(&passed)).map_err(Error::Sink)?;
    let (last, counts) = audit.finish();
    for change in &last {
        events(Event::Classed(change)).map_err(Error::Sink)?;
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

impl pfh_engine::Sink for Auditing<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let stat = match &record.outcome {
            Outcome::Hashed(hashed) => hashed.closed.stat.as_ref().map(|stat| (stat.device, stat.inode)),
            Outcome::Skipped(_) | Outcome::Failed(_) => {
                (self.events)(Event::Unread(&record))?;
                None
            }
        };
        if stat.is_some_and(|stat| self.own.contains(&stat)) {
            return Ok(());
        }
        let named = self.named(&record.name);
        let change: Option<Change> = self.audit.take(&Met::from(&record), &named);
        change.map_or(Ok(()), |change| (self.events)(Event::Classed(&change)))
    }
}
