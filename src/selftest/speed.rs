//! Speeds, for information: of the directory, and of digests.

use super::request::Request;
use super::room::{Room, cause};
use super::row::{Group, Row, Standing};
use super::vectors::random;
use crate::algorithms::REGISTRY;
use pfh_engine::Control;
use pfh_source::os;
use pfh_source::os::handles::AsFd;
use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// One write or read.
const PIECE: usize = 1 << 20;
/// The longest that one of the measurements takes; the last piece may take longer.
const MOST: Duration = Duration::from_secs(6);
/// Algorithms whose speed stands beside that of the directory.
const ALGORITHMS: [&str; 3] = ["md5", "sha256", "blake3"];

pub(super) fn rows<'a>(
    room: &'a Room,
    request: &'a Request,
    control: &'a Control<'a>,
) -> impl Iterator<Item = Row> + 'a {
    let note = |name: &str, detail: String| Row::new(Group::Speed, name, Standing::Note, detail);
    let directory = [()].into_iter().flat_map(move |()| match directory(room, request.bytes, control) {
        Ok([written, read]) => vec![note("writing", written), note("reading", read)],
        Err(error) => vec![note("writing", format!("not measured: {}", cause(&error)))],
    });
    let digests = ALGORITHMS.iter().filter_map(move |name| {
        let algorithm = REGISTRY.find(name).ok()?;
        let bytes = random(1, 8 << 20);
        // The first costs the choice of a kernel.
        algorithm.digest(&bytes[..1]);
        let begun = Instant::now();
        algorithm.digest(&bytes);
        Some(note(name, rate(bytes.len() as u64, begun.elapsed()) + " on one processor, from memory"))
    });
    directory.chain(digests)
}

fn rate(bytes: u64, time: Duration) -> String {
    format!("{:.0} MB/s", bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9))
}

/// Writes a file, syncs it, and reads it past the cache where that can be.
fn directory(room: &Room, most: u64, control: &Control<'_>) -> io::Result<[String; 2]> {
    let path = room.path().join("speed");
    let mut file = File::create_new(&path)?;
    let free = os::free_bytes(&file)?.unwrap_or(most);
    // Never the room that others need.
    let most = most.min(free / 4);
    let piece = random(2, PIECE);
    let (begun, mut written) = (Instant::now(), 0_u64);
    while written < most && begun.elapsed() < MOST && !control.is_cancelled() {
        file.write_all(&piece)?;
        written += piece.len() as u64;
    }
    let _ = os::sync(&file);
    let writing = format!("{}, {} MiB with a sync", rate(written, begun.elapsed()), written >> 20);
    drop(file);
    let file = File::open(&path)?;
    let is_past = os::EVICTS && !os::is_in_memory(&file) && os::evict_range(&file, 0, 0).is_ok();
    os::advise_sequential(file.as_fd());
    let (begun, mut at, mut buffer) = (Instant::now(), 0, vec![0; PIECE]);
    while begun.elapsed() < MOST && !control.is_cancelled() {
        match os::read_at(file.as_fd(), &mut buffer, at)? {
            0 => break,
            got => at += got as u64,
        }
    }
    let past = if is_past { "past the cache" } else { "perhaps from the cache" };
    let reading = format!("{}, {} MiB {past}", rate(at, begun.elapsed()), at >> 20);
    drop(file);
    std::fs::remove_file(&path)?;
    Ok([writing, reading])
}
