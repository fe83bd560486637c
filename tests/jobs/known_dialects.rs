//! Lists of others are the same to all: `check` verifies a file by them, `match` knows it, `known`
//! takes them.

use crate::check::{Ended, of};
use crate::known_files::{Answered, against, built};
use crate::room::Room;
use crate::rows::{algorithms, list, printed};
use pfh::check::{FileOutcome, Findings, Request, Task, Verdict};
use pfh::job::{Error, Kind};
use pfh::known::{self, Class, KnownStatus, build};
use pfh_inject::{Need, lacks};
use std::fs;

fn digest(algorithm: &str, content: &str) -> String {
    algorithms(algorithm)[0].digest(content.as_bytes()).to_string()
}

const A: &str = "content of a\n";
const B: &str = "content of b\n";

fn files() -> Room {
    let room = Room::new();
    room.file("d/a", A);
    room.file("d/b", B);
    room
}

#[test]
fn check_and_match_read_the_same_dialects() {
    let room = files();
    let of_a = |algorithm: &str| digest(algorithm, A);
    let (md5, sha256, blake3) = (of_a("md5"), of_a("sha256"), of_a("blake3"));
    let hashes = format!(r#""hashes":[{{"alg":"SHA-256","content":"{sha256}"}}]"#);
    for (name, list) in [
        ("sums", format!("{sha256}  d/a\n")),
        ("B3SUMS", format!("{blake3}  d/a\n")),
        ("x.sha3-256", format!("{}  d/a\n", of_a("sha3-256"))),
        ("padded", format!("MD5   (d/a) = {md5}\nSHA1  (d/a) = {}\n", of_a("sha1"))),
        ("oci", format!("sha256:{sha256}  d/a\n")),
        ("sm3", format!("SM3 (d/a) = {}\n", of_a("sm3"))),
        ("short", format!("BLAKE2b-256 (d/a) = {}\n", of_a("blake2b-256"))),
        ("ps", format!("Algorithm : SHA256\nHash : {sha256}\nPath : d\\a\n")),
        ("table", format!("\"path\";\"MD5\"\n\"d/a\";\"{md5}\"\n")),
        ("lsjson", format!(r#"[{{"Path":"d/a","IsDir":false,"Size":13,"Hashes":{{"sha256":"{sha256}"}}}}]"#)),
        ("ocfl", format!(r#"{{"digestAlgorithm":"sha256","manifest":{{"{sha256}":["d/a"]}},"versions":{{}}}}"#)),
        ("bom", format!(r#"{{"bomFormat":"CycloneDX","components":[{{"type":"file","name":"d/a",{hashes}}}]}}"#)),
        ("feed", format!("{{\"filename\":\"d/a\",\"md5\":\"{md5}\"}}\n")),
    ] {
        room.file(name, &list);
        let ended = of(&room, name);
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, vec!["d/a"]), "{name}");
        let answered = Answered::of(&against(&room, &[name], &["d"]));
        assert_eq!(
            (answered.names("known"), answered.names("unknown")),
            (vec!["a"], vec!["b"]),
            "{name}: {:?}",
            answered.gaps
        );
        let request = build::Request::new(room.at("set.pfhknown")).set(room.at(name), Class::Good);
        assert!(built(&request).0.unwrap().is_complete(), "{name}");
        // And a wrong file is wrong by each of them.
        room.file("d/a", "content of z\n");
        assert_eq!(of(&room, name).names(FileOutcome::Wrong), ["d/a"], "{name}");
        room.file("d/a", A);
    }
}

/// JSON entries that nobody can compare are named, and in the verdict.
#[test]
fn json_of_others_is_not_passed_over() {
    let room = files();
    let sha256 = digest("sha256", A);
    let record = format!(r#"{{"path":"d/a","sha256":"{sha256}"}}"#);
    let library = format!(r#"{{"type":"library","name":"b","hashes":[{{"alg":"SHA-256","content":"{sha256}"}}]}}"#);
    for (list, word) in [
        (format!(r#"[{record},{{"path":"d/b"}}]"#), "1 file has no digest: d/b"),
        (format!(r#"[{record},{{"path":"d/b","hashes":{{"snefru":"00"}}}}]"#), "1 line of snefru not verified"),
        (format!(r#"[{record},{library}]"#), "1 record of a component"),
        (format!("{record}\n{{\"path\":\"d/b\","), "1 line is improperly formatted"),
    ] {
        room.file("list", &list);
        let ended = of(&room, "list");
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Incomplete, vec!["d/a"]), "{list}");
        assert!(ended.files.len() == 1 && ended.not_compared().contains(word), "{list}: {}", ended.not_compared());
    }
    room.file("list", "{\"title\":\"no list\"}");
    assert_eq!(of(&room, "list").conclusion(), Verdict::NothingToCompareWith);
}

/// Two lists and a hidden file in a directory, one of them deeper.
fn lists() -> Room {
    let room = files();
    room.file("lists/deep/one.md5", &format!("{}  x\n", digest("md5", A)));
    room.file("lists/two.sha256", &format!("{}  y\n", digest("sha256", B)));
    room.file("lists/.hidden", "no list\n");
    room
}

#[test]
fn a_directory_of_lists_as_known_sets() {
    let room = lists();
    for sets in [&["lists"][..], &["lists/deep", "lists/two.sha256"]] {
        let answered = Answered::of(&against(&room, sets, &["d"]));
        assert_eq!((answered.names("known"), answered.gaps.len()), (vec!["a", "b"], 0), "{sets:?}");
    }
    fs::create_dir(room.at("none")).unwrap();
    let error = Answered::try_of(&against(&room, &["none"], &["d"])).unwrap_err();
    assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.at("none"))), "{error}");
    // A list without a digest is named, and in the verdict.
    room.file("lists/rubbish", "no list at all\n");
    let request = against(&room, &["lists"], &["d"]);
    let answered = Answered::of(&request);
    assert_eq!((answered.names("known"), answered.conclusion(&request, &[])), (vec!["a", "b"], Verdict::Incomplete));
    assert!(answered.gaps.iter().any(|gap| gap.contains("lists/rubbish")), "{:?}", answered.gaps);
}

/// A build takes a directory of lists as well, each a set of its own; its output is none of them,
/// nor of its inputs.
#[test]
fn a_directory_of_lists_becomes_one_set() {
    let room = lists();
    let request = |to: &str| build::Request::new(room.at(to)).set(room.at("lists"), Class::Bad);
    let summary = built(&request("all")).0.unwrap();
    assert_eq!((summary.sets.len(), summary.is_complete()), (2, true));
    let asked = against(&room, &["all"], &["d"]);
    let answered = Answered::of(&asked);
    let row = |name: &str, set: &str| (name.to_owned(), "known-bad", vec![set.to_owned()]);
    assert_eq!(answered.rows, [row("a", "one"), row("b", "two")]);
    assert_eq!(answered.conclusion(&asked, &[KnownStatus::KnownBad]), Verdict::Differs);
    let before = crate::room::names(&room.at("lists"));
    fs::hard_link(room.at("lists/two.sha256"), room.at("twin")).unwrap();
    fs::create_dir(room.at("none")).unwrap();
    let mut work = request("other");
    work.work = room.at("lists/work");
    for within in [request("lists/all"), request("lists/deep/all"), work] {
        let error = built(&within).0.unwrap_err();
        assert!(matches!(error.find(), Some(known::Problem::Within(..))), "{error}");
        assert_eq!(error.kind(), Kind::Request);
    }
    let mut twin = request("twin");
    twin.replace = true;
    assert!(matches!(built(&twin).0.unwrap_err(), Error::Refused(_)));
    let mut export =
        known::export::Request::new(room.at("lists/two.sha256"), room.at("twin"), "hashdeep".parse().unwrap());
    export.replace = true;
    let error = known::export::run(&export, &mut |_| Ok(()), &pfh::Control::new()).unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
    let none = build::Request::new(room.at("other")).set(room.at("none"), Class::Bad);
    let error = built(&none).0.unwrap_err();
    assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.at("none"))), "{error}");
    assert_eq!(crate::room::names(&room.at("lists")), before);
    assert!(!room.at("other").exists());
    // A list without a digest is named, and in the verdict, as everywhere.
    room.file("lists/rubbish", "no list at all\n");
    let summary = built(&request("other")).0.unwrap();
    let empty: Vec<&str> = summary.empty().map(|set| &*set.name).collect();
    assert_eq!((summary.is_complete(), empty), (false, vec!["rubbish"]));
}

#[test]
fn an_audit_of_several_manifests() {
    let room = files();
    room.file("one", &format!("{}  d/a\n", digest("md5", A)));
    room.file("two", &format!("{}  d/b\n", digest("sha256", B)));
    // Both lists of one file: their digests add up; if they contradict each other, none is right.
    room.file("more", &format!("{}  ./d/a\n", digest("sha256", A)));
    room.file("wrong", &format!("{}  d/a\n", digest("md5", B)));
    let request = |lists: &[&str]| {
        let task = Task::Audit { below: vec![room.at("d").into()], follow: false };
        Request::all(lists.iter().map(|list| room.at(list))).root(room.path()).task(task)
    };
    let audit = |lists: &[&str]| {
        let mut classes = Vec::new();
        let mut take = |event: pfh::check::Event<'_>| {
            if let pfh::check::Event::Classed(change) = event {
                classes.push(format!("{} {}", change.class.name(), String::from_utf8_lossy(&change.name)));
            }
            Ok(())
        };
        let summary = pfh::check::run(&request(lists), &mut take, &pfh::Control::new()).unwrap();
        assert_eq!((summary.parts.len(), summary.parts[0].manifests.len()), (1, lists.len()));
        assert!(matches!(summary.parts[0].findings, Findings::Audit(_)));
        classes.sort();
        (summary.conclusion(), summary.verified(), classes)
    };
    let matched = vec!["matched d/a".to_owned(), "matched d/b".to_owned()];
    assert_eq!(audit(&["one", "two"]), (Verdict::Verified, 2, matched.clone()));
    // One of them alone leaves the other's file as new.
    assert_eq!(audit(&["one"]), (Verdict::Differs, 1, vec!["matched d/a".into(), "new d/b".into()]));
    assert_eq!(audit(&["one", "two", "more"]), (Verdict::Verified, 2, matched));
    let (verdict, _, classes) = audit(&["one", "two", "wrong"]);
    assert!(verdict == Verdict::Differs && !classes.contains(&"matched d/a".to_owned()), "{classes:?}");
    // A manifest that cannot be read ends it.
    let error = crate::check::run(&request(&["one", "none"])).0.unwrap_err();
    assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.at("none"))));
}

#[test]
fn rhash_lists_with_all_its_algorithms() {
    if lacks(&[Need::Program("rhash")]) {
        return;
    }
    let room = files();
    room.file("list", &printed(&room, "rhash --bsd -a d/a"));
    let ended = of(&room, "list");
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Incomplete, vec!["d/a"]));
    let said = ended.not_compared();
    let missing: Vec<&str> = said.lines().filter(|line| line.contains("not verified")).collect();
    let absent = ["BTIH", "HAS-160", "EDON-R256", "EDON-R512", "SNEFRU-128", "SNEFRU-256"];
    let is_named = |name: &&str| missing.iter().any(|line| line.contains(&format!("1 line of {name} not")));
    assert!(absent.iter().all(is_named) && missing.len() == absent.len(), "{said}");
    // Ours are verified by it.
    for by in ["tth", "aich", "ed2k", "md4", "tiger", "whirlpool", "streebog-256", "streebog-512", "crc32c"] {
        list(&room, "ours", by, "bsd", &["d"]);
        let theirs = String::from_utf8(printed(&room, "rhash -c ours")).unwrap();
        assert!(theirs.contains("Everything OK"), "{by}: {theirs}");
    }
    assert_eq!(Ended::of(&Request::new(room.at("ours"))).conclusion(), Verdict::Verified);
}
