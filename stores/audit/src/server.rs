//! The storage server's side over HTTP: `POST /prove` with a challenge as the body, the proof as
//! the answer.

use crate::client::PER_SECOND;
use crate::http::{self, BoundedStream, Refusal, Request};
use crate::{AnswerFile, Error, Shelf, answer, keyed};
use ed25519_dalek::SigningKey;
use pfh_tree::audit::{Challenge, Commitment, ProofError, Sample};
use pfh_tree::outboard::Unusable;
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A challenge has at most 4,199 bytes.
const BODY: usize = 4608;
/// Leaves of samples that all connections together may have in hand: each takes some 450 bytes for
/// its path, 256 MiB for all of them.
const DRAWN: u64 = 1 << 19;
/// How often a tree that is being changed is looked at again.
const TRIES: usize = 4;

/// The most that one request may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of leaves in an answer at most. One leaf is in memory for each connection.
    pub answer: u64,
    /// Time for the request to come in, and again for the answer to go out; each MiB of leaves adds
    /// a second to that.
    pub time: Duration,
    /// Connections that are served at the same time; others wait in the listener's queue.
    pub connections: usize,
}

impl Limits {
    /// Connections that one address may have open at the same time: three in four of all, so that
    /// none can take them all.
    fn for_each(&self) -> usize {
        (self.connections - self.connections / 4).max(1)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { answer: u64::MAX, time: Duration::from_secs(60), connections: 64 }
    }
}

/// The outcome of one request.
#[derive(Clone, Debug)]
pub struct ServedRequest {
    /// Who asked.
    pub peer: SocketAddr,
    /// The file asked about, as far as the challenge could be read.
    pub identity: Option<Vec<u8>>,
    /// HTTP's status.
    pub status: u16,
    /// Why it was refused.
    pub reason: String,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    shelf: Shelf,
    key: Option<SigningKey>,
    limits: Limits,
    drawn: Budget,
    peers: Peers,
}

/// Whether a server still answers.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<AtomicBool>);

impl Health {
    /// Whether one of the server's threads panicked. Its answers cannot be relied on then.
    pub fn has_panicked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Lives as long as a thread of the server, and notes its panic.
struct Thread(Health);

impl Drop for Thread {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.0.store(true, Ordering::SeqCst);
        }
    }
}

/// Connections that are served now, by the addresses of those who opened them.
#[derive(Default)]
struct Peers(Mutex<HashMap<IpAddr, usize>>);

/// One of them, until it is dropped.
struct Visit<'a>(&'a Peers, IpAddr);

impl Peers {
    /// A visit, unless this peer has as many already.
    fn enter(&self, peer: IpAddr, most: usize) -> Option<Visit<'_>> {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = now.entry(peer).or_default();
        if *own >= most {
            return None;
        }
        *own += 1;
        Some(Visit(self, peer))
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let mut now = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = now.get_mut(&self.1) {
            *own -= 1;
            if *own == 0 {
                now.remove(&self.1);
            }
        }
    }
}

/// How much of something is in use, at most a given number at a time.
#[derive(Default)]
struct Budget(AtomicU64);

/// A share of a budget, given back when it is dropped.
struct Share<'a>(&'a Budget, u64);

impl Budget {
    /// A share, if so much is left.
    fn take(&self, share: u64, most: u64) -> Option<Share<'_>> {
        let more = |used: u64| used.checked_add(share).filter(|used| *used <= most);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok().map(|_| Share(self, share))
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(self.1, Ordering::AcqRel);
    }
}

impl Server {
    /// Listens on an address; port 0 lets the system choose one.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn bind(
        address: impl ToSocketAddrs,
        shelf: Shelf,
        key: Option<SigningKey>,
        limits: Limits,
    ) -> io::Result<Server> {
        Ok(Server {
            listener: TcpListener::bind(address)?,
            shelf,
            key,
            limits,
            drawn: Budget::default(),
            peers: Peers::default(),
        })
    }

    /// The address that it listens on.
    ///
    /// # Errors
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves on threads of their own until the process ends, and gives each request to `each`.
    /// No state is saved, so nothing is lost by ending at any moment. The result says
    /// whether a thread panicked: the caller should end the process then.
    ///
    /// # Errors
    /// When not one thread can be started.
    pub fn start(self, each: impl Fn(ServedRequest) + Send + Sync + 'static) -> io::Result<Health> {
        let (server, each, health) = (Arc::new(self), Arc::new(each), Health::default());
        for number in 0..server.limits.connections.max(1) {
            let (server, each, thread) = (server.clone(), each.clone(), Thread(health.clone()));
            let life = move || {
                let _noted = thread;
                loop {
                    match server.listener.accept() {
                        Ok((stream, peer)) => {
                            pfh_source::fail_point("serve");
                            each(server.admit(&stream, peer));
                        }
                        // No descriptors left, say: others will be closed.
                        Err(_) => thread::sleep(Duration::from_millis(50)),
                    }
                }
            };
            match thread::Builder::new().name("pfh-serve".into()).spawn(life) {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(health)
    }

    /// Serves a connection, unless its peer has its share of them already: that one is closed at
    /// once, so that others always find threads that are free.
    fn admit(&self, stream: &TcpStream, peer: SocketAddr) -> ServedRequest {
        match self.peers.enter(peer.ip(), self.limits.for_each()) {
            Some(_visit) => self.serve(stream, peer),
            None => {
                let reason = "its address has as many connections open as one may have".to_owned();
                ServedRequest { peer, identity: None, status: 429, reason }
            }
        }
    }

    fn serve(&self, stream: &TcpStream, peer: SocketAddr) -> ServedRequest {
        let request = http::read(&mut BoundedStream::new(stream, self.limits.time), BODY);
        let mut identity = None;
        let mut begun = false;
        let outcome = request.and_then(|request| self.reply(&request, stream, &mut identity, &mut begun));
        let (status, why) = match outcome {
            Ok(()) => return ServedRequest { peer, identity, status: 200, reason: String::new() },
            Err(Refusal::Gone) => (499, "the client went away"),
            // The answer is cut, and the connection with it: nobody can take it for whole.
            Err(Refusal::Status(status, why)) if begun => (status, why),
            Err(Refusal::Status(status, why)) => {
                let body = format!("{why}\n");
                let mut to = BoundedStream::new(stream, self.limits.time);
                if let Err(error) = http::write(&mut to, status, "text/plain", body.as_bytes()) {
                    let reason = format!("the answer did not go out: {error}");
                    return ServedRequest { peer, identity, status, reason };
                }
                http::part(stream);
                (status, why)
            }
        };
        ServedRequest { peer, identity, status, reason: why.to_owned() }
    }

    /// An answer says nothing of paths or the system: only which of a few errors occurred.
    fn reply(
        &self,
        request: &Request,
        stream: &TcpStream,
        identity: &mut Option<Vec<u8>>,
        begun: &mut bool,
    ) -> Result<(), Refusal> {
        let short = match (&*request.method, &*request.path) {
            ("POST", "/prove") => false,
            ("POST", "/prove-keyed") => true,
            (_, "/prove" | "/prove-keyed") => return Err(Refusal::Status(405, "POST a challenge")),
            _ => return Err(Refusal::Status(404, "there is only /prove and /prove-keyed")),
        };
        let challenge = Challenge::decode(&request.body).map_err(|_| Refusal::Status(400, "not a challenge"))?;
        *identity = Some(challenge.identity().to_vec());
        for _ in 1..TRIES {
            match self.answer(&challenge, short, stream, begun) {
                // A writer is at work on the tree, perhaps: the next look finds its journal.
                Err(Error::Unproved(ProofError::Tree(Unusable::Malformed(_)))) if !*begun => {
                    thread::sleep(Duration::from_millis(10));
                }
                done => return done.map_err(|error| refusal(&error)),
            }
        }
        self.answer(&challenge, short, stream, begun).map_err(|error| refusal(&error))
    }

    fn answer(&self, challenge: &Challenge, short: bool, stream: &TcpStream, begun: &mut bool) -> Result<(), Error> {
        let held: AnswerFile = self.shelf.take(challenge.identity())?;
        let commitment = Commitment::of(&held.tree);
        let shown = challenge.sample().size(commitment.leaf_count());
        let drawn = if challenge.sample() == Sample::All { 0 } else { shown };
        if drawn > DRAWN {
            return Err(Error::TooLarge { asked: drawn, most: DRAWN });
        }
        let _share = self.drawn.take(drawn, DRAWN).ok_or(Error::Busy)?;
        let bytes = shown.saturating_mul(commitment.parameters().leaf_length() as u64).min(commitment.length());
        let time = self.limits.time.saturating_add(Duration::from_secs(bytes / PER_SECOND));
        let mut to = BufWriter::with_capacity(8 << 10, BoundedStream::new(stream, time));
        let kind = "application/octet-stream";
        if short {
            let answer = keyed(challenge, held, self.limits.answer)?;
            *begun = true;
            let sent = http::write(&mut to, 200, kind, answer.bytes()).and_then(|()| to.flush());
            return Ok(sent.map_err(ProofError::Write)?);
        }
        let mut begin = |length: u64| {
            *begun = true;
            http::head(&mut BoundedStream::new(stream, self.limits.time), 200, kind, Some(length), "")
        };
        answer(challenge, held, self.key.as_ref(), self.limits.answer, &mut begin, &mut to)?;
        Ok(to.flush().map_err(ProofError::Write)?)
    }
}

fn refusal(error: &Error) -> Refusal {
    match error {
        Error::Unknown => Refusal::Status(404, "no file of this name is registered"),
        Error::Unproved(ProofError::Challenge) => Refusal::Status(409, "the file here has another root or length"),
        Error::Unproved(ProofError::Write(error)) => Refusal::from(io::Error::from(error.kind())),
        Error::Busy => Refusal::Status(503, "too much is asked for at the moment"),
        Error::TooLarge { .. } => Refusal::Status(413, "the answer would be too long"),
        Error::Tree(_) | Error::Unproved(ProofError::Tree(_)) => Refusal::Status(500, "the tree cannot be used"),
        _ => Refusal::Status(500, "the file cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_never_overdrawn_and_comes_back() {
        let budget = Budget::default();
        let first = budget.take(7, 10).unwrap();
        assert!(budget.take(4, 10).is_none() && budget.take(u64::MAX, 10).is_none());
        let second = budget.take(3, 10).unwrap();
        assert!(budget.take(1, 10).is_none());
        drop(first);
        assert!(budget.take(7, 10).is_some());
        drop(second);
        assert_eq!(budget.0.into_inner(), 0);
    }

    #[test]
    fn one_peer_cannot_take_all() {
        let (peers, limits) = (Peers::default(), Limits::default());
        let (one, other) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([127, 0, 0, 2]));
        let most = limits.for_each();
        assert!(most < limits.connections && most > limits.connections / 2);
        let mut visits: Vec<_> = (0..most).map(|_| peers.enter(one, most).expect("its share")).collect();
        assert!(peers.enter(one, most).is_none());
        assert!(peers.enter(other, most).is_some());
        visits.pop();
        assert!(peers.enter(one, most).is_some());
        visits.clear();
        assert!(peers.0.lock().unwrap().is_empty(), "nothing is kept of those who left");
        assert_eq!(Limits { connections: 1, ..limits }.for_each(), 1);
    }
}
