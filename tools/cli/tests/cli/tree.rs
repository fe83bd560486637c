//! `pfh tree`: no interruption leaves a broken tree.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::program::Room;
use crate::program::trees::{ended_well, json, noise};
use pfh_inject::{Injection, Need, Outcome, Trial, lacks};

fn pfh_tree<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).arg("tree").args(arguments)
}

fn good(trial: Trial) -> Outcome {
    ended_well(trial.run().expect("a run"))
}

fn tree_of(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}.pfhtree", file.display()))
}

fn journal_of(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}.pfhtree.journal", file.display()))
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a file")
}

/// The tree that a build of the file as it is now gives, beside the one that is kept.
fn built_rebuilt(file: &Path, options: &[&str]) -> Vec<u8> {
    let other = file.with_extension("rebuilt");
    good(pfh_tree(["build"]).args(options).arg("--outboard").arg(&other).arg(file));
    let bytes = read(&other);
    std::fs::remove_file(&other).expect("removed");
    bytes
}

/// A file with a tree, another state of it, and the trees of both states.
fn two_states(room: &Room, length: usize) -> (PathBuf, Vec<u8>, Vec<u8>) {
    let mut bytes = noise(length, 6);
    let file = room.file("file", &bytes);
    good(pfh_tree(["build", "--leaf", "1KiB"]).arg(&file));
    let old = read(&tree_of(&file));
    bytes[length / 2] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    let new = built_rebuilt(&file, &["--leaf", "1KiB"]);
    assert_ne!(old, new);
    (file, old, new)
}

/// The root of the tree that file and journal stand for, whichever of them a kill has left.
fn root_after_a_kill(file: &Path) -> String {
    let seen = pfh_tree(["check", "--json"]).arg(file).run().expect("a run");
    assert!(matches!(seen.code, Some(0 | 1)), "{}", seen.stderr);
    json(&seen)["root"].as_str().expect("a root").to_owned()
}

fn root_in(tree: &[u8]) -> String {
    tree[24..56].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Power fails at every system call that has a part in replacing the tree, and at every write.
#[test]
fn killed_at_any_system_call_leaves_the_old_tree_or_the_new_one() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let (file, old, new) = two_states(&room, 1 << 20);
    let range = ["update", "--range", "524288:1"];
    let (mut before, mut after) = (0, 0);
    let (old_root, new_root) = (root_in(&old), root_in(&new));
    for (call, count) in
        [("openat", 16), ("write", 2), ("pwrite64", 14), ("fsync", 3), ("flock", 1), ("close", 8), ("unlink", 1)]
    {
        for when in 1..=count {
            std::fs::write(tree_of(&file), &old).expect("written");
            let inject = format!("inject={call}:signal=SIGKILL:when={when}");
            let seen = pfh_tree(range)
                .arg(&file)
                .under(["strace", "-f", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject])
                .run()
                .expect("a run");
            let root = root_after_a_kill(&file);
            assert!(root == old_root || root == new_root, "{call} {when}: {root}");
            if seen.code != Some(0) {
                *if root == old_root { &mut before } else { &mut after } += 1;
            }
            // Leftovers do not disturb the next one.
            good(pfh_tree(range).arg(&file));
            assert_eq!(read(&tree_of(&file)), new, "after {call} {when}");
            assert!(!journal_of(&file).exists(), "after {call} {when}");
        }
    }
    assert!(before >= 5 && after >= 5, "{before} kills left the old tree, {after} the new one");
}

#[test]
fn killed_at_random_moments_leaves_the_old_tree_or_the_new_one() {
    let room = Room::new();
    let (file, old, new) = two_states(&room, 4 << 20);
    let mut killed = 0;
    let mut seed = std::process::id();
    for _ in 0..120 {
        std::fs::write(tree_of(&file), &old).expect("written");
        let mut child = Command::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["tree", "update", "--range", "2097152:1"])
            .arg(&file)
            .stdout(Stdio::null())
            .spawn()
            .expect("pfh");
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        std::thread::sleep(Duration::from_micros(u64::from(seed >> 18)));
        child.kill().expect("a signal");
        killed += usize::from(!child.wait().expect("an end").success());
        let root = root_after_a_kill(&file);
        assert!(root == root_in(&old) || root == root_in(&new), "{root}");
        let _ = std::fs::remove_file(journal_of(&file));
    }
    assert!(killed > 0, "no kill came in time");
}

#[test]
fn a_tree_that_cannot_be_written_leaves_the_old_one_and_exit_4() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let (file, old, _) = two_states(&room, 1 << 20);
    let mut injected = 0;
    let update: &[&str] = &["update", "--range", "524288:1"];
    for (command, call, errno) in [
        (update, "write", "ENOSPC"),
        (update, "fsync", "EIO"),
        // An append writes the whole tree again.
        (&["append"], "write", "ENOSPC"),
        (&["append"], "fsync", "EIO"),
        (&["append"], "linkat", "EACCES"),
        (&["append"], "renameat,renameat2", "EROFS"),
    ] {
        let seen = pfh_tree(command).arg(&file).inject(Injection::always(call, errno)).run().expect("a run");
        if seen.injected == 0 {
            // A file system without O_TMPFILE needs no link.
            continue;
        }
        injected += 1;
        assert_eq!((seen.code, &seen.stdout[..]), (Some(4), &b""[..]), "{call} {errno}: {}", seen.stderr);
        assert_eq!(read(&tree_of(&file)), old, "{call} {errno}");
        let names = std::fs::read_dir(room.path()).expect("a directory").count();
        assert_eq!(names, 2, "nothing is left behind after {call} {errno}");
    }
    assert!(injected >= 5, "{injected} calls failed");
}
