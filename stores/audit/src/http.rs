//! HTTP/1.1 as far as one request and one answer need it: bounded in bytes and in time, the
//! connection closed afterwards. For the audit's server, and for a page that lives.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of a request's head at most.
const HEAD: usize = 8 << 10;
/// Header lines at most.
const LINES: usize = 32;

/// A request, as far as a server looks at it.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST` …
    pub method: String,
    /// The path of the request.
    pub path: String,
    /// The header lines, in their order: names in small letters, raw values.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The bytes behind the head.
    pub body: Vec<u8>,
}

impl Request {
    /// The values of all header lines of this name, which is in small letters.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| &**value)
    }
}

/// Why a request is not one.
#[derive(Debug)]
pub enum Refusal {
    /// The status to answer with, and a sentence.
    Status(u16, &'static str),
    /// Nobody listens any more.
    Gone,
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Refusal::Status(408, "the request took too long"),
            _ => Refusal::Gone,
        }
    }
}

/// A connection on which everything must have happened before a point in time: a peer that sends a
/// byte a minute is cut off.
#[derive(Debug)]
pub struct BoundedStream<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl<'a> BoundedStream<'a> {
    /// This connection, for so long from now on.
    pub fn new(stream: &'a TcpStream, time: Duration) -> Self {
        BoundedStream { stream, end: Instant::now() + time }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        match self.end.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(Some(left)),
            _ => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Read for BoundedStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        (&mut &*self.stream).read(buffer)
    }
}

impl Write for BoundedStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        (&mut &*self.stream).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Ends a connection whose request was not read to its end: bytes that nobody read would make the
/// system cut it off, and the answer with it (RFC 9112, 9.6).
pub fn part(stream: &TcpStream) {
    /// A peer that goes on is cut off all the same.
    const MOST: usize = 256 << 10;
    const TIME: Duration = Duration::from_millis(500);
    let mut from = BoundedStream::new(stream, TIME);
    let (mut room, mut left) = ([0; 4096], MOST);
    if stream.shutdown(std::net::Shutdown::Write).is_err() {
        return;
    }
    while let Ok(read @ 1..) = from.read(&mut room) {
        left = left.saturating_sub(read);
        if left == 0 {
            return;
        }
    }
}

/// Reads a request whose body has at most `most` bytes.
///
/// # Errors
/// When it is none, too long or too slow.
pub fn read(from: &mut impl Read, most: usize) -> Result<Request, Refusal> {
    let mut bytes = Vec::new();
    loop {
        let mut headers = [httparse::EMPTY_HEADER; LINES];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(&bytes) {
            Ok(httparse::Status::Complete(end)) => {
                let length = body_length(head.headers)?;
                if length > most {
                    return Err(Refusal::Status(413, "the body is too long"));
                }
                let (method, path) =
                    (head.method.unwrap_or_default().to_owned(), head.path.unwrap_or_default().to_owned());
                let headers =
                    head.headers.iter().map(|one| (one.name.to_ascii_lowercase(), one.value.to_vec())).collect();
                let mut body = bytes.split_off(end);
                if body.len() > length {
                    return Err(Refusal::Status(400, "more bytes than the length says"));
                }
                while body.len() < length {
                    let missing = length - body.len();
                    if from.by_ref().take(missing as u64).read_to_end(&mut body)? == 0 {
                        return Err(Refusal::Gone);
                    }
                }
                return Ok(Request { method, path, headers, body });
            }
            Ok(httparse::Status::Partial) if bytes.len() < HEAD => {}
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                return Err(Refusal::Status(431, "the head is too long"));
            }
            Err(_) => return Err(Refusal::Status(400, "not HTTP")),
        }
        let mut more = [0; 1024];
        let room = more.len().min(HEAD - bytes.len());
        match from.read(&mut more[..room]) {
            Ok(0) => return Err(Refusal::Gone),
            Ok(read) => bytes.extend_from_slice(&more[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The one length that the headers state. Two that differ, and other codings than none, are how
/// requests are smuggled.
fn body_length(headers: &[httparse::Header<'_>]) -> Result<usize, Refusal> {
    let named = |name: &'static str| headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
    if named("transfer-encoding").next().is_some() {
        return Err(Refusal::Status(501, "no transfer codings here: state a content-length"));
    }
    let mut stated = named("content-length");
    let Some(first) = stated.next() else { return Ok(0) };
    let digits = str::from_utf8(first.value).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    match (digits.and_then(|text| text.parse().ok()), stated.next()) {
        (Some(length), None) => Ok(length),
        _ => Err(Refusal::Status(400, "no content-length that makes sense")),
    }
}

/// Writes an answer and says that it is the last one.
///
/// # Errors
/// The connection's.
pub fn write(to: &mut impl Write, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
    head(to, status, kind, Some(body.len() as u64), "")?;
    to.write_all(body)
}

/// Writes the head before a body of `length` bytes; without a length it ends with the connection.
/// `more` are whole header lines, each with its line end.
///
/// # Errors
/// The connection's.
pub fn head(to: &mut impl Write, status: u16, kind: &str, length: Option<u64>, more: &str) -> io::Result<()> {
    let words = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    };
    let length = length.map_or_else(String::new, |length| format!("content-length: {length}\r\n"));
    let head = format!(
        "HTTP/1.1 {status} {words}\r\ncontent-type: {kind}\r\n{length}cache-control: no-store\r\n{more}connection: close\r\n\r\n"
    );
    to.write_all(head.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hands out a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            (&mut self.0).take(most as u64).read(buffer)
        }
    }

    fn status(bytes: &[u8]) -> Option<u16> {
        match read(&mut Drip(bytes, 7), 100) {
            Ok(_) => Some(200),
            Err(Refusal::Status(status, _)) => Some(status),
            Err(Refusal::Gone) => None,
        }
    }

    #[test]
    fn a_request_comes_in_pieces_of_any_size() {
        let bytes = b"POST /prove HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
        for drip in 1..bytes.len() {
            let request = read(&mut Drip(bytes, drip), 100).unwrap();
            let headers = vec![("host".to_owned(), b"a".to_vec()), ("content-length".to_owned(), b"5".to_vec())];
            let expected = Request { method: "POST".into(), path: "/prove".into(), headers, body: b"hello".to_vec() };
            assert_eq!(request, expected);
            assert_eq!(request.values("host").collect::<Vec<_>>(), [b"a"]);
        }
    }

    #[test]
    fn what_is_too_long_too_short_or_ambiguous_is_refused() {
        let with = |lines: &str, body: &str| status(format!("POST / HTTP/1.1\r\n{lines}\r\n{body}").as_bytes());
        assert_eq!(with("", ""), Some(200));
        assert_eq!(with("content-length: 100\r\n", &"x".repeat(100)), Some(200));
        assert_eq!(with("content-length: 101\r\n", &"x".repeat(101)), Some(413));
        assert_eq!(with("content-length: 99999999999999999999999\r\n", ""), Some(400));
        assert_eq!(with("content-length: -1\r\n", ""), Some(400));
        assert_eq!(with("content-length: +1\r\n", "x"), Some(400));
        assert_eq!(with("content-length: 1\r\ncontent-length: 2\r\n", "xx"), Some(400));
        assert_eq!(with("transfer-encoding: chunked\r\n", "0\r\n\r\n"), Some(501));
        assert_eq!(with("content-length: 5\r\n", "four"), None);
        assert_eq!(with(&format!("a: {}\r\n", "x".repeat(9000)), ""), Some(431));
        assert_eq!(with(&"a: b\r\n".repeat(40), ""), Some(431));
        assert_eq!(status(b"\0\0\0\0 nonsense\r\n\r\n"), Some(400));
        assert_eq!(status(b"POST / HT"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_keep_more_than_they_are(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(request) = read(&mut Drip(&bytes, 50), 100) {
                prop_assert!(request.body.len() <= 100);
            }
            let _ = read(&mut Drip(&[b"POST /prove HTTP/1.1\r\n", &bytes[..]].concat(), 50), 100);
        }
    }
}
