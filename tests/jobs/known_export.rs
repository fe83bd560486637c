//! Exports of sets: the programs that they are for read them, and we again.

use crate::check::Ended;
use crate::known_files::{Answered, built, of_class};
use crate::room::Room;
use crate::rows::{algorithms, list, printed};
use pfh::Control;
use pfh::check::{Request as Check, Verdict};
use pfh::job::{Error, Kind};
use pfh::known::export::{Request, Summary, run};
use pfh::known::{Class, Problem, build};
use pfh_inject::{Need, content, digest_by, lacks};
use std::fs;

/// Files, their digests as a manifest with names and sizes, and as a set.
fn prepared() -> Room {
    let room = Room::new();
    (0..300_u64).for_each(|n| drop(room.file(format!("t/{n}"), &content(n, 100 + n))));
    room.file("t/say \"no\"", "three");
    let files = list(&room, "files", "md5,sha1,sha256", "jsonl", &["t"]);
    let bad = list(&room, "bad.md5", "md5", "sums", &["t/1", "t/2"]);
    let request = build::Request::new(room.at("sets.pfhknown")).set(files, Class::Good).set(bad, Class::Bad);
    assert!(built(&request).0.unwrap().is_complete());
    room
}

fn request(room: &Room, set: &str, output: &str, to: &str) -> Request {
    Request::new(room.at(set), room.at(output), to.parse().unwrap())
}

fn ran(request: &Request) -> Result<Summary, Error> {
    run(request, &mut |_| Ok(()), &Control::new())
}

/// Exports all of a set, which is complete.
fn export(room: &Room, set: &str, output: &str, to: &str) -> u64 {
    let summary = ran(&request(room, set, output, to)).unwrap();
    assert!(summary.faults == 0, "{output}: {summary:?}");
    summary.written
}

/// The same of one class.
fn export_of(room: &Room, set: &str, output: &str, to: &str, class: &str) -> u64 {
    let mut request = request(room, set, output, to);
    request.classes = vec![class.parse().unwrap()];
    ran(&request).unwrap().written
}

fn digest(program: &str, n: u64) -> String {
    digest_by(program, &content(n, 100 + n))
}

/// hfind says of a digest that is not there that it is not found; one of a set has its line.
fn finds(room: &Room, set: &str, digest: &str) -> bool {
    let answer = String::from_utf8_lossy(&printed(room, &format!("hfind {set} {digest} 2>&1 || true"))).into_owned();
    assert!(answer.to_lowercase().contains(&digest.to_lowercase()), "{set}: {answer}");
    !answer.contains("Hash Not Found")
}

#[test]
fn the_sleuth_kit_reads_indices_and_databases() {
    if lacks(&[Need::Program("hfind")]) {
        return;
    }
    let room = prepared();
    export(&room, "sets.pfhknown", "set-md5.idx", "idx");
    let mut by_sha1 = request(&room, "sets.pfhknown", "set-sha1.idx", "idx");
    by_sha1.algorithm = Some(*algorithms("sha1")[0]);
    ran(&by_sha1).unwrap();
    export_of(&room, "sets.pfhknown", "bad-md5.idx", "idx", "bad");
    for n in [0, 1, 2, 77, 299] {
        assert!(finds(&room, "set-md5.idx", &digest("md5sum", n)), "{n}");
        assert!(finds(&room, "set-sha1.idx", &digest("sha1sum", n)), "{n}");
        assert_eq!(finds(&room, "bad-md5.idx", &digest("md5sum", n)), n == 1 || n == 2, "{n}");
    }
    assert!(!finds(&room, "set-md5.idx", &digest("md5sum", 300)));
    // A database of a set, and one of a manifest: with names.
    export(&room, "sets.pfhknown", "set.kdb", "kdb");
    export_of(&room, "files", "named.kdb", "kdb", "good");
    for n in [0, 1, 299] {
        assert!(finds(&room, "set.kdb", &digest("md5sum", n)), "{n}");
        assert!(finds(&room, "named.kdb", &digest("md5sum", n)), "{n}");
        let answer = printed(&room, &format!("hfind named.kdb {}", digest("md5sum", n)));
        assert!(String::from_utf8_lossy(&answer).contains(&format!("t/{n}")), "{n}");
    }
    assert!(!finds(&room, "set.kdb", &digest("md5sum", 300)));
    // Each is a set again.
    for name in ["set-md5.idx", "set-sha1.idx", "set.kdb", "named.kdb"] {
        let answered = Answered::of(&crate::known_files::against(&room, &[name], &["t"]));
        assert_eq!(answered.names("known").len(), 301, "{name}");
    }
}

#[test]
fn hashdeep_reads_what_it_is_for() {
    if lacks(&[Need::Program("hashdeep")]) {
        return;
    }
    let room = prepared();
    assert_eq!(export(&room, "files", "files.hashdeep", "hashdeep"), 301);
    let root = room.at("t");
    let audit = printed(&room, &format!("hashdeep -a -r -k files.hashdeep {} 2>&1", root.display()));
    assert!(String::from_utf8_lossy(&audit).contains("Audit passed"), "{}", String::from_utf8_lossy(&audit));
    let ended = Ended::of(&Check::new(room.at("files.hashdeep")));
    assert_eq!((ended.conclusion(), ended.summary.verified()), (Verdict::Verified, 301));
}

#[cfg(unix)]
#[test]
fn nsrl_encase_and_project_vic_are_sets_again() {
    let room = prepared();
    export_of(&room, "files", "NSRLFile.txt", "rdsv2", "bad");
    export(&room, "sets.pfhknown", "set.hash", "encase");
    export(&room, "files", "set.json", "vics");
    export_of(&room, "sets.pfhknown", "bare.json", "vics", "bad");
    for (name, known, verdict) in [
        ("NSRLFile.txt", 301, "known-bad"),
        ("set.hash", 301, "known"),
        ("set.json", 301, "known"),
        ("bare.json", 2, "known"),
    ] {
        let class = if verdict == "known-bad" { "good" } else { "listed" };
        let answered = Answered::of(&of_class(&room, &[name], class, &["t"]));
        assert_eq!(answered.names(verdict).len(), known, "{name}: {:?}", answered.gaps);
    }
    let rds = fs::read_to_string(room.at("NSRLFile.txt")).unwrap();
    assert!(rds.starts_with("\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\""), "{rds}");
    assert!(rds.contains("say _no_\",5,0,\"0\",\"M\"\r\n"), "quotes have no form there: {rds}");
    let vics: serde_json::Value = serde_json::from_slice(&fs::read(room.at("set.json")).unwrap()).unwrap();
    assert_eq!(vics["value"].as_array().map(Vec::len), Some(301));
    if !lacks(&[Need::Program("hfind")]) {
        // hfind makes its own indices of these.
        printed(&room, "hfind -i nsrl-md5 NSRLFile.txt; hfind -i encase set.hash; true");
        for n in [3, 250, 300] {
            assert_eq!(finds(&room, "NSRLFile.txt", &digest("md5sum", n)), n < 300, "{n}");
            // Its index of such a set has no room for the header, so that it looks for names in the
            // wrong place; -q asks for none.
            let answer = printed(&room, &format!("hfind -q set.hash {} 2>&1 || true", digest("md5sum", n)));
            assert_eq!(answer.trim_ascii(), if n < 300 { b"1" } else { b"0" }, "{n}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_cannot_be_made_is_refused_or_counted() {
    let room = prepared();
    room.file("sha256", &format!("{}  a\n", "0".repeat(64)));
    let refused = |set: &str, to: &str| ran(&request(&room, set, "out", to)).unwrap_err();
    for (set, to) in [("sets.pfhknown", "rdsv2"), ("sets.pfhknown", "hashdeep")] {
        let error = refused(set, to);
        assert!(matches!(error.find(), Some(Problem::NeedsFiles(_))) && error.kind() == Kind::Request, "{error}");
    }
    let error = refused("files", "idx");
    assert!(matches!(error.find(), Some(Problem::NeedsOrder(_))) && error.kind() == Kind::Request, "{error}");
    let mut notable = request(&room, "sets.pfhknown", "out", "kdb");
    notable.classes = vec!["notable".parse().unwrap()];
    for error in [refused("sha256", "kdb"), ran(&notable).unwrap_err()] {
        assert!(matches!(error.find(), Some(Problem::NothingToExport(_))) && error.kind() == Kind::Input, "{error}");
    }
    assert_eq!(refused("nowhere", "kdb").kind(), Kind::Input);
    assert!("wings".parse::<pfh::known::export::To>().is_err());
    assert!(!room.at("out").exists() && !room.at("out.partial").exists());
    // Lines that are not records, and entries without the needed digest.
    room.file("mixed", &format!("{}  a\n{}  b\nwhat?\n", digest("md5sum", 1), "0".repeat(64)));
    let mut lines = Vec::new();
    let mut take = |event: pfh::known::export::Event<'_>| {
        if let pfh::known::export::Event::Fault { line, .. } = event {
            lines.push(line);
        }
        Ok(())
    };
    let summary = run(&request(&room, "mixed", "mixed.json", "vics"), &mut take, &Control::new()).unwrap();
    let counts = (summary.written, summary.left_out, summary.faults, summary.is_complete());
    assert_eq!((counts, lines), ((1, 1, 1, false), vec![3]));
}
