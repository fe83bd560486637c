//! Trees of two levels: KangarooTwelve, ParallelHash and Sakura. The root is what `pfh hash` prints
//! of the whole file, whatever was edited or appended; a change reads its leaf and nothing else of
//! the file.

use std::path::{Path, PathBuf};

use crate::program::Room;
use crate::program::trees::{good, json, noise, pfh, text};
use pfh_inject::{Need, Trial, lacks};

const MODES: &[&str] = &[
    "kt128",
    "kt256",
    "kt128:16",
    "parallelhash128,block=1000",
    "sakura-fng-128",
    "sakura-fng-256,block=4096,capacity=448",
    "sakura-li-128",
    "sakura-li-256,leaves=5,block=272",
];

/// The digest of the whole file, by the other command.
fn hashed(room: &Room, mode: &str) -> String {
    let text = text(&good(room, ["hash", "-a", mode, "file"]));
    let line = text.lines().find(|line| !line.starts_with('#')).expect("a line");
    line.split(' ').next().expect("a digest").to_owned()
}

fn written(room: &Room, bytes: &[u8]) -> PathBuf {
    room.file("file", bytes)
}

#[test]
fn the_root_is_what_hash_prints_after_any_edits_and_appends() {
    let room = Room::new();
    for mode in MODES {
        let mut bytes = noise(300_000, 4);
        let absolute = written(&room, &bytes);
        let built = good(&room, ["tree", "build", "--algorithm", mode, "file"]);
        assert_eq!(text(&built), format!("{}  file\n", hashed(&room, mode)), "{mode}");
        for (place, length) in [(0, 1), (8191, 2), (299_999, 1), (100_000, 50_000)] {
            bytes[place..place + length].iter_mut().for_each(|byte| *byte ^= 0x55);
            written(&room, &bytes);
            // The first by the absolute name, the tree beside it.
            let name = if place == 0 { absolute.to_str().expect("a name") } else { "file" };
            let seen = good(&room, ["tree", "update", "--json", "--range", &format!("{place}:{length}"), name]);
            assert_eq!(json(&seen)["root"], hashed(&room, mode), "{mode} {place}");
            let seen = good(&room, ["tree", "check", "--json", "file", "--root", &hashed(&room, mode)]);
            assert_eq!(json(&seen)["verdict"], "verified");
        }
        for more in [0, 1, 8192, 200_000, 3] {
            bytes.extend(noise(more, 77));
            written(&room, &bytes);
            let seen = good(&room, ["tree", "append", "--json", "file"]);
            assert_eq!(
                (json(&seen)["root"].clone(), json(&seen)["appended"].as_u64()),
                (hashed(&room, mode).into(), Some(more as u64)),
                "{mode}"
            );
        }
        let tree = std::fs::read(room.path().join("file.pfhtree")).expect("a tree");
        good(&room, ["tree", "build", "-a", mode, "--outboard", "anew", "file"]);
        assert_eq!(std::fs::read(room.path().join("anew")).expect("a tree"), tree, "{mode}");
        std::fs::write(room.path().join("before"), &bytes).expect("written");
        bytes[77_777] ^= 1;
        written(&room, &bytes);
        let seen = good(&room, ["tree", "update", "--json", "--changed-since", "before", "file"]);
        assert_eq!(json(&seen)["root"], hashed(&room, mode), "{mode}");
        let seen = pfh(&room, ["tree", "diff", "file", "anew"]);
        assert_eq!(seen.code, Some(3), "anew is a name without .pfhtree, so its tree is looked for: {seen:?}");
        std::fs::rename(room.path().join("anew"), room.path().join("anew.pfhtree")).expect("renamed");
        let seen = pfh(&room, ["tree", "diff", "file", "anew.pfhtree"]);
        assert_eq!(seen.code, Some(1), "{seen:?}");
    }
}

/// Bytes of `file` that a run reads: what its `read` and `pread64` calls gave.
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

#[test]
fn what_differs_is_located_and_the_wrong_file_is_refused() {
    let room = Room::new();
    let mut bytes = noise(100_000, 1);
    written(&room, &bytes);
    good(&room, ["tree", "build", "-a", "kt128", "file"]);
    bytes[8192] ^= 1;
    bytes[20_000] ^= 1;
    written(&room, &bytes);
    let seen = pfh(&room, ["tree", "check", "file"]);
    assert_eq!(seen.code, Some(1));
    assert_eq!(text(&seen), "file: corrupt: 8192:16384\n");
    let seen = pfh(&room, ["tree", "check", "--json", "file"]);
    assert_eq!(json(&seen)["corrupt_leaves"], serde_json::json!([1, 2]));
    assert_eq!(json(&seen)["verdict"], "differs");

    good(&room, ["tree", "build", "-a", "sakura-li-128,leaves=4,block=168", "file"]);
    bytes[168] ^= 1;
    written(&room, &bytes);
    let seen = pfh(&room, ["tree", "check", "file"]);
    assert_eq!(text(&seen), "file: corrupt: leaf 1 of 4: 168 bytes of every 672, the first at 168\n");

    // Longer, shorter, and a file that is another.
    bytes[168] ^= 1;
    written(&room, &[&bytes[..], b"more"].concat());
    let seen = pfh(&room, ["tree", "check", "file"]);
    assert_eq!(text(&seen), "file: corrupt: 100000:4\nfile: has 100004 bytes, its tree is of 100000\n");
    assert_eq!(pfh(&room, ["tree", "update", "--range", "0:1", "file"]).code, Some(2));
    written(&room, &bytes[..99_000]);
    assert_eq!(pfh(&room, ["tree", "check", "file"]).code, Some(1));
    assert_eq!(pfh(&room, ["tree", "append", "file"]).code, Some(2));
    written(&room, &bytes);
    good(&room, ["tree", "check", "file"]);
}

#[test]
fn a_tree_that_has_not_the_root_that_was_kept_is_refused_and_left_as_it_is() {
    let room = Room::new();
    let tree = |room: &Room| std::fs::read(room.path().join("file.pfhtree")).expect("a tree");
    for mode in ["kt256", "sakura-li-128,leaves=3,block=168"] {
        let mut bytes = noise(50_000, 1);
        written(&room, &bytes);
        good(&room, ["tree", "build", "-a", mode, "file"]);
        let kept = hashed(&room, mode);
        let other = kept.replace(['0', '1'], "2");
        bytes[5] ^= 1;
        bytes.push(7);
        let before = tree(&room);
        for (arguments, code) in [
            (vec!["tree", "append", "file", "--root", &other], 1),
            (vec!["tree", "update", "file", "--range", "5:1", "--root", &other], 1),
            (vec!["tree", "check", "file", "--root", &other], 1),
            (vec!["tree", "append", "file", "--root", "abcd"], 2),
            (vec!["tree", "update", "file", "--range", "5:1", "--root", "xyz"], 2),
            (vec!["tree", "update", "file", "--range", "5:1", "--proof", "proof"], 2),
            (vec!["tree", "prove", "file", "--range", "5:1", "-o", "proof"], 2),
            (vec!["audit", "commit", "file"], 3),
        ] {
            let seen = pfh(&room, &arguments);
            assert_eq!(seen.code, Some(code), "{arguments:?}: {seen:?}");
            assert!(tree(&room) == before && !room.path().join("proof").exists(), "{arguments:?}");
        }
        written(&room, &[&noise(50_000, 1)[..], &[7]].concat());
        good(&room, ["tree", "append", "file", "--root", &kept]);
        good(&room, ["tree", "check", "file", "--root", &hashed(&room, mode)]);
    }
    // The file was changed before its end as well: the root that is kept is not that of its front.
    let mode = "sakura-li-128,leaves=3,block=168";
    written(&room, &noise(50_000, 1));
    good(&room, ["tree", "build", "-a", mode, "file"]);
    let (kept, before) = (hashed(&room, mode), tree(&room));
    written(&room, &noise(50_001, 2));
    assert_eq!(pfh(&room, ["tree", "append", "file", "--root", &kept]).code, Some(1));
    assert_eq!(tree(&room), before);
}

#[test]
fn a_tree_that_is_damaged_or_of_something_else_is_refused() {
    let room = Room::new();
    written(&room, &noise(50_000, 1));
    good(&room, ["tree", "build", "-a", "kt128", "file"]);
    let path = room.path().join("file.pfhtree");
    let whole = std::fs::read(&path).expect("a tree");
    for place in [8, 12, 20, 60, 500, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&path, bytes).expect("written");
        for verb in [&["check"][..], &["append"], &["update", "--range", "0:1"]] {
            let seen = pfh(&room, ["tree"].iter().chain(verb).chain(&["file"]));
            assert_eq!(seen.code, Some(3), "byte {place}: {seen:?}");
        }
    }
    std::fs::write(&path, &whole).expect("written");
    for (arguments, why) in [
        (&["tree", "build", "-a", "md5", "file"][..], "md5 has no tree"),
        (&["tree", "build", "-a", "kt128:65", "file"], "at most 64 bytes"),
        (&["tree", "build", "-a", "kt128", "--leaf", "4KiB", "file"], "--leaf is of blake3"),
        (&["tree", "build", "-a", "nothing", "file"], "unknown algorithm"),
    ] {
        let seen = pfh(&room, arguments);
        assert_eq!(seen.code, Some(2), "{seen:?}");
        assert!(seen.stderr.contains(why), "{seen:?}");
        assert_eq!(std::fs::read(&path).expect("a tree"), whole);
    }
}

#[test]
fn streams_parts_and_directories_have_such_trees() {
    let room = Room::new();
    let bytes = noise(70_000, 1);
    written(&room, &bytes);
    for mode in ["kt128", "sakura-li-128"] {
        room.file("p0", &bytes[..30_001]);
        room.file("p1", &bytes[30_001..]);
        good(&room, ["tree", "build", "-a", mode, "file"]);
        let tree = std::fs::read(room.path().join("file.pfhtree")).expect("a tree");
        good(&room, ["tree", "build", "-a", mode, "--join", "p0", "p1", "--outboard", "joined"]);
        assert_eq!(std::fs::read(room.path().join("joined")).expect("a tree"), tree);
        let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["tree", "build", "-a", mode, "-", "--outboard", "streamed"])
            .directory(room.path())
            .input(bytes.clone())
            .run()
            .expect("a run");
        assert_eq!(seen.code, Some(0), "{seen:?}");
        assert_eq!(std::fs::read(room.path().join("streamed")).expect("a tree"), tree);
        std::fs::create_dir_all(room.path().join("d")).expect("a directory");
        std::fs::write(room.path().join("d/one"), &bytes).expect("written");
        good(&room, ["tree", "build", "-r", "-a", mode, "d"]);
        assert_eq!(std::fs::read(room.path().join("d/one.pfhtree")).expect("a tree"), tree);
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
