//! The time of a program that only reads and runs the kernels: the bound that whole programs are
//! compared with (`bench/run compare bound`).
//!
//! `cargo run --release -p pfh-digest --example bound -- kernel|lanes|read ALGORITHM[,…] [--arena
//! KIB] [--piece KIB] [--rounds N] PATH…`
//!
//! One thread keeps as many messages open as its arena has pieces, reads a piece of each, advances
//! all of them, ends those that are through, and opens the next files in their places. No order of
//! output, no proof of consistency, no reading ahead.
//!
//! * `lanes`: all of that.
//! * `read`: without hashing. `kernel`: without reading; the arena holds some bytes, and the files'
//!   lengths are known before.
//!
//! It prints the least and the median of the processor's seconds, user and system, over the rounds,
//! and a digest of all digests.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use pfh_digest::{Algorithm, Digest, Hasher, advance_many, finalize_many};
use rustix::time::{ClockId, clock_gettime};

struct Plan {
    algorithms: Vec<Algorithm>,
    arena: usize,
    piece: usize,
    reads: bool,
    hashes: bool,
}

/// An open message: its file, the bytes left of it where nothing is read, and a hasher for each
/// algorithm.
struct Open {
    number: usize,
    file: Option<File>,
    left: usize,
    hashers: Vec<Hasher>,
}

fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Reads until the room is full or the file ends; true at its end.
fn fill(open: &mut Open, room: &mut [u8], plan: &Plan) -> (usize, bool) {
    let Some(file) = open.file.as_mut().filter(|_| plan.reads) else {
        let length = open.left.min(room.len());
        open.left -= length;
        return (length, open.left == 0 && length < room.len());
    };
    let mut filled = 0;
    while filled < room.len() {
        match file.read(&mut room[filled..]).expect("a file that can be read") {
            0 => return (filled, true),
            n => filled += n,
        }
    }
    (filled, false)
}

fn round(plan: &Plan, files: &[(PathBuf, usize)], arena: &mut [u8], digests: &mut [Vec<Digest>]) {
    let skew: usize = std::env::var("SKEW").map_or(0, |skew| skew.parse().expect("a number"));
    let mut next = files.iter().enumerate();
    let mut open: Vec<Open> = Vec::new();
    loop {
        let (mut used, mut through) = (0, Vec::new());
        let mut wholes: Vec<(usize, usize, usize)> = Vec::new();
        let mut pieces: Vec<(usize, usize, usize)> = Vec::new();
        let mut at = 0;
        while at < open.len() {
            let (length, ended) = fill(&mut open[at], &mut arena[used..][..plan.piece], plan);
            pieces.push((at, used, length));
            through.push(ended);
            used += length.next_multiple_of(64) + skew;
            at += 1;
        }
        while (plan.arena + 64 * skew).saturating_sub(used) >= plan.piece {
            let Some((number, (path, length))) = next.next() else { break };
            let file = plan.reads.then(|| File::open(path).expect("a file that can be opened"));
            let mut one = Open { number, file, left: *length, hashers: Vec::new() };
            let (length, ended) = fill(&mut one, &mut arena[used..][..plan.piece], plan);
            if ended {
                wholes.push((number, used, length));
            } else {
                one.hashers = plan.algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
                pieces.push((open.len(), used, length));
                through.push(false);
                open.push(one);
            }
            used += length.next_multiple_of(64) + skew;
        }
        if pieces.is_empty() && wholes.is_empty() {
            return;
        }
        if plan.hashes {
            let messages: Vec<&[u8]> = wholes.iter().map(|(_, from, length)| &arena[*from..][..*length]).collect();
            for (place, algorithm) in plan.algorithms.iter().enumerate() {
                let hashers = open.iter_mut().map(|open| &mut open.hashers[place]);
                let mut jobs: Vec<(&mut Hasher, &[u8])> = hashers
                    .zip(&pieces)
                    .map(|(hasher, (_, from, length))| (hasher, &arena[*from..][..*length]))
                    .collect();
                let found = advance_many(*algorithm, &mut jobs, &messages);
                for ((number, _, _), digest) in wholes.iter().zip(found) {
                    digests[*number].push(digest);
                }
            }
        }
        let mut ended: Vec<Open> = Vec::new();
        for at in (0..open.len()).rev().filter(|at| through[*at]) {
            ended.push(open.remove(at));
        }
        let numbers: Vec<usize> = ended.iter().map(|open| open.number).collect();
        let mut hashers: Vec<_> = ended.into_iter().map(|open| open.hashers.into_iter()).collect();
        for _ in 0..if plan.hashes { plan.algorithms.len() } else { 0 } {
            let one = hashers.iter_mut().filter_map(Iterator::next).collect();
            for (number, digest) in numbers.iter().zip(finalize_many(one)) {
                digests[*number].push(digest);
            }
        }
    }
}

fn walk(path: &Path, to: &mut Vec<(PathBuf, usize)>) {
    if path.is_dir() {
        let mut names: Vec<_> =
            path.read_dir().expect("a directory").map(|entry| entry.expect("a name").path()).collect();
        names.sort();
        names.iter().for_each(|path| walk(path, to));
    } else {
        let length = path.metadata().expect("a file").len() as usize;
        to.push((path.to_path_buf(), length));
    }
}

fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().expect("kernel, lanes or read");
    let algorithms = words.next().expect("algorithms");
    let algorithms = algorithms.split(',').map(|name| name.parse().expect("an algorithm")).collect();
    let (mut arena, mut piece, mut rounds, mut files) = (1024, 32, 5, Vec::new());
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<usize>().ok()).expect("a number");
        match word.as_str() {
            "--arena" => arena = number(),
            "--piece" => piece = number(),
            "--rounds" => rounds = number(),
            _ => walk(Path::new(&word), &mut files),
        }
    }
    let (reads, hashes) = (what != "kernel", what != "read");
    let plan = Plan { algorithms, arena: arena << 10, piece: piece << 10, reads, hashes };
    let mut memory = vec![0x5a; plan.arena + (64 << 10) + 4096];
    let start = memory.as_ptr().align_offset(4096);
    let mut times = Vec::new();
    let mut answer = String::new();
    for _ in 0..rounds {
        let mut digests: Vec<Vec<Digest>> = vec![Vec::new(); files.len()];
        let before = processor_time();
        round(&plan, &files, &mut memory[start..][..plan.arena + (64 << 10)], &mut digests);
        times.push(processor_time() - before);
        let mut all = "sha256".parse::<Algorithm>().expect("an algorithm").hasher();
        digests.iter().flatten().for_each(|digest| all.update(digest.bytes()));
        answer = all.finalize().to_string();
    }
    times.sort_by(f64::total_cmp);
    let bytes: usize = files.iter().map(|(_, length)| length).sum();
    println!(
        "{what} {} files {bytes} bytes: least {:.4} s, median {:.4} s; {}",
        files.len(),
        times[0],
        times[times.len() / 2],
        &answer[..16]
    );
}
