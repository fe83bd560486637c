//! Manifests that are brought up to date: of files in archives, on a full disk, with a cache.

use crate::room::Room;
use crate::rows::{below, input, list, printed};
use crate::update::agrees;
use pfh::Control;
use pfh::hash::Reuse;
use pfh::job::Kind;
use pfh::update::{self, Class, Event, Request};
#[cfg(unix)]
use pfh_inject::Tmpfs;
use pfh_inject::{Need, lacks};
use std::fs;
use std::time::{Duration, SystemTime};

fn tree() -> Room {
    let room = Room::new();
    ["d/a", "d/b", "d/s/c", "other/x"].iter().for_each(|name| drop(room.file(name, name)));
    room
}

/// One file each is new, changed and gone.
fn alter(room: &Room) {
    room.file("d/new", "new");
    room.file("d/b", "another");
    fs::remove_file(room.at("d/s/c")).unwrap();
}

fn request(room: &Room, list: &str) -> Request {
    Request::new(room.at(list), input(room, &["d"]))
}

fn rows(room: &Room, request: &Request) -> (update::Summary, Vec<(Class, String)>) {
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Classed(change) = event {
            rows.push((change.class, below(room, &change.name)));
        }
        Ok(())
    };
    (update::run(request, &mut take, &Control::new()).unwrap(), rows)
}

#[cfg(feature = "inside")]
#[test]
fn what_is_inside_of_an_archive_is_brought_up_to_date() {
    use pfh::hash::{self, Manifest};
    if lacks(&[Need::Program("tar")]) {
        return;
    }
    let room = tree();
    printed(&room, "tar -cf d/packed.tar other");
    let mut hash = hash::Request::new(input(&room, &["d"]), crate::rows::algorithms("sha256"));
    hash.input.inside = Some(pfh::inside::Options::default());
    hash::write(&hash, &Manifest::new(room.at("list")), &mut |_| Ok(()), &Control::new()).unwrap();
    room.file("other/y", "more");
    fs::remove_file(room.at("other/x")).unwrap();
    printed(&room, "tar -cf d/packed.tar other");
    let (_, rows) = rows(&room, &request(&room, "list"));
    for row in [
        (Class::Changed, "d/packed.tar"),
        (Class::New, "d/packed.tar!/other/y"),
        (Class::Gone, "d/packed.tar!/other/x"),
    ] {
        assert!(rows.contains(&(row.0, row.1.to_owned())), "{rows:?}");
    }
    assert!(agrees(&room, "list"));
}

#[cfg(unix)]
#[test]
fn a_full_disk_changes_nothing() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = tree();
    let small = room.at("small");
    fs::create_dir(&small).unwrap();
    let Ok(mounted) = Tmpfs::mount(&small, 96 << 10) else { return };
    (0..300).for_each(|number| drop(room.file(format!("d/{number:03}"), &number.to_string())));
    list(&room, "small/list", "sha256", "sums", &["d"]);
    let old = fs::read(mounted.path().join("list")).unwrap();
    fs::write(mounted.path().join("filler"), vec![0; (80 << 10) - old.len().next_multiple_of(4096)]).unwrap();
    alter(&room);
    let error = update::run(&request(&room, "small/list"), &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(error.kind() == Kind::Output && error.to_string().contains("No space left"), "{error}");
    assert_eq!(fs::read(mounted.path().join("list")).unwrap(), old);
    fs::remove_file(mounted.path().join("filler")).unwrap();
    update::run(&request(&room, "small/list"), &mut |_| Ok(()), &Control::new()).unwrap();
}

#[cfg(feature = "known")]
#[test]
fn a_cache_finds_decay_where_the_list_has_no_times() {
    let room = tree();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for name in ["d/a", "d/b", "d/s/c"] {
        let file = fs::File::options().write(true).open(room.at(name)).unwrap();
        file.set_times(fs::FileTimes::new().set_modified(then)).unwrap();
    }
    list(&room, "list", "sha256", "sums", &["d"]);
    let cached = || request(&room, "list").reuse(Some(Reuse { path: room.at("kept"), sample: 0.0 }));
    for _ in 0..2 {
        let (summary, rows) = rows(&room, &cached());
        assert_eq!((summary.counts.unchanged, summary.written, rows.len()), (3, false, 0));
    }
    alter(&room);
    rows(&room, &cached());
    assert!(agrees(&room, "list"));
}
