//! Files on a device that is modelled, for `bench/run devices` and `bench/run rotating`: mounts
//! them, prints where, and unmounts them when standard input ends. Nothing is cached at first.
//!
//! Operands: spindle|ssd|network FILES KIB.

use pfh_inject::{File, Files, Latency, Spindle};
use std::io::Read;
use std::process::ExitCode;
use std::time::Duration;

/// Bytes of the disk: 250 GB, as the paper's.
const SIZE: u64 = 250_000_000_000;

fn files(device: &str, count: u64, kib: u64) -> Option<Files> {
    let file = |n: u64| {
        // From a quarter of the mean to seven of them, so that the mean is the one asked for.
        let length = (kib << 10) * (1 + n * 7 % 13) / 7;
        File::new(format!("{n:05}"), length).cached()
    };
    let files = (0..count).fold(Files::new(), |files, n| files.with(file(n).held()));
    Some(match device {
        "spindle" => files.on(Spindle::new(SIZE), SIZE),
        "ssd" => files.after(Latency::new(Duration::from_micros(100), 32)),
        "network" => files.after(Latency::new(Duration::from_millis(2), 16)),
        _ => return None,
    })
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let parsed = match &words[..] {
        [device, count, kib] => count.parse().ok().zip(kib.parse().ok()).and_then(|(n, kib)| files(device, n, kib)),
        _ => None,
    };
    let Some(files) = parsed else {
        eprintln!("operands: spindle|ssd|network FILES KIB");
        return ExitCode::from(2);
    };
    let mounted = match files.mount() {
        Ok(mounted) => mounted,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{}", mounted.path().display());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    ExitCode::SUCCESS
}
