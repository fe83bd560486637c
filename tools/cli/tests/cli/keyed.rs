//! Digests under a key, as it is given: `--key-file` and `--derive-key`.

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, content, lacks};

const KEY: &[u8] = b"whats the Elvish word for friend";

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path()).run().unwrap()
}

fn room() -> Room {
    let room = Room::new();
    room.file("key", KEY);
    room.file("other", b"whats the Elvish word for foe...");
    room.file("d/a", b"abc");
    room.file("d/b", &[7; 300_000]);
    room
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

/// Many files under every HMAC and a key shorter and longer than a block, at every level of
/// instructions, beside OpenSSL; and the lists of one level are checked at another.
#[test]
fn in_lanes_at_every_level_as_openssl_has_it() {
    if lacks(&[Need::Program("openssl"), Need::Program("env")]) {
        return;
    }
    let room = Room::new();
    let lengths = [0_u64, 1, 54, 55, 56, 63, 64, 65, 71, 72, 111, 112, 128, 135, 136, 137, 1000, 4096, 70_001, 300_000];
    let names: Vec<String> = (0..40).map(|number| format!("d/{number:02}")).collect();
    for (number, name) in names.iter().enumerate() {
        room.file(name, &content(number as u64, lengths[number % lengths.len()] + number as u64 / 20));
    }
    room.file("short", b"Jefe");
    room.file("long", &[0xaa; 200]);
    let under = |isa: pfh::Isa, line: &str| {
        let program = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path());
        program.under(["env", &format!("PFH_ISA={}", isa.name())]).run().unwrap()
    };
    for function in ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3-256", "sha3-512"] {
        for key in ["short", "long"] {
            let hex = pfh::hex::encode(&std::fs::read(room.path().join(key)).unwrap());
            let theirs = Trial::new("openssl")
                .args(["dgst", &format!("-{function}"), "-r", "-mac", "HMAC", "-macopt", &format!("hexkey:{hex}")])
                .args(&names)
                .directory(room.path())
                .run()
                .unwrap();
            let wanted = String::from_utf8(theirs.stdout).unwrap().replace(" *", "  ");
            for (number, isa) in pfh::Isa::ALL.iter().enumerate() {
                let seen = under(*isa, &format!("hash --no-progress -r -f sums -a hmac-{function} --key-file {key} d"));
                let text = String::from_utf8(seen.stdout).unwrap();
                let ours: String =
                    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
                assert!(
                    seen.code == Some(0) && ours == wanted,
                    "{function} {key} {isa:?}: {ours}{wanted}{}",
                    seen.stderr
                );
                std::fs::write(room.path().join("m"), text).unwrap();
                let other = pfh::Isa::ALL[pfh::Isa::ALL.len() - 1 - number];
                let seen = under(other, &format!("check --key-file {key} -a hmac-{function} m"));
                assert!(seen.code == Some(0) && seen.stderr.contains("40 files verified"), "{}", seen.stderr);
            }
        }
    }
}

/// KMAC beside OpenSSL, with its own lengths and with stated ones.
#[test]
fn kmac_as_openssl_has_it() {
    if lacks(&[Need::Program("openssl")]) {
        return;
    }
    let room = room();
    room.file("d/empty", b"");
    for (name, size, theirs) in [("kmac128", 32, "KMAC128"), ("kmac256", 64, "KMAC256"), ("kmac256:32", 32, "KMAC256")]
    {
        for file in ["d/a", "d/b", "d/empty"] {
            let (key, size) = (format!("hexkey:{}", pfh::hex::encode(KEY)), format!("size:{size}"));
            let words = ["mac", "-macopt", &key, "-macopt", &size, "-in", file, theirs];
            let stated = Trial::new("openssl").args(words).directory(room.path()).run().unwrap();
            let stated = String::from_utf8(stated.stdout).unwrap().trim().to_lowercase();
            let seen = pfh(&room, &format!("hash --no-progress -f sums -a {name} --key-file key {file}"));
            let line = format!("{stated}  {file}");
            let text = String::from_utf8(seen.stdout).unwrap();
            assert!(stated.len() > 60 && text.lines().any(|one| one == line), "{name}: {text}{line}{}", seen.stderr);
        }
    }
    for (line, code) in [
        ("hash --no-progress -r -a kmac256 --key-file key -o m d", 0),
        ("check --key-file key m", 0),
        ("check --key-file other m", 1),
        ("check m", 3),
    ] {
        assert_eq!(pfh(&room, line).code, Some(code), "{line}");
    }
}

/// A catalogue under a key: another key, none, or one that it does not have is refused before
/// anything is read or changed; and an attacker's catalogue is not believed.
#[test]
fn a_directory_under_a_key() {
    for algorithm in ["hmac-sha256", "blake3-keyed", "kmac256"] {
        let room = room();
        let (build, site) = (format!("tree build -a {algorithm} --key-file key d"), room.path().join("d.pfhtree"));
        let all = |lines: &[(&str, i32, &str)]| {
            for (line, code, words) in lines {
                let before = std::fs::read(&site).ok();
                let seen = pfh(&room, line);
                let text = format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
                assert!(
                    seen.code == Some(*code) && text.contains(words),
                    "{algorithm}, {line}: {:?} {text}",
                    seen.code
                );
                assert!(*code == 0 || std::fs::read(&site).ok() == before, "{line}: changed");
            }
        };
        all(&[
            (&format!("tree build -a {algorithm} d"), 2, "--key-file"),
            ("tree build -a sha256 --key-file key d", 2, "takes no key"),
            (&format!("{build} --force --outboard key"), 2, "key"),
            (&build, 0, ""),
            ("tree check --key-file key d", 0, ""),
            ("tree check d", 2, "--key-file"),
            ("tree check --key-file other d", 2, "another key"),
            ("tree update d", 2, "--key-file"),
            ("tree update --key-file other d", 2, "another key"),
        ]);
        room.file("d/c", b"new");
        all(&[
            ("tree check --key-file key d", 1, "added: c"),
            ("tree update --key-file key d", 0, ""),
            ("tree update --key-file key --entry a d", 0, ""),
            ("tree check --key-file key d", 0, ""),
        ]);
        // The same directory has another root under another key, and the same one again.
        let root = |key: &str, place: &str| {
            let seen = pfh(&room, &format!("tree build --json -a {algorithm} --key-file {key} --outboard {place} d"));
            let line: serde_json::Value = serde_json::from_slice(&seen.stdout).unwrap();
            line["root"].as_str().unwrap().to_owned()
        };
        assert!(root("key", "one") == root("key", "two") && root("key", "one") != root("other", "three"));
        // Who lacks the key puts a plain catalogue of other files in its place.
        room.file("d/a", b"forged");
        all(&[("tree build -a blake3 d", 0, ""), ("tree check --key-file key d", 2, "takes no key")]);
    }
}

#[test]
fn a_key_is_a_file_and_a_context_is_a_text() {
    let room = room();
    let seen = pfh(&room, "hash --no-progress -r -a hmac-sha256 --key-file key -o m d");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    for (line, code, words) in [
        ("check --key-file key m", 0, "2 files verified"),
        ("check --key-file other m", 1, ""),
        ("check m", 3, "2 lines of hmac-sha256 (which needs its key)"),
        ("check --audit --key-file key m d", 0, "2 files verified"),
        ("match --no-progress -k m d/a", 3, "needs its key"),
        ("diff --no-progress m d", 3, ""),
        ("hash --derive-key purpose -o derived d/a", 0, ""),
        ("check --derive-key purpose derived", 0, "1 file verified"),
        ("check --derive-key another derived", 1, ""),
        ("check derived", 3, "nothing to compare with"),
        ("hash --derive-key purpose -a sha256 d/a", 2, ""),
        ("hash --derive-key purpose -a hmac-sha256 d/a", 2, ""),
        ("hash --key-file key -a blake3-derive-key d/a", 2, ""),
        ("hash --derive-key purpose --key-file key d/a", 2, ""),
        ("hash -a blake3-derive-key d/a", 2, ""),
    ] {
        let seen = pfh(&room, line);
        assert_eq!(seen.code, Some(code), "{line}: {}", seen.stderr);
        assert!(seen.stderr.contains(words), "{line}: {}", seen.stderr);
    }
}
