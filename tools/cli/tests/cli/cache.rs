//! `pfh hash --cache`: files that are not read again, files that are, and runs that were
//! interrupted.
#![cfg(unix)]

use crate::program;
use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::program::{Room, records, sha256};
use pfh_inject::{Need, Outcome, Trial, lacks};

fn hash(room: &Room, more: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "--no-progress", "-r", "-f", "jsonl", "--cache", "cache"])
        .args(more)
        .arg("d")
        .directory(room.path())
        .run()
        .unwrap()
}

/// Makes every file of the tree look old: a file that changed just now is never kept.
fn age(room: &Room) {
    std::thread::sleep(Duration::from_millis(2500));
    assert!(room.path().exists());
}

fn tree() -> Room {
    let room = Room::new();
    for n in 0..20 {
        room.file(format!("d/{n:02}"), format!("content {n}").as_bytes());
    }
    age(&room);
    room
}

fn reused(seen: &Outcome) -> usize {
    records(seen).iter().filter(|line| line.0["notes"].to_string().contains("reused")).count()
}

#[test]
fn unchanged_files_are_not_read_again_and_changed_ones_are() {
    let room = tree();
    let first = hash(&room, &[]);
    assert_eq!((first.code, reused(&first)), (Some(0), 0), "{}", first.stderr);
    let again = hash(&room, &[]);
    assert_eq!((again.code, reused(&again)), (Some(0), 20), "{}", again.stderr);
    // The same digests, marked.
    let plain = |seen: &Outcome| String::from_utf8(seen.stdout.clone()).unwrap().replace(",\"notes\":[\"reused\"]", "");
    assert_eq!(plain(&again), plain(&first));
    fs::write(room.path().join("d/07"), "changed 7").unwrap();
    fs::rename(room.path().join("d/08"), room.path().join("d/99")).unwrap();
    let seen = hash(&room, &[]);
    let lines = records(&seen);
    assert_eq!(program::record(&lines, "07").digest("sha256"), Some(&*sha256(b"changed 7")));
    assert_eq!(program::record(&lines, "99").digest("sha256"), Some(&*sha256(b"content 8")));
    // A file that changed a moment ago is read, every time, until its times are old enough to tell.
    assert!(reused(&seen) >= 18, "{}", seen.stderr);
    // Another algorithm finds nothing to reuse.
    assert_eq!(reused(&hash(&room, &["-a", "sha256,md5"])), 0);
    assert_eq!(reused(&hash(&room, &["--cache-verify", "100%"])), 0);
}

#[test]
fn a_cache_that_is_wrong_is_found_out() {
    let room = tree();
    assert_eq!(hash(&room, &[]).code, Some(0));
    // A row whose digest was changed does not have its checksum: the file is read.
    let sql = "UPDATE digests SET digest = zeroblob(32) WHERE inode = (SELECT min(inode) FROM digests)";
    let connection = rusqlite::Connection::open(room.path().join("cache")).unwrap();
    assert_eq!(connection.execute(sql, []).unwrap(), 1);
    drop(connection);
    let seen = hash(&room, &[]);
    assert_eq!((seen.code, reused(&seen)), (Some(0), 19), "{}", seen.stderr);
    for line in records(&seen) {
        let n: usize = line.path().rsplit('/').next().unwrap().parse().unwrap();
        assert_eq!(line.digest("sha256"), Some(&*sha256(format!("content {n}").as_bytes())));
    }
    // Something else is not a cache, and is left as it is; also where the log of an earlier cache
    // lies beside it, as after a kill.
    let held = rusqlite::Connection::open(room.path().join("cache")).unwrap();
    held.execute("DELETE FROM digests", []).unwrap();
    let log = fs::read(room.path().join("cache-wal")).unwrap();
    assert!(!log.is_empty());
    drop(held);
    fs::write(room.path().join("cache-wal"), log).unwrap();
    let something =
        b"not a database, but longer than a header of one: it is not touched, with any content, as nobody has said so";
    room.file("cache", something);
    let seen = hash(&room, &[]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert_eq!(fs::read(room.path().join("cache")).unwrap(), something);
    fs::remove_file(room.path().join("cache-wal")).unwrap();
    fs::remove_file(room.path().join("cache")).unwrap();
    rusqlite::Connection::open(room.path().join("cache")).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
    assert_eq!(hash(&room, &[]).code, Some(2));
}

#[test]
fn an_interrupted_run_goes_on_and_ends_the_same() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = tree();
    // One large file last: the signal comes while it is read.
    let large = fs::File::create(room.path().join("d/zz")).unwrap();
    large.set_len(40 << 30).unwrap();
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "--no-progress", "-r", "-f", "jsonl", "--cache", "cache", "--force", "-o", "out", "d"])
        .directory(room.path())
        .signal_once_caught(Duration::from_secs(6), 15)
        .limit(Duration::from_secs(120));
    let seen = trial.run().unwrap();
    assert_eq!(seen.code, Some(143), "{}", seen.stderr);
    assert!(!room.path().join("out").exists());
    large.set_len(5).unwrap();
    age(&room);
    let seen = hash(&room, &["--force", "-o", "out"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("20 files were not read again"), "{}", seen.stderr);
    let resumed = fs::read(room.path().join("out")).unwrap();
    fs::remove_file(room.path().join("cache")).unwrap();
    assert_eq!(hash(&room, &["--force", "-o", "out"]).code, Some(0));
    assert_eq!(String::from_utf8(resumed).unwrap(), fs::read_to_string(room.path().join("out")).unwrap());
}

/// An exFAT file system, as sticks and cards have it, behind a loop device; taken down at the end.
struct Stick {
    mount: std::path::PathBuf,
    device: String,
}

impl Stick {
    fn new(room: &Room) -> Stick {
        let run = |program: &str, arguments: &[&str]| {
            let seen = Command::new(program).args(arguments).output().expect(program);
            assert!(seen.status.success(), "{program}: {}", String::from_utf8_lossy(&seen.stderr));
            String::from_utf8(seen.stdout).expect("UTF-8").trim().to_owned()
        };
        let image = room.path().join("image");
        fs::File::create(&image).unwrap().set_len(16 << 20).unwrap();
        let mount = room.path().join("d");
        fs::create_dir(&mount).unwrap();
        run("mkfs.exfat", &[image.to_str().unwrap()]);
        let device = run("losetup", &["-f", "--show", image.to_str().unwrap()]);
        run("mount.exfat-fuse", &[&device, mount.to_str().unwrap()]);
        Stick { mount, device }
    }
}

impl Drop for Stick {
    fn drop(&mut self) {
        for arguments in [&["umount", self.mount.to_str().unwrap_or_default()][..], &["losetup", "-d", &self.device]] {
            let _ = Command::new(arguments[0]).args(&arguments[1..]).status();
        }
    }
}

/// exFAT keeps no change time: content that was rewritten under its old modification time looks
/// unchanged.
#[test]
fn where_there_is_no_change_time_files_are_read_anew() {
    let needs = [Need::Root, Need::Fuse, Need::Loop, Need::Program("mount.exfat-fuse"), Need::Program("mkfs.exfat")];
    if lacks(&needs) {
        return;
    }
    let room = Room::new();
    let stick = Stick::new(&room);
    let file = stick.mount.join("a");
    fs::write(&file, "first").unwrap();
    // A whole and even second, as exFAT keeps it.
    let stamp = std::time::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
    let set = |content: &str| {
        fs::write(&file, content).unwrap();
        // exfat-fuse sets both times or none.
        let times = fs::FileTimes::new().set_accessed(stamp).set_modified(stamp);
        fs::File::options().write(true).open(&file).unwrap().set_times(times).unwrap();
    };
    set("first");
    age(&room);
    assert_eq!(hash(&room, &[]).code, Some(0));
    let manifest = room.path().join("m");
    let list = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "-f", "jsonl", "-r", "d", "-o", "m"])
        .current_dir(room.path())
        .output()
        .unwrap();
    assert!(list.status.success());
    assert!(String::from_utf8_lossy(&list.stderr).contains("note: 1 file lies where no change times are kept"));
    assert!(fs::read_to_string(&manifest).unwrap().contains("no-change-time"), "the record itself says it");
    set("other");
    age(&room);
    let seen = hash(&room, &[]);
    let lines = records(&seen);
    assert_eq!(program::record(&lines, "a").digest("sha256"), Some(&*sha256(b"other")), "{}", seen.stderr);
    // The audit calls it bit rot, since no time changed, and says how much that proves here.
    let audit = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["check", "--audit", "m", "d"])
        .current_dir(room.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&audit.stdout).into_owned();
    assert_eq!(audit.status.code(), Some(1), "{said}");
    assert!(said.contains("bit-rot") && said.contains("no change time is kept here"), "{said}");
    assert_eq!((seen.code, reused(&seen)), (Some(0), 0));
    assert!(seen.stderr.contains("1 file was read again: the file system has no change times"), "{}", seen.stderr);
}
