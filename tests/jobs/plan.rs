//! A plan, its units, and the manifest of all.

use crate::room::{Room, cancelled};
use pfh::job::{Error, Kind};
use pfh::plan::{Event, Problem, make, merge, unit};
use pfh::{Control, Input, Recurse, hash};
use std::fs;

/// Nine files below `in`, of 0 to 800 bytes.
fn room() -> Room {
    let room = Room::new();
    fs::create_dir(room.at("in")).unwrap();
    for number in 0..9 {
        fs::write(room.at(format!("in/{number}")), vec![number; 100 * usize::from(number)]).unwrap();
    }
    room
}

fn input(room: &Room) -> Input {
    Input::new([room.at("in")]).recurse(Recurse::Yes)
}

fn plan(room: &Room) -> make::Request {
    make::Request::new(input(room), vec!["sha256".parse().unwrap()], room.at("plan")).unit(1000)
}

fn made(room: &Room) -> u64 {
    make::run(&plan(room), &mut |_| Ok(()), &Control::new()).unwrap().units
}

fn carry_out(room: &Room, number: u64) -> Result<unit::Summary, Error> {
    unit::run(&unit::Request::new(room.at("plan"), number), &mut |_| Ok(()), &Control::new())
}

fn merged(room: &Room, output: &str) -> Result<merge::Summary, Error> {
    let (request, manifest) = (merge::Request::new(room.at("plan")), merge::Manifest::new(room.at(output)));
    merge::write(&request, &manifest, &mut |_| Ok(()), &Control::new())
}

#[test]
fn units_merge_to_the_manifest_of_one_run() {
    let room = room();
    let units = made(&room);
    assert!(units > 1);
    for number in 1..=units {
        let summary = carry_out(&room, number).unwrap();
        assert!(summary.run.is_some() && summary.failed == 0, "{summary:?}");
        assert!(carry_out(&room, number).unwrap().run.is_none(), "carried out before");
    }
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Merged(merged) = event {
            rows.push((merged.number, merged.size, merged.complaint.is_some(), merged.bytes.to_vec()));
        }
        Ok(())
    };
    let summary = merge::run(&merge::Request::new(room.at("plan")), &mut take, &Control::new()).unwrap();
    let numbers: Vec<_> = rows.iter().map(|(number, size, complained, _)| (*number, *size, *complained)).collect();
    assert_eq!(numbers, (0..9).map(|number| (number, Some(100 * number), false)).collect::<Vec<_>>());
    assert!(summary.run.hashed == 9 && !room.at("list").exists());
    merged(&room, "list").unwrap();
    let request = hash::Request::new(input(&room), ["sha256".parse().unwrap()]);
    hash::write(&request, &hash::Manifest::new(room.at("one")), &mut |_| Ok(()), &Control::new()).unwrap();
    let text = fs::read(room.at("list")).unwrap();
    assert_eq!(text, fs::read(room.at("one")).unwrap());
    assert_eq!(rows.into_iter().flat_map(|row| row.3).collect::<Vec<u8>>(), text);
}

#[test]
fn what_is_missing_or_damaged_is_an_input() {
    let room = room();
    let units = made(&room);
    carry_out(&room, 1).unwrap();
    let error = merged(&room, "list").unwrap_err();
    let all: Vec<u64> = (2..=units).collect();
    assert!(matches!(error.find::<Problem>(), Some(Problem::Missing(missing)) if *missing == all), "{error}");
    assert_eq!((error.kind(), room.at("list").exists()), (Kind::Input, false));
    fs::write(room.at("plan/units/000002"), "other").unwrap();
    let error = carry_out(&room, 2).unwrap_err();
    assert!(error.kind() == Kind::Input && error.path().is_some(), "{error}");
    fs::write(room.at("plan/plan.json"), "{}").unwrap();
    assert_eq!(carry_out(&room, 1).unwrap_err().kind(), Kind::Input);
    assert_eq!(merged(&room, "list").unwrap_err().kind(), Kind::Input);
}

#[test]
fn a_refused_plan_leaves_nothing_behind() {
    let room = room();
    let with = |change: &dyn Fn(&mut make::Request)| {
        let mut request = plan(&room);
        change(&mut request);
        request
    };
    for (number, request) in [
        with(&|request| request.bytes = 0),
        with(&|request| request.files = 0),
        with(&|request| request.piecewise = Some(0)),
        with(&|request| request.piecewise = Some(9)),
        with(&|request| request.split = Some(1024)),
        with(&|request| request.input = Input::default()),
        with(&|request| request.plan = room.at("in")),
    ]
    .iter()
    .enumerate()
    {
        let error = make::run(request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert_eq!(error.kind(), Kind::Request, "case {number}: {error}");
        assert!(!error.to_string().contains("--") && !room.at("plan").exists(), "case {number}: {error}");
    }
    let units = made(&room);
    assert_eq!(carry_out(&room, 0).unwrap_err().kind(), Kind::Request);
    assert_eq!(carry_out(&room, units + 1).unwrap_err().kind(), Kind::Request);
    let error = make::run(&plan(&room), &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(matches!(error.find::<Problem>(), Some(Problem::Taken(_))), "{error}");
}

#[test]
fn an_interrupted_job_has_no_result() {
    let room = room();
    let control = cancelled();
    let error = make::run(&plan(&room), &mut |_| Ok(()), &control).unwrap_err();
    assert!(error.kind() == Kind::Cancelled && !room.at("plan").exists(), "{error}");
    made(&room);
    let error = unit::run(&unit::Request::new(room.at("plan"), 1), &mut |_| Ok(()), &control).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (Kind::Cancelled, "interrupted: the unit has no result"));
    assert_eq!(fs::read_dir(room.at("plan/parts")).unwrap().count(), 1, "what needs no reading");
}
