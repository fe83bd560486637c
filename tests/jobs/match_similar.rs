//! Files against a list of similarity digests, through an index or one by one.

use crate::room::Room;
use crate::rows::{below, input, list};
use pfh::job::{Error, Kind};
use pfh::matching::similar::{Event, Matches, Problem, Request, Summary, run, write};
use pfh::similarity::Degenerate;
use pfh::{Control, Input, Verdict, compare, hash};
use pfh_inject::{Need, lacks, random};
use std::fs;
use std::process::Command;

/// Names of a file and a known one, and how alike they are.
type Row = (String, String, u32);

fn ran(room: &Room, request: &Request) -> (Result<Summary, Error>, Vec<Row>) {
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Match(found) = event {
            rows.push((below(room, found.name), below(room, found.known), found.score.number()));
        }
        Ok(())
    };
    (run(request, &mut take, &Control::new()), rows)
}

fn rows(room: &Room, known: &str, files: &[&str]) -> (Summary, Vec<Row>) {
    let (ran, rows) = ran(room, &Request::new(input(room, files), room.at(known)));
    (ran.unwrap(), rows)
}

/// Ten known files, and some to look up: one as it was, one changed, one unknown, a short one.
fn files() -> Room {
    let room = Room::new();
    (0..10).for_each(|n| drop(room.file(format!("known/{n}"), &random(n, 30_000))));
    let mut changed = random(3, 30_000);
    changed.truncate(29_500);
    changed[9000] ^= 1;
    room.file("new/changed", &changed);
    room.file("new/same", &random(5, 30_000));
    room.file("new/unknown", &random(99, 30_000));
    room.file("new/short", "short");
    room
}

#[cfg(unix)]
#[test]
fn each_algorithm_finds_its_own() {
    let room = files();
    for (by, format) in
        [("ssdeep", "ssdeep"), ("sdhash", "sdbf"), ("mrsh-v2", "mrsh"), ("tlsh", "sums"), ("sha256", "sums")]
    {
        list(&room, "list", by, format, &["known"]);
        let (summary, found) = rows(&room, "list", &["new"]);
        let names: Vec<(&str, &str)> = found.iter().map(|(file, known, _)| (&**file, &**known)).collect();
        let same = ("new/same", "known/5");
        let expected = if by == "sha256" { vec![same] } else { vec![("new/changed", "known/3"), same] };
        assert_eq!((names, summary.conclusion()), (expected, Verdict::Verified), "{by}");
        assert_eq!(found.last().unwrap().2, if by == "tlsh" { 0 } else { 100 }, "{by}");
        let (summary, found) = rows(&room, "list", &["new/unknown"]);
        assert_eq!((summary.conclusion(), found.len()), (Verdict::Differs, 0), "{by}");
    }
}

/// The bytes that a file shares with a known one are in the row.
#[test]
fn shared_bytes_are_in_the_row() {
    let room = files();
    let whole = fs::read(room.at("known/3")).unwrap();
    room.file("new/part", &whole[5_000..15_000]);
    list(&room, "list", "shingles", "sums", &["known"]);
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Match(one) = event {
            found.push((one.score.number(), one.evidence));
        }
        Ok(())
    };
    run(&Request::new(input(&room, &["new/part"]), room.at("list")), &mut take, &Control::new()).unwrap();
    let [(100, evidence)] = found[..] else { panic!("{found:?}") };
    let [in_known, of_known] = evidence.contained.unwrap();
    assert!(in_known == 100 && (20..50).contains(&of_known), "{evidence:?}");
    assert!(evidence.shared_bytes.unwrap().abs_diff(10_000) < 3_000, "{evidence:?}");
}

#[test]
fn an_index_finds_what_its_list_does() {
    let room = files();
    list(&room, "list", "ssdeep", "ssdeep", &["known"]);
    let all = ["new/changed", "new/same", "new/short", "new/unknown"];
    let (_, ours) = rows(&room, "list", &all);
    assert_eq!(ours.len(), 2);
    let made = run(
        &Request::new(Input::default(), room.at("list")).write_index(room.at("index")),
        &mut |_| Ok(()),
        &Control::new(),
    );
    let made = made.unwrap();
    assert_eq!((made.conclusion(), made.run.is_none(), made.matches), (Verdict::Verified, true, 0));
    assert_eq!(rows(&room, "index", &all).1, ours);
    // One that is cut, and one of the form before, are damaged and out of date.
    let index = fs::read(room.at("index")).unwrap();
    room.file("cut", &index[..200]);
    room.file("old", &[b"pfhsim1\n", &index[8..]].concat());
    for (name, word) in [("cut", "damaged"), ("old", "make it again from its list")] {
        let (ran, found) = ran(&room, &Request::new(input(&room, &["new/same"]), room.at(name)));
        let error = ran.unwrap_err();
        assert!(error.kind() == Kind::Input && error.to_string().contains(word) && found.is_empty(), "{error}");
    }
    if lacks(&[Need::Program("ssdeep")]) {
        return;
    }
    let files: Vec<_> = all.iter().map(|name| room.at(name)).collect();
    let request = Request::new(Input::new(&files), room.at("list"));
    write(&request, &Matches::new(room.at("ours")), &mut |_| Ok(()), &Control::new()).unwrap();
    let theirs = Command::new("ssdeep").arg("-m").arg(room.at("list")).args(&files).output().unwrap();
    assert_eq!(fs::read_to_string(room.at("ours")).unwrap(), String::from_utf8(theirs.stdout).unwrap());
}

/// The same of TLSH, at any distance; and files are compared with the digests of an index.
#[test]
fn an_index_of_tlsh_finds_what_its_list_does() {
    let room = files();
    list(&room, "list", "tlsh", "sums", &["known"]);
    let write = Request::new(Input::default(), room.at("list")).write_index(room.at("index"));
    run(&write, &mut |_| Ok(()), &Control::new()).unwrap();
    let all = ["new/changed", "new/same", "new/short", "new/unknown"];
    for (most, least) in [(0, 1), (60, 2), (1000, 30)] {
        let found = |list: &str| {
            let mut request = Request::new(input(&room, &all), room.at(list));
            request.thresholds = compare::Thresholds::one(Some(most));
            let (summary, found) = ran(&room, &request);
            (summary.unwrap().matches, found)
        };
        let (matches, rows) = found("index");
        assert_eq!((matches, &rows), (found("list").0, &found("list").1));
        assert!(rows.len() >= least, "{most}: {rows:?}");
    }
    let pairs = |against: &str| {
        let mut request = pfh::compare::Request::new(input(&room, &["new"]));
        request.against = vec![room.at(against).into()];
        crate::compare::good(&request).1.pairs
    };
    assert_eq!(pairs("index"), pairs("list"));
}

/// The same of shingles, with any memory; and of one that was changed.
#[test]
fn an_index_of_shingles_finds_what_each_comparison_does() {
    let room = files();
    let whole = fs::read(room.at("known/3")).unwrap();
    for (name, at) in [("new/start", 0..9_000), ("new/part", 5_001..15_000), ("new/few", 7_000..7_400)] {
        room.file(name, &whole[at]);
    }
    list(&room, "list", "shingles", "sums", &["known"]);
    let digest = |name: &str| pfh::hash_file(room.at(name), "shingles").unwrap();
    let of = |digest: &pfh::Digest| -> Option<pfh::similarity::shingles::Digest> { digest.to_string().parse().ok() };
    let known: Vec<_> = crate::room::names(&room.at("known"))
        .into_iter()
        .filter_map(|name| {
            let name = format!("known/{name}");
            of(&digest(&name)).map(|digest| (name, digest))
        })
        .collect();
    let news: Vec<String> = crate::room::names(&room.at("new")).into_iter().map(|name| format!("new/{name}")).collect();
    let all: Vec<&str> = news.iter().map(String::as_str).collect();
    let mut expected = Vec::new();
    for name in &all {
        let Some(own) = of(&digest(name)) else { continue };
        for (other, of) in &known {
            let compared = pfh::similarity::Method::compare(&pfh::similarity::shingles::Shingles, &own, of);
            if compared.score.number() >= 3 {
                expected.push(((*name).to_owned(), other.clone(), compared.score.number()));
            }
        }
    }
    assert!(expected.len() >= 5, "{expected:?}");
    let request = Request::new(Input::default(), room.at("list")).write_index(room.at("index"));
    for memory in [0, 64 << 20] {
        let mut request = request.clone();
        (request.memory, request.replace) = (memory, true);
        run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
        for list in ["list", "index"] {
            let mut found = rows(&room, list, &all).1;
            found.sort_by_key(|(file, known, _)| (all.iter().position(|name| name == file), known.clone()));
            assert_eq!(found, expected, "{list}");
        }
    }
    let mut index = fs::read(room.at("index")).unwrap();
    let middle = index.len() / 2;
    index[middle] ^= 1;
    room.file("index", &index);
    let (ran, _) = ran(&room, &Request::new(input(&room, &all), room.at("index")));
    assert!(ran.unwrap_err().to_string().contains("damaged"));
    // Files are not compared with one another by it.
    let compared = pfh::compare::run(
        &pfh::compare::Request::new(Input::new([room.at("index")])),
        &mut |_| Ok(()),
        &Control::new(),
    );
    assert_eq!(compared.unwrap().faults, 1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let room = files();
    list(&room, "list", "sdhash", "sdbf", &["known"]);
    let asked = |known: &str, files: &[&str]| Request::new(input(&room, files), room.at(known));
    for (request, kind) in [
        (Request::new(Input::default(), room.at("list")).write_index(room.at("index")), Kind::Request),
        (asked("new/same", &["new/same"]), Kind::Input),
        (asked("nowhere", &["new/same"]), Kind::Input),
        (asked("list", &[]), Kind::Request),
    ] {
        let error = ran(&room, &request).0.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
    }
    let error = ran(&room, &asked("new/same", &["new/same"])).0.unwrap_err();
    assert!(matches!(error.find(), Some(Problem::NoList(_))), "{error}");
    assert!(!room.at("index").exists());
}

/// A file that repeats itself has a digest of sdhash that matches anything: no match without the
/// mark.
#[test]
fn saturated_digests_are_no_matches() {
    let room = Room::new();
    let once = random(3, 400_000);
    room.file("t/twice", &[&once[..], &once[..]].concat());
    room.file("t/other", &random(4, 20_000));
    let mut asked = compare::Request::new(input(&room, &["t"]));
    asked.algorithms = crate::rows::algorithms("sdhash");
    let found = |request: &compare::Request| {
        let (summary, rows) = crate::compare::good(request);
        assert_eq!(rows.searched[0].1, 2, "two digests are compared");
        (summary.pairs, rows.saturated)
    };
    assert_eq!(found(&asked), (0, vec![(1, false)]));
    asked.saturated = true;
    assert_eq!(found(&asked), (1, vec![(1, true)]));
    let mut marks = Vec::new();
    let mut take = |event: compare::Event<'_>| {
        if let compare::Event::Pair(pair) = event {
            marks.push(pair.degenerate);
        }
        Ok(())
    };
    compare::run(&asked, &mut take, &Control::new()).unwrap();
    assert_eq!(marks, [Some(Degenerate::Saturated)]);
    for (form, mark) in [("text", "|saturated\n"), ("csv", ",saturated,"), ("jsonl", "\"degenerate\":\"saturated\"")] {
        assert!(crate::rows::pairs_as(&room, &asked, form).contains(mark), "{form}");
    }
    // As the tool has it, and counted.
    (asked.saturated, asked.parity) = (false, true);
    asked.thresholds = compare::Thresholds::parse(&[], true).unwrap();
    assert_eq!(found(&asked), (1, vec![(1, true)]));
    let text = crate::rows::pairs_as(&room, &asked, "text");
    assert_eq!((text.lines().count(), text.contains("saturated")), (1, false), "{text}");
    list(&room, "list", "sdhash", "sdbf", &["t/twice"]);
    let mut request = Request::new(input(&room, &["t/other"]), room.at("list"));
    let (ran_without, rows) = ran(&room, &request);
    let summary = ran_without.unwrap();
    assert_eq!((summary.conclusion(), summary.saturated, rows.len()), (Verdict::Differs, 1, 0));
    request.saturated = true;
    let mut marks = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Match(found) = event {
            marks.push(found.degenerate);
        }
        Ok(())
    };
    let summary = run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!((summary.conclusion(), marks), (Verdict::Verified, vec![Some(Degenerate::Saturated)]));
    // A copy is alike, saturated or not.
    room.file("t/copy", &[&once[..], &once[..]].concat());
    let (ran, rows) = ran(&room, &Request::new(input(&room, &["t/copy"]), room.at("list")));
    let summary = ran.unwrap();
    assert_eq!((summary.conclusion(), summary.saturated, rows.len()), (Verdict::Verified, 0, 1));
    let mut copies = compare::Request::new(input(&room, &["t/twice", "t/copy"]));
    copies.algorithms = crate::rows::algorithms("sdhash");
    assert_eq!(found(&copies), (1, Vec::new()));
}

/// It was read whole; so little has no digest.
#[test]
fn a_file_too_short_is_not_a_failure() {
    let room = Room::new();
    room.file("t/short", "short");
    room.file("t/long", &random(4, 20_000));
    let written: hash::ManifestOutcome = crate::rows::listed(&room, "list", "sdhash", "sdbf", &["t"]).unwrap();
    assert_eq!((written.without, written.unwritten, written.summary.run.failed), (1, 0, 0));
    let mut asked = compare::Request::new(input(&room, &["t"]));
    asked.algorithms = crate::rows::algorithms("sdhash");
    let (summary, rows) = crate::compare::good(&asked);
    assert_eq!((summary.faults, rows.without), (0, vec![("sdhash".to_owned(), 1)]));
}

/// Files before an index are compared with those in it, and neither with each other.
#[test]
fn a_file_and_an_index_are_two_sets() {
    let room = files();
    list(&room, "list", "ssdeep", "ssdeep", &["known"]);
    run(
        &Request::new(Input::default(), room.at("list")).write_index(room.at("index")),
        &mut |_| Ok(()),
        &Control::new(),
    )
    .unwrap();
    let pairs = |against: bool| {
        let mut request = pfh::compare::Request::new(input(&room, &["new/changed", "new/same", "new/unknown"]));
        match against {
            true => request.against = vec![room.at("index").into()],
            false => request.input.paths.push(room.at("index").into()),
        }
        let mut found = Vec::new();
        let mut take = |event: pfh::compare::Event<'_>| {
            if let pfh::compare::Event::Pair(pair) = event {
                found.push((pair.a.to_vec(), pair.b.to_vec(), pair.score.number()));
            }
            Ok(())
        };
        pfh::compare::run(&request, &mut take, &Control::new()).unwrap();
        found.sort();
        found
    };
    assert_eq!(pairs(false), pairs(true));
    assert!(!pairs(false).is_empty());
}
