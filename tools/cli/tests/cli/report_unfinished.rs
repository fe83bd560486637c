//! Jobs that have not ended, on the page of a case: by a log without an end, a map with parts to
//! read, results without their last line, a plan.

use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};
use std::fs;

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().expect("a run")
}

/// The page of the folder `case`, made with this exit.
fn page(room: &Room, code: i32) -> String {
    let seen = pfh(room, "report case --html page --force");
    assert_eq!(seen.code, Some(code), "{}", seen.stderr);
    fs::read_to_string(room.path().join("page")).expect("the page")
}

#[cfg(unix)]
#[test]
fn an_acquisition_that_was_cut_off_shows_how_far_it_came() {
    let room = Room::new();
    room.file("disk", &content(1, 100_000));
    fs::create_dir(room.path().join("case")).expect("a folder");
    assert_eq!(pfh(&room, "acquire disk --to case/a.img --examiner Ada --no-progress").code, Some(0));
    assert!(!page(&room, 0).contains("Jobs that have not ended"));
    let log = room.path().join("case/a.img.log.jsonl");
    let text = fs::read_to_string(&log).expect("the log");
    let first = text.split_inclusive('\n').next().expect("a record");
    // Cut off inside of the next record.
    fs::write(&log, format!("{first}{{\"chain\":")).expect("a log that is cut off");
    let map = "# Mapfile. Created by pfh\n0x0 ? 1\n0x0 0x6000 +\n0x6000 0x1000 -\n0x7000 0x116A0 ?\n";
    room.file("case/a.img.map", map.as_bytes());
    let html = page(&room, 3);
    for part in [
        "<h2>Jobs that have not ended</h2>",
        "acquisition of disk into case/a.img",
        "no process here has it: cut off, or running elsewhere",
        "<progress value=\"28672\" max=\"100000\"></progress> 28 %",
        "24.6 kB of 100.0 kB were read, 4.1 kB were unreadable",
        "last written at 2",
        "the chain of 1 record holds",
        "<th>examiner</th><td>Ada</td>",
        "image: its log is on this page",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    // A map without its log is a job as well.
    fs::remove_file(&log).expect("removed");
    let html = page(&room, 3);
    assert!(html.contains("acquisition, by its map") && html.contains("not read to its end"), "{html}");
    // Nothing is shown of a log whose chain is broken, even if its end is missing as well.
    fs::write(&log, first.replace("Ada", "Mallory")).expect("a changed log");
    assert!(!page(&room, 1).contains("Mallory"));
}

#[test]
fn results_without_their_last_line_are_being_written_or_were_cut_off() {
    let room = Room::new();
    (0..3).for_each(|at| drop(room.file(format!("t/{at}"), &content(at, 10))));
    let whole = pfh(&room, "hash -r t -f jsonl").stdout;
    room.file("case/list", &whole);
    assert!(!page(&room, 0).contains("Jobs that have not ended"));
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    room.file("case/list", &lines[..2].concat());
    let html = page(&room, 3);
    assert!(html.contains("being written, or cut off") && html.contains("records so far: 2"), "{html}");
}

#[test]
fn a_plan_shows_its_units() {
    let room = Room::new();
    (0..4).for_each(|at| drop(room.file(format!("t/{at}"), &content(at, 10_000))));
    fs::create_dir(room.path().join("case")).expect("a folder");
    assert_eq!(pfh(&room, "plan -r t --unit 10000 -o case/plan --no-progress").code, Some(0));
    for (done, share, state) in
        [(0, "0 %", "units are left"), (1, "25 %", "units are left"), (4, "100 %", "all units are done")]
    {
        for unit in 1..=done {
            assert_eq!(pfh(&room, &format!("run case/plan --unit {unit} --no-progress")).code, Some(0));
        }
        // Nothing of a plan is a result, and nothing of it is unknown.
        let html = page(&room, 3);
        for part in [&format!("{done} of 4 units are done"), share, state, "run in units: case/plan", "unit of a plan"]
        {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert!(!html.contains("not understood"), "{html}");
    }
}
