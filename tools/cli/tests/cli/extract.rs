//! Members of images and archives as files below a directory.
#![cfg(unix)]

use crate::program::{Room, random};
use pfh_inject::{Outcome, Trial};
use std::fs;
use std::process::Command;

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path()).run().unwrap()
}

fn tool(room: &Room, line: &str) {
    let mut words = line.split(' ');
    let ran = Command::new(words.next().unwrap()).args(words).current_dir(room.path()).output().unwrap();
    assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
}

/// A folder with a file of 300,000 bytes, an old one and an empty one, as a tar.
fn room() -> Room {
    let room = Room::new();
    room.file("d/large", &random(7, 300_000));
    room.file("d/sub/old", b"once");
    room.file("d/empty", b"");
    tool(&room, "touch -d 2001-02-03T04:05:06Z d/sub/old");
    tool(&room, "tar cf a.tar d");
    room
}

#[test]
fn the_whole_tree_is_written_with_its_times_and_can_be_checked() {
    let room = room();
    let seen = pfh(&room, "extract a.tar --to out");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("3 files, 300.0 kB, written below out and read back"), "{}", seen.stderr);
    tool(&room, "diff -r d out/d");
    let time = |name: &str| fs::metadata(room.path().join(name)).unwrap().modified().unwrap();
    assert_eq!(time("out/d/sub/old"), time("d/sub/old"));
    // The output of one command is input of the next.
    fs::write(room.path().join("list"), &seen.stdout).unwrap();
    assert_eq!(pfh(&room, "check list").code, Some(0));
    // A directory that holds something is refused, and nothing is changed.
    let again = pfh(&room, "extract a.tar --to out");
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(again.stderr.contains("not empty"), "{}", again.stderr);
}

#[test]
fn rows_of_json_are_a_list_and_name_each_member() {
    let room = room();
    tool(&room, "ln -s old d/sub/link");
    tool(&room, "tar cf b.tar d");
    let seen = pfh(&room, "extract --json b.tar d nowhere --to out");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let text = String::from_utf8(seen.stdout.clone()).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut kinds: Vec<(&str, &str)> =
        rows.iter().map(|row| (row["type"].as_str().unwrap(), row["path"].as_str().unwrap_or_default())).collect();
    kinds.sort_unstable();
    let wanted = [
        ("error", "b.tar!/nowhere"),
        ("file", "out/d/empty"),
        ("file", "out/d/large"),
        ("file", "out/d/sub/old"),
        ("skipped", "b.tar!/d/sub/link"),
        ("summary", ""),
    ];
    assert_eq!(kinds, wanted);
    let old = rows.iter().find(|row| row["path"] == "out/d/sub/old").unwrap();
    assert_eq!((&old["member"], &old["size"]), (&"b.tar!/d/sub/old".into(), &4.into()));
    // `check` reads the files of it, and says that the list has members without one.
    fs::write(room.path().join("rows.jsonl"), &seen.stdout).unwrap();
    let checked = pfh(&room, "check rows.jsonl");
    assert_eq!(checked.code, Some(3), "{}", checked.stderr);
    fs::write(room.path().join("out/d/sub/old"), b"twice").unwrap();
    assert_eq!(pfh(&room, "check rows.jsonl").code, Some(1));
    let quiet = pfh(&room, "extract --json --quiet b.tar --to other");
    assert_eq!(quiet.code, Some(2));
}

#[test]
fn members_are_named_with_or_without_the_image() {
    let room = room();
    for (at, name) in ["d/sub", "/d/sub/old", "a.tar!/d/sub/", "d/sub/old"].iter().enumerate() {
        let seen = pfh(&room, &format!("extract a.tar {name} --to out{at}"));
        assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
        assert_eq!(fs::read(room.path().join(format!("out{at}/d/sub/old"))).unwrap(), b"once");
        assert!(!room.path().join(format!("out{at}/d/large")).exists(), "{name}");
    }
    let seen = pfh(&room, "extract a.tar d/larger --to none");
    assert_eq!(seen.code, Some(3));
    assert!(
        seen.stderr.contains("d/larger: no member has this name") && seen.stderr.contains("d/large"),
        "{}",
        seen.stderr
    );
}

/// A tar whose names lead out, whose link leads out, and which then writes through that link.
#[test]
fn nothing_leaves_the_directory() {
    let room = Room::new();
    let script = "import tarfile,io\nt=tarfile.open('e.tar','w')\ndef f(n):\n i=tarfile.TarInfo(n);i.size=3;t.addfile(i,io.BytesIO(b'bad'))\nf('../up');f('/abs');f('ok')\nl=tarfile.TarInfo('link');l.type=tarfile.SYMTYPE;l.linkname='/tmp';t.addfile(l)\nf('link/through');f('ok')\nt.close()\n";
    room.file("make.py", script.as_bytes());
    tool(&room, "python3 make.py");
    fs::create_dir(room.path().join("in")).unwrap();
    let seen = pfh(&room, "extract e.tar --to in/out");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(!room.path().join("in/up").exists() && !room.path().join("up").exists(), "{}", seen.stderr);
    assert!(!std::path::Path::new("/tmp/through").exists());
    assert_eq!(fs::read(room.path().join("in/out/ok")).unwrap(), b"bad");
    let link = fs::symlink_metadata(room.path().join("in/out/link"));
    assert!(link.map_or(true, |link| !link.is_symlink()), "no link is made");
    for named in ["../up", "link: not made: symbolic link", "ok: a second member"] {
        assert!(seen.stderr.contains(named), "{named}: {}", seen.stderr);
    }
}

#[test]
fn bounds_end_it_and_are_said() {
    let room = room();
    let seen = pfh(&room, "extract a.tar --to few --most-files 1");
    assert_eq!(seen.code, Some(3));
    assert!(seen.stderr.contains("more than 1 files") && seen.stderr.contains("--most-files"), "{}", seen.stderr);
    let seen = pfh(&room, "extract a.tar --to small --most-bytes 1000");
    assert_eq!(seen.code, Some(3));
    assert!(seen.stderr.contains("--most-bytes"), "{}", seen.stderr);
    assert!(!room.path().join("small/d/large").exists(), "no part of a file");
    let seen = pfh(&room, "extract d/empty --to nothing");
    assert_eq!(seen.code, Some(3));
    assert!(seen.stderr.contains("nothing to extract"), "{}", seen.stderr);
}

#[test]
fn the_facts_of_an_image_are_shown_without_reading_it() {
    let room = Room::new();
    room.file("disk", &random(3, 200_000));
    let line = "acquire disk --to u.E01 --case C-4711 --examiner Ada --no-progress";
    assert_eq!(pfh(&room, line).code, Some(0));
    for line in ["info u.E01", "ewfinfo u.E01", "img_stat u.E01"] {
        let seen = pfh(&room, line);
        let text = String::from_utf8(seen.stdout).unwrap();
        for word in ["C-4711", "Ada", "E01", "stored md5", "u.E01.log.jsonl"] {
            assert!(text.contains(word), "{line}: {word}: {text} {}", seen.stderr);
        }
    }
    assert_eq!(pfh(&room, "info none").code, Some(3));
}
