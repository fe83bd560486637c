//! Results as timelines and tables: a row for each time of each file, held to the records.
#![cfg(unix)] // names that Windows has not

use crate::check::Ended;
use crate::room::Room;
use crate::rows::{algorithms, input, list, listed};
use pfh::check::{FileOutcome, Request as Check, Verdict};
use pfh::export::{self, Event, Form, Problem, Request, Row, Table, TableSummary};
use pfh::hash::{self, Manifest};
use pfh::job::{Error, Kind};
use pfh::{Control, Time};
use pfh_inject::content;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Names that a table, a spreadsheet, a terminal or a text must not take for something else.
const HOSTILE: [&[u8]; 7] =
    [b"=1+1", b"a,b \"c\"", b"two\nlines", b"bar|bar", b"NA", "\u{202e}gpj.exe".as_bytes(), b"not \xff UTF-8"];

/// A tree with hostile names, hashed into `lines` with one error and a link.
fn hashed() -> Room {
    let room = Room::new();
    for (n, name) in (0..).zip(HOSTILE) {
        room.file(Path::new("tree").join(OsStr::from_bytes(name)), &content(n, 1000 + n));
    }
    std::os::unix::fs::symlink("NA", room.at("tree/link")).unwrap();
    let mut request = hash::Request::new(input(&room, &["tree", "missing"]), algorithms("md5,sha256"));
    request.plan.piecewise = Some(600);
    let manifest = Manifest::new(room.at("lines")).format("jsonl".parse().unwrap(), Default::default());
    let run = hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap().summary.run;
    assert_eq!((run.hashed, run.failed, run.skipped), (7, 1, 1));
    room
}

/// The rows of a result, and its faults.
fn rows(room: &Room, result: &str) -> Result<(export::Summary, Vec<Row>, Vec<String>), Error> {
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    let mut take = |event: Event<'_>| {
        match event {
            Event::Row(row) => rows.push(row.clone()),
            Event::Fault(fault) => faults.push(fault.to_owned()),
            _ => {}
        }
        Ok(())
    };
    export::run(&Request::new(room.at(result)), &mut take, &Control::new()).map(|summary| (summary, rows, faults))
}

fn written(room: &Room, result: &str, form: Form, to: &str) -> Result<TableSummary, Error> {
    let table = Table::new(form, room.at(to));
    export::write(&Request::new(room.at(result)).replace(true), &table, &mut |_| Ok(()), &Control::new())
}

fn text(room: &Room, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(room.at(name)).unwrap()).into_owned()
}

#[test]
fn rows_are_the_records() {
    let room = hashed();
    let (summary, rows, faults) = rows(&room, "lines").unwrap();
    assert_eq!((summary.records, summary.faulty, faults.len()), (9, 0, 0));
    let files: Vec<&Row> = rows.iter().filter(|row| row.kind == "file").collect();
    assert_eq!(files.len(), HOSTILE.len());
    for row in files {
        let path = Path::new(OsStr::from_bytes(&row.path));
        let bytes = fs::read(path).unwrap();
        assert_eq!(row.size, Some(bytes.len() as u64));
        for by in algorithms("md5,sha256") {
            assert_eq!(row.digest(&by.to_string()), Some(&*by.digest(&bytes).to_string()), "{path:?}");
        }
        use std::os::unix::fs::MetadataExt;
        let stat = fs::metadata(path).unwrap();
        let time = |seconds, nanoseconds: i64| Some(Time { seconds, nanoseconds: nanoseconds as u32 });
        assert_eq!(row.times[0], time(stat.mtime(), stat.mtime_nsec()), "{path:?}");
        assert_eq!(row.times[1], time(stat.ctime(), stat.ctime_nsec()), "{path:?}");
    }
    let pieces: Vec<&Row> = rows.iter().filter(|row| row.kind == "piece").collect();
    assert_eq!(pieces.len(), 2 * HOSTILE.len());
    assert!(pieces.iter().all(|row| row.offset.is_some() && row.length.is_some_and(|length| length <= 600)));
    let error = rows.iter().find(|row| row.kind == "error").unwrap();
    assert!(error.path.ends_with(b"/missing") && error.code.as_deref() == Some("ENOENT"), "{error:?}");
}

#[test]
fn a_timeline_has_a_row_for_each_time_of_each_file() {
    let room = hashed();
    let timeline = written(&room, "lines", Form::Timesketch, "events.csv").unwrap();
    assert_eq!((timeline.rows, timeline.errors, timeline.is_complete()), (3 * 7, 1, false));
    let events = text(&room, "events.csv");
    assert!(!events.contains('\u{202e}') && events.contains("Content Modification Time"));
    // A timeline has digests and exact names: its files can be checked by it, each file once,
    // however many times it has.
    let ended = Ended::of(&Check::new(room.at("events.csv")));
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (Verdict::Verified, HOSTILE.len()));
    // The files of a CSV or DFXML have times as well.
    for (to, format) in [("list.csv", "csv"), ("list.xml", "dfxml")] {
        list(&room, to, "sha256", format, &["tree"]);
        let timeline = written(&room, to, Form::Timesketch, "events.csv").unwrap();
        assert_eq!((timeline.rows, timeline.is_complete()), (3 * 7, true), "{to}");
    }
}

#[test]
fn a_body_file_has_a_line_for_each_file() {
    let room = hashed();
    assert_eq!(written(&room, "lines", Form::Bodyfile, "body").unwrap().rows, 7);
    let (_, rows, _) = rows(&room, "lines").unwrap();
    let files: Vec<&Row> = rows.iter().filter(|row| row.kind == "file").collect();
    let body = text(&room, "body");
    assert_eq!(body.lines().count(), files.len());
    for (line, row) in body.lines().zip(files) {
        let fields: Vec<&str> = line.split('|').collect();
        assert_eq!(fields.len(), 11, "{line}");
        let size = row.size.unwrap().to_string();
        assert_eq!((fields[0], fields[6]), (row.digest("md5").unwrap(), &*size));
        assert!(fields[7..10].iter().all(|time| time.parse::<i64>().unwrap() > 1_000_000_000), "{line}");
    }
}

#[cfg(feature = "known")]
#[test]
fn verdicts_have_times() {
    use pfh::matching::{Verdicts, write};
    let room = hashed();
    list(&room, "bad.md5", "md5", "sums", &["tree/NA"]);
    let request = crate::known_files::of_class(&room, &["bad.md5"], "bad", &["tree"]);
    let verdicts = Verdicts::new(room.at("verdicts")).form("jsonl".parse().unwrap());
    write(&request, &verdicts, &mut |_| Ok(()), &Control::new()).unwrap();
    let (_, rows, _) = rows(&room, "verdicts").unwrap();
    let bad: Vec<_> = rows.iter().filter(|row| row.verdict.as_deref() == Some("known-bad")).collect();
    assert!(bad.len() == 1 && bad[0].path.ends_with(b"/NA") && !bad[0].sets.is_empty(), "{bad:?}");
    let timeline = written(&room, "verdicts", Form::Timesketch, "events.csv").unwrap();
    let events = text(&room, "events.csv");
    assert_eq!((timeline.rows, events.matches("known-bad (bad): ").count()), (3 * 7, 3));
}

#[test]
fn what_is_not_whole_or_has_no_times_is_reported() {
    let room = hashed();
    listed(&room, "sums", "sha256", "sums", &["tree"]).unwrap();
    let error = written(&room, "sums", Form::Timesketch, "none").unwrap_err();
    assert!(matches!(error.find(), Some(Problem::NoTime(7))) && error.kind() == Kind::Input, "{error}");
    let whole = fs::read(room.at("lines")).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    room.file("cut", &whole[..last]);
    let (summary, _, faults) = rows(&room, "cut").unwrap();
    assert!(summary.faulty == 1 && faults[0].contains("the last line is missing"), "{faults:?}");
    assert!(!written(&room, "cut", Form::Bodyfile, "cut.body").unwrap().is_complete());
    for (name, bytes) in [("empty", &b""[..]), ("noise", b"\0\xff\n{}\n"), ("other", b"{\"type\":\"pair\"}\n")] {
        room.file(name, bytes);
        let error = written(&room, name, Form::Bodyfile, "none").unwrap_err();
        assert!(matches!(error.find(), Some(Problem::NoRecord(_))) && error.kind() == Kind::Input, "{name}: {error}");
    }
    for wrong in ["missing", "tree"] {
        assert_eq!(written(&room, wrong, Form::Bodyfile, "none").unwrap_err().kind(), Kind::Input, "{wrong}");
    }
    assert!(!room.at("none").exists());
}
