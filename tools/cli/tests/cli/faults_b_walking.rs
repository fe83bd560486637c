//! Faults of walking, the rows b01 to b14 (docs/tests/faults.md).
#![cfg(unix)]

use crate::program;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::Duration;

use crate::program::{MIB, Room, beside_the_table, pfh_hash, record, records, sha256};
use pfh_inject::{Files, Injection, Need, Outcome, Trial, content, lacks};

const TREE: [&str; 3] = ["-r", "-f", "jsonl"];

fn files(seen: &Outcome) -> usize {
    records(seen).iter().filter(|line| line.kind() == "file").count()
}

fn run(program: &str, arguments: &[&OsStr]) {
    let status = Command::new(program).args(arguments).status().expect(program);
    assert!(status.success(), "{program} {arguments:?}");
}

#[test]
fn b01_special_files_are_listed_and_never_opened() {
    let room = Room::new();
    room.file("file", b"file");
    let _listening = UnixListener::bind(room.path().join("socket")).unwrap();
    run("mkfifo", &[room.path().join("fifo").as_os_str()]);
    let mut special = vec!["socket", "fifo"];
    if !lacks(&[Need::Root]) {
        run("mknod", &[room.path().join("zero").as_os_str(), "c".as_ref(), "1".as_ref(), "5".as_ref()]);
        special.push("zero");
    }
    let seen = pfh_hash(TREE).arg(room.path()).limit(Duration::from_secs(120)).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = records(&seen);
    assert_eq!(lines.len(), 1 + special.len());
    for name in &special {
        assert_eq!(record(&lines, name).kind(), "skipped");
    }
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    // Not in the tree: it grows with each call, while it would be read.
    let outside = Room::new();
    let log = outside.path().join("calls");
    let strace = ["strace", "-f", "-e", "trace=openat,openat2,open", "-o"].map(OsStr::new);
    let seen = pfh_hash(TREE).arg(room.path()).under(strace.into_iter().chain([log.as_os_str()])).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    for call in fs::read_to_string(&log).unwrap().lines() {
        let opened = special.iter().any(|name| call.contains(&format!("{name}\"")));
        assert!(!opened || call.contains("O_PATH"), "{call}");
    }
}

#[test]
fn b01_a_fifo_among_the_operands_is_refused_not_waited_for() {
    let room = Room::new();
    let fifo = room.path().join("fifo");
    run("mkfifo", &[fifo.as_os_str()]);
    let seen = pfh_hash(["-f", "jsonl"]).arg(&fifo).limit(Duration::from_secs(120)).run().unwrap();
    program::assert_refused(&seen, "fifo", "special");
}

#[test]
fn b01_a_fifo_that_was_asked_for_is_read_from_its_first_writer_on() {
    let room = Room::new();
    let fifo = room.path().join("fifo");
    run("mkfifo", &[fifo.as_os_str()]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            fs::write(&fifo, b"late").unwrap();
        });
        let seen = pfh_hash(["-f", "jsonl", "--special"]).arg(&fifo).limit(Duration::from_secs(120)).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!(records(&seen)[0].digest("sha256"), Some(&sha256(b"late")[..]));
    });
}

#[test]
fn b02_a_file_swapped_for_a_fifo_does_not_hang() {
    let room = Room::new();
    room.file("tree/name", b"file");
    let (name, file, fifo) = (room.path().join("tree/name"), room.path().join("tree/other"), room.path().join("fifo"));
    run("mkfifo", &[fifo.as_os_str()]);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                fs::rename(&name, &file).unwrap();
                fs::rename(&fifo, &name).unwrap();
                fs::rename(&name, &fifo).unwrap();
                fs::rename(&file, &name).unwrap();
            }
        });
        let expected = sha256(b"file");
        let mut hung = 0;
        for _ in 0..200 {
            let seen = pfh_hash(TREE).arg(room.path().join("tree")).limit(Duration::from_secs(120)).run().unwrap();
            hung += usize::from(seen.code.is_none());
            for line in seen.code.map(|_| records(&seen)).unwrap_or_default() {
                assert!(line.digest("sha256").is_none_or(|digest| digest == expected), "{line:?}");
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(hung, 0);
    });
}

#[test]
fn b03_links_in_circles_end() {
    let room = Room::new();
    room.file("tree/dir/file", b"file");
    symlink("..", room.path().join("tree/dir/parent")).unwrap();
    symlink("itself", room.path().join("tree/itself")).unwrap();
    symlink("nowhere", room.path().join("tree/dangling")).unwrap();
    let tree = room.path().join("tree");
    let seen = pfh_hash(TREE).arg(&tree).run().unwrap();
    assert_eq!((seen.code, files(&seen)), (Some(0), 1), "{}", seen.stderr);
    let seen = pfh_hash(TREE).arg("--follow").arg(&tree).limit(Duration::from_secs(120)).run().unwrap();
    let lines = records(&seen);
    assert_eq!(seen.code, Some(3), "dangling and circular links are errors where links are followed: {lines:?}");
    assert_eq!(lines.iter().filter(|line| line.digest("sha256").is_some()).count(), 1, "{lines:?}");
    assert_eq!(record(&lines, "dangling").kind(), "error");
    assert_eq!(record(&lines, "itself").kind(), "error");
    assert_eq!(record(&lines, "parent").code(), "loop");
}

#[test]
fn b04_every_hard_link_is_listed() {
    let room = Room::new();
    let one = room.file("one", b"linked");
    fs::hard_link(&one, room.path().join("two")).unwrap();
    let seen = pfh_hash(TREE).arg(room.path()).run().unwrap();
    let lines = records(&seen);
    assert_eq!(record(&lines, "one").digest("sha256"), Some(&sha256(b"linked")[..]));
    assert_eq!(record(&lines, "one").digest("sha256"), record(&lines, "two").digest("sha256"));
}

#[test]
fn b05_a_directory_named_twice_is_listed_twice_and_a_bind_mount_ends() {
    let room = Room::new();
    room.file("tree/file", b"file");
    fs::create_dir(room.path().join("tree/again")).unwrap();
    let tree = room.path().join("tree");
    let seen = pfh_hash(TREE).args([&tree, &tree]).run().unwrap();
    assert_eq!((seen.code, files(&seen)), (Some(0), 2), "each operand is an input of its own");
    if lacks(&[Need::Root, Need::Program("unshare")]) {
        return;
    }
    // The mount is private to the run and ends with it.
    let script = "mount --rbind \"$1\" \"$1/again\" && shift && exec \"$@\"";
    let trial = pfh_hash(TREE)
        .arg(&tree)
        .under(["unshare", "-m", "sh", "-c", script, "sh"].map(OsStr::new).into_iter().chain([tree.as_os_str()]));
    let seen = trial.limit(Duration::from_secs(120)).run().unwrap();
    // The mounted directory is an ancestor of itself: said once, not descended into.
    let lines = records(&seen);
    assert_eq!(seen.code, Some(3), "{lines:?}");
    assert_eq!((files(&seen), record(&lines, "again").code()), (1, "loop"), "{lines:?}");
}

#[test]
fn b06_a_directory_of_many_names_is_bounded_and_complete() {
    walk_names(100_000);
}

#[test]
#[ignore = "lists ten million names: `make faults`"]
fn b06_ten_million_names() {
    walk_names(10_000_000);
}

/// All names are walked and sorted; all but two are left out, so that the time is the walk's.
fn walk_names(count: u64) {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new().with_names(count).mount().unwrap();
    let (first, last) = ("f000000000".to_owned(), format!("f{:09}", count - 1));
    let trial = pfh_hash(TREE).args(["-m", "8", "--include", &first, "--include", &last]).arg(mounted.file("names"));
    let seen = trial.limit(Duration::from_secs(900)).run().unwrap();
    let lines = records(&seen);
    assert_eq!((seen.code, lines.len()), (Some(0), 2), "{}", seen.stderr);
    let bytes = fs::read(mounted.file("names").join(&last)).unwrap();
    assert_eq!(record(&lines, &last).digest("sha256"), Some(&sha256(&bytes)[..]));
    assert!(seen.peak <= 8 * MIB + beside_the_table(), "{} bytes for {count} names", seen.peak);
}

#[test]
fn b07_twenty_thousand_levels_of_nesting() {
    let room = Room::in_memory();
    let script =
        "for (1..20000) { mkdir 'd' or die; chdir 'd' or die } open F, '>leaf' or die; print F 'deep'; close F";
    let made = Command::new("perl").args(["-e", script]).current_dir(room.path()).status();
    assert!(made.expect("perl, which every Debian has").success());
    let seen = pfh_hash(TREE).arg(room.path()).run().unwrap();
    let lines = records(&seen);
    assert_eq!((seen.code, lines.len()), (Some(0), 1), "{}", seen.stderr);
    assert_eq!(lines[0].digest("sha256"), Some(&sha256(b"deep")[..]));
    assert!(lines[0].path().ends_with(&format!("{}/leaf", "/d".repeat(20_000))));
}

#[test]
fn b08_a_path_longer_than_path_max() {
    let room = Room::new();
    let script =
        "for (1..30) { $n = 'x' x 200; mkdir $n or die; chdir $n or die } open F, '>leaf' or die; print F 'far'";
    assert!(Command::new("perl").args(["-e", script]).current_dir(room.path()).status().expect("perl").success());
    let seen = pfh_hash(TREE).arg(room.path()).run().unwrap();
    let lines = records(&seen);
    assert_eq!((seen.code, lines.len()), (Some(0), 1), "{}", seen.stderr);
    assert!(lines[0].path().len() > 6000);
    assert_eq!(lines[0].digest("sha256"), Some(&sha256(b"far")[..]));
}

#[test]
fn b09_every_byte_in_a_name_comes_back() {
    let room = Room::new();
    let mut names: BTreeSet<Vec<u8>> =
        (1..=255).filter(|&byte| byte != b'/').map(|byte| vec![b'n', byte, b'.', byte]).collect();
    names.extend([vec![b'l'; 255], b"-r".to_vec(), b" leading".to_vec(), b"\\back".to_vec(), b"*star".to_vec()]);
    for name in &names {
        room.file(OsStr::from_bytes(name), name);
    }
    // NUL ends: names raw.
    let seen = pfh_hash(["-r", "-z", "."]).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let mut back = BTreeSet::new();
    for line in seen.stdout.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
        let name = line[66..].strip_prefix(b"./").unwrap_or(&line[66..]).to_vec();
        assert_eq!(line[..64], *sha256(&name).as_bytes());
        back.insert(name);
    }
    assert_eq!(back, names);
    // Line ends: escaped as GNU does, so that GNU reads it back.
    let seen = pfh_hash(["-r", "."]).directory(room.path()).run().unwrap();
    assert_eq!(seen.lines().len(), names.len(), "one line, one record");
    let checked =
        Trial::new("sha256sum").args(["-c", "--strict", "--quiet", "-"]).input(seen.stdout).directory(room.path());
    let checked = checked.run().unwrap();
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    // Nothing of a name reaches standard error raw either: remove one file between the list and the
    // read.
    let seen = pfh_hash([OsStr::from_bytes(b"gone\x1b[31m\xff")]).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(3));
    assert!(!seen.stderr.contains('\x1b'), "{:?}", seen.stderr);
}

#[test]
fn b10_b14_an_unreadable_directory_is_an_error_and_its_siblings_are_done() {
    if lacks(&[Need::Root, Need::Program("setpriv")]) {
        return;
    }
    // Nobody must reach the files and the program, in any temporary directory and under any umask.
    let place = tempfile::tempdir_in("/var/tmp").unwrap();
    let room = Room::at(place.path().join("room"));
    for name in ["a/file", "closed/file", "unsearchable/file", "z/file"] {
        room.file(name, b"file");
    }
    room.file("z/secret", b"secret");
    let set = |name: &str, mode| fs::set_permissions(room.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    for (name, mode) in [("a", 0o755), ("z", 0o755), ("a/file", 0o644), ("z/file", 0o644), ("unsearchable/file", 0o644)]
    {
        set(name, mode);
    }
    set("closed", 0o700);
    set("unsearchable", 0o744);
    set("z/secret", 0o600);
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(room.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = place.path().join("pfh");
    // Another process copies it: a descriptor that this one writes to would be held by any program
    // that it starts meanwhile, and the program be busy.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_pfh")).arg(&copy).status().unwrap().success());
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let seen = Trial::new(&copy).args(["hash", "--no-progress", "-r", "-f", "jsonl"]).arg(room.path()).under(nobody);
    let seen = seen.run().unwrap();
    let lines = records(&seen);
    assert_eq!((seen.code, files(&seen)), (Some(3), 2), "{lines:?}");
    for (end, code) in [("/closed", "EACCES"), ("/unsearchable/file", "EACCES"), ("/z/secret", "EACCES")] {
        let line = lines.iter().find(|line| line.path().ends_with(end)).unwrap_or_else(|| panic!("{end}: {lines:?}"));
        assert_eq!((line.kind(), line.code()), ("error", code));
    }
}

#[test]
fn b11_a_listing_that_fails_and_an_entry_that_vanishes_are_errors() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    for number in 0..50 {
        room.file(format!("tree/broken/{number}"), b"file");
    }
    room.file("tree/kept", b"kept");
    let tree = room.path().join("tree");
    for nth in [1, 2] {
        let broken = Injection::nth("getdents64", "EIO", nth).on(&tree.join("broken"));
        let seen = pfh_hash(TREE).arg(&tree).inject(broken).run().unwrap();
        assert!(seen.injected > 0);
        let lines = records(&seen);
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert_eq!(record(&lines, "broken").code(), "EIO");
        assert_eq!(record(&lines, "kept").kind(), "file");
    }
    // Listed, and gone when it is opened: some N-th open in the directory is that of the file.
    room.file("lonely/vanishes", b"vanishes");
    let lonely = room.path().join("lonely");
    let mut vanished = 0;
    for nth in 1..=5 {
        let gone = Injection::nth("openat,openat2", "ENOENT", nth).on(&lonely);
        // strace does not see calls that go through a ring.
        let seen = pfh_hash(TREE).args(["--io", "plain"]).args([&lonely, &tree]).inject(gone).run().unwrap();
        if seen.injected > 0 {
            assert_eq!((seen.code, files(&seen)), (Some(3), 51), "{}", seen.stderr);
            let lines = records(&seen);
            vanished +=
                lines.iter().filter(|line| line.path().ends_with("vanishes") && line.code() == "ENOENT").count();
        }
    }
    assert!(vanished > 0, "no open of the file failed");
}

#[test]
fn b12_what_stays_is_listed_once_while_the_rest_comes_and_goes() {
    let room = Room::new();
    for number in 0..300 {
        room.file(format!("tree/{}/stays-{number}", number % 7), &content(number, 100));
    }
    let tree = room.path().join("tree");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0_u64;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let path = tree.join(format!("{}/goes-{}", number % 7, number % 50));
                let _ = if number.is_multiple_of(2) { fs::write(&path, b"x") } else { fs::remove_file(&path) };
                number += 1;
            }
        });
        let mut wrong = Vec::new();
        for _ in 0..30 {
            let seen = pfh_hash(TREE).arg(&tree).run().unwrap();
            let lines = records(&seen);
            let paths: BTreeSet<&str> = lines.iter().map(|line| line.path()).collect();
            let stay = lines.iter().filter(|line| line.path().contains("stays") && line.kind() == "file").count();
            if stay != 300 || paths.len() != lines.len() {
                wrong.push((stay, paths.len(), lines.len()));
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(wrong, []);
    });
}

#[test]
fn b13_few_descriptors_are_enough() {
    if lacks(&[Need::Program("prlimit"), Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    for number in 0..500_u64 {
        room.file(format!("tree/{}/{}/{number}", number % 10, number % 3), &content(number, number * 300));
    }
    let (tree, log) = (room.path().join("tree"), room.path().join("log"));
    let plain = pfh_hash(["-r"]).arg(&tree).run().unwrap();
    assert_eq!((plain.code, plain.lines().len()), (Some(0), 500));
    let defaults: &[&str] = &["-r"];
    let smt: &[&str] = &["-r", "--mode", "smt", "-t", "16"];
    let mtp: &[&str] = &["-r", "--mode", "mtp", "-p", "20"];
    let crowd: &[&str] = &["-r", "-t", "40", "-p", "40", "-m", "64K"];
    for limit in ["--nofile=16", "--nofile=40"] {
        for arguments in [defaults, smt, mtp, crowd] {
            let strace = ["strace", "-f", "-e", "trace=openat,openat2,open,fcntl", "-o"].map(OsStr::new);
            let under = ["prlimit", limit].map(OsStr::new).into_iter().chain(strace).chain([log.as_os_str()]);
            let seen = pfh_hash(arguments.iter().copied()).arg(&tree).under(under).run().unwrap();
            assert_eq!(
                (seen.code, seen.stdout == plain.stdout),
                (Some(0), true),
                "{limit} {arguments:?}: {}",
                seen.stderr
            );
            // Nor did anybody have to wait for a descriptor: who waits for long gives up.
            let calls = fs::read_to_string(&log).unwrap();
            assert!(calls.contains("openat2(") && !calls.contains("EMFILE"), "{limit} {arguments:?}");
        }
    }
}
