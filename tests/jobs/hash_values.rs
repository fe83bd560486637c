//! The input of a digest: parameters of tree modes, similarity digests however the bytes come.

use crate::check::Ended;
use crate::check_whole::tree;
use crate::room::Room;
use crate::rows::{algorithms, input, list, listed};
use pfh::check::{Request as Check, Verdict};
use pfh::hash::{Event, Request, run};
use pfh::job::Kind;
use pfh::{Algorithm, Control, Input, Outcome};
use pfh_inject::{Need, lacks, random};
use std::process::Command;

const STATED: &str = "sakura-li-128,leaves=32,block=336";

/// A tree mode whose number of leaves and block are stated: part of the digest's name in every list
/// that is written and read again.
#[test]
fn what_a_list_states_is_what_check_computes() {
    let room = Room::new();
    room.file("one", &random(1, 300_000));
    room.file("other", "short");
    for format in ["sums", "dfxml", "jsonl", "csv"] {
        // The digests of sums are distinguished by their length.
        let by = if format == "sums" { format!("md5,{STATED}") } else { format!("md5,{STATED},sha256") };
        let m = Check::new(list(&room, "m", &by, format, &["one", "other"]));
        let ended = Ended::of(&m);
        assert_eq!((ended.conclusion(), ended.summary.verified()), (Verdict::Verified, 2), "{format}");
        assert!(ended.algorithms().contains(&STATED.to_owned()), "{format}: {:?}", ended.algorithms());
        if format == "sums" {
            // Its digests have no names of their own: under other parameters they are others.
            let other = m.algorithms(algorithms("sakura-li-128,leaves=32,md5"));
            assert_eq!(Ended::of(&other).conclusion(), Verdict::Differs);
        }
    }
    let own = Check::new(list(&room, "own", STATED, "sums", &["one"]));
    let text = std::fs::read_to_string(room.at("own")).unwrap();
    assert!(text.starts_with(&format!("# pfh begin algorithms={STATED}\n")), "{text}");
    assert_eq!(Ended::of(&own).conclusion(), Verdict::Verified);
    room.file("relative", &text.replace(&format!("{}/", room.path().display()), ""));
    assert_eq!(crate::check::of(&room, "relative").conclusion(), Verdict::Verified);
    room.file("one", "changed");
    assert_eq!(Ended::of(&own).conclusion(), Verdict::Differs);
    // Lists without a place for parameters are refused, and name one that has.
    for format in ["bsd", "hashdeep"] {
        let error = listed(&room, "list", STATED, format, &["one"]).err().unwrap();
        assert_eq!(error.kind(), Kind::Request, "{error}");
        assert!(error.to_string().contains(STATED) && error.to_string().contains("jsonl"), "{error}");
        assert!(!room.at("list").exists());
    }
}

#[test]
fn values_that_no_tree_can_have_are_refused() {
    for (name, why) in [
        ("sakura-li-128,leaves=0", "there are 1 to 4096 leaves"),
        ("sakura-li-128,block=1000", "a multiple of 168 bytes"),
        ("sakura-fng-128,capacity=100", "a multiple of 64 bits"),
        ("sakura-fng-128,leaves=4", "block, capacity"),
        ("sha256,leaves=4", "sha256 has no parameters"),
        ("leaves=4", "unknown algorithm"),
    ] {
        let error = name.parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.contains(why), "{name}: {error}");
    }
    // The usual values, stated, are the usual name.
    let stated = "sakura-li-128,leaves=16,block=10752,capacity=256".parse::<Algorithm>().unwrap();
    assert_eq!(stated.to_string(), "sakura-li-128");
    assert_eq!(stated.digest(b"abc"), "sakura-li-128".parse::<Algorithm>().unwrap().digest(b"abc"));
}

const ALL: &str = "sha256,ssdeep,sdhash,sdhash-stream,sdhash-dd,mrsh-v2,mrsh-v2-network,tlsh";

/// The digests of each input, in order, as their methods print them.
fn digests(request: &Request) -> (Vec<Vec<String>>, u64) {
    let mut all = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Record(record) = event {
            let Outcome::Hashed(hashed) = &record.outcome else { panic!("{record:?}") };
            all.push(hashed.digests.iter().map(ToString::to_string).collect());
        }
        Ok(())
    };
    let run = run(request, &mut take, &Control::new()).unwrap().run;
    (all, run.stats.read_bytes)
}

#[test]
fn one_read_gives_the_same_however_the_bytes_come() {
    let room = Room::new();
    // Longer than the smallest table, than sdhash's chunk of 32 MiB, and no multiple of anything.
    let bytes = random(3, (33 << 20) + 4321);
    room.file("d/big", &bytes);
    room.file("d/small", &bytes[..3000]);
    room.file("d/tiny", "tiny");
    let asked = |memory: usize, threads: Option<usize>| {
        let mut request = Request::new(input(&room, &["d"]), algorithms(ALL));
        request.plan.memory = memory;
        request.plan.threads = threads.unwrap_or(request.plan.threads);
        digests(&request)
    };
    let (whole, read) = asked(256 << 20, None);
    assert_eq!(asked(1 << 20, Some(1)).0, whole);
    // One read: no byte is read twice, with any algorithms.
    assert_eq!(read, bytes.len() as u64 + 3004);
    let tiny = &whole[2];
    assert_eq!((&*tiny[2], &*tiny[7], &*tiny[1]), ("none", "TNULL", "3:p:p"));
    // Each as the method has it of the bytes in memory.
    for (algorithm, found) in algorithms(ALL).iter().zip(&whole[1]) {
        assert_eq!(algorithm.digest(&bytes[..3000]).to_string(), *found, "{algorithm}");
    }
}

#[test]
fn the_file_of_ssdeep_byte_for_byte() {
    if lacks(&[Need::Program("ssdeep")]) {
        return;
    }
    let room = Room::new();
    let files = [("a", random(1, 70_000)), ("b\"q", random(2, 5_000)), ("c", Vec::new()), ("d, e", vec![0; 9_000])];
    let paths: Vec<_> = files.iter().map(|(name, bytes)| room.file(name, bytes)).collect();
    let theirs = Command::new("ssdeep").args(&paths).output().unwrap();
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let ours = std::fs::read_to_string(list(&room, "list", "ssdeep", "ssdeep", &names)).unwrap();
    assert_eq!(ours, String::from_utf8(theirs.stdout).unwrap());
}

#[test]
fn formats_refuse_digests_that_they_cannot_hold() {
    let room = tree();
    for (by, format) in [("ssdeep,tlsh", "ssdeep"), ("sha256", "mrsh"), ("sdhash", "bsd"), ("tlsh", "hashdeep")] {
        let error = listed(&room, "list", by, format, &["d"]).err().unwrap();
        assert!(error.kind() == Kind::Request && error.to_string().contains(format), "{error}");
    }
    let mut request = Request::new(Input::new([room.at("d/0")]), algorithms("ssdeep"));
    request.plan.piecewise = Some(100);
    let manifest = pfh::hash::Manifest::new(room.at("list")).format("ssdeep".parse().unwrap(), Default::default());
    assert_eq!(manifest.check(&request).unwrap_err().kind(), Kind::Request);
    assert!(!room.at("list").exists());
}
