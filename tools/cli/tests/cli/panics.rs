//! A panic of any thread ends the run with 4 and no output. `PFH_FAIL_POINT`, which debug builds
//! read, makes a thread of each kind panic where it works.
#![cfg(unix)]

use crate::audited::{Served, committed};
use crate::program::Room;
use pfh_inject::{Loop, Need, Outcome, Trial, content, lacks};

fn shell(room: &Room, line: &str) -> Outcome {
    Trial::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_pfh")]).directory(room.path()).run().unwrap()
}

/// A tree, a copy of it, a list and a set of it, a disk.
fn room() -> Room {
    let room = Room::new();
    for tree in ["d", "e"] {
        for at in 0..12 {
            room.file(format!("{tree}/s/{at}"), &content(at, 3000));
        }
        room.file(format!("{tree}/twin"), &content(3, 3000));
        room.file(format!("{tree}/large"), &content(99, 6 << 20));
    }
    room.file("disk", &content(7, 5 << 20));
    let made = shell(&room, "\"$0\" hash -r d -o list && \"$0\" known build set --bad list 2>/dev/null");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    room
}

/// Files that a job may leave behind only if it ended well.
const OUTPUTS: &[&str] = &[
    "out",
    "out.seal",
    "page",
    "plan/plan.json",
    "d.pfhtree",
    "d/large.pfhtree",
    "other",
    "script",
    "index",
    "cache.never",
];

/// Each thread at work in each job: which of them, the how manieth time, and the jobs.
const TABLE: &[(&str, &[&str])] = &[
    // The thread that walks: at its first step, and half-way.
    (
        "walk:1 walk:5",
        &[
            "hash -r d -o out --seal",
            "hash -r d",
            "hash -t1 --mode smt -r d -o out",
            "hash --mode mtp -r d -o out",
            "hash --order size -r d -o out",
            "match -k set -r d -o out",
            "match -k list -r d -o out",
            "match -k set -r d",
            "check list",
            "check --audit list d",
            "diff list d",
            "diff d e",
            "dups d",
            "dups d --script script",
            "compare d -o out",
            "compare d --html page",
        ],
    ),
    // The listing of a directory.
    (
        "list:1 list:2",
        &[
            "hash -r d -o out --seal",
            "match -k set -r d -o out",
            "plan -r d -o plan",
            "tree build d",
            "check --audit list d",
            "diff list d",
            "diff d e",
            "dups d",
            "compare d -o out",
        ],
    ),
    // Threads that read, ahead and for themselves.
    ("read:1 read:3", &["hash -r d -o out --seal", "match -k set -r d -o out", "check list", "diff d e"]),
    (
        "read:1",
        &[
            "dups d",
            "hash --mode mtp -r d -o out",
            "hash --mode smt -r d -o out",
            "compare d -o out",
            "check --audit list d",
        ],
    ),
    // Threads that hash: files in the table, laps. (Leaves: the engine's `permits`.)
    ("hash:1", &["hash --mode mtp -r d -o out --seal", "match --mode mtp -k set -r d -o out"]),
    ("lap:1", &["hash --mode smt -r d -o out --seal", "check --mode smt list", "diff --mode smt d e"]),
    // One thread has several laps; of two, each may have one.
    ("lap:2", &["hash -t1 --mode smt -r d -o out --seal", "check -t1 --mode smt list", "diff -t1 --mode smt d e"]),
    // The thread that writes records.
    ("write:1 write:4", &["hash -r d -o out --seal", "match -k set -r d -o out", "check list", "compare d -o out"]),
    // Those that search and measure.
    ("search:1", &["compare -t2 d -o out", "compare -t2 -a mrsh-v2 d --html page"]),
    ("search-beside:1", &["compare -t2 -a mrsh-v2 d -o out"]),
    ("chunks:1 chunks:2", &["dups -t2 --chunks cdc d --script script"]),
    // Stores.
    ("runs:1", &["known build other --bad list", "match -k list -r d -o out"]),
    ("index:1", &["known build other --bad list"]),
    ("pieces:1", &["tree build d/large"]),
    ("turn:1", &["tree build d"]),
    ("receive:1 receive:2", &["tree receive -o out 0=d/large", "tree receive -o out 0=d/large 0=e/large 6MiB=disk"]),
    // Media: the reader, its helpers, the digests, the targets, the compressors.
    ("image-read:1", &["acquire disk --to image", "acquire disk --to image.E01", "dd if=disk of=image"]),
    ("image-block:1", &["acquire --readers 2 disk --to image"]),
    ("image-hash:1", &["acquire disk --to image", "dd if=disk of=image hash=sha256"]),
    ("image-write:1", &["acquire disk --to image", "acquire disk --to image.E01"]),
    ("deflate:1", &["acquire disk --to image.E01"]),
];

#[test]
fn a_panic_of_any_thread_ends_any_job_with_4_and_no_output() {
    let room = room();
    let mut wrong = Vec::new();
    for (points, lines) in TABLE {
        for (point, line) in points.split(' ').flat_map(|point| lines.iter().map(move |line| (point, line))) {
            for made in OUTPUTS {
                let _ = std::fs::remove_file(room.path().join(made));
            }
            let _ = std::fs::remove_dir_all(room.path().join("plan"));
            shell(&room, "rm -rf image* other.work d/*.pfhtree out.*");
            let seen = shell(&room, &format!("PFH_FAIL_POINT={point} \"$0\" {line}"));
            let said = String::from_utf8_lossy(&seen.stdout) + &*seen.stderr;
            let made = OUTPUTS.iter().find(|made| room.path().join(made).exists());
            // No verdict rests on such a run.
            let claims = ["missing", "removed", "verified", "no duplicates", "not as the manifest"];
            let claim = claims.iter().find(|claim| said.contains(**claim));
            // The log of an acquisition is written as it goes; it must not state a whole image.
            let image = if line.contains("E01") { "image.E01" } else { "image" };
            let stands = line.contains("image") && shell(&room, &format!("\"$0\" verify {image}")).code == Some(0);
            let is_reached = seen.stderr.contains("the fail point");
            let is_said = seen.stderr.contains("the output is incomplete");
            if seen.code != Some(4) || made.is_some() || claim.is_some() || !is_reached || !is_said || stands {
                wrong.push(format!("{point} {line}: {:?}, made {made:?}, claims {claim:?}\n{said}", seen.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A panic of the command that changes a catalogue leaves the old catalogue, and the turn to the
/// next change.
#[test]
fn a_panic_leaves_a_catalogue_as_it_was() {
    let room = room();
    assert_eq!(shell(&room, "\"$0\" tree build d").code, Some(0));
    let before = std::fs::read(room.path().join("d.pfhtree")).unwrap();
    room.file("d/new", b"new");
    for point in ["turn", "walk", "read"] {
        let seen = shell(&room, &format!("PFH_FAIL_POINT={point}:1 \"$0\" tree update d"));
        assert_eq!(seen.code, Some(4), "{point}: {}", seen.stderr);
        assert!(seen.stderr.contains("the fail point"), "{point}: {}", seen.stderr);
        assert!(std::fs::read(room.path().join("d.pfhtree")).unwrap() == before, "{point}");
    }
    let seen = shell(&room, "\"$0\" tree update d && \"$0\" tree check d");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(!room.path().join("d.pfhtree-lock").exists());
}

/// A server does not serve on with fewer threads.
#[test]
fn a_panic_ends_a_server() {
    let (room, _) = committed("blake3", 100_000);
    for time in [1, 3] {
        let mut server = Served::start_with(&room, &[], &[("PFH_FAIL_POINT", &format!("serve:{time}"))]);
        for _ in 1..time {
            assert_eq!(server.raw(b"GET /prove HTTP/1.1\r\n\r\n").0, Some(405));
        }
        assert_eq!(server.raw(b"GET /prove HTTP/1.1\r\n\r\n").0, None, "no answer of a thread that panics");
        assert_eq!(server.ended(), Some(4));
    }
}

/// The thread that reads smartctl's report, before the image and behind it.
#[test]
fn a_panic_beside_a_disk_ends_its_acquisition() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = room();
    let device = Loop::attach(&room.path().join("disk"), &["-r"]).unwrap();
    room.executable("bin/smartctl", b"#!/bin/sh\necho '{\"model_name\": \"M\"}'\n");
    for (at, is_verified) in [(1, false), (2, false), (3, true)] {
        shell(&room, "rm -f image*");
        let line = format!("acquire {} --to image", device.path().display());
        let seen = shell(&room, &format!("PATH=\"$PWD/bin:$PATH\" PFH_FAIL_POINT=health:{at} \"$0\" {line}"));
        assert_eq!(seen.code, Some(if is_verified { 0 } else { 4 }), "{at}: {}", seen.stderr);
        assert_eq!(shell(&room, "\"$0\" verify image").code == Some(0), is_verified, "{at}: {}", seen.stderr);
    }
}

#[test]
fn without_a_fail_point_the_same_jobs_end_well() {
    let room = room();
    let jobs: std::collections::BTreeSet<&str> = TABLE.iter().flat_map(|(_, lines)| lines.iter().copied()).collect();
    for line in jobs {
        shell(&room, "rm -rf out* page plan *.pfhtree d/*.pfhtree other* script image* index");
        let seen = shell(&room, &format!("PFH_FAIL_POINT=nowhere:1 \"$0\" {line}"));
        assert!(matches!(seen.code, Some(0 | 1)), "{line}: {:?} {}", seen.code, seen.stderr);
    }
}
