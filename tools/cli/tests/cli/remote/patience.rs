//! Stores that are busy, or ask to be left alone: a run waits as long as they ask, for minutes and
//! not for ever, and ends at once after a signal.

use super::store::{Answer, Object, Store};
use super::{pfh, pfh_with, trial};
use crate::program::{Room, records, sha256};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn busy(seconds: &str) -> Answer {
    Answer::new(503, "<Error><Code>SlowDown</Code></Error>").with("Retry-After", seconds)
}

/// Listings, descriptions and bytes.
#[test]
fn a_busy_store_is_left_alone_as_long_as_it_asks() {
    let store = Store::of(&["a", "b", "c", "d"]);
    let began = Instant::now();
    let store = store
        .fault(|request| match (request.page, request.number, &*request.method) {
            (Some(0), ..) | (None, 0, "GET") => Some(busy("2")),
            (Some(2), ..) => Some(busy("1")),
            // A date, by the answer's own clock.
            (None, 0, "HEAD") => {
                Some(busy("Sat, 29 Feb 2020 23:59:59 GMT").with("Date", "Sat, 29 Feb 2020 23:59:58 GMT"))
            }
            _ => None,
        })
        .serve();
    let room = Room::new();
    let seen = pfh(&room, store.port, &["check", "-q", "--json", "s3://bucket"]);
    let took = began.elapsed();
    assert_eq!(seen.code, Some(3), "no digest is stated: {}", seen.stderr);
    assert!(took >= Duration::from_secs(2 + 1 + 1 + 2) && took < Duration::from_secs(40), "{took:?}");
    let began = Instant::now();
    let seen = pfh(&room, store.port, &["hash", "-q", "s3://bucket"]);
    assert_eq!((seen.code, seen.stdout.iter().filter(|byte| **byte == b'\n').count()), (Some(0), 4), "{}", seen.stderr);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_store_that_asks_for_an_hour_is_an_error_at_once() {
    let store = Store::of(&["a", "b"]).fault(|request| (request.key == "a").then(|| busy("3600"))).serve();
    let (room, began) = (Room::new(), Instant::now());
    let seen = pfh(&room, store.port, &["hash", "-q", "-f", "jsonl", "s3://bucket"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("3600 s"), "{:?} {}", seen.code, seen.stderr);
    assert!(began.elapsed() < Duration::from_secs(20));
    let lines = records(&seen);
    assert_eq!(lines.iter().filter(|line| line.kind() == "file").count(), 1);
}

#[test]
fn a_signal_ends_a_wait() {
    let (room, all) = (Room::new(), Store::of(&["a", "b"]));
    let listing = all.fault(|request| request.page.map(|_| busy("120"))).serve();
    let bytes = Store::of(&["a", "b"])
        .fault(|request| (request.method == "GET" && request.page.is_none()).then(|| busy("120")))
        .serve();
    for (what, port) in [("listing", listing.port), ("bytes", bytes.port)] {
        for words in
            [&["hash", "-q", "s3://bucket"][..], &["check", "-q", "s3://bucket"], &["hash", "-q", "s3://bucket/a"]]
        {
            let began = Instant::now();
            let run = trial(&room, port, &[], words).signal_once_caught(Duration::from_secs(1), 2);
            let seen = run.run().unwrap();
            let what = format!("{what}: {words:?}: {}", seen.stderr);
            assert_eq!(seen.code, Some(130), "{what}");
            assert!(began.elapsed() < Duration::from_secs(5), "{what} {:?}", began.elapsed());
        }
    }
}

/// An answer that breaks off in the middle is gone on with, of the same object.
#[test]
fn what_breaks_off_is_gone_on_with() {
    static BREAKS: AtomicUsize = AtomicUsize::new(0);
    let bytes = crate::program::random(3, 9 << 20);
    let object = Object { key: "large".into(), bytes: bytes.clone(), ..Object::default() };
    let mut store = Store::of(&[]);
    store.objects = vec![object, Object { key: "small".into(), bytes: bytes[..5000].to_vec(), ..Object::default() }];
    let (large, small) = (bytes.clone(), bytes[..5000].to_vec());
    let store = store
        .fault(move |request| {
            if request.method != "GET" || request.page.is_some() || request.number > 2 {
                return None;
            }
            BREAKS.fetch_add(1, Ordering::SeqCst);
            let whole = if request.key == "large" { &large } else { &small };
            let range = request.headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
            let (first, last) = range.map_or((0, whole.len() - 1), |(first, last)| {
                (first.parse().unwrap(), last.parse::<usize>().unwrap().min(whole.len() - 1))
            });
            let tag = super::store::tag(whole);
            let part = &whole[first..=last];
            let mut answer = Answer::new(if range.is_some() { 206 } else { 200 }, &part[..part.len() / 3])
                .with("ETag", format!("\"{tag}\""))
                .with("Content-Length", part.len().to_string());
            if range.is_some() {
                answer = answer.with("Content-Range", format!("bytes {first}-{last}/{}", whole.len()));
            }
            Some(answer)
        })
        .serve();
    let room = Room::new();
    let seen = pfh_with(&room, store.port, &[], &["hash", "-q", "s3://bucket"]);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    let wanted = format!("{}  s3://bucket/large\n{}  s3://bucket/small\n", sha256(&bytes), sha256(&bytes[..5000]));
    assert_eq!((seen.code, text), (Some(0), wanted), "{}", seen.stderr);
    assert!(BREAKS.load(Ordering::SeqCst) >= 4);
}
