//! All pairs of similar files, as events.

use crate::room::{Room, cancelled};
use pfh::compare::{self, By, Event, Problem, Request};
use pfh::job::{Error, Kind};
use pfh::pairs::SearchStats;
use pfh::{Control, Input, Recurse};
use std::fs;
use std::path::{Path, PathBuf};

/// Families of files that are alike, below `files`.
fn room() -> Room {
    let room = Room::new();
    for (name, from, to) in [("a", 0, 3000), ("c", 9000, 12_000), ("d", 9000, 12_000)] {
        room.file(format!("files/{name}"), &text(from, to));
    }
    room.file("files/b", &(text(0, 2000) + &text(5000, 6000)));
    room
}

fn files(room: &Room, algorithm: &str) -> Request {
    let mut request = Request::new(Input::new([room.at("files")]).recurse(Recurse::Yes));
    request.algorithms = vec![algorithm.parse().unwrap()];
    request
}

/// A list of the files' digests.
fn list(room: &Room, algorithm: &str) -> PathBuf {
    let list = room.at(format!("list.{algorithm}"));
    let hash = pfh::hash::Request::new(files(room, algorithm).input, [algorithm.parse().unwrap()]);
    let manifest = pfh::hash::Manifest::new(&*list);
    pfh::hash::write(&hash, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    list
}

fn text(from: u32, to: u32) -> String {
    (from..to).map(|n| format!("{} ", u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7)).collect()
}

pub fn base(name: &[u8]) -> String {
    Path::new(std::str::from_utf8(name).unwrap()).file_name().unwrap().to_str().unwrap().to_owned()
}

/// The events of a run.
#[derive(Default)]
pub struct Rows {
    pub pairs: Vec<(String, String, u32)>,
    found: usize,
    pub groups: Vec<Vec<String>>,
    pub faults: Vec<String>,
    comparable: Option<bool>,
    /// The digests that were searched and the statistics of that, by algorithm.
    pub searched: Vec<(String, u64, SearchStats)>,
    /// Inputs that have no digest, by algorithm.
    pub without: Vec<(String, u64)>,
    /// Pairs with a saturated digest, and whether they are among the results.
    pub saturated: Vec<(u64, bool)>,
    pub costly: usize,
}

pub fn rows(request: &Request, control: &Control<'_>) -> (Result<compare::Summary, Error>, Rows) {
    let mut rows = Rows::default();
    let ran = compare::run(
        request,
        &mut |event| {
            match event {
                Event::Pair(pair) => rows.pairs.push((base(pair.a), base(pair.b), pair.score.number())),
                Event::Found(_) => rows.found += 1,
                Event::Group(group) => rows.groups.push(group.names().map(base).collect()),
                Event::List(problem) => rows.faults.push(problem.to_string()),
                Event::Gathered { comparable, .. } => rows.comparable = Some(comparable),
                Event::Searched(one) => {
                    rows.searched.push((one.algorithm.to_string(), one.digests, one.found.clone()));
                }
                Event::Without(algorithm, inputs) => rows.without.push((algorithm.to_string(), inputs)),
                Event::Saturated { pairs, listed, .. } => rows.saturated.push((pairs, listed)),
                Event::Costly(..) => rows.costly += 1,
                _ => {}
            }
            Ok(())
        },
        control,
    );
    (ran, rows)
}

pub fn good(request: &Request) -> (compare::Summary, Rows) {
    let (ran, rows) = rows(request, &Control::new());
    (ran.unwrap(), rows)
}

pub fn names(rows: &Rows) -> Vec<(&str, &str)> {
    rows.pairs.iter().map(|(a, b, _)| (&**a, &**b)).collect()
}

#[test]
fn pairs_are_rows_in_the_order_asked_for() {
    let room = room();
    let mut request = files(&room, "ssdeep");
    let (summary, all) = good(&request);
    assert_eq!((summary.pairs, summary.faults, summary.comparable), (2, 0, true));
    assert_eq!(names(&all), [("a", "b"), ("c", "d")]);
    assert_eq!(all.pairs[1].2, 100);
    assert_eq!(all.found, 0, "only a page needs all");
    request.sort = Some(By::Score);
    assert_eq!(names(&good(&request).1), [("c", "d"), ("a", "b")]);
    request.top = Some(1);
    let (summary, best) = good(&request);
    assert_eq!((summary.pairs, names(&best)), (2, vec![("c", "d")]));
    request.page = Some(room.at("page"));
    assert_eq!(good(&request).1.found, 2);
    assert!(!room.at("page").exists(), "the job writes nothing");
}

#[test]
fn groups_are_rows_in_place_of_pairs() {
    let room = room();
    for algorithm in ["ssdeep", "sha256"] {
        let mut request = files(&room, algorithm);
        request.cluster = true;
        let (_, rows) = good(&request);
        assert!(rows.pairs.is_empty());
        let expected: &[[&str; 2]] = if algorithm == "ssdeep" { &[["a", "b"], ["c", "d"]] } else { &[["c", "d"]] };
        assert_eq!(rows.groups, expected);
    }
}

/// A list stands for its files: the same pairs, of the same scores, in one set and in two.
#[test]
fn lists_have_the_pairs_of_their_files() {
    let room = room();
    for algorithm in ["ssdeep", "sdhash", "mrsh-v2", "tlsh", "sha256"] {
        let (_, files) = good(&files(&room, algorithm));
        let mut request = Request::new(Input::new([list(&room, algorithm)]));
        let (summary, lists) = good(&request);
        assert_eq!(lists.pairs, files.pairs, "{algorithm}");
        assert!(summary.run.is_none(), "nothing was hashed");
        request.against = vec![room.at("files").join("d").into()];
        let (_, across) = good(&request);
        assert!(names(&across).contains(&("d", "d")), "{algorithm} {:?}", across.pairs);
    }
}

/// More lists than stay open at a time.
#[test]
fn a_hundred_lists_are_one_set() {
    let room = room();
    let one = fs::read(list(&room, "ssdeep")).unwrap();
    let lists: Vec<PathBuf> = (0..100).map(|at| room.at(format!("{at:03}"))).collect();
    lists.iter().for_each(|path| fs::write(path, &one).unwrap());
    let (summary, rows) = good(&Request::new(Input::new(&lists)));
    assert_eq!((summary.comparing.pairs, rows.pairs.len() as u64), (400 * 399 / 2, summary.pairs));
}

#[test]
fn a_damaged_list_is_reported_by_its_lines() {
    let room = room();
    let list = list(&room, "ssdeep");
    let mut lines = fs::read_to_string(&list).unwrap();
    lines.insert_str(lines.find('\n').unwrap() + 1, "no digest\n");
    fs::write(&list, lines).unwrap();
    let (summary, rows) = good(&Request::new(Input::new([&list])));
    assert_eq!((summary.faults, summary.pairs, rows.faults.len()), (1, 2, 1));
    assert!(rows.faults[0].contains("line 2"), "{:?}", rows.faults);
}

#[test]
fn what_is_missing_or_empty_is_an_event() {
    let room = room();
    let request = Request::new(Input::new([room.at("none"), room.at("files").join("a")]));
    let (summary, rows) = good(&request);
    assert_eq!((summary.faults, summary.comparable, rows.comparable), (1, false, Some(false)));
    fs::create_dir(room.at("empty")).unwrap();
    let (summary, rows) = good(&Request::new(Input::new([room.at("empty")]).recurse(Recurse::Yes)));
    assert_eq!((summary.faults, summary.comparable, rows.pairs.len()), (0, false, 0));
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_read() {
    let room = room();
    let refused = |request: &Request| {
        let (ran, rows) = rows(request, &Control::new());
        assert!(rows.comparable.is_none());
        let error = ran.unwrap_err();
        assert_eq!(error.kind(), Kind::Request, "{error}");
        assert!(!error.to_string().contains("--"), "{error}");
        error.find::<Problem>().copied()
    };
    assert_eq!(refused(&Request::new(Input::default())), Some(Problem::Nothing));
    let mut request = files(&room, "ssdeep");
    request.evidence = true;
    assert!(matches!(refused(&request), Some(Problem::NoFeatures(_))));
    request.algorithms = vec!["sha256".parse().unwrap()];
    assert!(matches!(refused(&request), Some(Problem::Exact(_))));
    let mut listed = Request::new(Input::new([list(&room, "mrsh-v2")]));
    listed.evidence = true;
    assert_eq!(refused(&listed), Some(Problem::List));
    let mut none = files(&room, "ssdeep");
    none.top = Some(0);
    assert_eq!(refused(&none), Some(Problem::NoPairs));
    none.top = Some(1);
    none.cluster = true;
    assert_eq!(refused(&none), Some(Problem::Ordered));
    let file = room.at("files").join("a");
    let onto = Request::new(Input::new([&file])).output(&file).replace(true);
    assert!(matches!(onto.check(), Err(Error::Refused(_))));
}

#[test]
fn an_interrupted_comparison_leaves_no_file() {
    let room = room();
    let control = cancelled();
    let mut request = files(&room, "ssdeep").output(room.at("pairs"));
    request.page = Some(room.at("page"));
    let error = compare::write(&request, &mut |_| Ok(()), &control).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled, "{error}");
    assert!(!room.at("pairs").exists() && !room.at("page").exists());
    compare::write(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    assert_eq!(fs::read_to_string(room.at("pairs")).unwrap().lines().count(), 2);
    assert!(fs::read_to_string(room.at("page")).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_refused_event_ends_the_comparison() {
    let room = room();
    let full = || std::io::Error::other("full");
    let request = files(&room, "ssdeep").output(room.at("pairs"));
    for refuses in [
        (|event| matches!(event, Event::Gathered { .. })) as fn(&Event<'_>) -> bool,
        |event| matches!(event, Event::Pair(_)),
        |event| matches!(event, Event::Searched(_)),
    ] {
        let mut events = |event: Event<'_>| if refuses(&event) { Err(full()) } else { Ok(()) };
        let error = compare::write(&request, &mut events, &Control::new()).unwrap_err();
        assert!(matches!(&error, Error::Sink(why) if why.to_string() == "full"), "{error}");
        assert!(!room.at("pairs").exists());
    }
    let nowhere = files(&room, "ssdeep").output(room.at("none").join("pairs"));
    assert!(compare::write(&nowhere, &mut |_| Ok(()), &Control::new()).is_err());
}
