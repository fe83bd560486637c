//! Blocks of known files on images of every kind, also where no file system leads to them.
#![cfg(unix)] // loop devices

use crate::room::Room;
use crate::rows::printed;
use crate::sectors::{Found, asked, blocks, build_of, ran};
use pfh::Verdict;
use pfh::known::{Flag, KnownStatus};
use pfh::matching::sectors::{Request, Space};
use pfh_inject::{Loop, Need, lacks, random};
use std::fs;

/// Free blocks of 4096 bytes of `image`, by debugfs: the first of the blocks in a row.
fn free(room: &Room, blocks: u64, from: u64) -> u64 {
    let said = printed(room, &format!("debugfs -R 'ffb {blocks} {from}' image 2>/dev/null"));
    let said = String::from_utf8(said).unwrap();
    let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len() as u64, blocks, "{said}");
    assert_eq!(numbers[0] + blocks - 1, numbers[numbers.len() - 1], "in a row: {said}");
    numbers[0]
}

const EXT: &[Need] = &[Need::Program("mke2fs"), Need::Program("debugfs")];

/// A set of three files, and a file system `image` in whose free blocks two of them were: the first
/// at an odd sector with 10 sectors in the middle overwritten, of the second the last part. The
/// third is a file of the file system.
fn planted(room: &Room) -> (Vec<u8>, u64, u64) {
    let files = [random(1, 50_000), random(2, 33_333), random(3, 20_000)];
    files.iter().enumerate().for_each(|(n, file)| drop(room.file(format!("known/{n}"), file)));
    room.file("tree/live", &files[2]);
    room.file("tree/other", &random(4, 100_000));
    printed(room, "truncate -s 8M image && mke2fs -q -F -t ext4 -b 4096 -d tree image");
    let first = free(room, 16, 900) * 4096 + 3 * 512;
    let second = free(room, 12, 1500) * 4096;
    let mut image = fs::read(room.at("image")).unwrap();
    image[first as usize..][..50_000].copy_from_slice(&files[0]);
    image[first as usize + 20 * 512..][..10 * 512].copy_from_slice(&random(5, 10 * 512));
    image[second as usize..][..33_333 - 16_384].copy_from_slice(&files[1][16_384..]);
    room.file("image", &image);
    (image, first, second)
}

#[test]
fn fragments_are_found_in_unallocated_space() {
    if lacks(EXT) {
        return;
    }
    let room = Room::new();
    let (image, first, second) = planted(&room);
    build_of(&room, &[512, 4096]);
    let mut request = asked(&room, "image", &[512]);
    request.space = Space::Unallocated;
    let (summary, found) = ran(&room, &request).unwrap();
    assert_eq!(summary.conclusion(&[KnownStatus::KnownBad]), Verdict::Differs);
    let places: Vec<_> = found.iter().map(|one| (one.offset, one.length, one.files.clone())).collect();
    let of = |name: &str, at: u64| vec![(name.to_owned(), at)];
    let expected = [
        (first, 20 * 512, of("known/0", 0)),
        (first + 30 * 512, 50_000 - 30 * 512, of("known/0", 30 * 512)),
        (second, 33_333 - 16_384, of("known/1", 16_384)),
    ];
    assert_eq!(places, expected);
    blocks(&room, &image, &found);
    // The whole medium has the live file as well, once for each size.
    let (summary, found) = ran(&room, &asked(&room, "image", &[512, 4096])).unwrap();
    let live = found.iter().filter(|one| one.files[0].0 == "known/2").map(|one| one.length).sum::<u64>();
    assert_eq!((live, summary.sets), (2 * 20_000, 1));
    assert_eq!(summary.algorithms.iter().map(ToString::to_string).collect::<Vec<_>>(), ["sha256"]);
    let (_, found) = ran(&room, &asked(&room, "image", &[4096])).unwrap();
    let there = found.iter().find(|one| one.offset == second).unwrap();
    assert_eq!((there.blocks, &there.flags[..], &*there.files), (5, &[Flag::Histogram][..], &*of("known/1", 16_384)));
}

#[cfg(feature = "image")]
#[test]
fn every_kind_of_image_gives_the_same_answer() {
    use pfh::acquire::{self, ImageFormat, Origin, To};
    if lacks(&[EXT, &[Need::Loop, Need::Program("split")]].concat()) {
        return;
    }
    let room = Room::new();
    planted(&room);
    build_of(&room, &[512, 4096]);
    printed(&room, "split -b 3000000 -a 3 --numeric-suffixes=0 image part.");
    let to = To { path: room.at("case.E01"), form: ImageFormat::e01() };
    let acquire = acquire::Request::new(Origin::Medium(room.at("image")), vec![to]);
    acquire::run(&acquire, &mut |_| Ok(()), &pfh::Control::new()).unwrap();
    let device = Loop::attach(&room.at("image"), &["--read-only"]).unwrap();
    let images = [room.at("image"), room.at("part.000"), room.at("case.E01"), device.path().to_owned()];
    for space in [Space::Whole, Space::Unallocated] {
        let mut answers = Vec::new();
        for image in &images {
            let mut request = Request::new([image], [room.at("set")], [512, 4096]);
            request.space = space;
            let (summary, found) = ran(&room, &request).unwrap();
            assert_eq!(summary.conclusion(&[KnownStatus::KnownBad]), Verdict::Differs, "{image:?}");
            answers.push((found, summary.bytes, summary.sizes));
        }
        assert!(!answers[0].0.is_empty() && answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
    // The same image twice is searched twice.
    let once: Vec<Found> = ran(&room, &asked(&room, "image", &[512])).unwrap().1;
    let twice = Request::new([room.at("image"), room.at("./image")], [room.at("set")], [512]);
    let (summary, found) = ran(&room, &twice).unwrap();
    assert_eq!((found, summary.images), ([once.clone(), once].concat(), 2));
}
