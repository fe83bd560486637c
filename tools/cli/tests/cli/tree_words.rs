//! `pfh tree`: the output of its verbs, as text and as JSON, and their exits.

use crate::program::Room;
use crate::program::trees::{good, json, noise, pfh, root, text};
use pfh_inject::Trial;

/// A file of 100,000 bytes with a tree over leaves of 16 KiB.
fn room() -> (Room, Vec<u8>) {
    let room = Room::new();
    let bytes = noise(100_000, 1);
    room.file("file", &bytes);
    good(&room, ["tree", "build", "file"]);
    (room, bytes)
}

#[test]
fn roots_and_ranges_are_printed() {
    let (room, mut bytes) = room();
    let digest = blake3::hash(&bytes).to_hex().to_string();
    assert_eq!(text(&good(&room, ["tree", "build", "-t", "2", "file"])), format!("{digest}  file\n"));
    let said = text(&good(&room, ["tree", "check", "file", "--root", &digest.to_uppercase()]));
    assert_eq!(said, format!("file: OK: 7 leaves are those of file.pfhtree, blake3 root {digest}, the one stated\n"));
    let seen = json(&good(&room, ["tree", "check", "--json", "file"]));
    assert_eq!((seen["verdict"].as_str(), seen["root"].as_str()), (Some("verified"), Some(&*digest)));
    good(&room, ["audit", "commit", "file", "-o", "kept"]);
    let said = text(&good(&room, ["tree", "check", "file", "--kept", "kept"]));
    assert!(said.ends_with(", the one that is kept\n"), "{said}");

    bytes[20_000] ^= 1;
    bytes[99_999] ^= 1;
    room.file("file", &bytes);
    let seen = pfh(&room, ["tree", "check", "file"]);
    assert_eq!((seen.code, &*text(&seen)), (Some(1), "file: corrupt: 16384:16384\nfile: corrupt: 98304:1696\n"));
    let seen = pfh(&room, ["tree", "check", "--json", "file"]);
    let ranges = serde_json::json!([{"offset": 16_384, "length": 16_384}, {"offset": 98_304, "length": 1696}]);
    assert_eq!(
        (seen.code, &json(&seen)["corrupt"], json(&seen)["verdict"].as_str()),
        (Some(1), &ranges, Some("differs"))
    );
    let seen = json(&good(&room, ["tree", "update", "--json", "file", "--range", "20000:1,99999:1"]));
    let changed = serde_json::json!([{"offset": 20_000, "length": 1}, {"offset": 99_999, "length": 1}]);
    assert!(seen["changed"] == changed && seen["values_computed"].as_u64().is_some_and(|values| values < 10), "{seen}");
    bytes.push(7);
    room.file("file", &bytes);
    let seen = pfh(&room, ["tree", "check", "file"]);
    let said = "file: corrupt: 100000:1\nfile: has 100001 bytes, its tree is of 100000\n";
    assert_eq!((seen.code, &*text(&seen)), (Some(1), said));
    assert_eq!(json(&good(&room, ["tree", "append", "--json", "file"]))["appended"], 1);
    let seen = pfh(&room, ["tree", "check", "file", "--root", &digest]);
    let now = blake3::hash(&bytes).to_hex();
    let said = format!("file: DIFFERS: gives the blake3 root {now}, not {digest}\n");
    assert_eq!((seen.code, text(&seen)), (Some(1), said));
    // The right file beside the tree of another one.
    room.file("file", &noise(100_000, 1));
    let said = text(&pfh(&room, ["tree", "check", "file", "--root", &digest]));
    assert!(said.contains("gives the root stated; it is file.pfhtree that differs"), "{said}");
    std::fs::remove_file(room.path().join("file.pfhtree")).unwrap();
    assert!(text(&good(&room, ["tree", "check", "file", "--kept", "kept"])).contains("7 leaves, no tree"));
}

#[cfg(unix)]
#[test]
fn two_levels_are_printed_as_leaves() {
    let room = Room::new();
    let mut bytes = noise(100_000, 1);
    room.file("file", &bytes);
    let built = text(&good(&room, ["tree", "build", "-a", "sakura-li-128,leaves=4,block=168", "file"]));
    let hashed = text(&good(&room, ["hash", "-a", "sakura-li-128,leaves=4,block=168", "file"]));
    let digest = hashed.lines().find(|line| !line.starts_with('#')).unwrap().split(' ').next().unwrap();
    assert_eq!(built, format!("{digest}  file\n"), "the root is what `pfh hash` prints");
    bytes[168] ^= 1;
    room.file("file", &bytes);
    let seen = pfh(&room, ["tree", "check", "file"]);
    let said = "file: corrupt: leaf 1 of 4: 168 bytes of every 672, the first at 168\n";
    assert_eq!((seen.code, &*text(&seen)), (Some(1), said));
    let seen = json(&pfh(&room, ["tree", "check", "--json", "file"]));
    assert_eq!((&seen["corrupt_leaves"], &seen["verdict"]), (&serde_json::json!([1]), &"differs".into()));
}

#[test]
fn proofs_differences_and_foreign_roots_are_printed() {
    let (room, bytes) = room();
    let digest = blake3::hash(&bytes).to_hex().to_string();
    good(&room, ["tree", "prove", "file", "--range", "10000:4096", "-o", "part"]);
    let verify = ["tree", "verify", "part", "--root", &digest];
    let said = format!("part: OK: 10000:4096 of a file of 100000 bytes gives the blake3 root {digest}\n");
    assert_eq!(text(&good(&room, verify)), said);
    assert_eq!(good(&room, verify.iter().chain(&["-o", "-"])).stdout, &bytes[10_000..14_096]);
    let seen = json(&good(&room, verify.iter().chain(&["--json"])));
    assert_eq!((seen["verdict"].as_str(), seen["length"].as_u64()), (Some("verified"), Some(4096)));
    let seen = pfh(&room, ["tree", "verify", "part", "--root", &"0".repeat(64), "-o", "none"]);
    assert_eq!((seen.code, text(&seen).contains("DIFFERS")), (Some(1), true), "{seen:?}");

    let said = text(&good(&room, ["tree", "diff", "file", "file"]));
    assert!(said.starts_with("file and file: the same 7 leaves, blake3 root "), "{said}");
    room.file("other", &[&bytes[..99_999], b"x"].concat());
    good(&room, ["tree", "build", "other"]);
    let seen = pfh(&room, ["tree", "diff", "file", "other.pfhtree"]);
    assert_eq!((seen.code, &*text(&seen)), (Some(1), "98304:1696\n"));
    assert_eq!(json(&pfh(&room, ["tree", "diff", "--json", "file", "other"]))["verdict"], "differs");

    let etag = crate::program::digest_by("md5sum", &bytes);
    let root = ["tree", "root", "--as", "s3-etag", "--part", "5MiB", "file"];
    assert_eq!(text(&good(&room, root)), format!("{etag}  file\n"));
    let seen = good(&room, root.iter().chain(&["--expect", &format!("\"{etag}\"")]));
    assert!(text(&seen).starts_with("file: OK: has the s3-etag value "), "{}", text(&seen));
    let seen = pfh(&room, root.iter().chain(&["--expect", "abc-2"]));
    assert_eq!((seen.code, text(&seen).starts_with("file: DIFFERS")), (Some(1), true));
    assert_eq!(pfh(&room, ["tree", "root", "--as", "glacier", "nothing"]).code, Some(3));

    room.file("list", b"0 file\n100001 file\n");
    let seen = pfh(&room, ["tree", "build", "--pieces-from", "list", "--outboard", "tree"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("100000:1"), "{}", seen.stderr);
    let seen = pfh(&room, ["tree", "update", "file", "--range", "0:1", "--root", &"0".repeat(64)]);
    assert!(seen.code == Some(1) && seen.stderr.contains("which was kept"), "{}", seen.stderr);
}

#[test]
fn catalogues_are_printed() {
    let room = Room::new();
    room.file("site/a", b"1");
    room.file("site/b", b"2");
    let built = text(&good(&room, ["tree", "build", "site"]));
    assert!(built.ends_with("  site\n"), "{built}");
    let absolute = format!("{}/", room.path().join("site").display());
    let checked = text(&good(&room, ["tree", "check", &absolute, "--root", &built[..64]]));
    assert!(checked.contains("OK: 2 files are those of"), "{checked}");
    std::fs::remove_file(room.path().join("site/b")).unwrap();
    let seen = pfh(&room, ["tree", "check", "site", "--json"]);
    let lines = text(&seen);
    assert!(seen.code == Some(1) && lines.contains("\"verdict\":\"differs\""), "{seen:?}");
    let updated = text(&good(&room, ["tree", "update", "site", "--json"]));
    assert_eq!(updated.lines().next(), Some(r#"{"type":"removed","path":"b"}"#));
    assert!(updated.contains(r#""entries":1"#) && updated.contains(r#""removed":1"#), "{updated}");
    // Neither there nor in the catalogue: nothing was compared.
    assert_eq!(pfh(&room, ["tree", "check", "site", "--entry", "nowhere"]).code, Some(3));
    let here = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["tree", "check", ".", "--outboard", "../site.pfhtree"])
        .directory(room.path().join("site"))
        .run()
        .unwrap();
    assert_eq!(here.code, Some(0), "{here:?}");
}

#[test]
fn senseless_words_are_usage_errors() {
    let (room, _) = room();
    room.file("site/a", b"1");
    good(&room, ["tree", "build", "site"]);
    let before = std::fs::read(room.path().join("file.pfhtree")).unwrap();
    for words in [
        "update --range 5:0 file",
        "update file",
        "build --leaf 3KiB file",
        "build --algorithm md5 file",
        "build -a nothing file",
        "build -a kt128 --leaf 4KiB file",
        "build --outboard file file",
        "check --root abc file",
        "check --root 00 --kept kept file",
        "append file --root abcd",
        "update file --range 5:1 --root xyz",
        "update site --kept site/a",
        "update site --range 0:1",
        "build --leaf 4KiB site",
        "prove file --range 99999:2 -o p",
        "root --as fs-verity --block 5000 file",
        "build -",
    ] {
        let seen = pfh(&room, ["tree"].into_iter().chain(words.split(' ')));
        assert_eq!((seen.code, &seen.stdout[..]), (Some(2), &b""[..]), "{words}: {}", seen.stderr);
        assert!(!seen.stderr.is_empty(), "{words}");
    }
    assert_eq!(std::fs::read(room.path().join("file.pfhtree")).unwrap(), before);
    let seen = pfh(&room, ["tree", "build", "-a", "kt128", "--leaf", "4KiB", "file"]);
    assert!(seen.stderr.contains("--leaf is of blake3"), "{}", seen.stderr);
    // A command that would replace somebody else's file says how to name another place.
    room.file("file.pfhtree", b"not a tree");
    let seen = pfh(&room, ["tree", "append", "file"]);
    assert!(seen.code == Some(2) && seen.stderr.contains("--outboard"), "{}", seen.stderr);
    let seen = pfh(&room, ["tree", "check", "file"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("no tree that can be used"), "{}", seen.stderr);
}

#[test]
fn standard_input_has_a_tree() {
    let room = Room::new();
    let bytes = noise(300_000, 7);
    room.file("whole", &bytes);
    for algorithm in ["blake3", "sha3-256", "kt128", "sakura-li-128"] {
        let expected = root(&good(&room, ["tree", "build", "-a", algorithm, "whole"]));
        let arguments = ["tree", "build", "-a", algorithm, "--outboard", "stdin.pfhtree", "-"];
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).input(bytes.clone());
        let seen = trial.run().expect("a run");
        assert_eq!((seen.code, root(&seen)), (Some(0), expected), "{algorithm}: {}", seen.stderr);
        let read = |name: &str| std::fs::read(room.path().join(name)).unwrap();
        assert!(read("stdin.pfhtree") == read("whole.pfhtree"), "{algorithm}");
    }
}

/// Trees under a key, as typed: with it, without it and with another.
#[test]
fn a_key_is_asked_for_by_its_option() {
    let (room, bytes) = room();
    room.file("key", b"whats the Elvish word for friend");
    room.file("other", b"whats the Elvish word for foe...");
    let refused = |words: &[&str], why: &str| {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(2), "{words:?}: {}", seen.stderr);
        assert!(seen.stderr.contains(why) && seen.stdout.is_empty(), "{words:?}: {}", seen.stderr);
    };
    let digest = blake3::keyed_hash(b"whats the Elvish word for friend", &bytes).to_hex();
    let built = text(&good(&room, ["tree", "build", "-a", "blake3-keyed", "--key-file", "key", "file"]));
    assert_eq!(built, format!("{digest}  file\n"));
    let said = text(&good(&room, ["tree", "check", "--key-file", "key", "file", "--root", &digest]));
    assert_eq!(
        said,
        format!("file: OK: 7 leaves are those of file.pfhtree, blake3-keyed root {digest}, the one stated\n")
    );
    let hint = "blake3-keyed computes nothing without its key: state it with --key-file FILE";
    for verb in [
        &["check"][..],
        &["append"],
        &["update", "--range", "0:1"],
        &["diff", "file"],
        &["prove", "--range", "0:1", "-o", "part"],
    ] {
        let words = [&["tree"], verb, &["file"]].concat();
        refused(&words, hint);
        refused(&[&words[..], &["--key-file", "other"]].concat(), "made under another key of blake3-keyed");
        refused(&[&words[..], &["--key-file", "file"]].concat(), "file: more than 65536 bytes, which is not a key");
    }
    refused(&["tree", "build", "-a", "hmac-sha256", "file"], "hmac-sha256 computes nothing without its key");
    refused(&["tree", "build", "--key-file", "key", "file"], "key: blake3 takes no key");
    refused(&["tree", "build", "--key-file", "key", "--outboard", "t", "."], "key: blake3 takes no key");
    good(&room, ["tree", "prove", "--range", "0:1", "-o", "part", "--key-file", "key", "file"]);
    let said = text(&good(&room, ["tree", "verify", "part", "--root", &digest, "--key-file", "key"]));
    assert!(said.contains("blake3-keyed root"), "{said}");
    refused(&["tree", "verify", "part", "--root", &digest], hint);
    good(&room, ["audit", "commit", "file", "-o", "kept", "--key-file", "key"]);
    good(&room, ["audit", "challenge", "kept", "-o", "question"]);
    good(&room, ["audit", "prove", "question", "file", "-o", "answer"]);
    good(&room, ["audit", "verify", "kept", "question", "answer", "--key-file", "key"]);
    refused(&["audit", "verify", "kept", "question", "answer"], hint);
    refused(&["audit", "commit", "file"], hint);
    let seen = pfh(&room, ["tree", "check", "--key-file", "none", "file"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
}
