//! Trees beside files, as the verbs return them.

use crate::room::{Room, cancelled};
use pfh::job::{Error, Kind};
use pfh::tree::check::Must;
use pfh::tree::update::ChangedParts;
use pfh::tree::{Event, Problem, TreeWork, append, build, check, diff, export, prove, root, update, verify};
use pfh::{Control, audit};
use std::fs;
use std::path::PathBuf;

/// The third leaf of 16 KiB.
const LEAF: std::ops::Range<u64> = 32_768..49_152;

/// A file of 100,000 bytes and its tree.
fn room() -> (Room, PathBuf) {
    let room = Room::new();
    let file = room.file("disk", &"0123456789".repeat(10_000));
    build::run(&build::Request::file(&file), &mut |_| Ok(()), &Control::new()).unwrap();
    (room, file)
}

fn checked(request: &check::Request) -> Result<pfh::tree::Summary, Error> {
    check::run(request, &mut |_| Ok(()), &Control::new())
}

fn root_of(file: &PathBuf) -> [u8; 32] {
    checked(&check::Request::new(file)).unwrap().root.try_into().unwrap()
}

#[test]
fn a_changed_leaf_is_found_and_followed() {
    let (room, file) = room();
    let before = root_of(&file);
    let copy = room.at("copy");
    fs::copy(&file, &copy).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[40_000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let summary = checked(&check::Request::new(&file)).unwrap();
    assert!(summary.differs());
    assert_eq!(summary.judged().unwrap().corrupt, [LEAF; 1]);

    let request = update::Request::new(&file, ChangedParts::Since(copy));
    let summary = update::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    assert!(matches!(&summary.done, TreeWork::Updated { ranges, .. } if ranges[..] == [LEAF; 1]), "{summary:?}");
    assert!(!checked(&check::Request::new(&file)).unwrap().differs());
    assert_ne!(root_of(&file), before);

    fs::write(&file, [&bytes[..], b"more"].concat()).unwrap();
    assert!(checked(&check::Request::new(&file)).unwrap().differs());
    let mut rows = 0;
    let mut count = |event: Event<'_>| {
        rows += u32::from(matches!(event, Event::Done(_)));
        Ok(())
    };
    append::run(&append::Request::new(&file), &mut count, &Control::new()).unwrap();
    assert_eq!((rows, checked(&check::Request::new(&file)).unwrap().differs()), (1, false));
}

#[test]
fn a_range_is_proved_by_the_root_alone() {
    let (room, file) = room();
    let mut request = prove::Request::new(&file, 10_000..20_000);
    request.output = room.at("proof").into();
    prove::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    let judge = |root| {
        let mut rows = 0;
        let mut count = |event: Event<'_>| {
            rows += u32::from(matches!(event, Event::Judged(_)));
            Ok(())
        };
        let request = verify::Request::new(room.at("proof"), root);
        let summary = verify::run(&request, &mut count, &Control::new()).unwrap();
        assert_eq!(rows, 1);
        summary.shown.map(|shown| (shown.range, shown.length))
    };
    assert_eq!(judge(root_of(&file)), Ok((10_000..20_000, 100_000)));
    assert!(judge([7; 32]).is_err());
    let mut torn = fs::read(room.at("proof")).unwrap();
    *torn.last_mut().unwrap() ^= 1;
    fs::write(room.at("proof"), torn).unwrap();
    assert!(judge(root_of(&file)).is_err());
}

#[test]
fn two_files_compare_by_their_trees() {
    let (room, file) = room();
    let other = room.file("other", &"0123456789".repeat(9000));
    build::run(&build::Request::file(&other), &mut |_| Ok(()), &Control::new()).unwrap();
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Compared(compared) = event {
            rows.push(compared.clone());
        }
        Ok(())
    };
    let summary = diff::run(&diff::Request::new(&file, &other), &mut take, &Control::new()).unwrap();
    assert!(!summary.is_same() && rows.len() == 1);
    let same = diff::run(&diff::Request::new(&file, &file), &mut |_| Ok(()), &Control::new()).unwrap();
    assert!(same.is_same());
}

#[test]
fn what_an_auditor_keeps_is_an_input() {
    let (room, file) = room();
    let kept = room.at("kept");
    audit::commit::run(&audit::commit::Request::new([&file]).output(&*kept), &mut |_| Ok(()), &Control::new()).unwrap();
    let by = |path: PathBuf, identity: Option<&str>| {
        let mut request = check::Request::new(&file);
        request.must = Some(Must::Kept { path, identity: identity.map(Into::into) });
        checked(&request)
    };
    assert!(!by(kept.clone(), None).unwrap().differs());
    let missing = by(room.at("none"), None).unwrap_err();
    assert_eq!((missing.kind(), missing.path()), (Kind::Input, Some(&*room.at("none"))));
    let other = by(kept.clone(), Some("other")).unwrap_err();
    assert!(other.kind() == Kind::Request && matches!(other.find(), Some(Problem::NoLine { .. })), "{other}");
    let empty = by(room.file("empty", ""), None).unwrap_err();
    assert!(matches!(empty.find(), Some(Problem::NoLine { .. })), "{empty}");
    let rubbish = by(room.file("rubbish", "no line"), None).unwrap_err();
    assert!(rubbish.path().is_some() && !rubbish.to_string().contains("--"), "{rubbish}");
    // The root that is kept is of the file as it was.
    fs::write(&file, "changed").unwrap();
    build::run(&build::Request::file(&file), &mut |_| Ok(()), &Control::new()).unwrap();
    assert!(by(kept, None).unwrap().differs());
}

#[test]
fn trees_of_two_levels_are_refused_where_they_prove_nothing() {
    let room = Room::new();
    let file = room.file("disk", &"x".repeat(100_000));
    let mut request = build::Request::file(&file);
    request.mode = Some("kt128".parse().unwrap());
    build::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    let mut checking = check::Request::new(&file);
    checking.must = Some(Must::Kept { path: room.file("kept", ""), identity: None });
    let error = checked(&checking).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::NotKept { .. })), "{error}");
    let mut updating = update::Request::new(&file, ChangedParts::Ranges(vec![0..1; 1]));
    updating.proof = Some(room.at("proof"));
    let error = update::run(&updating, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::NoProof { .. })), "{error}");
    assert!(!room.at("proof").exists());
}

#[test]
fn other_programs_roots_are_rows() {
    let (room, file) = room();
    let content = fs::read(&file).unwrap();
    let mut request = root::Request::new([file, room.at("none")], root::Scheme::S3Etag);
    request.part = 60_000;
    let (mut values, mut failed) = (Vec::new(), 0);
    let mut take = |event: Event<'_>| {
        match event {
            Event::Computed(root) => values.push(root.value.clone()),
            Event::Failed(_) => failed += 1,
            _ => {}
        }
        Ok(())
    };
    let summary = root::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!((summary.failed, failed, values.len()), (1, 1, 1));
    // The MD5 of the parts' MD5, and how many parts.
    let md5: pfh::Algorithm = "md5".parse().unwrap();
    let parts: Vec<u8> = content.chunks(60_000).flat_map(|part| md5.digest(part).bytes().to_vec()).collect();
    assert_eq!(values, [format!("{}-2", md5.digest(&parts))]);
    request.part = 0;
    assert!(matches!(request.check().unwrap_err().find(), Some(Problem::Part)));
    let twice = root::Request::new(["-", "-"], root::Scheme::Glacier);
    assert_eq!(twice.check().unwrap_err().kind(), Kind::Request);
}

#[test]
fn errors_have_their_kinds_and_leave_nothing() {
    let (room, file) = room();
    let names = room.names();
    let none = room.at("none");
    for error in [
        checked(&check::Request::new(&none)).unwrap_err(),
        append::run(&append::Request::new(&none), &mut |_| Ok(()), &Control::new()).unwrap_err(),
        export::run(&export::Request::new(&none, room.at("obao")), &mut |_| Ok(()), &Control::new()).unwrap_err(),
        prove::run(&prove::Request::new(&none, 0..1), &mut |_| Ok(()), &Control::new()).unwrap_err(),
    ] {
        assert!(error.kind() == Kind::Input && !error.to_string().contains("--"), "{error}");
    }
    let ended = check::run(&check::Request::new(&file), &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!(ended.kind(), Kind::Cancelled, "{ended}");
    let mut full = |_: Event<'_>| Err(std::io::Error::other("full"));
    let refused = check::run(&check::Request::new(&file), &mut full, &Control::new()).unwrap_err();
    assert!(matches!(refused, Error::Sink(_)), "{refused}");
    assert_eq!(room.names(), names);
}
