//! Speeds, for information: of the directory, of digests, and of a run over a file beside the bound
//! that both of them set.

use super::request::Request;
use super::room::{Room, cause};
use super::row::{Group, Row, Standing};
use super::vectors::random;
use crate::algorithms::REGISTRY;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Plan, Record};
use pfh_source::os::handles::AsFd;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Descend, Operands, os};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// One write or read.
const PIECE: usize = 1 << 20;
/// The longest that one of the measurements takes; the last piece may take longer.
const MOST: Duration = Duration::from_secs(6);
/// Algorithms whose speed stands beside that of the directory.
const ALGORITHMS: [&str; 3] = ["md5", "sha256", "blake3"];
/// The one of them that the run has. It has one message, which one processor hashes.
const OF_THE_RUN: &str = "sha256";
/// A run that brings less than this share of its bound is worth a second look.
const SHARE: f64 = 0.5;

/// Bytes in a time.
#[derive(Clone, Copy)]
struct Rate {
    bytes: u64,
    time: Duration,
}

impl Rate {
    fn each_second(self) -> f64 {
        self.bytes as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn text(self) -> String {
        format!("{:.0} MB/s", self.each_second() / 1e6)
    }
}

pub(super) fn rows<'a>(
    room: &'a Room,
    request: &'a Request,
    control: &'a Control<'a>,
) -> impl Iterator<Item = Row> + 'a {
    let steps = [measure_directory, measure_digests, measure_run];
    let mut found = StepRates::default();
    steps.into_iter().flat_map(move |step| step(&mut found, room, request, control))
}

/// The rates that a later step compares with.
#[derive(Default)]
struct StepRates {
    reading: Option<Rate>,
    hashing: Option<Rate>,
}

fn note(name: &str, detail: String) -> Row {
    Row::new(Group::Speed, name, Standing::Note, detail)
}

fn unmeasured(name: &str, error: &io::Error) -> Vec<Row> {
    vec![note(name, format!("not measured: {}", cause(error)))]
}

/// Writes a file, syncs it, and reads it past the cache where that can be.
fn measure_directory(found: &mut StepRates, room: &Room, request: &Request, control: &Control<'_>) -> Vec<Row> {
    let path = room.path().join("speed");
    let written = match write(&path, request.bytes, control) {
        Ok(written) => written,
        Err(error) => return unmeasured("writing", &error),
    };
    let writing = note("writing", format!("{}, {} MiB with a sync", written.text(), written.bytes >> 20));
    match read(&path, control) {
        Err(error) => std::iter::once(writing).chain(unmeasured("reading", &error)).collect(),
        Ok((read, is_past)) => {
            found.reading = Some(read);
            let past = if is_past { "past the cache" } else { "perhaps from the cache" };
            let reading = format!("{}, {} MiB {past}", read.text(), read.bytes >> 20);
            vec![writing, note("reading", reading)]
        }
    }
}

/// Hashes bytes in memory.
fn measure_digests(found: &mut StepRates, _: &Room, _: &Request, _: &Control<'_>) -> Vec<Row> {
    let bytes = random(1, 8 << 20);
    let rate = |algorithm: Algorithm| {
        // The first costs the choice of a kernel.
        algorithm.digest(&bytes[..1]);
        let begun = Instant::now();
        algorithm.digest(&bytes);
        Rate { bytes: bytes.len() as u64, time: begun.elapsed() }
    };
    let mut rows = Vec::new();
    for name in ALGORITHMS {
        let Ok(algorithm) = REGISTRY.find(name) else { continue };
        let rate = rate(algorithm);
        if name == OF_THE_RUN {
            found.hashing = Some(rate);
        }
        rows.push(note(name, rate.text() + " on one processor, from memory"));
    }
    rows
}

/// Hashes the file as `pfh hash` does, beside the slower of reading and of hashing, and removes it.
fn measure_run(found: &mut StepRates, room: &Room, _: &Request, control: &Control<'_>) -> Vec<Row> {
    let path = room.path().join("speed");
    let run = found.reading.zip(found.hashing).map(|(reading, hashing)| {
        let slower = reading.each_second().min(hashing.each_second());
        hash(&path, control).map(|run| (run, slower))
    });
    let removed = std::fs::remove_file(&path);
    match run {
        Some(Ok((run, bound))) => {
            let share = run.each_second() / bound;
            let (text, percent) = (run.text(), (share * 100.0).round());
            let but = if share < SHARE { "; more than half is lost on the way" } else { "" };
            let bound = format!("{percent:.0} % of its bound, the slower of reading and {OF_THE_RUN}{but}");
            vec![note("a run over a file", format!("{text}, {bound}"))]
        }
        Some(Err(error)) => unmeasured("a run over a file", &error),
        // That of the directory is the reason, and stands there.
        None => removed.err().filter(|_| found.reading.is_some()).iter().flat_map(|e| unmeasured("a run", e)).collect(),
    }
}

fn write(path: &Path, most: u64, control: &Control<'_>) -> io::Result<Rate> {
    let mut file = File::create_new(path)?;
    let free = os::free_bytes(&file)?.unwrap_or(most);
    // Never the room that others need.
    let most = most.min(free / 4);
    let piece = random(2, PIECE);
    let (begun, mut bytes) = (Instant::now(), 0_u64);
    while bytes < most && begun.elapsed() < MOST && !control.is_cancelled() {
        file.write_all(&piece)?;
        bytes += piece.len() as u64;
    }
    let _ = os::sync(&file);
    Ok(Rate { bytes, time: begun.elapsed() })
}

/// Opens a file whose bytes the system no longer holds; whether it does not.
fn opened(path: &Path) -> io::Result<(File, bool)> {
    let file = File::open(path)?;
    let is_past = os::EVICTS && !os::is_in_memory(&file) && os::evict_range(&file, 0, 0).is_ok();
    Ok((file, is_past))
}

fn read(path: &Path, control: &Control<'_>) -> io::Result<(Rate, bool)> {
    let (file, is_past) = opened(path)?;
    os::advise_sequential(file.as_fd());
    let (begun, mut at, mut buffer) = (Instant::now(), 0, vec![0; PIECE]);
    while begun.elapsed() < MOST && !control.is_cancelled() {
        match os::read_at(file.as_fd(), &mut buffer, at)? {
            0 => break,
            got => at += got as u64,
        }
    }
    Ok((Rate { bytes: at, time: begun.elapsed() }, is_past))
}

fn hash(path: &Path, control: &Control<'_>) -> io::Result<Rate> {
    drop(opened(path)?);
    let algorithm = REGISTRY.find(OF_THE_RUN).map_err(io::Error::other)?;
    let source = Operands::new(vec![path.as_os_str().as_bytes().to_vec()], Descend::default());
    let mut records: Vec<Record> = Vec::new();
    let begun = Instant::now();
    pfh_engine::run(Box::new(source), &Plan::new(vec![algorithm]), &mut records, control).map_err(io::Error::other)?;
    let time = begun.elapsed();
    match records.first().map(|record| &record.outcome) {
        Some(Outcome::Hashed(hashed)) => Ok(Rate { bytes: hashed.closed.size, time }),
        Some(Outcome::Failed(problem)) => Err(io::Error::other(problem.to_string())),
        _ => Err(io::ErrorKind::Interrupted.into()),
    }
}
