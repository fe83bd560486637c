//! Large files of a plan in ranges, which any units read in any order.
#![cfg(unix)] // names that Windows has not

use crate::plan_units::{asked, carry_out, carry_out_to, made, merged, one, part, read, sealed};
use crate::room::{Room, names};
use pfh::hash::Sealing;
use pfh::job::Kind;
use pfh::plan::{Event, make, merge, unit};
use pfh::{Control, check};
use pfh_inject::random;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Small files, and some that are larger than a range, by a byte or many ranges.
fn furnished() -> Room {
    let room = Room::new();
    for number in 0..5 {
        room.file(format!("tree/{number}"), &random(number, 9_000 * number as usize));
    }
    room.file("tree/large", &random(10, 3_000_000));
    room.file("tree/even", &random(11, 4 << 16));
    room.file("tree/odd name\n", &random(12, (1 << 16) + 1));
    room.file("tree/just", &random(13, 1 << 16));
    room
}

fn planned(room: &Room, by: &str, names: &[&str], split: u64, unit: u64) -> make::Request {
    let mut request = asked(room, by, names).unit(unit);
    request.split = Some(split);
    request
}

/// Runs all units in an order that the seed decides, some of them twice.
fn run(room: &Room, seed: usize) {
    let units = names(&room.at("PLAN/units")).len();
    // A number that shares no divisor with that of the units reaches each.
    let step =
        (seed + 1..).find(|step| (2..=units).all(|d| !units.is_multiple_of(d) || !step.is_multiple_of(d))).unwrap();
    for n in 0..units {
        let unit = (n * step % units + 1) as u64;
        assert!(carry_out(room, unit, false).unwrap().run.is_some());
        assert_eq!(carry_out(room, unit, n % 3 == 0).unwrap().run.is_some(), n % 3 == 0);
    }
}

#[test]
fn ranges_in_any_order_give_the_manifest_of_one_run() {
    for (seed, (format, by)) in [
        ("sums", "blake3"),
        ("jsonl", "blake3,kt128,sakura-fng-256"),
        ("dfxml", "kt256"),
        ("csv", "parallelhash128,blake3:64"),
        ("jsonl", "parallelhash256,block=4096"),
    ]
    .into_iter()
    .enumerate()
    {
        let room = furnished();
        let mut request = planned(&room, by, &["tree", "missing"], 64 << 10, 200 << 10);
        request.format = format.parse().unwrap();
        let plan = made(&request);
        assert!(plan.units > 10 && plan.files == 9, "{by}: {plan:?}");
        run(&room, 7 * seed + 3);
        let manifest = merge::Manifest::new(room.at("many")).seal(Some(Sealing::default()));
        let plan = merge::Request::new(room.at("PLAN"));
        let many = merge::write(&plan, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
        let one = one(&room, &request, "one", Some(Sealing::default()));
        assert_eq!((many.run.failed, one.summary.run.failed), (1, 1));
        assert!(read(&room, "many") == read(&room, "one"), "{by}: {}", String::from_utf8_lossy(&read(&room, "many")));
        assert_eq!(sealed(&room, "many"), sealed(&room, "one"), "{by}");
        let mut held = 0;
        let mut take = |event: check::Event<'_>| {
            held += u32::from(matches!(event, check::Event::Sealed(_)));
            Ok(())
        };
        check::run(&check::Request::new(room.at("many")), &mut take, &Control::new()).unwrap();
        assert_eq!(held, 1);
    }
}

#[test]
fn a_file_that_changed_has_no_digest() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 5] = [
        ("change time", |path| {
            // A byte is another, and the modification time is put back.
            let file = File::options().write(true).open(path).unwrap();
            let times = FileTimes::new().set_modified(file.metadata().unwrap().modified().unwrap());
            file.write_all_at(b"!", 1_000_000).unwrap();
            file.set_times(times).unwrap();
        }),
        ("modification time", |path| {
            File::options().write(true).open(path).unwrap().write_all_at(b"!", 2_999_999).unwrap();
        }),
        ("size", |path| File::options().append(true).open(path).unwrap().set_len(3_000_001).unwrap()),
        ("file", |path| {
            let other = path.with_file_name("other");
            fs::copy(path, &other).unwrap();
            fs::rename(other, path).unwrap();
        }),
        ("No such file", |path| fs::remove_file(path).unwrap()),
    ];
    for (what, change) in changes {
        // Before any unit runs, and between the units.
        for ran in [0, 3] {
            let room = furnished();
            let mut request = planned(&room, "blake3,kt128", &["tree"], 256 << 10, 256 << 10);
            request.format = "jsonl".parse().unwrap();
            let units = made(&request).units;
            carry_out_to(&room, ran);
            change(&room.at("tree/large"));
            let mut problems = Vec::new();
            let mut take = |event: Event<'_>| {
                if let Event::Record(record) = event
                    && let pfh::Outcome::Failed(problem) = &record.outcome
                {
                    problems.push(problem.to_string());
                }
                Ok(())
            };
            for number in ran + 1..=units {
                unit::run(&unit::Request::new(room.at("PLAN"), number), &mut take, &Control::new()).unwrap();
            }
            assert!(problems.iter().any(|problem| problem.contains(what)), "{what}: {problems:?}");
            let (mut complaints, mut hashed) = (Vec::new(), 0);
            let mut take = |event: Event<'_>| {
                if let Event::Merged(one) = event {
                    complaints.extend(one.complaint.map(str::to_owned));
                    hashed += u32::from(one.size.is_some());
                }
                Ok(())
            };
            let summary = merge::run(&merge::Request::new(room.at("PLAN")), &mut take, &Control::new()).unwrap();
            assert_eq!((summary.run.failed, hashed, complaints.len()), (1, 8, 1), "{what}: {complaints:?}");
            assert!(complaints[0].contains("tree/large: ") && complaints[0].contains(what), "{complaints:?}");
        }
    }
}

#[test]
fn ranges_that_are_missing_or_another_are_not_merged() {
    let room = furnished();
    let request = planned(&room, "kt128", &["tree/large"], 512 << 10, 512 << 10);
    assert_eq!(made(&request).units, 6);
    run(&room, 4);
    let (path, bytes) = (part(&room, 3), fs::read(part(&room, 3)).unwrap());
    let refused = |what: &str| {
        let error = merged(&room, "out").unwrap_err();
        assert!(error.kind() == Kind::Input && error.to_string().contains(what), "{what}: {error}");
        assert!(!room.at("out").exists());
    };
    fs::remove_file(&path).unwrap();
    refused("unit 3 is missing");
    // Each bit counts.
    for at in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 100] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        fs::write(&path, flipped).unwrap();
        refused("000003");
    }
    fs::write(&path, fs::read(part(&room, 4)).unwrap()).unwrap();
    refused("unit 4 is there twice");
    fs::write(&path, &bytes).unwrap();
    merged(&room, "many").unwrap();
    one(&room, &request, "one", None);
    assert_eq!(read(&room, "many"), read(&room, "one"));
}

#[test]
fn what_has_no_ranges_is_refused() {
    let room = furnished();
    for (by, split, piecewise, what) in [
        ("sha256", 1 << 20, None, "sha256 needs a file from its first byte to its last"),
        ("blake3,md5", 1 << 20, None, "md5 needs"),
        ("sakura-li-128", 1 << 20, None, "sakura-li-128 needs"),
        ("blake3", 3_000_000, None, "power of two"),
        ("blake3", 512, None, "power of two"),
        ("blake3", 0, None, "power of two"),
        ("kt128", 12 << 10, None, "multiple of 8192"),
        ("blake3", 1 << 20, Some(4096), "windows"),
    ] {
        let mut request = planned(&room, by, &["tree"], split, 20 << 10);
        request.piecewise = piecewise;
        let error = make::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert!(error.kind() == Kind::Request && error.to_string().contains(what), "{by} {split}: {error}");
        assert!(!room.at("PLAN").exists(), "{by} {split}");
    }
    // A file no longer than a range is read as ever, also when it grows later.
    let request = planned(&room, "blake3", &["tree/just"], 64 << 10, 20 << 10);
    assert_eq!(made(&request).ranged, 0);
    room.file("tree/just", &random(14, 100_000));
    carry_out(&room, 1, false).unwrap();
    merged(&room, "many").unwrap();
    one(&room, &request, "one", None);
    assert_eq!(read(&room, "many"), read(&room, "one"));
}
