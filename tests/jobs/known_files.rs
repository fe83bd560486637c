//! Files against sets: each has a verdict, and the sets that hold it.

use crate::room::Room;
use crate::rows::{algorithms, input, printed};
use pfh::job::{Error, Kind};
use pfh::known::{Class, KnownStatus, build, info, lookup};
use pfh::matching::{self, Empty, Event, Request, Sets};
use pfh::{Control, Verdict, sha256};
use pfh_inject::{Need, digest_by, lacks};
use std::fs;
use std::path::PathBuf;

/// The name of an input, the verdict's word, and the sets that hold it.
pub type Row = (String, &'static str, Vec<String>);

/// The result of a run over files.
#[derive(Debug)]
pub struct Answered {
    pub summary: matching::Summary,
    pub rows: Vec<Row>,
    /// Sets that cannot be compared with, or only in part.
    pub gaps: Vec<String>,
    /// Lists that have no class.
    pub classless: usize,
}

impl Answered {
    /// The result of a run that comes to its end; names are the last parts of paths.
    pub fn of(request: &Request) -> Answered {
        Answered::try_of(request).unwrap_or_else(|error| panic!("{error}: {request:?}"))
    }

    pub fn try_of(request: &Request) -> Result<Answered, Error> {
        let (mut rows, mut gaps, mut classless) = (Vec::new(), Vec::new(), 0);
        let mut take = |event: Event<'_>| {
            match event {
                Event::Match(found) => {
                    let name = String::from_utf8(found.record.name.clone()).unwrap();
                    let sets = found.places().iter().map(|place| place.set.to_owned()).collect();
                    rows.push((name.rsplit('/').next().unwrap().to_owned(), found.word(), sets));
                }
                Event::Gap(gap) => gaps.push(gap.to_string()),
                Event::NoClass(_) => classless += 1,
                _ => {}
            }
            Ok(())
        };
        let summary = matching::run(request, &mut take, &Control::new())?;
        Ok(Answered { summary, rows, gaps, classless })
    }

    /// The names that have this verdict.
    pub fn names(&self, word: &str) -> Vec<&str> {
        self.rows.iter().filter(|row| row.1 == word).map(|row| &*row.0).collect()
    }

    pub fn conclusion(&self, request: &Request, fail_on: &[KnownStatus]) -> Verdict {
        self.summary.conclusion(request, fail_on)
    }
}

/// Files and directories of the room against sets of these names in it.
pub fn against(room: &Room, sets: &[&str], files: &[&str]) -> Request {
    Request::new(input(room, files), Sets::new(sets.iter().map(|name| room.at(name))))
}

/// The same, where lists are of this class.
pub fn of_class(room: &Room, sets: &[&str], class: &str, files: &[&str]) -> Request {
    let mut request = against(room, sets, files);
    request.sets.class = Some(class.parse().unwrap());
    request
}

/// Builds a set, and says how it ended and on which lines something is not a record.
pub fn built(request: &build::Request) -> (Result<build::Summary, Error>, Vec<(PathBuf, u64)>) {
    let mut faults = Vec::new();
    let mut take = |event: build::Event<'_>| {
        if let build::Event::Fault { path, line, .. } = event {
            faults.push((path.to_owned(), line));
        }
        Ok(())
    };
    let ran = build::run(request, &mut take, &Control::new());
    (ran, faults)
}

/// Each digest's word and sets, and the verdict on all if `fail_on` is given.
pub fn asked(sets: Sets) -> (lookup::Summary, Vec<(&'static str, Vec<String>)>) {
    let mut rows = Vec::new();
    let mut take = |event: lookup::Event<'_>| {
        if let lookup::Event::Answer(found) = event {
            rows.push((found.word(), found.places().iter().map(|place| place.set.to_owned()).collect()));
        }
        Ok(())
    };
    (lookup::run(&lookup::Request::new(sets), &mut take, &Control::new()).unwrap(), rows)
}

/// A tree of six files, and a known-set file `known` of two sets.
fn prepared() -> Room {
    let room = Room::new();
    for name in ["good", "bad", "both", "new", "sub/deep"] {
        room.file(format!("tree/{name}"), name);
    }
    room.file("tree/empty", "");
    let list = |names: &[&str]| -> String { names.iter().map(|name| format!("{}\n", sha256(name))).collect() };
    let good = room.file("os.txt", &list(&["good", "both", ""]));
    let bad = room.file("malware.txt", &list(&["bad", "both"]));
    let request = build::Request::new(room.at("known")).set(good, Class::Good).set(bad, Class::Bad);
    assert!(built(&request).0.unwrap().is_complete());
    room
}

#[test]
fn every_file_has_a_verdict_and_its_sets() {
    let room = prepared();
    let mut request = against(&room, &["known"], &["tree"]);
    let answered = Answered::of(&request);
    assert_eq!(answered.conclusion(&request, &[KnownStatus::KnownBad]), Verdict::Differs, "known-bad files are there");
    let expected: [(&str, &str, &[&str]); 6] = [
        ("bad", "known-bad", &["malware"]),
        ("both", "known-bad", &["os", "malware"]),
        ("empty", "unknown", &["os"]),
        ("good", "known-good", &["os"]),
        ("new", "unknown", &[]),
        ("deep", "unknown", &[]),
    ];
    let owned = |sets: &[&str]| sets.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>();
    assert_eq!(answered.rows, expected.map(|(name, word, sets)| (name.to_owned(), word, owned(sets))));
    let count = |status| answered.summary.counts.of(status);
    let counts = (count(KnownStatus::KnownBad), count(KnownStatus::Unknown), count(KnownStatus::Error));
    assert_eq!(counts, (2, 3, 0));
    // The empty file counts only where that is asked for.
    request.sets.empty = Empty::Counts;
    let answered = Answered::of(&request);
    assert_eq!(answered.names("known-good"), ["empty", "good"]);
    assert_eq!(answered.conclusion(&request, &[]), Verdict::Verified);
}

#[test]
fn a_file_that_cannot_be_read_has_no_verdict_but_error() {
    let room = prepared();
    let request = against(&room, &["known"], &["tree/bad", "tree/missing"]);
    let answered = Answered::of(&request);
    // Bad stays bad, even if others could not be read.
    assert_eq!(answered.conclusion(&request, &[KnownStatus::KnownBad]), Verdict::Differs);
    assert_eq!(answered.rows[1], ("missing".to_owned(), "error", vec![]));
    let request = against(&room, &["known"], &["tree/good", "tree/missing"]);
    assert_eq!(Answered::of(&request).conclusion(&request, &[KnownStatus::KnownBad]), Verdict::Incomplete);
}

#[test]
fn lists_and_digests_without_a_build() {
    let room = prepared();
    let request = against(&room, &["os.txt"], &["tree"]);
    let answered = Answered::of(&request);
    assert_eq!(
        (answered.names("known"), answered.conclusion(&request, &[])),
        (vec!["both", "good"], Verdict::Verified)
    );
    let digest = |digest: String| {
        let mut request = against(&room, &[], &["tree"]);
        request.sets.digests = vec![digest];
        request
    };
    let request = digest(digest_by("md5sum", b"new"));
    let answered = Answered::of(&request);
    assert_eq!((answered.names("known"), answered.conclusion(&request, &[])), (vec!["new"], Verdict::Verified));
    let request = digest(digest_by("md5sum", b"nowhere"));
    assert_eq!(Answered::of(&request).conclusion(&request, &[]), Verdict::Differs, "nothing was found");
    assert_eq!(Answered::try_of(&digest("1234".into())).unwrap_err().kind(), Kind::Request);
}

#[test]
fn a_damaged_set_has_no_verdicts() {
    let room = prepared();
    let mut request = info::Request::new(room.at("known"));
    request.verify = true;
    let described = || {
        let mut sets = Vec::new();
        let mut take = |event: info::Event<'_>| {
            let info::Event::Set(set) = event else { return Ok(()) };
            sets.push((set.name.clone(), set.class.clone(), set.records));
            Ok(())
        };
        info::run(&request, &mut take, &Control::new()).map(|summary| (summary, sets))
    };
    let (summary, sets) = described().unwrap();
    assert_eq!(sets, [("os".into(), Some(Class::Good), 3), ("malware".into(), Some(Class::Bad), 2)]);
    assert_eq!((summary.empties, summary.digest.is_some()), (vec!["os".to_owned()], true));
    let digests: Vec<_> = summary.known.algorithms().map(|(by, count)| (by.to_string(), count)).collect();
    assert_eq!(digests, [("sha256".to_owned(), 4)]);
    let mut bytes = fs::read(room.at("known")).unwrap();
    bytes[20] ^= 1;
    room.file("known", &bytes);
    assert_eq!(described().err().unwrap().kind(), Kind::Negative);
    // The damaged block is met: no verdict, and the run ends.
    let error = Answered::try_of(&against(&room, &["known"], &["tree"])).unwrap_err();
    assert!(matches!(error.kind(), Kind::Output | Kind::Aborted), "{error}");
}

#[test]
fn sets_with_more_said_of_them() {
    let room = prepared();
    let describe = |line: String| room.file("sets.jsonl", &line);
    let file = room.at("os.txt");
    describe(format!("{{\"file\":{file:?},\"class\":\"mine\",\"name\":\"Case 7\",\"version\":\"2\"}}\n"));
    let own = Class::Other("own".into());
    let mut request = build::Request::new(room.at("other")).set(room.at("malware.txt"), own);
    request.lists = vec![room.at("sets.jsonl")];
    built(&request).0.unwrap();
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Match(one) = event {
            for place in one.places() {
                found.push((place.set.to_owned(), place.version.map(str::to_owned), place.class.to_owned()));
            }
        }
        Ok(())
    };
    matching::run(&against(&room, &["other"], &["tree/good"]), &mut take, &Control::new()).unwrap();
    assert_eq!(found, [("Case 7".to_owned(), Some("2".to_owned()), "mine".to_owned())]);
    describe("{\"file\":\"x\",\"class\":\"good\",\"colour\":1}\n".into());
    assert_eq!(built(&request).0.unwrap_err().kind(), Kind::Request);
    // A list with a line that is none still builds, and says so.
    let half = room.file("half", "rubbish\n900150983cd24fb0d6963f7d28e17f72\n");
    let (ran, faults) = built(&build::Request::new(room.at("other")).set(&half, Class::Bad));
    assert_eq!((ran.unwrap().is_complete(), faults), (false, vec![(half, 1)]));
}

#[test]
fn the_same_files_as_md5deep() {
    if lacks(&[Need::Program("md5deep")]) {
        return;
    }
    let room = Room::new();
    let mut list = String::new();
    for n in 0..40 {
        let content = format!("content {}", n % 23);
        room.file(format!("tree/{}/{n}", n % 3), &content);
        if n % 4 == 0 {
            list += &format!("{}  name\n", digest_by("md5sum", content.as_bytes()));
        }
    }
    room.file("list", &list);
    let answered = Answered::of(&against(&room, &["list"], &["tree"]));
    for (flag, word) in [("-m", "known"), ("-x", "unknown")] {
        let theirs = String::from_utf8(printed(&room, &format!("md5deep -r -l {flag} list tree || true"))).unwrap();
        let mut theirs: Vec<&str> = theirs.lines().map(|line| line.rsplit('/').next().unwrap()).collect();
        let mut ours = answered.names(word);
        theirs.sort_unstable();
        ours.sort_unstable();
        assert_eq!(ours, theirs, "{flag}");
        assert!(!ours.is_empty());
    }
}

#[test]
fn the_same_answers_as_hfind() {
    if lacks(&[Need::Program("hfind")]) {
        return;
    }
    let room = Room::new();
    let digests: Vec<String> = (0..60).map(|n| digest_by("md5sum", format!("file {n}").as_bytes())).collect();
    let list: String = digests.iter().step_by(2).map(|digest| format!("{digest}  name\n")).collect();
    room.file("list.txt", &list);
    printed(&room, "hfind -i md5sum list.txt");
    let theirs: Vec<bool> = digests
        .iter()
        .map(|digest| printed(&room, &format!("hfind -q list.txt {digest} || true")).trim_ascii() == b"1")
        .collect();
    assert_eq!(theirs.iter().filter(|known| **known).count(), 30);
    // The list, and the index that hfind made of it.
    for known in ["list.txt", "list.txt-md5.idx"] {
        let (_, rows) = asked(Sets { digests: digests.clone(), ..Sets::new([room.at(known)]) });
        assert_eq!(rows.iter().map(|(word, _)| *word == "known").collect::<Vec<_>>(), theirs, "{known}");
    }
}

/// A list by several algorithms is compared as a whole: by one alone a part of it would be passed
/// over, which counts.
#[test]
fn lists_of_several_algorithms_are_compared_as_a_whole() {
    let room = Room::new();
    ["a", "b"].iter().for_each(|name| drop(room.file(name, name)));
    let lines = [digest_by("md5sum", b"a"), digest_by("md5sum", b"x"), digest_by("sha1sum", b"b")];
    room.file("l", &(lines.join("\n") + "\n"));
    let mut request = against(&room, &["l"], &["a", "b"]);
    let answered = Answered::of(&request);
    assert_eq!((answered.names("known"), answered.conclusion(&request, &[])), (vec!["a", "b"], Verdict::Verified));
    request.sets.algorithms = algorithms("md5");
    let answered = Answered::of(&request);
    assert_eq!((answered.names("known"), answered.conclusion(&request, &[])), (vec!["a"], Verdict::Incomplete));
}
