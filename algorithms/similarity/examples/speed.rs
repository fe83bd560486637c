//! How fast digests are made: `speed [--rounds N] [--only PART-OF-NAME] [--ssdeep PROGRAM] PATH…`.
//!
//! Reads all files (of directories, all below) into memory, then makes the digests of each method
//! in turn, `N` rounds (default 5), and prints the least and the median CPU time as MB/s (10^6
//! bytes). With `--ssdeep`, that program's CPU time over the same files is taken in the same
//! rounds, and its digests are compared with ours before any time is printed.

use pfh_similarity::mrsh_v2::MrshV2;
use pfh_similarity::sdhash::Sdhash;
use pfh_similarity::ssdeep::{self, Ssdeep};
use pfh_similarity::tlsh::Tlsh;
use pfh_similarity::{Hasher, Method};
use std::path::{Path, PathBuf};
use std::process::Command;

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|path| collect(path, files));
    } else {
        files.push(path.into());
    }
}

/// Seconds for the digests of all inputs, each in memory as a whole.
fn whole<M: Method>(method: M, inputs: &[Vec<u8>]) -> f64 {
    let start = cpu();
    for input in inputs {
        let _ = std::hint::black_box(method.digest(input));
    }
    cpu() - start
}

/// The same, in pieces of 256 KiB.
fn pieces<M: Method>(method: M, inputs: &[Vec<u8>]) -> f64 {
    let start = cpu();
    for input in inputs {
        let mut hasher = method.hasher();
        input.chunks(256 << 10).for_each(|piece| hasher.update(piece));
        let _ = std::hint::black_box(hasher.finalize());
    }
    cpu() - start
}

/// Seconds that this thread has spent on a CPU: other work on the machine does not count.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Seconds of CPU time that children of this process have used so far.
fn children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[13].parse::<f64>().unwrap() + fields[14].parse::<f64>().unwrap()) / 100.0
}

fn oracle(program: &str, files: &[PathBuf], inputs: &[Vec<u8>], check: bool) -> f64 {
    let before = children();
    let mut texts = Vec::new();
    for files in files.chunks(1000) {
        texts.extend(Command::new(program).arg("-s").args(files).output().unwrap().stdout);
    }
    let time = children() - before;
    if check {
        let digests = texts.split(|&c| c == b'\n').filter_map(|line| ssdeep::parse_line(line).ok());
        let theirs: std::collections::HashMap<Vec<u8>, _> = digests.map(|(digest, name)| (name, digest)).collect();
        for (file, input) in files.iter().zip(inputs) {
            let name = file.to_str().unwrap().as_bytes();
            assert_eq!(theirs[name], Ssdeep.digest(input).unwrap(), "{}", file.display());
        }
    }
    time
}

fn main() {
    let mut rounds = 5;
    let mut program = None;
    let mut only = String::new();
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => rounds = arguments.next().unwrap().parse().unwrap(),
            "--only" => only = arguments.next().unwrap(),
            "--ssdeep" => program = arguments.next(),
            path => collect(Path::new(path), &mut files),
        }
    }
    let inputs: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let total: usize = inputs.iter().map(Vec::len).sum();
    println!("{} files, {total} bytes", files.len());
    type Run<'a> = (&'a str, Box<dyn Fn(usize) -> f64 + 'a>);
    let inputs = &inputs[..];
    let mut runs: Vec<Run> = vec![
        ("ssdeep", Box::new(|_| whole(Ssdeep, inputs))),
        ("ssdeep, pieces", Box::new(|_| pieces(Ssdeep, inputs))),
        ("mrsh-v2", Box::new(|_| whole(MrshV2::PLAIN, inputs))),
        ("sdhash", Box::new(|_| whole(Sdhash::STREAM, inputs))),
        ("sdhash-dd", Box::new(|_| whole(Sdhash::BLOCKS, inputs))),
        ("tlsh", Box::new(|_| whole(Tlsh, inputs))),
    ];
    if let Some(program) = &program {
        let files = &files;
        runs.push(("the ssdeep program", Box::new(move |round| oracle(program, files, inputs, round == 0))));
    }
    runs.retain(|(name, _)| name.contains(&only));
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); runs.len()];
    for round in 0..rounds {
        for (run, times) in runs.iter().zip(&mut times) {
            times.push(run.1(round));
        }
    }
    println!("{:20} {:>10} {:>10}   MB/s", "", "best", "median");
    for ((name, _), times) in runs.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let rate = |seconds: f64| total as f64 / 1e6 / seconds;
        println!("{name:20} {:>10.0} {:>10.0}", rate(times[0]), rate(times[times.len() / 2]));
    }
}
