//! `pfh tree`: what is not shown is not said; two at once lose nothing; a change costs its path.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::Room;
use crate::program::trees::{good, json, noise, pfh, root, text};
use pfh_inject::{Need, Trial, lacks};

/// A hundred rounds of two updates at once: each round's two changes are both in the tree.
#[test]
fn two_updates_at_once_lose_nothing() {
    let room = Room::new();
    let mut bytes = noise(1 << 21, 1);
    let file = room.file("file", &bytes);
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    for round in 0..100 {
        let places = [(round * 7919) % (1 << 20), (1 << 20) + (round * 104_729) % (1 << 20)];
        places.iter().for_each(|place| bytes[*place] ^= 1);
        std::fs::write(&file, &bytes).expect("written");
        let start = |place: usize| {
            Command::new(env!("CARGO_BIN_EXE_pfh"))
                .args(["tree", "update", "file", "--range", &format!("{place}:1")])
                .current_dir(room.path())
                .stdout(Stdio::null())
                .spawn()
                .expect("pfh")
        };
        let both = places.map(start);
        for mut child in both {
            assert!(child.wait().expect("an end").success(), "round {round}");
        }
    }
    let seen = good(&room, ["tree", "check", "file"]);
    assert!(text(&seen).starts_with("file: OK: 2048 leaves are those of file.pfhtree"), "{}", text(&seen));
    assert!(!room.path().join("file.pfhtree.journal").exists());
}

/// An append, a build and updates at once end in a tree of the file as it is.
#[test]
fn an_append_beside_an_update_loses_nothing() {
    let room = Room::new();
    let mut bytes = noise(300_000, 2);
    let file = room.file("file", &bytes);
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    for round in 0..10_usize {
        bytes[round * 1000] ^= 1;
        bytes.extend(noise(3000, round as u64));
        std::fs::write(&file, &bytes).expect("written");
        let start = |arguments: &[&str]| {
            Command::new(env!("CARGO_BIN_EXE_pfh"))
                .args(arguments)
                .current_dir(room.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("pfh")
        };
        let range = format!("{}:1", round * 1000);
        let (mut append, mut update) =
            (start(&["tree", "append", "file"]), start(&["tree", "update", "file", "--range", &range]));
        assert!(append.wait().expect("an end").success());
        // Before the append the file has another length than its tree: 2, and nothing was changed.
        if !update.wait().expect("an end").success() {
            good(&room, ["tree", "update", "file", "--range", &range]);
        }
    }
    good(&room, ["tree", "check", "file"]);
}

#[test]
fn only_what_was_appended_is_reported() {
    let room = Room::new();
    for (algorithm, old, now, expected) in [
        ("blake3", 16_384, 16_385, "file: corrupt: 16384:1\n"),
        ("sha256", 16_384, 16_385, "file: corrupt: 16384:1\n"),
        ("blake3", 20_000, 20_001, "file: corrupt: 20000:1\n"),
        ("sha256", 20_000, 70_000, "file: corrupt: 20000:50000\n"),
        ("blake3", 5, 70_000, "file: corrupt: 5:69995\n"),
        // Shorter: what is left of a leaf cannot be distinguished from another.
        ("blake3", 16_385, 16_384, "file: corrupt: 16384:1\n"),
        ("blake3", 50_000, 16_384, "file: corrupt: 16384:33616\n"),
        ("sha256", 50_000, 16_384, "file: corrupt: 16384:33616\n"),
        ("sha256", 50_000, 16_383, "file: corrupt: 0:50000\n"),
    ] {
        let bytes = noise(old.max(now), 3);
        let file = room.file("file", &bytes[..old]);
        good(&room, ["tree", "build", "-a", algorithm, "file"]);
        std::fs::write(&file, &bytes[..now]).expect("written");
        let seen = pfh(&room, ["tree", "check", "file"]);
        let expected = format!("{expected}file: has {now} bytes, its tree is of {old}\n");
        assert_eq!((seen.code, text(&seen)), (Some(1), expected), "{algorithm}, {old} to {now}");
        // A change beside the growth is found.
        let mut changed = bytes[..now].to_vec();
        changed[0] ^= 1;
        std::fs::write(&file, &changed).expect("written");
        assert!(text(&pfh(&room, ["tree", "check", "file"])).starts_with("file: corrupt: 0:"));
    }
}

#[test]
fn a_file_that_was_swapped_with_its_tree_is_found() {
    let room = Room::new();
    for algorithm in ["blake3", "sha256"] {
        let file = room.file("file", &noise(100_000, 4));
        let genuine = root(&good(&room, ["tree", "build", "-a", algorithm, "file"]));
        good(&room, ["audit", "commit", "--force", "file", "-o", "kept"]);
        let check = |expected: Option<i32>, options: &[&str]| {
            let seen = pfh(&room, ["tree", "check", "file"].iter().chain(options));
            assert_eq!(seen.code, expected, "{seen:?}");
            text(&seen)
        };
        let said = check(Some(0), &["--root", &genuine]);
        let expected =
            format!("file: OK: 7 leaves are those of file.pfhtree, {algorithm} root {genuine}, the one stated\n");
        assert_eq!(said, expected);
        check(Some(0), &["--root", &genuine.to_uppercase()]);
        assert!(check(Some(0), &["--kept", "kept"]).ends_with(", the one that is kept\n"));
        check(Some(2), &["--root", "abc"]);
        check(Some(2), &["--root", &genuine, "--kept", "kept"]);
        // Missing is exit 3 in every command.
        check(Some(3), &["--kept", "missing"]);
        check(Some(2), &["--kept", "kept", "--identity", "other"]);

        let tree = std::fs::read(room.path().join("file.pfhtree")).expect("a tree");
        std::fs::write(&file, noise(100_000, 5)).expect("written");
        let other = root(&good(&room, ["tree", "build", "-a", algorithm, "file"]));
        check(Some(0), &[]);
        for options in [&["--root", &genuine][..], &["--kept", "kept"]] {
            let said = check(Some(1), options);
            assert_eq!(said, format!("file: DIFFERS: gives the {algorithm} root {other}, not {genuine}\n"));
        }
        let seen = pfh(&room, ["tree", "check", "--json", "file", "--root", &genuine]);
        assert_eq!((seen.code, json(&seen)["verdict"].as_str()), (Some(1), Some("differs")));
        // The right file beside another one's tree: it is the tree that is wrong, and that is said.
        std::fs::write(&file, noise(100_000, 4)).expect("written");
        let said = check(Some(1), &["--root", &genuine]);
        assert!(said.contains("gives the root stated; it is file.pfhtree that differs"), "{said}");
        // Without a tree what is kept is enough.
        std::fs::remove_file(room.path().join("file.pfhtree")).expect("removed");
        assert!(check(Some(0), &["--kept", "kept"]).contains("7 leaves, no tree"));
        check(Some(3), &["--root", &genuine]);
        room.file("file.pfhtree", &tree);
        check(Some(0), &["--root", &genuine]);
    }
}

/// The program's reads and writes for one byte of 256 MiB, in leaves of 1 KiB: a tree of 16 MiB.
#[test]
fn a_change_of_one_byte_reads_and_writes_its_path() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let file = room.path().join("file");
    std::fs::File::create(&file).and_then(|file| file.set_len(1 << 28)).expect("a sparse file");
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    let (mut read, mut written) = (0, 0);
    let traced = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=read,pread64,write,pwrite64", "-o", "trace", env!("CARGO_BIN_EXE_pfh")])
        .args(["tree", "update", "file", "--range", "12345678:1"])
        .current_dir(room.path())
        .stdout(Stdio::null())
        .status()
        .expect("strace");
    assert!(traced.success());
    for line in std::fs::read_to_string(room.path().join("trace")).expect("a trace").lines() {
        let bytes: i64 = line.rsplit(" = ").next().and_then(|n| n.split(' ').next()?.parse().ok()).unwrap_or(0);
        if line.contains("file.pfhtree") && line.contains("read") {
            read += bytes;
        } else if line.contains("file.pfhtree") {
            written += bytes;
        }
    }
    assert!((500..16 << 10).contains(&read), "{read} bytes of the tree were read");
    assert!((500..16 << 10).contains(&written), "{written} bytes of tree and journal were written");
    let seen = good(&room, ["tree", "check", "file"]);
    assert!(text(&seen).contains("OK: 262144 leaves"));
}

/// A second name of a tree, such as a backup by hard links has, keeps what it holds.
#[test]
fn a_tree_with_two_names_is_not_changed_in_place() {
    let room = Room::new();
    let mut bytes = noise(100_000, 6);
    let file = room.file("file", &bytes);
    good(&room, ["tree", "build", "file"]);
    let tree = room.path().join("file.pfhtree");
    std::fs::hard_link(&tree, room.path().join("backup")).expect("a link");
    let before = std::fs::read(&tree).expect("a tree");
    bytes[5] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    good(&room, ["tree", "update", "file", "--range", "5:1"]);
    assert_eq!(std::fs::read(room.path().join("backup")).expect("the backup"), before);
    good(&room, ["tree", "check", "file"]);
}

#[test]
fn an_update_without_a_range_names_both_options() {
    let room = Room::new();
    room.file("file", b"data");
    let seen = pfh(&room, ["tree", "update", "file"]);
    assert_eq!(seen.code, Some(2));
    assert!(seen.stderr.contains("--range") && seen.stderr.contains("--changed-since"), "{}", seen.stderr);
    let seen = pfh(&room, ["tree", "build", "."]);
    assert_eq!((seen.code, seen.stderr.contains("pfh tree build -r")), (Some(2), true), "{}", seen.stderr);
    // No hint names an option that these commands have not.
    assert!(Command::new("mkfifo").arg(room.path().join("fifo")).status().is_ok_and(|made| made.success()));
    for arguments in [["tree", "build", "fifo"], ["tree", "check", "fifo"], ["audit", "commit", "fifo"]] {
        let seen = pfh(&room, arguments);
        assert!(seen.code == Some(3) && !seen.stderr.contains("--special"), "{arguments:?}: {}", seen.stderr);
    }
    for option in ["tree", "audit"] {
        let help = text(&good(&room, [option, "--help"]));
        assert!(help.contains("Exit codes:") && help.contains("leaf"), "{help}");
    }
}

#[test]
fn trees_of_standard_input_of_parts_and_of_directories() {
    let room = Room::new();
    let bytes = noise(3_000_000, 7);
    room.file("whole", &bytes);
    let cuts = [0, 1, 1_000_000, 1_000_000, 2_345_678, bytes.len()];
    let parts: Vec<String> = cuts
        .windows(2)
        .enumerate()
        .map(|(number, cut)| {
            room.file(format!("part{number}"), &bytes[cut[0]..cut[1]]);
            format!("part{number}")
        })
        .collect();
    for algorithm in ["blake3", "sha3-256"] {
        let expected = root(&good(&room, ["tree", "build", "-a", algorithm, "whole"]));
        let tree = std::fs::read(room.path().join("whole.pfhtree")).expect("a tree");
        let arguments = ["tree", "build", "-a", algorithm, "--outboard", "stdin.pfhtree", "-"];
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).input(bytes.clone());
        let seen = trial.run().expect("a run");
        assert_eq!((seen.code, root(&seen)), (Some(0), expected.clone()), "{}", seen.stderr);
        let join = ["tree", "build", "-a", algorithm, "--outboard", "parts.pfhtree", "--join"];
        let seen = good(&room, join.iter().map(|s| (*s).to_owned()).chain(parts.clone()));
        assert_eq!(root(&seen), expected);
        for other in ["stdin.pfhtree", "parts.pfhtree"] {
            assert_eq!(std::fs::read(room.path().join(other)).expect("a tree"), tree, "{other}");
        }
        good(&room, ["tree", "check", "--outboard", "parts.pfhtree", "whole"]);
    }
    assert_eq!(pfh(&room, ["tree", "build", "-"]).code, Some(2), "no name for its tree");
    assert_eq!(pfh(&room, ["tree", "build", "--outboard", "t", "--join", "part0", "nothing"]).code, Some(3));
    assert!(!room.path().join("t").exists());

    room.file("d/a", b"a");
    room.file("d/e/b", &noise(40_000, 8));
    let seen = good(&room, ["tree", "build", "-r", "d"]);
    assert_eq!(text(&seen).lines().count(), 2);
    // Again: trees have no trees.
    assert_eq!(text(&good(&room, ["tree", "build", "-r", "d"])).lines().count(), 2);
    for file in ["d/a", "d/e/b"] {
        good(&room, ["tree", "check", file]);
    }
    assert!(!room.path().join("d/a.pfhtree.pfhtree").exists());
}

/// A file that happens to have a journal's name is not removed.
#[test]
fn somebody_elses_file_is_no_journal() {
    let room = Room::new();
    room.file("file", &noise(10_000, 10));
    good(&room, ["tree", "build", "file"]);
    let other = room.file("file.pfhtree.journal", b"dear diary");
    let seen = pfh(&room, ["tree", "update", "file", "--range", "0:1"]);
    assert_eq!((seen.code, seen.stderr.contains("not a journal of a tree")), (Some(4), true), "{seen:?}");
    assert_eq!(std::fs::read(&other).expect("a file"), b"dear diary");
    good(&room, ["tree", "check", "file"]);
    // What a power cut leaves of a journal that was not synced: zeros, a part, nothing.
    for torn in [&[0; 500][..], b"pfh jrnl\x01abc", b""] {
        std::fs::write(&other, torn).expect("written");
        good(&room, ["tree", "check", "file"]);
        good(&room, ["tree", "update", "file", "--range", "0:1"]);
        assert!(!other.exists());
    }
}

/// What a power cut between journal and tree leaves is what the next command makes whole; readers
/// see the new state at once.
#[test]
fn a_journal_that_was_left_is_taken_up() {
    let room = Room::new();
    let mut bytes = noise(200_000, 9);
    let file = room.file("file", &bytes);
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    let tree: PathBuf = room.path().join("file.pfhtree");
    let journal: &Path = &room.path().join("file.pfhtree.journal");
    bytes[77_777] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    // Killed when the header, which is written last, is about to be written.
    let killed = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=SIGKILL:when=3"])
        .args([env!("CARGO_BIN_EXE_pfh"), "tree", "update", "file", "--range", "77777:1"])
        .current_dir(room.path())
        .status();
    if killed.is_err() || !journal.exists() {
        assert!(lacks(&[Need::Program("strace")]), "the kill left no journal");
        return;
    }
    let torn = std::fs::read(&tree).expect("a tree");
    good(&room, ["tree", "check", "file"]);
    assert_eq!(std::fs::read(&tree).expect("a tree"), torn, "a check writes nothing");
    good(&room, ["tree", "update", "file", "--range", "0:1"]);
    assert!(!journal.exists());
    let whole = std::fs::read(&tree).expect("a tree");
    assert_ne!(whole, torn);
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    assert_eq!(std::fs::read(&tree).expect("a tree"), whole);
}

/// Insecure storage (Blum; Hall and Jutla, as Lopes et al. tell it): who can write to file and tree
/// cannot have the change of another file brought up to date where the root was kept.
#[test]
fn an_update_believes_the_root_that_was_kept() {
    let room = Room::new();
    let mut bytes = noise(100_000, 3);
    let file = room.file("file", &bytes);
    let kept = root(&good(&room, ["tree", "build", "--leaf", "1KiB", "file"]));
    good(&room, ["audit", "commit", "file", "-o", "kept"]);
    bytes[5000] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    // Both were replaced behind the keeper's back: the tree is sound, and not the one that was
    // kept.
    let now = root(&good(&room, ["tree", "build", "--leaf", "1KiB", "file"]));
    let before = std::fs::read(room.path().join("file.pfhtree")).expect("a tree");
    for trusted in [["--root", kept.as_str()], ["--kept", "kept"]] {
        for verb in [&["update", "file", "--range", "0:1"][..], &["append", "file"]] {
            let seen = pfh(&room, [&["tree"], verb, &trusted].concat());
            assert_eq!(seen.code, Some(1), "{verb:?} {trusted:?}: {}", seen.stderr);
            assert!(seen.stderr.contains("which was kept"), "{}", seen.stderr);
            assert_eq!(std::fs::read(room.path().join("file.pfhtree")).expect("a tree"), before);
        }
    }
    bytes[70_000] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    let later = root(&good(&room, ["tree", "update", "file", "--range", "70000:1", "--root", &now]));
    assert_ne!(later, now);
    bytes.extend(noise(3000, 4));
    std::fs::write(&file, &bytes).expect("written");
    good(&room, ["tree", "append", "file", "--root", &later]);
}
