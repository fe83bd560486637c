//! Every JSON object that the program prints is as its schema says: no member that the schema does
//! not name, none missing that it demands.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, Trial, content, lacks};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Validates each line of files by a schema; prints the violations, with the line.
const VALIDATE: &str = "
import json, sys
from jsonschema import Draft202012Validator as V
wrong = lines = 0
for pair in sys.argv[1:]:
    schema, file = pair.split('=', 1)
    validator = V(json.load(open(schema)))
    V.check_schema(validator.schema)
    for line in open(file, errors='surrogateescape'):
        if line.strip():
            lines += 1
            for error in validator.iter_errors(json.loads(line)):
                wrong += 1
                print(schema, line.strip()[:300], error.message[:300])
print(lines, 'lines,', wrong, 'wrong')
sys.exit(wrong > 0)
";

/// The commands, in order, each with its exit code and the schema of its output on standard output;
/// `-` if that is nothing to validate.
const RUNS: &[(&str, i32, &str)] = &[
    ("hash -r --json t", 0, "hash"),
    ("hash -r --json -a md5,ssdeep,tlsh --piecewise 4KiB t none", 3, "hash"),
    ("hash -r -a md5,sha1,sha256 -f jsonl t -o list --seal", 0, "-"),
    ("hash --json --inside -a md5 -r packed.tar", 0, "hash"),
    ("list --json packed.tar", 0, "list"),
    ("cat --runs --json packed.tar!/t/0", 0, "cat"),
    ("extract --json --no-progress packed.tar t t/none --to unpacked", 3, "extract"),
    ("hash -r -a md5 bad -o bad.md5", 0, "-"),
    ("match -r -k bad.md5 --class bad --json t", 1, "match"),
    ("known build sets.pfhknown --bad bad.md5 --good list --no-progress", 0, "-"),
    ("match -r -k sets.pfhknown --json t none", 1, "match"),
    ("known info --json --verify sets.pfhknown", 0, "known-info"),
    ("known build blocks.pfhknown --blocks 512 --bad bad --no-progress", 0, "-"),
    ("known info --json blocks.pfhknown", 0, "known-info"),
    ("match --sectors 512 --json --flagged t/2 -k blocks.pfhknown", 1, "match"),
    ("lookup -k sets.pfhknown --json --digest d41d8cd98f00b204e9800998ecf8427e", 1, "lookup"),
    ("lookup -k sets.pfhknown --json --digest 0000", 2, "lookup"),
    ("compare -a ssdeep,tlsh,sdhash,mrsh-v2 --json --no-progress t", 0, "compare"),
    ("compare -a sdhash --evidence --json --no-progress t", 0, "compare"),
    ("compare -a ssdeep --cluster --json --no-progress t", 0, "compare"),
    ("hash -r -a ssdeep -f ssdeep t -o similar", 0, "-"),
    ("match -r --similar similar --json t", 0, "compare"),
    ("check --json list", 0, "check"),
    ("check --audit --json --all list changed", 1, "check"),
    ("check --json broken", 1, "check"),
    ("diff --json t changed", 1, "diff"),
    ("diff --json --metadata --cache cache t list", 0, "diff"),
    ("hash -r -a md5 -f jsonl changed -o kept.jsonl", 0, "-"),
    ("hash --update kept.jsonl --json bad", 0, "update"),
    ("check --json --share 1/2 list", 0, "check"),
    ("dups --json t changed", 0, "dups"),
    ("dups --json --action hardlink --never t --script go.sh t changed", 0, "dups"),
    ("dups --json --chunks 4096 t changed", 0, "dups"),
    ("bag create --json bag", 0, "bag"),
    ("bag validate --json bag", 0, "bag"),
    ("bag validate --json torn", 1, "bag"),
    ("bag update --json bag", 0, "bag"),
    ("acquire disk --to disk.img --verify --case 12 --json --no-progress", 0, "acquire"),
    ("acquire disk --to disk.E01 --piecewise 64KiB --case-uco case.json --json --no-progress", 0, "acquire"),
    ("acquire disk --to signed.img --key key.pem --no-progress", 0, "-"),
    ("verify --json disk.img", 0, "verify"),
    ("verify --json disk", 3, "verify"),
    ("selftest --json --size 1MiB .", 0, "selftest"),
    ("disks --json --system system", 0, "disks"),
    ("disks --json --all --no-read --system system", 0, "disks"),
    ("disks --json --system torn-system", 3, "disks"),
    ("algorithms --json", 0, "algorithms"),
    ("algorithms --json --measure", 0, "algorithms"),
    ("tree build --json disk --no-progress", 0, "tree"),
    ("tree check --json disk --no-progress", 0, "tree"),
    ("tree update --json disk --range 0:4096 --no-progress", 0, "tree"),
    ("tree append --json disk --no-progress", 0, "tree"),
    ("tree receive --json -o got 0=disk --no-progress", 0, "tree"),
    ("tree diff --json disk disk", 0, "tree"),
    ("tree prove disk --range 0:4096 -o part", 0, "-"),
    ("tree verify --json part --root 0000000000000000000000000000000000000000000000000000000000000000", 1, "tree"),
    ("tree root --json --as fs-verity disk", 0, "tree"),
    ("tree build --json bad --outboard bad.tree --no-progress", 0, "tree"),
    ("tree check --json bad --outboard bad.tree --no-progress", 0, "tree"),
    ("audit commit disk -o kept", 0, "-"),
    ("audit challenge kept -o asked", 0, "-"),
    ("audit prove asked disk -o answer", 0, "-"),
    ("audit verify --json kept asked answer", 0, "audit"),
    ("audit verify --json kept asked asked", 1, "audit"),
    ("audit demo --json --size 64KiB", 0, "audit"),
    ("plan --json -r t -o PLAN", 0, "plan"),
    ("bench fit means --json", 0, "bench"),
    ("bench forecast --like t -a md5,ssdeep --rounds 2 --save saved.json --json", 0, "bench"),
    ("bench forecast --fit saved.json --bytes 4TB --json", 0, "bench"),
    ("bench forecast --fit saved.json --device backup=4TB@150MB/s --json", 0, "bench"),
    ("bench forecast --preset pfh-windows -a md5 --rounds 2 --sample 1MiB --json", 0, "bench"),
    ("bench papers --bench bench --only cloner,tree --json", 0, "bench"),
];

/// Files that are written, with their schemas.
const WRITTEN: &[(&str, &str)] = &[
    ("list", "hash"),
    ("list.seal", "seal"),
    ("disk.img.log.jsonl", "log"),
    ("disk.E01.log.jsonl", "log"),
    ("signed.img.log.jsonl", "log"),
    ("PLAN/plan.json", "plan"),
];

/// A script of the papers' measurements that has a table for one part, and none for the others.
const SCRIPT: &str = r#"import json, sys
if not any("tree" in word for word in sys.argv[1:3]):
    sys.exit("needs two disks")
print(json.dumps({"table": "1", "columns": ["a", "b"], "rows": [["x", 1.5], ["y", None]], "paper": [["x", 2], None],
    "notes": ["n"], "conditions": ["cold", "flash"],
    "bars": {"unit": "s", "groups": [{"label": "l", "values": [["x", 1], ["y", None]]}]}}))
"#;

fn prepared() -> Room {
    let room = Room::new();
    for n in 0..6_u64 {
        room.file(format!("t/{n}"), &content(n / 2, 20_000 + 100 * (n % 2)));
    }
    room.file("t/empty", b"");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        room.file(Path::new("t").join(std::ffi::OsStr::from_bytes(b"not \xff UTF-8")), &content(1, 20_100));
    }
    std::os::unix::fs::symlink("0", room.path().join("t/link")).expect("a link");
    fs::hard_link(room.path().join("t/1"), room.path().join("t/same")).expect("a link");
    room.file("bad/1", &content(1, 20_000));
    room.file("bad/nothing", b"");
    room.file("changed/t/0", &content(9, 20_000));
    room.file("changed/t/1", &content(0, 20_100));
    room.file("changed/t/new", &content(2, 20_100));
    room.file("changed/folder/t0", &content(0, 20_000));
    room.file("disk", &content(7, 300_000));
    room.file("key.pem", crate::program::PRIVATE_KEY.as_bytes());
    room.file("means", b"algo MB c java\nmd5 512 1409 2848\nmd5 1024 2820 5716\nsha1 512 3 1\n");
    room.file("bench/run", SCRIPT.as_bytes());
    room.file("bag/data/letter", b"Dear Ada");
    room.file("torn/bagit.txt", b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    room.file("torn/manifest-md5.txt", format!("{}  data/gone\n", "0".repeat(32)).as_bytes());
    room.file("torn/data/more", b"more");
    room.file("broken", format!("{}  none\nwhat?\n", "0".repeat(32)).as_bytes());
    crate::program::system(&room, "system");
    crate::program::system(&room, "torn-system");
    fs::remove_file(room.path().join("torn-system/dev/nvme0n1")).expect("a file");
    let tar = Command::new("tar").args(["-cf", "packed.tar", "t"]).current_dir(room.path()).status();
    assert!(tar.is_ok_and(|status| status.success()), "tar");
    room
}

fn schema(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}.json"))
}

/// Whether Python has a validator; said as other programs that are missing are said.
fn validator_is_missing() -> bool {
    if lacks(&[Need::Program("python3")]) {
        return true;
    }
    let found = Command::new("python3").args(["-c", "import jsonschema"]).output();
    !found.is_ok_and(|found| found.status.success()) && lacks(&[Need::Program("python3-jsonschema")])
}

#[test]
fn what_is_printed_is_as_the_schemas_say() {
    if validator_is_missing() {
        return;
    }
    let room = prepared();
    let mut pairs: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    for (at, (words, code, name)) in
        RUNS.iter().enumerate().filter(|(_, (words, ..))| !crate::program::is_left_out(words))
    {
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path());
        let seen = trial.run().expect("a run");
        if seen.code != Some(*code) {
            wrong.push(format!("{words}: {:?}: {}", seen.code, seen.stderr));
        }
        if *name != "-" {
            let file = room.path().join(format!("printed.{at}"));
            fs::write(&file, &seen.stdout).expect("a file");
            pairs.push(format!("{}={}", schema(name).display(), file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    pairs.extend(
        WRITTEN.iter().map(|(file, name)| format!("{}={}", schema(name).display(), room.path().join(file).display())),
    );
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "t/1", "--stats", "json"])
        .directory(room.path())
        .run()
        .expect("a run");
    room.file("stats", seen.stderr.as_bytes());
    pairs.push(format!("{}={}", schema("stats").display(), room.path().join("stats").display()));
    let found = Command::new("python3").args(["-c", VALIDATE]).args(&pairs).output().expect("python3");
    let said = String::from_utf8_lossy(&[found.stdout, found.stderr].concat()).into_owned();
    assert!(found.status.success(), "{said}");
    // A member that no schema names is found: this test can see.
    room.file("odd", b"{\"type\":\"base\",\"path\":\"/\",\"prophecy\":1}\n");
    let odd = format!("{}={}", schema("hash").display(), room.path().join("odd").display());
    let found = Command::new("python3").args(["-c", VALIDATE, &odd]).output().expect("python3");
    assert!(!found.status.success(), "an unknown member");
}

/// It measures for half a minute.
#[test]
fn what_bench_self_prints_is_as_its_schema_says() {
    if lacks(&[Need::Time]) || validator_is_missing() {
        return;
    }
    let room = Room::new();
    if crate::program::is_left_out("bench self") {
        return;
    }
    let words = ["bench", "self", "-a", "md5", "--json"];
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let pair = format!("{}={}", schema("bench").display(), room.file("own", &seen.stdout).display());
    let found = Command::new("python3").args(["-c", VALIDATE, &pair]).output().expect("python3");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stdout));
}

#[test]
fn the_program_prints_its_schemas() {
    let room = Room::new();
    let pfh =
        |words: &[&str]| Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().expect("a run");
    let all = pfh(&["schema"]);
    assert_eq!(all.code, Some(0));
    let all = String::from_utf8(all.stdout).expect("UTF-8");
    let mut names: Vec<String> = fs::read_dir(schema("hash").parent().expect("a folder"))
        .expect("the folder")
        .map(|file| file.expect("a file").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    let listed: Vec<&str> = all.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(listed, names, "each file of docs/schema is known to the program");
    for name in names {
        let seen = pfh(&["schema", &name]);
        assert_eq!(seen.stdout, fs::read(schema(&name)).expect("the schema"), "{name}");
    }
    assert_eq!(pfh(&["schema", "none"]).code, Some(2));
}
