//! Content that many files share, and digests that are like anything.

use crate::compare::base;
use crate::compare_all::{asked, names, rows};
use crate::room::Room;
use crate::rows::{algorithms, input};
use pfh::Control;
use pfh::compare::{self, Event, Request, Thresholds};
use pfh_inject::{content, random};

/// Pairs with a digest that is like anything are counted, and shown where that is asked for.
#[test]
fn pairs_by_chance_are_counted() {
    let room = Room::new();
    let once = random(3, 400_000);
    room.file("t/twice", &[&once[..], &once[..]].concat());
    room.file("t/other", &random(4, 20_000));
    for saturated in [false, true] {
        let mut request = Request::new(input(&room, &["t"]));
        request.saturated = saturated;
        let (mut counted, mut listed) = (Vec::new(), 0);
        let mut take = |event: Event<'_>| {
            match event {
                Event::Saturated { pairs, listed, .. } => counted.push((pairs, listed)),
                Event::Related(_) => listed += 1,
                _ => {}
            }
            Ok(())
        };
        compare::run(&request, &mut take, &Control::new()).unwrap();
        assert_eq!((counted, listed), (vec![(1, saturated)], u64::from(saturated)));
    }
}

/// Of pairs with such a digest those that share features for certain are pairs by sdhash alone.
#[test]
fn saturated_pairs_that_share_features_are_listed() {
    let room = Room::new();
    let once = random(3, 400_000);
    let twice = [&once[..], &once[..]].concat();
    room.file("t/a-twice", &twice);
    room.file("t/b-twice", &[&twice[..], &random(5, 3_000)].concat());
    room.file("t/c-other", &random(4, 20_000));
    for (memory, saturated) in [(64 << 20, false), (1 << 20, false), (64 << 20, true)] {
        let mut request = Request::new(input(&room, &["t"])).plan(Default::default(), Some(memory));
        (request.algorithms, request.saturated) = (algorithms("sdhash"), saturated);
        let (mut pairs, mut counted) = (Vec::new(), 0);
        let mut take = |event: Event<'_>| {
            match event {
                Event::Pair(pair) => pairs.push((base(pair.a), base(pair.b), pair.evidence.shared_features)),
                Event::Saturated { pairs, .. } => counted = pairs,
                _ => {}
            }
            Ok(())
        };
        let summary = compare::run(&request, &mut take, &Control::new()).unwrap();
        if saturated {
            assert_eq!((pairs.len(), summary.pairs), (3, 3), "{pairs:?}");
            continue;
        }
        let [(a, b, shared)] = &pairs[..] else { panic!("{pairs:?}") };
        assert_eq!((&**a, &**b, counted, summary.pairs), ("a-twice", "b-twice", 2, 1));
        // As many as --evidence says.
        request.evidence = true;
        let mut certain = None;
        let mut take = |event: Event<'_>| {
            if let Event::Pair(pair) = event {
                certain = pair.evidence.shared_features;
            }
            Ok(())
        };
        compare::run(&request, &mut take, &Control::new()).unwrap();
        assert!(shared.is_some_and(|shared| shared > 100) && *shared == certain, "{shared:?} {certain:?}");
    }
}

/// A window that very many files have says nothing, and is counted.
#[test]
fn windows_of_a_thousand_files_are_left_out() {
    let room = Room::new();
    let common = content(1, 4_000);
    for number in 0..1_010u64 {
        let mut bytes = common.clone();
        bytes.extend(content(100 + number / 2, 4_000));
        room.file(format!("s/{number:04}"), &bytes);
    }
    let mut request = asked(&room);
    request.algorithms = algorithms("shingles");
    let (mut pairs, mut left_out) = (0, 0);
    let mut take = |event: Event<'_>| {
        match event {
            Event::Pair(pair) => {
                let [a, b] = [pair.a, pair.b].map(|name| base(name).parse::<u64>().unwrap());
                assert_eq!(a / 2, b / 2);
                pairs += 1;
            }
            Event::Searched(searched) => left_out = searched.found.common,
            _ => {}
        }
        Ok(())
    };
    compare::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!(pairs, 505);
    assert!((80..200).contains(&left_out), "{left_out}");
}

/// Bytes that many files have make two of them no relatives; bytes that two have do.
#[test]
fn common_bytes_count_less_than_rare_ones() {
    let room = Room::new();
    let (head, rare) = (content(1, 2_000), content(2, 2_000));
    for number in 0..300u64 {
        let mut bytes = head.clone();
        bytes.extend(content(100 + number, 30_000));
        if number == 7 || number == 170 {
            bytes.extend(&rare);
        }
        room.file(format!("s/{number:04}"), &bytes);
    }
    let mut request = asked(&room);
    request.algorithms = algorithms("shingles");
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event {
            found.push((base(pair.a), base(pair.b), pair.evidence.contained));
        }
        Ok(())
    };
    compare::run(&request, &mut take, &Control::new()).unwrap();
    let [(a, b, Some([share, _]))] = &found[..] else { panic!("{found:?}") };
    // All shared bytes are in the evidence.
    assert!((&**a, &**b) == ("0007", "0170") && (8..=16).contains(share), "{found:?}");
}

/// Code that a linker puts into each program makes no pair of two; much shared code does.
#[test]
fn programs_share_more_than_their_compiler() {
    let room = Room::new();
    let (start, library) = (content(1, 2_000), content(2, 20_000));
    for (number, parts) in [&[&start[..]][..], &[&start], &[&start, &library], &[&library]].iter().enumerate() {
        let own = 10 + number as u64;
        let strings: Vec<u8> =
            (0..400u64).flat_map(|n| format!("{own} of {}\0", n * n * 7_919 + own).into_bytes()).collect();
        let bytes = [b"\x7fELF\x02\x01\x01\0", &parts.concat()[..], &content(own, 30_000), &strings].concat();
        room.file(format!("s/{number}"), &bytes);
    }
    let (found, ..) = rows(&asked(&room));
    assert_eq!(names(&found), [("2", "3")], "{found:#?}");
    let mut each = asked(&room);
    each.thresholds = Thresholds::parse(&["shingles=3".into()], false).unwrap();
    assert_eq!(rows(&each).0.len(), 4);
    // The same bytes in front of other kinds of files are shared.
    for number in 0..2 {
        let bytes = std::fs::read(room.at(format!("s/{number}"))).unwrap();
        room.file(format!("s/{number}"), &bytes[4..]);
    }
    assert!(names(&rows(&asked(&room)).0).contains(&("0", "1")));
}
