//! `pfh hash` with similarity digests: the tools' own formats, one read for all, any way that the
//! bytes come.

use crate::program::{MIB, Room, pfh_hash, random, record, records};
use pfh_inject::{Need, Outcome, Trial, lacks};

const ALL: &str = "sha256,ssdeep,sdhash,sdhash-stream,sdhash-dd,mrsh-v2,mrsh-v2-network,tlsh";

fn good(trial: Trial) -> Outcome {
    let seen = trial.run().expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    seen
}

#[test]
fn one_read_gives_the_same_however_the_bytes_come() {
    let room = Room::new();
    // Longer than the smallest table, than sdhash's chunk of 32 MiB, and no multiple of anything.
    let bytes = random(3, (33 << 20) + 4321);
    let big = room.file("big", &bytes);
    room.file("small", &bytes[..3000]);
    room.file("tiny", b"tiny");
    let line = |seen: &Outcome, name: &str| record(&records(seen), name).0["digests"].clone();
    let whole = good(pfh_hash(["-a", ALL, "-f", "jsonl", "-m", "256"]).arg(room.path()).arg("-r"));
    let streamed = good(pfh_hash(["-a", ALL, "-f", "jsonl", "-m", "1", "-t", "1"]).arg(room.path()).arg("-r"));
    assert_eq!(whole.stdout, streamed.stdout);
    let piped = good(pfh_hash(["-a", ALL, "-f", "jsonl", "-m", "1", "-"]).input(bytes.clone()));
    assert_eq!(line(&piped, "-"), line(&whole, "big"));
    let tiny = line(&whole, "tiny");
    assert_eq!((&tiny["sdhash"], &tiny["tlsh"], &tiny["ssdeep"]), (&"none".into(), &"TNULL".into(), &"3:p:p".into()));
    // One read: no byte is read twice, with any algorithms.
    let stats = good(pfh_hash(["-a", ALL, "-f", "jsonl", "--stats", "json"]).arg(&big));
    let stats: serde_json::Value = serde_json::from_str(stats.stderr.lines().last().expect("a line")).expect("JSON");
    assert_eq!(stats["read_bytes"].as_u64(), Some(bytes.len() as u64));
    if lacks(&[Need::Peak]) {
        return;
    }
    // Beside the table: the part that sdhash keeps of its chunk, and the digests themselves.
    assert!(streamed.peak < 96 * MIB, "{} bytes", streamed.peak);
}

#[test]
fn what_has_no_digest_is_reported() {
    let room = Room::new();
    room.file("long", &random(4, 2000));
    room.file("short", b"short");
    let seen = pfh_hash(["-r", "-a", "sdhash", "-f", "sdbf", "."]).directory(room.path()).run().expect("a run");
    assert_eq!(seen.code, Some(0));
    assert_eq!(seen.lines().len(), 1);
    assert!(seen.stdout.starts_with(b"sdbf:03:6:./long:2000:sha1:"), "{}", String::from_utf8_lossy(&seen.stdout));
    assert!(seen.stderr.contains("./short") && seen.stderr.contains("too short"), "{}", seen.stderr);
    for (algorithms, format) in [("ssdeep,tlsh", "ssdeep"), ("sha256", "mrsh"), ("sdhash", "bsd"), ("tlsh", "hashdeep")]
    {
        let seen = pfh_hash(["-a", algorithms, "-f", format, "long"]).directory(room.path()).run().expect("a run");
        assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{}", seen.stderr);
        assert!(seen.stderr.contains(format), "{}", seen.stderr);
    }
    let pieces = ["-a", "ssdeep", "-f", "ssdeep", "--piecewise", "100", "long"];
    let seen = pfh_hash(pieces).directory(room.path()).run().expect("a run");
    assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{}", seen.stderr);
}
