//! `pfh check --audit`.

use super::Check;
use crate::exit::{self, Exit};
use crate::run::{Taker, Voice};
use crate::shown;
use pfh::sink::check::{Audit, Change, Class, Counts, Expectations, hashdeep, json, text};
use pfh::{Descend, Operands, Record, Recurse, Source};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Jsonl,
    Hashdeep,
}

/// Audits the tree; gives the exit.
pub fn run(request: &Check, expectations: Expectations) -> Result<Exit, String> {
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
    let mut root = request.root.as_bytes().to_vec();
    if root.last() != Some(&b'/') {
        root.push(b'/');
    }
    let roots: Vec<Vec<u8>> = match &request.below[..] {
        [] => vec![request.root.as_bytes().to_vec()],
        below => below.iter().map(|path| [&root, path.as_bytes()].concat()).collect(),
    };
    let source = || -> Box<dyn Source> {
        Box::new(Operands::new(roots.clone(), Descend { recurse: Recurse::Yes, ..Descend::default() }))
    };
    let manifest = std::fs::metadata(&request.manifest).ok().map(|stat| (stat.dev(), stat.ino()));
    let seal = std::fs::metadata(crate::seal::beside(&request.manifest)).ok().map(|stat| (stat.dev(), stat.ino()));
    let own: Vec<(u64, u64)> = [manifest, seal].into_iter().flatten().collect();
    let mut auditing = Auditing { audit: Audit::new(expectations), request, form, root, own, changes: Vec::new() };
    let ended = match request.run.carry_out(source(), Some(source()), &plan, &mut auditing) {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    if ended.summary.interrupted {
        return Ok(ended.exit(0));
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
        && let Err(error) = io::stdout().lock().write_all(out.as_bytes())
    {
        return Ok(exit::of_output(&error));
    }
    if !counts.add_up() {
        exit::say(format!("the counts do not add up: {counts:?}"));
        return Ok(Exit::Aborted);
    }
    let negative = [Class::Modified, Class::BitRot, Class::Moved, Class::Copied, Class::New, Class::Missing];
    Ok(if negative.iter().any(|class| counts.of(*class) > 0) {
        Exit::Verdict
    } else if counts.of(Class::Error) > 0 {
        Exit::Incomplete
    } else {
        Exit::Good
    })
}

/// A change as it is told at once; hashdeep's wording is told at the end.
fn line(form: Form, change: &Change, request: &Check) -> String {
    match form {
        Form::Text if request.all || change.class != Class::Matched => text(change),
        Form::Jsonl if request.all || change.class != Class::Matched => json(change),
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
            object.insert("passed".into(), counts.passed().into());
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
    root: Vec<u8>,
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
        let below = record.name.strip_prefix(&self.root[..]).unwrap_or(&record.name).to_vec();
        let Some(change) = self.audit.take(&record, &below) else { return Ok(()) };
        let line = line(self.form, &change, self.request);
        if self.form == Form::Hashdeep {
            self.changes.push(change);
        }
        if self.request.status { Ok(()) } else { io::stdout().lock().write_all(line.as_bytes()) }
    }
}
