//! The jobs of the library, and their events as claims.

use crate::account::{Claims, End, Row, Summary, Word};
use crate::room::{MEDIUM, Room, TREE};
use crate::step::{Form, Job, Manner, Step};
use pfh::acquire::{self, ImageFormat, Origin, To};
use pfh::check::{self, FileOutcome, Task};
use pfh::hash::{self, Manifest, Sealing};
use pfh::imaging::Ring;
use pfh::manifest::{End as LineEnd, Format, Layout, Marker};
use pfh::{Algorithm, Backend, Control, Input, Mode, Outcome, Plan, Recurse, update, verify};
use std::collections::BTreeMap;
use std::time::Duration;

/// Runs a job to its end.
pub fn run(room: &Room, step: &Step) -> Claims {
    let plan = plan(step.manner);
    let (rows, end) = match &step.job {
        Job::Hash { list, form, sealed } => hash(room, plan, list, *form, *sealed),
        Job::Check(list) => {
            // The names of a world's lists are absolute.
            let task = Task::Files { allow_outside: true, ignore_missing: false };
            compare(room, check::Request::new(room.path(list)).task(task).plan(plan))
        }
        Job::Audit(list) => {
            let task = Task::Audit { below: Vec::new(), follow: false };
            compare(room, check::Request::new(room.path(list)).root(room.path(TREE)).task(task).plan(plan))
        }
        Job::Update(list) => bring_up(room, plan, list),
        Job::Acquire => image(room, step.manner),
        Job::Verify => judge(room),
    };
    let end = match end {
        Ok(summary) => End::Done(summary),
        Err(error) => End::Broken(error.kind(), error.to_string()),
    };
    Claims { rows, end }
}

type JobEnd = (Vec<Row>, Result<Summary, pfh::job::Error>);

fn algorithm() -> Vec<Algorithm> {
    "sha256".parse().into_iter().collect()
}

fn plan(manner: Manner) -> Plan {
    let mut plan = Plan::new(algorithm());
    plan.threads = manner.threads;
    plan.prefetchers = manner.readers;
    plan.mode = [Mode::Adaptive, Mode::Mtp, Mode::Smt][manner.mode % 3];
    plan.backend = if manner.ring { Backend::Uring } else { Backend::Plain };
    plan.retries = manner.retries;
    if manner.memory > 0 {
        plan.memory = manner.memory << 10;
    }
    plan
}

fn row(room: &Room, name: &[u8], word: Word) -> Row {
    Row { name: known(room, name), word }
}

/// The path in the room of a name; relative ones start in the tree.
fn known(room: &Room, name: &[u8]) -> String {
    room.name(name).unwrap_or_else(|| format!("{TREE}/{}", String::from_utf8_lossy(name)))
}

fn counts<const N: usize>(counts: [(&'static str, u64); N]) -> BTreeMap<&'static str, u64> {
    BTreeMap::from(counts)
}

fn outcome(outcome: &Outcome) -> Word {
    match outcome {
        Outcome::Hashed(hashed) => Word::Digest(hashed.digests[0].to_string(), hashed.closed.size),
        Outcome::Skipped(_) => Word::Skipped,
        Outcome::Failed(problem) => Word::Failed(problem.to_string()),
    }
}

fn hash(room: &Room, plan: Plan, list: &str, form: Form, sealed: bool) -> JobEnd {
    let input = Input::new([room.path(TREE)]).recurse(Recurse::Yes);
    let request = hash::Request::new(input, algorithm()).plan(plan).replace(true);
    let format = match form {
        Form::Sums => Format::Sums,
        Form::Bsd => Format::Bsd,
        Form::Jsonl => Format::Jsonl,
    };
    let manifest = Manifest::new(room.path(list))
        .format(format, Layout { end: LineEnd::Line, marker: Marker::Text })
        .seal(sealed.then(Sealing::default));
    let mut rows = Vec::new();
    let written = hash::write(
        &request,
        &manifest,
        &mut |event| {
            if let hash::Event::Record(record) = event {
                rows.push(row(room, &record.name, outcome(&record.outcome)));
            }
            Ok(())
        },
        &Control::new(),
    );
    let summary = written.map(|written| {
        let run = written.summary.run;
        let counts = counts([
            ("hashed", run.hashed),
            ("bytes", run.bytes),
            ("skipped", run.skipped),
            ("failed", run.failed),
            ("interrupted", u64::from(run.interrupted)),
            ("peak", run.stats.peak_table),
        ]);
        Summary { counts, ..Summary::default() }
    });
    (rows, summary)
}

fn compare(room: &Room, request: check::Request) -> JobEnd {
    let mut rows = Vec::new();
    let ran = check::run(
        &request,
        &mut |event| {
            match event {
                check::Event::Compared { entry, found, .. } => {
                    let word = match found {
                        FileOutcome::Right => Word::Right,
                        FileOutcome::Wrong => Word::Wrong,
                        FileOutcome::Missing | FileOutcome::Ignored => Word::Missing,
                        FileOutcome::Unread | FileOutcome::Likely | FileOutcome::Weak => Word::Unread,
                    };
                    rows.push(row(room, &entry.name, word));
                }
                check::Event::Classed(change) => {
                    let from = change.from.as_ref().map(|from| known(room, from));
                    rows.push(row(room, &change.name, Word::Class(change.class.name(), from)));
                }
                _ => {}
            }
            Ok(())
        },
        &Control::new(),
    );
    let summary = ran.map(|summary| Summary {
        counts: counts([("verified", summary.verified()), ("expected", summary.expected())]),
        verdict: Some(summary.conclusion()),
        digest: None,
    });
    (rows, summary)
}

fn bring_up(room: &Room, plan: Plan, list: &str) -> JobEnd {
    let request = update::Request::new(room.path(list), Input::new([room.path(TREE)]));
    // Lists of sums do not name it.
    let request = request.algorithms(algorithm()).plan(plan);
    let mut rows = Vec::new();
    let ran = update::run(
        &request,
        &mut |event| {
            match event {
                update::Event::Classed(change) => {
                    let from = change.from.as_ref().map(|from| known(room, from));
                    rows.push(row(room, &change.name, Word::Class(change.class.name(), from)));
                }
                update::Event::Unread(record) => rows.push(row(room, &record.name, Word::Unread)),
                _ => {}
            }
            Ok(())
        },
        &Control::new(),
    );
    let summary = ran.map(|summary| {
        let update::Counts { unchanged, new, moved, changed, metadata, gone, rotten, unread, .. } = summary.counts;
        let counts = counts([
            ("unchanged", unchanged),
            ("new", new),
            ("moved", moved),
            ("changed", changed),
            ("metadata-only", metadata),
            ("gone", gone),
            ("bit-rot", rotten),
            ("unread", unread),
            ("written", u64::from(summary.written)),
        ]);
        Summary { counts, verdict: Some(summary.verdict()), digest: None }
    });
    (rows, summary)
}

/// The image of the medium.
pub const IMAGE: &str = "images/disk.img";

fn image(room: &Room, manner: Manner) -> JobEnd {
    let to = To { path: room.path(IMAGE), form: ImageFormat::RAW };
    let mut request = acquire::Request::new(Origin::Medium(room.path(MEDIUM)), vec![to]);
    // Small blocks, so that a small medium is many.
    request.reading.ring = Ring::new(Some(4096), Some(4)).ok();
    request.reading.readers = manner.readers;
    request.reading.checkpoint = Duration::ZERO;
    let mut unchanged = 0;
    let ran = acquire::run(
        &request,
        &mut |event| {
            unchanged += u64::from(matches!(event, acquire::Event::Unchanged { .. }));
            Ok(())
        },
        &Control::new(),
    );
    let summary = ran.map(|summary| {
        let bad = summary.imaged.bad.iter().map(|bad| bad.length).sum();
        let counts = counts([
            ("bytes", summary.imaged.bytes),
            ("bad", bad),
            ("lost", summary.lost.len() as u64),
            ("complete", u64::from(summary.is_complete())),
            ("unchanged", unchanged),
        ]);
        let digest =
            summary.imaged.digests.iter().find(|digest| digest.algorithm().name() == "sha256").map(ToString::to_string);
        Summary { counts, verdict: None, digest }
    });
    (Vec::new(), summary)
}

fn judge(room: &Room) -> JobEnd {
    let ran = verify::run(&verify::Request::image(room.path(IMAGE)), &mut |_| Ok(()), &Control::new());
    let summary = ran.map(|summary| Summary { verdict: Some(summary.verdict()), ..Summary::default() });
    (Vec::new(), summary)
}
