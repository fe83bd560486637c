//! Patterns by the names that are printed, patterns that match nothing, and audits of `/`.

use crate::check::run as check;
use crate::room::Room;
use crate::rows::{algorithms, below, input};
use pfh::check::{Problem, Request as Check, Task, Verdict};
use pfh::hash::{Event, Request, run};
use pfh::job::Kind;
use pfh::{Control, Input, InputError, Outcome, Selection};

fn room() -> Room {
    let room = Room::new();
    ["d/1", "d/2", "d/s/1", "d/s/t"].iter().for_each(|name| drop(room.file(name, name)));
    room
}

/// The names that are hashed, and the patterns that matched nothing.
fn taken(room: &Room, include: &[&str], exclude: &[&str]) -> (Vec<String>, Vec<String>) {
    let owned = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>();
    let mut request = Request::new(input(room, &["d"]), algorithms("md5"));
    request.input.descend.selection = Selection::new(&owned(include), &owned(exclude), None, None).unwrap();
    let mut names = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Record(record) = event
            && matches!(record.outcome, Outcome::Hashed(_))
        {
            names.push(below(room, &record.name));
        }
        Ok(())
    };
    run(&request, &mut take, &Control::new()).unwrap();
    let unmatched = request.input.descend.selection.unmatched().iter().map(|pattern| (*pattern).to_owned()).collect();
    (names, unmatched)
}

#[test]
fn a_pattern_matches_the_name_as_it_is_printed() {
    let room = room();
    let whole = room.at("d").display().to_string();
    let here = |names: &[&str]| names.iter().map(|name| format!("d/{name}")).collect::<Vec<_>>();
    for (pattern, left) in [
        (format!("{whole}/1"), here(&["2", "s/1", "s/t"])),
        (format!("{whole}/*"), here(&[])),
        (format!("{whole}/s"), here(&["1", "2"])),
        (format!("{whole}/s/"), here(&["1", "2"])),
        ("*/1".into(), here(&["1", "2", "s/t"])),
        ("**/1".into(), here(&["2", "s/t"])),
        ("s".into(), here(&["1", "2"])),
        ("1".into(), here(&["2", "s/t"])),
        // From the beginning of the name as it was given, or from the operand.
        ("d/1".into(), here(&["1", "2", "s/1", "s/t"])),
        ("s/1".into(), here(&["1", "2", "s/t"])),
        ("/1".into(), here(&["2", "s/1", "s/t"])),
    ] {
        assert_eq!(taken(&room, &[], &[&pattern]).0, left, "{pattern}");
    }
    assert_eq!(taken(&room, &[&format!("{whole}/s/*")], &[]).0, here(&["s/1", "s/t"]));
}

/// Nothing is read, and nothing is left out in silence.
#[test]
fn what_only_windows_has_is_refused_elsewhere() {
    let room = room();
    let mut input = Input::new([room.path()]);
    input.descend.streams = true;
    assert_eq!(matches!(input.check(), Err(InputError::NoStreams)), cfg!(not(windows)));
    (input.descend.streams, input.descend.hold) = (false, true);
    assert_eq!(matches!(input.check(), Err(InputError::NoHold)), cfg!(not(windows)));
}

#[test]
fn a_pattern_that_matches_nothing_is_known() {
    let room = room();
    let one = room.at("d/1").display().to_string();
    assert_eq!(taken(&room, &[], &["nothing", &one]).1, ["nothing"]);
    assert_eq!(taken(&room, &["*.jpg"], &[]), (vec![], vec!["*.jpg".to_owned()]));
    assert_eq!(taken(&room, &["1", "s/*"], &[]).1, [""; 0]);
}

#[cfg(unix)]
#[test]
fn an_audit_walks_all_of_the_system_only_if_that_is_asked_for() {
    let room = room();
    let path = room.at("d/1").display().to_string();
    let digest = "900150983cd24fb0d6963f7d28e17f72";
    let audit = || Check::new(room.at("list")).task(Task::Audit { below: Vec::new(), follow: false });
    room.file("list", &format!("{digest}  {path}\n{digest}  /no/match/em\n"));
    let error = check(&audit()).0.unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::NoRoot(_))), "{error}");
    // A directory that the names have in common is taken, and so is one that is named.
    room.file("list", &format!("{digest}  {path}\n"));
    for request in [audit(), audit().root(room.at("d"))] {
        assert_eq!(check(&request).0.unwrap().conclusion(), Verdict::Differs);
    }
}
