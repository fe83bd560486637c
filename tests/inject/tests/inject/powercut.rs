//! The layer of power cuts sees the faults of careless programs, and acquits careful ones.

use pfh_inject::{Need, Recording, lacks};
use std::fs;
use std::path::Path;

/// States of `list` after 300 cuts of a script that replaces its 5,000 bytes: (old, new, neither).
fn states(script: &str) -> (u32, u32, u32) {
    let (room, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let list = room.path().join("list");
    fs::write(&list, "o".repeat(5000)).unwrap();
    let recording = Recording::of(Path::new("perl"), &["-MFcntl", "-MIO::Handle", "-e", script], room.path()).unwrap();
    assert_eq!(recording.code, Some(0), "{script}");
    let new = fs::read(&list).unwrap();
    let (mut old, mut whole, mut neither) = (0, 0, 0);
    for seed in 0..300 {
        recording.cut(seed, &after.path().join("room")).unwrap();
        match fs::read(after.path().join("room/list")) {
            Ok(found) if found == new => whole += 1,
            Ok(found) if found == "o".repeat(5000).as_bytes() => old += 1,
            _ => neither += 1,
        }
    }
    (old, whole, neither)
}

/// Opens `list.new` or `list` and writes 5,000 bytes in five calls.
fn write(name: &str) -> String {
    format!("sysopen(F, '{name}', O_WRONLY|O_CREAT|O_TRUNC) or die; for (1..5) {{ syswrite(F, 'n' x 1000) }}")
}

#[test]
fn a_rename_without_a_sync_may_leave_half_a_file() {
    if lacks(&[Need::Program("strace"), Need::Program("perl")]) {
        return;
    }
    let rename = "close(F); rename('list.new', 'list') or die;";
    let (_, _, neither) = states(&format!("{}; {rename}", write("list.new")));
    assert!(neither > 10, "{neither} of 300");
    // In its place: the old one is gone.
    let (_, _, neither) = states(&write("list"));
    assert!(neither > 10, "{neither} of 300");
    let (old, new, neither) = states(&format!("{}; F->sync or die; {rename}", write("list.new")));
    assert!(old > 10 && new > 10 && neither == 0, "{old} old, {new} new, {neither} neither");
}

#[test]
fn what_was_synced_with_its_name_stays() {
    if lacks(&[Need::Program("strace"), Need::Program("perl")]) {
        return;
    }
    // Long after the sync of the file and of its directory only the new one can be there, and most
    // cuts come then.
    let script = format!(
        "{}; F->sync or die; close(F); rename('list.new', 'list') or die; sysopen(D, '.', O_RDONLY) or die; \
         open(my $d, '<&=', fileno(D)) or die; IO::Handle::sync($d) or die; \
         sysopen(O, 'other', O_WRONLY|O_CREAT); for (1..200) {{ syswrite(O, 'x') }}",
        write("list.new")
    );
    let (old, new, neither) = states(&script);
    assert!(new > 250 && old > 0 && neither == 0, "{old} old, {new} new, {neither} neither");
}
