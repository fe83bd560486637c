//! The catalogue of a directory: one tree over all its files, updated by entry. The root is that of
//! a build of the present files, and a row names each file that differs.

use crate::room::{Room, names};
use pfh::Control;
use pfh::job::{Error, Kind};
use pfh::outboard::CatalogueError;
use pfh::tree::catalogue::{Difference, Request, Summary, Verb, run};
use pfh::tree::{Event, Failure, Problem, append};
use pfh_inject::{Need, lacks, random};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A directory of files.
fn site(files: usize) -> Room {
    let room = Room::new();
    for number in 0..files {
        room.file(format!("site/d{}/f{number}", number % 7), &random(number as u64, 100 + number));
    }
    room
}

fn asked(room: &Room, verb: Verb) -> Request {
    Request::new(room.at("site"), verb)
}

fn build() -> Verb {
    Verb::Build("blake3".parse().unwrap())
}

fn update<const N: usize>(entries: [&str; N]) -> Verb {
    Verb::Update(entries.map(PathBuf::from).into())
}

fn check<const N: usize>(entries: [&str; N]) -> Verb {
    Verb::Check(entries.map(PathBuf::from).into())
}

type Rows = Vec<(String, Difference)>;

/// The summary, and the rows of differing files.
fn rows(request: &Request) -> Result<(Summary, Rows), Error> {
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Differs(name, how, _) = event {
            rows.push((String::from_utf8_lossy(name).into_owned(), how));
        }
        Ok(())
    };
    let summary = run(request, &mut take, &Control::new())?;
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(rows.len() as u64, summary.added + summary.changed + summary.removed, "{rows:?}");
    Ok((summary, rows))
}

fn of(room: &Room, verb: Verb) -> Summary {
    rows(&asked(room, verb)).unwrap().0
}

/// Why a request is refused, before anything is read.
fn refused(request: &Request) -> Error {
    let error = rows(request).unwrap_err();
    assert_eq!(request.check().unwrap_err().to_string(), error.to_string());
    assert_eq!(error.kind(), Kind::Request, "{error}");
    error
}

/// The root that a build of the present files gives.
fn root_now(room: &Room) -> [u8; 32] {
    let mut request = asked(room, build());
    request.tree = room.at("built now");
    let root = rows(&request).unwrap().0.root;
    fs::remove_file(room.at("built now")).unwrap();
    root
}

fn row(name: &str, how: Difference) -> (String, Difference) {
    (name.to_owned(), how)
}

#[test]
fn the_root_after_any_update_is_that_of_a_build() {
    let room = site(40);
    assert_eq!(of(&room, build()).root, root_now(&room));
    // Changed, added, removed, renamed.
    room.file("site/d0/f0", "other");
    room.file("site/new directory/new", "new");
    fs::remove_file(room.at("site/d1/f1")).unwrap();
    fs::rename(room.at("site/d2/f2"), room.at("site/d3/renamed")).unwrap();
    let expected = [
        row("d0/f0", Difference::Changed),
        row("d1/f1", Difference::Removed),
        row("d2/f2", Difference::Removed),
        row("d3/renamed", Difference::Added),
        row("new directory/new", Difference::Added),
    ];
    assert_eq!(rows(&asked(&room, check([]))).unwrap().1, expected);
    let (summary, differences) = rows(&asked(&room, update([]))).unwrap();
    assert_eq!(differences, expected);
    assert_eq!((summary.added, summary.changed, summary.removed, summary.entries), (2, 1, 2, 40));
    assert_eq!(summary.root, root_now(&room));
    // Again: nothing is to be done, and nothing differs under the root.
    let (again, none) = rows(&asked(&room, update([]))).unwrap();
    assert_eq!((again.root, none.len()), (summary.root, 0));
    let mut checking = Request::new(room.at("site/"), check([]));
    checking.must = Some(summary.root.to_vec());
    let (checked, none) = rows(&checking).unwrap();
    assert_eq!((checked.entries, checked.read, none.len()), (40, 40, 0));
}

#[test]
fn entries_by_name_are_all_that_is_looked_at() {
    let room = site(30);
    of(&room, build());
    room.file("site/d0/f7", "other");
    let added = room.file("site/d1/added", "new");
    room.file("site/d1/f1", "changed, and not named");
    fs::remove_file(room.at("site/d2/f2")).unwrap();
    let summary = of(&room, update(["d0/f7", added.to_str().unwrap(), "./d2/f2"]));
    assert_eq!((summary.added, summary.changed, summary.removed, summary.read), (1, 1, 1, 2));
    assert_ne!(summary.root, root_now(&room));
    let (_, differs) = rows(&asked(&room, check(["d1/f1"]))).unwrap();
    assert_eq!(differs, [row("d1/f1", Difference::Changed)]);
    assert_eq!(rows(&asked(&room, check(["d0/f7"]))).unwrap().1, []);
    assert_eq!(of(&room, update(["d1/f1"])).root, root_now(&room));
    // Neither there nor in the catalogue: nothing was compared.
    let nowhere = of(&room, check(["nowhere"]));
    assert_eq!((nowhere.read, nowhere.unread, nowhere.removed), (0, 0, 0));
    for wrong in ["../other", "/etc/passwd", ".", "d0"] {
        let error = rows(&asked(&room, update([wrong]))).unwrap_err();
        assert!(matches!(error.find(), Some(Problem::NoEntry(_))) && error.kind() == Kind::Request, "{wrong}: {error}");
        // That `d0` is a directory is seen when it is looked at.
        assert_eq!(asked(&room, update([wrong])).check().is_err(), wrong != "d0", "{wrong}");
    }
}

/// A file that was written within the clock's tick is read again, even if its times are old.
#[test]
fn a_change_within_the_tick_of_the_clock_is_found() {
    let room = site(3);
    for round in 0..20_u8 {
        of(&room, if round == 0 { build() } else { update([]) });
        let path = room.file("site/d0/f0", &[round; 100]);
        let back = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        fs::File::options().append(true).open(path).unwrap().set_modified(back).unwrap();
        assert_eq!(of(&room, update([])).changed, 1, "round {round}");
    }
}

#[test]
fn a_catalogue_without_the_root_that_was_kept_is_refused_and_left() {
    let room = site(20);
    let kept = of(&room, build()).root;
    let bytes = fs::read(room.at("site.pfhtree")).unwrap();
    room.file("site/d0/f0", "other");
    for verb in [update([]), update(["d0/f0"]), check([])] {
        let mut request = asked(&room, verb);
        request.must = Some(vec![0xab; 32]);
        let error = rows(&request).unwrap_err();
        assert!(matches!(error.find(), Some(Failure::OtherTree { .. })), "{error}");
        assert_eq!(error.kind(), Kind::Negative);
        request.must = Some(vec![0xab; 2]);
        let error = rows(&request).unwrap_err();
        assert!(matches!(error.find(), Some(Problem::RootLength { stated: 2, length: 32 })), "{error}");
    }
    let similar = refused(&asked(&room, Verb::Build("ssdeep".parse().unwrap())));
    assert!(matches!(similar.find(), Some(Problem::NoTree(_))), "{similar}");
    assert!(matches!(refused(&Request::new(".", check([]))).find(), Some(Problem::Directory(_))));
    let onto = append::Request::new(room.at("site"));
    assert_eq!(append::run(&onto, &mut |_| Ok(()), &Control::new()).unwrap_err().kind(), Kind::Request);
    assert_eq!(fs::read(room.at("site.pfhtree")).unwrap(), bytes);
    let mut trusting = asked(&room, update([]));
    trusting.must = Some(kept.to_vec());
    let (summary, _) = rows(&trusting).unwrap();
    // The file system's facts are not under the root: every file is read.
    assert_eq!((summary.changed, summary.read), (1, 20));
}

#[test]
fn another_file_is_no_catalogue_and_damage_is_found() {
    let room = site(20);
    of(&room, build());
    let place = |verb: Verb, tree: &str| {
        let mut request = asked(&room, verb);
        request.tree = room.at(tree);
        rows(&request).unwrap_err()
    };
    room.file("note", "a note");
    assert!(matches!(place(update([]), "note"), Error::Refused(_)));
    assert_eq!(place(update([]), "nothing").kind(), Kind::Input);
    assert_eq!(place(check([]), "note").kind(), Kind::Input);
    assert!(matches!(place(build(), "note"), Error::Refused(_)));
    assert_eq!(fs::read(room.at("note")).unwrap(), b"a note");
    // The digest of an entry, wherever it stands in the catalogue.
    room.file("site/d0/f0", "other");
    of(&room, update([]));
    let mut damaged = fs::read(room.at("site.pfhtree")).unwrap();
    let digest = blake3::hash(b"other");
    let places: Vec<usize> =
        (0..damaged.len() - 32).filter(|at| damaged[*at..].starts_with(digest.as_bytes())).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| damaged[*at] ^= 1);
    fs::write(room.at("site.pfhtree"), &damaged).unwrap();
    for verb in [update([]), check([]), update(["d0/f0"])] {
        let error = rows(&asked(&room, verb)).unwrap_err();
        assert!(error.kind() == Kind::Input && error.find::<CatalogueError>().is_some(), "{error}");
        assert_eq!(fs::read(room.at("site.pfhtree")).unwrap(), damaged);
    }
}

/// The catalogue of a directory inside of it is not part of it, and a link is not a file.
#[cfg(unix)]
#[test]
fn links_and_the_catalogue_itself_are_no_entries() {
    let room = site(20);
    let inside = |verb: Verb| {
        let mut request = asked(&room, verb);
        request.tree = room.at("site/own.pfhtree");
        rows(&request).unwrap()
    };
    let (first, _) = inside(build());
    let (again, none) = inside(update([]));
    assert_eq!((first.root, first.entries, none.len()), (again.root, 20, 0));
    assert_eq!(inside(check([])).1, []);
    // By a name that ends in none, with the same catalogue.
    let mut here = Request::new(room.at("site/."), check([]));
    here.tree = room.at("site/./own.pfhtree");
    assert_eq!(rows(&here).unwrap().1, []);
    let (linked, away) = (room.at("site/d0"), room.at("away"));
    fs::rename(&linked, &away).unwrap();
    std::os::unix::fs::symlink("nowhere", &linked).unwrap();
    // Its former files are gone.
    assert_eq!(inside(check([])).0.removed, 3);
    fs::remove_file(&linked).unwrap();
    fs::rename(&away, &linked).unwrap();
    assert_eq!(inside(check([])).1, []);
    assert_eq!(names(&room.at("site")).iter().filter(|name| !name.starts_with('d')).count(), 1);
}

/// A change that was killed leaves a journal, which a reader neither needs nor touches.
#[cfg(unix)]
#[test]
fn a_journal_that_was_left_is_taken_back_in_a_copy() {
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = site(20);
    let old = of(&room, build()).root;
    // A change by another process, killed when the database is written and the journal is synced.
    let script = "import os, sqlite3, sys\n\
        db = sqlite3.connect('site.pfhtree', isolation_level=None)\n\
        db.execute('PRAGMA cache_size = 1')\n\
        db.execute('BEGIN IMMEDIATE')\n\
        db.execute(\"UPDATE facts SET value = zeroblob(100000) WHERE name = 'root'\")\n\
        db.execute(\"UPDATE entries SET digest = zeroblob(50000)\")\n\
        os.kill(os.getpid(), 9)\n";
    Command::new("python3").args(["-c", script]).current_dir(room.path()).status().unwrap();
    let files = || ["site.pfhtree", "site.pfhtree-journal"].map(|name| fs::read(room.at(name)).expect(name));
    let left = files();
    std::os::unix::fs::symlink("site.pfhtree", room.at("link")).unwrap();
    for tree in ["site.pfhtree", "link", "site.pfhtree"] {
        let mut request = asked(&room, check([]));
        request.tree = room.at(tree);
        let (summary, differs) = rows(&request).unwrap();
        assert_eq!((summary.root, differs.len()), (old, 0), "{tree}");
    }
    assert!(files() == left, "a check has written");
    // A verb that writes takes it back.
    of(&room, update([]));
    assert!(!room.at("site.pfhtree-journal").exists());
    assert_eq!(of(&room, check([])).root, old);
}
