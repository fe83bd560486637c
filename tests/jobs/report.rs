//! The results of other jobs: on a page, and as rows.

use crate::room::Room;
use pfh::job::Kind;
use pfh::report::{self, Event, Problem, Request};
use pfh::{Control, Input, export, hash};
use std::fs;

/// A room with a list in JSON lines of a file with a time.
fn room() -> Room {
    let room = Room::new();
    fs::create_dir(room.path().join("case")).unwrap();
    fs::write(room.path().join("file"), "abc").unwrap();
    for (name, format) in [("case/list.jsonl", "jsonl"), ("case/SUMS", "sums")] {
        let request = hash::Request::new(Input::new([room.path().join("file")]), ["sha256".parse().unwrap()]);
        let manifest = hash::Manifest::new(room.path().join(name)).format(format.parse().unwrap(), Default::default());
        hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    }
    room
}

#[test]
fn a_page_is_of_the_rows_that_are_handed_out() {
    let room = room();
    let at = |name: &str| room.at(name);
    fs::write(at("case/rubbish"), "nothing that is known").unwrap();
    let (mut sources, mut unknown, mut cases) = (0, Vec::new(), 0);
    let mut take = |event: Event<'_>| {
        match event {
            Event::Source(_) => sources += 1,
            Event::Unknown(complaint) => unknown.push(complaint.name.to_vec()),
            Event::Case(_) => cases += 1,
            _ => {}
        }
        Ok(())
    };
    let request = Request::new([at("case")]);
    let summary = report::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!((sources, cases, summary.results, summary.records), (3, 1, 2, 2));
    assert_eq!(unknown, [at("case/rubbish").into_os_string().into_encoded_bytes()]);
    assert_eq!((summary.unknown, summary.broken), (1, 0));
    let page = at("case/page.html");
    for _ in 0..2 {
        // A page of before is replaced, and not read.
        let mut request = Request::new([at("case")]);
        request.replace = true;
        assert_eq!(report::write(&request, &page, &mut |_| Ok(()), &Control::new()).unwrap(), summary);
    }
    assert!(fs::read_to_string(&page).unwrap().contains("list.jsonl"));
}

#[test]
fn no_page_is_written_in_place_of_a_result_or_of_nothing() {
    let room = room();
    let at = |name: &str| room.path().join(name);
    let write = |request: &Request, page: &str| report::write(request, &at(page), &mut |_| Ok(()), &Control::new());
    let mut request = Request::new([at("case")]);
    request.replace = true;
    let before = fs::read(at("case/SUMS")).unwrap();
    assert_eq!(write(&request, "case/SUMS").unwrap_err().kind(), Kind::Request);
    assert_eq!(fs::read(at("case/SUMS")).unwrap(), before);
    let error = write(&Request::new([at("none")]), "page").unwrap_err();
    assert!(matches!(error.find::<Problem>(), Some(Problem::Nothing(_))) && error.kind() == Kind::Input, "{error}");
    let nothing: [&str; 0] = [];
    assert_eq!(write(&Request::new(nothing), "page").unwrap_err().kind(), Kind::Request);
    let control = Control::new();
    control.cancel().cancel();
    let error = report::write(&request, &at("page"), &mut |_| Ok(()), &control).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(!at("page").exists());
}

#[test]
fn a_result_is_rows_and_a_table() {
    let room = room();
    let at = |name: &str| room.path().join(name);
    let (mut columns, mut rows) = (None, Vec::new());
    let mut take = |event: export::Event<'_>| {
        match event {
            export::Event::Columns(found) => columns = Some(found.clone()),
            export::Event::Row(row) => rows.push(row.clone()),
            _ => {}
        }
        Ok(())
    };
    let request = export::Request::new(at("case/list.jsonl"));
    let summary = export::run(&request, &mut take, &Control::new()).unwrap();
    let columns = columns.unwrap();
    assert_eq!((columns.algorithms, columns.rows, columns.timed), (vec!["sha256".to_owned()], 1, 1));
    assert_eq!((rows.len(), rows[0].size, summary.records, summary.faulty), (1, Some(3), 1, 0));
    let table = export::Table::new(export::Form::Bodyfile, at("body"));
    let written = export::write(&request, &table, &mut |_| Ok(()), &Control::new()).unwrap();
    assert!(written.is_complete() && written.rows == 1);
    assert_eq!(fs::read_to_string(at("body")).unwrap().lines().count(), 1);
}

#[test]
fn nothing_is_exported_of_what_has_no_place() {
    let room = room();
    let at = |name: &str| room.path().join(name);
    fs::write(at("empty"), "").unwrap();
    let table = export::Table::new(export::Form::Timesketch, at("out"));
    let write = |result: &str, control: &Control<'_>| {
        export::write(&export::Request::new(at(result)), &table, &mut |_| Ok(()), control).unwrap_err()
    };
    for result in ["case/SUMS", "empty", "none"] {
        let error = write(result, &Control::new());
        assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*at(result))), "{error}");
    }
    let error = write("case/SUMS", &Control::new());
    assert!(matches!(error.find::<export::Problem>(), Some(export::Problem::NoTime(1))), "{error}");
    let control = Control::new();
    control.cancel().cancel();
    assert_eq!(write("case/list.jsonl", &control).kind(), Kind::Cancelled);
    assert!(!at("out").exists());
}
