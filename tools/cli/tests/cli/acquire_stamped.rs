//! Time stamps of a log (RFC 3161), by OpenSSL's authority behind a small server of HTTP.
#![cfg(unix)]

use crate::program::{MIB, Room, sha256};
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CONFIGURATION: &str = "
[tsa]
default_tsa = authority
[authority]
serial = serial
signer_cert = tsa.pem
certs = ca.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = yes
tsa_name = yes
";

fn openssl(directory: &Path, words: &str) {
    let output = Command::new("openssl").args(words.split(' ')).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes an authority: `ca.pem`, which signs `tsa.pem`.
fn authority(directory: &Path) {
    fs::create_dir(directory).unwrap();
    fs::write(directory.join("tsa.cnf"), CONFIGURATION).unwrap();
    fs::write(directory.join("serial"), "01\n").unwrap();
    fs::write(directory.join("use"), "extendedKeyUsage = critical,timeStamping\n").unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(directory, &format!("req -x509 {key} -subj /CN=root -keyout ca.key -out ca.pem -days 2"));
    openssl(directory, &format!("req {key} -subj /CN=tsa -keyout tsa.key -out tsa.csr"));
    openssl(
        directory,
        "x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile use -out tsa.pem -days 2",
    );
}

/// An answer of the server.
#[derive(Clone)]
enum Answer {
    /// The answer of the authority in this directory.
    Stamp(PathBuf),
    /// The same for another question.
    Stale(PathBuf),
    /// These bytes.
    Bytes(Vec<u8>),
}

/// Serves on 127.0.0.1 until the test program ends; gives the address and the count of questions.
fn serve(answer: Answer) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/tsr", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            let query = question(&mut stream);
            let bytes = match &answer {
                Answer::Bytes(bytes) => bytes.clone(),
                Answer::Stamp(directory) => http(&reply(directory, &query)),
                Answer::Stale(directory) => {
                    openssl(
                        directory,
                        "ts -query -sha256 -digest 0707070707070707070707070707070707070707070707070707070707070707 -cert -out other",
                    );
                    let other = fs::read(directory.join("other")).unwrap();
                    http(&reply(directory, &other))
                }
            };
            let _ = stream.write_all(&bytes);
        }
    });
    (url, asked)
}

fn http(body: &[u8]) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/timestamp-reply\r\nContent-Length: ";
    [format!("{head}{}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// The body of a request.
fn question(stream: &mut impl Read) -> Vec<u8> {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
        text.extend(byte);
    }
    let head = String::from_utf8(text).unwrap();
    assert!(head.starts_with("POST /tsr HTTP/1.0\r\n") && head.contains("application/timestamp-query"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    body
}

fn reply(directory: &Path, query: &[u8]) -> Vec<u8> {
    fs::write(directory.join("query"), query).unwrap();
    openssl(directory, "ts -reply -config tsa.cnf -queryfile query -out reply");
    fs::read(directory.join("reply")).unwrap()
}

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

fn report(seen: &Outcome) -> Value {
    serde_json::from_slice(&seen.stdout).unwrap_or_else(|error| panic!("{error}: {seen:?}"))
}

fn said(seen: &Outcome) -> String {
    format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr)
}

#[test]
fn the_last_line_of_the_log_is_stamped_and_verified() {
    if lacks(&[Need::Program("openssl")]) {
        return;
    }
    let room = Room::new();
    room.file("disk", &content(71, MIB));
    room.file("key", "07".repeat(32).as_bytes());
    let tsa = room.path().join("tsa");
    authority(&tsa);
    authority(&room.path().join("other"));
    let (url, asked) = serve(Answer::Stamp(tsa));
    let words = format!("acquire disk --to image --key key --timestamp {url} --no-progress --json");
    let seen = pfh(&room, &words);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let stamped = &report(&seen)["timestamp"];
    assert_eq!(
        (stamped["path"].as_str(), stamped["policy"].as_str()),
        (Some("image.log.jsonl.tsr"), Some("1.2.3.4.1"))
    );
    let time = stamped["time"].as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    // OpenSSL accepts it for the last line, which is the signature's.
    let log = fs::read_to_string(room.path().join("image.log.jsonl")).unwrap();
    let last = log.split_inclusive('\n').next_back().unwrap();
    assert!(last.contains("ed25519"), "{last}");
    room.file("last", last.as_bytes());
    openssl(room.path(), "ts -verify -data last -in image.log.jsonl.tsr -CAfile tsa/ca.pem");
    // pfh finds it by itself, says how its signature is checked, and checks it when asked.
    for words in ["verify image", "verify --log image.log.jsonl"] {
        let seen = pfh(&room, &format!("{words} --no-progress"));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let text = said(&seen);
        assert!(text.contains(&format!("a time stamp of the log's last line, of {time}")), "{text}");
        let command = text.split("openssl ts -verify").nth(1).expect("the command").lines().next().unwrap();
        assert!(command.contains(&sha256(last.as_bytes())), "{command}");
        openssl(room.path(), &format!("ts -verify{}", command.replace("CERTIFICATES", "tsa/ca.pem")));
        let seen = pfh(&room, &format!("{words} --timestamp-ca tsa/ca.pem --no-progress"));
        assert!(seen.code == Some(0) && said(&seen).contains("signed by an authority of tsa/ca.pem"), "{seen:?}");
        let seen = pfh(&room, &format!("{words} --timestamp-ca other/ca.pem --no-progress"));
        assert!(seen.code == Some(3) && said(&seen).contains("not by an authority of other/ca.pem"), "{seen:?}");
        let seen = pfh(&room, &format!("{words} --timestamp-ca /dev/null --no-progress"));
        assert_eq!(seen.code, Some(3), "certificates that are none accuse nobody: {seen:?}");
    }
    // The same command again asks for no second one.
    let seen = pfh(&room, &words);
    assert_eq!((seen.code, asked.load(Ordering::SeqCst)), (Some(0), 1), "{}", seen.stderr);
    assert_eq!(report(&seen)["timestamp"]["time"], time);
    // A stamp of another log is a difference; so is a changed one; none at all is none.
    assert_eq!(pfh(&room, &format!("acquire disk --to b --timestamp {url} --no-progress")).code, Some(0));
    let stamp = room.path().join("image.log.jsonl.tsr");
    let good = fs::read(&stamp).unwrap();
    fs::copy(room.path().join("b.log.jsonl.tsr"), &stamp).unwrap();
    let seen = pfh(&room, "verify image --no-progress");
    assert!(seen.code == Some(1) && seen.stderr.contains("not of this log"), "{seen:?}");
    fs::write(&stamp, &good[..good.len() / 2]).unwrap();
    assert_eq!(pfh(&room, "verify image --no-progress").code, Some(1));
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    fs::write(&stamp, &flipped).unwrap();
    assert_eq!(pfh(&room, "verify image --timestamp-ca tsa/ca.pem --no-progress").code, Some(1));
    // A stamp of an earlier line proves nothing of the lines behind it.
    room.file("first", log.split_inclusive('\n').next().unwrap().as_bytes());
    openssl(room.path(), "ts -query -data first -sha256 -cert -out tsa/first.tsq");
    openssl(&room.path().join("tsa"), "ts -reply -config tsa.cnf -queryfile first.tsq -out first.tsr");
    fs::copy(room.path().join("tsa/first.tsr"), &stamp).unwrap();
    let seen = pfh(&room, "verify image --timestamp-ca tsa/ca.pem --no-progress");
    assert!(seen.code == Some(3) && said(&seen).contains("a time stamp of line 1"), "{seen:?}");
    // One that was taken away is missed: the log states that it was asked for.
    fs::remove_file(&stamp).unwrap();
    let seen = pfh(&room, "verify image --no-progress");
    assert!(seen.code == Some(3) && said(&seen).contains("asked for, and there is none"), "{seen:?}");
    let seen = pfh(&room, "verify image --timestamp-ca tsa/ca.pem --no-progress");
    assert!(seen.code == Some(3) && seen.stderr.contains("no time stamp"), "{seen:?}");
    // A log that is replaced takes its stamp with it.
    assert_eq!(pfh(&room, "acquire disk --to b --force --no-progress").code, Some(0));
    assert!(!room.path().join("b.log.jsonl.tsr").exists());
    assert_eq!(pfh(&room, "verify b --no-progress").code, Some(0));
}

/// The acquisition is finished; only the stamp is missing, and the same command asks again.
#[test]
fn an_authority_that_fails_spoils_no_acquisition() {
    if lacks(&[Need::Program("openssl")]) {
        return;
    }
    let room = Room::new();
    room.file("disk", &content(72, MIB));
    let tsa = room.path().join("tsa");
    authority(&tsa);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refusal = {
        fs::write(tsa.join("nonsense"), b"0\x00").unwrap();
        openssl(&tsa, "ts -reply -config tsa.cnf -queryfile nonsense -out refusal");
        fs::read(tsa.join("refusal")).unwrap()
    };
    let html = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>";
    let cases = [
        (format!("http://{closed}"), "refused"),
        (serve(Answer::Bytes(html.to_vec())).0, "not that of a time stamp authority"),
        (serve(Answer::Bytes(b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec())).0, "404"),
        (serve(Answer::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n0".to_vec())).0, "cut off"),
        (serve(Answer::Bytes(b"SSH-2.0-OpenSSH\r\n".to_vec())).0, "SSH-2.0"),
        (serve(Answer::Bytes(http(&refusal))).0, "the authority refused: status 2"),
        (serve(Answer::Stale(tsa.clone())).0, "another imprint"),
    ];
    for (number, (url, cause)) in cases.iter().enumerate() {
        let words = |url: &str| format!("acquire disk --to i{number} --no-progress --json --timestamp {url}");
        let seen = pfh(&room, &words(url));
        assert_eq!(seen.code, Some(3), "{cause}: {}", seen.stderr);
        assert!(seen.stderr.contains("has no time stamp") && seen.stderr.contains(cause), "{}", seen.stderr);
        assert!(report(&seen)["timestamp"]["cause"].as_str().unwrap().contains(cause));
        assert_eq!(pfh(&room, &format!("verify i{number} --no-progress")).code, Some(3), "there is no stamp");
        assert!(!room.path().join(format!("i{number}.log.jsonl.tsr")).exists());
        let before = fs::read(room.path().join(format!("i{number}.log.jsonl"))).unwrap();
        let seen = pfh(&room, &words(&serve(Answer::Stamp(tsa.clone())).0));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(room.path().join(format!("i{number}.log.jsonl.tsr")).exists());
        assert_eq!(fs::read(room.path().join(format!("i{number}.log.jsonl"))).unwrap(), before);
    }
    let before = fs::read_dir(room.path()).unwrap().count();
    for url in ["https://tsa.example/", "tsa.example", "http://user@host/"] {
        assert_eq!(pfh(&room, &format!("acquire disk --to new --timestamp {url}")).code, Some(2), "{url}");
    }
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), before);
}
