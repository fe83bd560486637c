//! Lists that are not whole, names of every kind, and inputs without anything to compare with.

use crate::compare::{good, rows};
use crate::room::Room;
use crate::rows::{algorithms, input, pairs_as};
use pfh::compare::{self, Request, ThresholdError, Thresholds};
use pfh::{Control, Input};
use pfh_inject::random;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[test]
fn malformed_lists_are_reported_line_by_line() {
    let room = Room::new();
    let list = "ssdeep,1.1--blocksize:hash:hash,filename\n3:abcdefgh:i,\"a\"\n3:a*:b,\"x\"\n4:a:b,\"x\"\n\
                3:abcdefgh:i,\"b\"\nrubbish\n";
    let mut request = Request::new(Input::new([room.file("list", list)]));
    request.thresholds = Thresholds::one(Some(1));
    let (summary, rows) = good(&request);
    assert_eq!((rows.pairs, summary.faults), (vec![("a".into(), "b".into(), 100)], 3));
    for (fault, line) in
        rows.faults.iter().zip(["line 3: char", "line 4: impossible block size", "line 6: wrong number"])
    {
        assert!(fault.contains(line), "{line}: {fault}");
    }
    // A line that the memory does not hold is one fault.
    let mut long = b"sdbf:03:1:a:600:sha1:256:5:7ff:160:99999:1:".to_vec();
    long.resize(5 << 20, b'A');
    long.push(b'\n');
    let request = Request::new(Input::new([room.file("long", &long)])).plan(Default::default(), Some(1 << 20));
    let (summary, rows) = good(&request);
    assert_eq!((summary.faults, rows.faults.len()), (1, 1));
    assert!(rows.faults[0].contains("line 1: line too long"), "{:?}", rows.faults);
}

#[test]
fn thresholds_are_numbers_and_similarities_at_most_100() {
    let parse = |text: &str| Thresholds::parse(&[text.to_owned()], false);
    assert!(matches!(parse("x"), Err(ThresholdError::Number(_))));
    assert!(matches!(parse("sha257=1"), Err(ThresholdError::Algorithm(_))));
    let room = Room::new();
    room.file("t/a", &random(1, 90_000));
    room.file("t/b", &[random(1, 60_000), random(2, 30_000)].concat());
    let asked = |text: &str| {
        let mut request = Request::new(input(&room, &["t"]));
        request.thresholds = parse(text).unwrap();
        request
    };
    let too_high = asked("sdhash=101").check().unwrap_err();
    assert!(matches!(too_high.find::<ThresholdError>(), Some(ThresholdError::TooHigh)), "{too_high}");
    assert!(asked("tlsh=101").check().is_ok() && asked("sdhash=100").check().is_ok());
    // The number that two files share has no bound.
    for (text, pairs) in [("mrsh-v2=110", 1), ("mrsh-v2=100000", 0)] {
        let mut request = asked(text);
        (request.algorithms, request.evidence) = (algorithms("mrsh-v2"), true);
        assert_eq!(good(&request).0.pairs, pairs, "{text}");
    }
}

#[cfg(unix)]
#[test]
fn names_come_through_whole() {
    let room = Room::new();
    let bytes = random(7, 20_000);
    for name in [&b"a,\"b\nc"[..], b"\xff\x1b[31m", "\u{202e}x".as_bytes()] {
        room.file(Path::new("t").join(std::ffi::OsStr::from_bytes(name)), &bytes);
    }
    let mut request = Request::new(input(&room, &["t"]));
    request.algorithms = algorithms("ssdeep");
    let json = pairs_as(&room, &request, "jsonl");
    assert_eq!(json.lines().count(), 3);
    let last: serde_json::Value = serde_json::from_str(json.lines().nth(2).unwrap()).unwrap();
    let a = format!("{}/\u{202e}x", room.at("t").display());
    let b = [room.at("t").as_os_str().as_bytes(), b"/\xff\x1b[31m"].concat();
    assert_eq!((last["a"].as_str(), last["b_b64"].as_str()), (Some(&*a), Some(&*data_encoding::BASE64.encode(&b))));
    for form in ["text", "csv"] {
        // UTF-8, so that no byte of the name stands there as it is.
        let text = pairs_as(&room, &request, form);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{form}: {text}");
        assert!(text.lines().count() >= 3);
    }
}

#[test]
fn one_input_is_nothing_to_compare() {
    let room = Room::new();
    let file = room.file("tree/only", &random(1, 20_000));
    std::fs::create_dir(room.at("empty")).unwrap();
    for (operand, against) in [("tree", None), ("empty", None), ("tree", Some("empty")), ("empty", Some("tree"))] {
        let mut request = Request::new(input(&room, &[operand]));
        request.against = against.into_iter().map(|name| room.at(name).into()).collect();
        let (summary, rows) = good(&request);
        assert_eq!((summary.comparable, rows.pairs.len()), (false, 0), "{operand} {against:?}");
    }
    let mut twice = Request::new(Input::new([&file, &file]));
    twice.algorithms = algorithms("mrsh-v2");
    let (summary, rows) = good(&twice);
    assert_eq!((summary.comparable, rows.pairs.len()), (true, 1));
}

/// Nearly equal digests by the ten thousand: the work ahead is announced at once, and the groups
/// come without the pairs.
#[test]
fn near_equal_digests_are_announced_and_their_groups_are_found() {
    let room = Room::new();
    let mut list = String::from("ssdeep,1.1--blocksize:hash:hash,filename\n");
    let base: Vec<u8> = random(1, 64).iter().map(|byte| b'A' + byte % 26).collect();
    for i in 0..12_000u64 {
        let mut letters = base.clone();
        for (n, byte) in random(i + 2, 4).into_iter().enumerate() {
            letters[usize::from(byte) % 64] = b'a' + n as u8;
        }
        list += &format!("96:{}:x,\"{i}\"\n", String::from_utf8(letters).unwrap());
    }
    let mut request = Request::new(Input::new([room.file("list", &list)]));
    (request.cluster, request.linkage) = (true, compare::Linkage::Single);
    let (_, found) = good(&request);
    let [(name, digests, took)] = &found.searched[..] else { panic!("{:?}", found.searched) };
    assert_eq!((&**name, *digests, found.groups.len(), found.groups[0].len()), ("ssdeep", 12_000, 1, 12_000));
    assert!(took.compared < 1_000_000, "{took:?}");
    (request.cluster, request.thresholds) = (false, Thresholds::one(Some(100)));
    let (ran, found) = rows(&request, &Control::new());
    assert!(ran.is_ok() && found.costly == 1);
}
