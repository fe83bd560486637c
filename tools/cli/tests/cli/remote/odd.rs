//! Keys with empty parts, dots and control characters, at a server that keeps them as they are and
//! verifies signatures.

use super::pfh;
use super::server::{Fault, Proxy, Server};
use crate::program::{Room, sha256};
use pfh_inject::{Need, lacks};
use std::process::Command;

/// Keys, and the paths that curl puts them by.
const KEYS: [(&str, &str); 13] = [
    ("plain", "plain"),
    ("with space", "with%20space"),
    ("a//b", "a//b"),
    ("/lead", "/lead"),
    ("a/../b", "a%2F..%2Fb"),
    ("./x", ".%2Fx"),
    ("n\nl", "n%0Al"),
    ("t\u{1}", "t%01"),
    ("d", "d"),
    ("d/", "d/"),
    ("q?v#", "q%3Fv%23"),
    ("ü&=%2", "%C3%BC%26%3D%252"),
    ("p+", "p%2B"),
];

fn put(server: &Server, path: &str, bytes: &str) {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "--show-error", "--path-as-is", "--aws-sigv4", "aws:amz:us-east-1:s3"]);
    curl.args(["--user", "someone:secret", "--header", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]);
    curl.args(["--request", "PUT", "--data-binary", bytes, &format!("http://127.0.0.1:{}/bucket{path}", server.port)]);
    let put = curl.output().expect("curl");
    assert!(put.status.success(), "{path}: {}", String::from_utf8_lossy(&put.stderr));
}

#[test]
fn odd_keys_are_signed_and_read() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::in_memory(room.path());
    put(&server, "", "");
    for (key, path) in KEYS {
        put(&server, &format!("/{path}"), key);
    }
    put(&server, "/e/", "");
    // More than a page.
    for n in 0..12 {
        put(&server, &format!("/many/{n:02}"), "x");
    }
    let seen = pfh(&room, server.port, &["hash", "--no-progress", "-z", "s3://bucket"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let text = String::from_utf8(seen.stdout.clone()).unwrap();
    let lines: Vec<&str> = text.split_terminator('\0').collect();
    for (key, _) in KEYS {
        let line = format!("{}  s3://bucket/{key}", sha256(key.as_bytes()));
        assert!(lines.contains(&&*line), "{line} {text:?}");
    }
    assert_eq!(lines.len(), KEYS.len() + 12);
    assert!(seen.stderr.contains("s3://bucket/e/: skipped"), "{}", seen.stderr);
    let seen = pfh(&room, server.port, &["hash", "-q", "s3://bucket", "-o", "list"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = pfh(&room, server.port, &["check", "-q", "--allow-outside", "list"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    // By the tags of the server, each of the right object.
    let seen = pfh(&room, server.port, &["check", "-q", "s3://bucket"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// Three pages of the server, over connections that break off.
#[test]
fn pages_of_a_server_are_read_to_the_end() {
    if lacks(&[Need::Program("s3proxy")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    let names: Vec<String> = (0..2100).map(|n| format!("s3://bucket/{n:04}")).collect();
    for name in &names {
        std::fs::write(room.path().join("store").join(&name[5..]), b"x").unwrap();
    }
    for fault in [Fault::Cut(3), Fault::Unavailable(3)] {
        let proxy = Proxy::start(server.port, fault);
        let seen = pfh(&room, proxy.port, &["hash", "-q", "s3://bucket"]);
        let lines: Vec<String> = names.iter().map(|name| format!("{}  {name}", sha256(b"x"))).collect();
        assert_eq!((seen.code, super::sorted(&seen) == lines), (Some(0), true), "{fault:?}: {}", seen.stderr);
        assert!(proxy.faults() > 0);
    }
}
