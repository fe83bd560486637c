//! `pfh export`: results as Timesketch's CSV, as body files, and as Parquet, held to the JSON lines
//! that they are made of.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Names that a table, a spreadsheet, a terminal or a text must not take for something else.
const HOSTILE: [&[u8]; 7] =
    [b"=1+1", b"a,b \"c\"", b"two\nlines", b"bar|bar", b"NA", "\u{202e}gpj.exe".as_bytes(), b"not \xff UTF-8"];

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().expect("a run")
}

fn ends(room: &Room, words: &str, code: i32) -> Outcome {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
    seen
}

/// A tree with hostile names, hashed into `lines` with one error and a link.
fn hashed() -> Room {
    let room = Room::new();
    for (n, name) in (0..).zip(HOSTILE) {
        room.file(Path::new("tree").join(OsStr::from_bytes(name)), &content(n, 1000 + n));
    }
    std::os::unix::fs::symlink("NA", room.path().join("tree/link")).expect("a link");
    ends(&room, "hash -r -f jsonl -a md5,sha256 --piecewise 600 tree missing -o lines", 3);
    room
}

fn lines(room: &Room, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(room.path().join(name)).expect("lines");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Records of CSV as RFC 4180 has them; fields of a record as the header names them.
fn table(bytes: &[u8]) -> Vec<serde_json::Map<String, Value>> {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    let (mut rows, mut fields, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quoted) {
            ('"', true) if chars.peek() == Some(&'"') => field.push(chars.next().expect("a quote")),
            ('"', _) => quoted = !quoted,
            (',', false) => fields.push(std::mem::take(&mut field)),
            ('\r', false) => {}
            ('\n', false) => {
                fields.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut fields));
            }
            _ => field.push(c),
        }
    }
    assert!(fields.is_empty() && field.is_empty(), "it ends with a line end");
    let head = rows.remove(0);
    let named = |row: Vec<String>| {
        assert_eq!(row.len(), head.len(), "{row:?}");
        head.iter().cloned().zip(row.into_iter().map(Value::from)).collect()
    };
    rows.into_iter().map(named).collect()
}

fn text<'a>(row: &'a serde_json::Map<String, Value>, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("no {key} in {row:?}"))
}

/// `2026-11-21T02:06:33.5Z` with six digits, cut, and UTC's offset.
fn microseconds(time: &str) -> String {
    let (whole, fraction) = time.trim_end_matches('Z').split_once('.').unwrap_or((time.trim_end_matches('Z'), ""));
    format!("{whole}.{:0<6.6}+00:00", fraction)
}

#[test]
fn timesketch_has_a_row_for_each_time_of_each_file() {
    let room = hashed();
    let seen = ends(&room, "export lines --to timesketch -o events.csv", 3);
    assert!(seen.stderr.contains("1 error has no time"), "{}", seen.stderr);
    let rows = table(&fs::read(room.path().join("events.csv")).expect("a file"));
    let mut expected = Vec::new();
    for line in lines(&room, "lines").iter().filter(|line| line["type"] == "file") {
        for (key, what) in [
            ("mtime", "Content Modification Time"),
            ("ctime", "Metadata Modification Time"),
            ("atime", "Last Access Time"),
        ] {
            expected.push((line.clone(), microseconds(line[key].as_str().expect("a time")), what));
        }
    }
    assert_eq!(rows.len(), expected.len());
    for (row, (line, time, what)) in rows.iter().zip(expected) {
        assert_eq!((text(row, "datetime"), text(row, "timestamp_desc")), (time.as_str(), what));
        let moment: i64 = text(row, "timestamp").parse().expect("microseconds");
        assert_eq!(format!("{:06}", moment.rem_euclid(1_000_000)), time[time.len() - 12..time.len() - 6]);
        assert_eq!(text(row, "size"), line["size"].to_string());
        assert_eq!(text(row, "sha256_hash"), line["digests"]["sha256"].as_str().expect("a digest"));
        assert!(text(row, "message").starts_with("file: tree/"), "{row:?}");
        // A name is in `path` as it is, or exactly in `path_b64`.
        let exact = line.get("path_b64").and_then(Value::as_str).unwrap_or_default();
        if !exact.is_empty() {
            assert_eq!(text(row, "path_b64"), exact);
        } else if text(row, "path_b64").is_empty() {
            assert_eq!(text(row, "path"), line["path"].as_str().expect("a path"));
        }
        assert!(!row.values().any(|field| field.as_str().unwrap_or_default().contains('\u{202e}')));
    }
    // A timeline has digests and exact names: its files can be checked by it, each file once,
    // however many times it has.
    let seen = ends(&room, "check events.csv", 0);
    let verified = String::from_utf8_lossy(&seen.stdout).lines().filter(|line| line.ends_with(": OK")).count();
    assert_eq!(verified, HOSTILE.len(), "{}", String::from_utf8_lossy(&seen.stdout));
}

#[test]
fn the_same_from_standard_input_and_from_any_directory() {
    let room = hashed();
    ends(&room, "export lines --to timesketch -o events.csv", 3);
    let lines = fs::read(room.path().join("lines")).expect("lines");
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["export", "-", "--to", "timesketch"]).input(lines);
    let seen = trial.run().expect("a run");
    assert_eq!(seen.stdout, fs::read(room.path().join("events.csv")).expect("events"));
    let path = room.path().join("lines");
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["export"]).arg(&path).args(["--to", "timesketch"]);
    assert_eq!(seen.run().expect("a run").stdout, fs::read(room.path().join("events.csv")).expect("events"));
}

#[test]
fn what_is_not_whole_or_has_no_times_is_said_and_in_the_exit() {
    let room = hashed();
    ends(&room, "hash -r tree -o sums", 0);
    let seen = ends(&room, "export sums --to timesketch -o none.csv", 3);
    assert!(seen.stderr.contains("none of its 7 records has a time"), "{}", seen.stderr);
    let whole = fs::read(room.path().join("lines")).expect("lines");
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines") + 1;
    room.file("cut", &whole[..last]);
    let seen = ends(&room, "export cut --to bodyfile -o cut.body", 3);
    assert!(seen.stderr.contains("the last line is missing"), "{}", seen.stderr);
    let checked = ends(&room, "check sums --json", 0);
    room.file("checked", &checked.stdout);
    for (name, bytes) in [("empty", &b""[..]), ("noise", b"\0\xff\n{}\n"), ("other", b"{\"type\":\"pair\"}\n")] {
        room.file(name, bytes);
        let seen = ends(&room, &format!("export {name} --to bodyfile -o none.csv"), 3);
        assert!(seen.stderr.contains("no record of a file is in it"), "{name}: {}", seen.stderr);
    }
    for wrong in ["missing", "tree", "checked"] {
        ends(&room, &format!("export {wrong} --to bodyfile -o none.csv"), 3);
    }
    ends(&room, "export lines --to nothing", 2);
    assert!(!room.path().join("none.csv").exists());
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_so_and_writes_nothing() {
    let room = hashed();
    let seen = ends(&room, "export lines --to parquet -o out", 2);
    assert!(seen.stderr.contains("--features parquet"), "{}", seen.stderr);
    assert!(!room.path().join("out").exists());
}

/// Compares a table with the JSON lines that it was made of, row by row.
#[cfg(feature = "parquet")]
const COMPARE: &str = r#"
import base64, datetime, json, sys
import pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
times = {name: table.column(name).cast("int64").to_pylist() for name in ("mtime", "ctime", "atime", "crtime", "dtime")}
assert all(str(table.schema.field(name).type) == "timestamp[ns, tz=UTC]" for name in times), table.schema
rows = table.drop_columns(list(times)).to_pylist()
def nanoseconds(text):
    whole, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(whole + "+00:00")
    seconds = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(seconds=1)
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))
expected = []
for line in open(sys.argv[2], encoding="utf-8"):
    line = json.loads(line)
    if line["type"] == "summary":
        continue
    pieces = line.pop("pieces", [])
    expected.append(line)
    expected += [{"type": "piece", "size": line["size"], **{k: v for k, v in line.items() if k in ("path", "path_b64")}, **piece} for piece in pieces]
assert len(rows) == len(expected) > 5, (len(rows), len(expected))
for number, (row, line) in enumerate(zip(rows, expected)):
    name = base64.b64decode(line["path_b64"]) if "path_b64" in line else line["path"].encode()
    assert row.pop("path_bytes") == name
    assert row.pop("path") == (None if "path_b64" in line else line["path"])
    for key in ("type", "size", "offset", "length", "verdict", "stage", "code", "cause", "id", "level"):
        assert row.pop(key) == line.get(key), (key, line)
    inside = line.get("inside", {})
    for key in times:
        text = line.get(key, inside.get(key))
        assert times[key][number] == (None if text is None else nanoseconds(text)), (key, line)
    for key in ("sets", "inside"):
        value = row.pop(key)
        assert (None if value is None else json.loads(value)) == line.get(key), (key, line)
    assert row.pop("notes") == (" ".join(line["notes"]) if line.get("notes") else None)
    assert row.pop("inode") == inside.get("inode") and row.pop("deleted") == inside.get("deleted", False)
    other = json.loads(row.pop("other") or "{}")
    assert set(other) <= {"kind", "empty"} and all(line[key] == value for key, value in other.items()), other
    assert row == {name: line.get("digests", {}).get(name) for name in row}, row
print(len(rows))
"#;

/// The interpreter that `tools/python/check` makes; one with pyarrow is named by PFH_PYARROW.
#[cfg(feature = "parquet")]
fn pyarrow() -> Option<std::path::PathBuf> {
    let named = std::env::var_os("PFH_PYARROW").map(std::path::PathBuf::from);
    let beside = Path::new(env!("CARGO_BIN_EXE_pfh")).join("../../python-venv/bin/python");
    let found = named.or_else(|| beside.exists().then_some(beside));
    assert!(found.is_some() || std::env::var_os("PFH_REQUIRE_INJECTORS").is_none(), "tools/python/check makes it");
    if found.is_none() {
        println!("skipped: no interpreter with pyarrow; tools/python/check makes one, PFH_PYARROW names one");
    }
    found
}

#[cfg(feature = "parquet")]
#[test]
fn pyarrow_reads_from_parquet_what_the_lines_say() {
    let Some(python) = pyarrow() else { return };
    let room = hashed();
    ends(&room, "hash -a md5 tree/NA -o bad.md5", 0);
    let verdicts = ends(&room, "match -r -k bad.md5 --class bad --json tree missing", 1);
    room.file("verdicts", &verdicts.stdout);
    let images = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/images/dfvfs");
    let listed = ends(&room, &format!("list --json -r {images}"), 0);
    room.file("listed", &listed.stdout);
    for name in ["lines", "verdicts", "listed"] {
        ends(&room, &format!("export {name} --to parquet -o {name}.parquet"), 0);
        let words = ["-c", COMPARE, &format!("{name}.parquet"), name];
        let seen = std::process::Command::new(&python).args(words).current_dir(room.path()).output().expect("python");
        assert!(seen.status.success(), "{name}: {}", String::from_utf8_lossy(&seen.stderr));
    }
    // An export is a table, and not a list that can be checked.
    let seen = pfh(&room, "check lines.parquet");
    assert!([Some(2), Some(3), Some(4)].contains(&seen.code), "{:?} {}", seen.code, seen.stderr);
}
