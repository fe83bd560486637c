//! The jobs acquire and verify as a library user calls them: the same logs, the same resumption,
//! typed events and errors.

use crate::room::names;
use pfh::acquire::{self, Event, ImageFormat, Origin, Problem, Request, Step, To};
use pfh::job::{Error, Kind};
use pfh::verify::{self, Finding, Verdict};
use pfh::{Cancel, Control, Progress};
use std::path::Path;

fn request(room: &Path) -> Request {
    let to = To { path: room.join("disk.img"), form: ImageFormat::RAW };
    Request::new(Origin::Medium(room.join("disk")), vec![to])
}

fn disk(room: &Path, bytes: usize) {
    let content: Vec<u8> = (0..bytes).map(|at| (at / 7) as u8).collect();
    std::fs::write(room.join("disk"), content).unwrap();
}

fn run(asked: &Request, events: &mut Vec<&'static str>) -> Result<acquire::Summary, Error> {
    let mut take = |event: Event<'_>| {
        events.extend(name(&event));
        Ok(())
    };
    acquire::run(asked, &mut take, &Control::new())
}

fn refusal(asked: &Request) -> Error {
    let error = acquire::run(asked, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert_eq!(asked.check().unwrap_err().to_string(), error.to_string(), "check and run refuse alike");
    assert!(!error.to_string().contains("--"), "{error}");
    error
}

/// The names of events, in order; checkpoints come as often as they come.
fn name(event: &Event<'_>) -> Option<&'static str> {
    match event {
        Event::Started(_) => Some("started"),
        Event::Resumed { .. } => Some("resumed"),
        Event::Compared { .. } => Some("compared"),
        Event::Unchanged { .. } => Some("unchanged"),
        Event::Finished(_) => Some("finished"),
        _ => None,
    }
}

#[test]
fn a_library_user_gets_the_signed_log_of_the_program() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 3 << 20);
    let key = room.path().join("key");
    std::fs::write(&key, "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").unwrap();
    let mut asked = request(room.path());
    (asked.verify, asked.key) = (true, Some(key.clone()));
    asked.about.examiner = "E. Xaminer".into();
    let mut events = Vec::new();
    let summary = run(&asked, &mut events).unwrap();
    assert_eq!(events, ["started", "compared", "finished"]);
    assert!(summary.is_complete() && !summary.differs());
    let log = summary.log.unwrap();
    assert!(std::fs::read_to_string(room.path().join("disk.img.log")).unwrap().contains("examiner: E. Xaminer"));

    let mut wanted = verify::Request::image(room.path().join("disk.img"));
    // 64 digits are a private key to one job and a public one to the other.
    let public: String =
        pfh::key::signing(&key).unwrap().verifying_key().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(&key, public).unwrap();
    (wanted.log, wanted.key) = (Some(log), Some(key));
    let found = verify::run(&wanted, &mut |_| Ok(()), &Control::new()).unwrap();
    assert_eq!(found.verdict(), Verdict::Verified, "{:?}", found.findings);
    assert!(found.sentence().contains("the signature of that key"), "{}", found.sentence());

    // The same request again: the image is compared, and nothing is written.
    let mut events = Vec::new();
    asked.key = None;
    run(&asked, &mut events).unwrap();
    assert_eq!(events, ["unchanged"]);

    // A changed image is a finding of one job and an error of the other.
    let image = room.path().join("disk.img");
    let mut bytes = std::fs::read(&image).unwrap();
    bytes[99] ^= 1;
    std::fs::write(&image, bytes).unwrap();
    let mut differs = 0;
    let mut count = |event: verify::Event<'_>| {
        differs += u32::from(matches!(event, verify::Event::Found(Finding::Differs(_))));
        Ok(())
    };
    let found = verify::run(&verify::Request::image(&image), &mut count, &Control::new()).unwrap();
    assert!(found.verdict() == Verdict::Differs && differs > 0);
    let again = acquire::run(&asked, &mut |_| Ok(()), &Control::new());
    let again = again.unwrap_err();
    assert_eq!(again.kind(), Kind::Negative);
    assert!(matches!(again.find(), Some(Problem::ChangedSince { .. })), "{again:?}");
}

#[test]
fn a_cancelled_acquisition_is_resumed_by_the_same_request() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 64 << 20);
    let mut asked = request(room.path());
    // Little memory and frequent checkpoints, so that it can be cut off between two of them.
    asked.reading.memory = 2 << 20;
    asked.reading.checkpoint = std::time::Duration::from_millis(1);
    let cancel = Cancel::default();
    let control = Control::new().with_cancel(cancel.clone());
    let mut cut = |event: Event<'_>| {
        if let Event::Checkpoint { upto, .. } = event
            && upto > 0
        {
            cancel.cancel();
        }
        Ok(())
    };
    match acquire::run(&asked, &mut cut, &control) {
        Err(error) => {
            assert_eq!(error.kind(), Kind::Cancelled, "{error}");
            let Some(Problem::Stopped { resumable: true, bytes, .. }) = error.find() else { panic!("{error:?}") };
            assert!(*bytes < 64 << 20);
        }
        // A machine that reads 64 MiB before the first checkpoint has nothing to resume.
        other => {
            eprintln!("skipped: {other:?}");
            return;
        }
    }
    let mut events = Vec::new();
    let progress = std::sync::atomic::AtomicU64::new(0);
    let control = Control::new().on_progress(|now| {
        if let Progress::Medium(medium) = now {
            progress.store(medium.bytes, std::sync::atomic::Ordering::SeqCst);
        }
    });
    let summary = {
        let mut take = |event: Event<'_>| {
            events.extend(name(&event));
            Ok(())
        };
        acquire::run(&asked, &mut take, &control)
    }
    .unwrap();
    assert_eq!(events, ["resumed", "started", "finished"]);
    assert!(summary.imaged.bytes == 64 << 20 && summary.is_complete());
    let (disk, image) = (std::fs::read(room.path().join("disk")), std::fs::read(room.path().join("disk.img")));
    assert!(disk.unwrap() == image.unwrap());
}

#[test]
fn what_is_refused_is_typed_and_writes_nothing() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 4096);
    let mut same = request(room.path());
    same.targets[0].path = room.path().join("disk");
    assert!(matches!(refusal(&same), Error::Refused(_)));
    let mut unsigned = request(room.path());
    unsigned.key = Some(room.path().join("none"));
    assert_eq!(refusal(&unsigned).kind(), Kind::Input);
    std::fs::write(room.path().join("note"), "no key").unwrap();
    unsigned.key = Some(room.path().join("note"));
    assert_eq!(refusal(&unsigned).kind(), Kind::Request);
    let mut stamped = request(room.path());
    (stamped.log, stamped.timestamp) = (None, Some("http://tsa.example/".into()));
    assert!(matches!(refusal(&stamped).find(), Some(Problem::NoLog)));
    stamped.timestamp = Some("tsa.example".into());
    assert!(matches!(refusal(&stamped).find(), Some(Problem::Authority { .. })));
    let mut windows = request(room.path());
    windows.reading.piecewise = Some(0);
    assert!(matches!(refusal(&windows).find(), Some(Problem::Window)));
    let mut control = request(room.path());
    control.about.notes = "a\u{1}b".into();
    assert!(matches!(refusal(&control).find(), Some(Problem::Control("notes"))));
    let mut apart = request(room.path());
    apart.then = vec![room.path().join("none")];
    assert!(matches!(refusal(&apart).find(), Some(Problem::NoDirectory(_))));
    let mut folder = request(room.path());
    folder.source = Origin::Medium(room.path().to_owned());
    assert!(matches!(refusal(&folder).find(), Some(Problem::Directory(_))));
    let mut missing = request(room.path());
    missing.source = Origin::Medium(room.path().join("none"));
    assert_eq!(run(&missing, &mut Vec::new()).unwrap_err().kind(), Kind::Input);
    assert_eq!(names(room.path()), ["disk", "note"]);
}

#[test]
fn forms_that_no_image_can_have_are_refused() {
    use pfh::acquire::Pieces;
    use pfh::container::split::Suffix;
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 1 << 20);
    let form = |name: &str, form: ImageFormat| {
        let to = To { path: room.path().join(name), form };
        refusal(&Request::new(Origin::Medium(room.path().join("disk")), vec![to]))
    };
    let e01 = |segment| ImageFormat::E01 { compression: Default::default(), segment };
    for segment in [0, 1, 30_000] {
        let error = form("disk.E01", e01(segment));
        assert!(matches!(error.find(), Some(Problem::Segment { segment: found, .. }) if *found == segment), "{error}");
    }
    assert!(matches!(form("disk.img", ImageFormat::e01()).find(), Some(Problem::Ending(_))));
    let pieces = ImageFormat::Split(Pieces { length: 0, suffix: Suffix::Digits, width: 3 });
    assert!(matches!(form("disk", pieces).find(), Some(Problem::Piece)));
    assert_eq!(names(room.path()), ["disk"]);
}

#[test]
fn an_e01_image_needs_no_size_of_segments() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 3 << 20);
    let to = To { path: room.path().join("disk.E01"), form: ImageFormat::e01() };
    let asked = Request::new(Origin::Medium(room.path().join("disk")), vec![to]);
    let before = format!("{asked:?}");
    let intended = acquire::intend(&asked).unwrap();
    assert_eq!((intended.step, intended.bytes, names(room.path()).len()), (Step::Acquire, Some(3 << 20), 1));
    let summary = run(&asked, &mut Vec::new()).unwrap();
    // The format holds MD5 and SHA-1; the request stays as it was.
    assert_eq!((summary.imaged.digests.len(), format!("{asked:?}")), (4, before));
    assert_eq!(acquire::intend(&asked).unwrap().step, Step::Compare);
    let found = verify::run(&verify::Request::image(room.path().join("disk.E01")), &mut |_| Ok(()), &Control::new());
    assert_eq!(found.unwrap().verdict(), Verdict::Verified);
}

#[test]
fn an_empty_source_and_none_at_all() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 0);
    let summary = run(&request(room.path()), &mut Vec::new()).unwrap();
    assert!(summary.is_complete() && summary.imaged.bytes == 0);
    // Only hashed: no target, no map, no log.
    let asked = Request::new(Origin::Medium(room.path().join("disk")), Vec::new());
    let summary = run(&asked, &mut Vec::new()).unwrap();
    assert_eq!((summary.imaged.digests.len(), summary.log), (2, None));
}

#[test]
fn a_refused_event_ends_it_and_the_same_request_resumes() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 1 << 20);
    let asked = request(room.path());
    for refused in ["started", "checkpoint"] {
        let mut full = |event: Event<'_>| match (refused, event) {
            ("started", Event::Started(_)) | ("checkpoint", Event::Checkpoint { .. }) => {
                Err(std::io::Error::other("full"))
            }
            _ => Ok(()),
        };
        let error = acquire::run(&asked, &mut full, &Control::new()).unwrap_err();
        assert!(matches!(error, Error::Sink(_)), "{refused}: {error}");
    }
    assert!(run(&asked, &mut Vec::new()).unwrap().is_complete());
    let found = verify::run(&verify::Request::image(room.path().join("disk.img")), &mut |_| Ok(()), &Control::new());
    assert_eq!(found.unwrap().verdict(), Verdict::Verified);
}

/// The logs as they were written before remarks on a resumption had a key of their own.
fn as_before(room: &Path) {
    use pfh::chain::Chain;
    let (text, chained) = (room.join("disk.img.log"), room.join("disk.img.log.jsonl"));
    let (mut chain, mut lines) = (Chain::default(), String::new());
    for line in std::fs::read_to_string(&chained).unwrap().lines() {
        let mut record: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        record.remove("remarks");
        lines += &chain.append(&record).unwrap();
    }
    assert_ne!(std::fs::read_to_string(&chained).unwrap(), lines);
    std::fs::write(chained, lines).unwrap();
    let people = std::fs::read_to_string(&text).unwrap();
    let end = people.rfind("chain of records: ").unwrap();
    std::fs::write(text, format!("{}chain of records: {}\n", &people[..end], chain.value())).unwrap();
}

#[test]
fn a_log_without_the_key_for_remarks_is_verified() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 1 << 20);
    acquire::run(&request(room.path()), &mut |_| Ok(()), &Control::new()).unwrap();
    as_before(room.path());
    let found = verify::run(&verify::Request::image(room.path().join("disk.img")), &mut |_| Ok(()), &Control::new());
    let found = found.unwrap();
    assert_eq!(found.verdict(), Verdict::Verified, "{:?}", found.findings);
    assert!(found.sentence().contains("the log for people") && found.is_complete(), "{}", found.sentence());
}
