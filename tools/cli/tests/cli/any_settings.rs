//! Any settings of threads, memory, order, instruction sets and descriptors give the same output,
//! and no run that stands still.
#![cfg(unix)]

use crate::program::{Room, pfh_hash, records};
use pfh_inject::{Need, Trial, content, lacks};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::time::Duration;

/// Files of a few bytes and of a few slabs, some with nothing in them, in directories that are
/// deeper than the directories that a walk keeps open.
fn tree() -> Room {
    let room = Room::new();
    for number in 0..160_u64 {
        let length = match number % 8 {
            0 => 0,
            1..=4 => number * 37,
            5 | 6 => number * 700,
            _ => number * 17_000,
        };
        let depth = number % 13;
        let directory: String = (0..depth).map(|level| format!("{level}/")).collect();
        room.file(format!("{directory}file-{number}"), &content(number, length));
    }
    room
}

fn settings() -> impl Strategy<Value = Vec<String>> {
    fn option(name: &'static str, values: &'static [&'static str]) -> impl Strategy<Value = Vec<String>> {
        prop::option::of(prop::sample::select(values))
            .prop_map(move |value| value.map_or_else(Vec::new, |value| vec![name.to_owned(), value.to_owned()]))
    }
    let options = (
        option("-t", &["1", "2", "3", "8", "40"]),
        option("-p", &["1", "2", "6", "20"]),
        option("--mode", &["adaptive", "mtp", "smt"]),
        option("-m", &["1", "4K", "64K", "1M", "16M", "1G"]),
        option("--order", &["path", "size", "inode", "extent"]),
        option("--io", &["plain", "uring"]),
    );
    options.prop_map(|(a, b, c, d, e, f)| [a, b, c, d, e, f].concat())
}

#[test]
fn any_settings_give_the_same() {
    if lacks(&[Need::Program("prlimit"), Need::Program("env")]) {
        return;
    }
    let room = tree();
    let all = ["md5,sha1,sha256", "sha512,sha3-256,ripemd160", "blake3,ssdeep,crc32"];
    let hash = |algorithms: &str| pfh_hash(["-r", "-a", algorithms, "-f", "jsonl"]).arg(room.path());
    let plain = |algorithms: &str| hash(algorithms).args(["-t", "1", "--mode", "smt", "--io", "plain"]).run().unwrap();
    let expected = all.map(plain);
    for seen in &expected {
        assert_eq!((seen.code, records(seen).len()), (Some(0), 160), "{}", seen.stderr);
    }
    let limit =
        prop::sample::select(&["--nofile=14", "--nofile=16", "--nofile=24", "--nofile=64", "--nofile=1024"][..]);
    let isa = prop::sample::select(pfh::Isa::ALL).prop_map(pfh::Isa::name);
    let any = (0..all.len(), settings(), limit, prop::option::of(isa));
    let cases = if std::env::var_os("PFH_NIGHTLY").is_some() { 2_000 } else { 40 };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&any, |(which, settings, limit, isa)| {
        let isa = isa.map(|isa| format!("PFH_ISA={isa}"));
        let under = ["prlimit", limit, "env"].into_iter().chain(isa.as_deref());
        let trial: Trial = hash(all[which]).args(&settings).under(under);
        let seen = trial.limit(Duration::from_secs(120)).run().unwrap();
        prop_assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        prop_assert!(seen.stdout == expected[which].stdout, "another output");
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
