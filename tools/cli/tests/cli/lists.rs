//! Lists of others, read by every command that reads lists: `check`, `match -k` and audits of
//! several.

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::process::Command;

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

/// The digest that pfh has of a file.
fn digest(room: &Room, algorithm: &str, name: &str) -> String {
    text(&pfh(room, &format!("hash --no-progress -f bsd -a {algorithm} {name}")))
        .trim_end()
        .rsplit(' ')
        .next()
        .unwrap()
        .to_owned()
}

fn files() -> Room {
    let room = Room::new();
    room.file("d/a", b"content of a\n");
    room.file("d/b", b"content of b\n");
    room
}

/// Each dialect is the same to all: `check` verifies the file by it, and `match` knows it.
#[test]
fn check_and_match_read_the_same_dialects() {
    let room = files();
    let of = |algorithm: &str| digest(&room, algorithm, "d/a");
    let (md5, sha256, blake3) = (of("md5"), of("sha256"), of("blake3"));
    let hashes = format!(r#""hashes":[{{"alg":"SHA-256","content":"{sha256}"}}]"#);
    for (name, list) in [
        ("sums", format!("{sha256}  d/a\n")),
        ("B3SUMS", format!("{blake3}  d/a\n")),
        ("x.sha3-256", format!("{}  d/a\n", of("sha3-256"))),
        ("padded", format!("MD5   (d/a) = {md5}\nSHA1  (d/a) = {}\n", of("sha1"))),
        ("oci", format!("sha256:{sha256}  d/a\n")),
        ("sm3", format!("SM3 (d/a) = {}\n", of("sm3"))),
        ("short", format!("BLAKE2b-256 (d/a) = {}\n", of("blake2b-256"))),
        ("ps", format!("Algorithm : SHA256\nHash : {sha256}\nPath : d\\a\n")),
        ("table", format!("\"path\";\"MD5\"\n\"d/a\";\"{md5}\"\n")),
        ("lsjson", format!(r#"[{{"Path":"d/a","IsDir":false,"Size":13,"Hashes":{{"sha256":"{sha256}"}}}}]"#)),
        ("ocfl", format!(r#"{{"digestAlgorithm":"sha256","manifest":{{"{sha256}":["d/a"]}},"versions":{{}}}}"#)),
        ("bom", format!(r#"{{"bomFormat":"CycloneDX","components":[{{"type":"file","name":"d/a",{hashes}}}]}}"#)),
        ("feed", format!("{{\"filename\":\"d/a\",\"md5\":\"{md5}\"}}\n")),
    ] {
        room.file(name, list.as_bytes());
        let seen = pfh(&room, &format!("check --no-progress {name}"));
        assert_eq!((seen.code, &*text(&seen)), (Some(0), "d/a: OK\n"), "{name}: {}", seen.stderr);
        let seen = pfh(&room, &format!("match --no-progress --only known -k {name} d/a d/b"));
        assert!(text(&seen).contains("d/a") && !text(&seen).contains("d/b"), "{name}: {} {}", text(&seen), seen.stderr);
        let seen = pfh(&room, &format!("known build --force --good {name} set.pfhknown"));
        assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
        // And a wrong file is wrong by each of them.
        room.file("d/a", b"content of z\n");
        assert_eq!(pfh(&room, &format!("check --no-progress {name}")).code, Some(1), "{name}");
        room.file("d/a", b"content of a\n");
    }
}

/// What JSON holds and nobody can compare is named, and in the exit code.
#[test]
fn json_of_others_is_not_passed_over() {
    let room = files();
    let sha256 = digest(&room, "sha256", "d/a");
    let record = format!(r#"{{"path":"d/a","sha256":"{sha256}"}}"#);
    for (list, word) in [
        (format!(r#"[{record},{{"path":"d/b"}}]"#), "1 line is improperly formatted"),
        (format!(r#"[{record},{{"path":"d/b","hashes":{{"snefru":"00"}}}}]"#), "1 line of snefru not verified"),
        (
            format!(
                r#"[{record},{{"type":"library","name":"b","hashes":[{{"alg":"SHA-256","content":"{sha256}"}}]}}]"#
            ),
            "1 record of a component",
        ),
        (format!("{record}\n{{\"path\":\"d/b\","), "1 line is improperly formatted"),
    ] {
        room.file("list", list.as_bytes());
        let seen = pfh(&room, "check --no-progress list");
        assert!(seen.code == Some(3) && seen.stderr.contains(word), "{list}: {:?} {}", seen.code, seen.stderr);
        assert_eq!(text(&seen), "d/a: OK\n");
    }
    room.file("list", b"{\"title\":\"no list\"}");
    let seen = pfh(&room, "check --no-progress list");
    assert!(seen.code == Some(3) && seen.stderr.contains("nothing to compare with"), "{}", seen.stderr);
}

#[test]
fn a_directory_of_lists_as_known_sets() {
    let room = files();
    room.file("lists/deep/one.md5", format!("{}  x\n", digest(&room, "md5", "d/a")).as_bytes());
    room.file("lists/two.sha256", format!("{}  y\n", digest(&room, "sha256", "d/b")).as_bytes());
    room.file("lists/.hidden", b"no list\n");
    for lists in ["lists", "lists/deep lists/two.sha256"] {
        let known: String = lists.split(' ').map(|list| format!("-k {list} ")).collect();
        let seen = pfh(&room, &format!("match --no-progress --only known {known}-r d"));
        assert!(text(&seen).contains("d/a") && text(&seen).contains("d/b"), "{} {}", text(&seen), seen.stderr);
    }
    std::fs::create_dir(room.path().join("none")).unwrap();
    let seen = pfh(&room, "match --no-progress -k none -r d");
    assert!(seen.code != Some(0) && seen.stderr.contains("none: a directory without lists"), "{}", seen.stderr);
    // What holds no digest is named, and in the exit code.
    room.file("lists/rubbish", b"no list at all\n");
    let seen = pfh(&room, "match --no-progress --only known -k lists -r d");
    assert!(seen.code == Some(3) && seen.stderr.contains("lists/rubbish"), "{:?} {}", seen.code, seen.stderr);
}

/// `known build` takes a directory of lists as `match -k` does, each a set of its own; what it
/// writes is none of them, nor of what it reads.
#[test]
fn a_directory_of_lists_becomes_one_set() {
    let room = files();
    room.file("lists/deep/one.md5", format!("{}  x\n", digest(&room, "md5", "d/a")).as_bytes());
    room.file("lists/two.sha256", format!("{}  y\n", digest(&room, "sha256", "d/b")).as_bytes());
    room.file("lists/.hidden", b"no list\n");
    room.file("d/c", b"content of c\n");
    for build in ["known build all --bad lists", "known build --force -o all --class bad=lists"] {
        let seen = pfh(&room, build);
        assert!(seen.code == Some(0) && seen.stderr.contains("2 sets"), "{build}: {:?} {}", seen.code, seen.stderr);
        let seen = pfh(&room, "match --no-progress -k all -r d");
        let said = text(&seen);
        assert_eq!((seen.code, said.lines().count()), (Some(1), 2), "{said} {}", seen.stderr);
        assert!(said.contains("d/a  [one: bad]") && said.contains("d/b  [two: bad]"), "{said}");
    }
    let before = std::fs::read_dir(room.path().join("lists")).unwrap().count();
    std::fs::hard_link(room.path().join("lists/two.sha256"), room.path().join("twin")).unwrap();
    std::fs::create_dir(room.path().join("none")).unwrap();
    for (line, word) in [
        ("known build lists/all --bad lists", "lies in lists, whose files are read"),
        ("known build -o lists/deep/all --bad lists", "lies in lists, whose files are read"),
        ("known build other --work lists/work --bad lists", "lies in lists, whose files are read"),
        ("known build --force twin --bad lists", "twin"),
        ("known build --force -o twin --bad lists", "twin"),
        ("known export --force lists/two.sha256 -o twin --to hashdeep", "twin"),
        ("known build other -o more --bad lists", "cannot be used with"),
        ("known build --bad lists", "required"),
    ] {
        let seen = pfh(&room, line);
        assert!(seen.code == Some(2) && seen.stderr.contains(word), "{line}: {:?} {}", seen.code, seen.stderr);
    }
    let seen = pfh(&room, "known build other --bad none");
    assert!(seen.code == Some(3) && seen.stderr.contains("none: a directory without lists"), "{}", seen.stderr);
    assert_eq!(std::fs::read_dir(room.path().join("lists")).unwrap().count(), before);
    assert!(!room.path().join("other").exists() && !room.path().join("more").exists());
    // What holds no digest is named, and in the exit code, as everywhere.
    room.file("lists/rubbish", b"no list at all\n");
    let seen = pfh(&room, "known build other --bad lists");
    assert!(seen.code == Some(3) && seen.stderr.contains("lists/rubbish"), "{:?} {}", seen.code, seen.stderr);
}

#[test]
fn an_audit_of_several_manifests() {
    let room = files();
    room.file("e/c", b"content of c\n");
    room.file("one", format!("{}  d/a\n", digest(&room, "md5", "d/a")).as_bytes());
    room.file("two", format!("{}  d/b\n", digest(&room, "sha256", "d/b")).as_bytes());
    let audit = |lists: &str| pfh(&room, &format!("check --no-progress --audit {lists} --below d"));
    let seen = audit("one two");
    assert_eq!(seen.code, Some(0), "{} {}", text(&seen), seen.stderr);
    assert!(seen.stderr.contains("2 files verified against one, two"), "{}", seen.stderr);
    // One of them alone leaves the other's file as new.
    let seen = audit("one");
    assert!(seen.code == Some(1) && text(&seen).contains("new            d/b"), "{}", text(&seen));
    // Both lists of one file: their digests add up; if they contradict each other, nothing is
    // right.
    room.file("more", format!("{}  ./d/a\n", digest(&room, "sha256", "d/a")).as_bytes());
    assert_eq!(audit("one two more").code, Some(0), "{}", audit("one two more").stderr);
    room.file("wrong", format!("{}  d/a\n", digest(&room, "md5", "d/b")).as_bytes());
    let seen = audit("one two wrong");
    assert!(seen.code == Some(1) && text(&seen).contains("d/a"), "{}", text(&seen));
    // A manifest that cannot be read ends it.
    assert_eq!(audit("one none").code, Some(3));
}

#[test]
fn rhash_lists_with_all_its_algorithms() {
    if lacks(&[Need::Program("rhash")]) {
        return;
    }
    let room = files();
    let output = Command::new("rhash").args(["--bsd", "-a", "d/a"]).current_dir(room.path()).output().unwrap();
    room.file("list", &output.stdout);
    let seen = pfh(&room, "check --no-progress list");
    assert!(seen.code == Some(3) && text(&seen) == "d/a: OK\n", "{}", seen.stderr);
    let missing: Vec<&str> = seen.stderr.lines().filter(|line| line.contains("not verified")).collect();
    let named = |name: &&str| missing.iter().any(|line| line.contains(&format!("1 line of {name} not")));
    let absent = ["BTIH", "HAS-160", "EDON-R256", "EDON-R512", "SNEFRU-128", "SNEFRU-256"];
    assert!(absent.iter().all(named) && missing.len() == absent.len(), "{}", seen.stderr);
    // Ours are verified by it.
    for algorithm in ["tth", "aich", "ed2k", "md4", "tiger", "whirlpool", "streebog-256", "streebog-512", "crc32c"] {
        let list = pfh(&room, &format!("hash --no-progress -f bsd -a {algorithm} d/a d/b"));
        room.file("ours", &list.stdout);
        let theirs = Command::new("rhash").args(["-c", "ours"]).current_dir(room.path()).output().unwrap();
        let said = String::from_utf8_lossy(&theirs.stdout);
        assert!(theirs.status.success() && said.contains("Everything OK"), "{algorithm}: {said}");
    }
}
