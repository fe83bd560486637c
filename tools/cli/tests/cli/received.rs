//! Input from others decides neither the outputs nor the state of a terminal: links in bags and
//! plans, catalogues with other tables, keys that others can write, names that steer.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, content, lacks};

const PFH: &str = env!("CARGO_BIN_EXE_pfh");

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(PFH).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

/// Several of the same unit at once: each reads the present files, and ends as the first did.
#[test]
fn a_unit_may_be_started_any_number_of_times_at_once() {
    let room = Room::new();
    (0..30).for_each(|number| drop(room.file(format!("t/{number}"), &content(number, 3000))));
    assert_eq!(pfh(&room, "plan -r t -o p").code, Some(0));
    let start = || {
        let mut command = std::process::Command::new(PFH);
        command.args(["run", "p", "--unit", "1", "--no-progress"]).current_dir(room.path());
        command.stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<_> = (0..6).map(|_| start()).collect();
    for one in all {
        let seen = one.wait_with_output().unwrap();
        assert_eq!(seen.status.code(), Some(0), "{}", String::from_utf8_lossy(&seen.stderr));
    }
    assert_eq!(pfh(&room, "merge p").code, Some(0));
}

fn sqlite(room: &Room, file: &str, sql: &str) {
    let program = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()";
    let seen = Trial::new("python3").args(["-c", program, file, sql]).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{seen:?}");
}

#[test]
fn a_catalogue_is_looked_at_before_it_is_asked() {
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = Room::new();
    (0..30).for_each(|number| drop(room.file(format!("t/f{number}"), &content(number, 300))));
    let build = || assert_eq!(pfh(&room, "tree build t").code, Some(0));
    build();
    let root = String::from_utf8(pfh(&room, "tree update t").stdout).unwrap()[..64].to_owned();
    // All inner nodes are zeros: the nodes that give the root are no longer kept.
    sqlite(&room, "t.pfhtree", "UPDATE nodes SET value = zeroblob(32) WHERE depth > 0");
    for words in ["tree check t".to_owned(), format!("tree check t --root {root}")] {
        let seen = pfh(&room, &words);
        assert_eq!(seen.code, Some(3), "{seen:?}");
        assert!(seen.stderr.contains("damaged"), "{seen:?}");
    }
    build();
    // A view in the place of a table would run for ever.
    let view = "ALTER TABLE entries RENAME TO old; CREATE VIEW entries AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL \
                SELECT n + 1 FROM r) SELECT n AS key, n AS name, n AS size, n AS digest, n AS stamp FROM r;";
    let trigger = "CREATE TRIGGER extra AFTER INSERT ON facts BEGIN DELETE FROM entries; END;";
    for sql in [view, trigger, "CREATE TABLE more (x);", "CREATE INDEX more ON nodes (value);"] {
        sqlite(&room, "t.pfhtree", sql);
        for words in ["tree check t", "tree update t"] {
            let seen = pfh(&room, words);
            assert_eq!(seen.code, Some(3), "{sql}: {seen:?}");
            assert!(seen.stderr.contains("is not a catalogue of a directory"), "{sql}: {seen:?}");
        }
        fs::remove_file(room.path().join("t.pfhtree")).unwrap();
        build();
    }
    // A stamp that was forged with the file: the root is not believed for bytes that were not read.
    std::thread::sleep(std::time::Duration::from_millis(2_200));
    assert_eq!(pfh(&room, "tree update t").code, Some(0));
    let before = fs::metadata(room.path().join("t/f2")).unwrap().modified().unwrap();
    room.file("t/f2", &content(99, 300));
    fs::File::options().write(true).open(room.path().join("t/f2")).unwrap().set_modified(before).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2_200));
    // As the system stamps it now: seven numbers of 64 bits.
    let forge = "import os,sqlite3,struct; s=os.stat('t/f2'); c=sqlite3.connect('t.pfhtree'); \
                 m,x=divmod(s.st_mtime_ns,10**9),divmod(s.st_ctime_ns,10**9); \
                 v=struct.pack('<7Q',s.st_dev,s.st_ino,s.st_size,m[0],x[0],m[1],x[1]); \
                 c.execute('UPDATE entries SET stamp=? WHERE name=?',(v,b'f2')); c.commit()";
    let seen = Trial::new("python3").args(["-c", forge]).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{seen:?}");
    let believed = pfh(&room, "tree update t --json");
    assert!(String::from_utf8_lossy(&believed.stdout).contains("\"changed\":0"), "the forgery works: {believed:?}");
    let seen = pfh(&room, &format!("tree update t --root {root} --json"));
    assert!(String::from_utf8_lossy(&seen.stdout).contains("\"changed\":1"), "{seen:?}");
}

#[test]
fn usage_errors_steer_no_terminal() {
    let room = Room::new();
    let raw: &[&[&[u8]]] = &[
        &[b"hash", b"--x\x1b[31m\x07"],
        &[b"\x1b[31mno-command"],
        &[b"hash", b"--include", b"[\x1b[31m", b"."],
        &[b"hash", b"-a", b"\xc2\x9b31m", b"."],
        &[b"hash", b"--depth", b"\xe2\x80\xaex", b"."],
    ];
    for words in raw {
        let words = words.iter().map(|word| OsStr::from_bytes(word));
        let seen = Trial::new(PFH).args(words).directory(room.path()).run().unwrap();
        assert_eq!(seen.code, Some(2), "{seen:?}");
        assert!(!seen.stderr.contains(|c: char| c != '\n' && c.is_control()), "{:?}", seen.stderr);
        assert!(!seen.stderr.contains('\u{202e}'), "{:?}", seen.stderr);
    }
    // A name of a megabyte is not repeated.
    let name = "n".repeat(1 << 20);
    room.file("list", format!("{}  {name}\n", "a".repeat(64)).as_bytes());
    let seen = pfh(&room, "check list");
    assert!(seen.stderr.len() < 100_000, "{}", seen.stderr.len());
}

#[test]
fn a_private_key_of_everybodys() {
    let room = Room::new();
    room.file("f", b"1");
    let key = room.file("key", "11".repeat(32).as_bytes());
    for (mode, code, said) in [(0o600, 0, ""), (0o644, 0, "others can read"), (0o666, 2, "others can write")] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        let seen = pfh(&room, "hash f -o list --seal --key key --force");
        assert_eq!(seen.code, Some(code), "{mode:o}: {seen:?}");
        assert!(seen.stderr.contains(said), "{mode:o}: {seen:?}");
        assert_eq!(seen.stderr.contains("chmod 600"), mode != 0o600, "{seen:?}");
    }
}

/// The files that others list are not read from the system's directories, nor, where their program
/// shows, from anywhere but here.
#[test]
fn a_foreign_list_chooses_no_file_of_the_system() {
    let room = Room::new();
    room.file("d/f", b"1");
    fs::create_dir(room.path().join("elsewhere")).unwrap();
    let full = room.path().join("d/f").display().to_string();
    let of = |name: &str| pfh(&room, &format!("hash {name}")).stdout;
    let passwd = String::from_utf8(of("/etc/passwd")).unwrap();
    std::os::unix::fs::symlink("/etc", room.path().join("link")).unwrap();
    let by_link = passwd.replace("/etc/passwd", &format!("{}/link/passwd", room.path().display()));
    for (list, text) in [("system", &passwd), ("link-list", &by_link)] {
        room.file(list, text.as_bytes());
        let seen = pfh(&room, &format!("check {list}"));
        assert_eq!(seen.code, Some(3), "{list}: {seen:?}");
        assert!(
            seen.stderr.contains("--allow-outside") && seen.stderr.contains("0 of 1 file verified"),
            "{list}: {seen:?}"
        );
        assert_eq!(pfh(&room, &format!("check --allow-outside {list}")).code, Some(0), "{list}");
    }
    assert_eq!(pfh(&room, "check --root / system").code, Some(0));
    assert_eq!(pfh(&room, "check --audit system").code, Some(2));
    // By hashdeep itself: below the working directory or beside the list, not from elsewhere.
    let digest = String::from_utf8(of("d/f")).unwrap();
    let deep = format!("%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n1,{},{full}\n", &digest[..64]);
    room.file("deep", deep.as_bytes());
    room.file("elsewhere/deep", deep.as_bytes());
    assert_eq!(pfh(&room, "check deep").code, Some(0));
    let from = |words: &[&str]| Trial::new(PFH).args(words).directory(room.path().join("elsewhere")).run().unwrap();
    assert_eq!(from(&["check", "../deep"]).code, Some(0));
    let seen = from(&["check", "deep"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("--allow-outside"), "{seen:?}");
    assert_eq!(from(&["check", "--allow-outside", "deep"]).code, Some(0));
    // The same by pfh is read from anywhere.
    assert_eq!(pfh(&room, &format!("hash -f hashdeep -o elsewhere/own {full}")).code, Some(0));
    assert_eq!(from(&["check", "own"]).code, Some(0));
}

/// The list is made into a set under a name that nobody foresees, which only this user can enter.
#[test]
fn a_list_as_a_set_meets_no_foreseeable_name() {
    if lacks(&[Need::Program("unshare"), Need::Root]) {
        return;
    }
    let room = Room::new();
    room.file("f", b"1");
    room.file("list", pfh(&room, "hash f").stdout.as_slice());
    fs::create_dir_all(room.path().join("tmp/pfh-known-1-0")).unwrap();
    let tmp = room.path().join("tmp");
    let variable = format!("TMPDIR={}", tmp.display());
    // As the process with the number 1, which every container has.
    let seen = Trial::new("env").args([&variable, "unshare", "-pf", PFH, "match", "-k", "list", "f"]);
    let seen = seen.directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{seen:?}");
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 1, "nothing else is left");
}

/// Five descriptors are too few to hash with, which is said soon.
#[test]
fn few_descriptors_do_not_cost_a_minute() {
    if lacks(&[Need::Program("prlimit")]) {
        return;
    }
    let room = Room::new();
    (0..60).for_each(|number| drop(room.file(format!("t/{number}"), &content(number, 3000))));
    let seen = Trial::new(PFH).args(["hash", "-r", "t", "-t", "2"]).under(["prlimit", "--nofile=5"]);
    let seen = seen.directory(room.path()).limit(std::time::Duration::from_secs(45)).run().unwrap();
    assert!(matches!(seen.code, Some(0 | 3 | 4)), "{seen:?}");
    assert!(seen.code == Some(0) || !seen.stderr.is_empty(), "{seen:?}");
}

/// Paths that are longer than the system takes at once are found where they are.
#[test]
fn an_audit_beyond_path_max() {
    let room = Room::new();
    let deep = std::process::Command::new("sh")
        .args(["-c", "mkdir pm && cd -P pm && for i in $(seq 42); do d=$(printf %0100d $i); mkdir $d && cd -P $d || exit 1; done; echo x >file; echo y >other"])
        .current_dir(room.path())
        .status()
        .unwrap();
    assert!(deep.success());
    assert_eq!(pfh(&room, "hash -r pm -o l").code, Some(0));
    for words in ["check l", "check --audit l pm", "diff pm l", "diff l pm"] {
        let seen = pfh(&room, words);
        assert_eq!(
            seen.code,
            Some(0),
            "{words}: {} {}",
            String::from_utf8_lossy(&seen.stdout).len(),
            seen.stderr.len()
        );
    }
}

/// Within the sandbox a command writes to its outputs and nowhere else; it has all that it needs.
#[test]
fn the_sandbox_leaves_commands_what_they_need() {
    let room = Room::new();
    room.file("t/f", &content(1, 5000));
    room.file("t/archive.tar", &tar("inner", b"content"));
    room.file("same/f", &content(1, 5000));
    room.file("same/archive.tar", &tar("inner", b"content"));
    room.file("list", pfh(&room, "hash t/f").stdout.as_slice());
    fs::create_dir(room.path().join("out")).unwrap();
    let commands = [
        "list t/archive.tar",
        "hash -r --inside t -o out/list --seal",
        "check --inside out/list",
        "match -r --inside -k list t -o out/verdicts",
        "diff --inside t same --cache out/cache",
        "known build --good list -o out/set",
        "known build --inside --good t/archive.tar -o out/inner",
        "compare --inside -r t -a sha256 -o out/pairs --html out/page",
    ];
    for words in commands {
        let seen = pfh(&room, words);
        let free = pfh(&room, &format!("{} --no-sandbox", words.replace("out/", "out/free-")));
        if words.contains("check") {
            assert_eq!(seen.code, Some(0), "{words}: {seen:?}");
            continue;
        }
        assert_eq!((seen.code, &seen.stdout), (free.code, &free.stdout), "{words}: {seen:?} {free:?}");
        assert!(matches!(seen.code, Some(0 | 1)), "{words}: {seen:?}");
        assert!(!seen.stderr.contains("Permission") && !seen.stderr.contains("EACCES"), "{words}: {seen:?}");
    }
    let version = pfh(&room, "--version");
    assert!(String::from_utf8_lossy(&version.stdout).contains("sandbox"), "{version:?}");
}

/// A tar of one member.
fn tar(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 512];
    head[..name.len()].copy_from_slice(name.as_bytes());
    head[100..108].copy_from_slice(b"0000644\0");
    head[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
    head[136..148].copy_from_slice(b"00000000000\0");
    head[148..156].copy_from_slice(b"        ");
    head[156] = b'0';
    head[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head.extend_from_slice(bytes);
    head.resize(head.len().next_multiple_of(512) + 1024, 0);
    head
}
