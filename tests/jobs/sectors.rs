//! Every block of a known file is found where it lies on a medium, no other one is, and nothing
//! that was not compared passes in silence.

use crate::known_files::built;
use crate::room::{Room, cancelled};
use crate::rows::{below, printed};
use pfh::inside::Options;
use pfh::job::{Error, Kind};
use pfh::known::{Class, Flag, KnownStatus, build, info};
use pfh::matching::sectors::{Event, Request, Summary, run};
use pfh::{Control, Verdict};
use pfh_inject::{Need, lacks, random};
use std::collections::{BTreeSet, HashSet};
use std::fs;

/// Builds `set` of the blocks of `known/`, as bad.
pub fn build_of(room: &Room, sizes: &[u32]) -> build::Summary {
    let mut request = build::Request::new(room.at("set")).set(room.at("known"), Class::Bad);
    (request.blocks, request.replace) = (sizes.to_vec(), true);
    built(&request).0.unwrap()
}

/// A fragment as it is found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub offset: u64,
    pub length: u64,
    pub size: u32,
    pub blocks: u64,
    pub flags: Vec<Flag>,
    /// The files that it may be of, and where in them.
    pub files: Vec<(String, u64)>,
}

pub fn asked(room: &Room, image: &str, sizes: &[u32]) -> Request {
    Request::new([room.at(image)], [room.at("set")], sizes.iter().copied())
}

pub fn ran(room: &Room, request: &Request) -> Result<(Summary, Vec<Found>), Error> {
    let mut all = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Fragment(found) = event {
            let of = &found.fragment;
            all.push(Found {
                offset: of.offset,
                length: found.length(),
                size: of.size,
                blocks: of.blocks,
                flags: of.flags.clone(),
                files: of.files.iter().map(|of| (below(room, &of.file.name), of.offset)).collect(),
            });
        }
        Ok(())
    };
    run(request, &mut take, &Control::new()).map(|summary| (summary, all))
}

/// The blocks that fragments consist of, by place and size, after a look that the bytes are those
/// of each file that is named, at the place that is named.
pub fn blocks(room: &Room, image: &[u8], found: &[Found]) -> BTreeSet<(u64, u64)> {
    let mut all = BTreeSet::new();
    for one in found {
        for (name, from) in &one.files {
            let mut file = fs::read(room.at(name)).unwrap();
            // The last block is filled with zeros.
            file.resize(file.len().next_multiple_of(4096), 0);
            let there = &image[one.offset as usize..(one.offset + one.length) as usize];
            assert!(file[*from as usize..].starts_with(there), "{one:?}");
        }
        let size = u64::from(one.size);
        assert!((one.blocks - 1) * size < one.length && one.length <= one.blocks * size, "{one:?}");
        (0..one.blocks).for_each(|at| assert!(all.insert((one.offset + at * size, size)), "twice: {one:?}"));
    }
    all
}

/// The same by comparing every sector of the image with every block of every file.
fn naive(image: &[u8], files: &[Vec<u8>], sizes: &[u32]) -> BTreeSet<(u64, u64)> {
    let mut all = BTreeSet::new();
    for size in sizes.iter().map(|size| *size as usize) {
        let padded = |bytes: &[u8]| [bytes, &vec![0; size - bytes.len()]].concat();
        let blocks: BTreeSet<Vec<u8>> = files.iter().flat_map(|file| file.chunks(size).map(padded)).collect();
        for at in (0..image.len()).step_by(512) {
            let end = image.len().min(at + size);
            if blocks.contains(&padded(&image[at..end])) {
                all.insert((at as u64, size as u64));
            }
        }
    }
    all
}

#[test]
fn the_answers_are_those_of_a_naive_search() {
    let room = Room::new();
    for round in 0..6u64 {
        let mut seed = random(round + 1, 4096).into_iter().map(usize::from);
        let mut pick = move |below: usize| (seed.next().unwrap() * 256 + seed.next().unwrap()) % below;
        let mut files: Vec<Vec<u8>> = (0..5).map(|n| random(round * 10 + n, 1 + pick(30_000))).collect();
        // Repeated and empty content, a copy, a file within another one.
        files.push(vec![0; 9000]);
        files.push([&files[0][..], &files[1]].concat());
        files.push(files[2].clone());
        files.push(b"0123456789abcdef".repeat(700));
        let _ = fs::remove_dir_all(room.at("known"));
        files.iter().enumerate().for_each(|(n, file)| drop(room.file(format!("known/{n}"), file)));
        let mut image = random(round + 99, (1 << 20) * (round as usize % 3) + 700_000 + pick(2000));
        for _ in 0..25 {
            let file = &files[pick(files.len())];
            let (from, at) = (pick(file.len().div_ceil(512)) * 512, pick(image.len() / 512) * 512);
            let length = (1 + pick(file.len() - from)).min(image.len() - at);
            image[at..at + length].copy_from_slice(&file[from..from + length]);
        }
        room.file("image", &image);
        // Sets of one size each have nothing that saves the look at every sector.
        for (built, looked) in [(&[512, 4096][..], &[512, 4096][..]), (&[512, 4096], &[4096]), (&[4096], &[4096])] {
            build_of(&room, built);
            let mut outcomes = Vec::new();
            for threads in [1, 3] {
                let mut request = asked(&room, "image", looked);
                (request.flagged, request.threads) = (true, threads);
                let (summary, found) = ran(&room, &request).unwrap();
                assert_eq!(summary.conclusion(&[KnownStatus::KnownBad]), Verdict::Differs);
                assert_eq!((summary.bytes, summary.unread), (image.len() as u64, 0));
                assert_eq!(blocks(&room, &image, &found), naive(&image, &files, looked), "round {round}, {looked:?}");
                outcomes.push(found);
            }
            assert_eq!(outcomes[0], outcomes[1], "the finds depend on the threads");
        }
    }
}

/// The places of a search at any byte: those at sectors, and others with a telling block that does
/// not begin within the one before. Pieces of the medium are searched by themselves.
fn naive_anywhere(image: &[u8], files: &[Vec<u8>], sizes: &[u32]) -> BTreeSet<(u64, u64)> {
    let mut all = naive(image, files, sizes);
    for size in sizes.iter().map(|size| *size as usize) {
        let padded = |bytes: &[u8]| [bytes, &vec![0; size - bytes.len()]].concat();
        let blocks = files.iter().flat_map(|file| file.chunks(size).map(padded));
        let telling: HashSet<Vec<u8>> = blocks.filter(|block| Flag::of(block).is_none()).collect();
        let mut free = 0;
        let end = image.len().next_multiple_of(512) + size;
        let image = [image, &vec![0; end - image.len()]].concat();
        for at in (0..end - size).filter(|at| at % 512 > 0) {
            free = if at % (1 << 20) == 1 { at } else { free };
            if at >= free && telling.contains(&image[at..at + size]) {
                all.insert((at as u64, size as u64));
                free = at + size;
            }
        }
    }
    all
}

#[test]
fn blocks_are_found_where_no_sector_begins() {
    let room = Room::new();
    let mut seed = random(77, 4096).into_iter().map(usize::from);
    let mut pick =
        move |below: usize| (seed.next().unwrap() * 65_536 + seed.next().unwrap() * 256 + seed.next().unwrap()) % below;
    let mut files: Vec<Vec<u8>> = (0..6).map(|n| random(n, 3000 + pick(30_000))).collect();
    // Empty content, and some that repeats itself and says something.
    files.push(vec![0; 9000]);
    files.push(b"0123456789abcdef".repeat(700));
    files.push((0..4000u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect());
    files.iter().enumerate().for_each(|(n, file)| drop(room.file(format!("known/{n}"), file)));
    let mut image = random(99, (1 << 20) + 300_003);
    // Across the border of two pieces, and at the end.
    image[(1 << 20) - 1001..][..3000].copy_from_slice(&files[0][..3000]);
    for round in 0..40 {
        let file = &files[round % files.len()];
        let (from, at) = (pick(file.len() / 2), pick(image.len()));
        let length = (1 + pick(file.len() - from)).min(image.len() - at);
        image[at..at + length].copy_from_slice(&file[from..from + length]);
    }
    let end = image.len() - 700;
    image[end..].copy_from_slice(&files[1][1024..1724]);
    room.file("image", &image);
    build_of(&room, &[512, 4096]);
    let plain = ran(&room, &asked(&room, "image", &[512])).unwrap().1;
    for (sizes, threads) in [(&[512][..], 1), (&[512, 4096], 3), (&[4096], 2)] {
        let mut request = asked(&room, "image", sizes);
        (request.anywhere, request.flagged, request.threads) = (true, true, threads);
        let (summary, found) = ran(&room, &request).unwrap();
        assert_eq!((summary.bytes, summary.anywhere), (image.len() as u64, true));
        assert_eq!(blocks(&room, &image, &found), naive_anywhere(&image, &files, sizes), "{sizes:?}");
        if sizes == [512] {
            assert!(found.len() > 3 * plain.len() && plain.iter().all(|one| found.contains(one)));
        }
    }
}

/// A search that was ended says nothing of the rest.
#[test]
fn an_interrupted_search_verifies_nothing() {
    let room = Room::new();
    room.file("known/a", &random(1, 5000));
    room.file("image", &random(2, 3 << 20));
    build_of(&room, &[512]);
    for anywhere in [false, true] {
        let mut request = asked(&room, "image", &[512]);
        request.anywhere = anywhere;
        let summary = run(&request, &mut |_| Ok(()), &cancelled()).unwrap();
        assert!(summary.interrupted && summary.bytes < 3 << 20);
        assert_ne!(summary.conclusion(&[KnownStatus::KnownBad]), Verdict::Verified);
    }
}

#[test]
fn blocks_that_say_little_are_counted_and_no_verdict_rests_on_them() {
    let room = Room::new();
    room.file("known/zeros", &vec![0; 100_000]);
    room.file("known/ramp", &(0..5000u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
    // In more than eight files.
    (0..9).for_each(|n| drop(room.file(format!("known/copy{n}"), &random(7, 2048))));
    room.file("image", &[&vec![0; 65_536][..], &random(7, 2048), &random(8, 4096)].concat());
    let made = build_of(&room, &[512]);
    let flagged: u64 = made.sets.iter().flat_map(|set| &set.blocks).map(|count| count.flagged).sum();
    assert!(flagged > 0, "{made:?}");
    let bad = [KnownStatus::KnownBad];
    let mut request = asked(&room, "image", &[512]);
    let (summary, found) = ran(&room, &request).unwrap();
    assert_eq!((summary.conclusion(&bad), found.len()), (Verdict::Verified, 0));
    let (_, counted) = summary.sizes[0];
    assert!(summary.hidden > 0 && counted.blocks == 132 && counted.flagged == 132, "{summary:?}");
    request.flagged = true;
    let (summary, found) = ran(&room, &request).unwrap();
    assert_eq!(summary.conclusion(&bad), Verdict::Verified, "no verdict rests on them");
    let flags: BTreeSet<String> = found.iter().map(|one| format!("{:?}", one.flags[0])).collect();
    assert_eq!(flags, BTreeSet::from(["Common".to_owned(), "Constant".to_owned()]));
}

#[test]
fn a_set_is_the_same_each_time_and_damage_to_it_is_found() {
    let room = Room::new();
    (0..40).for_each(|n| drop(room.file(format!("known/{n}"), &random(n % 30, 700 * n as usize))));
    room.file("image", &[random(5, 3500), random(77, 8000)].concat());
    build_of(&room, &[512, 1024]);
    let set = fs::read(room.at("set")).unwrap();
    build_of(&room, &[1024, 512]);
    assert!(fs::read(room.at("set")).unwrap() == set && !room.at("set.work").exists());
    let search = || {
        let mut request = asked(&room, "image", &[512, 1024]);
        (request.flagged, request.anywhere) = (true, true);
        ran(&room, &request)
    };
    let (summary, right) = search().unwrap();
    assert_eq!(summary.conclusion(&[KnownStatus::KnownBad]), Verdict::Differs);
    for at in (16..set.len()).step_by(set.len() / 60) {
        let mut other = set.clone();
        other[at] ^= 0x10;
        room.file("set", &other);
        // Either the damage lies where nobody looked, or it is said.
        match search() {
            Ok((_, found)) => assert_eq!(found, right, "{at}"),
            // The last eight bytes are the mark of a whole set.
            Err(error) => {
                let expected = if at < set.len() - 8 { "damaged" } else { "its end is missing" };
                assert!(error.to_string().contains(expected), "{at}: {error}");
            }
        }
        let mut request = info::Request::new(room.at("set"));
        request.verify = true;
        assert!(info::run(&request, &mut |_| Ok(()), &Control::new()).is_err(), "{at}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_not_in_the_set() {
    if lacks(&[Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    // A file of an archive whose checksum does not hold: its bytes come, and count for nothing.
    room.file("a", &random(1, 20_000));
    room.file("b", &random(2, 20_000));
    printed(&room, "zip -q -0 a.zip a b");
    let mut bytes = fs::read(room.at("a.zip")).unwrap();
    bytes[10_000] ^= 1;
    room.file("a.zip", &bytes);
    let mut request = build::Request::new(room.at("set")).set(room.at("a.zip"), Class::Bad);
    (request.blocks, request.inside) = (vec![512], Some(Options::default()));
    let mut unread = Vec::new();
    let mut take = |event: build::Event<'_>| {
        if let build::Event::Unread { name, .. } = event {
            unread.push(below(&room, name));
        }
        Ok(())
    };
    let summary = build::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!((summary.unread, summary.is_complete(), unread), (1, false, vec!["a.zip!/a".to_owned()]));
    let named = |name: &str| -> BTreeSet<String> {
        let found = ran(&room, &asked(&room, name, &[512])).unwrap().1;
        found.into_iter().flat_map(|one| one.files).map(|(name, _)| name).collect()
    };
    assert_eq!((named("a"), named("b")), (BTreeSet::new(), BTreeSet::from(["a.zip!/b".to_owned()])));
    // An image that is not there, beside one that is.
    let both = Request::new([room.at("b"), room.at("missing")], [room.at("set")], [512]);
    let (summary, _) = ran(&room, &both).unwrap();
    assert_eq!((summary.failed, summary.images, summary.conclusion(&[])), (1, 1, Verdict::Incomplete));
    let missing = ran(&room, &asked(&room, "missing", &[512])).unwrap().0;
    assert_eq!(missing.conclusion(&[]), Verdict::NothingToCompareWith);
    let gone = Request::new([room.at("b")], [room.at("gone")], [512]);
    assert_eq!(ran(&room, &gone).unwrap_err().kind(), Kind::Input);
}
