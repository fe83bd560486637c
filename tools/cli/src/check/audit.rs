//! `pfh check --audit`.

use super::Check;
use super::place::{self, Place};
use super::told::Told;
use crate::exit::{self, Exit};
use crate::run::{Taker, Voice};
use crate::shown;
use pfh::sink::check::{Audit, Change, Class, Counts, Expectations, hashdeep, json, text};
use pfh::{Descend, Links, Operands, Record, Recurse, Source};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Jsonl,
    Hashdeep,
}

/// Where an audit walks: [`place::find`]'s answer, but for absolute names, which say it themselves.
fn find(root: Option<&OsStr>, manifest: &Path, expectations: &Expectations) -> Place {
    let absolute = expectations.entries.iter().all(|entry| entry.name.first() == Some(&b'/'));
    if root.is_some() || !absolute {
        return place::find(root, manifest, expectations);
    }
    let common = place::common(&expectations.entries);
    let here = std::env::current_dir().map(|here| [here.as_os_str().as_bytes(), b"/"].concat()).unwrap_or_default();
    if here.len() > 1 && common.starts_with(&here) {
        return Place { root: b".".to_vec(), prefix: here, named: false, remark: None };
    }
    let remark = Some(format!("{} was walked, which all names have in common", shown(&common)));
    Place { root: common.clone(), prefix: common, named: false, remark }
}

/// Audits the tree; gives the exit.
pub fn run(
    request: &Check,
    manifest: &Path,
    root: Option<&OsStr>,
    expectations: Expectations,
    told: &mut Told,
) -> Result<Exit, String> {
    let form = match request.format.as_str() {
        "text" => Form::Text,
        "jsonl" => Form::Jsonl,
        "hashdeep" => Form::Hashdeep,
        other => {
            return Err(format!("an audit is written as text, jsonl or hashdeep, not {}", shown(other.as_bytes())));
        }
    };
    let mut plan = request.run.plan(expectations.algorithms.clone())?;
    plan.piecewise = expectations.piecewise;
    let place = find(root, manifest, &expectations);
    told.remarks.extend(place.remark.clone());
    // What names have in front as the walk gives them.
    let walked = match &place.root[..] {
        b"." => Vec::new(),
        root if root.ends_with(b"/") => root.to_vec(),
        root => [root, b"/"].concat(),
    };
    let parts: Vec<Vec<u8>> = request.below.iter().map(|path| part(path.as_bytes(), &walked)).collect();
    let operands: Vec<Vec<u8>> = match &parts[..] {
        [] => vec![place.root.clone()],
        parts => parts.iter().map(|part| [&walked[..], part].concat()).collect(),
    };
    let links = if request.follow { Links::Follow } else { Links::Keep };
    let source = || -> Box<dyn Source> {
        Box::new(Operands::new(operands.clone(), Descend { recurse: Recurse::Yes, links, ..Descend::default() }))
    };
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|stat| (stat.dev(), stat.ino()));
    let own = [identity(manifest), identity(&crate::seal::beside(manifest))].into_iter().flatten().collect();
    let named: Vec<Vec<u8>> = parts.iter().map(|part| [&place.prefix[..], part].concat()).collect();
    let algorithms = expectations.algorithms.clone();
    let audit = Audit::new(expectations, &place.prefix, &named);
    let mut auditing = Auditing { audit, request, form, walked, prefix: place.prefix, own, changes: Vec::new() };
    let ended = match request.run.carry_out(source(), Some(source()), &plan, &mut auditing) {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    if ended.summary.interrupted {
        return Ok(ended.interrupted("the audit is not complete, and says nothing"));
    }
    request.run.tell(&ended.summary);
    let Auditing { audit, changes, .. } = auditing;
    let (last, counts) = audit.finish();
    let mut out = String::new();
    for change in &last {
        out += &line(form, change, request);
    }
    out += &summary(form, changes.iter().chain(&last), &counts, request);
    if !request.status
        && let Err(error) = exit::print(out.as_bytes())
    {
        return Ok(exit::of_output(&error));
    }
    if !counts.add_up() {
        exit::say(format!("the counts do not add up: {counts:?}"));
        return Ok(Exit::Aborted);
    }
    for _ in 0..counts.of(Class::Matched) + counts.of(Class::MetadataOnly) {
        told.verify(algorithms.iter());
    }
    let negative = [Class::Modified, Class::BitRot, Class::Moved, Class::Copied, Class::New, Class::Missing];
    let negative: u64 = negative.iter().map(|class| counts.of(*class)).sum();
    told.against.extend([
        (negative, "not as the manifest has it"),
        (counts.unverified - counts.beyond, "could not be looked at"),
        (counts.beyond, "outside of what was audited"),
    ]);
    Ok(if negative > 0 {
        Exit::Verdict
    } else if counts.of(Class::Error) > 0 || counts.unverified > counts.beyond {
        Exit::Incomplete
    } else if counts.of(Class::Matched) + counts.of(Class::MetadataOnly) == 0 {
        told.nothing("no file of it is in the part that was audited");
        Exit::Incomplete
    } else {
        Exit::Good
    })
}

/// A part to audit as a path below the root: also where it was given in full, or with the root in front.
fn part(path: &[u8], walked: &[u8]) -> Vec<u8> {
    let path = path.strip_prefix(b"./").unwrap_or(path);
    let full = std::fs::canonicalize(OsStr::from_bytes(if walked.is_empty() { b"." } else { walked }));
    let full = full.map(|full| [full.as_os_str().as_bytes(), b"/"].concat()).unwrap_or_default();
    let full = if full == b"//" { b"/".to_vec() } else { full };
    let below =
        path.strip_prefix(&full[..]).filter(|_| path.first() == Some(&b'/') && !full.is_empty()).unwrap_or(path);
    let end = below.iter().rposition(|&byte| byte != b'/').map_or(0, |at| at + 1);
    below[..end].to_vec()
}

/// A change as it is told at once; hashdeep's wording is told at the end.
fn line(form: Form, change: &Change, request: &Check) -> String {
    // Times alone are no alarm: a copy has others.
    let fine = matches!(change.class, Class::Matched | Class::MetadataOnly);
    match form {
        Form::Text if request.all || !fine => text(change),
        Form::Jsonl if request.all || !fine => json(change),
        _ => String::new(),
    }
}

fn summary<'a>(form: Form, changes: impl Iterator<Item = &'a Change>, counts: &Counts, request: &Check) -> String {
    let words = Class::ALL.map(|class| (class.name(), counts.of(class)));
    match form {
        Form::Text => {
            let words: Vec<String> = words.iter().map(|(word, count)| format!("{count} {word}")).collect();
            let (examined, expected) = (counts.examined, counts.expected);
            format!("audit of {examined} files against {expected} entries: {}\n", words.join(", "))
        }
        Form::Jsonl => {
            let mut object: serde_json::Map<String, serde_json::Value> =
                words.iter().map(|(word, count)| ((*word).to_owned(), (*count).into())).collect();
            object.insert("type".into(), "summary".into());
            object.insert("examined".into(), counts.examined.into());
            object.insert("expected".into(), counts.expected.into());
            object.insert("unverified".into(), counts.unverified.into());
            object.insert("beyond".into(), counts.beyond.into());
            object.insert("passed".into(), counts.passed().into());
            let fine = counts.of(Class::Matched) + counts.of(Class::MetadataOnly);
            let verdict = match (counts.passed(), fine) {
                (true, 1..) => "verified",
                (true, 0) => "nothing-to-compare-with",
                (false, _) => "differs",
            };
            object.insert("verdict".into(), verdict.into());
            serde_json::Value::from(object).to_string() + "\n"
        }
        Form::Hashdeep => {
            let changes: Vec<Change> = changes.cloned().collect();
            hashdeep(&changes, counts, request.all)
        }
    }
}

struct Auditing<'a> {
    audit: Audit,
    request: &'a Check,
    form: Form,
    /// What names have in front as the walk gives them.
    walked: Vec<u8>,
    /// What they have in front in the manifest.
    prefix: Vec<u8>,
    /// Device and inode of the manifest and its seal: they are not part of what they describe.
    own: Vec<(u64, u64)>,
    /// What is told at the end only.
    changes: Vec<Change>,
}

impl Taker for Auditing<'_> {
    fn take(&mut self, record: Record, _: &Voice<'_>) -> io::Result<()> {
        let stat = match &record.outcome {
            pfh::Outcome::Hashed(hashed) => hashed.closed.stat.as_ref().map(|stat| (stat.device, stat.inode)),
            _ => None,
        };
        if stat.is_some_and(|stat| self.own.contains(&stat)) {
            return Ok(());
        }
        let name = &record.name[..];
        let name = name.strip_prefix(b"./").unwrap_or(name);
        // The root itself, where that could not be read.
        let root = name == b"." || [name, b"/"].concat() == self.walked;
        let below = if root { b"" } else { name.strip_prefix(&self.walked[..]).unwrap_or(name) };
        let named = match below {
            b"" => self.prefix.strip_suffix(b"/").unwrap_or(&self.prefix).to_vec(),
            below => [&self.prefix[..], below].concat(),
        };
        let Some(change) = self.audit.take(&record, &named) else { return Ok(()) };
        let line = line(self.form, &change, self.request);
        if self.form == Form::Hashdeep {
            self.changes.push(change);
        }
        if self.request.status { Ok(()) } else { exit::print(line.as_bytes()) }
    }
}
