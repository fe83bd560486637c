//! One manifest of many units: that of one run, in any order, or none.
#![cfg(unix)] // names that Windows has not, and links

use crate::check::Ended;
use crate::room::{Room, names};
use crate::rows::{algorithms, input, printed};
use pfh::check::{Request as Check, Verdict};
use pfh::hash::{self, Sealing};
use pfh::job::{Error, Kind};
use pfh::manifest::{End, Layout, Marker};
use pfh::plan::{Event, Problem, make, merge, unit};
use pfh::{Control, Outcome};
use pfh_inject::random;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files of many sizes, names that are hard to write, and names that are not files.
fn furnished() -> Room {
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("tree/{}/{number}", number % 7), &random(number, 500 * number as usize));
    }
    room.file("tree/huge", &random(1, 90_000));
    room.file("tree/a\nb\\c \u{202e}", "odd");
    let bytes: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"tree/\xff\xfe,\"'");
    room.file(Path::new(bytes), "no text");
    std::os::unix::fs::symlink("huge", room.at("tree/link")).unwrap();
    printed(&room, "mkfifo tree/pipe");
    room
}

/// A plan in units of 20 KiB of these inputs, by these algorithms.
pub fn asked(room: &Room, by: &str, names: &[&str]) -> make::Request {
    make::Request::new(input(room, names), algorithms(by), room.at("PLAN")).unit(20 << 10)
}

pub fn made(request: &make::Request) -> make::Summary {
    make::run(request, &mut |_| Ok(()), &Control::new()).unwrap()
}

pub fn carry_out(room: &Room, number: u64, again: bool) -> Result<unit::Summary, Error> {
    let mut request = unit::Request::new(room.at("PLAN"), number);
    request.again = again;
    unit::run(&request, &mut |_| Ok(()), &Control::new())
}

/// Carries out the units up to this one, one after the other.
pub fn carry_out_to(room: &Room, last: u64) {
    (1..=last).for_each(|unit| assert!(carry_out(room, unit, false).unwrap().run.is_some()));
}

pub fn merged(room: &Room, to: &str) -> Result<merge::Summary, Error> {
    let manifest = merge::Manifest::new(room.at(to));
    let mut request = merge::Request::new(room.at("PLAN"));
    request.replace = true;
    merge::write(&request, &manifest, &mut |_| Ok(()), &Control::new())
}

/// The manifest of one run that asks for the same as a plan.
pub fn one(room: &Room, plan: &make::Request, to: &str, seal: Option<Sealing>) -> hash::ManifestOutcome {
    let mut request = hash::Request::new(plan.input.clone(), plan.algorithms.clone()).replace(true);
    request.plan.piecewise = plan.piecewise;
    let manifest = hash::Manifest::new(room.at(to)).format(plan.format, plan.layout).seal(seal);
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap()
}

pub fn read(room: &Room, name: &str) -> Vec<u8> {
    fs::read(room.at(name)).unwrap()
}

/// All that the seal of a list states of its records: two runs differ in its time and name.
pub fn sealed(room: &Room, list: &str) -> (u64, [u8; 32], Option<pfh::seal::List>) {
    let seal = pfh::seal::read(&room.at(list)).unwrap().expect("a seal");
    (seal.records, seal.root, seal.list)
}

/// The part of a unit.
pub fn part(room: &Room, unit: u64) -> PathBuf {
    let start = format!("{unit:06}.");
    let name = names(&room.at("PLAN/parts")).into_iter().find(|name| name.starts_with(&start)).unwrap();
    room.at("PLAN/parts").join(name)
}

#[test]
fn units_give_the_manifest_of_one_run() {
    let nul = Layout { end: End::Nul, marker: Marker::Text };
    for (format, by, piecewise, layout) in [
        ("sums", "sha256", None, Layout::default()),
        ("bsd", "sha3-256,md5", None, Layout::default()),
        ("hashdeep", "md5,sha256", Some(10_000), Layout::default()),
        ("dfxml", "sha1", None, Layout::default()),
        ("jsonl", "blake3,ssdeep", None, Layout::default()),
        ("csv", "sha256", None, Layout::default()),
        ("ssdeep", "ssdeep", None, Layout::default()),
        ("sums", "sha256", None, nul),
    ] {
        let room = furnished();
        let mut request = asked(&room, by, &["tree", "missing", "tree/huge"]);
        (request.format, request.piecewise, request.layout) = (format.parse().unwrap(), piecewise, layout);
        let plan = made(&request);
        assert!(plan.units > 5 && plan.failed == 1, "{format}: {plan:?}");
        carry_out_to(&room, plan.units);
        let many = merged(&room, "many").unwrap();
        let one = one(&room, &request, "one", None);
        let (ours, theirs) = (many.run, one.summary.run);
        assert_eq!(
            (ours.hashed, ours.skipped, ours.failed),
            (theirs.hashed, theirs.skipped, theirs.failed),
            "{format}"
        );
        assert_eq!((many.unwritten, ours.failed), (one.unwritten, 1), "{format}");
        assert!(
            read(&room, "many") == read(&room, "one"),
            "{format}: {}",
            String::from_utf8_lossy(&read(&room, "many"))
        );
    }
}

#[test]
fn a_manifest_has_one_seal_over_all() {
    let room = furnished();
    let request = asked(&room, "sha256", &["tree"]);
    carry_out_to(&room, made(&request).units);
    let manifest = merge::Manifest::new(room.at("many")).seal(Some(Sealing::default()));
    let plan = merge::Request::new(room.at("PLAN"));
    merge::write(&plan, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    one(&room, &request, "one", Some(Sealing::default()));
    assert!(read(&room, "many") == read(&room, "one"));
    assert_eq!(sealed(&room, "many"), sealed(&room, "one"));
    assert_eq!(Ended::of(&Check::new(room.at("many"))).conclusion(), Verdict::Verified);
    let error = merge::write(&plan, &manifest, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
}

#[test]
fn a_unit_that_was_carried_out_is_left_as_it_is() {
    let room = furnished();
    carry_out_to(&room, made(&asked(&room, "sha256", &["tree"])).units);
    let place = part(&room, 2);
    let inode = || fs::metadata(&place).unwrap().ino();
    let before = (inode(), fs::read(&place).unwrap());
    assert!(carry_out(&room, 2, false).unwrap().run.is_none());
    assert_eq!((inode(), fs::read(&place).unwrap()), before);
    assert!(carry_out(&room, 2, true).unwrap().run.is_some());
    assert!(inode() != before.0 && fs::read(&place).unwrap() == before.1);
    // A part that a power cut left in half is not one.
    fs::write(&place, &before.1[..before.1.len() / 2]).unwrap();
    assert_eq!(merged(&room, "out").unwrap_err().kind(), Kind::Input);
    carry_out(&room, 2, false).unwrap();
    assert!(fs::read(&place).unwrap() == before.1);
    merged(&room, "out").unwrap();
}

#[test]
fn missing_doubled_strange_and_damaged_units_are_named() {
    let room = furnished();
    carry_out_to(&room, made(&asked(&room, "sha256", &["tree"])).units);
    let refused = |what: &str| {
        let error = merged(&room, "out").unwrap_err();
        assert!(error.kind() == Kind::Input && error.to_string().contains(what), "{what}: {error}");
        assert!(!room.at("out").exists());
        error
    };
    let (two, three) = (part(&room, 2), part(&room, 3));
    let (of_two, of_three) = (fs::read(&two).unwrap(), fs::read(&three).unwrap());
    fs::remove_file(&two).unwrap();
    assert!(matches!(refused("unit 2 is missing").find(), Some(Problem::Missing(units)) if *units == [2]));
    fs::remove_file(&three).unwrap();
    assert!(matches!(refused("units 2-3 are missing").find(), Some(Problem::Missing(units)) if *units == [2, 3]));
    fs::write(&two, &of_three).unwrap();
    fs::write(&three, &of_three).unwrap();
    refused("unit 3 is there twice");
    let mut flipped = of_two.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    for damaged in [&flipped[..], b""] {
        fs::write(&two, damaged).unwrap();
        refused("000002");
    }
    // All that is wrong is named at once.
    fs::remove_file(&three).unwrap();
    for what in ["000002", "units 2-3 are missing"] {
        refused(what);
    }
    fs::write(&three, &of_three).unwrap();
    fs::write(&two, &of_two).unwrap();
    merged(&room, "good").unwrap();
    // A unit of another plan.
    let mut other = asked(&room, "md5", &["tree"]);
    other.plan = room.at("other");
    made(&other);
    unit::run(&unit::Request::new(room.at("other"), 1), &mut |_| Ok(()), &Control::new()).unwrap();
    let stranger = names(&room.at("other/parts")).into_iter().next().unwrap();
    let copy = room.at("PLAN/parts").join(&stranger);
    fs::copy(room.at("other/parts").join(&stranger), &copy).unwrap();
    refused("is a unit of another plan");
    fs::remove_file(copy).unwrap();
    // A pipe is not waited for, a device is not read, and a file without lines takes little memory.
    printed(&room, "mkfifo PLAN/parts/pipe && ln -s /dev/zero PLAN/parts/zero && truncate -s 1T PLAN/parts/sparse");
    for what in ["pipe: is not a file", "zero: is not a file", "sparse: is not whole"] {
        refused(what);
    }
    printed(&room, "rm PLAN/parts/pipe PLAN/parts/zero PLAN/parts/sparse");
    printed(&room, "mv PLAN/units/000001 kept && mkfifo PLAN/units/000001");
    let error = carry_out(&room, 1, true).unwrap_err();
    assert!(error.kind() == Kind::Input && error.to_string().contains("is not a file"), "{error}");
    printed(&room, "mv kept PLAN/units/000001");
    merged(&room, "good").unwrap();
    // Neither list nor plan may be another than the one that was made.
    let listed = read(&room, "PLAN/units/000001");
    room.file("PLAN/units/000001", &listed[..listed.len() - 1]);
    let error = carry_out(&room, 1, true).unwrap_err();
    assert!(error.kind() == Kind::Input && error.to_string().contains("not the list"), "{error}");
    let text = String::from_utf8(read(&room, "PLAN/plan.json")).unwrap();
    room.file("PLAN/plan.json", &text.replace("\"sums\"", "\"bsd\""));
    refused("not the plan that was made");
    room.file("PLAN/plan.json", &text[..100]);
    refused("holds no plan");
    fs::remove_file(room.at("PLAN/plan.json")).unwrap();
    refused("plan.json");
}

#[test]
fn what_changes_after_the_plan_is_what_a_run_would_find() {
    let room = furnished();
    let mut request = asked(&room, "sha256", &["tree"]);
    request.format = "jsonl".parse().unwrap();
    let units = made(&request).units;
    room.file("tree/huge", "small now");
    fs::remove_file(room.at("tree/1/8")).unwrap();
    fs::create_dir(room.at("tree/1/8")).unwrap();
    let failed: Vec<u64> = (1..=units).map(|unit| carry_out(&room, unit, false).unwrap().failed).collect();
    assert_eq!((failed.iter().sum::<u64>(), failed.iter().max()), (1, Some(&1)), "{failed:?}");
    let (mut sizes, mut complaints) = (Vec::new(), Vec::new());
    let mut take = |event: Event<'_>| {
        if let Event::Merged(one) = event {
            sizes.extend(one.size);
            complaints.extend(one.complaint.map(str::to_owned));
        }
        Ok(())
    };
    let summary = merge::run(&merge::Request::new(room.at("PLAN")), &mut take, &Control::new()).unwrap();
    assert!(sizes.contains(&9) && !sizes.contains(&90_000), "{sizes:?}");
    assert_eq!(summary.run.failed, 1);
    assert!(complaints.iter().any(|complaint| complaint.contains("tree/1/8")), "{complaints:?}");
}

/// Nothing is written through a link of a plan.
#[test]
fn a_link_in_the_place_of_the_parts_is_refused() {
    let room = Room::new();
    room.file("t/f", "1");
    made(&asked(&room, "sha256", &["t"]));
    fs::create_dir(room.at("elsewhere")).unwrap();
    fs::rename(room.at("PLAN/parts"), room.at("PLAN/moved")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", room.at("PLAN/parts")).unwrap();
    let error = carry_out(&room, 1, false).unwrap_err();
    assert!(error.kind() == Kind::Request && error.to_string().contains("link"), "{error}");
    assert_eq!(names(&room.at("elsewhere")), [""; 0]);
}

/// The records of a run, for plans that list names that cannot be hashed.
#[test]
fn what_is_not_a_file_is_named_when_the_plan_is_made() {
    let room = furnished();
    let mut skipped = 0;
    let mut take = |event: Event<'_>| {
        if let Event::Record(record) = event {
            skipped += u32::from(matches!(record.outcome, Outcome::Skipped(_)));
        }
        Ok(())
    };
    let summary = make::run(&asked(&room, "sha256", &["tree"]), &mut take, &Control::new()).unwrap();
    assert_eq!((skipped, summary.skipped, summary.failed, summary.files), (2, 2, 0, 43));
}
