//! pfh bench runner: Rust, one library per row.  Protocol: ../README.md
#![forbid(unsafe_code)]

mod libraries;

use rustix::time::{ClockId, clock_gettime};
use std::process::exit;
use std::time::Instant;

fn usage(reason: &str) -> ! {
    eprintln!("hash-runner: {reason}");
    eprintln!("usage: hash-runner --library {{{}}} [--json] REPEAT WARMUP ALGO FILE", libraries::NAMES.join("|"));
    eprintln!("ALGO: md5 sha1 sha256 sha512 sha3-256 blake3, as far as the library has them");
    exit(2)
}

fn count(text: &str, least: u32) -> i64 {
    match text.parse::<u32>() {
        Ok(value) if value >= least => i64::from(value),
        _ => usage("REPEAT must be 1 or more, WARMUP 0 or more"),
    }
}

/// CPU time of the whole process in nanoseconds.
fn cpu() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn main() {
    let mut operands: Vec<String> = std::env::args().skip(1).collect();
    if operands.len() < 2 || operands[0] != "--library" {
        usage("--library comes first");
    }
    let library = operands.drain(..2).nth(1).expect("two were there");
    let json = operands.first().is_some_and(|first| first == "--json");
    operands.drain(..usize::from(json));
    let [repeat, warmup, algorithm, path] = &operands[..] else { usage("four operands are needed") };
    let (repeat, warmup) = (count(repeat, 1), count(warmup, 0));
    let data = std::fs::read(path).unwrap_or_else(|error| usage(&format!("cannot read FILE: {error}")));
    let Some(contestant) = libraries::find(&library, algorithm, data.len()) else {
        usage("unknown library or algorithm")
    };

    if json {
        println!(
            r#"{{"runtime":"Rust","version":"{}","provider":"{}","algorithm":"{algorithm}","bytes":{}}}"#,
            env!("RUST_VERSION_USED"),
            contestant.provider,
            data.len()
        );
    }
    for index in -warmup..repeat {
        let (used, start) = (cpu(), Instant::now());
        let digest = (contestant.hash)(&data);
        let (mut wall, mut used) = (start.elapsed().as_nanos() as i64, cpu() - used);
        if index < 0 {
            continue;
        }
        wall /= contestant.messages;
        used /= contestant.messages;
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if json {
            println!(r#"{{"index":{index},"digest":"{hex}","wall_ns":{wall},"cpu_ns":{used}}}"#);
        } else {
            println!("{index} {hex} {}", wall / 1_000_000);
        }
    }
}
