//! Which files and folders are of one content, and the waste of their copies.
#![cfg(unix)] // links

use crate::room::Room;
use crate::rows::{algorithms, below, printed};
use pfh::dups::{self, Chunking, Event, Group, Keep, Request, Store, Summary};
use pfh::{Control, Input, sha256};
use pfh_inject::random;
use std::fs;
use std::os::unix::fs::symlink;

/// Copies of a large file and of a small one, and files that differ from them in one place each.
fn files() -> Room {
    let room = Room::new();
    let large = random(1, 200_000);
    ["d/one", "d/two", "e/three"].iter().for_each(|name| drop(room.file(name, &large)));
    for (name, at) in [("first", 0), ("middle", 100_000), ("last", 199_999)] {
        let mut other = large.clone();
        other[at] ^= 1;
        room.file(format!("d/{name}"), &other);
    }
    for (name, content) in
        [("d/small", "small"), ("e/small too", "small"), ("d/smell", "smell"), ("d/empty", ""), ("e/empty", "")]
    {
        room.file(name, content);
    }
    symlink("one", room.at("d/link")).unwrap();
    room
}

fn asked(room: &Room, names: &[&str]) -> Request {
    Request::new(Input::new(names.iter().map(|name| room.at(name))))
}

/// A group with its copies' names below the room.
#[derive(Debug, PartialEq)]
struct Found {
    size: u64,
    digest: String,
    /// The names of each copy; more than one are hard links.
    copies: Vec<Vec<String>>,
    /// The copies that stay.
    stays: usize,
    reclaimable: u64,
}

/// The groups, and the folders that are equal with their files and bytes.
type Rows = (Vec<Found>, Vec<(Vec<String>, u64, u64)>);

fn ran(room: &Room, request: &Request) -> (Summary, Rows) {
    let named = |names: &[Vec<u8>]| names.iter().map(|name| below(room, name)).collect::<Vec<_>>();
    let (mut groups, mut folders) = (Vec::new(), Vec::new());
    let group = |group: &Group| Found {
        size: group.size,
        digest: group.digest.to_string(),
        copies: group.copies.iter().map(|copy| named(&copy.names)).collect(),
        stays: group.copies.iter().filter(|copy| copy.stays).count(),
        reclaimable: group.reclaimable(),
    };
    let mut take = |event: Event<'_>| {
        match event {
            Event::Group(one) => groups.push(group(one)),
            Event::Folders(equal) => folders.push((named(&equal.names), equal.files, equal.bytes)),
            _ => {}
        }
        Ok(())
    };
    let summary = dups::run(request, &mut take, &Control::new()).unwrap();
    assert_eq!((summary.groups, summary.folders), (groups.len() as u64, folders.len() as u64));
    assert_eq!(summary.reclaimable, groups.iter().map(|group| group.reclaimable).sum::<u64>());
    (summary, (groups, folders))
}

/// The names that would go, in order.
fn redundant(room: &Room, request: &Request) -> Vec<String> {
    let (summary, (groups, _)) = ran(room, request);
    let going: Vec<String> = groups.iter().flat_map(|one| one.copies[one.stays..].concat()).collect();
    assert!(summary.redundant as usize <= going.len());
    going
}

fn large(copies: &[&[&str]]) -> Found {
    Found {
        size: 200_000,
        digest: sha256(random(1, 200_000)).to_string(),
        copies: copies.iter().map(|names| names.iter().map(|name| (*name).to_owned()).collect()).collect(),
        stays: 1,
        reclaimable: 200_000 * (copies.len() as u64 - 1),
    }
}

#[test]
fn groups_by_what_they_waste() {
    let room = files();
    let small = Found {
        size: 5,
        digest: sha256("small").to_string(),
        copies: vec![vec!["d/small".into()], vec!["e/small too".into()]],
        stays: 1,
        reclaimable: 5,
    };
    let mut request = asked(&room, &["d", "e"]);
    let (summary, first) = ran(&room, &request);
    assert_eq!(first, (vec![large(&[&["d/one"], &["d/two"], &["e/three"]]), small], vec![]));
    let counts = (summary.redundant, summary.reclaimable, summary.files, summary.small, summary.skipped);
    assert_eq!(counts, (3, 400_005, 11, 2, 1));
    // By size; the first block of all of one size; the last of those of one first block; the whole.
    // Six files share a size, five of them their first block, four their last one, and a whole is
    // needed of these four; three small ones are read whole at once.
    assert_eq!(summary.read, 6 * 4096 + 5 * 4096 + 4 * 200_000 + 3 * 5);
    assert_eq!(redundant(&room, &request), ["d/two", "e/three", "e/small too"]);
    assert_eq!(redundant(&room, &asked(&room, &["e", "d"])), ["d/one", "d/two", "d/small"]);
    let blake3 = request.clone().least(1000).algorithm_of(Some(algorithms("blake3")[0]));
    assert_eq!(redundant(&room, &blake3), ["d/two", "e/three"]);
    // Every order of threads and memory gives the same, and nothing is found in nothing.
    (request.plan.threads, request.plan.memory) = (1, 1 << 20);
    assert_eq!(ran(&room, &request).1, first);
    let (summary, rows) = ran(&room, &asked(&room, &["e"]));
    assert_eq!((rows, summary.failed), ((vec![], vec![]), 0));
}

#[test]
fn hard_links_are_one_copy_and_operands_that_overlap_too() {
    let room = files();
    fs::hard_link(room.at("d/two"), room.at("e/two again")).unwrap();
    fs::hard_link(room.at("d/smell"), room.at("e/smell again")).unwrap();
    let request = asked(&room, &["d", "e"]);
    let (_, (groups, _)) = ran(&room, &request);
    assert_eq!(groups[0], large(&[&["d/one"], &["d/two", "e/two again"], &["e/three"]]));
    assert_eq!(groups.len(), 2, "hard links alone waste nothing: {groups:?}");
    assert_eq!(redundant(&room, &request), ["d/two", "e/two again", "e/three", "e/small too"]);
    for names in [&["d", "e", "d"][..], &["d", "d/one", "e", "e/small too"]] {
        assert_eq!(ran(&room, &asked(&room, names)).1.0[0], groups[0], "{names:?}");
    }
    assert_eq!(ran(&room, &asked(&room, &["e/three", "e/../e/three"])).1, (vec![], vec![]), "one file by two names");
}

#[test]
fn equal_folders_are_wholes() {
    let room = Room::new();
    for (name, content) in [("x/a", "one"), ("x/sub/b", "two"), ("x/sub/empty", ""), ("x/c", "three")] {
        for top in ["l/", "m/deep/", "n/"] {
            room.file(format!("{top}{name}"), content);
        }
    }
    room.file("n/x/sub/more", "single");
    let folders = |request: &Request| ran(&room, request).1.1;
    let equal = |names: &[&str]| (names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), 4, 11);
    assert_eq!(folders(&asked(&room, &[""])), [equal(&["l", "m/deep"])]);
    // Operands are folders as well.
    assert_eq!(folders(&asked(&room, &["l/x", "m", "n"])), [equal(&["l/x", "m/deep/x"])]);
    assert_eq!(folders(&asked(&room, &["l", "m/deep"])), [equal(&["l", "m/deep"])]);
    // Files that nobody looked at are not equal.
    symlink("a", room.at("l/x/link")).unwrap();
    assert!(folders(&asked(&room, &["l", "m"])).iter().all(|(_, files, _)| *files != 4));
    fs::remove_file(room.at("l/x/link")).unwrap();
    let mut request = asked(&room, &["l", "m"]);
    request.input.descend.selection = pfh::Selection::new(&[], &["empty".to_owned()], None, None).unwrap();
    assert_eq!(folders(&request), []);
}

#[test]
fn what_a_store_of_chunks_would_save() {
    let room = Room::new();
    let bytes = random(3, 400_000);
    room.file("d/one", &bytes);
    // One byte more in front: no fixed chunk is the same, nearly all that are cut by content are.
    room.file("d/shifted", &[b"x", &bytes[..]].concat());
    room.file("d/zeros", &vec![0; 81_920]);
    let store = |chunks: &str| -> Store {
        let chunking: Chunking = chunks.parse().unwrap();
        ran(&room, &asked(&room, &["d"]).chunking(Some(chunking))).0.store.unwrap()
    };
    let fixed = store("4096");
    assert_eq!((fixed.bytes, fixed.chunks, fixed.unique), (881_921, 98 + 98 + 20, 98 + 98 + 1));
    assert_eq!(fixed.saving(), 19 * 4096);
    let content = store("cdc:4096");
    assert!(content.bytes == 881_921 && content.saving() > 400_000, "{content:?}");
    assert!("0".parse::<Chunking>().is_err());
}

/// Pairs that share chunks, by the first letters of their names below the room.
fn shared(room: &Room, request: &Request) -> (Store, Vec<(String, u64, u64)>) {
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Shared(row) = event {
            let names = row.names.map(|name| below(room, name));
            assert_eq!(row.sizes, names.each_ref().map(|name| fs::metadata(room.at(name)).unwrap().len()));
            rows.push((names.join("+"), row.chunks, row.bytes));
        }
        Ok(())
    };
    (dups::run(request, &mut take, &Control::new()).unwrap().store.unwrap(), rows)
}

/// The pairs are those of comparing the chunks of each file with those of each other.
#[test]
fn files_that_share_chunks_are_named() {
    let room = Room::new();
    let pool: Vec<Vec<u8>> = (0..40).map(|seed| random(seed, 512)).collect();
    let mut files: Vec<(String, Vec<usize>)> = Vec::new();
    for number in 0..60 {
        let numbers = random(1000 + number, 1 + number as usize % 9);
        let chosen = numbers.iter().map(|at| usize::from(*at) % pool.len()).collect::<Vec<_>>();
        let tail = [number as u8 % 5];
        room.file(
            format!("d/{number:02}"),
            &[chosen.iter().flat_map(|at| pool[*at].clone()).collect(), tail.to_vec()].concat(),
        );
        files.push((format!("d/{number:02}"), [&chosen[..], &[100 + number as usize % 5]].concat()));
    }
    // Equal files are a group; the kept one stands for it.
    let copy = fs::read(room.at("d/07")).unwrap();
    room.file("d/zz", &copy);
    let mut expected = Vec::new();
    for (at, (a, one)) in files.iter().enumerate() {
        for (b, other) in files[at + 1..].iter().filter(|(_, other)| other != one) {
            let count = |all: &[usize], chunk| all.iter().filter(|held| **held == chunk).count();
            let (mut chunks, mut bytes) = (0, 0);
            for chunk in (0..pool.len()).chain(100..105) {
                let times = count(one, chunk).min(count(other, chunk)) as u64;
                (chunks, bytes) = (chunks + times, bytes + times * if chunk < 100 { 512 } else { 1 });
            }
            expected.push((format!("{a}+{b}"), chunks, bytes));
        }
    }
    expected.retain(|(_, chunks, _)| *chunks > 0);
    expected.sort_by(|(a, _, x), (b, _, y)| y.cmp(x).then(a.cmp(b)));
    assert!(expected.len() > 300, "{}", expected.len());
    for memory in [0, 64 << 20] {
        let plan = pfh::Plan { memory, ..pfh::Plan::default() };
        let request = asked(&room, &["d"]).chunking(Some(Chunking::Fixed(512))).plan(plan);
        let (store, rows) = shared(&room, &request);
        assert_eq!((store.pairs, store.common), (expected.len() as u64, 0));
        assert_eq!(rows, expected);
        let (store, rows) = shared(&room, &request.clone().top(Some(3)));
        assert_eq!((store.pairs, &rows[..]), (expected.len() as u64, &expected[..3]));
    }
}

/// A chunk that many files hold makes no pairs, and is counted.
#[test]
fn chunks_of_many_files_are_counted() {
    let room = Room::new();
    for number in 0..102 {
        room.file(format!("d/{number:03}"), &[&[7; 64][..], &random(number / 2, 64)].concat());
        room.file(format!("e/{number:03}"), &random(number / 2, 64));
    }
    let request = |names: &[&str]| asked(&room, names).chunking(Some(Chunking::Fixed(64)));
    // 51 different files below d, two copies each: one of each pair stands for both.
    let (store, rows) = shared(&room, &request(&["d"]));
    assert_eq!((store.pairs, store.common, rows.len()), (51 * 50 / 2, 0, 51 * 50 / 2));
    for number in 0..102 {
        room.file(format!("f/{number:03}"), &[&[7; 64][..], &random(500 + number, 64)].concat());
    }
    let (store, rows) = shared(&room, &request(&["d", "e", "f"]));
    assert_eq!((store.common, store.common_bytes), (1, 64));
    assert_eq!((store.pairs, rows.len(), rows[0].1), (51, 51, 1));
}

#[test]
fn rules_say_which_copies_stay() {
    let room = files();
    let request = || asked(&room, &["d", "e"]).least(1000);
    let rules = |request: Request| redundant(&room, &request);
    assert_eq!(rules(request().keep(Keep::Under(room.at("e")))), ["d/one", "d/two"]);
    assert_eq!(rules(request().never([room.at("e")])), ["d/one", "d/two"]);
    assert_eq!(rules(request().never([room.at("d")])), ["e/three"]);
    assert_eq!(rules(request().keep(Keep::Shortest)), ["d/two", "e/three"]);
    let (_, (groups, _)) = ran(&room, &request().never([room.at("d")]));
    assert_eq!((groups[0].stays, groups[0].reclaimable), (2, 200_000));
}

#[test]
fn a_script_removes_what_is_still_equal_whatever_it_is_called() {
    let room = Room::new();
    let names = ["keep", "it's", "-rf", "a\nb", "new"];
    names.iter().for_each(|name| drop(room.file(format!("d/{name}"), "content")));
    let paths = names.map(|name| room.at("d").join(name));
    let request = Request::new(Input::new(&paths)).script(Some(room.at("go.sh")), false);
    dups::write(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    assert!(paths.iter().all(|path| path.exists()), "nothing is deleted");
    room.file("d/new", "changed");
    let said = String::from_utf8(printed(&room, "cd / && sh \"$OLDPWD/go.sh\" 2>&1 || true")).unwrap();
    assert_eq!(crate::room::names(&room.at("d")), ["keep", "new"], "{said}");
    assert!(said.contains("kept, it differs: ") && said.contains("/d/new"), "{said}");
}
