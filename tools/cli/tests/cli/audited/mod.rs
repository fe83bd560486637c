//! A file that is committed to, and a server that is asked for it.
#![cfg(unix)]
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::program::Room;
pub use crate::program::trees::{json, noise, text};
use pfh_inject::{Outcome, Trial};

/// `pfh`; files that an earlier step wrote with `-o` are replaced.
pub fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    let mut arguments: Vec<_> = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
    if arguments.iter().any(|argument| argument == "-o") {
        arguments.push("--force".into());
    }
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

pub fn run<S: AsRef<std::ffi::OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    pfh(arguments).directory(room.path()).run().expect("a run")
}

pub fn good<S: AsRef<std::ffi::OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    crate::program::trees::ended_well(run(room, arguments))
}

/// A room with `case/disk.img`, its tree, and `kept`.
pub fn committed(algorithm: &str, length: usize) -> (Room, PathBuf) {
    let room = Room::new();
    let file = room.file("case/disk.img", &noise(length, 1));
    good(&room, ["tree", "build", "-a", algorithm, "--leaf", "1KiB", "case/disk.img"]);
    good(&room, ["audit", "commit", "--identity", "disk.img", "case/disk.img", "-o", "kept"]);
    (room, file)
}

/// Changes a byte of each leaf, so that any sample finds it.
pub fn damage(file: &std::path::Path) {
    let mut bytes = std::fs::read(file).expect("a file");
    bytes.iter_mut().step_by(1024).for_each(|byte| *byte ^= 1);
    std::fs::write(file, bytes).expect("written");
}

/// A server that ends with this value.
pub struct Served {
    child: Child,
    pub url: String,
}

impl Served {
    pub fn start(room: &Room, options: &[&str]) -> Served {
        Served::start_with(room, options, &[])
    }

    /// With these variables in its environment.
    pub fn start_with(room: &Room, options: &[&str], variables: &[(&str, &str)]) -> Served {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["audit", "serve", "--listen", "127.0.0.1:0"])
            .args(options)
            .arg("case")
            .envs(variables.iter().copied())
            .current_dir(room.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("pfh");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let url = line.split(": ").next().expect("an address").to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{line:?}");
        Served { child, url }
    }

    /// Waits for its end, and gives its code.
    pub fn ended(&mut self) -> Option<i32> {
        self.child.wait().expect("an end").code()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.url.trim_start_matches("http://")).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
        stream
    }

    /// Its process, for tests that look at it.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are; the status of the answer, and its body.
    pub fn raw(&self, bytes: &[u8]) -> (Option<u16>, Vec<u8>) {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let status = answer.get(9..12).and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
        let body = answer.windows(4).position(|w| w == b"\r\n\r\n").map_or(&[][..], |at| &answer[at + 4..]);
        (status, body.to_vec())
    }

    pub fn post(&self, challenge: &[u8]) -> (Option<u16>, Vec<u8>) {
        let head = format!("POST /prove HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", challenge.len());
        self.raw(&[head.as_bytes(), challenge].concat())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that answers every request with these bytes, and then, if it is to be endless, with
/// more of them.
pub fn impostor(answer: &'static [u8], endless: bool) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer);
            while endless && stream.write_all(&[b'x'; 65_536]).is_ok() {}
        }
    });
    url
}
