//! Clocks at 1970, 2038, 2106 and 9999, clocks that go back, that stand still, and that jump while
//! a run goes on: no verdict, state, seal, log or set depends on them. `faketime` sets the present
//! time of the program; the times of files are the system's.
#![cfg(unix)]

use crate::program::{Room, keys, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// The time of one run and that of the next. Each stands still.
const CLOCKS: [[&str; 2]; 8] = [
    ["1970-01-01 00:00:02", "1970-01-01 00:00:01"],
    ["2038-01-19 03:14:06", "2038-01-19 03:14:08"],
    ["2106-02-07 06:28:14", "2106-02-07 06:28:16"],
    ["2106-02-07 06:28:16", "1970-01-01 00:00:01"],
    ["1970-01-01 00:00:01", "2106-02-07 06:28:16"],
    ["2030-01-01 00:00:00", "2020-01-01 00:00:00"],
    ["2026-11-28 12:00:00", "2026-11-28 12:00:00"],
    ["9999-12-31 23:59:58", "9999-12-31 23:59:59"],
];

/// Runs in turn by two clocks; without any, by one that jumps while they run.
struct Runs<'a> {
    room: &'a Room,
    clocks: Option<[&'a str; 2]>,
    count: usize,
}

/// A clock that jumps from one time to another as fast as its file can be written.
struct Jumping {
    over: Arc<AtomicBool>,
    jumps: Option<JoinHandle<u32>>,
}

impl Jumping {
    fn new(room: &Room) -> Jumping {
        let (file, fresh) = (room.path().join("clock"), room.path().join("clock.new"));
        let over = Arc::new(AtomicBool::new(false));
        fs::write(&file, "2030-01-01 00:00:00\n").unwrap();
        let end = over.clone();
        let jumps = std::thread::spawn(move || {
            let mut count = 0;
            for clock in CLOCKS.iter().flatten().cycle() {
                if end.load(Ordering::SeqCst) {
                    break;
                }
                fs::write(&fresh, format!("{clock}\n")).unwrap();
                fs::rename(&fresh, &file).unwrap();
                count += 1;
            }
            count
        });
        Jumping { over, jumps: Some(jumps) }
    }

    /// How often it has jumped.
    fn end(mut self) -> u32 {
        self.over.store(true, Ordering::SeqCst);
        self.jumps.take().unwrap().join().unwrap()
    }
}

impl Runs<'_> {
    fn run(&mut self, words: &str) -> Outcome {
        let clock = self.clocks.map_or("2030-01-01 00:00:00", |clocks| clocks[self.count % 2]);
        self.count += 1;
        let mut wrapper =
            vec!["env", "TZ=UTC", "NO_FAKE_STAT=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "faketime", "-m", "-f", clock];
        if self.clocks.is_none() {
            wrapper.extend(["env", "-u", "FAKETIME", "FAKETIME_NO_CACHE=1", "FAKETIME_TIMESTAMP_FILE=clock"]);
        }
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).under(wrapper);
        trial.directory(self.room.path()).run().unwrap()
    }

    /// A run that ends with this code; its standard output and error.
    fn ends(&mut self, code: i32, words: &str) -> String {
        let seen = self.run(words);
        let said = format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
        assert_eq!(seen.code, Some(code), "{:?}, run {}: {words}: {said}", self.clocks, self.count);
        said
    }
}

fn room() -> Room {
    let room = Room::new();
    for number in 0..9 {
        room.file(format!("d/{number}"), format!("content {number}").as_bytes());
    }
    room.file("s", &random(7, 300_000));
    keys(&room);
    room
}

/// All that is kept from run to run: seals and their rows, shares, caches, updates, trees and
/// catalogues, logs, sets.
#[test]
fn nothing_depends_on_the_clock() {
    if lacks(&[Need::Program("faketime")]) {
        return;
    }
    for clocks in CLOCKS.map(Some).into_iter().chain([None]) {
        let room = room();
        let jumping = clocks.is_none().then(|| Jumping::new(&room));
        let mut runs = Runs { room: &room, clocks, count: 0 };
        let at = |name: &str| room.path().join(name);
        // Seals: numbers count, and times do not.
        runs.ends(0, "hash -q -r d -f jsonl -o l --seal --key k.pem");
        fs::copy(at("l.seal"), at("first.seal")).unwrap();
        fs::copy(at("l"), at("first")).unwrap();
        runs.ends(0, "check -q --key k.pub l");
        // Shares: each file once in three runs.
        for left in ["6 files were never", "3 files were never", "3 of 9"] {
            let said = runs.ends(0, "check --share 1/3 l");
            assert!(said.contains("3 of 9 files") && said.contains(left), "{clocks:?}: {said}");
        }
        // A change that leaves size and modification time as they were.
        runs.ends(0, "hash -q -r d --cache c -o h1");
        runs.ends(0, "hash -q -r d --cache c -o h2");
        assert_eq!(fs::read(at("h1")).unwrap(), fs::read(at("h2")).unwrap(), "{clocks:?}");
        let modified = fs::metadata(at("d/3")).unwrap().modified().unwrap();
        room.file("d/3", b"CONTENT 3");
        fs::File::options().write(true).open(at("d/3")).unwrap().set_modified(modified).unwrap();
        runs.ends(0, "hash -q -r d --cache c -o h3");
        runs.ends(0, "check -q h3");
        runs.ends(1, "check -q h2");
        runs.ends(1, "hash -q --update l d --seal --key k.pem");
        room.file("d/3", b"content 3");
        runs.ends(0, "hash -q --update l d --seal --key k.pem");
        room.file("d/3", b"content three");
        runs.ends(0, "hash -q --update l d --seal --key k.pem");
        runs.ends(0, "check -q --key k.pub --after first.seal l");
        fs::copy(at("l.seal"), at("last.seal")).unwrap();
        fs::copy(at("first"), at("old")).unwrap();
        fs::copy(at("first.seal"), at("old.seal")).unwrap();
        runs.ends(1, "check -q --key k.pub --after last.seal old");
        // Trees and catalogues.
        runs.ends(0, "tree build -q s");
        runs.ends(0, "tree check s");
        runs.ends(0, "tree build -q d");
        room.file("d/1", b"another");
        runs.ends(0, "tree update -q d");
        runs.ends(0, "tree check d");
        // Logs, and the same acquisition once more.
        runs.ends(0, "acquire s --to i.dd --key k.pem -q");
        runs.ends(0, "verify -q i.dd --key k.pub --against s");
        runs.ends(0, "acquire s --to i.dd --key k.pem -q");
        runs.ends(0, "verify -q i.dd --key k.pub --against s");
        // Sets.
        runs.ends(0, "known build --bad h3 -q set");
        runs.ends(1, "match -q -k set -r d");
        runs.ends(0, "match -q -k set s");
        assert!(jumping.is_none_or(|clock| clock.end() > 1000), "it stood still");
    }
}

/// Runs that are killed and go on under another clock end as one run does.
#[test]
fn an_acquisition_goes_on_under_another_clock() {
    if lacks(&[Need::Program("faketime")]) {
        return;
    }
    for clocks in CLOCKS.map(Some).into_iter().chain([None]) {
        let room = room();
        let jumping = clocks.is_none().then(|| Jumping::new(&room));
        let mut runs = Runs { room: &room, clocks, count: 0 };
        let map = "0x0 + 1\n0x0 0x10000 +\n0x10000 0x400 -\n0x10400 0x38fe0 +\n";
        room.file("bad", map.as_bytes());
        runs.ends(3, "acquire s --to i.dd --key k.pem -q --map-as-faults bad");
        runs.ends(0, "acquire s --to i.dd --key k.pem -q --retry-bad");
        runs.ends(0, "verify -q i.dd --key k.pub --against s");
        assert!(jumping.is_none_or(|clock| clock.end() > 100), "it stood still");
    }
}

/// Where a build states its time, seals are equal wherever and whenever they are made.
#[test]
fn a_stated_time_makes_equal_seals() {
    let seals = ["one", "other"].map(|place| {
        let room = room();
        let directory = room.path().join(place);
        room.file(format!("{place}/a"), b"content");
        let words = "hash -q a -o SUMS --seal --key ../k.pem";
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' '));
        let seen = trial.under(["env", "SOURCE_DATE_EPOCH=1700000000"]).directory(&directory).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let checked = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["check", "--key", "../k.pub", "SUMS"]);
        let seen = checked.directory(&directory).run().unwrap();
        assert!(seen.code == Some(0) && seen.stderr.contains("made 2023-11-14T22:13:20Z as SUMS\n"), "{}", seen.stderr);
        fs::read_to_string(directory.join("SUMS.seal")).unwrap()
    });
    assert_eq!(seals[0], seals[1]);
}
