//! Listings as stores should not send them: each fault of a page is an error, and never the end of
//! the list.

use super::pfh;
use crate::program::Room;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// The answer to a request for the page of this number, with its status; `None` for the right one.
type Fault = fn(usize) -> Option<(u16, String)>;

/// A server of one bucket whose objects have their keys as content, three keys a page.
struct Bucket {
    keys: Vec<&'static str>,
    fault: Fault,
}

const PAGE: usize = 3;

impl Bucket {
    fn serve(self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let bucket = Arc::new(self);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let bucket = bucket.clone();
                std::thread::spawn(move || bucket.answer(client));
            }
        });
        port
    }

    fn answer(&self, mut client: TcpStream) {
        let (mut request, mut byte) = (Vec::new(), [0]);
        while !request.ends_with(b"\r\n\r\n") && client.read(&mut byte).is_ok_and(|read| read > 0) {
            request.push(byte[0]);
        }
        let request = String::from_utf8_lossy(&request).into_owned();
        let mut words = request.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let key = path.strip_prefix("/bucket/").unwrap_or_default();
        let (status, body) = match (query.contains("list-type=2"), self.keys.contains(&key)) {
            (true, _) => {
                let token = query.split('&').find_map(|part| part.strip_prefix("continuation-token="));
                let number = token.map_or(0, |token| token.parse().unwrap());
                (self.fault)(number).unwrap_or_else(|| (200, self.page(number)))
            }
            (false, true) => (200, key.to_owned()),
            (false, false) => (404, "<Error><Code>NoSuchKey</Code></Error>".into()),
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} .\r\nContent-Length: {length}\r\nETag: \"{key}\"\r\nRetry-After: 1\r\n\
             Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nConnection: close\r\n\r\n"
        );
        let body = if method == "HEAD" { "" } else { &body };
        let _ = client.write_all(&[head.as_bytes(), body.as_bytes()].concat());
    }

    fn page(&self, number: usize) -> String {
        let pages: Vec<&[&str]> = self.keys.chunks(PAGE).collect();
        let is_last = number + 1 >= pages.len();
        let next = if is_last {
            String::new()
        } else {
            format!("<NextContinuationToken>{}</NextContinuationToken>", number + 1)
        };
        let keys = pages.get(number).copied().unwrap_or_default().iter();
        let contents = keys.map(|key| {
            let size = if key.ends_with('/') { 0 } else { key.len() };
            let shown = key.replace('\n', "&#10;");
            format!(
                "<Contents><Key>{shown}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                 <ETag>&quot;{shown}&quot;</ETag><Size>{size}</Size></Contents>"
            )
        });
        let contents: String = contents.collect();
        format!(
            "<?xml version='1.0'?><ListBucketResult><Name>bucket</Name><IsTruncated>{}</IsTruncated>{next}{contents}</ListBucketResult>",
            !is_last
        )
    }
}

const KEYS: [&str; 8] = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2"];

/// Every fault of the first page and of a later one, in every command that walks: exit 3, a
/// sentence, and no verdict on the objects that were not seen.
#[test]
fn an_answer_that_is_no_page_is_not_the_end_of_the_list() {
    fn at_first(number: usize, answer: (u16, &str)) -> Option<(u16, String)> {
        (number == 0).then(|| (answer.0, answer.1.to_owned()))
    }
    fn at_second(number: usize, answer: (u16, &str)) -> Option<(u16, String)> {
        (number == 1).then(|| (answer.0, answer.1.to_owned()))
    }
    const WEB: (u16, &str) = (200, "<!DOCTYPE html><html><body>sign in</body></html>");
    const PLAIN: (u16, &str) = (200, "<html><body>sign in</body></html>");
    const ERROR: (u16, &str) = (200, "<?xml version='1.0'?><Error><Code>InternalError</Code></Error>");
    const EMPTY: (u16, &str) = (200, "");
    const JSON: (u16, &str) = (200, "{\"keys\":[]}");
    const SILENT: (u16, &str) = (200, "<ListBucketResult><Name>bucket</Name></ListBucketResult>");
    const CUT: (u16, &str) = (200, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>");
    const HALF: (u16, &str) = (200, "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a");
    let faults: [(&str, Fault); 13] = [
        ("web page first", |number| at_first(number, WEB)),
        ("web page later", |number| at_second(number, WEB)),
        ("plain page first", |number| at_first(number, PLAIN)),
        ("plain page later", |number| at_second(number, PLAIN)),
        ("error first", |number| at_first(number, ERROR)),
        ("error later", |number| at_second(number, ERROR)),
        ("empty later", |number| at_second(number, EMPTY)),
        ("JSON later", |number| at_second(number, JSON)),
        ("no word of its end first", |number| at_first(number, SILENT)),
        ("no word of its end later", |number| at_second(number, SILENT)),
        ("no next page first", |number| at_first(number, CUT)),
        ("no next page later", |number| at_second(number, CUT)),
        ("half a page later", |number| at_second(number, HALF)),
    ];
    for (what, fault) in faults {
        let port = Bucket { keys: KEYS.to_vec(), fault }.serve();
        let room = Room::new();
        room.file("bad", format!("{}  x\n", crate::program::sha256(b"c2")).as_bytes());
        for words in [
            &["hash", "-q", "s3://bucket"][..],
            &["hash", "-q", "s3://bucket", "-o", "list"],
            &["match", "-q", "-k", "bad", "s3://bucket"],
            &["check", "-q", "s3://bucket"],
        ] {
            let seen = pfh(&room, port, words);
            assert_eq!(seen.code, Some(3), "{what}: {words:?}: {}", seen.stderr);
            assert!(seen.stderr.contains("listing"), "{what}: {words:?}: {}", seen.stderr);
        }
    }
}

/// A key that cannot be asked for is named, and costs no other; a folder is skipped.
#[test]
fn an_odd_key_costs_no_other() {
    let keys = ["a1", "a2", "b//x", "c1", "d/../x", "e/", "e1", "f\nx", "g1"];
    let port = Bucket { keys: keys.to_vec(), fault: |_| None }.serve();
    let room = Room::new();
    let seen = pfh(&room, port, &["hash", "--no-progress", "-f", "jsonl", "s3://bucket"]);
    let text = String::from_utf8(seen.stdout.clone()).unwrap();
    assert_eq!(seen.code, Some(3), "{text}{}", seen.stderr);
    let of = |kind: &str| text.lines().filter(|line| line.contains(&format!("\"type\":\"{kind}\""))).count();
    assert_eq!((of("file"), of("error"), of("skipped")), (5, 3, 1), "{text}");
    for name in ["s3://bucket/b//x", "s3://bucket/d/../x", "s3://bucket/e/"] {
        assert!(text.contains(&format!("\"{name}\"")), "{name}: {text}");
    }
    // Folders alone are nothing to complain about.
    let port = Bucket { keys: vec!["e/", "z"], fault: |_| None }.serve();
    let seen = pfh(&room, port, &["hash", "-q", "s3://bucket"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}
