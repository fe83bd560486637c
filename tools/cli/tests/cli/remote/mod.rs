//! Objects of an S3 server: S3Proxy with its file-system back end, and faults of the network
//! between it and the program.

mod authority;
mod azure;
mod google;
mod identity;
mod listings;
mod odd;
mod panics;
mod patience;
mod planned;
mod server;
mod stated;
mod store;
mod versions;

use crate::program::{Room, records, sha256_of};
use pfh_inject::{Need, Outcome, Trial, lacks};
use server::{Fault, Proxy, Server};
use std::fs;
use std::path::Path;
use std::time::Duration;

const NAMES: [&str; 6] = ["plain", "with space", "100%", "ü+é=&", "folder/deep/er", "empty"];
const LARGE: usize = 30 << 20;

/// Objects, and the same as files below `files`.
fn filled(room: &Room, server: &Server) {
    for (n, name) in NAMES.iter().enumerate() {
        let length = if *name == "empty" { 0 } else { 1000 + n * 77_777 };
        put(room, server, name, &crate::program::random(n as u64, length));
    }
    for n in 0..60 {
        put(room, server, &format!("many/{n:02}"), format!("object {n}").as_bytes());
    }
    put(room, server, "large", &crate::program::random(9, LARGE));
}

fn put(room: &Room, server: &Server, name: &str, bytes: &[u8]) {
    let file = room.path().join("files").join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, bytes).unwrap();
    server.put(&format!("bucket/pre/{name}"), &file);
}

/// The program with the server as its store, at this port.
fn pfh(room: &Room, port: u16, arguments: &[&str]) -> Outcome {
    pfh_with(room, port, &[], arguments)
}

/// The same with more in the environment.
fn pfh_with(room: &Room, port: u16, more: &[&str], arguments: &[&str]) -> Outcome {
    trial(room, port, more, arguments).run().expect("a run")
}

fn trial(room: &Room, port: u16, more: &[&str], arguments: &[&str]) -> Trial {
    let (endpoint, home) =
        (format!("AWS_ENDPOINT_URL=http://127.0.0.1:{port}"), format!("HOME={}", room.path().display()));
    let environment = ["AWS_ACCESS_KEY_ID=someone", "AWS_SECRET_ACCESS_KEY=secret", "AWS_REGION=us-east-1"];
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path());
    let under = ["env", &endpoint, &home].into_iter().chain(environment).chain(more.iter().copied());
    trial.under(under).limit(Duration::from_secs(300))
}

/// The manifest of the files by coreutils, with the objects' names, in the order of the keys.
fn expected(room: &Room) -> String {
    fn walk(at: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let (root, mut found) = (room.path().join("files"), Vec::new());
    walk(&root, &mut found);
    found.sort();
    let line = |path: &std::path::PathBuf| {
        format!("{}  s3://bucket/pre/{}\n", sha256_of(path), path.strip_prefix(&root).unwrap().to_str().unwrap())
    };
    found.iter().map(line).collect()
}

/// Lines of digests, sorted: a server lists in an order of its own.
fn sorted(seen: &Outcome) -> Vec<String> {
    let text = String::from_utf8(seen.stdout.clone()).unwrap();
    let mut lines: Vec<String> = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    lines.sort();
    lines
}

fn sorted_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn objects_have_the_digests_of_the_files_and_check_reads_them_back() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    filled(&room, &server);
    let expected = expected(&room);
    let seen = pfh(&room, server.port, &["hash", "-q", "s3://bucket/pre"]);
    assert_eq!((seen.code, sorted(&seen)), (Some(0), sorted_lines(&expected)), "{}", seen.stderr);
    // One object, a folder, and a file between them.
    room.file("here", b"here");
    let seen = pfh(&room, server.port, &["hash", "-q", "s3://bucket/pre/plain", "here", "s3://bucket/pre/folder/"]);
    assert_eq!((seen.code, sorted(&seen).len()), (Some(0), 3), "{}", seen.stderr);
    let seen = pfh(&room, server.port, &["hash", "-q", "s3://bucket/pre", "--include", "*/0?"]);
    assert_eq!((seen.code, sorted(&seen).len()), (Some(0), 10), "{}", seen.stderr);
    // Read back: not without leave, as a list must not make the program speak with anybody.
    room.file("manifest", expected.as_bytes());
    let seen = pfh(&room, server.port, &["check", "manifest"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("--allow-outside"), "{:?} {}", seen.code, seen.stderr);
    let check = ["check", "--allow-outside", "manifest"];
    let seen = pfh(&room, server.port, &check);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(String::from_utf8_lossy(&seen.stdout).matches(": OK").count(), expected.lines().count());
    put(&room, &server, "many/07", b"another");
    let seen = pfh(&room, server.port, &check);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(String::from_utf8_lossy(&seen.stdout).contains("many/07: FAILED"), "{:?}", seen.stdout);
    // A known set finds them; images and archives inside of objects are not opened.
    let seen = pfh(&room, server.port, &["match", "-k", "manifest", "s3://bucket/pre/many"]);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!(text.matches("unknown").count(), 1, "{text} {}", seen.stderr);
    // As a page of a web server.
    let page = format!("http://127.0.0.1:{}/bucket/pre/plain", server.port);
    let seen = pfh(&room, server.port, &["hash", "-q", &page]);
    let line = format!("{}  {page}", sha256_of(&room.path().join("files/plain")));
    assert_eq!((seen.code, sorted(&seen)), (Some(0), vec![line]), "{}", seen.stderr);
}

#[test]
fn what_is_not_there_is_an_error_with_its_cause() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    put(&room, &server, "plain", b"plain");
    for (name, code) in [
        ("s3://bucket/none", "not-found"),
        ("s3://bucket/pre/plai", "not-found"),
        ("s3://nobucket/a", "not-found"),
        ("s3://", "bad-name"),
        ("https://host/a#b", "bad-name"),
    ] {
        let seen = pfh(&room, server.port, &["hash", "-q", "-f", "jsonl", name]);
        assert_eq!(seen.code, Some(3), "{name}: {}", seen.stderr);
        let lines = records(&seen);
        assert_eq!((lines.len(), lines[0].path(), lines[0].code()), (1, name, code), "{}", seen.stderr);
        assert!(seen.stderr.contains(name), "{}", seen.stderr);
    }
}

#[test]
fn a_network_with_faults_changes_no_digest() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl"), Need::Time]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    filled(&room, &server);
    let expected = sorted_lines(&expected(&room));
    for fault in [Fault::Cut(25), Fault::Unavailable(6), Fault::Slow] {
        let proxy = Proxy::start(server.port, fault);
        let seen = pfh(&room, proxy.port, &["hash", "-q", "s3://bucket/pre"]);
        assert_eq!((seen.code, sorted(&seen)), (Some(0), expected.clone()), "{fault:?}: {}", seen.stderr);
        assert!(proxy.faults() > 0, "{fault:?}");
    }
    // One that stays: an error, and no digest.
    let proxy = Proxy::start(server.port, Fault::Unavailable(usize::MAX));
    let few = ["AWS_MAX_ATTEMPTS=9"];
    let seen = pfh_with(&room, proxy.port, &few, &["hash", "-q", "s3://bucket/pre/plain"]);
    assert_eq!((seen.code, sorted(&seen)), (Some(3), Vec::new()), "{}", seen.stderr);
    assert!(seen.stderr.contains("503"), "{}", seen.stderr);
}

#[test]
fn an_object_that_is_replaced_meanwhile_is_an_error() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    // More than is on its way at once. Parts requested before are still of the first.
    put(&room, &server, "large", &crate::program::random(1, 4 * LARGE));
    // Of the same length, when 6 MiB have come.
    let other = room.file("other", &crate::program::random(2, 4 * LARGE));
    let proxy = Proxy::start(server.port, Fault::Pause(6 << 20));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| pfh(&room, proxy.port, &["hash", "-q", "-f", "jsonl", "s3://bucket/pre/large"]));
        proxy.wait();
        server.put("bucket/pre/large", &other);
        proxy.resume();
        let seen = run.join().unwrap();
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        let lines = records(&seen);
        assert_eq!((lines[0].kind(), lines[0].code()), ("error", "changed"), "{}", seen.stderr);
    });
}
