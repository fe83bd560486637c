//! The audit over HTTP: honest servers pass, all others are found out, and a server gives nothing
//! but proofs of registered files.

use crate::audited::{Served, answer, ask, asked, challenge, commit, committed, damage, impostor, judge, keys};
use crate::room::Room;
use crate::trees::built;
use pfh::Control;
use pfh::audit::ask::{AskMode, Request};
use pfh::audit::{By, Extent, Problem, Status, serve};
use pfh::job::Kind;
use pfh::tree::beside;
use pfh_inject::random;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

fn leaves(leaves: u32) -> Extent {
    Extent { loss: 0.01, by: By::Leaves(leaves) }
}

#[test]
fn a_server_is_asked_and_found_out() {
    let (room, file) = committed("blake3", 1_000_000);
    let public = keys(&room);
    let mut signing = serve::Request::new(room.at("case"));
    signing.key = Some(room.at("key"));
    let server = Served::with(signing);
    assert_eq!(server.files, 1);
    for (signed_by, by) in [(None, By::Confidence(0.99)), (Some(room.at("public")), By::All)] {
        let is_asked = signed_by.is_some();
        let extent = Extent { loss: 0.01, by };
        let judged = asked(&server.ask(&room, |ask| (ask.signed_by, ask.extent) = (signed_by, extent)));
        assert_eq!((judged.status, judged.signer), (Status::Proved, Some((public.clone(), is_asked))));
    }
    // Questions and answers can be judged again from files.
    asked(&server.ask(&room, |ask| ask.evidence = Some(room.at("e"))));
    let mut again = answer(&room, "e.0.challenge", "e.0.proof");
    again.signed_by = Some(room.at("public"));
    assert_eq!(judge(&again).unwrap().status, Status::Proved);
    let unsigned = Served::start(&room);
    let judged = asked(&unsigned.ask(&room, |ask| ask.signed_by = Some(room.at("public"))));
    assert_eq!((judged.status, judged.why.as_str()), (Status::Rejected, "the answer is not signed"));
    damage(&file);
    assert_eq!(asked(&server.ask(&room, |ask| ask.extent = leaves(1))).status, Status::Rejected);
    // A server that cannot open the file refuses: whether it could have answered is not known, and
    // not taken for a verdict.
    fs::remove_file(&file).unwrap();
    let judged = asked(&server.ask(&room, |_| {}));
    assert_eq!((judged.status, judged.refusal), (Status::NotAsked, Some(500)));
    let nobody = "http://127.0.0.1:9".to_owned();
    let nobody = asked(&server.ask(&room, |ask| (ask.url, ask.timeout) = (nobody, Duration::from_secs(5))));
    assert_eq!((nobody.status, nobody.refusal), (Status::NotAsked, None), "nobody there is no verdict");
}

#[cfg(unix)]
#[test]
fn only_registered_files_are_ever_opened() {
    let (room, file) = committed("blake3", 10_000);
    // The same file with its tree outside of the directory, reachable by every trick of paths.
    let outside = room.file("secret.img", &fs::read(&file).unwrap());
    fs::copy(beside(&file), beside(&outside)).unwrap();
    symlink(&outside, room.at("case/link.img")).unwrap();
    symlink(beside(&outside), room.at("case/link.img.pfhtree")).unwrap();
    room.file("case/no-tree.img", "data");
    let server = Served::start(&room);
    // A client that wants to see other files.
    let post = |identity: &str| {
        commit(&room, &file, identity, "otherwise").unwrap();
        server.post(&challenge(&room, "otherwise", Extent::default(), "c"))
    };
    for identity in [
        "../secret.img",
        "./../secret.img",
        "case/../../secret.img",
        outside.to_str().unwrap(),
        "link.img",
        "no-tree.img",
        "disk.img.pfhtree",
        "./disk.img",
        "disk.img/",
        "/disk.img",
        ".",
        "..",
        "/etc/passwd",
    ] {
        let (status, body) = post(identity);
        assert_eq!((status, &body[..]), (Some(404), &b"no file of this name is registered\n"[..]), "{identity:?}");
    }
    assert_eq!(post("disk.img").0, Some(200));
    // A registered name that is a link by now is not followed.
    fs::remove_file(&file).unwrap();
    symlink(&outside, &file).unwrap();
    assert_eq!(server.post(&challenge(&room, "kept", Extent::default(), "c")).0, Some(500));
}

#[test]
fn requests_are_bounded_in_bytes_and_time() {
    let (room, _) = committed("blake3", 1_000_000);
    let mut request = serve::Request::new(room.at("case"));
    (request.limits.answer, request.limits.connections) = (100 << 10, 2);
    let server = Served::with(request.clone());
    let many = challenge(&room, "kept", Extent::default(), "many");
    assert_eq!(server.post(&many).0, Some(413), "459 KiB of leaves");
    let few = challenge(&room, "kept", leaves(90), "few");
    assert_eq!(server.post(&few).0, Some(200));
    assert_eq!(server.post(&[few.clone(), vec![0; 8000]].concat()).0, Some(413));
    assert_eq!(server.post(&few[..few.len() - 1]).0, Some(400));
    assert_eq!(server.raw(b"GET /prove HTTP/1.1\r\n\r\n").0, Some(405));
    assert_eq!(server.raw(b"GET /../etc/passwd HTTP/1.1\r\n\r\n").0, Some(404));
    assert_eq!(server.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").0, Some(400));
    // The connection may be reset before the answer is read, as more was sent than the server
    // takes.
    let status = server.raw(&[&b"POST /prove HTTP/1.1\r\nx: "[..], &[b'a'; 20_000]].concat()).0;
    assert!(status.is_none_or(|status| status == 431), "{status:?}");

    // As many peers as there are connections say nothing, or a byte at a time: they are cut off,
    // and the next one is served. On a busy machine that one may be cut off itself.
    request.limits.time = Duration::from_secs(2);
    let server = Served::with(request);
    let from = Instant::now();
    let mut idle: Vec<TcpStream> = (0..2).map(|_| server.connect()).collect();
    let _ = idle[0].write_all(b"POST /prove HTTP/1.1\r\n");
    let mut slow = idle.pop().unwrap();
    let drip = std::thread::spawn(move || {
        while from.elapsed() < Duration::from_secs(120) && slow.write_all(b"G").is_ok() {
            std::thread::sleep(Duration::from_millis(200));
        }
        from.elapsed()
    });
    assert!((0..20).any(|_| server.post(&few).0 == Some(200)));
    assert!(drip.join().unwrap() < Duration::from_secs(120), "a peer that drips is cut off");
}

#[test]
fn a_server_without_files_is_refused() {
    let room = Room::of_server();
    room.file("case/file", "no tree");
    let error = |directory: &str| {
        let mut request = serve::Request::new(room.at(directory));
        request.listen = "127.0.0.1:0".into();
        serve::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err()
    };
    let empty = error("case");
    assert!(empty.kind() == Kind::Request && matches!(empty.find(), Some(Problem::Empty(_))), "{empty}");
    assert_eq!(error("nothing-there").kind(), Kind::Input);
}

#[test]
fn a_server_that_answers_something_else_is_no_proof_and_no_harm() {
    let (room, _) = committed("blake3", 10_000);
    let ask = |answer: &'static [u8], endless| {
        let mut request = Request::new(impostor(answer, endless), room.at("kept"));
        request.timeout = Duration::from_secs(120);
        let judged = asked(&request);
        (judged.status, judged.refusal, judged.why)
    };
    let (status, _, why) = ask(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", false);
    assert!(status == Status::Rejected && why.starts_with("not an answer"), "{why}");
    let refused = ask(b"HTTP/1.1 404 Not Found\r\ncontent-length: 6\r\n\r\n\x1b[31mx", false);
    assert_eq!(refused, (Status::NotAsked, Some(404), "the server refused: 404 ?[31mx".into()));
    let elsewhere = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let (status, refusal, _) = ask(elsewhere, false);
    assert_eq!((status, refusal), (Status::NotAsked, Some(302)));
    let (status, refusal, _) = ask(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n", false);
    assert_eq!((status, refusal), (Status::NotAsked, Some(503)));
    // An endless answer is judged as it comes, and its first bytes are none.
    let (status, _, why) = ask(b"HTTP/1.1 200 OK\r\n\r\n", true);
    assert!(status == Status::Rejected && why.starts_with("not an answer"), "{why}");
    for answer in [&b""[..], b"220 smtp\r\n"] {
        let (status, refusal, _) = ask(answer, false);
        assert_eq!((status, refusal), (Status::NotAsked, None));
    }
    let (status, _, why) = ask(b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\npfh prov\x01", false);
    assert!(status == Status::NotAsked && why.contains("to its end"), "{why}");
}

#[test]
fn a_refusal_is_no_verdict() {
    let (room, _) = committed("blake3", 100_000);
    let mut request = serve::Request::new(room.at("case"));
    request.limits.answer = 1 << 10;
    let judged = asked(&Served::with(request).ask(&room, |_| {}));
    assert_eq!((judged.status, judged.refusal), (Status::NotAsked, Some(413)));
}

#[test]
fn long_identities_are_audited() {
    let room = Room::of_server();
    let long = format!("{}/{}/disk.img", "d".repeat(250), "e".repeat(200));
    let file = room.file(format!("case/{long}"), &random(1, 50_000));
    built(&file, "blake3", 16 << 10);
    commit(&room, &file, &long, "kept").unwrap();
    let judged = asked(&Served::start(&room).ask(&room, |_| {}));
    assert_eq!((judged.status, judged.leaves, judged.identity), (Status::Proved, (4, 4), long));
    let too_long = commit(&room, &file, &"x".repeat(4097), "new").unwrap_err();
    assert!(matches!(too_long.find(), Some(Problem::Identity)) && !room.at("new").exists(), "{too_long}");
}

#[test]
fn a_keyed_answer_is_compared_with_the_copy() {
    let (room, file) = committed("sha3-256", 500_000);
    let copy = room.file("copies/disk.img", &fs::read(&file).unwrap());
    let server = Served::start(&room);
    let keyed = |data, extent| ask(&server.ask(&room, |ask| (ask.how, ask.extent) = (AskMode::Keyed(data), extent)));
    // The copy, or a directory with the copies under their identities.
    for (data, extent) in [
        (copy.clone(), Extent::default()),
        (copy.clone(), Extent { loss: 0.01, by: By::All }),
        (copy.clone(), leaves(3)),
        (room.at("copies"), Extent::default()),
    ] {
        let (status, rows) = keyed(data, extent).unwrap();
        assert_eq!((status, rows[0].evidence), (Status::Proved, pfh::audit::Evidence::Copy));
        assert_eq!((rows.len(), rows[0].algorithm), (1, "sha3-256"));
    }
    damage(&file);
    assert_eq!(keyed(copy.clone(), Extent::default()).unwrap().0, Status::Rejected);
    // The auditor's copy is damaged as well: nothing to compare with.
    fs::copy(&file, &copy).unwrap();
    assert_eq!(keyed(copy, Extent::default()).unwrap_err().kind(), Kind::Input);
}

#[test]
fn the_chance_of_finding_a_loss_is_stated() {
    let (room, _) = committed("blake3", 10_000 * 1024);
    let server = Served::start(&room);
    for (loss, by, leaves, probability) in [
        (0.01, By::Confidence(0.99), 459, 0.991),
        (0.001, By::Confidence(0.99), 4603, 0.997),
        (0.05, By::Confidence(0.95), 59, 0.951),
        (0.1, By::Leaves(1), 1, 0.1),
    ] {
        let judged = asked(&server.ask(&room, |ask| ask.extent = Extent { loss, by }));
        assert_eq!((judged.status, judged.leaves), (Status::Proved, (leaves, 10_000)));
        // A probability is cut, not rounded: no more is promised than there is.
        let cut = (judged.finds * 1000.0 + 1e-9).floor() / 1000.0;
        assert_eq!(cut, probability, "{loss} {by:?}");
    }
}
