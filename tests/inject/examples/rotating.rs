//! The main claim of Breitinger & Petrov on an emulated rotating disk: one prefetcher beats simple
//! threads. Runs `pfh` in the paper's own form over files on a [`Spindle`], each mode from a fresh
//! mount, so that nothing is cached, and prints a table as JSON for `bench/run rotating`.
//!
//! Operands: PROGRAM FILES KIB ROUNDS ALGORITHM.

use pfh_inject::{File, Files, Spindle};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// Bytes of the disk: 250 GB, as the paper's.
const SIZE: u64 = 250_000_000_000;

/// The modes, as they are typed.
const MODES: &[(&str, &[&str])] = &[
    ("SMT, -t 2", &["-t", "2", "-p", "0"]),
    ("SMT, -t 4", &["-t", "4", "-p", "0"]),
    ("SMT, -t 8", &["-t", "8", "-p", "0"]),
    ("MTP, -t 2", &["-t", "2"]),
    ("MTP, -t 4", &["-t", "4"]),
    ("MTP, -t 8", &["-t", "8"]),
    ("MTP, -t 8 -p 2", &["-t", "8", "-p", "2"]),
    ("adaptive", &[]),
];

fn files(count: u64, kib: u64) -> Files {
    let file = |n: u64| {
        // From a quarter of the mean to seven of them, so that the mean is the one asked for.
        let length = (kib << 10) * (1 + n * 7 % 13) / 7;
        File::new(format!("{n:05}"), length).cached()
    };
    (0..count).fold(Files::new(), |files, n| files.with(file(n))).on(Spindle::new(SIZE), SIZE)
}

/// Seconds of one run, and its output.
fn run(program: &str, words: &[&str], algorithm: &str, count: u64, kib: u64) -> std::io::Result<(f64, Vec<u8>)> {
    let mounted = files(count, kib).mount()?;
    let mut command = Command::new(program);
    match words.is_empty() {
        true => command.args(["hash", "--no-progress", "-r", "-a", algorithm]),
        false => command.args(words).args(["-m", "256", "-h", algorithm, "-d"]),
    };
    let from = Instant::now();
    let output = command.arg(".").current_dir(mounted.path()).output()?;
    let took = from.elapsed().as_secs_f64();
    if !output.status.success() {
        return Err(std::io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok((took, output.stdout))
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [program, count, kib, rounds, algorithm] = &words[..] else {
        eprintln!("operands: PROGRAM FILES KIB ROUNDS ALGORITHM");
        return ExitCode::from(2);
    };
    // It is started from the mount.
    let program = match std::fs::canonicalize(program) {
        Ok(program) => program.to_string_lossy().into_owned(),
        Err(error) => {
            eprintln!("{program}: {error}");
            return ExitCode::from(2);
        }
    };
    let number = |text: &String| text.parse::<u64>().unwrap_or(1).max(1);
    let (count, kib, rounds) = (number(count), number(kib), number(rounds));
    let mut least = vec![f64::MAX; MODES.len()];
    let mut answer = None;
    for round in 0..rounds {
        for (number, (name, words)) in MODES.iter().enumerate() {
            match run(&program, words, algorithm, count, kib) {
                Ok((took, output)) => {
                    eprintln!("round {}: {name}: {took:.2} s", round + 1);
                    if *answer.get_or_insert(output.clone()) != output {
                        eprintln!("{name}: other digests than {}", MODES[0].0);
                        return ExitCode::FAILURE;
                    }
                    least[number] = least[number].min(took);
                }
                Err(error) => {
                    eprintln!("{name}: {error}");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    for (number, (name, _)) in MODES.iter().enumerate() {
        println!("{name}\t{:.3}", least[number]);
    }
    ExitCode::SUCCESS
}
