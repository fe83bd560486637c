//! `pfh known export`: what it writes is read by the programs that it is for, and by pfh again.

use crate::program::{Room, digest_by};
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use std::fs;
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().expect("a run")
}

fn good(room: &Room, words: &str) -> Outcome {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
    seen
}

/// What another program prints.
fn said(room: &Room, program: &str, words: &str) -> String {
    let seen = Command::new(program).args(words.split_whitespace()).current_dir(room.path()).output().expect(program);
    String::from_utf8_lossy(&[seen.stdout, seen.stderr].concat()).into_owned()
}

/// Files, their digests as a manifest with names and sizes, and as a set.
fn prepared() -> Room {
    let room = Room::new();
    for n in 0..300_u64 {
        room.file(format!("t/{n}"), &content(n, 100 + n));
    }
    room.file("t/say \"no\"", b"three");
    good(&room, "hash -r -a md5,sha1,sha256 -f jsonl t -o files");
    good(&room, "hash -r -a md5 t/1 t/2 -o bad.md5");
    good(&room, "known build sets.pfhknown --good files --bad bad.md5 --no-progress");
    room
}

fn digest(program: &str, n: u64) -> String {
    digest_by(program, &content(n, 100 + n))
}

/// hfind says of a digest that is not there that it is not found; one of a set has its line.
fn finds(room: &Room, set: &str, digest: &str) -> bool {
    let answer = said(room, "hfind", &format!("{set} {digest}"));
    assert!(answer.to_lowercase().contains(&digest.to_lowercase()), "{set}: {answer}");
    !answer.contains("Hash Not Found")
}

#[test]
fn the_sleuth_kit_reads_indices_and_databases() {
    if lacks(&[Need::Program("hfind")]) {
        return;
    }
    let room = prepared();
    good(&room, "known export sets.pfhknown set-md5.idx --to idx");
    good(&room, "known export sets.pfhknown set-sha1.idx --to idx -a sha1");
    good(&room, "known export sets.pfhknown bad-md5.idx --to idx --class bad");
    for n in [0, 1, 2, 77, 299] {
        assert!(finds(&room, "set-md5.idx", &digest("md5sum", n)), "{n}");
        assert!(finds(&room, "set-sha1.idx", &digest("sha1sum", n)), "{n}");
        assert_eq!(finds(&room, "bad-md5.idx", &digest("md5sum", n)), n == 1 || n == 2, "{n}");
    }
    assert!(!finds(&room, "set-md5.idx", &digest("md5sum", 300)));
    // A database of a set, and one of a manifest: with names.
    good(&room, "known export sets.pfhknown set.kdb --to kdb");
    good(&room, "known export files named.kdb --to kdb --class good");
    for n in [0, 1, 299] {
        assert!(finds(&room, "set.kdb", &digest("md5sum", n)), "{n}");
        assert!(finds(&room, "named.kdb", &digest("md5sum", n)), "{n}");
        let answer = said(&room, "hfind", &format!("named.kdb {}", digest("md5sum", n)));
        assert!(answer.contains(&format!("t/{n}")), "{answer}");
    }
    assert!(!finds(&room, "set.kdb", &digest("md5sum", 300)));
    // Each is a set again.
    for name in ["set-md5.idx", "set-sha1.idx", "set.kdb", "named.kdb"] {
        let again = good(&room, &format!("match -r -k {name} -f jsonl t"));
        let known = String::from_utf8_lossy(&again.stdout).matches("\"verdict\":\"known\"").count();
        assert_eq!(known, 301, "{name}");
    }
}

#[test]
fn hashdeep_reads_what_it_is_for() {
    if lacks(&[Need::Program("hashdeep")]) {
        return;
    }
    let room = prepared();
    good(&room, "known export files files.hashdeep --to hashdeep");
    let audit = said(&room, "hashdeep", "-a -r -l -k files.hashdeep t");
    assert!(audit.contains("Audit passed"), "{audit}");
    let check = good(&room, "check files.hashdeep");
    assert!(check.stderr.contains("301 files verified"), "{}", check.stderr);
}

#[test]
fn nsrl_encase_and_project_vic_are_sets_again() {
    let room = prepared();
    good(&room, "known export files NSRLFile.txt --to rdsv2 --class bad");
    good(&room, "known export sets.pfhknown set.hash --to encase");
    good(&room, "known export files set.json --to vics");
    good(&room, "known export sets.pfhknown bare.json --to vics --class bad");
    for (name, known, verdict) in [
        ("NSRLFile.txt", 301, "known-bad"),
        ("set.hash", 301, "known"),
        ("set.json", 301, "known"),
        ("bare.json", 2, "known"),
    ] {
        let class = if verdict == "known-bad" { "good" } else { "listed" };
        let words = format!("match -r -k {name} --class {class} -f jsonl t");
        let seen = pfh(&room, &words);
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert_eq!(text.matches(&format!("\"verdict\":\"{verdict}\"")).count(), known, "{name}: {}", seen.stderr);
    }
    let rds = fs::read_to_string(room.path().join("NSRLFile.txt")).expect("it");
    assert!(rds.starts_with("\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\""), "{rds}");
    assert!(rds.contains("\"say _no_\",5,0,\"0\",\"M\"\r\n"), "quotes have no form there: {rds}");
    let vics: serde_json::Value =
        serde_json::from_slice(&fs::read(room.path().join("set.json")).expect("it")).expect("JSON");
    assert_eq!(vics["value"].as_array().map(Vec::len), Some(301));
    if !lacks(&[Need::Program("hfind")]) {
        // hfind makes its own indices of these.
        said(&room, "hfind", "-i nsrl-md5 NSRLFile.txt");
        said(&room, "hfind", "-i encase set.hash");
        for n in [3, 250, 300] {
            assert_eq!(finds(&room, "NSRLFile.txt", &digest("md5sum", n)), n < 300, "{n}");
            // Its index of such a set has no room for the header, so that it looks for names in the
            // wrong place; -q asks for none.
            let answer = said(&room, "hfind", &format!("-q set.hash {}", digest("md5sum", n)));
            assert_eq!(answer.trim(), if n < 300 { "1" } else { "0" }, "{n}");
        }
    }
}

#[test]
fn what_cannot_be_made_is_refused_or_counted() {
    let room = prepared();
    room.file("sha256", format!("{}  a\n", "0".repeat(64)).as_bytes());
    for (words, code, why) in [
        ("known export sets.pfhknown out --to rdsv2", 2, "digests alone"),
        ("known export sets.pfhknown out --to hashdeep", 2, "digests alone"),
        ("known export files out --to idx", 2, "known build"),
        ("known export sets.pfhknown out --to wings", 2, "known are"),
        ("known export sha256 out --to kdb", 3, "nothing of it can be exported"),
        ("known export sets.pfhknown out --to kdb --class notable", 3, "nothing of it can be exported"),
        ("known export nowhere out --to kdb", 3, "nowhere"),
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
        assert!(seen.stderr.contains(why), "{words}: {}", seen.stderr);
        assert!(!room.path().join("out").exists() && !room.path().join("out.partial").exists(), "{words}");
    }
    // Lines that are not records, and entries without what is needed.
    let md5 = digest("md5sum", 1);
    room.file("mixed", format!("{md5}  a\n{}  b\nwhat?\n", "0".repeat(64)).as_bytes());
    let seen = pfh(&room, "known export mixed mixed.json --to vics");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("1 items exported; 1 left out") && seen.stderr.contains("line 3"), "{}", seen.stderr);
}
