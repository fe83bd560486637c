//! `pfh tree` and `pfh audit` in a room of files, and their output.

use super::Room;
use pfh_inject::{Outcome, Trial};
use serde_json::Value;

pub fn pfh<S: AsRef<std::ffi::OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().expect("a run")
}

/// A run that ends well and has nothing to say.
pub fn good<S: AsRef<std::ffi::OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    ended_well(pfh(room, arguments))
}

pub fn ended_well(seen: Outcome) -> Outcome {
    assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""));
    seen
}

pub fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

pub fn json(seen: &Outcome) -> Value {
    serde_json::from_slice(&seen.stdout).unwrap_or_else(|error| panic!("{error}: {seen:?}"))
}

pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    (0..length as u64).map(|i| ((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// The root that is printed.
pub fn root(seen: &Outcome) -> String {
    text(seen)[..64].to_owned()
}
