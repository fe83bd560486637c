//! The jobs acquire and verify as a library user calls them: the same logs, the same resumption, typed events and errors.

use pfh::acquire::{self, Error, Event, ImageFormat, Origin, Request, To};
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
    let summary = acquire::run(asked.clone(), &mut |event| events.extend(name(event)), &Control::new()).unwrap();
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
    let found = verify::run(&wanted, &mut |_| {}, &Control::new()).unwrap();
    assert_eq!(found.verdict(), Verdict::Verified, "{:?}", found.findings);
    assert!(found.sentence().contains("the signature of that key"), "{}", found.sentence());

    // The same request again: the image is compared, and nothing is written.
    let mut events = Vec::new();
    asked.key = None;
    acquire::run(asked.clone(), &mut |event| events.extend(name(event)), &Control::new()).unwrap();
    assert_eq!(events, ["unchanged"]);

    // A changed image is a finding of one job and an error of the other.
    let image = room.path().join("disk.img");
    let mut bytes = std::fs::read(&image).unwrap();
    bytes[99] ^= 1;
    std::fs::write(&image, bytes).unwrap();
    let mut differs = 0;
    let mut count = |event: &verify::Event<'_>| {
        differs += u32::from(matches!(event, verify::Event::Found(Finding::Differs(_))));
    };
    let found = verify::run(&verify::Request::image(&image), &mut count, &Control::new()).unwrap();
    assert!(found.verdict() == Verdict::Differs && differs > 0);
    let again = acquire::run(asked, &mut |_| {}, &Control::new());
    assert!(matches!(again, Err(Error::ChangedSince { .. })), "{again:?}");
}

#[test]
fn a_cancelled_acquisition_is_resumed_by_the_same_request() {
    let room = tempfile::tempdir().unwrap();
    disk(room.path(), 64 << 20);
    let mut asked = request(room.path());
    // Little memory and frequent checkpoints, so that it can be cut off between two of them.
    asked.imaging.memory = 2 << 20;
    asked.imaging.checkpoint = std::time::Duration::from_millis(1);
    let cancel = Cancel::default();
    let control = Control::new().with_cancel(cancel.clone());
    let mut cut = |event: &Event<'_>| {
        if let Event::Checkpoint { upto } = event
            && *upto > 0
        {
            cancel.cancel();
        }
    };
    match acquire::run(asked.clone(), &mut cut, &control) {
        Err(Error::Stopped { resumable: true, bytes, .. }) => assert!(bytes < 64 << 20),
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
    let summary = acquire::run(asked, &mut |event| events.extend(name(event)), &control).unwrap();
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
    assert!(matches!(acquire::run(same, &mut |_| {}, &Control::new()), Err(Error::Refused(_))));
    let mut unsigned = request(room.path());
    unsigned.key = Some(room.path().join("none"));
    assert!(matches!(acquire::run(unsigned, &mut |_| {}, &Control::new()), Err(Error::Key(_))));
    let left: Vec<_> = std::fs::read_dir(room.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["disk"]);
}

/// The logs as they were written before remarks on a resumption had a key of their own.
fn as_before(room: &Path) {
    use pfh::chain::Chain;
    let (text, chained) = (room.join("disk.img.log"), room.join("disk.img.log.jsonl"));
    let (mut chain, mut lines) = (Chain::default(), String::new());
    for line in std::fs::read_to_string(&chained).unwrap().lines() {
        let mut record: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        record.remove("remarks");
        let kind = record["kind"].as_str().unwrap().to_owned();
        lines += &chain.append(&kind, record).unwrap();
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
    acquire::run(request(room.path()), &mut |_| {}, &Control::new()).unwrap();
    as_before(room.path());
    let found = verify::run(&verify::Request::image(room.path().join("disk.img")), &mut |_| {}, &Control::new());
    let found = found.unwrap();
    assert_eq!(found.verdict(), Verdict::Verified, "{:?}", found.findings);
    assert!(found.sentence().contains("the log for people") && found.is_complete(), "{}", found.sentence());
}
