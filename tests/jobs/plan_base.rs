//! Units on machines that have the tree of the plan elsewhere.
#![cfg(unix)] // absolute names that start at the root

use crate::plan_units::{asked, made, merged, one, read};
use crate::room::{Room, names};
use pfh::job::{Error, Kind};
use pfh::plan::{Event, Problem, make, unit};
use pfh::{Control, NameList, Separator};
use pfh_inject::random;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of many sizes.
fn furnished() -> Room {
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("tree/{}/{number}", number % 7), &random(number, 500 * number as usize));
    }
    let bytes: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"tree/\xff\xfe,\"'");
    room.file(Path::new(bytes), "no text");
    room
}

/// The same tree in another place, from the root on as in the room.
fn copied(room: &Room, how: &str) -> Room {
    let other = Room::new();
    other.sh(&format!("mkdir -p .{0} && cp {how} {0}/tree .{0}/tree", room.path().display()));
    other
}

fn run_at(room: &Room, number: u64, base: &Path) -> Result<unit::Summary, Error> {
    let mut request = unit::Request::new(room.at("PLAN"), number);
    request.base = Some(base.to_owned());
    unit::run(&request, &mut |_| Ok(()), &Control::new())
}

/// Where the other room has this one.
fn of(other: &Room, room: &Room) -> PathBuf {
    other.path().join(room.path().strip_prefix("/").unwrap())
}

#[test]
fn units_elsewhere_give_the_manifest_of_one_run() {
    // A plan without a base has the root as one.
    for is_named in [true, false] {
        let room = furnished();
        let other = copied(&room, "-a");
        let mut request = asked(&room, "md5,sha256", &["tree"]);
        request.format = "hashdeep".parse().unwrap();
        request.base = is_named.then(|| room.path().to_owned());
        let units = made(&request).units;
        one(&room, &request, "one", None);
        fs::rename(room.at("tree"), room.at("gone")).unwrap();
        let base = if is_named { of(&other, &room) } else { other.path().to_owned() };
        for number in 1..=units {
            let summary = run_at(&room, number, &base).unwrap();
            assert!(summary.run.is_some() && summary.failed == 0, "{number}: {summary:?}");
        }
        merged(&room, "many").unwrap();
        assert!(read(&room, "many") == read(&room, "one"), "{}", String::from_utf8_lossy(&read(&room, "many")));
    }
}

#[test]
fn ranges_are_read_elsewhere() {
    let room = Room::new();
    room.file("tree/large", &random(10, 3_000_000));
    room.file("tree/small", "small");
    // Links to the same file have the same inode and times, as a mount has.
    let other = copied(&room, "-al");
    let mut request = asked(&room, "blake3", &["tree"]).unit(200 << 10).split(64 << 10);
    request.base = Some(room.path().to_owned());
    let units = made(&request).units;
    assert!(units > 5);
    one(&room, &request, "one", None);
    (1..=units).for_each(|number| assert_eq!(run_at(&room, number, &of(&other, &room)).unwrap().failed, 0));
    merged(&room, "many").unwrap();
    assert_eq!(read(&room, "many"), read(&room, "one"));
}

#[test]
fn a_mount_that_is_empty_or_another_is_named_before_a_digest_is_written() {
    let room = furnished();
    let mut request = asked(&room, "sha256", &["tree"]);
    request.base = Some(room.path().to_owned());
    made(&request);
    let other = copied(&room, "-a");
    let base = of(&other, &room);
    let refused = |base: &Path, what: &str| {
        let error = run_at(&room, 1, base).unwrap_err();
        assert!(error.kind() == Kind::Input && error.to_string().contains(what), "{what}: {error}");
        assert!(error.to_string().contains(&base.display().to_string()), "{error}");
        assert_eq!(names(&room.at("PLAN/parts")).len(), 1, "{what}: the part of what needs no reading");
        error
    };
    refused(&room.at("nowhere"), "No such file");
    let error = refused(Room::new().path(), "is an empty directory");
    assert!(matches!(error.find(), Some(Problem::EmptyBase(_))), "{error}");
    // One directory too high, and a tree of the same names with other files.
    refused(base.parent().unwrap(), "is not the tree of the plan");
    let strange = Room::new();
    strange.sh(&format!(
        "cp -a {0}/tree tree && find tree -type f | while read f; do echo more >>\"$f\"; done",
        room.path().display()
    ));
    let error = refused(strange.path(), "0 are not there and");
    assert!(matches!(error.find(), Some(Problem::OtherTree { absent: 0, other, all, .. }) if other == all), "{error}");
    // Most files of the tree are missing.
    other.sh(&format!("cd .{0}/tree && rm -r [0-5]", room.path().display()));
    refused(&base, "have another size");
    // A few files that are gone or another are records.
    let again = copied(&room, "-a");
    again.sh(&format!("cd .{0}/tree && rm 3/3 && echo >>4/4", room.path().display()));
    let units = names(&room.at("PLAN/units")).len() as u64;
    let failed: u64 = (1..=units).map(|number| run_at(&room, number, &of(&again, &room)).unwrap().failed).sum();
    assert_eq!(failed, 1);
}

/// Without a base: a mount that is not there is no tree whose files all are gone.
#[test]
fn a_tree_that_is_not_there_has_no_part() {
    let room = furnished();
    made(&asked(&room, "sha256", &["tree"]));
    fs::rename(room.at("tree"), room.at("gone")).unwrap();
    fs::create_dir(room.at("tree")).unwrap();
    let run = || unit::run(&unit::Request::new(room.at("PLAN"), 1), &mut |_| Ok(()), &Control::new());
    let error = run().unwrap_err();
    assert!(error.kind() == Kind::Input && matches!(error.find(), Some(Problem::OtherTree { .. })), "{error}");
    assert_eq!(names(&room.at("PLAN/parts")).len(), 1);
    fs::remove_dir(room.at("tree")).unwrap();
    fs::rename(room.at("gone"), room.at("tree")).unwrap();
    assert_eq!(run().unwrap().failed, 0);
}

#[test]
fn names_outside_of_the_base_are_refused() {
    let room = furnished();
    room.file("tree2/f", "1");
    let refused = |request: &make::Request| {
        let error = make::run(request, &mut |_: Event<'_>| Ok(()), &Control::new()).unwrap_err();
        assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Outside { .. })), "{error}");
        assert!(!room.at("PLAN").exists());
    };
    let mut request = asked(&room, "sha256", &["tree/1", "tree2"]);
    request.base = Some(room.at("tree"));
    refused(&request);
    request = asked(&room, "sha256", &["tree/../tree2"]);
    request.base = Some(room.at("tree"));
    refused(&request);
    request = asked(&room, "sha256", &["tree/1"]);
    let path = room.file("list", &format!("{0}/tree/2\n{0}/tree2/f\n", room.path().display()));
    (request.base, request.input.list) = (Some(room.at("tree")), Some(NameList { path, separator: Separator::Line }));
    refused(&request);
    request.base = Some(room.path().to_owned());
    made(&request);
}
