//! `pfh tree`: the root is the right one, a change costs what it should, damage is located, and no
//! interruption leaves a broken tree.

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
fn built_anew(file: &Path, options: &[&str]) -> Vec<u8> {
    let other = file.with_extension("anew");
    good(pfh_tree(["build"]).args(options).arg("--outboard").arg(&other).arg(file));
    let bytes = read(&other);
    std::fs::remove_file(&other).expect("removed");
    bytes
}

#[test]
fn a_blake3_root_is_the_files_digest_and_threads_do_not_matter() {
    let room = Room::new();
    for length in [0, 1, 16_383, 16_384, 16_385, 5_000_000, 40_000_000] {
        let bytes = noise(length, 1);
        let file = room.file("file", &bytes);
        let expected = blake3::hash(&bytes).to_hex().to_string();
        let mut trees = Vec::new();
        for threads in ["1", "2", "7"] {
            let seen = good(pfh_tree(["build", "-t", threads]).arg(&file));
            assert_eq!(String::from_utf8_lossy(&seen.stdout), format!("{expected}  {}\n", file.display()));
            trees.push(read(&tree_of(&file)));
        }
        assert!(trees.windows(2).all(|pair| pair[0] == pair[1]));
        let seen = good(pfh_tree(["check", "--json"]).arg(&file));
        assert_eq!(
            (json(&seen)["verdict"].as_str(), json(&seen)["root"].as_str()),
            (Some("verified"), Some(&*expected))
        );
    }
}

#[test]
fn a_change_of_one_range_costs_its_path_and_gives_the_tree_of_a_build() {
    let room = Room::new();
    for algorithm in ["sha256", "sha3-256", "blake3"] {
        let mut bytes = noise(1 << 20, 2);
        let file = room.file("file", &bytes);
        let options = ["--algorithm", algorithm, "--leaf", "4KiB"];
        good(pfh_tree(["build"]).args(options).arg(&file));
        bytes[500_000] ^= 1;
        bytes[4095] ^= 1;
        std::fs::write(&file, &bytes).expect("written");
        let ranges = ["--range", "500000:1", "--range", "4095:1", "--range", "499999:3"];
        let seen = good(pfh_tree(["update", "--json"]).arg(&file).args(ranges));
        // Two leaves of 256: their paths of eight levels share the top.
        let computed = json(&seen)["values_computed"].as_u64().expect("a number");
        assert!((10..=18).contains(&computed), "{computed}");
        assert_eq!(read(&tree_of(&file)), built_anew(&file, &options), "{algorithm}");

        let before = room.file("before", &bytes);
        bytes[8192..20_000].fill(7);
        *bytes.last_mut().expect("bytes") ^= 1;
        std::fs::write(&file, &bytes).expect("written");
        let seen = good(pfh_tree(["update", "--json", "--changed-since"]).arg(&before).arg(&file));
        let expected = serde_json::json!([{"offset": 8192, "length": 12_288}, {"offset": 1_044_480, "length": 4096}]);
        assert_eq!(json(&seen)["changed"], expected);
        assert_eq!(read(&tree_of(&file)), built_anew(&file, &options), "{algorithm}");
    }
}

#[test]
fn what_is_appended_gives_the_tree_of_a_build() {
    let room = Room::new();
    for algorithm in ["sha256", "blake3"] {
        let options = ["--algorithm", algorithm, "--leaf", "1KiB"];
        let mut bytes = Vec::new();
        let file = room.file("file", &bytes);
        good(pfh_tree(["build"]).args(options).arg(&file));
        for more in [0, 1, 1022, 1, 1, 5000, 40_000_000, 3] {
            bytes.extend(noise(more, more as u64));
            std::fs::write(&file, &bytes).expect("written");
            let seen = good(pfh_tree(["append", "--json"]).arg(&file));
            assert_eq!(json(&seen)["appended"].as_u64(), Some(more as u64));
            assert_eq!(read(&tree_of(&file)), built_anew(&file, &options), "{algorithm} after {more} bytes more");
        }
    }
}

#[test]
fn check_lists_the_ranges_that_are_corrupt() {
    let room = Room::new();
    let mut bytes = noise(1_000_000, 3);
    let file = room.file("file", &bytes);
    good(pfh_tree(["build", "--leaf", "16KiB"]).arg(&file));
    for place in [20_000, 40_000, 999_999] {
        bytes[place] ^= 0x10;
    }
    std::fs::write(&file, &bytes).expect("written");
    let seen = pfh_tree(["check"]).arg(&file).run().expect("a run");
    let name = file.display();
    let expected = format!("{name}: corrupt: 16384:32768\n{name}: corrupt: 999424:576\n");
    assert_eq!((seen.code, String::from_utf8_lossy(&seen.stdout).into_owned()), (Some(1), expected));
    let seen = pfh_tree(["check", "--json"]).arg(&file).run().expect("a run");
    let expected = serde_json::json!([{"offset": 16_384, "length": 32_768}, {"offset": 999_424, "length": 576}]);
    assert_eq!(
        (seen.code, &json(&seen)["corrupt"], json(&seen)["verdict"].as_str()),
        (Some(1), &expected, Some("differs"))
    );

    // A file that has become shorter or longer is corrupt from where it differs.
    bytes[20_000] ^= 0x10;
    bytes[40_000] ^= 0x10;
    for length in [900_000, 1_000_001] {
        bytes.resize(length, 0);
        std::fs::write(&file, &bytes).expect("written");
        let seen = pfh_tree(["check"]).arg(&file).run().expect("a run");
        let stdout = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert_eq!(seen.code, Some(1));
        assert!(stdout.ends_with(&format!("{name}: has {length} bytes, its tree is of 1000000\n")), "{stdout}");
    }
}

#[test]
fn a_torn_or_damaged_tree_is_refused() {
    let room = Room::new();
    let file = room.file("file", &noise(100_000, 4));
    good(pfh_tree(["build", "--leaf", "1KiB"]).arg(&file));
    let tree = read(&tree_of(&file));
    let mut wrong: Vec<Vec<u8>> =
        [0, 1, 8, 87, 88, 120, tree.len() / 2, tree.len() - 1].map(|n| tree[..n].to_vec()).into();
    wrong.push([&tree[..], b"x"].concat());
    // Sectors that never came: zeros.
    wrong.push([&tree[..1024], &vec![0; tree.len() - 1024][..]].concat());
    for bit in [3, 100, 200, 500, 8 * 90, 8 * tree.len() - 1] {
        let mut damaged = tree.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        wrong.push(damaged);
    }
    for bytes in wrong {
        std::fs::write(tree_of(&file), &bytes).expect("written");
        for command in [&["check"][..], &["append"], &["update", "--range", "0:1"]] {
            let seen = pfh_tree(command).arg(&file).run().expect("a run");
            // What does not even begin as a tree is somebody else's file to a command that would
            // write it.
            let foreign = command[0] != "check" && !bytes.is_empty() && !bytes.starts_with(b"pfh tree");
            let (code, why) = if foreign { (2, "--outboard") } else { (3, "no tree that can be used") };
            assert_eq!((seen.code, &seen.stdout[..]), (Some(code), &b""[..]), "{} bytes, {command:?}", bytes.len());
            assert!(seen.stderr.contains(why), "{}", seen.stderr);
            assert_eq!(read(&tree_of(&file)), bytes, "a tree that cannot be read is not replaced");
        }
    }
}

#[test]
fn what_makes_no_sense_is_a_usage_error_and_what_cannot_be_read_is_said() {
    let room = Room::new();
    let file = room.file("file", &noise(10_000, 5));
    let code = |arguments: &[&str]| {
        let seen = pfh_tree(arguments).arg(&file).run().expect("a run");
        assert!(seen.stdout.is_empty() && !seen.stderr.is_empty());
        seen.code
    };
    assert_eq!(code(&["check"]), Some(3), "no tree yet");
    good(pfh_tree(["build"]).arg(&file));
    assert_eq!(code(&["update", "--range", "9999:2"]), Some(2), "beyond the end");
    assert_eq!(code(&["update", "--range", "5:0"]), Some(2));
    assert_eq!(code(&["update"]), Some(2), "nothing said to have changed");
    assert_eq!(code(&["build", "--leaf", "3KiB"]), Some(2));
    assert_eq!(code(&["build", "--algorithm", "md5"]), Some(2));
    let before = read(&tree_of(&file));
    let own = file.to_str().expect("a name");
    assert_eq!(code(&["build", "--outboard", own]), Some(2), "the tree would overwrite the file");
    std::fs::write(&file, noise(9_999, 5)).expect("written");
    assert_eq!(code(&["append"]), Some(2), "shorter");
    assert_eq!(code(&["update", "--range", "0:1"]), Some(2), "shorter");
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(code(&["check"]), Some(3));
    assert_eq!(code(&["build"]), Some(3));
    assert_eq!(read(&tree_of(&file)), before);
}

/// A file with a tree, another state of it, and the trees of both states.
fn two_states(room: &Room, length: usize) -> (PathBuf, Vec<u8>, Vec<u8>) {
    let mut bytes = noise(length, 6);
    let file = room.file("file", &bytes);
    good(pfh_tree(["build", "--leaf", "1KiB"]).arg(&file));
    let old = read(&tree_of(&file));
    bytes[length / 2] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    let new = built_anew(&file, &["--leaf", "1KiB"]);
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
            // Whatever was left behind does not disturb the next one.
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
