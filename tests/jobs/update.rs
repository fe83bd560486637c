//! Manifests that are brought up to date.

use crate::room::{Room, cancelled, names};
use pfh::check::{self, Task, Verdict};
use pfh::hash::{self, Manifest, Sealing};
use pfh::job::{Error, Kind};
use pfh::manifest::{End, Format, Layout, Marker};
use pfh::update::{self, Class, Event, Problem, Request, Summary, Trust};
use pfh::{Algorithm, Control, Input, Recurse};
use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A tree of four files.
fn room() -> Room {
    let room = Room::new();
    for (name, content) in [("d/a", "one"), ("d/b", "two"), ("d/s/c", "three"), ("d/s/e", "four")] {
        room.file(name, content);
    }
    room
}

fn algorithms(names: &str) -> Vec<Algorithm> {
    names.split(',').map(|name| name.parse().unwrap()).collect()
}

fn listed(room: &Room, list: &str, format: Format, names: &str, seal: Option<Sealing>) {
    let request = hash::Request::new(Input::new([room.at("d")]).recurse(Recurse::Yes), algorithms(names)).replace(true);
    let layout = Layout { end: End::Line, marker: Marker::Text };
    let manifest = Manifest::new(room.at(list)).format(format, layout).seal(seal);
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
}

/// Adds, changes and removes one file each.
fn altered(room: &Room) {
    room.file("d/new", "new");
    room.file("d/b", "another");
    fs::remove_file(room.at("d/s/c")).unwrap();
}

type Rows = Vec<(Class, String)>;

fn run(request: &Request) -> (Result<Summary, Error>, Rows) {
    let mut rows = Vec::new();
    let ran = update::run(
        request,
        &mut |event| {
            if let Event::Classed(change) = event {
                let name = String::from_utf8_lossy(&change.name).into_owned();
                rows.push((change.class, name.rsplit('/').next().unwrap().to_owned()));
            }
            Ok(())
        },
        &Control::new(),
    );
    (ran, rows)
}

fn request(room: &Room, list: &str) -> Request {
    Request::new(room.at(list), Input::new([room.at("d")]))
}

/// Whether files and tree are as the list says.
pub fn agrees(room: &Room, list: &str) -> bool {
    let files = check::run(&check::Request::new(room.at(list)), &mut |_| Ok(()), &Control::new());
    let task = Task::Audit { below: Vec::new(), follow: false };
    let audit = check::Request::new(room.at(list)).root(room.at("d")).task(task);
    let audit = check::run(&audit, &mut |_| Ok(()), &Control::new());
    files.unwrap().conclusion() == Verdict::Verified && audit.unwrap().conclusion() == Verdict::Verified
}

fn said(changes: &[(Class, &str)]) -> Rows {
    changes.iter().map(|(class, name)| (*class, (*name).to_owned())).collect()
}

#[test]
fn every_format_is_brought_up_to_date_and_stays_what_it_is() {
    let formats = [
        (Format::Sums, "sha256"),
        (Format::Sums, "blake3"),
        (Format::Sums, "md5,sha3-256"),
        (Format::Bsd, "sha256,blake3"),
        (Format::Hashdeep, "sha256,md5"),
        (Format::Dfxml, "md5,sha1"),
        (Format::Jsonl, "sha256,md5"),
        (Format::Csv, "sha512,md5"),
        (Format::Sfv, "crc32"),
    ];
    for (format, names) in formats {
        let room = room();
        listed(&room, "list", format, names, None);
        let old = fs::read(room.at("list")).unwrap();
        altered(&room);
        let (ran, rows) = run(&request(&room, "list"));
        let summary = ran.unwrap();
        let changes = [(Class::Changed, "b"), (Class::New, "new"), (Class::Gone, "c")];
        assert_eq!(rows, said(&changes), "{format}");
        assert_eq!((summary.verdict(), summary.written, summary.counts.unchanged), (Verdict::Verified, true, 2));
        assert!(agrees(&room, "list"), "{format}: {}", fs::read_to_string(room.at("list")).unwrap());
        assert_eq!(fs::read(room.at("list.1")).unwrap(), old, "{format}");
        // As a new list would be, but for the times of access.
        let updated = fs::read_to_string(room.at("list")).unwrap();
        listed(&room, "fresh", format, names, None);
        let fresh = fs::read_to_string(room.at("fresh")).unwrap();
        if matches!(format, Format::Sums | Format::Bsd | Format::Hashdeep | Format::Sfv) {
            assert_eq!(updated, fresh, "{format}");
        }
        assert_eq!(updated.lines().count(), fresh.lines().count(), "{format}: {updated}");
        // Once more changes nothing.
        let (ran, rows) = run(&request(&room, "list"));
        assert!(!ran.unwrap().written && rows.is_empty(), "{format}: {rows:?}");
        assert_eq!(fs::read(room.at("list.1")).unwrap(), old, "{format}");
        assert_eq!(names_of(&room), ["d", "fresh", "list", "list.1"]);
    }
}

fn names_of(room: &Room) -> Vec<String> {
    names(room.path())
}

#[test]
fn lists_of_others_keep_their_form() {
    let md5 = |content: &str| algorithms("md5")[0].digest(content.as_bytes()).to_string();
    let forms = [
        "# made by hand\nDIGEST *NAME\n",
        "MD5 (NAME) = DIGEST\r\n",
        "DIGEST  NAME",
        "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n## Invoked from: /somewhere\n## $ hashdeep -r d\n## \n3,DIGEST,NAME\n",
    ];
    for form in forms {
        let room = room();
        let digest = md5("one");
        let line = |name: &str, digest: &str| form.replace("DIGEST", digest).replace("NAME", name);
        let old = line("d/a", &digest);
        room.file("list", &old);
        for name in ["d/b", "d/s/c", "d/s/e"] {
            fs::remove_file(room.at(name)).unwrap();
        }
        room.file("d/z", "six");
        let (ran, rows) = run(&request(&room, "list"));
        ran.unwrap();
        assert_eq!(rows, said(&[(Class::New, "z")]), "{form}");
        let updated = fs::read_to_string(room.at("list")).unwrap();
        let added = line("d/z", &md5("six")).lines().last().unwrap().to_owned();
        let ending = if form.contains("\r\n") { "\r\n" } else { "\n" };
        let old = if old.ends_with('\n') { old } else { old + "\n" };
        assert_eq!(updated, format!("{old}{added}{ending}"));
    }
}

#[test]
fn decay_is_not_covered_over() {
    let room = room();
    let aged = |name: &str| {
        let file = File::options().write(true).open(room.at(name)).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
        file.set_times(FileTimes::new().set_modified(then)).unwrap();
    };
    ["d/a", "d/b"].iter().for_each(|name| aged(name));
    listed(&room, "list", Format::Jsonl, "sha256", None);
    let old = fs::read(room.at("list")).unwrap();
    room.file("d/a", "ONE");
    aged("d/a");
    let (ran, rows) = run(&request(&room, "list"));
    let summary = ran.unwrap();
    assert_eq!((rows, summary.verdict()), (said(&[(Class::BitRot, "a")]), Verdict::Differs));
    assert!(!summary.written && fs::read(room.at("list")).unwrap() == old);
    // Other changes are brought up to date all the same.
    altered(&room);
    let (ran, _) = run(&request(&room, "list"));
    assert_eq!((ran.unwrap().verdict(), agrees(&room, "list")), (Verdict::Differs, false));
    assert!(fs::read_to_string(room.at("list")).unwrap().contains("new"));
    // Without times in the list the content alone counts.
    listed(&room, "sums", Format::Sums, "sha256", None);
    room.file("d/a", "EIN");
    aged("d/a");
    let (ran, rows) = run(&request(&room, "sums"));
    assert_eq!((ran.unwrap().verdict(), rows), (Verdict::Verified, said(&[(Class::Changed, "a")])));
}

#[test]
fn times_are_trusted_where_that_is_asked_for() {
    let room = room();
    listed(&room, "list", Format::Jsonl, "sha256", None);
    altered(&room);
    let (ran, rows) = run(&request(&room, "list").trust(Trust::Times));
    let summary = ran.unwrap();
    assert_eq!((summary.counts.trusted, summary.counts.unchanged, rows.len()), (2, 2, 3));
    assert!(agrees(&room, "list"));
    let (ran, _) = run(&request(&room, "list").trust(Trust::Times));
    assert_eq!(ran.unwrap().counts.trusted, 4);
    listed(&room, "sums", Format::Sums, "sha256", None);
    let (ran, _) = run(&request(&room, "sums").trust(Trust::Times));
    assert!(matches!(ran.unwrap_err().find(), Some(Problem::Timeless)));
}

#[test]
fn other_times_are_listed() {
    let room = room();
    listed(&room, "list", Format::Jsonl, "sha256", None);
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let file = File::options().write(true).open(room.at("d/a")).unwrap();
    file.set_times(FileTimes::new().set_modified(then)).unwrap();
    let (ran, rows) = run(&request(&room, "list"));
    assert!(ran.unwrap().written);
    assert_eq!(rows, said(&[(Class::Metadata, "a")]));
    assert!(!run(&request(&room, "list")).0.unwrap().written);
}

#[test]
fn a_part_is_brought_up_to_date_alone() {
    let room = room();
    listed(&room, "SHA256SUMS", Format::Sums, "sha256", None);
    altered(&room);
    let (ran, rows) = run(&Request::new(room.at("SHA256SUMS"), Input::new([room.at("d/s")])));
    let summary = ran.unwrap();
    assert_eq!((rows, summary.counts.beyond), (said(&[(Class::Gone, "c")]), 2));
    // A file by its name, and one that is gone by its name.
    fs::remove_file(room.at("d/a")).unwrap();
    let (ran, rows) = run(&Request::new(room.at("SHA256SUMS"), Input::new([room.at("d/b"), room.at("d/a")])));
    ran.unwrap();
    assert_eq!(rows, said(&[(Class::Changed, "b"), (Class::Gone, "a")]));
    // Without operands all directories of the names.
    let (ran, rows) = run(&Request::new(room.at("SHA256SUMS"), Input::default()));
    ran.unwrap();
    assert_eq!((rows, agrees(&room, "SHA256SUMS")), (said(&[(Class::New, "new")]), true));
}

#[test]
fn the_algorithm_of_a_list_is_never_another_afterwards() {
    let room = room();
    listed(&room, "list", Format::Sums, "blake3", None);
    let old = fs::read(room.at("list")).unwrap();
    // Every file is another: nothing shows that the digests are not of SHA-256.
    for name in ["d/a", "d/b", "d/s/c", "d/s/e"] {
        room.file(name, "another content");
    }
    let (ran, _) = run(&request(&room, "list"));
    assert!(ran.unwrap_err().to_string().contains("do not name their algorithm"));
    assert_eq!(fs::read(room.at("list")).unwrap(), old);
}

#[test]
fn a_file_that_was_moved_is_neither_rot_nor_gone() {
    let room = Room::new();
    for name in ["a", "b", "c"] {
        let path = room.file(format!("d/{name}"), name);
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
        File::options().write(true).open(&path).unwrap().set_times(FileTimes::new().set_modified(then)).unwrap();
    }
    listed(&room, "list", Format::Jsonl, "sha256", None);
    fs::rename(room.at("d/a"), room.at("d/x")).unwrap();
    fs::rename(room.at("d/b"), room.at("d/a")).unwrap();
    fs::rename(room.at("d/x"), room.at("d/b")).unwrap();
    fs::rename(room.at("d/c"), room.at("d/new")).unwrap();
    let (ran, mut rows) = run(&request(&room, "list"));
    assert_eq!(ran.unwrap().verdict(), Verdict::Verified);
    rows.sort_by(|one, other| one.1.cmp(&other.1));
    assert_eq!(rows, said(&[(Class::Moved, "a"), (Class::Moved, "b"), (Class::Moved, "new")]));
    assert!(agrees(&room, "list"));
    // An operand that is gone by its name, in front of the one that it was moved to.
    fs::rename(room.at("d/new"), room.at("d/other")).unwrap();
    let operands = Input::new([room.at("d/new"), room.at("d/other")]);
    let (ran, rows) = run(&Request::new(room.at("list"), operands));
    assert_eq!((ran.unwrap().verdict(), rows), (Verdict::Verified, said(&[(Class::Moved, "other")])));
    assert!(agrees(&room, "list"));
}

#[test]
fn what_cannot_be_looked_for_stays() {
    let room = room();
    listed(&room, "list", Format::Sums, "sha256", None);
    let old = fs::read(room.at("list")).unwrap();
    fs::rename(room.at("d"), room.at("elsewhere")).unwrap();
    let (ran, rows) = run(&request(&room, "list"));
    let summary = ran.unwrap();
    assert_eq!((summary.verdict(), summary.written, rows.len()), (Verdict::Incomplete, false, 4));
    // A file system that is not mounted.
    fs::create_dir(room.at("d")).unwrap();
    let (ran, _) = run(&request(&room, "list"));
    let error = ran.unwrap_err();
    assert!(error.kind() == Kind::Input && matches!(error.find(), Some(Problem::AllGone(4))), "{error}");
    assert_eq!(fs::read(room.at("list")).unwrap(), old);
    let (ran, rows) = run(&request(&room, "list").replace(true));
    assert_eq!((ran.unwrap().counts.gone, rows.len()), (4, 4));
}

#[test]
fn a_directory_in_the_place_of_a_file_is_not_that_file() {
    let room = Room::new();
    room.file("d/a", "a");
    room.file("d/b", "b");
    listed(&room, "list", Format::Jsonl, "sha256", None);
    fs::remove_file(room.at("d/a")).unwrap();
    room.file("d/a/n", "n");
    let (ran, mut rows) = run(&request(&room, "list"));
    let summary = ran.unwrap();
    assert_eq!((summary.verdict(), summary.counts.gone, summary.counts.new), (Verdict::Verified, 1, 1));
    rows.sort_by(|one, other| one.1.cmp(&other.1));
    assert_eq!(rows, said(&[(Class::Gone, "a"), (Class::New, "n")]));
    assert!(agrees(&room, "list"));
}

#[test]
fn requests_that_make_no_sense_change_nothing() {
    let room = room();
    listed(&room, "list", Format::Sums, "sha256", None);
    room.file("foreign.1", "not a list");
    fs::copy(room.at("list"), room.at("foreign")).unwrap();
    room.file("cut", "# pfh begin algorithms=sha3-256\n");
    room.file("sized", "       3  900150983cd24fb0d6963f7d28e17f72  d/a\n");
    altered(&room);
    let before = names_of(&room);
    let kind = |list: &str| run(&request(&room, list)).0.unwrap_err().kind();
    assert_eq!((kind("none"), kind("d"), kind("foreign")), (Kind::Input, Kind::Request, Kind::Request));
    assert_eq!((kind("cut"), kind("sized")), (Kind::Input, Kind::Request));
    let outside = Request::new(room.at("list"), Input::new(["-"]));
    assert!(matches!(run(&outside).0.unwrap_err().find(), Some(Problem::Operand(_))));
    let ran = update::run(&request(&room, "list"), &mut |_| Ok(()), &cancelled());
    assert_eq!(ran.unwrap_err().kind(), Kind::Cancelled);
    let ran = update::run(&request(&room, "list"), &mut |_| Err(std::io::Error::other("full")), &Control::new());
    assert!(matches!(ran.unwrap_err(), Error::Sink(_)));
    let held = File::open(room.at("list")).unwrap();
    held.lock().unwrap();
    let (ran, _) = run(&request(&room, "list"));
    assert!(matches!(ran.unwrap_err().find(), Some(Problem::Busy)));
    // Closing is not enough: a child of another test holds the descriptor between fork and exec.
    held.unlock().unwrap();
    assert_eq!(names_of(&room), before);
    run(&request(&room, "list")).0.unwrap();
}

#[cfg(any(feature = "audit", feature = "image"))]
#[test]
fn seals_are_renewed() {
    let room = room();
    let key = |name: &str, seed: u8| {
        let path = room.file(name, &format!("{seed:02x}").repeat(32));
        Some(path)
    };
    let (ada, other) = (key("ada", 1), key("other", 2));
    let seal = |key: &Option<std::path::PathBuf>| Some(Sealing { key: key.clone(), ..Sealing::default() });
    listed(&room, "list", Format::Sums, "sha256", seal(&ada));
    altered(&room);
    let why = |request: Request| run(&request).0.unwrap_err();
    assert!(matches!(why(request(&room, "list")).find(), Some(Problem::Unsigned)));
    assert!(matches!(why(request(&room, "list").seal(seal(&other))).find(), Some(Problem::OtherKey)));
    let old = fs::read(room.at("list.seal")).unwrap();
    let (ran, _) = run(&request(&room, "list").seal(seal(&ada)));
    assert!(ran.unwrap().sealed && agrees(&room, "list") && agrees_before(&room.at("list.1")));
    // Ended between the list and its seal: both hold, and the next update puts it right.
    fs::rename(room.at("list.seal"), room.at("list.seal.new")).unwrap();
    fs::write(room.at("list.seal"), old).unwrap();
    assert!(agrees(&room, "list"));
    assert!(!run(&request(&room, "list").seal(seal(&ada))).0.unwrap().written);
    assert!(agrees(&room, "list") && !room.at("list.seal.new").exists());
    // A seal without a signature is renewed by itself, and one is made where there was none.
    listed(&room, "plain", Format::Jsonl, "sha256", seal(&None));
    room.file("d/more", "more");
    assert!(run(&request(&room, "plain")).0.unwrap().sealed && agrees(&room, "plain"));
    listed(&room, "bare", Format::Hashdeep, "sha256", None);
    let summary = run(&request(&room, "bare").seal(seal(&ada))).0.unwrap();
    assert!(summary.sealed && !summary.written && room.at("bare.seal").exists());
}

/// Whether the seal of an older list holds: its files are others by now.
#[cfg(any(feature = "audit", feature = "image"))]
fn agrees_before(list: &Path) -> bool {
    let ran = check::run(&check::Request::new(list), &mut |_| Ok(()), &Control::new());
    ran.is_ok_and(|summary| summary.conclusion() == Verdict::Differs)
}

#[test]
fn a_list_in_its_own_tree_is_not_a_file_of_it() {
    let room = room();
    let request = hash::Request::new(Input::new([room.at("d")]).recurse(Recurse::Yes), algorithms("sha256"));
    let manifest = Manifest::new(room.at("d/list")).seal(Some(Sealing::default()));
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    altered(&room);
    for _ in 0..2 {
        let (ran, _) = run(&Request::new(room.at("d/list"), Input::new([room.at("d")])));
        ran.unwrap();
        assert_eq!(names(&room.at("d")), ["a", "b", "list", "list.1", "list.1.seal", "list.seal", "new", "s"]);
        assert!(agrees(&room, "d/list"));
    }
}
