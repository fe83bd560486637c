//! A time stamp (RFC 3161) of the last line of a finished chained log, kept beside it as
//! `LOG.jsonl.tsr`.
//!
//! The last line holds the chain's value, and so stands for the whole log. The token is signed by
//! the authority, so that it may come over plain HTTP.

use pfh_custody::stamp::{self, Stamp, StampFault};
use pfh_source::Output;
use pfh_source::os::names::with_ending;
use pfh_source::os::secret;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one address is tried.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the authority may be silent.
const ANSWER: Duration = Duration::from_secs(30);
/// Longest answer that is read: a token with its certificates has some 6 KB.
const MOST: u64 = 1 << 20;

/// The file that holds the time stamp of a chained log.
pub fn stamp_name(log: &Path) -> PathBuf {
    with_ending(log, ".tsr")
}

/// A time stamp that an authority gave.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StampFile {
    /// The file that holds its answer.
    pub path: PathBuf,
    /// Its statements.
    pub stamp: Stamp,
}

/// Why there is no time stamp.
#[derive(Debug, thiserror::Error)]
enum StampError {
    #[error("{0}")]
    Url(&'static str),
    #[error("{host}: {error}")]
    Connect { host: String, error: io::Error },
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the authority answers {0:?}")]
    Http(String),
    #[error(transparent)]
    Unstamped(#[from] StampFault),
}

/// An authority's address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Url<'a> {
    /// As the header `Host` has it.
    authority: &'a str,
    host: &'a str,
    port: u16,
    path: &'a str,
}

impl<'a> Url<'a> {
    fn parse(url: &'a str) -> Result<Self, &'static str> {
        let plain = "names no authority of the form http://HOST[:PORT]/PATH (a token is signed and needs no TLS)";
        let rest = url.strip_prefix("http://").ok_or(plain)?;
        if rest.bytes().any(|byte| byte.is_ascii_control() || byte == b' ') {
            return Err("holds a space or a control character");
        }
        let (authority, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let bracketed = authority.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (host, port) = match (bracketed, authority.rsplit_once(':')) {
            (Some((host, port)), _) => (host, port.strip_prefix(':')),
            (None, Some((host, port))) => (host, Some(port)),
            (None, None) => (authority, None),
        };
        let port = port.map_or(Ok(80), |port| port.parse::<u16>().map_err(|_| plain))?;
        if host.is_empty() || host.contains('@') {
            return Err(plain);
        }
        Ok(Url { authority, host, port, path })
    }
}

/// Refuses an address that cannot be asked.
///
/// # Errors
/// With the reason.
pub(super) fn check(url: &str) -> Result<(), &'static str> {
    Url::parse(url).map(|_| ())
}

/// SHA-256 of the last line of a file, with its line end.
fn last_line(log: &Path) -> io::Result<[u8; 32]> {
    let text = std::fs::read(log)?;
    let before = text.strip_suffix(b"\n").ok_or(io::ErrorKind::InvalidData)?;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    sha256(&text[start..])
}

/// SHA-256 of some bytes.
pub(crate) fn sha256(bytes: &[u8]) -> io::Result<[u8; 32]> {
    let mut hasher = crate::hash::hasher_of_sha256();
    hasher.update(bytes);
    hasher.finalize().bytes().try_into().map_err(io::Error::other)
}

/// The stamp of the log's last line that is there from before.
pub(super) fn kept(log: &Path) -> Option<StampFile> {
    let path = stamp_name(log);
    let stamp = Stamp::read(&std::fs::read(&path).ok()?).ok()?;
    (stamp.sha256 == last_line(log).ok()).then_some(StampFile { path, stamp })
}

/// Removes the stamp of a log that is replaced.
pub(super) fn forget(log: &Path) {
    let path = stamp_name(log);
    if std::fs::read(&path).is_ok_and(|answer| Stamp::read(&answer).is_ok()) {
        let _ = std::fs::remove_file(path);
    }
}

/// Asks the authority for a stamp of the last line of the log, and keeps its answer.
///
/// # Errors
/// When it cannot be reached, or gives no stamp of this line; in words.
pub(super) fn stamp(url: &str, log: &Path) -> Result<StampFile, String> {
    let asked = || -> Result<StampFile, StampError> {
        let imprint = last_line(log)?;
        let mut nonce = [0; 8];
        secret(&mut nonce)?;
        let answer = post(&Url::parse(url).map_err(StampError::Url)?, &stamp::query(&imprint, &nonce))?;
        let stamp = Stamp::read(&answer)?;
        stamp.answers(&imprint, &nonce)?;
        let path = stamp_name(log);
        let mut file = Output::file(&path)?.no_wider_than(log);
        file.write_all(&answer)?;
        file.commit()?;
        Ok(StampFile { path, stamp })
    };
    asked().map_err(|error| error.to_string())
}

/// Sends a question by HTTP/1.0, whose answers end with the connection, and gives the answer.
fn post(url: &Url<'_>, query: &[u8]) -> Result<Vec<u8>, StampError> {
    let fail = |error| StampError::Connect { host: format!("{}:{}", url.host, url.port), error };
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "no address");
    let mut found = None;
    for address in (url.host, url.port).to_socket_addrs().map_err(fail)? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => {
                found = Some(stream);
                break;
            }
            Err(error) => failed = error,
        }
    }
    let mut stream = found.ok_or(failed).map_err(fail)?;
    stream.set_read_timeout(Some(ANSWER)).and_then(|()| stream.set_write_timeout(Some(ANSWER))).map_err(fail)?;
    let head = format!(
        "POST {} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/timestamp-query\r\nContent-Length: {}\r\n\
         Accept: application/timestamp-reply\r\nUser-Agent: pfh/{}\r\nConnection: close\r\n\r\n",
        url.path,
        url.authority,
        query.len(),
        env!("CARGO_PKG_VERSION")
    );
    stream.write_all(&[head.as_bytes(), query].concat()).map_err(fail)?;
    let mut answer = Vec::new();
    stream.take(MOST).read_to_end(&mut answer).map_err(fail)?;
    body(&answer).map(<[u8]>::to_vec)
}

/// The body of a good answer.
fn body(answer: &[u8]) -> Result<&[u8], StampError> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
    let nonsense = || StampError::Http(String::from_utf8_lossy(&answer[..answer.len().min(40)]).into_owned());
    let head = String::from_utf8_lossy(&answer[..end.ok_or_else(nonsense)?]).into_owned();
    let body = &answer[end.unwrap_or_default() + 4..];
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default();
    let mut words = status.split(' ');
    if !words.next().is_some_and(|word| word.starts_with("HTTP/1.")) || words.next() != Some("200") {
        return Err(StampError::Http(status.to_owned()));
    }
    let header = |name: &str| {
        let named = |line: &str| {
            line.split_once(':')
                .filter(|(found, _)| found.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.trim().to_owned())
        };
        head.lines().find_map(named)
    };
    if let Some(length) = header("content-length").and_then(|length| length.parse::<usize>().ok()) {
        let cut = io::Error::new(io::ErrorKind::UnexpectedEof, "the answer is cut off");
        return body.get(..length).ok_or(StampError::Io(cut));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let parsed = |url| Url::parse(url).map(|url| (url.host, url.port, url.path));
        assert_eq!(parsed("http://tsa.example/tsr"), Ok(("tsa.example", 80, "/tsr")));
        assert_eq!(parsed("http://127.0.0.1:318"), Ok(("127.0.0.1", 318, "/")));
        assert_eq!(parsed("http://[::1]:8080/a/b"), Ok(("::1", 8080, "/a/b")));
        for wrong in ["", "tsa.example", "https://tsa.example", "http://", "http://a:b/", "http://u@h/", "http://a/ b"]
        {
            assert!(Url::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_whole_good_answers_are_taken() {
        assert_eq!(body(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd").unwrap(), b"abc");
        assert_eq!(body(b"HTTP/1.0 200 OK\r\n\r\nabcd").unwrap(), b"abcd");
        for wrong in [
            &b"HTTP/1.1 404 Not Found\r\n\r\n"[..],
            b"SSH-2.0",
            b"",
            b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabcd",
        ] {
            assert!(body(wrong).is_err());
        }
    }
}
