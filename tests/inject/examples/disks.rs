//! Disks with a rate each, for `bench/run imaging`: mounts them as files and prints where. A line
//! on standard input is answered by the names of all targets that are whole copies by then, on one
//! line; all are empty afterwards. It ends with standard input.
//!
//! Operands: NAME:SOURCE:BYTES:RATE, a disk that is read, with the bytes of the source of this
//! number, at RATE bytes a second; with `+` before it a target for a copy of that source.

use pfh_inject::{Disk, Disks};
use std::io::BufRead;
use std::process::ExitCode;

fn disk(word: &str) -> Option<Disk> {
    let is_target = word.starts_with('+');
    let fields: Vec<&str> = word.trim_start_matches('+').split(':').collect();
    let [name, source, length, rate] = fields[..] else { return None };
    Some(Disk {
        name: name.to_owned(),
        source: source.parse().ok()?,
        length: length.parse().ok()?,
        rate: rate.parse().ok().filter(|rate| *rate > 0.0)?,
        is_target,
    })
}

fn main() -> ExitCode {
    let Some(disks) = std::env::args().skip(1).map(|word| disk(&word)).collect::<Option<Vec<Disk>>>() else {
        eprintln!("operands: [+]NAME:SOURCE:BYTES:RATE …");
        return ExitCode::from(2);
    };
    let disks = Disks::new(disks);
    let mounted = match disks.mount() {
        Ok(mounted) => mounted,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{}", mounted.path().display());
    for _ in std::io::stdin().lock().lines() {
        println!("{}", disks.take_copies().join(" "));
    }
    ExitCode::SUCCESS
}
