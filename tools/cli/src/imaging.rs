//! What `pfh acquire` and `pfh dd` have in common: the run itself, its logs, its report.

use crate::again::{self, Left};
use crate::custody::{Logs, Opening, now, time};
use crate::exit::{self, Exit};
use crate::signals::Signals;
use crate::{case_uco, host, shown};
use ed25519_dalek::SigningKey;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh::acquire::identity::Identity;
use pfh::acquire::{Acquire, Acquisition, AcquisitionError, Again, Compared, Retried, case, compare, logged as stated};
use pfh::device::{Bad, Fill, Kind};
use pfh::image::OpenError;
use pfh::imaging::Imaged;
use pfh::outputs::Outputs;
use pfh::{Cancel, Control, Phase, Progress};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

/// How a run is carried out beside what is acquired.
pub struct Carrying {
    pub progress: bool,
    pub verify: bool,
    /// What could not be read is tried again.
    pub retry_bad: bool,
    /// Where the log for people goes; that for machines lies beside it.
    pub log: Option<PathBuf>,
    /// What is read and written beside source and targets.
    pub outputs: Outputs,
    pub key: Option<SigningKey>,
    /// Where the CASE document goes.
    pub case: Option<PathBuf>,
    pub command_line: String,
}

/// What came of it.
pub struct Carried {
    pub imaged: Imaged,
    pub compared: Vec<Compared>,
    pub sector: u32,
    /// Where on the medium the image starts, in bytes.
    pub from: u64,
    pub exit: Exit,
}

/// Progress on standard error, where that is a terminal.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    pub fn open(wanted: bool, what: &'static str) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Bar(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{prefix} [{bar:24}] {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(what);
        Bar(Some(bar))
    }

    /// Draws how far the reading of a medium is.
    pub fn show(&self, progress: &Progress) {
        let (Some(bar), Progress::Medium(pace)) = (&self.0, progress) else { return };
        let rate = pace.bytes as f64 / pace.elapsed.as_secs_f64().max(0.001);
        let mut text = format!("{} at {}/s", HumanBytes(pace.bytes), HumanBytes(rate as u64));
        if let Some(total) = pace.total {
            bar.set_length(total);
            bar.set_position(pace.bytes);
            let left = total.saturating_sub(pace.bytes) as f64 / rate.max(1.0);
            text += &format!(" of {}, {} left", HumanBytes(total), HumanDuration(Duration::from_secs(left as u64)));
        }
        if pace.bad > 0 {
            text += &format!(", {} unreadable", HumanBytes(pace.bad));
        }
        bar.set_message(text);
        bar.tick();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Bar {
    /// A control that draws this bar, and is cancelled by `cancel`.
    pub fn control(&self, cancel: &Cancel) -> Control<'_> {
        Control::new().with_cancel(cancel.clone()).on_progress(|progress| self.show(progress))
    }
}

/// The exit of an acquisition that failed; the reason has been said.
pub fn failed(error: &AcquisitionError) -> Exit {
    exit::say(error);
    match error {
        AcquisitionError::Usage(_) | AcquisitionError::Refused(_) => Exit::Usage,
        AcquisitionError::Image(OpenError::Unread { .. } | OpenError::Mismatch { .. }) => Exit::Usage,
        AcquisitionError::Changed { .. } => Exit::Verdict,
        _ => Exit::Aborted,
    }
}

/// Acquires, compares, logs.
///
/// # Errors
/// The exit to leave with; the reason has been said and is in the logs.
pub fn carry_out(asked: Acquisition, mut carrying: Carrying) -> Result<Carried, Exit> {
    let logged = |result: io::Result<()>| {
        result.map_err(|error| {
            exit::say(format!("the log cannot be written: {error}"));
            Exit::Aborted
        })
    };
    let signals = Signals::catch().map_err(|e| {
        exit::say(format!("signals cannot be caught: {e}"));
        Exit::Aborted
    })?;
    // A write beyond a file size limit must be an error to report, not a death.
    let too_large = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, too_large);
    let outputs = std::mem::take(&mut carrying.outputs);
    let mut acquire = Acquire::open_beside(asked, outputs).map_err(|error| failed(&error))?;
    let asked = acquire.asked().clone();
    let cancel: Cancel = signals.flag().into();
    let mut opening = if asked.replace { Opening::Replace } else { Opening::Resume };
    let mut retried = None;
    if let Some(end) = carrying.log.as_deref().filter(|_| !asked.replace).and_then(Logs::end_of) {
        let bar = Bar::open(carrying.progress, "comparing");
        match again::look(&acquire, &end, &carrying, &bar.control(&cancel))? {
            Left::Other => {}
            Left::Compared(carried) => return Ok(*carried),
            Left::Retry(bytes) => (opening, retried) = (Opening::Continue, Some(bytes)),
        }
    }
    if let Some(path) = &carrying.case {
        case_uco::clear(path, &asked)?;
    }
    // Not before: a command that is refused leaves no log.
    let targets: Vec<String> = asked.targets.iter().map(|to| shown(to.path.as_os_str().as_encoded_bytes())).collect();
    let logs = carrying.log.as_deref().map_or(Ok(Logs::default()), |path| Logs::open(path, opening, &targets));
    let mut logs = logs.map_err(|message| {
        exit::say(message);
        Exit::Usage
    })?;
    let (started, resumed_at) = (time(), acquire.beginning().done);
    if retried.is_some() {
        logged(logs.record("reopened", json!({ "why": "what could not be read is tried again" })))?;
    }
    logged(begin(&mut logs, &carrying, &asked, &acquire))?;
    let bar = Bar::open(carrying.progress, "acquiring");
    let ran = read(&mut acquire, retried, carrying.retry_bad, &bar.control(&cancel));
    drop(bar);
    let ran = match ran {
        Ok((imaged, None)) => Ok(imaged),
        Ok((imaged, Some(retried))) => logged(again::log(&mut logs, &retried)).map(|()| Ok(imaged))?,
        Err(error) => Err(error),
    };
    let imaged = match ran {
        Ok(imaged) => imaged,
        Err(error) => {
            let what = error.to_string();
            logged(logs.line(&format!("{} failed: {what}", now())))?;
            logged(logs.record("failed", json!({ "cause": what })))?;
            return Err(failed(&error));
        }
    };
    let sector = acquire.medium().sector();
    logged(tell_bad(&mut logs, &imaged, asked.imaging.from, sector))?;
    if let Some(stop) = imaged.stopped {
        let resumable = if asked.map.is_some() { "; the same command resumes here" } else { "" };
        let what = format!("stopped after {} bytes: {stop}{resumable}", imaged.bytes);
        logged(logs.line(&format!("{} {what}", now())))?;
        logged(logs.record("stopped", json!({ "bytes": imaged.bytes, "cause": stop.to_string() })))?;
        exit::say(&what);
        let by_signal = signals.number() != 0;
        return Err(if by_signal { Exit::Signal(signals.number()) } else { Exit::Aborted });
    }
    logged(tell_digests(&mut logs, &imaged))?;
    logged(tell_windows(&mut logs, &imaged))?;
    let is_whole = imaged.bad.is_empty() && acquire.beginning().departures.is_empty();
    let mut exit = if is_whole { Exit::Good } else { Exit::Incomplete };
    let changed = acquire.medium().changed();
    if let Some(what) = changed {
        let line =
            format!("the source changed while it was read ({what} differs): the image is of no single state of it");
        exit::say(&line);
        logged(logs.line(&line))?;
        logged(logs.record("changed", json!({ "what": what })))?;
        exit = Exit::Incomplete;
    }
    let mut compared = Vec::new();
    if carrying.verify {
        let source = matches!(acquire.medium().kind(), Kind::Device | Kind::File).then(|| acquire.medium());
        for to in &asked.targets {
            let bar = Bar::open(carrying.progress, "verifying");
            let found = compare(to, &asked.imaging, &imaged, source, (&bar.control(&cancel), Phase::Verifying));
            drop(bar);
            let found = found.map_err(|error| failed(&error))?;
            let name = shown(to.path.as_os_str().as_encoded_bytes());
            let verdict = if found.is_good() { "equal" } else { "DIFFERENT" };
            logged(logs.line(&format!("verified {name}: {} bytes read back, {verdict}", found.bytes)))?;
            for (offset, length) in found.differing.iter().take(MOST_LINES) {
                let line = format!("differs at offset {offset}, {length} bytes");
                exit::say(format!("{name}: {line}"));
                logged(logs.line(&format!("  {line}")))?;
            }
            if let Some(more) = more(&found.differing) {
                exit::say(format!("{name}: {more}"));
                logged(logs.line(&format!("  {more}")))?;
            }
            for (offset, length) in &found.unreadable {
                exit::say(format!("{name}: unreadable at offset {offset}, {length} bytes"));
            }
            logged(logs.record(
                "verified",
                json!({ "target": name, "equal": found.is_good(), "bytes": found.bytes, "differing": found.differing,
                        "unreadable": found.unreadable }),
            ))?;
            if !found.is_good() {
                exit::say(format!("{name}: what was read back is not what was read from the source"));
                exit = Exit::Verdict;
            }
            compared.push(found);
        }
    }
    logged(tell_files(&mut logs, &asked, carrying.verify))?;
    let case = carrying.case.clone().filter(|_| exit != Exit::Verdict);
    if let Some(path) = &case {
        let account = case::Account {
            asked: &asked,
            source: acquire.medium().into(),
            imaged: &imaged,
            compared: &compared,
            resumed_at,
            started,
            ended: time(),
            command_line: &carrying.command_line,
        };
        match case_uco::tell(path, &account, &mut logs) {
            Ok(told) => told?,
            Err(error) => logged(Err(error))?,
        }
    }
    let digests: serde_json::Map<String, serde_json::Value> =
        imaged.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
    let end = json!({ "bytes": imaged.bytes, "padded": imaged.padded, "digests": digests,
                      "unreadable-bytes": imaged.bad.iter().map(|b| b.length).sum::<u64>(),
                      "seconds": format!("{:.3}", imaged.times.total.as_secs_f64()) });
    let seconds = imaged.times.total.as_secs_f64();
    let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
    let line = format!("ended {}: {} bytes in {seconds:.3} s, {rate:.1} MB/s", now(), imaged.bytes);
    let ended = logs.line(&line).and_then(|()| logs.end(end, carrying.key.as_ref()));
    if let (Some(path), Err(_)) = (&case, &ended) {
        let _ = std::fs::remove_file(path);
    }
    logged(ended)?;
    Ok(Carried { imaged, compared, sector, from: asked.imaging.from, exit })
}

/// Reads the medium, or what of it was lost; then what was passed over on the way.
fn read(
    acquire: &mut Acquire,
    retried: Option<u64>,
    retry_bad: bool,
    control: &Control<'_>,
) -> Result<(Imaged, Option<Retried>), AcquisitionError> {
    if let Some(bytes) = retried {
        let found = acquire.retry(bytes, None, Again::All, control)?;
        return Ok((found.imaged.clone(), Some(found)));
    }
    let imaged = acquire.run(control, Phase::Acquiring)?;
    match again::is_due(acquire, &imaged, retry_bad) {
        Some(again) => {
            let found = acquire.retry(imaged.bytes, Some(&imaged), again, control)?;
            Ok((found.imaged.clone(), Some(found)))
        }
        None => Ok((imaged, None)),
    }
}

/// Digests of windows, for machines: in lots, since each record is synced.
fn tell_windows(logs: &mut Logs, imaged: &Imaged) -> io::Result<()> {
    imaged.pieces.chunks(stated::WINDOWS).try_for_each(|lot| logs.record("windows", stated::windows(lot)))
}

/// The files of each target with their sizes and, where they were read back, their SHA-256.
fn tell_files(logs: &mut Logs, asked: &Acquisition, hashed: bool) -> io::Result<()> {
    if !logs.are_kept() {
        return Ok(());
    }
    for to in &asked.targets {
        let files = stated::files(to, hashed)?;
        for file in &files {
            let sha256 = file["sha256"].as_str().map(|hex| format!(", sha256 {hex}")).unwrap_or_default();
            logs.line(&format!(
                "file: {}, {} bytes{sha256}",
                file["name"].as_str().unwrap_or_default(),
                file["bytes"]
            ))?;
        }
        if !files.is_empty() {
            logs.record("files", json!({ "files": files }))?;
        }
    }
    Ok(())
}

/// What is known before the first byte.
fn begin(logs: &mut Logs, carrying: &Carrying, asked: &Acquisition, acquire: &Acquire) -> io::Result<()> {
    let medium = acquire.medium();
    let beginning = acquire.beginning();
    let name = asked.source.path().map_or_else(|| "a pattern".into(), |p| shown(p.as_os_str().as_encoded_bytes()));
    let size = medium.size().map_or_else(|| "of unknown size".into(), |size| format!("{size} bytes"));
    logs.line(&format!("pfh {} started {}", env!("CARGO_PKG_VERSION"), now()))?;
    logs.line(&format!("command line: {}", carrying.command_line))?;
    let (machine, user, kernel) = (host::name(), host::user(), host::kernel());
    logs.line(&format!(
        "host: {}, {}, user {}",
        shown(machine.as_bytes()),
        shown(kernel.as_bytes()),
        shown(user.as_bytes())
    ))?;
    let about = &asked.about;
    let case = [
        ("case", &about.case_number),
        ("evidence", &about.evidence_number),
        ("examiner", &about.examiner),
        ("description", &about.description),
        ("notes", &about.notes),
    ];
    for (what, text) in case.iter().filter(|(_, text)| !text.is_empty()) {
        logs.line(&format!("{what}: {}", shown(text.as_bytes())))?;
    }
    logs.line(&format!("source: {name}, {size}, sectors of {} bytes", medium.sector()))?;
    for (what, value) in medium.facts() {
        logs.line(&format!("  {what}: {}", shown(value.as_bytes())))?;
    }
    if let Some(identity) = &beginning.identity {
        for (what, edge) in [("first", &identity.first), ("last", &identity.last)] {
            if let Some(edge) = edge {
                let lost: u64 = edge.unreadable.iter().map(|(_, length)| length).sum();
                let but = if lost > 0 { format!(", without {lost} unreadable bytes") } else { String::new() };
                logs.line(&format!("  sha256 of the {what} MiB{but}: {}", edge.sha256))?;
            }
        }
    }
    let read_only = medium.facts().get("read-only").map(String::as_str);
    let block = match (medium.kind(), read_only) {
        (Kind::Device, Some("1")) => {
            "the kernel refuses writes to the device (its read-only flag is set). Hidden areas (HPA, DCO) were not looked for"
        }
        (Kind::Device, _) => {
            "the kernel would allow writes to the device; pfh opened it for reading only. Hidden areas (HPA, DCO) were not looked for"
        }
        _ => "not a device; opened for reading only",
    };
    logs.line(&format!("write block: {block}"))?;
    for (place, writable) in &beginning.mounts {
        let how = if *writable { "for writing: it may change while it is read" } else { "read-only" };
        exit::say(format!("warning: {name} is mounted at {} {how}", shown(place.as_bytes())));
        logs.line(&format!("warning: mounted at {} {how}", shown(place.as_bytes())))?;
    }
    logs.line(&format!(
        "access: {}",
        if medium.is_direct() { "past the page cache (O_DIRECT)" } else { "through the page cache" }
    ))?;
    for what in &beginning.departures {
        exit::say(format!("{name}: {what}"));
        logs.line(&format!("damaged source image: {what}"))?;
        logs.record("departure", json!({ "what": what }))?;
    }
    for note in &beginning.notes {
        exit::say(note);
        logs.line(note)?;
    }
    if beginning.done > 0 {
        let line = format!("resuming: {} bytes are there from before and are hashed from the image", beginning.done);
        exit::say(&line);
        logs.line(&line)?;
    }
    let targets: Vec<String> = asked.targets.iter().map(|to| shown(to.path.as_os_str().as_encoded_bytes())).collect();
    logs.line(&format!("targets: {}", targets.join(", ")))?;
    let facts: serde_json::Map<String, serde_json::Value> =
        medium.facts().iter().map(|(k, v)| ((*k).to_owned(), v.as_str().into())).collect();
    let record = json!({
        "host": machine, "user": user, "kernel": kernel, "version": env!("CARGO_PKG_VERSION"), "command": carrying.command_line, "source": name, "bytes": medium.size(),
        "sector": medium.sector(), "physical-sector": medium.physical_sector(), "facts": facts, "write-block": block,
        "mounts": beginning.mounts, "direct": medium.is_direct(), "resumed-at": beginning.done, "targets": targets,
        "identity": beginning.identity.as_ref().map(Identity::to_json), "notes": beginning.notes,
        "from": asked.imaging.from, "length": asked.imaging.length, "retries": asked.imaging.care.retries,
        "case": asked.about.case_number, "evidence": asked.about.evidence_number, "examiner": asked.about.examiner,
        "description": asked.about.description, "notes": asked.about.notes,
        "fill": match &asked.imaging.care.fill { Fill::Zeros => "zeros".to_owned(), Fill::Pattern(p) => format!("{p:02x?}") },
    });
    logs.record("start", record)
}

/// Every unreadable run, as sectors and as bytes.
fn tell_bad(logs: &mut Logs, imaged: &Imaged, from: u64, sector: u32) -> io::Result<()> {
    for bad in &imaged.bad {
        logs.line(&format!("unreadable: {}", lost(bad, from, sector)))?;
        logs.record(
            "unreadable",
            json!({ "offset": bad.offset, "length": bad.length, "errno": bad.errno, "cause": bad.cause(),
                    "medium-offset": from + bad.offset, "sector": (from + bad.offset) / u64::from(sector) }),
        )?;
    }
    if imaged.retried > 0 {
        logs.line(&format!("{} sectors were read only on a later try", imaged.retried))?;
    }
    if imaged.padded > 0 {
        logs.line(&format!("padding: {} zero bytes behind the end of the source, to whole sectors", imaged.padded))?;
    }
    Ok(())
}

/// A run of lost bytes in words: sectors are those of the medium (LBAs), wherever on it the image starts (`from`, in bytes).
pub fn lost(bad: &Bad, from: u64, sector: u32) -> String {
    let (size, at) = (u64::from(sector), from + bad.offset);
    let (first, last) = (at / size, (at + bad.length).div_ceil(size).max(1) - 1);
    let sectors = if first == last { format!("sector {first}") } else { format!("sectors {first} - {last}") };
    let place = match from {
        0 => format!("offset {at}"),
        _ => format!("offset {at} of the medium, {} of the image", bad.offset),
    };
    format!("{sectors} ({place}, {} bytes): {}", bad.length, bad.cause())
}

/// So many differing ranges are named one by one; the records for machines have all.
pub const MOST_LINES: usize = 20;

/// What is said of the ranges beyond [`MOST_LINES`].
pub fn more(differing: &[(u64, u64)]) -> Option<String> {
    let rest = differing.get(MOST_LINES..).filter(|rest| !rest.is_empty())?;
    let bytes: u64 = rest.iter().map(|(_, length)| length).sum();
    Some(format!("and {} more ranges of {bytes} bytes", rest.len()))
}

fn tell_digests(logs: &mut Logs, imaged: &Imaged) -> io::Result<()> {
    if !imaged.digests.is_empty() {
        let filled = if imaged.bad.is_empty() { "" } else { ", unreadable sectors filled" };
        logs.line(&format!("digests of the image as written{filled}:"))?;
    }
    for digest in &imaged.digests {
        logs.line(&format!("  {} {digest}", digest.algorithm()))?;
    }
    for piece in &imaged.pieces {
        for digest in &piece.digests {
            logs.line(&format!(
                "  {} - {}: {} {digest}",
                piece.offset,
                piece.offset + piece.length,
                digest.algorithm()
            ))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_differing_ranges_are_counted_and_not_listed() {
        let ranges: Vec<(u64, u64)> = (0..4200).map(|at| (at * 2, 1)).collect();
        assert_eq!(more(&ranges[..MOST_LINES]), None);
        assert_eq!(more(&ranges).as_deref(), Some("and 4180 more ranges of 4180 bytes"));
    }
}
