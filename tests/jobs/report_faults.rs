//! Results that are not understood, do not hold or have not ended: each is a row, and counted.

use crate::room::{Room, missing};
use pfh::job::Kind;
use pfh::report::{self, Event, Request, Summary};
use pfh::{Control, Input, Recurse, hash};
use pfh_inject::content;
use std::fs;

/// The result of a page of the folder `case`, and the remarks on its files, by their names.
fn page(room: &Room, change: impl FnOnce(&mut Request)) -> (Summary, Vec<(String, String)>) {
    let mut request = Request::new([room.at("case")]);
    change(&mut request);
    let start = format!("{}/", room.at("case").display());
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Unknown(fault) | Event::Broken(fault) = event {
            let name = String::from_utf8_lossy(fault.name).into_owned();
            rows.push((name.strip_prefix(&start).map_or(name.clone(), str::to_owned), fault.why.to_owned()));
        }
        Ok(())
    };
    let summary = report::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!(rows.len() as u64, summary.unknown + summary.broken, "{rows:?}");
    (summary, rows)
}

/// A list of the files below `t` in JSON lines.
fn list(room: &Room, output: &str, is_sealed: bool) {
    let input = Input::new([room.at("t")]).recurse(Recurse::Yes);
    let sealing = is_sealed.then(hash::Sealing::default);
    let manifest = hash::Manifest::new(room.at(output)).format("jsonl".parse().unwrap(), Default::default());
    let request = hash::Request::new(input, ["sha256".parse().unwrap()]);
    hash::write(&request, &manifest.seal(sealing), &mut |_| Ok(()), &Control::new()).unwrap();
}

/// Results whose end is missing, types of a later version, files that are not results.
#[test]
fn a_file_that_is_not_understood_is_a_row() {
    let room = Room::new();
    room.file("t/a", "abc");
    fs::create_dir(room.at("case")).unwrap();
    list(&room, "case/whole", false);
    let whole = fs::read_to_string(room.at("case/whole")).unwrap();
    let first = whole.lines().next().unwrap().to_owned() + "\n";
    for (name, content, why) in [
        ("torn", first.clone(), "without its last line"),
        ("later", format!("{whole}{{\"type\":\"prophecy\"}}\n"), "1 line that is not understood: prophecy"),
        ("damaged", format!("{first}{{\"type\":\"file\",\n{}", &whole[first.len()..]), "1 line is not a JSON object"),
        ("notes", "Dear Ada,\nnothing was found.\n".to_owned(), "no list of digests that is known here"),
        ("json", "{\"a\":1}\n".to_owned(), "no line of it is a result"),
        ("nothing", String::new(), "it is empty"),
        ("page.html", "<!DOCTYPE html>\n<p>\n".to_owned(), "a page of another program"),
        ("verdicts.csv", format!("verdict,path,md5\r\nknown-bad,a,{:032}\r\n", 0), "verdicts in it are not read"),
        ("sums", format!("{:032}  a\nwhat?\n", 0), "1 line is not a record"),
    ] {
        let path = room.file(format!("case/{name}"), &content);
        let (summary, rows) = page(&room, |_| {});
        assert!(summary.unknown > 0 && summary.broken == 0, "{name}: {rows:?}");
        assert!(rows.iter().all(|row| row.0 == name) && rows.iter().any(|row| row.1.contains(why)), "{name}: {rows:?}");
        fs::remove_file(path).unwrap();
    }
    let picture = room.file("case/picture", &content(9, 20_000));
    let (_, rows) = page(&room, |_| {});
    assert!(rows.len() == 1 && rows[0].1.contains("no result that is known here"), "{rows:?}");
    fs::remove_file(picture).unwrap();
    let (summary, rows) = page(&room, |_| {});
    assert_eq!((rows, summary.results, summary.records), (vec![], 1, 1));
}

/// Stores are listed and not read; errors of a run are part of its result, and no fault of it.
#[test]
fn a_page_without_a_result_has_none() {
    let room = Room::new();
    room.file("case/table.parquet", b"PAR1 and other bytes, then PAR1");
    assert_eq!(page(&room, |_| {}).0.results, 0);
    room.file("t/a", "abc");
    let paths = Input::new([room.at("t/a"), room.at("t/none")]);
    let manifest = hash::Manifest::new(room.at("case/list")).format("jsonl".parse().unwrap(), Default::default());
    let request = hash::Request::new(paths, ["sha256".parse().unwrap()]);
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    let (summary, rows) = page(&room, |_| {});
    assert_eq!((rows, summary.results, summary.records), (vec![], 1, 2));
    let html = room.at("page");
    report::write(&Request::new([room.at("case/list")]), &html, &mut |_| Ok(()), &Control::new()).unwrap();
    let html = fs::read_to_string(html).unwrap();
    assert!(html.contains(&format!("no digest: open: {}", missing())), "{html}");
}

/// An acquisition with its log and a sealed list.
#[cfg(feature = "image")]
fn case() -> Room {
    let room = Room::new();
    room.file("t/a", "abc");
    room.file("disk", &content(7, 300_000));
    fs::create_dir(room.at("case")).unwrap();
    list(&room, "case/old.jsonl", true);
    let mut request = crate::imaged::asked(&room, "disk", "case/disk.img");
    request.about.examiner = "Ada".into();
    crate::imaged::acquire(&request);
    room
}

#[cfg(feature = "image")]
#[test]
fn a_chain_or_a_seal_that_does_not_hold_is_a_row() {
    let room = case();
    let (summary, rows) = page(&room, |_| {});
    assert_eq!((summary.broken, summary.holding, rows), (0, 2, vec![]));
    for (name, from, to, row, why) in [
        ("disk.img.log.jsonl", "\"examiner\":\"Ada\"", "\"examiner\":\"Mallory\"", "disk.img.log.jsonl", "line 1"),
        ("old.jsonl", "\"size\":3", "\"size\":4", "old.jsonl.seal", ""),
    ] {
        let path = room.at(format!("case/{name}"));
        let whole = fs::read_to_string(&path).unwrap();
        let changed = whole.replace(from, to);
        assert_ne!(changed, whole);
        fs::write(&path, changed).unwrap();
        let (summary, rows) = page(&room, |_| {});
        assert_eq!((summary.broken, summary.holding), (1, 1), "{rows:?}");
        assert!(rows.iter().any(|(name, said)| name == row && said.contains(why)), "{rows:?}");
        let html = room.at("page");
        let mut request = Request::new([room.at("case")]);
        request.replace = true;
        report::write(&request, &html, &mut |_| Ok(()), &Control::new()).unwrap();
        assert!(!fs::read_to_string(html).unwrap().contains("Mallory"));
        fs::write(path, whole).unwrap();
    }
}

#[cfg(feature = "image")]
#[test]
fn keys_are_asked_of_seals_and_logs() {
    let room = case();
    crate::imaged::keys(&room);
    let mut request = Request::new([room.at("case")]);
    request.key = Some(room.at("case/old.jsonl"));
    let no_key = report::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert_eq!(no_key.kind(), Kind::Request);
    // Neither is signed: that differs from nothing.
    let (summary, rows) = page(&room, |request| request.key = Some(room.at("k.pub")));
    assert_eq!(summary.broken, 0, "{rows:?}");
    for text in ["the seal is not signed by this key", "no log here is signed by that key"] {
        assert!(rows.iter().any(|(_, why)| why.contains(text)), "{text}: {rows:?}");
    }
}
