//! The test of a machine through the library.

use crate::room::{Room, cancelled};
use pfh::Control;
use pfh::selftest::{Digests, Group, Problem, Request, Row, Standing, Summary, run};
use pfh::verdict::Verdict;

fn ran(request: &Request) -> (Summary, Vec<Row>) {
    let mut rows = Vec::new();
    let summary = run(
        request,
        &mut |row| {
            rows.push(row.clone());
            Ok(())
        },
        &Control::new(),
    );
    (summary.unwrap(), rows)
}

#[test]
fn the_answers_are_rows_and_the_verdict_is_theirs() {
    let room = Room::new();
    let (summary, rows) = ran(&Request::new(room.path()).bytes(1 << 20));
    assert_eq!(summary.wrong, 0, "{rows:?}");
    for group in [Group::Machine, Group::Digests, Group::Known, Group::Files, Group::Speed] {
        assert!(rows.iter().any(|row| row.group == group), "{group:?}");
    }
    let held = rows.iter().filter(|row| row.standing == Standing::Holds).count() as u64;
    assert_eq!(held, summary.holds);
    for row in rows.iter().filter(|row| !matches!(row.standing, Standing::Holds | Standing::Note)) {
        assert!(row.consequence.is_some() && row.remedy.is_some(), "{row:?}");
    }
    assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 0, "nothing stays");
}

/// A process whose digests are wrong on one instruction set, and one that dies of it.
#[cfg(unix)]
#[test]
fn wrong_digests_are_a_wrong_answer() {
    let room = Room::new();
    let shell = |script: &str| Request::new(room.path()).bytes(0).again(["sh", "-c", script]);
    let wrong =
        "if [ $PFH_ISA = portable ]; then echo pfh-selftest-digests 9 2 md5; else echo pfh-selftest-digests 9 2 ; fi";
    let (summary, rows) = ran(&shell(wrong));
    let portable = rows.iter().find(|row| row.name == "portable").unwrap();
    assert_eq!((portable.standing, &*portable.detail), (Standing::Wrong, "wrong: md5"));
    assert_eq!((summary.wrong, summary.verdict()), (1, Verdict::Differs));
    for broken in ["kill -ILL $$", "echo anything", "echo pfh-selftest-digests 0 0 "] {
        let (summary, rows) = ran(&shell(broken));
        let portable = rows.iter().find(|row| row.name == "portable").unwrap();
        assert_ne!(portable.standing, Standing::Holds, "{broken}");
        assert_ne!(summary.verdict(), Verdict::Verified, "{broken}");
    }
    assert_eq!(Digests::parse("pfh-selftest-digests 9 2 "), Digests::parse("pfh-selftest-digests 9 2 \r\n"));
}

#[test]
fn a_cancelled_test_removes_its_files() {
    let room = Room::new();
    let error = run(&Request::new(room.path()), &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!(error.find::<Problem>(), Some(&Problem::Cancelled));
    assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 0);
}
