//! A share of the files of a manifest in each run.

use crate::room::{Room, cancelled};
use pfh::check::{self, CheckShare, FileOutcome, Problem, Request, Share, Task, Verdict};
use pfh::job::{Error, Kind};
use std::collections::HashMap;
use std::fs::{self, File};
use std::time::Duration;

/// Files of uneven sizes below `d`, and their list.
fn room(files: usize) -> Room {
    let room = Room::new();
    let md5: pfh::digest::Algorithm = "md5".parse().unwrap();
    let mut list = String::new();
    for number in 0..files {
        let size = if number % 97 == 0 { 20_000 } else { number * 7 % 61 };
        let content = "x".repeat(size);
        let name = format!("d/{}/{number}", number % 40);
        room.file(&name, &content);
        list += &format!("{}  {name}\n", md5.digest(content.as_bytes()));
    }
    room.file("list", &list);
    room
}

/// The verdict on a share, and how much was read.
type Ran = Result<(Verdict, CheckShare), Error>;

/// The result of a run, and the names of the files that it looked at, in its order.
fn run(request: &Request) -> (Ran, Vec<(String, FileOutcome)>) {
    let (ran, files) = crate::check::run(request);
    (ran.map(|summary| (summary.conclusion(), summary.parts[0].share.unwrap())), files)
}

fn share(room: &Room, share: Share) -> Request {
    Request::new(room.at("list")).share(Some(share))
}

#[cfg(unix)]
#[test]
fn every_file_is_read_once_in_thirty_runs() {
    let room = room(10_000);
    let mut read: HashMap<String, u64> = HashMap::new();
    for run in 1..=30 {
        let (ran, files) = self::run(&share(&room, Share::of(1, 30)));
        let (verdict, shared) = ran.unwrap();
        assert_eq!((verdict, shared.read, shared.files), (Verdict::Verified, files.len() as u64, 10_000));
        for (name, _) in files {
            *read.entry(name).or_default() += 1;
        }
        assert_eq!(shared.never, 10_000 - read.len() as u64, "run {run}");
        // A thirtieth, and no more than the largest file beyond it.
        assert!(shared.bytes <= shared.total / 30 + 20_001, "run {run}: {} of {}", shared.bytes, shared.total);
    }
    assert_eq!(read.len(), 10_000);
    let again = read.values().filter(|count| **count > 1).count();
    assert!(again < 30, "{again} files were read twice");
}

#[test]
fn what_is_not_as_listed_is_read_again_until_it_is() {
    let room = room(100);
    let (name, content) = ("d/3/3", fs::read(room.at("d/3/3")).unwrap());
    fs::write(room.at(name), "other").unwrap();
    let failed = |expected: usize| {
        let (ran, files) = run(&share(&room, Share::of(1, 4)));
        let wrong = files.iter().filter(|(_, found)| *found == FileOutcome::Wrong).count();
        assert_eq!(wrong, expected);
        (ran.unwrap(), files)
    };
    // The first run of it, and each one behind that.
    let mut runs = 0;
    while run(&share(&room, Share::of(1, 4))).0.unwrap().0 == Verdict::Verified {
        runs += 1;
        assert!(runs < 5);
    }
    for _ in 0..5 {
        let ((verdict, shared), files) = failed(1);
        assert_eq!(verdict, Verdict::Differs);
        assert!(shared.never <= 100 && files.len() > 1, "others are read beside it");
    }
    fs::write(room.at(name), content).unwrap();
    let ((verdict, shared), files) = failed(0);
    assert!(files.iter().any(|(read, _)| read == name));
    assert_eq!((verdict, shared.never), (Verdict::Verified, 0));
}

#[test]
fn a_state_that_is_damaged_or_of_another_tree_claims_nothing() {
    let room = room(40);
    let part = || share(&room, Share::of(1, 2));
    run(&part()).0.unwrap();
    let path = room.at("list.checked");
    let whole = fs::read(&path).unwrap();
    for cut in [whole.len() - 1, whole.len() / 2, 16] {
        fs::write(&path, &whole[..cut]).unwrap();
        let shared = run(&part()).0.unwrap().1;
        assert!(shared.is_lost && shared.never > 0, "{cut}");
    }
    // An empty one, as a file system leaves it after a crash.
    fs::write(&path, "").unwrap();
    assert!(run(&part()).0.unwrap().1.never > 0);
    // Somebody's file is left alone.
    fs::write(&path, "mine").unwrap();
    assert_eq!(run(&part()).0.unwrap_err().kind(), Kind::Request);
    fs::write(&path, &whole).unwrap();
    // Another tree.
    let copy = room.at("copy");
    fs::create_dir(&copy).unwrap();
    fs::rename(room.at("d"), copy.join("d")).unwrap();
    let other = part().root(&copy);
    assert!(matches!(run(&other).0.unwrap_err().find(), Some(Problem::OtherRoot { .. })));
    let shared = run(&other.share(Some(Share::of(1, 1).state(Some(room.at("state")))))).0.unwrap().1;
    assert_eq!((shared.never, shared.read), (0, 40));
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn a_manifest_that_changed_keeps_what_is_known_of_the_rest() {
    let room = room(40);
    let all = share(&room, Share::of(1, 1));
    run(&all).0.unwrap();
    let list = fs::read_to_string(room.at("list")).unwrap();
    room.file("d/more", "abc");
    fs::write(room.at("list"), format!("{list}900150983cd24fb0d6963f7d28e17f72  d/more\n")).unwrap();
    let (ran, files) = run(&share(&room, Share::of(1, 40)));
    assert_eq!(files[0].0, "d/0/0", "in the order of the list");
    assert!(files.iter().any(|(name, _)| name == "d/more") && ran.unwrap().1.never == 0, "{files:?}");
}

#[test]
fn time_ends_a_run_and_the_next_goes_on() {
    let room = room(60);
    let timed = share(&room, Share::lasting(Duration::from_nanos(1)));
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (ran, files) = run(&timed);
        assert_eq!(ran.unwrap().0, Verdict::Verified);
        assert!(!files.is_empty() && files.len() < 60);
        seen.extend(files.into_iter().map(|(name, _)| name));
    }
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count, "each run has others");
    let (ran, _) = run(&share(&room, Share::lasting(Duration::from_secs(600))));
    assert_eq!(ran.unwrap().1.never, 0);
}

#[test]
fn shares_that_make_no_sense_are_refused() {
    let room = room(2);
    for wrong in [Share::of(0, 30), Share::of(31, 30), Share::default()] {
        assert!(matches!(run(&share(&room, wrong)).0.unwrap_err().find(), Some(Problem::NoShare)));
    }
    let audit = Task::Audit { below: Vec::new(), follow: false };
    let audit = share(&room, Share::of(1, 2)).root(room.path()).task(audit);
    assert!(matches!(run(&audit).0.unwrap_err().find(), Some(Problem::ShareOfAudit)));
    let ran = check::run(&share(&room, Share::of(1, 2)), &mut |_| Ok(()), &cancelled());
    assert_eq!(ran.unwrap_err().kind(), Kind::Cancelled);
    // Two at once.
    let held = File::open(room.at("list")).unwrap();
    held.lock().unwrap();
    assert_eq!(run(&share(&room, Share::of(1, 2))).0.unwrap_err().kind(), Kind::Input);
}

#[test]
fn records_of_a_manifest_are_shared_out() {
    let room = room(100);
    fs::write(room.at("d/3/3"), "other").unwrap();
    fs::remove_file(room.at("d/4/44")).unwrap();
    let all = crate::check::run(&Request::new(room.at("list"))).1;
    let mut seen = Vec::new();
    for first in (0..100).step_by(7) {
        let places: Vec<usize> = (first..(first + 7).min(100)).collect();
        let (ran, files) = crate::check::run(&Request::new(room.at("list")).records(Some(places.clone())));
        let part = &ran.unwrap().parts[0];
        assert_eq!((part.expected, files.len()), (places.len() as u64, places.len()));
        assert_eq!(part.root.as_deref(), Some(room.path().as_os_str().as_encoded_bytes()));
        let is_right = |(_, found): &(String, FileOutcome)| *found == FileOutcome::Right;
        assert_eq!(part.conclusion() == Verdict::Verified, files.iter().all(is_right), "{places:?}");
        seen.extend(files);
    }
    assert_eq!(seen, all);
    let (ran, files) = crate::check::run(&Request::new(room.at("list")).records(Some(vec![99, 500])));
    assert_eq!((ran.unwrap().parts[0].expected, &files[..]), (1, &all[99..]));
    let wrong = share(&room, Share::of(1, 2)).records(Some(vec![1]));
    assert!(matches!(run(&wrong).0.unwrap_err().find(), Some(Problem::RecordsOfShare)));
}
