//! One connection: a request for the page or for its versions, from this machine and meant for this
//! server.

use super::folder::Folder;
use crate::report::request::Request;
use pfh_audit::http::{self, BoundedStream, Refusal};
use pfh_engine::Cancel;
use pfh_report::live_policy;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Requests that are answered at the same time; further ones are refused at once.
const CONNECTIONS: usize = 32;
/// Connections whose request has not come in yet. When there are more, the one that is silent for
/// the longest time is closed: a browser sends its request at once.
const SILENT: usize = 64;
/// Of them those that wait for versions: the page can still be had.
const FOLLOWERS: usize = 24;
/// For a request to come in, and again for an answer to go out.
const TIME: Duration = Duration::from_secs(10);
/// Bytes of a page for which an answer may take a second more.
const PER_SECOND: usize = 1 << 20;
/// How long is listened whether a follower left, between two looks at the version.
const STEP: Duration = Duration::from_millis(250);
/// A follower hears something at least this often.
const SILENCE: Duration = Duration::from_secs(15);
/// Header lines of every answer.
const MORE: &str =
    "x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\ncross-origin-resource-policy: same-origin\r\n";

/// The outcome of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestOutcome {
    /// Who asked.
    pub peer: SocketAddr,
    /// HTTP's status; 499 where the client went away.
    pub status: u16,
    /// Why it was refused.
    pub reason: &'static str,
}

/// The state that all connections share.
pub(super) struct Server {
    folder: Folder,
    address: SocketAddr,
    stop: Cancel,
    connections: AtomicUsize,
    answering: AtomicUsize,
    silent: Mutex<VecDeque<(SocketAddr, TcpStream)>>,
    followers: AtomicUsize,
    panicked: AtomicBool,
}

/// One of a number of places, until it is dropped.
struct Place<'a>(&'a AtomicUsize);

impl Place<'_> {
    fn take(count: &AtomicUsize, most: usize) -> Option<Place<'_>> {
        let more = |count| (count < most).then_some(count + 1);
        count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok().map(|_| Place(count))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Notes a panic of the thread that it lives on.
struct PanicNote<'a>(&'a AtomicBool);

impl Drop for PanicNote<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::SeqCst);
        }
    }
}

impl Server {
    pub fn new(request: Request, address: SocketAddr) -> Server {
        let stop = Cancel::default();
        Server {
            folder: Folder::new(request, stop.clone()),
            address,
            stop,
            connections: AtomicUsize::new(0),
            answering: AtomicUsize::new(0),
            silent: Mutex::default(),
            followers: AtomicUsize::new(0),
            panicked: AtomicBool::new(false),
        }
    }

    /// Ends the reading at hand, and the waits of followers.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Whether a connection is open.
    pub fn is_busy(&self) -> bool {
        self.connections.load(Ordering::SeqCst) > 0
    }

    /// Whether a thread panicked: its answers cannot be relied on.
    pub fn has_panicked(&self) -> bool {
        self.panicked.load(Ordering::SeqCst)
    }

    /// Takes a connection that waits, and serves it on a thread of its own.
    pub fn accept(self: &Arc<Server>, listener: &TcpListener, sender: &SyncSender<RequestOutcome>) {
        let (stream, peer) = match listener.accept() {
            Ok((stream, peer)) if stream.set_nonblocking(false).is_ok() => (stream, peer),
            Ok(_) => return,
            // No descriptors left, say: others will be closed.
            Err(_) => return thread::sleep(STEP / 5),
        };
        if self.waits(&stream, peer).is_err() {
            return thread::sleep(STEP / 5);
        }
        let (server, sender) = (self.clone(), sender.clone());
        self.connections.fetch_add(1, Ordering::SeqCst);
        let serve = move || {
            let _place = Place(&server.connections);
            let _noted = PanicNote(&server.panicked);
            pfh_source::fail_point("report-serve");
            let (status, reason) = match server.serve(&stream, peer) {
                Ok(()) => (200, ""),
                Err(Refusal::Gone) => (499, "the client went away"),
                Err(Refusal::Status(status, reason)) => {
                    if refuse(&stream, status, reason).is_ok() {
                        http::part(&stream);
                    }
                    (status, reason)
                }
            };
            let _ = sender.try_send(RequestOutcome { peer, status, reason });
        };
        if thread::Builder::new().name("pfh-report".into()).spawn(serve).is_err() {
            self.connections.fetch_sub(1, Ordering::SeqCst);
            self.spoke(peer);
        }
    }

    /// Notes a connection whose request is to come, and closes the oldest of too many.
    fn waits(&self, stream: &TcpStream, peer: SocketAddr) -> io::Result<()> {
        let other = stream.try_clone()?;
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        silent.push_back((peer, other));
        if silent.len() > SILENT
            && let Some((_, oldest)) = silent.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        Ok(())
    }

    /// The request of a connection has come, or will not.
    fn spoke(&self, peer: SocketAddr) {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, _)| *other != peer);
    }

    fn serve(&self, stream: &TcpStream, peer: SocketAddr) -> Result<(), Refusal> {
        let request = http::read(&mut BoundedStream::new(stream, TIME), 0);
        self.spoke(peer);
        let request = request?;
        let busy = Refusal::Status(503, "too many connections");
        let _place = Place::take(&self.answering, CONNECTIONS).ok_or(busy)?;
        self.check(&request)?;
        let has_body = request.method == "GET";
        match &*request.path {
            "/" => {
                let page = self.folder.page().ok_or(Refusal::Status(503, "the server ends"))?;
                let more = format!("{MORE}content-security-policy: {}\r\n", live_policy());
                let time = TIME + Duration::from_secs((page.len() / PER_SECOND) as u64);
                let mut to = BoundedStream::new(stream, time);
                let length = Some(page.len() as u64);
                let sent = http::head(&mut to, 200, "text/html; charset=utf-8", length, &more);
                let sent = sent.and_then(|()| if has_body { to.write_all(&page) } else { Ok(()) });
                sent.map_err(|_| Refusal::Gone)
            }
            "/events" => {
                let busy = Refusal::Status(503, "too many pages follow the folder");
                let _place = Place::take(&self.followers, FOLLOWERS).ok_or(busy)?;
                http::head(&mut BoundedStream::new(stream, TIME), 200, "text/event-stream", None, MORE)?;
                // However a follower leaves, it was served.
                if has_body {
                    let _ = self.follow(stream);
                }
                Ok(())
            }
            _ => Err(Refusal::Status(404, "there is only /")),
        }
    }

    /// Refuses requests that are not meant for this server: a name that leads here by a trick of
    /// its owner (DNS rebinding), pages of other sites, and any request that changes something.
    fn check(&self, request: &http::Request) -> Result<(), Refusal> {
        let mut hosts = request.values("host");
        match (hosts.next(), hosts.next()) {
            (Some(host), None) if self.is_own(host) => {}
            (Some(_), None) => return Err(Refusal::Status(421, "another host is meant")),
            _ => return Err(Refusal::Status(400, "one host must be named")),
        }
        if request.values("sec-fetch-site").any(|site| site != b"same-origin" && site != b"none") {
            return Err(Refusal::Status(403, "a page of another site asks"));
        }
        match &*request.method {
            "GET" | "HEAD" => Ok(()),
            _ => Err(Refusal::Status(405, "nothing can be changed here")),
        }
    }

    fn is_own(&self, host: &[u8]) -> bool {
        let port = self.address.port();
        let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let is_default = port == 80 && (host == b"127.0.0.1" || host.eq_ignore_ascii_case(b"localhost"));
        is_default || names.iter().any(|name| host.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Names the version now, and each one that follows, until the client leaves or the job ends.
    fn follow(&self, mut stream: &TcpStream) -> io::Result<()> {
        let (mut sent, mut spoke) = (String::new(), Instant::now());
        let say = |text: &str| BoundedStream::new(stream, TIME).write_all(text.as_bytes());
        say("retry: 2000\n\n")?;
        stream.set_read_timeout(Some(STEP))?;
        while !self.stop.is_cancelled() {
            let version = self.folder.version();
            if version != sent {
                say(&format!("event: page\ndata: {version}\n\n"))?;
                (sent, spoke) = (version, Instant::now());
            } else if spoke.elapsed() >= SILENCE {
                say(":\n\n")?;
                spoke = Instant::now();
            }
            // A client has nothing more to say: it leaves, or waits.
            match stream.read(&mut [0]) {
                Ok(_) => return Ok(()),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Answers with a status and a sentence.
fn refuse(stream: &TcpStream, status: u16, reason: &str) -> io::Result<()> {
    let (mut to, body) = (BoundedStream::new(stream, TIME), format!("{reason}\n"));
    let allow = if status == 405 { "allow: GET, HEAD\r\n" } else { "" };
    http::head(&mut to, status, "text/plain; charset=utf-8", Some(body.len() as u64), &format!("{MORE}{allow}"))?;
    to.write_all(body.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(headers: &[(&str, &str)]) -> http::Request {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        http::Request { method: "GET".into(), path: "/".into(), headers, body: Vec::new() }
    }

    #[test]
    fn only_what_is_meant_for_this_server_is_answered() {
        let server = Server::new(Request::new(["none"]), ([127, 0, 0, 1], 4711).into());
        let status = |headers: &[(&str, &str)]| match server.check(&request(headers)) {
            Ok(()) => 200,
            Err(Refusal::Status(status, _)) => status,
            Err(Refusal::Gone) => 0,
        };
        for (host, expected) in [
            ("127.0.0.1:4711", 200),
            ("localhost:4711", 200),
            ("LOCALHOST:4711", 200),
            ("127.0.0.1", 421),
            ("127.0.0.1:4712", 421),
            ("evil.example:4711", 421),
            ("127.0.0.1:4711.evil.example", 421),
            ("user@127.0.0.1:4711", 421),
            ("[::1]:4711", 421),
            ("", 421),
        ] {
            assert_eq!(status(&[("host", host)]), expected, "{host}");
        }
        let own = ("host", "127.0.0.1:4711");
        assert_eq!(status(&[]), 400);
        assert_eq!(status(&[own, own]), 400);
        assert_eq!(status(&[own, ("host", "evil.example")]), 400);
        for (site, expected) in [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)] {
            assert_eq!(status(&[own, ("sec-fetch-site", site)]), expected, "{site}");
        }
    }

    #[test]
    fn places_come_back() {
        let count = AtomicUsize::new(0);
        let first = Place::take(&count, 2).expect("a place");
        let second = Place::take(&count, 2).expect("a place");
        assert!(Place::take(&count, 2).is_none());
        drop(first);
        assert!(Place::take(&count, 2).is_some());
        drop(second);
        assert_eq!(count.into_inner(), 0);
    }
}
