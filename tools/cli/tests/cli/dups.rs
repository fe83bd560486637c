//! `pfh dups`, as it is typed: its output, and how little it reads.
#![cfg(unix)]

use crate::program::{Room, random, sha256};
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn json(seen: &Outcome) -> Vec<Value> {
    seen.lines().into_iter().map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// Copies of a large file and of a small one, and files that differ from them in one place each.
fn files() -> Room {
    let room = Room::new();
    let large = random(1, 200_000);
    for name in ["d/one", "d/two", "e/three"] {
        room.file(name, &large);
    }
    for (name, at) in [("first", 0), ("middle", 100_000), ("last", 199_999)] {
        let mut other = large.clone();
        other[at] ^= 1;
        room.file(format!("d/{name}"), &other);
    }
    room.file("d/small", b"small");
    room.file("e/small too", b"small");
    room.file("d/smell", b"smell");
    room.file("d/empty", b"");
    room.file("e/empty", b"");
    symlink("one", room.path().join("d/link")).unwrap();
    room
}

/// By size; the first block of all of one size; the last of those of one first block; the whole.
#[test]
fn no_more_is_read_than_the_theory_says() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = files();
    let seen = Trial::new("strace")
        .args(["-ff", "-y", "-e", "trace=read,pread64,readv,preadv,preadv2", "-o", "calls"])
        .args([env!("CARGO_BIN_EXE_pfh"), "dups", "--io", "plain", "--json", "d", "e"])
        .directory(room.path())
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let root = room.path().as_os_str().as_bytes();
    let root = String::from_utf8_lossy(root).into_owned();
    // A file for each thread: no call is torn.
    let logs = fs::read_dir(room.path())
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().as_bytes().starts_with(b"calls."));
    let calls: String = logs.map(|log| fs::read_to_string(log.path()).unwrap()).collect();
    let of_ours = |line: &&str| line.contains(&format!("<{root}/d/")) || line.contains(&format!("<{root}/e/"));
    let bytes = |line: &str| line.rsplit("= ").next().and_then(|end| end.split(' ').next()?.parse::<u64>().ok());
    let read: u64 = calls.lines().filter(of_ours).filter_map(bytes).sum();
    // Six files share a size, five of them their first block, four their last one, and a whole is
    // needed of these four; three small ones are read whole at once. Of 1.2 MB that is 0.84.
    let theory = 6 * 4096 + 5 * 4096 + 4 * 200_000 + 3 * 5;
    assert_eq!(json(&seen).last().unwrap()["read"], theory);
    assert!(read >= theory && read <= theory + theory / 100, "{read} bytes were read, {theory} are needed");
}

/// A file that is written to between the walk and the last read is not a member: its first block is
/// read, then it waits at a barrier of a FUSE file system that serves it.
#[test]
fn a_file_that_changes_meanwhile_is_an_error() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let content = |name: &str| pfh_inject::File::new(name, 100_000);
    let mounted = pfh_inject::Files::new().with(content("a")).with(content("b").is_rewritten()).mount().unwrap();
    let room = Room::new();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["dups", "--json"])
        .arg(mounted.path())
        .directory(room.path())
        .run()
        .unwrap();
    let rows = json(&seen);
    assert_eq!((rows.len(), seen.code), (2, Some(3)), "{rows:?} {}", seen.stderr);
    assert_eq!((&rows[0]["type"], &rows[0]["level"]), (&"error".into(), &"error".into()), "{rows:?}");
    assert!(seen.stderr.contains("/b: "), "{}", seen.stderr);
}

/// The answers of somebody at a terminal.
#[test]
fn which_copy_stays_is_asked_for_on_a_terminal() {
    if lacks(&[Need::Program("script")]) {
        return;
    }
    let room = files();
    let answered = |answers: &str| {
        let _ = fs::remove_file(room.path().join("go.sh"));
        let command = format!("{} dups d e --no-progress --interactive --script go.sh", env!("CARGO_BIN_EXE_pfh"));
        let mut seen = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(room.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut seen.stdin.take().unwrap(), answers.as_bytes()).unwrap();
        let seen = seen.wait_with_output().unwrap();
        let script = fs::read_to_string(room.path().join("go.sh")).unwrap_or_default();
        let steps = script.lines().filter(|line| line.starts_with("drop '")).collect::<Vec<_>>().join("\n");
        (String::from_utf8_lossy(&seen.stdout).into_owned(), steps)
    };
    let (said, steps) = answered("3\n9\n\n");
    assert_eq!(steps, "drop 'd/one'\ndrop 'd/two'\ndrop 'e/small too'", "{said}");
    assert!(said.contains("1 of 2: 3 copies of") && said.contains("   3  e/three"), "{said}");
    assert_eq!(answered("s\nr\n").1, "drop 'e/small too'");
    assert_eq!(answered("q\n").1, "");
    assert!(!room.path().join("go.sh").exists());
    // Nobody can be asked.
    assert_eq!(pfh(&room, "dups d e --interactive --script go.sh").code, Some(2));
}

#[test]
fn what_is_printed() {
    let room = files();
    let seen = pfh(&room, "dups d e");
    let (large, small) = (sha256(&random(1, 200_000)), sha256(b"small"));
    let expected = format!(
        "3 copies of 200.0 kB, 400.0 kB can be reclaimed  sha256:{large}\n  d/one\n  d/two\n  e/three\n\
         2 copies of 5 B, 5 B can be reclaimed  sha256:{small}\n  d/small\n  e/small too\n"
    );
    assert_eq!((seen.code, out(&seen)), (Some(0), expected), "{}", seen.stderr);
    let end = "3 redundant copies in 2 groups: 400.0 kB can be reclaimed; 11 files";
    assert!(seen.stderr.contains(end), "{}", seen.stderr);
    assert_eq!(out(&pfh(&room, "dups d e --redundant")), "d/two\ne/three\ne/small too\n");
    assert_eq!(out(&pfh(&room, "dups e d -z")), "d/one\0d/two\0d/small\0");
    assert_eq!(out(&pfh(&room, "dups d e --quiet")), "");
    let seen = pfh(&room, "dups e");
    assert_eq!((seen.code, &*out(&seen)), (Some(0), ""));
    assert!(seen.stderr.contains("no duplicates"), "{}", seen.stderr);
    fs::hard_link(room.path().join("d/two"), room.path().join("e/two again")).unwrap();
    assert!(out(&pfh(&room, "dups d e --never d")).contains("(stays"));
    assert!(out(&pfh(&room, "dups d e")).contains("  d/two  (hard links: e/two again)\n"));
    assert_eq!(out(&pfh(&room, "dups d e --redundant --keep under=e --min-size 1000")), "d/one\ne/three\n");
    let mut rows = json(&pfh(&room, "dups d e --json --never d"));
    let link = rows.remove(0);
    assert_eq!((&link["type"], &link["id"], &link["path"]), (&"skipped".into(), &"skip/link".into(), &"d/link".into()));
    assert_eq!(
        (&rows[0]["type"], &rows[0]["copies"][1]["stays"], &rows[0]["copies"][1]["links"][0]["path"]),
        (&"group".into(), &true.into(), &"e/two again".into())
    );
    let summary = rows.last().unwrap();
    assert_eq!((&summary["groups"], &summary["errors"]), (&2.into(), &0.into()));
    room.file("m/d/small", b"small");
    room.file("n/d/small", b"small");
    let seen = pfh(&room, "dups m n --chunks 4096");
    assert!(out(&seen).contains("2 equal folders of 1 file, 5 B\n  m/\n  n/\n"), "{}", out(&seen));
    assert!(seen.stderr.contains("a store that keeps each once saves"), "{}", seen.stderr);
    room.file("c/half", b"12345678abcdefgh");
    room.file("c/whole", b"12345678");
    room.file("c/other", b"abcdefgh________");
    let half = "1 chunk in common, 8 B\n   50.0 % of c/half\n   50.0 % of c/other\n";
    let whole = "1 chunk in common, 8 B\n   50.0 % of c/half\n  100.0 % of c/whole\n";
    let seen = pfh(&room, "dups c --chunks 8");
    assert_eq!(out(&seen), [half, whole].concat());
    assert!(seen.stderr.contains("; 2 pairs of different files share chunks\n"), "{}", seen.stderr);
    assert_eq!(out(&pfh(&room, "dups c --chunks 8 --top 1")), half);
    for quiet in ["--quiet", "--redundant", "-z"] {
        assert_eq!(out(&pfh(&room, &format!("dups c --chunks 8 {quiet}"))), "", "{quiet}");
    }
    let rows = json(&pfh(&room, "dups c --chunks 8 --json"));
    assert_eq!(
        (&rows[1]["type"], &rows[1]["files"][1]["path"], &rows[1]["bytes"], &rows[2]["chunks"]["pairs"]),
        (&"shared".into(), &"c/whole".into(), &8.into(), &2.into())
    );
}

/// Names as they were typed are found from any working directory.
#[test]
fn a_script_of_relative_names_runs_from_anywhere() {
    let room = Room::new();
    for name in ["keep", "it's", "-rf", "a\nb", "new"] {
        room.file(format!("d/{name}"), b"content");
    }
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["dups", "keep", "./-rf", "it's", "a\nb", "new", "--script", "go.sh"])
        .directory(room.path().join("d"))
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    fs::write(room.path().join("d/new"), "changed").unwrap();
    let ran = Command::new("sh").arg(room.path().join("d/go.sh")).current_dir("/").output().unwrap();
    let left = |name: &str| room.path().join("d").join(name).exists();
    assert!(left("keep") && left("new") && !left("it's") && !left("-rf") && !left("a\nb"), "{ran:?}");
    assert!(String::from_utf8_lossy(&ran.stderr).contains("kept, it differs: new"), "{ran:?}");
}

/// With Perl alone no other program runs; without it each step has its own.
#[test]
fn a_script_runs_with_perl_or_without() {
    let find =
        |program: &str| ["/usr/bin", "/bin"].map(|at| Path::new(at).join(program)).into_iter().find(|at| at.exists());
    let names = ["keep", "it's", "-rf", "a\nb", "$(x)", "%s", "\\n", " q\" ", "@x"];
    for (programs, files) in [(&["perl"][..], 1200), (&["cmp", "rm", "ln", "mv", "mkdir"], 20)] {
        let Some(programs) = programs.iter().map(|program| find(program)).collect::<Option<Vec<_>>>() else { continue };
        for action in ["remove", "hardlink", "move=moved"] {
            let room = Room::new();
            names.iter().for_each(|name| drop(room.file(format!("d/{name}"), b"content")));
            (0..files).for_each(|at| drop(room.file(format!("e/{at:04}"), b"another")));
            room.file("moved/e/0001", b"there");
            let path = room.path().join("programs");
            fs::create_dir(&path).unwrap();
            programs.iter().for_each(|at| symlink(at, path.join(at.file_name().unwrap())).unwrap());
            let seen = pfh(&room, &format!("dups d e --script go.sh --action {action}"));
            assert_eq!(seen.code, Some(0), "{}", seen.stderr);
            fs::write(room.path().join("e/0002"), "changed").unwrap();
            let ran =
                Command::new("/bin/sh").arg("go.sh").current_dir(room.path()).env("PATH", &path).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            let kept: Vec<&str> = said.lines().collect();
            let is_move = action.starts_with("move");
            assert_eq!(ran.status.code(), Some(1), "{action}: {said}");
            assert!(kept.len() == 1 + usize::from(is_move) && said.contains("kept, it differs: e/0002"), "{said}");
            let count = |at: &str| fs::read_dir(room.path().join(at)).unwrap().count();
            let (d, e) = if action == "hardlink" { (names.len(), files) } else { (1, 2 + usize::from(is_move)) };
            assert_eq!((count("d"), count("e")), (d, e), "{action}: {said}");
            if is_move {
                assert_eq!((count("moved/d"), count("moved/e")), (names.len() - 1, files - 2), "{said}");
                assert_eq!(fs::read(room.path().join("moved/e/0001")).unwrap(), b"there");
            }
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let room = files();
    for wrong in ["", "d -a crc32", "d -a ssdeep", "-", "d --chunks 0", "d --top 3", "d --keep best", "d --keep under="]
    {
        let seen = pfh(&room, &format!("dups {wrong}"));
        assert_eq!(seen.code, Some(2), "{wrong}: {}", seen.stderr);
    }
    for wrong in ["--never nowhere", "--action hardlink", "--action shred --script x"] {
        assert_eq!(pfh(&room, &format!("dups d e {wrong}")).code, Some(2), "{wrong}");
    }
    assert_eq!(pfh(&room, "dups d nowhere").code, Some(3));
    let again = |more: &str| pfh(&room, &format!("dups d --script d/go.sh{more}")).code;
    assert_eq!((again(""), again(""), again(" --force")), (Some(0), Some(2), Some(0)));
}
