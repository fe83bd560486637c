//! `pfh acquire`, its report, and the bad disk of the comparison with other tools.

#![allow(dead_code, reason = "each test file uses its own part")]

#[cfg(unix)]
use pfh_inject::{Errno, File, Files, Loop, MountedFolder};
use pfh_inject::{Outcome, Trial};
use serde_json::Value;
use std::ffi::OsStr;
use std::process::Command;

#[cfg(unix)]
use super::MIB;

pub fn acquire<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["acquire", "--no-progress", "--json"]).args(arguments)
}

pub fn pfh<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).run().unwrap()
}

pub fn report(seen: &Outcome) -> Value {
    serde_json::from_slice(&seen.stdout).unwrap_or_else(|e| panic!("{e}: {seen:?}"))
}

pub fn said(program: &str, arguments: &[&OsStr]) -> String {
    let output = Command::new(program).args(arguments).output().expect(program);
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&text));
    String::from_utf8_lossy(&text).into_owned()
}

/// Bad sectors as in the comparison of peers: first, two alone, a run of 4, a run of 64, the last.
pub const BAD: [(u64, u64); 6] = [(0, 1), (101, 1), (200, 4), (300, 64), (5000, 1), (16_383, 1)];

#[cfg(unix)]
pub fn bad_disk() -> File {
    let file = File::new("disk", 8 * MIB);
    BAD.iter().fold(file, |file, (first, count)| file.fails_in(first * 512..(first + count) * 512, Errno::EIO))
}

/// The bad disk behind a loop device, and the image that it must give.
#[cfg(unix)]
pub struct BadDevice {
    // Detached before the file behind it goes.
    pub disk: Loop,
    pub expected: Vec<u8>,
    _mounted: MountedFolder,
}

#[cfg(unix)]
pub fn bad_device() -> BadDevice {
    let file = bad_disk();
    let expected = without_bad(file.bytes());
    let mounted = Files::new().with(file).mount().unwrap();
    let disk = Loop::attach(&mounted.file("disk"), &["-r"]).unwrap();
    BadDevice { disk, expected, _mounted: mounted }
}

pub fn without_bad(mut bytes: Vec<u8>) -> Vec<u8> {
    for (first, count) in BAD {
        bytes[first as usize * 512..(first + count) as usize * 512].fill(0);
    }
    bytes
}
