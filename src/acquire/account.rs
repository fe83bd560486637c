//! The records of an acquisition's logs, step by step. Records that people must see at once are
//! events as well.

use super::entry::{End, Entry, NamedDigest, Start, by_name};
use super::log::{Logs, now};
use super::problem::log_failed;
use super::session::Session;
use super::{
    Beginning, Event, Events, LostTarget, RetryOutcome, Settings, TargetComparison, To, facts, host, logged, part,
    sectors, send,
};
use crate::job::Error;
use pfh_digest::Digest;
use pfh_engine::imaging::ImagingResult;
use pfh_source::device::{Fill, Kind, Medium};
use pfh_source::terminal::shown;
use std::path::Path;

/// The targets as the logs name them.
pub(super) fn targets(asked: &Settings<'_>) -> Vec<String> {
    asked.targets.iter().map(|to| shown(&to.path)).collect()
}

fn text(value: &str) -> String {
    shown(Path::new(value))
}

/// Who acquires, and on which machine.
struct Operator {
    machine: String,
    user: String,
    kernel: String,
}

/// Enters the facts that are known before the first byte.
pub(super) fn begin(logs: &mut Logs, session: &Session<'_>, events: &mut Events<'_>) -> Result<(), Error> {
    let (asked, medium, beginning) = (session.asked(), session.medium(), session.beginning());
    let name = asked.request.source.path().map_or_else(|| "a pattern".into(), shown);
    let who = Operator { machine: host::name(), user: host::user(), kernel: host::kernel() };
    call(logs, asked, &who)?;
    source(logs, &name, medium, &beginning)?;
    let block = write_block(medium);
    logs.line(&format!("write block: {block}"))?;
    for (place, writable) in &beginning.mounts {
        let how = if *writable { "for writing: it may change while it is read" } else { "read-only" };
        send(events, Event::Mounted { source: &name, place, writable: *writable })?;
        logs.line(&format!("warning: mounted at {} {how}", text(place)))?;
    }
    let access = if medium.is_direct() { "past the page cache (O_DIRECT)" } else { "through the page cache" };
    logs.line(&format!("access: {access}"))?;
    for what in &beginning.departures {
        send(events, Event::Departure { source: &name, what })?;
        logs.line(&format!("damaged source image: {what}"))?;
        logs.record(&Entry::Departure { what })?;
    }
    for note in &beginning.notes {
        send(events, Event::Remark(note))?;
        logs.line(note)?;
    }
    if beginning.done > 0 {
        let resumed = Event::Resumed { bytes: beginning.done };
        send(events, resumed)?;
        logs.line(&resumed.to_string())?;
    }
    let all = match targets(asked) {
        none if none.is_empty() => "none: the source is only hashed".to_owned(),
        all => all.join(", "),
    };
    logs.line(&format!("targets: {all}"))?;
    let start = start(asked, medium, &beginning, &name, block, &who);
    logs.record(&Entry::Start(Box::new(start)))?;
    send(events, Event::Started(&beginning))?;
    Ok(())
}

/// How the program was called, by whom, and for which case.
fn call(logs: &mut Logs, asked: &Settings<'_>, who: &Operator) -> Result<(), Error> {
    logs.line(&format!("pfh {} started {}", env!("CARGO_PKG_VERSION"), now()))?;
    logs.line(&format!("command line: {}", asked.request.command_line))?;
    logs.line(&format!("host: {}, {}, user {}", text(&who.machine), text(&who.kernel), text(&who.user)))?;
    let about = &asked.about;
    let case = [
        ("case", &about.case_number),
        ("evidence", &about.evidence_number),
        ("examiner", &about.examiner),
        ("description", &about.description),
        ("notes", &about.notes),
    ];
    for (what, value) in case.iter().filter(|(_, value)| !value.is_empty()) {
        logs.line(&format!("{what}: {}", text(value)))?;
    }
    Ok(())
}

/// The source, by the system's facts.
fn source(logs: &mut Logs, name: &str, medium: &Medium, beginning: &Beginning) -> Result<(), Error> {
    let size = medium.size().map_or_else(|| "of unknown size".into(), |size| format!("{size} bytes"));
    logs.line(&format!("source: {name}, {size}, sectors of {} bytes", medium.sector()))?;
    for (what, value) in medium.facts() {
        logs.line(&format!("  {what}: {}", text(value)))?;
    }
    let Some(identity) = &beginning.identity else { return Ok(()) };
    for (what, edge) in [("first", &identity.first), ("last", &identity.last)] {
        if let Some(edge) = edge {
            let lost: u64 = edge.unreadable.iter().map(|(_, length)| length).sum();
            let but = if lost > 0 { format!(", without {lost} unreadable bytes") } else { String::new() };
            logs.line(&format!("  sha256 of the {what} MiB{but}: {}", edge.sha256))?;
        }
    }
    Ok(())
}

fn write_block(medium: &Medium) -> &'static str {
    let read_only = medium.facts().get("read-only").map(String::as_str);
    match (medium.kind(), read_only) {
        (Kind::Device, Some("1")) => "the kernel refuses writes to the device (its read-only flag is set)",
        (Kind::Device, _) => "the kernel would allow writes to the device; pfh opened it for reading only",
        _ => "not a device; opened for reading only",
    }
}

/// The record `start`.
fn start<'a>(
    asked: &'a Settings<'_>,
    medium: &Medium,
    beginning: &'a Beginning,
    name: &'a str,
    block: &'static str,
    who: &'a Operator,
) -> Start<'a> {
    let (about, imaging) = (&asked.about, &asked.imaging);
    Start {
        asked: facts::asked(asked),
        bytes: medium.size(),
        case: &about.case_number,
        command: &asked.request.command_line,
        description: &about.description,
        direct: medium.is_direct(),
        evidence: &about.evidence_number,
        examiner: &about.examiner,
        facts: medium.facts().iter().map(|(name, value)| (*name, value.clone())).collect(),
        fill: match &imaging.policy.fill {
            Fill::Zeros => "zeros".to_owned(),
            Fill::Pattern(pattern) => format!("{pattern:02x?}"),
            Fill::Omitted => "omitted".to_owned(),
        },
        from: imaging.from,
        host: &who.machine,
        identity: beginning.identity.as_ref(),
        kernel: &who.kernel,
        layout: part::layout(asked),
        length: imaging.length,
        mounts: &beginning.mounts,
        notes: &about.notes,
        physical_sector: medium.physical_sector(),
        remarks: &beginning.notes,
        resumed_at: beginning.done,
        retries: imaging.policy.retries,
        sector: medium.sector(),
        source: name,
        targets: targets(asked),
        timestamp: asked.request.timestamp.as_deref(),
        user: &who.user,
        version: env!("CARGO_PKG_VERSION"),
        write_block: block,
    }
}

/// Enters the result of a retry.
pub(super) fn retried(logs: &mut Logs, found: &RetryOutcome, events: &mut Events<'_>) -> Result<(), Error> {
    let RetryOutcome { tried, read, before, .. } = found;
    let event = Event::Retried { tried: *tried, read: *read };
    send(events, event)?;
    logs.line(&format!("{} {event}; the image was hashed again", now()))?;
    let named = |digest: &Digest| NamedDigest { algorithm: digest.algorithm().to_string(), digest: digest.to_string() };
    logs.record(&Entry::Retried { image_before: before.as_ref().map(named), read: *read, tried: *tried })
}

/// Enters that the acquisition failed.
pub(super) fn failed(logs: &mut Logs, what: &str) -> Result<(), Error> {
    logs.line(&format!("{} failed: {what}", now()))?;
    logs.record(&Entry::Failed { cause: what })
}

/// Enters every unreadable run, as sectors and as bytes.
pub(super) fn losses(
    logs: &mut Logs,
    imaged: &ImagingResult,
    from: u64,
    sector: u32,
    events: &mut Events<'_>,
) -> Result<(), Error> {
    for bad in &imaged.bad {
        let place = sectors::lost(bad, from, sector);
        send(events, Event::Unreadable { bad, place: &place })?;
        logs.line(&format!("unreadable: {place}"))?;
        logs.record(&Entry::Unreadable {
            cause: bad.cause().to_string(),
            errno: bad.errno,
            length: bad.length,
            medium_offset: from + bad.offset,
            offset: bad.offset,
            sector: (from + bad.offset) / u64::from(sector),
        })?;
    }
    if imaged.retried > 0 {
        logs.line(&format!("{} sectors were read only on a later try", imaged.retried))?;
    }
    if imaged.padded > 0 {
        logs.line(&format!("padding: {} zero bytes behind the end of the source, to whole sectors", imaged.padded))?;
    }
    Ok(())
}

/// Enters the digests of the image and of its windows.
pub(super) fn digests(logs: &mut Logs, imaged: &ImagingResult) -> Result<(), Error> {
    if !imaged.digests.is_empty() {
        let filled = if imaged.bad.is_empty() { "" } else { ", unreadable sectors filled" };
        logs.line(&format!("digests of the image as written{filled}:"))?;
    }
    for digest in &imaged.digests {
        logs.line(&format!("  {} {digest}", digest.algorithm()))?;
    }
    for piece in &imaged.pieces {
        for digest in &piece.digests {
            let (from, until) = (piece.offset, piece.offset + piece.length);
            logs.line(&format!("  {from} - {until}: {} {digest}", digest.algorithm()))?;
        }
    }
    // Each record is synced: windows are entered in lots.
    let entry = |lot| Entry::Windows { windows: logged::windows(lot) };
    imaged.pieces.chunks(logged::WINDOWS).try_for_each(|lot| logs.record(&entry(lot)))
}

/// Enters a target that failed while others went on.
pub(super) fn lost(logs: &mut Logs, lost: &LostTarget, events: &mut Events<'_>) -> Result<(), Error> {
    let event = Event::TargetFailed(lost);
    send(events, event)?;
    logs.line(&event.to_string())?;
    logs.record(&Entry::TargetFailed { cause: &lost.cause, target: shown(&lost.path) })
}

/// Enters that the source changed.
pub(super) fn changed(logs: &mut Logs, what: &'static str, events: &mut Events<'_>) -> Result<(), Error> {
    let event = Event::SourceChanged { what };
    send(events, event)?;
    logs.line(&event.to_string())?;
    logs.record(&Entry::Changed { what })
}

/// Enters how a target compares with the image.
pub(super) fn compared(logs: &mut Logs, to: &To, found: &TargetComparison) -> Result<(), Error> {
    let name = shown(&to.path);
    logs.line(&format!("verified {name}: {} bytes read back, {}", found.bytes, found.word()))?;
    for (offset, length) in found.differing.iter().take(sectors::MOST_LISTED) {
        logs.line(&format!("  differs at offset {offset}, {length} bytes"))?;
    }
    if let Some(more) = sectors::more(&found.differing) {
        logs.line(&format!("  {more}"))?;
    }
    logs.record(&Entry::Verified {
        bytes: found.bytes,
        differing: &found.differing,
        equal: found.is_good(),
        target: name,
        unreadable: &found.unreadable,
    })
}

/// Enters the files of each target with their sizes and, if they were read back, their SHA-256.
pub(super) fn files(logs: &mut Logs, asked: &Settings<'_>) -> Result<(), Error> {
    if !logs.are_kept() {
        return Ok(());
    }
    for to in &asked.targets {
        let files = logged::files(to, asked.request.verify).map_err(log_failed)?;
        for file in &files {
            let sha256 = file.sha256.as_ref().map(|hex| format!(", sha256 {hex}")).unwrap_or_default();
            let name = file.name.as_deref().unwrap_or_default();
            let place = file.directory.as_ref().map(|place| format!(", in {place}")).unwrap_or_default();
            logs.line(&format!("file: {name}, {} bytes{sha256}{place}", file.bytes))?;
        }
        if !files.is_empty() {
            logs.record(&Entry::Files { files: &files })?;
        }
    }
    Ok(())
}

/// Enters the last line, and gives the last record.
pub(super) fn end(logs: &mut Logs, imaged: &ImagingResult) -> Result<End, Error> {
    let seconds = imaged.times.total.as_secs_f64();
    let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
    logs.line(&format!("ended {}: {} bytes in {seconds:.3} s, {rate:.1} MB/s", now(), imaged.bytes))?;
    Ok(End {
        bytes: imaged.bytes,
        digests: by_name(&imaged.digests),
        log: None,
        padded: imaged.padded,
        seconds: format!("{seconds:.3}"),
        unreadable_bytes: imaged.bad.iter().map(|bad| bad.length).sum(),
    })
}
