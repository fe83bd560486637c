//! Files of one content.

use crate::room::{Room, cancelled};
use pfh::dups::{self, Action, Event, Keep, Problem, Request};
use pfh::job::{Error, Kind};
use pfh::{Control, Input};

fn room() -> (Room, Request) {
    let room = Room::new();
    for (name, content) in [("d/1", "same"), ("d/2", "same"), ("d/3", "else"), ("e/1", "same"), ("e/2", "same")] {
        room.file(name, content);
    }
    room.file("e/3", "else");
    let request = Request::new(Input::new([room.path().join("d"), room.path().join("e")]));
    (room, request)
}

#[test]
fn groups_and_folders_are_rows() {
    let (room, request) = room();
    let request = request.script(Some(room.path().join("script")), false);
    let (mut groups, mut folders) = (Vec::new(), Vec::new());
    let summary = dups::run(
        &request,
        &mut |event| {
            match event {
                Event::Group(group) => groups.push((group.size, group.copies.len())),
                Event::Folders(equal) => folders.push(equal.names.len()),
                _ => {}
            }
            Ok(())
        },
        &Control::new(),
    );
    let summary = summary.unwrap();
    assert_eq!((groups, folders), (vec![(4, 4), (4, 2)], vec![2]));
    assert_eq!((summary.redundant, summary.reclaimable, summary.failed), (4, 16, 0));
    // The job writes nothing: the script is an adapter.
    assert_eq!(room.names(), ["d", "e"]);
}

#[test]
fn a_script_is_written_whole_or_not_at_all() {
    let (room, request) = room();
    let path = room.path().join("script");
    let request = request.script(Some(path.clone()), false);
    let error = dups::write(&request, &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!((error.kind(), path.exists()), (Kind::Cancelled, false));
    let summary = dups::write(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    let script = std::fs::read_to_string(&path).unwrap();
    assert_eq!(script.lines().filter(|line| line.starts_with("drop '")).count() as u64, summary.redundant);
    // It is somebody's file now.
    let error = dups::write(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
    // In place of a file that is named as input it is refused at any rate.
    let named = Request::new(Input::new(["d/1", "d/2"].map(|name| room.path().join(name))));
    let on = named.script(Some(room.path().join("d/1")), true);
    assert_eq!(dups::write(&on, &mut |_| Ok(()), &Control::new()).unwrap_err().kind(), Kind::Request);
    assert_eq!(std::fs::read_to_string(room.path().join("d/1")).unwrap(), "same");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let (room, request) = room();
    let weak = request.clone().algorithm_of(Some("crc32".parse().unwrap()));
    assert!(matches!(weak.check().unwrap_err().find(), Some(Problem::Weak(_))));
    let nobody: [&str; 0] = [];
    assert_eq!(Request::new(Input::new(nobody)).check().unwrap_err().kind(), Kind::Request);
    let error = dups::run(&Request::new(Input::new(["-"])), &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::Standard)) && !error.to_string().contains("--"), "{error}");
    let failed = dups::run(&request, &mut |_| Err(std::io::Error::other("full")), &Control::new());
    assert!(matches!(failed.unwrap_err(), Error::Sink(_)));
    // A missing file is counted, and ends nothing.
    let gone = Request::new(Input::new([room.path().join("none"), room.path().join("d")]));
    assert_eq!(dups::run(&gone, &mut |_| Ok(()), &Control::new()).unwrap().failed, 1);
}

/// Three copies: of different ages, lengths of names, and directories.
fn aged() -> Room {
    let room = Room::new();
    for (name, age) in [("d/the first", 2_000), ("d/sub/b", 1_000), ("e/third", 3_000)] {
        let path = room.file(name, "same content");
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_times(std::fs::FileTimes::new().set_modified(time)).unwrap();
    }
    room
}

/// The only group: names of the copies that stay, and of those that do not.
fn staying(request: &Request) -> (Vec<String>, Vec<String>) {
    let mut all = (Vec::new(), Vec::new());
    let ran = dups::run(
        request,
        &mut |event| {
            if let Event::Group(group) = event {
                for copy in &group.copies {
                    let name = String::from_utf8(copy.names[0].clone()).unwrap();
                    let name = name.rsplit('/').next().unwrap().to_owned();
                    if copy.stays { all.0.push(name) } else { all.1.push(name) }
                }
            }
            Ok(())
        },
        &Control::new(),
    );
    assert_eq!(ran.unwrap().redundant as usize, all.1.len());
    all
}

#[cfg(unix)]
#[test]
fn a_rule_says_which_copy_stays() {
    let room = aged();
    let request = || Request::new(Input::new([room.at("d"), room.at("e")]));
    let kept = |keep: Keep| staying(&request().keep(keep)).0.join(",");
    assert_eq!(kept(Keep::First), "b");
    assert_eq!(kept(Keep::Oldest), "b");
    assert_eq!(kept(Keep::Newest), "third");
    assert_eq!(kept(Keep::Shortest), "b");
    assert_eq!(kept(Keep::Under(room.at("e"))), "third");
    // By the place and not by the letters of its name.
    std::os::unix::fs::symlink(room.at("e"), room.at("link")).unwrap();
    assert_eq!(kept(Keep::Under(room.at("d/../link"))), "third");
    std::fs::create_dir(room.at("empty")).unwrap();
    assert_eq!(kept(Keep::Under(room.at("empty"))), "b");
    // Copies that are left alone stay, and are reason enough for the others to go.
    let never = |directories: &[&str]| {
        let directories: Vec<_> = directories.iter().map(|name| room.at(name)).collect();
        staying(&request().keep(Keep::Oldest).never(directories))
    };
    assert_eq!(never(&["e"]), (vec!["third".into()], vec!["b".into(), "the first".into()]));
    assert_eq!(never(&["e", "d/sub"]), (vec!["b".into(), "third".into()], vec!["the first".into()]));
    assert_eq!(never(&["d", "e"]).1.len(), 0);
    for wrong in [request().never([room.at("mistyped")]), request().keep(Keep::Under(room.at("e/third")))] {
        assert!(matches!(wrong.check().unwrap_err().find(), Some(Problem::NoDirectory(_))));
    }
    let parse = |text: &str| Keep::parse(text.as_ref());
    assert_eq!(parse("under=x").unwrap(), Keep::Under("x".into()));
    assert!(parse("under=").is_err() && parse("best").is_err() && Action::parse("shred".as_ref()).is_err());
}

/// Writes the script for an action, changes one copy, and runs it.
#[cfg(unix)]
fn scripted(room: &Room, action: Action) -> std::process::Output {
    let path = room.at("script");
    let request = Request::new(Input::new([room.at("d"), room.at("e")])).action(action).keep(Keep::Newest);
    dups::write(&request.script(Some(path.clone()), true), &mut |_| Ok(()), &Control::new()).unwrap();
    std::fs::write(room.at("d/sub/b"), "SAME CONTENT").unwrap();
    let ran = std::process::Command::new("sh").arg(&path).current_dir("/").output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stderr).contains("kept, it differs: "), "{ran:?}");
    assert_eq!((ran.status.code(), std::fs::read(room.at("d/sub/b")).unwrap()), (Some(1), b"SAME CONTENT".to_vec()));
    ran
}

#[cfg(unix)]
#[test]
fn a_script_links_or_moves_what_is_still_equal() {
    use std::os::unix::fs::MetadataExt;
    let inode = |room: &Room, name: &str| std::fs::metadata(room.at(name)).unwrap().ino();
    let room = aged();
    scripted(&room, Action::Remove);
    assert!(!room.at("d/the first").exists());
    let room = aged();
    scripted(&room, Action::HardLink);
    assert_eq!(inode(&room, "d/the first"), inode(&room, "e/third"));
    // Once more nothing is left to do with it.
    let again = std::process::Command::new("sh").arg(room.at("script")).output().unwrap();
    assert!(!String::from_utf8_lossy(&again.stderr).contains("the first"), "{again:?}");
    let room = aged();
    std::fs::create_dir(room.at("away")).unwrap();
    let ran = scripted(&room, Action::Move(room.at("away")));
    let moved = room.at(format!("away{}", room.at("d/the first").display()));
    assert!(!room.at("d/the first").exists(), "{ran:?}");
    assert_eq!(std::fs::read(moved).unwrap(), b"same content");
    // Where storage cannot be shared the copy stays as it is.
    let room = aged();
    let before = inode(&room, "d/the first");
    let ran = scripted(&room, Action::Reflink);
    let is_shared = !String::from_utf8_lossy(&ran.stderr).contains("not shared: ");
    assert_eq!(is_shared, inode(&room, "d/the first") != before, "{ran:?}");
    assert_eq!(std::fs::read(room.at("d/the first")).unwrap(), b"same content");
    assert_eq!(std::fs::metadata(room.at("d/the first")).unwrap().mtime(), 2_000);
    assert_eq!(crate::room::names(&room.at("d")), ["sub", "the first"]);
}

/// The branch of the script for macOS, with programs that take the words of those on a Mac alone.
#[cfg(unix)]
#[test]
fn a_script_clones_by_the_words_of_macos() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let room = aged();
    std::fs::create_dir(room.at("bin")).unwrap();
    for (name, text) in [
        ("uname", "echo Darwin"),
        ("cp", "[ \"$1\" = -c ] || exit 64; shift; PATH=$OWN exec cp \"$@\""),
        (
            "stat",
            "[ \"$1\" = -f ] || exit 64; f=${2#%L}; [ $f = p ] && f=%a; shift 2; PATH=$OWN exec stat -c $f \"$@\"",
        ),
    ] {
        let path = room.at("bin").join(name);
        pfh_inject::executable(&path, format!("#!/bin/sh\n{text}\n").as_bytes());
    }
    let (copy, script) = (room.at("d/the first"), room.at("script"));
    std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(&copy).unwrap();
    let request = Request::new(Input::new([room.at("d"), room.at("e")])).action(Action::Reflink).keep(Keep::Newest);
    dups::write(&request.script(Some(script.clone()), true), &mut |_| Ok(()), &Control::new()).unwrap();
    let own = std::env::var("PATH").unwrap();
    let path = format!("{}:{own}", room.at("bin").display());
    let ran = std::process::Command::new("sh").arg(&script).env("PATH", path).env("OWN", own).output().unwrap();
    assert_eq!((ran.status.code(), &ran.stderr[..]), (Some(0), &b""[..]), "{ran:?}");
    let after = std::fs::metadata(&copy).unwrap();
    assert_ne!(after.ino(), before.ino(), "another file in its place");
    let facts = |file: &std::fs::Metadata| (file.mode(), file.uid(), file.gid(), file.mtime());
    assert_eq!(facts(&after), facts(&before));
    assert_eq!(std::fs::read(&copy).unwrap(), b"same content");
}

/// A step that cannot work is not in the script, and counted.
#[cfg(unix)]
#[test]
fn no_link_leads_to_another_file_system() {
    let shm = std::path::Path::new("/dev/shm");
    let Ok(other) = tempfile::tempdir_in(shm) else { return };
    let room = aged();
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata(shm).unwrap().dev() == std::fs::metadata(room.path()).unwrap().dev() {
        return;
    }
    std::fs::write(other.path().join("apart"), "same content").unwrap();
    for (action, apart) in [(Action::HardLink, 1), (Action::Reflink, 1), (Action::Remove, 0)] {
        let input = Input::new([room.at("d"), other.path().to_owned()]);
        let request = Request::new(input).action(action).script(Some(room.at("script")), true);
        let summary = dups::write(&request, &mut |_| Ok(()), &Control::new()).unwrap();
        let script = std::fs::read_to_string(room.at("script")).unwrap();
        assert_eq!((summary.redundant, summary.apart), (2, apart));
        assert_eq!(script.lines().filter(|line| line.starts_with("drop '")).count() as u64, 2 - apart, "{script}");
        assert_eq!(script.contains("on another file system"), apart == 1);
        assert_eq!(summary.sentence().contains("1 on other file systems"), apart == 1);
    }
}
