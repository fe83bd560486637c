//! `pfh acquire` reading a real block device: the parts that are never touched.
#![cfg(unix)]

use crate::program::acquisition::acquire;
use crate::program::{MIB, Room, sha256_of};
use pfh_inject::{Loop, Need, content, lacks};
use std::fs;
use std::time::Duration;

/// AO-24: the source is opened for reading and for nothing else.
#[test]
fn the_source_is_never_written_to() {
    if lacks(&[Need::Loop, Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(8, 2 * MIB));
    let device = Loop::attach(&source, &[]).unwrap();
    let (image, trace) = (room.path().join("image"), room.path().join("trace"));
    let before = sha256_of(&source);
    let wrapper = ["strace", "-f", "-y", "-o", trace.to_str().unwrap()];
    let seen = acquire(["--verify", "--to"])
        .arg(&image)
        .arg(device.path())
        .under(wrapper)
        .limit(Duration::from_secs(120))
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let trace = fs::read_to_string(trace).unwrap();
    let name = device.path().to_str().unwrap();
    let mut opened = 0;
    for call in trace.lines().filter(|call| call.contains(name)) {
        if call.contains("openat") {
            opened += 1;
            assert!(call.contains("O_RDONLY"), "{call}");
        }
        let on_it = call.contains(&format!("<{name}"));
        for writes in ["write", "fallocate(", "ftruncate(", "BLKDISCARD", "BLKROSET", "fsync("] {
            assert!(!on_it || !call.contains(writes), "{call}");
        }
    }
    assert!(opened >= 2, "{trace}");
    drop(device);
    assert_eq!(sha256_of(&source), before);
}
