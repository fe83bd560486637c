//! Trees of two levels: a change reads its leaf and nothing else of the file, and no kill leaves a
//! broken one.

use std::path::{Path, PathBuf};

use crate::program::Room;
use crate::program::trees::{ended_well, good, noise, pfh, text};
use pfh_inject::{Need, Trial, lacks};

/// The digest of the whole file, by the other command. On Windows a file that was written once may
/// have one time for change and modification, which says nothing, and this is noted.
fn hashed(room: &Room, mode: &str) -> String {
    let mut seen = pfh(room, ["hash", "-a", mode, "file"]);
    if cfg!(windows) && seen.stderr.starts_with("pfh: note: 1 file lies where no change times are kept") {
        let end = seen.stderr.find('\n').expect("a line") + 1;
        seen.stderr.drain(..end);
    }
    let text = text(&ended_well(seen));
    let line = text.lines().find(|line| !line.starts_with('#')).expect("a line");
    line.split(' ').next().expect("a digest").to_owned()
}

fn written(room: &Room, bytes: &[u8]) -> PathBuf {
    room.file("file", bytes)
}

/// Bytes of `file` that a run reads: the results of its `read` and `pread64` calls.
fn read_of(room: &Room, arguments: &[&str]) -> u64 {
    let log = room.path().join("trace");
    let pfh = env!("CARGO_BIN_EXE_pfh");
    let seen = Trial::new("strace")
        .args(["-f", "-y", "-e", "trace=read,pread64,preadv,preadv2", "-o"])
        .arg(&log)
        .arg(pfh)
        .args(arguments)
        .directory(room.path())
        .run()
        .expect("a run");
    assert_eq!(seen.code, Some(0), "{seen:?}");
    let trace = std::fs::read_to_string(log).expect("a trace");
    let of_file = trace.lines().filter(|line| line.contains("/file>"));
    of_file.filter_map(|line| line.rsplit_once("= ")?.1.trim().parse::<u64>().ok()).sum()
}

#[test]
fn one_changed_leaf_reads_that_leaf_of_the_file_and_an_append_what_is_new() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    for (mode, leaf, appended) in [
        ("kt128", 8192, 8192),
        ("sakura-fng-128,block=4096", 4096, 4096),
        // 4,000,000 bytes are 373 blocks: leaf 3 has 24 of them.
        ("sakura-li-128", 24 * 10_752, 16 * 10_752),
        ("sakura-li-128,leaves=64,block=1344", 47 * 1344, 64 * 1344),
    ] {
        let mut bytes = noise(4_000_000, 8);
        written(&room, &bytes);
        good(&room, ["tree", "build", "-a", mode, "file"]);
        bytes[40_000] ^= 1;
        written(&room, &bytes);
        let read = read_of(&room, &["tree", "update", "--range", "40000:1", "file"]);
        assert!((1..=leaf).contains(&read), "{mode}: {read} bytes of the file");
        bytes.extend(noise(1000, 1));
        written(&room, &bytes);
        let read = read_of(&room, &["tree", "append", "file"]);
        assert!((1000..=appended + 1000).contains(&read), "{mode}: {read} bytes of the file");
        good(&room, ["tree", "check", "file", "--root", &hashed(&room, mode)]);
    }
}

/// An append that is killed at any of its calls leaves the old tree or the new one.
#[test]
fn a_killed_append_leaves_the_old_tree_or_the_new_one() {
    let room = Room::new();
    let bytes = noise(3_000_000, 1);
    written(&room, &bytes[..100_000]);
    good(&room, ["tree", "build", "-a", "sakura-li-128", "file"]);
    let path = room.path().join("file.pfhtree");
    let old = std::fs::read(&path).expect("a tree");
    written(&room, &bytes);
    for wait in 0..6_u64 {
        std::fs::write(&path, &old).expect("written");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["tree", "append", "file", "--no-progress"])
            .current_dir(room.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("a child");
        std::thread::sleep(std::time::Duration::from_millis(wait * 3));
        let _ = child.kill();
        child.wait().expect("an end");
        let seen = pfh(&room, ["tree", "append", "file"]);
        assert_eq!(seen.code, Some(0), "{seen:?}");
        good(&room, ["tree", "check", "file", "--root", &hashed(&room, "sakura-li-128")]);
    }
    assert!(only_file_and_tree(room.path()));
}

fn only_file_and_tree(room: &Path) -> bool {
    let hidden = |name: &std::ffi::OsStr| name.to_string_lossy().contains("journal");
    !std::fs::read_dir(room).expect("a directory").any(|entry| hidden(&entry.expect("an entry").file_name()))
}
