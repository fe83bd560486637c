//! What `pfh acquire` and `pfh dd` have in common: the run itself, its logs, its report.

use crate::custody::{Logs, now, time};
use crate::exit::{self, Exit};
use crate::signals::Signals;
use crate::{case_uco, shown};
use ed25519_dalek::SigningKey;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh::acquisition::{Acquire, Acquisition, AcquisitionError, Compared, case, compare};
use pfh::device::{Fill, Kind};
use pfh::image::OpenError;
use pfh::imaging::{Imaged, Pace};
use pfh::outputs::Outputs;
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

/// How a run is carried out beside what is acquired.
pub struct Carrying {
    pub progress: bool,
    pub verify: bool,
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
    pub exit: Exit,
}

struct Bar(Option<ProgressBar>);

impl Bar {
    fn open(wanted: bool, what: &'static str) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Bar(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{prefix} [{bar:24}] {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(what);
        Bar(Some(bar))
    }

    fn show(&self, pace: &Pace) {
        let Some(bar) = &self.0 else { return };
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

/// The exit of an acquisition that failed; the reason has been said.
pub fn failed(error: &AcquisitionError) -> Exit {
    exit::say(error);
    match error {
        AcquisitionError::Usage(_) | AcquisitionError::Refused(_) => Exit::Usage,
        AcquisitionError::Image(OpenError::Unread { .. } | OpenError::Mismatch { .. }) => Exit::Usage,
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
    let mut acquire = Acquire::open_beside(asked.clone(), outputs).map_err(|error| failed(&error))?;
    if let Some(path) = &carrying.case {
        case_uco::clear(path, &asked)?;
    }
    // Not before: a command that is refused leaves no log.
    let logs = carrying.log.as_deref().map_or(Ok(Logs::default()), |path| Logs::open(path, asked.replace));
    let mut logs = logs.map_err(|message| {
        exit::say(message);
        Exit::Usage
    })?;
    let (started, resumed_at) = (time(), acquire.beginning().done);
    logged(begin(&mut logs, &carrying, &asked, &acquire))?;
    let cancel: pfh::Cancel = signals.flag().into();
    let bar = Bar::open(carrying.progress, "acquiring");
    let ran = acquire.run(cancel.clone(), &mut |pace| bar.show(pace));
    drop(bar);
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
    logged(tell_bad(&mut logs, &imaged, sector))?;
    if let Some(stop) = imaged.stopped {
        let resumable = if asked.map.is_some() { "; the same command goes on from here" } else { "" };
        let what = format!("stopped after {} bytes: {stop}{resumable}", imaged.bytes);
        logged(logs.line(&format!("{} {what}", now())))?;
        logged(logs.record("stopped", json!({ "bytes": imaged.bytes, "cause": stop.to_string() })))?;
        exit::say(&what);
        let by_signal = signals.number() != 0;
        return Err(if by_signal { Exit::Signal(signals.number()) } else { Exit::Aborted });
    }
    logged(tell_digests(&mut logs, &imaged))?;
    let mut exit = if imaged.bad.is_empty() { Exit::Good } else { Exit::Incomplete };
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
            let found = compare(to, &asked.imaging, &imaged, source, cancel.clone(), &mut |pace| bar.show(pace));
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
    Ok(Carried { imaged, compared, sector, exit })
}

/// What is known before the first byte.
fn begin(logs: &mut Logs, carrying: &Carrying, asked: &Acquisition, acquire: &Acquire) -> io::Result<()> {
    let medium = acquire.medium();
    let beginning = acquire.beginning();
    let name = asked.source.path().map_or_else(|| "a pattern".into(), |p| shown(p.as_os_str().as_encoded_bytes()));
    let size = medium.size().map_or_else(|| "of unknown size".into(), |size| format!("{size} bytes"));
    logs.line(&format!("pfh {} started {}", env!("CARGO_PKG_VERSION"), now()))?;
    logs.line(&format!("command line: {}", carrying.command_line))?;
    logs.line(&format!("source: {name}, {size}, sectors of {} bytes", medium.sector()))?;
    for (what, value) in medium.facts() {
        logs.line(&format!("  {what}: {}", shown(value.as_bytes())))?;
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
    if beginning.done > 0 {
        let line = format!("going on: {} bytes are there from before and are hashed from the image", beginning.done);
        exit::say(&line);
        logs.line(&line)?;
    }
    let targets: Vec<String> = asked.targets.iter().map(|to| shown(to.path.as_os_str().as_encoded_bytes())).collect();
    logs.line(&format!("targets: {}", targets.join(", ")))?;
    let facts: serde_json::Map<String, serde_json::Value> =
        medium.facts().iter().map(|(k, v)| ((*k).to_owned(), v.as_str().into())).collect();
    let record = json!({
        "version": env!("CARGO_PKG_VERSION"), "command": carrying.command_line, "source": name, "bytes": medium.size(),
        "sector": medium.sector(), "physical-sector": medium.physical_sector(), "facts": facts, "write-block": block,
        "mounts": beginning.mounts, "direct": medium.is_direct(), "resumed-at": beginning.done, "targets": targets,
        "from": asked.imaging.from, "length": asked.imaging.length, "retries": asked.imaging.care.retries,
        "case": asked.about.case_number, "evidence": asked.about.evidence_number, "examiner": asked.about.examiner,
        "description": asked.about.description, "notes": asked.about.notes,
        "fill": match &asked.imaging.care.fill { Fill::Zeros => "zeros".to_owned(), Fill::Pattern(p) => format!("{p:02x?}") },
    });
    logs.record("start", record)
}

/// Every unreadable run, as sectors and as bytes.
fn tell_bad(logs: &mut Logs, imaged: &Imaged, sector: u32) -> io::Result<()> {
    for bad in &imaged.bad {
        logs.line(&format!("unreadable: {}", run(bad.offset, bad.length, sector, bad.errno)))?;
        logs.record(
            "unreadable",
            json!({ "offset": bad.offset, "length": bad.length, "errno": bad.errno,
                    "cause": io::Error::from_raw_os_error(bad.errno).to_string() }),
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

/// So many differing ranges are named one by one; the records for machines have all.
pub const MOST_LINES: usize = 20;

/// What is said of the ranges beyond [`MOST_LINES`].
pub fn more(differing: &[(u64, u64)]) -> Option<String> {
    let rest = differing.get(MOST_LINES..).filter(|rest| !rest.is_empty())?;
    let bytes: u64 = rest.iter().map(|(_, length)| length).sum();
    Some(format!("and {} more ranges of {bytes} bytes", rest.len()))
}

/// A run of unreadable bytes in words.
pub fn run(offset: u64, length: u64, sector: u32, errno: i32) -> String {
    let size = u64::from(sector);
    let (first, count) = (offset / size, length.div_ceil(size));
    let sectors =
        if count == 1 { format!("sector {first}") } else { format!("sectors {first} - {}", first + count - 1) };
    format!("{sectors} (offset {offset}, {length} bytes): {}", io::Error::from_raw_os_error(errno))
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
