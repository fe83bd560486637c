//! One manifest by many processes: `plan`, `run`, `merge`.
#![cfg(unix)]

use crate::program::{Room, random};
use pfh_inject::{Outcome, Trial};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

const PFH: &str = env!("CARGO_BIN_EXE_pfh");

pub fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(PFH).args(words.split_whitespace()).directory(room.path()).run().expect("a run")
}

pub fn good(room: &Room, words: &str) -> Outcome {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(0), "pfh {words}: {}", seen.stderr);
    seen
}

/// Files of many sizes, a name that is hard to write, and names that are not files.
fn furnished() -> Room {
    let room = Room::new();
    for number in 0..30 {
        room.file(format!("tree/{}/{number}", number % 5), &random(number, 700 * number as usize));
    }
    room.file("tree/huge", &random(1, 90_000));
    room.file(OsStr::from_bytes(b"tree/\xff\n\\,\"'"), b"no text");
    std::os::unix::fs::symlink("huge", room.path().join("tree/link")).unwrap();
    room
}

pub fn units(room: &Room) -> Vec<u64> {
    let names = fs::read_dir(room.path().join("PLAN/units")).unwrap();
    let mut units: Vec<u64> = names.map(|name| name.unwrap().file_name().to_str().unwrap().parse().unwrap()).collect();
    units.sort_unstable();
    units
}

/// A plan of the tree with all its units carried out.
fn carried_out(room: &Room) {
    carried_out_of(room, "tree");
}

fn carried_out_of(room: &Room, input: &str) {
    good(room, &format!("plan -r {input} --unit 20KiB -o PLAN"));
    units(room).iter().for_each(|unit| drop(good(room, &format!("run PLAN --unit {unit}"))));
}

#[test]
fn units_under_xargs_give_the_manifest_of_one_run() {
    // The line that users copy.
    let page = include_str!("../../../../docs/cluster.md");
    let line = page.lines().find(|line| line.contains("xargs")).expect("an example under xargs").trim();
    for settings in ["-f sums -z", "-f hashdeep -a md5,sha256 --piecewise 10000"] {
        let room = furnished();
        fs::create_dir(room.path().join("elsewhere")).unwrap();
        let input = "-r tree missing tree/huge";
        let one = pfh(&room, &format!("hash {input} {settings} -o elsewhere/one"));
        let straight = pfh(&room, &format!("hash {input} {settings}"));
        let planned = pfh(&room, &format!("plan {input} {settings} --unit 20KiB -o PLAN"));
        assert_eq!(planned.code, Some(3), "a missing name cannot be listed: {}", planned.stderr);
        assert!(units(&room).len() > 5, "{settings}");
        let ran = Trial::new("sh")
            .args(["-c", &format!("PATH=$1:$PATH; {line}"), "sh"])
            .arg(PathBuf::from(PFH).parent().unwrap())
            .directory(room.path())
            .run()
            .unwrap();
        // xargs ends with 123 if a unit does with 3: some formats cannot hold each name.
        let expected = if one.stderr.contains("not written") { 123 } else { 0 };
        assert_eq!(ran.code, Some(expected), "{settings}: {line}: {}", ran.stderr);
        let merged = pfh(&room, "merge PLAN -o elsewhere/many");
        assert_eq!((merged.code, one.code), (Some(3), Some(3)), "{settings}: {}", merged.stderr);
        let read = |name: &str| fs::read(room.path().join("elsewhere").join(name)).unwrap();
        assert!(read("many") == read("one"), "{settings}: {}", String::from_utf8_lossy(&read("many")));
        assert!(pfh(&room, "merge PLAN").stdout == straight.stdout, "{settings}");
        let said = |seen: &Outcome| {
            let mut lines: Vec<String> = seen.stderr.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(said(&merged), said(&one), "{settings}");
    }
}

#[test]
fn a_unit_may_be_started_several_times_at_once() {
    let room = furnished();
    // Large enough that all are at it before the first has ended.
    room.file("tree/larger", &random(3, 8_000_000));
    room.file("gone", b"");
    good(&room, "plan -r tree gone --unit 1GiB -o PLAN");
    fs::remove_file(room.path().join("gone")).unwrap();
    for again in [&[][..], &["--again"][..]] {
        let start = |_| {
            let mut command = std::process::Command::new(PFH);
            command.args(["run", "PLAN", "--unit", "1", "--no-progress"]).args(again).current_dir(room.path());
            command.stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let started: Vec<_> = (0..8).map(start).collect();
        for child in started {
            let seen = child.wait_with_output().unwrap();
            // 3, whether it read the files or left the unit as it is: one is not there any more.
            assert_eq!(seen.status.code(), Some(3), "{}", String::from_utf8_lossy(&seen.stderr));
        }
        assert_eq!(fs::read_dir(room.path().join("PLAN/parts")).unwrap().count(), 2);
    }
    let merged = pfh(&room, "merge PLAN -o many");
    assert_eq!(merged.code, Some(3), "{}", merged.stderr);
    let one = pfh(&room, "hash -r tree gone -o one --no-progress");
    assert_eq!(one.code, Some(3), "{}", one.stderr);
    assert!(fs::read(room.path().join("many")).unwrap() == fs::read(room.path().join("one")).unwrap());
}

#[test]
fn a_unit_that_is_interrupted_leaves_nothing() {
    let room = Room::new();
    fs::File::create(room.path().join("large")).unwrap().set_len(1 << 40).unwrap();
    good(&room, "plan large -a sha3-512 -o PLAN");
    let trial = Trial::new(PFH).args(["run", "PLAN", "--unit", "1", "--no-progress"]).directory(room.path());
    let seen = trial.signal_once_caught(Duration::from_millis(300), 15).run().unwrap();
    assert_eq!(seen.code, Some(143), "{}", seen.stderr);
    assert_eq!(fs::read_dir(room.path().join("PLAN/parts")).unwrap().count(), 1, "the part of what needs no reading");
    let merged = pfh(&room, "merge PLAN -o out");
    assert!(merged.code == Some(3) && merged.stderr.contains("unit 1 is missing"), "{}", merged.stderr);
    assert!(!room.path().join("out").exists());
}

#[test]
fn names_start_where_the_plan_was_made() {
    let room = furnished();
    carried_out(&room);
    fs::create_dir(room.path().join("below")).unwrap();
    let inside =
        |words: &str| Trial::new(PFH).args(words.split(' ')).directory(room.path().join("below")).run().expect("a run");
    let seen = inside("run ../PLAN --unit 1 --again");
    assert!(seen.code == Some(2) && seen.stderr.contains(room.path().to_str().unwrap()), "{}", seen.stderr);
    let again = good(&room, "run PLAN --unit 1");
    assert!(again.stderr.contains("was carried out before"), "{}", again.stderr);
    good(&room, "run PLAN --unit 000001 --again");
    // A merge reads none of the files; the manifest says where they are.
    assert_eq!(inside("merge ../PLAN -o list").code, Some(0));
    assert_eq!(inside("check --no-progress list").code, Some(0));

    let words = format!("plan -r {}/tree --unit 20KiB -o absolute", room.path().display());
    good(&room, &words);
    for unit in 1..=fs::read_dir(room.path().join("absolute/units")).unwrap().count() {
        assert_eq!(inside(&format!("run ../absolute --unit {unit}")).code, Some(0));
    }
    assert_eq!(inside("merge ../absolute -o absolute").code, Some(0));
    good(&room, "check below/absolute");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let room = furnished();
    carried_out_of(&room, "tree tree/huge");
    room.file("image.E01", b"");
    for words in [
        "plan -r tree -o PLAN",
        "plan -r tree -o tree",
        "plan -r tree -o tree/huge",
        "plan - -o new",
        "plan --image image.E01 -o new",
        "plan -o new",
        "plan tree --unit 0 -o new",
        "plan tree --files 0 -o new",
        "plan tree -f nonsense -o new",
        "plan tree --piecewise 10 -o new",
        "plan tree -f ssdeep -o new",
        "run PLAN --unit 0",
        "run PLAN --unit 999",
        "run PLAN",
        "merge PLAN -o tree/huge --force",
        "merge PLAN -o PLAN/plan.json --force",
        "merge PLAN -o PLAN/units/000001 --force",
        "merge PLAN --seal",
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(2), "pfh {words}: {}", seen.stderr);
        assert!(!room.path().join("new").exists(), "pfh {words}");
    }
    if !cfg!(feature = "remote") {
        let seen = pfh(&room, "plan s3://bucket/prefix -o new");
        assert!(seen.code == Some(2) && seen.stderr.contains("--features remote"), "{:?} {}", seen.code, seen.stderr);
        assert!(!room.path().join("new").exists());
    }
    for words in ["run tree --unit 1", "merge tree", "merge nowhere", "run tree/huge --unit 1"] {
        assert_eq!(pfh(&room, words).code, Some(3), "{words}");
    }
    good(&room, "merge PLAN");
}
