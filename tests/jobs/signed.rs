//! Signatures are of the bytes that were seen: the attacks that TUF's list has (rollback, freeze,
//! mix and match, swap, another key, a weak key, the wrong file under a right signature, a cut
//! chain) against each signed thing.

use crate::check::{Ended, run};
use crate::imaged::{PRIVATE, acquire, asked, findings, keys, refused, verify};
use crate::room::Room;
use pfh::Control;
use pfh::acquire::LogError;
use pfh::check::{self, Event, Request, Verdict};
use pfh::hash::{self, Manifest, Sealing};
use pfh::job::Kind;
use pfh::seal::{Seal, beside};
use pfh::{Input, verify};
use std::fs;
use std::path::{Path, PathBuf};

/// The public key of RFC 8032, 7.1, test 1.
const OTHER: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
/// A list and its seal of pfh 0.1.0, signed with the key of RFC 8410, 10.3.
const FIRST: [&str; 2] = [
    "900150983cd24fb0d6963f7d28e17f72  a\nd41d8cd98f00b204e9800998ecf8427e  b\n",
    "{\"hash\":\"sha256\",\"public_key\":\"19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1\",\"records\":2,\"root\":\"1ed7b43f5c6d12b2475bae0c4b1ac61a61935b7f5144565171bd368fd34268e7\",\"signature\":\"bc5f5ecccb6b363991065b3b83bc312eaf6c52285fa379285c86c80759c26fe8b24f5c90c3ee62f7c33b4ab2d9cc25e0cc6a9d18a0a1e2c5731d28436f606005\",\"type\":\"seal\",\"version\":1}\n",
];

/// A list of the files of `d`, signed with `k.pem`, in this format.
fn sealed(room: &Room, list: &str, format: &str) -> PathBuf {
    keys(room);
    let input = Input::new([room.at("d")]).recurse(pfh::Recurse::Yes);
    let request = hash::Request::new(input, vec!["sha256".parse().unwrap()]).replace(true);
    let seal = Sealing { key: Some(room.at("k.pem")), ..Sealing::default() };
    let manifest = Manifest::new(room.at(list)).format(format.parse().unwrap(), Default::default()).seal(Some(seal));
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    room.at(list)
}

/// How a check of this list under the key ends: a verdict, or the kind of its error.
fn judged(room: &Room, request: Request) -> Result<Verdict, (Kind, String)> {
    let request = request.key(Some(room.at("k.pub")));
    run(&request).0.map(|summary| summary.conclusion()).map_err(|error| (error.kind(), error.to_string()))
}

fn held(request: &Request) -> String {
    let mut said = String::new();
    let mut take = |event: Event<'_>| {
        if let Event::Sealed(held) = event {
            said = held.to_string();
        }
        Ok(())
    };
    check::run(request, &mut take, &Control::new()).unwrap();
    said
}

#[test]
fn every_attack_on_a_sealed_list_is_found() {
    let room = Room::new();
    room.file("d/a", "one");
    for format in ["sums", "bsd", "hashdeep", "jsonl", "dfxml", "csv"] {
        let list = sealed(&room, "l", format);
        let (first, first_seal) = (fs::read(&list).unwrap(), fs::read(beside(&list)).unwrap());
        room.file("kept.seal", &first_seal);
        room.file("d/b", "two");
        sealed(&room, "l", format);
        let (second, second_seal) = (fs::read(&list).unwrap(), fs::read(beside(&list)).unwrap());
        let newest = room.at(format!("seen-{format}"));
        let asked = || Request::new(&list).after(Some(room.at("kept.seal"))).newest(Some(newest.clone()));
        assert_eq!(judged(&room, asked()), Ok(Verdict::Verified), "{format}");
        // Rollback: the older list with its own seal, to one who knows the newer one.
        room.file("newer.seal", &second_seal);
        fs::write(&list, &first).unwrap();
        fs::write(beside(&list), &first_seal).unwrap();
        for known in [Request::new(&list).after(Some(room.at("newer.seal"))), Request::new(&list).newest(Some(newest))]
        {
            let found = judged(&room, known);
            assert!(matches!(&found, Err((Kind::Negative, why)) if why.contains("older")), "{format}: {found:?}");
        }
        // Mix and match: the newer list under the older seal, and the other way round.
        for (bytes, seal) in [(&second, &first_seal), (&first, &second_seal)] {
            fs::write(&list, bytes).unwrap();
            fs::write(beside(&list), seal).unwrap();
            assert!(matches!(judged(&room, Request::new(&list)), Err((Kind::Negative, _))), "{format}");
        }
        // The wrong file under a right signature: a seal of another row.
        fs::write(&list, &second).unwrap();
        fs::write(beside(&list), &second_seal).unwrap();
        fs::remove_file(room.at("d/b")).unwrap();
        let other = sealed(&room, "other", format);
        fs::copy(beside(&other), room.at("stranger.seal")).unwrap();
        let found = judged(&room, Request::new(&list).after(Some(room.at("stranger.seal"))));
        assert!(matches!(&found, Err((Kind::Negative, why)) if why.contains("another row")), "{format}: {found:?}");
        // A seal that was taken away is missed, with a key and without.
        fs::remove_file(beside(&list)).unwrap();
        for known in [None, Some(room.at("kept.seal"))] {
            let found = judged(&room, Request::new(&list).after(known));
            assert!(matches!(found, Err((Kind::Input, _))), "{format}: {found:?}");
        }
        for name in ["l", "other", "other.seal"] {
            fs::remove_file(room.at(name)).unwrap();
        }
    }
}

/// Each fact of a seal is signed: a seal in which one is another has a wrong signature.
#[test]
fn every_fact_of_a_seal_is_signed() {
    let room = Room::new();
    room.file("d/a", "one");
    let list = sealed(&room, "l", "jsonl");
    sealed(&room, "l", "jsonl");
    let whole = Seal::decode(&fs::read_to_string(beside(&list)).unwrap()).unwrap();
    type Change = fn(&mut Seal);
    let changes: [(&str, Change); 11] = [
        ("records", |seal| seal.records += 1),
        ("root", |seal| seal.root[0] ^= 1),
        ("defaults", |seal| seal.defaults = Some("x".into())),
        ("order", |seal| seal.list.as_mut().unwrap().order[0] ^= 1),
        ("base", |seal| seal.list.as_mut().unwrap().base = Some(b"/x".to_vec())),
        ("algorithms", |seal| seal.list.as_mut().unwrap().algorithms = vec!["md5".into()]),
        ("name", |seal| seal.making.as_mut().unwrap().name = b"x".to_vec()),
        ("place", |seal| seal.making.as_mut().unwrap().place = b"/x".to_vec()),
        ("time", |seal| seal.making.as_mut().unwrap().time = "1970-01-01T00:00:00Z".into()),
        ("serial", |seal| seal.making.as_mut().unwrap().serial += 1),
        ("after", |seal| seal.making.as_mut().unwrap().after = None),
    ];
    assert_eq!(whole.making.as_ref().unwrap().serial, 2, "it follows the first");
    for (what, change) in changes {
        let mut seal = whole.clone();
        change(&mut seal);
        assert_ne!(seal, whole, "{what}");
        fs::write(beside(&list), seal.encode()).unwrap();
        let found = judged(&room, Request::new(&list));
        assert!(matches!(&found, Err((Kind::Negative, why)) if why.contains("signature")), "{what}: {found:?}");
    }
    let twice = whole.encode().replacen('{', "{\"records\":9,", 1);
    fs::write(beside(&list), twice).unwrap();
    assert!(matches!(judged(&room, Request::new(&list)), Err((Kind::Negative, why)) if why.contains("twice")));
}

/// The facts of the list that a verdict relies on are compared with the sealed ones.
#[test]
fn base_and_order_are_sealed() {
    let room = Room::new();
    room.file("d/a", "one");
    room.file("d/b", "two");
    let list = sealed(&room, "l", "jsonl");
    let whole = fs::read_to_string(&list).unwrap();
    let based = format!("{{\"type\":\"base\",\"path\":\"{}\"}}\n{whole}", room.at("copy").display());
    let mut lines: Vec<&str> = whole.split_inclusive('\n').collect();
    lines.swap(0, 1);
    for (text, word) in [(based, "directory"), (lines.concat(), "order")] {
        assert_ne!(text, whole);
        fs::write(&list, &text).unwrap();
        let found = judged(&room, Request::new(&list));
        assert!(matches!(&found, Err((Kind::Negative, why)) if why.contains(word)), "{word}: {found:?}");
    }
}

/// Seals of pfh 0.1.0 hold, and say what they do not cover.
#[test]
fn seals_of_the_first_version_hold() {
    let room = Room::new();
    keys(&room);
    room.file("a", "abc");
    room.file("b", "");
    let list = room.file("l", FIRST[0]);
    room.file("l.seal", FIRST[1]);
    let request = Request::new(&list).root(room.path()).key(Some(room.at("k.pub")));
    assert_eq!(Ended::of(&request).conclusion(), Verdict::Verified);
    assert!(held(&request).contains("version 1: order, algorithms"), "{}", held(&request));
    // Nothing says which of two came first, and only the same one is the same.
    assert_eq!(judged(&room, request.clone().after(Some(room.at("l.seal")))), Ok(Verdict::Verified));
    room.file("l", &FIRST[0].replace("  b", "  c"));
    assert!(matches!(judged(&room, request.clone()), Err((Kind::Negative, _))));
    room.file("l.seal", &FIRST[1].replace("\"records\":2", "\"records\":3"));
    assert!(matches!(judged(&room, request), Err((Kind::Negative, _))));
}

/// Between the reading that is verified and the one that is compared there is none.
#[cfg(unix)]
#[test]
fn a_sealed_list_is_opened_once() {
    let room = Room::new();
    room.file("d/a", "one");
    let list = sealed(&room, "l", "sums");
    let signed = fs::read(&list).unwrap();
    fs::remove_file(&list).unwrap();
    room.file("d/a", "two");
    let digest = |text: &str| pfh::sha256(text).to_string();
    let forged = String::from_utf8(signed.clone()).unwrap().replace(&digest("one"), &digest("two"));
    room.sh("mkfifo l");
    // The first opening finds the signed list, each other one a list that fits the changed file.
    let path = list.clone();
    std::thread::spawn(move || {
        for text in [&signed[..]].into_iter().chain(std::iter::repeat(forged.as_bytes())) {
            if fs::write(&path, text).is_err() {
                return;
            }
            // The reader of the one text must not meet the next one.
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
    });
    assert_eq!(judged(&room, Request::new(&list)), Ok(Verdict::Differs));
}

/// The seal of a list is made of the bytes that were written, even if others lie under its name.
#[cfg(unix)]
#[test]
fn a_seal_is_of_the_records_as_they_were_written() {
    let room = Room::new();
    room.file("d/a", "one");
    room.sh("mkfifo l");
    let (path, copy) = (room.at("l"), room.at("copy"));
    let reader = std::thread::spawn(move || fs::write(copy, fs::read(path).unwrap()).unwrap());
    sealed(&room, "l", "jsonl");
    reader.join().unwrap();
    // No second opening of the name could have read it: it is a pipe that nobody writes to.
    fs::rename(room.at("l.seal"), room.at("copy.seal")).unwrap();
    assert_eq!(judged(&room, Request::new(room.at("copy"))), Ok(Verdict::Verified));
}

/// The verdict on an image by the log that lies beside it, under the key.
fn by_key(room: &Room, image: &str) -> (verify::Verdict, String) {
    let mut request = verify::Request::image(room.at(image));
    request.key = Some(room.at("k.pub"));
    let found = verify(&request);
    (found.verdict(), findings(&found))
}

/// An acquisition in a case, signed.
fn acquired(room: &Room, source: &str, image: &str, case: &str) {
    let mut request = asked(room, source, image);
    request.key = Some(room.at("k.pem"));
    request.about.case_number = case.into();
    request.about.examiner = "Ann".into();
    acquire(&request);
}

#[test]
fn the_log_of_another_image_proves_nothing_here() {
    let room = Room::new();
    keys(&room);
    room.file("s1", &vec![1; 4096]);
    room.file("s2", &vec![2; 4096]);
    acquired(&room, "s1", "c1.dd", "case 1");
    acquired(&room, "s2", "c2.dd", "case 2");
    let (verdict, said) = by_key(&room, "c1.dd");
    assert_eq!(verdict, verify::Verdict::Verified, "{said}");
    assert!(["case 1", "s1", "c1.dd"].iter().all(|fact| said.contains(fact)), "{said}");
    // Replay: image and logs of the other case under the names of this one.
    for end in ["", ".log", ".log.jsonl", ".map"] {
        let _ = fs::copy(room.at(format!("c2.dd{end}")), room.at(format!("c1.dd{end}")));
    }
    let (verdict, said) = by_key(&room, "c1.dd");
    assert_eq!(verdict, verify::Verdict::NothingToCompareWith, "{said}");
    assert!(said.contains("another image's log") && said.contains("case 2"), "{said}");
}

/// The log for people is hashed as it is written.
#[test]
fn a_log_for_people_that_is_forged_meanwhile_is_not_signed() {
    let room = Room::new();
    keys(&room);
    room.file("s", &vec![3; 1 << 20]);
    for image in ["a.dd", "b.dd"] {
        let mut request = asked(&room, "s", image);
        request.key = Some(room.at("k.pem"));
        request.about.examiner = "Ann".into();
        let log = room.at(format!("{image}.log"));
        let mut forge = |event: pfh::acquire::Event<'_>| {
            if matches!(event, pfh::acquire::Event::Started(_)) {
                let text = fs::read_to_string(&log).unwrap();
                match image {
                    "a.dd" => write_over(&log, &text.replace("Ann", "Eve")),
                    _ => fs::write(&log, text + "one more line\n").unwrap(),
                }
            }
            Ok(())
        };
        pfh::acquire::run(&request, &mut forge, &Control::new()).unwrap();
        let (verdict, said) = by_key(&room, image);
        assert_eq!(verdict, verify::Verdict::Differs, "{said}");
        assert!(said.contains("the log for people differs"), "{said}");
    }
}

/// Writes over the bytes of a file, and leaves it the same file.
fn write_over(path: &Path, text: &str) {
    use std::io::Write;
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Between two runs as well: a text that is not the one that was written is not continued.
#[test]
fn a_log_for_people_that_was_forged_is_not_continued() {
    let room = Room::new();
    keys(&room);
    room.file("s", &vec![4; 1 << 20]);
    let mut request = asked(&room, "s", "a.dd");
    request.key = Some(room.at("k.pem"));
    request.about.examiner = "Ann".into();
    // Stops when everything is read, and leaves a log without an end.
    let mut stop = |event: pfh::acquire::Event<'_>| match event {
        pfh::acquire::Event::Checkpoint { .. } => Err(std::io::Error::other("stop")),
        _ => Ok(()),
    };
    let _ = pfh::acquire::run(&request, &mut stop, &Control::new());
    let log = room.at("a.dd.log");
    let whole = fs::read_to_string(&log).unwrap();
    if fs::read_to_string(room.at("a.dd.log.jsonl")).unwrap().contains("\"kind\":\"end\"") {
        return;
    }
    fs::write(&log, whole.replace("Ann", "Eve")).unwrap();
    let error = refused(&request);
    assert!(matches!(error.find(), Some(LogError::Changed { .. })), "{error}");
    fs::write(&log, &whole).unwrap();
    acquire(&request);
    assert_eq!(by_key(&room, "a.dd").0, verify::Verdict::Verified);
}

/// A key under which signatures fit every message is refused, for a log, a seal or an audit.
#[test]
fn weak_and_other_keys_are_refused() {
    let room = Room::new();
    keys(&room);
    room.file("d/a", "one");
    room.file("s", &vec![5; 4096]);
    acquired(&room, "s", "a.dd", "case");
    let list = sealed(&room, "l", "sums");
    let weak = format!("01{}", "0".repeat(62));
    room.file("k.pub", &weak);
    assert!(matches!(judged(&room, Request::new(&list)), Err((Kind::Request, why)) if why.contains("weak")));
    let mut request = verify::Request::image(room.at("a.dd"));
    request.key = Some(room.at("k.pub"));
    let error = verify::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(error.to_string().contains("weak"), "{error}");
    room.file("k.pub", OTHER);
    assert!(matches!(judged(&room, Request::new(&list)), Err((Kind::Negative, _))));
    assert_eq!(by_key(&room, "a.dd").0, verify::Verdict::Differs);
    assert!(PRIVATE.contains("PRIVATE"));
}
