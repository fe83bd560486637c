//! Sets of files that are one archive: cabinets whose folders go on in the next one, and the parts
//! of a split WIM.

mod cabinet;
mod split;

use cabinet::{files, set};
use pfh_archive::{Format, Limits, cabinet_of_set, open_parts};
use pfh_inject::{Need, lacks};
use std::io::Read;
use std::process::Command;
use std::sync::Arc;

/// MSZIP.
fn pack(before: &[u8], block: &[u8]) -> Vec<u8> {
    let mut deflate = flate2::Compress::new(flate2::Compression::fast(), false);
    if !before.is_empty() {
        deflate.set_dictionary(before).unwrap();
    }
    let mut out = Vec::with_capacity(2 * block.len() + 100);
    deflate.compress_vec(block, &mut out, flate2::FlushCompress::Finish).unwrap();
    [b"CK", &out[..]].concat()
}

type Outcomes = Vec<(String, Result<Vec<u8>, String>)>;

/// Each file of a set, with its bytes or its fault.
fn read(format: Format, parts: &[Vec<u8>]) -> Outcomes {
    let starts: Vec<u64> = parts
        .iter()
        .scan(0, |at, part| {
            *at += part.len() as u64;
            Some(*at - part.len() as u64)
        })
        .collect();
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let nodes = match open_parts(format, Arc::new(parts.concat()), &starts, &Limits::default()) {
        Ok(nodes) => nodes,
        Err(failure) => return vec![(text(&failure.path), Err(failure.to_string()))],
    };
    let content = |node: &pfh_archive::Node| -> Option<Result<Vec<u8>, String>> {
        let opened = node.content.as_ref()?.open().map_err(|failure| failure.to_string());
        Some(opened.and_then(|mut reader| {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map_err(|error| error.to_string())?;
            assert_eq!(node.size, Some(all.len() as u64));
            Ok(all)
        }))
    };
    nodes
        .filter_map(|found| match found {
            Ok(node) => Some((text(&node.path), content(&node)?)),
            Err(failure) => Some((text(&failure.path), Err(failure.to_string()))),
        })
        .collect()
}

fn expected() -> Vec<(String, Vec<u8>)> {
    files().into_iter().map(|(name, bytes)| (name.replace('\\', "/"), bytes)).collect()
}

fn whole(found: Outcomes) -> Vec<(String, Vec<u8>)> {
    found.into_iter().map(|(name, is)| (name.clone(), is.unwrap_or_else(|why| panic!("{name}: {why}")))).collect()
}

#[test]
fn folders_go_on_from_cabinet_to_cabinet() {
    // Cabinets with many blocks, with one, and with parts of one.
    for (room, is_packed, count) in [(100_000, false, 4), (100_000, true, 3), (40_000, false, 10), (9000, true, 25)] {
        let cabinets = set(&files(), room, is_packed.then_some(pack));
        assert!(cabinets.len() >= count, "{}", cabinets.len());
        assert!(whole(read(Format::Cab, &cabinets)) == expected(), "{room} {is_packed}");
        let second = cabinet_of_set(&cabinets[1]).unwrap();
        assert_eq!(
            (second.id, second.number, &second.previous[..], &second.next[..]),
            (77, 1, &b"1.cab"[..], &b"3.cab"[..])
        );
    }
    assert_eq!(cabinet_of_set(&set(&files(), 1 << 20, None)[0]), None);
}

#[test]
fn cabinets_that_are_missing_or_of_another_set_are_named() {
    let cabinets = set(&files(), 100_000, None);
    let errors = |parts: &[Vec<u8>]| -> Vec<String> {
        read(Format::Cab, parts).into_iter().filter_map(|(name, is)| Some(format!("{name}: {}", is.err()?))).collect()
    };
    // Without the last ones: files that go on in them are named, all in front of them are read.
    let found = read(Format::Cab, &cabinets[..2]);
    let good = found.iter().filter(|(_, is)| is.is_ok()).count();
    let bad: Vec<_> = found.iter().filter_map(|(_, is)| is.as_ref().err()).collect();
    assert!(good > 0 && bad.len() == 2, "{bad:?}");
    assert!(bad[0].contains("the cabinet 3.cab of the set is not beside this one"), "{bad:?}");
    assert!(bad[1].contains("goes on in the cabinet 3.cab, which is not beside"), "{bad:?}");
    // Without the first one nothing of the folder can be read, and each name says so.
    let found = errors(&cabinets[1..]);
    let (first, members) = found.split_first().unwrap();
    assert!(first.contains("the cabinet 1.cab of the set"), "{first}");
    assert!(members.iter().all(|why| why.contains("begins in the cabinet 1.cab, which is not beside")), "{found:?}");
    // One in the middle is missing, or another one: both sides contradict each other.
    let other: Vec<cabinet::File> =
        files().into_iter().map(|(name, bytes)| (if name == "rows" { "rowz" } else { name }, bytes)).collect();
    let other = set(&other, 100_000, None);
    let mixed = [&cabinets[..2], &other[2..]].concat();
    let found = errors(&mixed);
    assert!(found.iter().any(|why| why.contains("does not list it")), "{found:?}");
    let packed = set(&files(), 100_000, Some(pack));
    let found = errors(&[cabinets[0].clone(), packed[1].clone()]);
    assert!(found.iter().any(|why| why.contains("contradict each other") && why.contains("offset")), "{found:?}");
    // A byte of a block that two cabinets share.
    let mut wrong = cabinets.clone();
    *wrong[0].last_mut().unwrap() ^= 1;
    let found = errors(&wrong);
    assert!(found.iter().any(|why| why.contains("checksum")), "{found:?}");
}

/// Reading a changed set always ends.
#[test]
fn mutants_of_sets_end() {
    let mut random = 5_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    for (format, whole) in [(Format::Cab, set(&files(), 40_000, Some(pack))), (Format::Wim, split::split(3))] {
        for _ in 0..100 {
            let mut parts = whole.clone();
            for _ in 0..=next(3) {
                let part = next(parts.len());
                let end = if next(2) == 0 { 300 } else { parts[part].len() };
                let at = next(end.min(parts[part].len()));
                parts[part][at] = [0, 0xff, 1, next(256) as u8][next(4)];
            }
            if next(5) == 0 {
                let part = next(parts.len());
                parts.remove(part);
            }
            read(format, &parts);
        }
    }
}

/// 7-Zip reads the same sets, and cabextract those whose folders end with the file that goes on: it
/// leaves out the files behind that one.
#[test]
fn other_programs_read_the_sets_of_the_writer() {
    if lacks(&[Need::Program("7z"), Need::Program("cabextract")]) {
        return;
    }
    let (seven, extract) = ("7z x -bd -oout 1.cab >&2", "cabextract -q -d out 1.cab");
    for (room, is_packed, line, count) in [
        (100_000, false, seven, 6),
        (100_000, true, seven, 6),
        (9000, true, seven, 6),
        (100_000, false, extract, 2),
        (40_000, true, extract, 2),
    ] {
        let directory = tempfile::tempdir().unwrap();
        for (number, cabinet) in set(&files()[..count], room, is_packed.then_some(pack)).iter().enumerate() {
            std::fs::write(directory.path().join(format!("{}.cab", number + 1)), cabinet).unwrap();
        }
        let output = Command::new("sh").args(["-c", line]).current_dir(directory.path()).output().unwrap();
        assert!(output.status.success(), "{line} {room}: {}", String::from_utf8_lossy(&output.stderr));
        for (name, bytes) in expected().into_iter().take(count) {
            let found = std::fs::read(directory.path().join("out").join(&name));
            assert!(found.is_ok_and(|found| found == bytes), "{line}: {name} {room} {output:?}");
        }
    }
}
