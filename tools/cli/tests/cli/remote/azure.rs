//! Azure's protocol, by Microsoft's emulator (Azurite).

use crate::program::{Room, records, sha256};
use data_encoding::BASE64;
use pfh_inject::{Need, Outcome, Trial, lacks};
use ring::hmac;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The emulator's account, which its documentation prints.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

struct Azurite {
    child: Child,
    port: u16,
}

impl Azurite {
    fn start(room: &Room) -> Azurite {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut program = Command::new("azurite-blob");
        program.args(["--silent", "--skipApiVersionCheck", "--disableTelemetry", "--blobHost", "127.0.0.1"]);
        program.args(["--blobPort", &port.to_string(), "--location"]).arg(room.path().join("azurite"));
        let child = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("azurite-blob");
        let (server, begun) = (Azurite { child, port }, Instant::now());
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(120), "Azurite does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    /// Puts a container or a blob, with a request that is signed by hand (Shared Key).
    fn put(&self, path: &str, query: &str, body: &[u8], headers: &[(&str, &str)]) {
        let length = if body.is_empty() { String::new() } else { body.len().to_string() };
        let date = date();
        let mut own = vec![("x-ms-date", &*date), ("x-ms-version", "2023-11-03")];
        own.extend(headers.iter().filter(|(name, _)| name.starts_with("x-ms-")));
        own.sort_unstable();
        let lines: String = own.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let asked: String = query
            .split('&')
            .filter(|part| !part.is_empty())
            .map(|part| format!("\n{}", part.replace('=', ":")))
            .collect();
        let to_sign = format!("PUT\n\n\n{length}\n\n\n\n\n\n\n\n\n{lines}/{ACCOUNT}/{ACCOUNT}{path}{asked}");
        let key = hmac::Key::new(hmac::HMAC_SHA256, &BASE64.decode(KEY.as_bytes()).unwrap());
        let signature = BASE64.encode(hmac::sign(&key, to_sign.as_bytes()).as_ref());
        let mark = if query.is_empty() { "" } else { "?" };
        let mut head = format!(
            "PUT /{ACCOUNT}{path}{mark}{query} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Length: {}\r\nAuthorization: SharedKey {ACCOUNT}:{signature}\r\n",
            self.port,
            body.len()
        );
        own.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with("HTTP/1.1 201"), "{path}: {answer}");
    }

    fn blob(&self, key: &str, body: &[u8]) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
        let part = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        let key: String = key.bytes().map(part).collect();
        self.put(&format!("/box/{key}"), "", body, &[("x-ms-blob-type", "BlockBlob")]);
    }

    fn pfh(&self, room: &Room, words: &[&str]) -> Outcome {
        let at = format!("AZURITE_BLOB_STORAGE_URL=http://127.0.0.1:{}", self.port);
        let under = ["env", "AZURE_STORAGE_USE_EMULATOR=true", &at];
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
        trial.under(under).limit(Duration::from_secs(300)).run().unwrap()
    }
}

impl Drop for Azurite {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Now, as headers have it.
fn date() -> String {
    let said = Command::new("date").args(["-u", "+%a, %d %b %Y %H:%M:%S GMT"]).env("LC_ALL", "C").output().unwrap();
    String::from_utf8(said.stdout).unwrap().trim().to_owned()
}

const NAMES: [&str; 11] =
    ["plain", "with space", "100%", "ü+é=&", "a//b", "folder/deep/er", "a?b#c", "q'<>\"", "/lead", "~[]^", "e\u{301}"];

#[test]
fn blobs_are_listed_hashed_and_checked() {
    if lacks(&[Need::Program("azurite-blob")]) {
        return;
    }
    let room = Room::new();
    let server = Azurite::start(&room);
    server.put("/box", "restype=container", b"", &[]);
    for name in NAMES {
        server.blob(name, name.as_bytes());
    }
    let large = crate::program::random(5, 9 << 20);
    server.blob("large", &large);
    let seen = server.pfh(&room, &["hash", "-q", "-f", "jsonl", "az://box"]);
    let lines = records(&seen);
    let digest = |name: &str| {
        let line = lines.iter().find(|line| line.path() == format!("az://box/{name}"));
        line.and_then(|line| line.digest("sha256")).map(str::to_owned)
    };
    assert_eq!((seen.code, lines.len()), (Some(0), NAMES.len() + 1), "{}", seen.stderr);
    for name in NAMES {
        assert_eq!(digest(name), Some(sha256(name.as_bytes())), "{name}");
    }
    assert_eq!(digest("large"), Some(sha256(&large)));
    let seen = server.pfh(&room, &["hash", "-q", "az://box", "-o", "list"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = server.pfh(&room, &["check", "--allow-outside", "list"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    // The store states the MD5 of a blob that came in one request.
    let seen = server.pfh(&room, &["check", "--no-progress", "az://box"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(
        seen.stderr.contains("12 objects verified") && seen.stderr.contains("md5 (content-md5)"),
        "{}",
        seen.stderr
    );
    for (address, code) in [("az://box/none", "not-found"), ("az://nobox/a", "not-found")] {
        let seen = server.pfh(&room, &["hash", "-q", "-f", "jsonl", address]);
        assert_eq!((seen.code, records(&seen)[0].code()), (Some(3), code), "{}", seen.stderr);
    }
}
