//! A panic of a task that speaks with a store ends the run with 4: neither a shorter listing nor a
//! file that cannot be read.

use crate::program::{Room, random};
use pfh_inject::{Outcome, Trial};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

const SMALL: usize = 1000;
const LARGE: usize = 3 << 20;

/// A web server with the objects `/small` and `/large`, for as long as the process lives.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer(stream.unwrap()));
        }
    });
    port
}

/// Answers one request; the client may go away at any time.
fn answer(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    let _ = lines.find(String::is_empty);
    let body = match request.split(' ').nth(1) {
        Some("/small") => random(1, SMALL),
        Some("/large") => random(2, LARGE),
        _ => {
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            return;
        }
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes());
    if request.starts_with("GET") {
        let _ = stream.write_all(&body);
    }
}

fn pfh(room: &Room, port: u16, point: &str, line: &str) -> Outcome {
    let line = line.replace("WEB", &format!("http://127.0.0.1:{port}"));
    let trial = Trial::new("sh").args(["-c", &format!("PFH_FAIL_POINT={point} \"$0\" {line}")]);
    trial.args([env!("CARGO_BIN_EXE_pfh")]).directory(room.path()).run().unwrap()
}

#[test]
fn a_panic_of_a_task_ends_the_run_with_4() {
    let (room, port) = (Room::new(), server());
    let lines = ["hash -o out WEB/small WEB/large", "hash --seal -o out WEB/large WEB/small"];
    for line in lines {
        for point in ["remote-list:1", "remote-list:2", "remote-early:1", "remote-pieces:1"] {
            let seen = pfh(&room, port, point, line);
            assert_eq!(seen.code, Some(4), "{point} {line}: {}", seen.stderr);
            assert!(seen.stderr.contains("the fail point"), "{point} {line}: {}", seen.stderr);
            assert!(!room.path().join("out").exists(), "{point} {line}");
        }
        let seen = pfh(&room, port, "nowhere:1", line);
        assert_eq!(seen.code, Some(0), "{line}: {}", seen.stderr);
        let list = std::fs::read_to_string(room.path().join("out")).unwrap();
        assert_eq!(list.lines().filter(|line| !line.starts_with(['#', '%'])).count(), 2, "{list}");
        std::fs::remove_file(room.path().join("out")).unwrap();
        let _ = std::fs::remove_file(room.path().join("out.seal"));
    }
}
