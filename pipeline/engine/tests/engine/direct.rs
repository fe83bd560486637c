//! Small files on FUSE file systems with direct I/O, which move a file's position late: every file
//! is read by offset, however many are read at once.

use pfh_digest::Algorithm;
use pfh_engine::{Backend, Control, Mode, Outcome, Plan, Record, run};
use pfh_inject::{File, Files, Need, lacks};
use pfh_source::{Descend, Operands, Recurse};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// Files in a run: below, at and above the depth of a ring.
const COUNTS: [usize; 7] = [1, 2, 3, 8, 16, 17, 100];

/// Reads the first files of a directory through rings, and compares each digest with `expected`.
fn read(root: &Path, expected: &[(String, Vec<u8>)]) {
    let algorithm: Algorithm = "sha256".parse().unwrap();
    for count in COUNTS {
        let plan = Plan { backend: Backend::Uring, mode: Mode::Mtp, prefetchers: 3, ..Plan::new([algorithm]) };
        let names = expected[..count].iter().map(|(name, _)| root.join(name).as_os_str().as_bytes().to_vec());
        let source = Operands::new(names.collect(), Descend { recurse: Recurse::Yes, ..Descend::default() });
        let mut records: Vec<Record> = Vec::new();
        run(Box::new(source), &plan, &mut records, &Control::new()).unwrap();
        assert_eq!(records.len(), count);
        for (record, (name, bytes)) in records.iter().zip(expected) {
            let mut hasher = algorithm.hasher();
            hasher.update(bytes);
            let Outcome::Hashed(hashed) = &record.outcome else { panic!("{name} of {count}: {:?}", record.outcome) };
            assert_eq!(hashed.digests[0], hasher.finalize(), "{name} of {count}");
        }
    }
}

#[test]
fn files_on_fuse_with_direct_io_are_read_by_offset() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let names = || (0..100).map(|number| format!("{number:03}"));
    let mounted = names().fold(Files::new(), |files, name| files.with(File::new(name, 7))).mount().unwrap();
    read(mounted.path(), &names().map(|name| (name.clone(), File::new(name, 7).bytes())).collect::<Vec<_>>());
}

#[test]
fn files_on_mergerfs_are_read_by_offset() {
    if lacks(&[Need::Fuse, Need::Program("mergerfs")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let (branch, place) = (room.path().join("branch"), room.path().join("place"));
    fs::create_dir(&branch).unwrap();
    fs::create_dir(&place).unwrap();
    let expected: Vec<_> =
        (0..100).map(|number| (format!("{number:03}"), format!("file {number}").into_bytes())).collect();
    for (name, bytes) in &expected {
        fs::write(branch.join(name), bytes).unwrap();
    }
    let mounts = Command::new("mergerfs").args(["-o", "cache.files=off,use_ino"]).args([&branch, &place]).status();
    assert!(mounts.unwrap().success());
    let result = std::panic::catch_unwind(|| read(&place, &expected));
    Command::new("umount").arg("-l").arg(&place).status().unwrap();
    result.unwrap();
}
