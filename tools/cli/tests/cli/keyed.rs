//! Digests under a key: HMAC and keyed BLAKE3, beside OpenSSL and b3sum.

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::process::{Command, Stdio};

const KEY: &[u8] = b"whats the Elvish word for friend";

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn room() -> Room {
    let room = Room::new();
    room.file("key", KEY);
    room.file("other", b"whats the Elvish word for foe...");
    room.file("d/a", b"abc");
    room.file("d/b", &[7; 300_000]);
    room
}

/// The first word that a program prints.
fn theirs(room: &Room, program: &str, arguments: &[&str]) -> String {
    let key = std::fs::File::open(room.path().join("key")).unwrap();
    let run = Command::new(program).args(arguments).current_dir(room.path()).stdin(Stdio::from(key)).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[test]
fn as_openssl_and_b3sum_have_it() {
    if lacks(&[Need::Program("openssl"), Need::Program("b3sum")]) {
        return;
    }
    let room = room();
    let hex: String = KEY.iter().map(|byte| format!("{byte:02x}")).collect();
    let key = format!("hexkey:{hex}");
    for (ours, name) in [("hmac-sha1", "-sha1"), ("hmac-sha256", "-sha256"), ("hmac-sha3-512", "-sha3-512")] {
        let seen = pfh(&room, &format!("hash --no-progress -a {ours} --key-file key d/b"));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let expected = theirs(&room, "openssl", &["dgst", name, "-r", "-mac", "HMAC", "-macopt", &key, "d/b"]);
        assert!(text(&seen).contains(&format!("{expected}  d/b\n")), "{ours}: {}", text(&seen));
    }
    let seen = pfh(&room, "hash --no-progress -f bsd -a blake3-keyed --key-file key d/b");
    let expected = theirs(&room, "b3sum", &["--keyed", "d/b"]);
    assert_eq!(text(&seen), format!("BLAKE3-KEYED (d/b) = {expected}\n"));
}

#[test]
fn a_list_names_that_it_is_keyed_and_is_compared_with_the_key_alone() {
    let room = room();
    for format in ["sums", "bsd", "jsonl", "csv", "dfxml"] {
        for algorithm in ["hmac-sha256", "blake3-keyed", "blake3-keyed:20"] {
            let hash = format!("hash --no-progress -r -a {algorithm} --key-file key -f {format} --force -o m d");
            let seen = pfh(&room, &hash);
            assert_eq!(seen.code, Some(0), "{}", seen.stderr);
            let list = String::from_utf8_lossy(&std::fs::read(room.path().join("m")).unwrap()).to_lowercase();
            let name = algorithm.split(':').next().unwrap();
            assert!(list.contains(name) && !list.contains("elvish"), "{list}");
            let seen = pfh(&room, "check --no-progress --key-file key m");
            assert!(seen.code == Some(0) && seen.stderr.contains("2 files verified"), "{format}: {}", seen.stderr);
            // Without the key nothing is compared, and that is said; with another one all differs.
            let seen = pfh(&room, "check --no-progress m");
            assert_eq!(seen.code, Some(3), "{}", seen.stderr);
            assert!(seen.stderr.contains("nothing to compare with"), "{}", seen.stderr);
            assert!(seen.stderr.contains(&format!("2 lines of {algorithm} (which needs its key)")), "{}", seen.stderr);
            assert_eq!(pfh(&room, "check --no-progress --key-file other m").code, Some(1));
            assert_eq!(pfh(&room, "check --no-progress --audit m d").code, Some(3));
            assert_eq!(pfh(&room, "check --no-progress --audit --key-file key m d").code, Some(0));
        }
    }
    // Beside a digest without a key, that one is compared.
    pfh(&room, "hash --no-progress -r -a md5,hmac-sha256 --key-file key -f jsonl --force -o m d");
    let seen = pfh(&room, "check --no-progress m");
    assert!(seen.code == Some(3) && seen.stderr.contains("2 files verified against m: md5"), "{}", seen.stderr);
    assert!(seen.stderr.contains("2 digests of hmac-sha256 (which needs its key) not compared"), "{}", seen.stderr);
    let seen = pfh(&room, "check --no-progress --key-file key m");
    assert!(seen.code == Some(0) && seen.stderr.contains("hmac-sha256, md5"), "{}", seen.stderr);
    // As a known set it is of no use, and says so; a comparison of trees leaves it out as well.
    pfh(&room, "hash --no-progress -r -a hmac-sha256 --key-file key -f jsonl --force -o m d");
    let seen = pfh(&room, "match --no-progress -k m d/a");
    assert!(seen.code == Some(3) && seen.stderr.contains("needs its key"), "{}", seen.stderr);
    assert_eq!(pfh(&room, "diff --no-progress m d").code, Some(3));
}

#[test]
fn what_is_refused() {
    let room = room();
    for (line, word) in [
        ("hash -a hmac-sha256 d/a", "--key-file"),
        ("hash -a sha256 --key-file key d/a", "takes a key"),
        ("hash -a hmac-sha256 --key-file key --cache c d/a", "--cache"),
        ("hash -a hmac-sha256 --key-file /dev/null d/a", "empty"),
        ("hash -a blake3-keyed --key-file d/a d/b", "32 bytes"),
        ("hash -a hmac-sha256 --key-file d/b d/a", "not a key"),
        ("hash -a hmac-sha256 --key-file key --force -o key d/a", "key"),
        ("dups -a hmac-sha256 d", "key"),
        ("match -a hmac-sha256 -k d/a d/b", "key"),
        ("check -a hmac-sha256 d/a", "--key-file"),
    ] {
        let seen = pfh(&room, line);
        assert!(seen.code == Some(2) && seen.stderr.contains(word), "{line}: {:?} {}", seen.code, seen.stderr);
    }
    let seen = pfh(&room, "hash -a hmac-sha256 --key-file none d/a");
    assert!(seen.code == Some(3) && seen.stderr.contains("none"), "{:?} {}", seen.code, seen.stderr);
    assert_eq!(std::fs::read(room.path().join("key")).unwrap(), KEY);
    pfh(&room, "hash -r -a blake3-keyed --key-file key -o m d");
    let seen = pfh(&room, "check --key-file d/a m");
    assert!(seen.code == Some(2) && seen.stderr.contains("32 bytes"), "{}", seen.stderr);
}

/// Keys that BLAKE3 derives are those of b3sum, and verified under their context alone.
#[test]
fn derived_keys_are_b3sums() {
    if lacks(&[Need::Program("b3sum")]) {
        return;
    }
    let room = room();
    let context = "example.com 2026-11-22 sessions";
    let ours = |words: &[&str]| {
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
        trial.run().expect("a run")
    };
    let seen = ours(&["hash", "--no-progress", "--derive-key", context, "d/a", "d/b"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let listed: Vec<String> =
        String::from_utf8(seen.stdout.clone()).expect("text").lines().map(str::to_owned).collect();
    for name in ["d/a", "d/b"] {
        let theirs = Command::new("b3sum").args(["--derive-key", context, name]).current_dir(room.path()).output();
        let theirs = String::from_utf8(theirs.expect("b3sum").stdout).expect("text");
        assert!(listed.iter().any(|line| *line == theirs.trim_end()), "{theirs} {listed:?}");
    }
    // The list names the algorithm, and is compared with the context alone.
    assert!(listed[0].contains("algorithms=blake3-derive-key"), "{listed:?}");
    room.file("list", &seen.stdout);
    assert_eq!(ours(&["check", "--derive-key", context, "list"]).code, Some(0));
    assert_eq!(ours(&["check", "--derive-key", "another", "list"]).code, Some(1));
    assert_eq!(ours(&["check", "list"]).code, Some(3));
    room.file("key", &[7; 32]);
    for wrong in [
        &["hash", "--derive-key", "", "d/a"][..],
        &["hash", "--derive-key", context, "-a", "sha256", "d/a"],
        &["hash", "--derive-key", context, "-a", "hmac-sha256", "d/a"],
        &["hash", "--key-file", "key", "-a", "blake3-derive-key", "d/a"],
        &["hash", "--derive-key", context, "--key-file", "key", "d/a"],
        &["hash", "-a", "blake3-derive-key", "d/a"],
    ] {
        let seen = ours(wrong);
        assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{wrong:?}: {}", seen.stderr);
    }
}
