//! Verification: the comparisons, as values, and refused requests.

use crate::room::cancelled;
use pfh::job::{Error, Kind, PathError};
use pfh::verdict::Evidence;
use pfh::verify::{self, Claim, Event, Finding, Of, Problem, Request, Summary, Verdict};
use pfh::{Control, Digest};
use serde_json::json;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

fn room() -> (tempfile::TempDir, PathBuf) {
    let room = tempfile::tempdir().unwrap();
    let image = room.path().join("disk.img");
    fs::write(&image, "abc").unwrap();
    (room, image)
}

fn run(request: &Request) -> Result<Summary, Error> {
    request.check()?;
    verify::run(request, &mut |_| Ok(()), &Control::new())
}

fn md5(hex: &str) -> Claim {
    let algorithm: pfh::Algorithm = "md5".parse().unwrap();
    Claim { digest: Digest::parse(*algorithm, hex).unwrap(), of: Of::Content, by: "the caller".into() }
}

/// Why it was refused, by its kind and its cause.
fn refusal(request: &Request) -> (Kind, String) {
    let before = verify::run(request, &mut |_| Ok(()), &Control::new()).unwrap_err().to_string();
    let error = request.check().unwrap_err();
    assert_eq!(error.to_string(), before, "check and run refuse alike");
    assert!(!before.contains("--"), "{before}");
    (error.kind(), before)
}

#[test]
fn comparisons_and_findings_are_events() {
    let (_room, image) = room();
    let mut request = Request::image(&image);
    request.claims = vec![md5(MD5)];
    let (mut found, mut compared) = (Vec::new(), Vec::new());
    let mut take = |event: Event<'_>| {
        match event {
            Event::Found(finding) => found.push(finding.to_string()),
            Event::Compared(one) => compared.push(one.clone()),
            _ => {}
        }
        Ok(())
    };
    let summary = verify::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!((summary.verdict(), summary.is_complete()), (Verdict::Verified, true));
    assert_eq!(summary.comparisons, compared);
    assert_eq!(summary.findings.iter().map(ToString::to_string).collect::<Vec<_>>(), found);
    let [one] = &compared[..] else { panic!("{compared:?}") };
    assert!(matches!(&one.evidence, Evidence::Digest(digest) if digest.to_string() == MD5));
    assert_eq!((one.coverage.compared.clone(), one.with.as_str()), (vec![(0, 3)], "the caller"));
}

#[test]
fn damage_is_a_finding_and_no_error() {
    let (_room, image) = room();
    let mut request = Request::image(&image);
    request.claims = vec![md5(&"0".repeat(32))];
    let summary = run(&request).unwrap();
    assert_eq!(summary.verdict(), Verdict::Differs);
    assert!(summary.findings.iter().any(Finding::is_difference));
    // Nothing states its digest.
    let summary = run(&Request::image(&image)).unwrap();
    assert_eq!((summary.verdict(), summary.equal().count()), (Verdict::NothingToCompareWith, 0));
    // An empty image has all of its bytes compared.
    fs::write(&image, "").unwrap();
    request.claims = vec![md5("d41d8cd98f00b204e9800998ecf8427e")];
    assert_eq!(run(&request).unwrap().verdict(), Verdict::Verified);
}

#[test]
fn an_image_that_is_not_what_its_name_says_is_open() {
    let (room, _) = room();
    let image = room.path().join("disk.E01");
    fs::write(&image, "no E01").unwrap();
    let summary = run(&Request::image(&image)).unwrap();
    let [finding @ Finding::Unlike(_)] = &summary.findings[..] else { panic!("{:?}", summary.findings) };
    assert!(
        finding.finding() == Some(pfh::FindingId::VerifyFormat)
            && finding.to_string().ends_with("called so by mistake"),
        "{finding}"
    );
    let mut raw = Request::image(&image);
    raw.raw = true;
    assert_eq!(run(&raw).unwrap().digests.len(), 1);
}

#[test]
fn what_is_not_there_is_refused_first() {
    let (room, image) = room();
    let none = || Some(room.path().join("none"));
    let mut request = Request::image(&image);
    request.key = none();
    assert_eq!(refusal(&request).0, Kind::Input);
    request.key = Some(image.clone());
    assert_eq!(refusal(&request).0, Kind::Request);
    for set in [
        (|request, path| request.log = path) as fn(&mut Request, Option<PathBuf>),
        |request, path| request.against = path,
        |request, path| request.timestamp_ca = path,
    ] {
        let mut request = Request::image(&image);
        set(&mut request, none());
        assert_eq!(refusal(&request).0, Kind::Input);
        assert_eq!(request.check().unwrap_err().find::<PathError>().map(|about| about.path.clone()), none());
    }
    let (kind, why) = refusal(&Request::default());
    assert!(kind == Kind::Request && why == Problem::Nothing.to_string(), "{why}");
    let missing = run(&Request::image(room.path().join("none"))).unwrap_err();
    assert_eq!(missing.kind(), Kind::Input);
}

#[test]
fn pieces_are_not_taken_as_raw_bytes() {
    let room = tempfile::tempdir().unwrap();
    let first = room.path().join("disk.000");
    fs::write(&first, [1; 512]).unwrap();
    fs::write(room.path().join("disk.001"), [2; 512]).unwrap();
    let mut request = Request::image(&first);
    assert_eq!(run(&request).unwrap().digests.len(), 1);
    request.raw = true;
    let error = run(&request).unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Pieces)), "{error}");
}

#[test]
fn a_cancelled_run_and_refused_events_end_it() {
    let (_room, image) = room();
    let control = cancelled();
    let error = verify::run(&Request::image(&image), &mut |_| Ok(()), &control).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled, "{error}");
    let mut events = 0;
    let mut full = |_: Event<'_>| {
        events += 1;
        Err(io::Error::other("full"))
    };
    let error = verify::run(&Request::image(&image), &mut full, &Control::new()).unwrap_err();
    assert!(matches!(error, Error::Sink(_)) && events == 1, "{error}");
}

#[test]
fn a_log_is_compared_alone() {
    let room = tempfile::tempdir().unwrap();
    let log = room.path().join("a.log.jsonl");
    let mut chain = pfh::chain::Chain::default();
    let lines = chain.append(&json!({ "kind": "start" })).unwrap() + &chain.append(&json!({ "kind": "end" })).unwrap();
    fs::write(&log, lines).unwrap();
    let summary = run(&Request::log(&log)).unwrap();
    assert_eq!(summary.verdict(), Verdict::Verified, "{:?}", summary.findings);
    fs::write(&log, fs::read_to_string(&log).unwrap().replace("start", "stare")).unwrap();
    assert_eq!(run(&Request::log(&log)).unwrap().verdict(), Verdict::Differs);
    fs::write(&log, "").unwrap();
    assert_eq!(run(&Request::log(Path::new(&log))).unwrap().verdict(), Verdict::NothingToCompareWith);
}
