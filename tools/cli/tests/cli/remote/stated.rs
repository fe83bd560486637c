//! `check s3://…`: objects against the statements of the server. S3Proxy states entity tags: MD5 of
//! an object that came in one request, MD5 of MD5s of one that came in parts.

use super::server::Server;
use super::{LARGE, filled, pfh, put};
use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, lacks};
use std::fs;
use std::process::Command;

fn lines(seen: &Outcome) -> Vec<serde_json::Value> {
    let text = String::from_utf8(seen.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Replaces the bytes of an object behind the server's back, which keeps the tag in an attribute of
/// the file.
fn rot(room: &Room, key: &str) {
    let path = room.path().join("store/bucket").join(key);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    // In place: another file would have no attributes.
    fs::write(&path, &bytes).unwrap();
}

/// Uploads an object in parts, as any client would.
fn put_parts(room: &Room, server: &Server, key: &str, bytes: &[u8], part: usize) {
    let url = format!("http://127.0.0.1:{}/bucket/{key}", server.port);
    let curl = |arguments: &[&str]| {
        let output =
            Command::new("curl").args(["--silent", "--fail", "--show-error"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let begun = curl(&["-X", "POST", &format!("{url}?uploads")]);
    let id = begun.split("<UploadId>").nth(1).and_then(|rest| rest.split('<').next()).expect("an upload").to_owned();
    let mut list = String::from("<CompleteMultipartUpload>");
    for (n, piece) in bytes.chunks(part).enumerate() {
        let (n, file) = (n + 1, room.file("part", piece));
        let headers = room.path().join("headers");
        curl(&[
            "-D",
            headers.to_str().unwrap(),
            "-T",
            file.to_str().unwrap(),
            &format!("{url}?partNumber={n}&uploadId={id}"),
        ]);
        let headers = fs::read_to_string(headers).unwrap();
        let tag = headers
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("etag:").map(|tag| tag.trim().to_owned()));
        list += &format!("<Part><PartNumber>{n}</PartNumber><ETag>{}</ETag></Part>", tag.expect("a tag"));
    }
    list += "</CompleteMultipartUpload>";
    curl(&["-X", "POST", "-H", "Content-Type: application/xml", "-d", &list, &format!("{url}?uploadId={id}")]);
}

#[test]
fn objects_are_what_the_server_states() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    filled(&room, &server);
    let seen = pfh(&room, server.port, &["check", "--no-progress", "s3://bucket/pre"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(String::from_utf8_lossy(&seen.stdout).matches(": OK\n").count(), 67);
    let said = "67 objects verified against what the store states: md5 (etag)";
    assert!(seen.stderr.contains(said), "{}", seen.stderr);
    // Bytes that rot on the server's disk: a small object, and one that comes in ranges.
    for key in ["pre/many/07", "pre/large"] {
        rot(&room, key);
    }
    let seen = pfh(&room, server.port, &["check", "--no-progress", "--json", "s3://bucket/pre"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    let found = lines(&seen);
    let differing = found.iter().filter(|line| line["type"] == "object" && line["verdict"] == "differs");
    assert_eq!(differing.count(), 2, "{}", seen.stderr);
    let summary = found.last().unwrap();
    assert_eq!((&summary["verdict"], summary["verified"].as_u64()), (&"differs".into(), Some(65)));
    assert!(seen.stderr.contains("etag states md5"), "{}", seen.stderr);
    // Twice the same; of one object; nothing is printed that is not asked for.
    let seen = pfh(&room, server.port, &["check", "--status", "s3://bucket/pre/large", "s3://bucket/pre/plain"]);
    assert_eq!((seen.code, seen.stdout.len(), &seen.stderr[..]), (Some(1), 0, ""));
    let seen = pfh(&room, server.port, &["check", "-n", "s3://bucket/pre/many"]);
    assert_eq!((seen.code, String::from_utf8_lossy(&seen.stdout).lines().count()), (Some(0), 60), "{}", seen.stderr);
}

#[test]
fn objects_that_came_in_parts() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    let bytes = random(5, 13 << 20);
    put_parts(&room, &server, "usual", &bytes, 5 << 20);
    put_parts(&room, &server, "odd", &bytes, 5_555_555);
    let seen = pfh(&room, server.port, &["check", "--no-progress", "--json", "s3://bucket/usual"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let stated = &lines(&seen)[0]["stated"][0];
    assert_eq!((stated["parts"].as_u64(), stated["part_size"].as_u64()), (Some(3), Some(5 << 20)), "{stated}");
    // Parts of no usual size: nobody can tell, until the size is said.
    let seen = pfh(&room, server.port, &["check", "--no-progress", "s3://bucket/odd"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("--part-size"), "{:?} {}", seen.code, seen.stderr);
    assert!(seen.stderr.contains("nothing to compare with"), "{}", seen.stderr);
    let seen = pfh(&room, server.port, &["check", "--part-size", "5555555", "s3://bucket/odd"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("md5 of parts (etag)"), "{}", seen.stderr);
    // One object with nothing to compare with does not hide among others.
    let seen = pfh(&room, server.port, &["check", "--no-progress", "s3://bucket"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("1 of 2 objects verified"), "{:?} {}", seen.code, seen.stderr);
    let seen = pfh(&room, server.port, &["check", "--no-progress", "--lenient", "s3://bucket"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    rot(&room, "odd");
    let seen = pfh(&room, server.port, &["check", "--part-size", "5555555", "s3://bucket/odd"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
}

#[test]
fn what_is_not_there_or_not_of_objects() {
    if lacks(&[Need::Program("s3proxy"), Need::Program("curl")]) {
        return;
    }
    let room = Room::new();
    let server = Server::start(room.path());
    put(&room, &server, "plain", &random(1, LARGE / 100));
    let seen = pfh(&room, server.port, &["check", "--no-progress", "s3://bucket/none"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("s3://bucket/none"), "{:?} {}", seen.code, seen.stderr);
    // A page of a web server: its entity tag is not a digest.
    let page = format!("http://127.0.0.1:{}/bucket/pre/plain", server.port);
    let seen = pfh(&room, server.port, &["check", "--no-progress", &page]);
    assert!(seen.stderr.contains("verified") || seen.code == Some(3), "{:?} {}", seen.code, seen.stderr);
    for wrong in ["--audit", "--allow-outside", "--zero", "--ignore-missing", "--root=."] {
        let seen = pfh(&room, server.port, &["check", wrong, "s3://bucket/pre"]);
        let named = seen.stderr.contains(wrong.split('=').next().unwrap());
        assert_eq!((seen.code, named, seen.stdout.len()), (Some(2), true, 0), "{wrong}: {}", seen.stderr);
    }
    room.file("list", b"900150983cd24fb0d6963f7d28e17f72  a\n");
    room.file("a", b"abc");
    let seen = pfh(&room, server.port, &["check", "--part-size", "5MiB", "list"]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    // Manifests and objects in one command.
    let seen = pfh(&room, server.port, &["check", "--no-progress", "list", "s3://bucket/pre/plain"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(text.contains("a: OK") && text.contains("s3://bucket/pre/plain: OK"), "{text}");
}

#[test]
fn what_is_of_files_alone_is_refused_by_name() {
    // Nobody is spoken with: no server is there.
    let room = Room::new();
    room.file("here", b"900150983cd24fb0d6963f7d28e17f72  a\n");
    for arguments in [
        &["hash", "--inside", "here", "s3://bucket/disk.img"][..],
        &["hash", "--cache", "cache.db", "s3://bucket/disk.img"],
        &["match", "--inside", "-k", "here", "s3://bucket/disk.img"],
        &["list", "s3://bucket/disk.img"],
    ] {
        let seen = pfh(&room, 9, arguments);
        assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{arguments:?}: {}", seen.stderr);
        let named = seen.stderr.contains("s3://bucket/disk.img") && seen.stderr.contains(arguments[1]);
        assert!(named, "{arguments:?}: {}", seen.stderr);
    }
    assert!(!room.path().join("cache.db").exists());
}
