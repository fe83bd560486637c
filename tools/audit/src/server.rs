//! The storage server's side over HTTP: `POST /prove` with a challenge as the body, the proof as the answer.

use crate::http::{self, Bounded, Refusal, Request};
use crate::{Error, Shelf, answer};
use ed25519_dalek::SigningKey;
use pfh_tree::audit::{Challenge, Unproved};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A challenge has at most 357 bytes.
const BODY: usize = 1024;

/// What one request may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of leaves in an answer at most; so many are in memory for each connection.
    pub answer: u64,
    /// Time for the request to come in, and again for the answer to go out.
    pub time: Duration,
    /// Connections that are served at the same time; others wait in the listener's queue.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { answer: 64 << 20, time: Duration::from_secs(60), connections: 4 }
    }
}

/// What became of one request.
#[derive(Clone, Debug)]
pub struct Told {
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
        Ok(Server { listener: TcpListener::bind(address)?, shelf, key, limits })
    }

    /// The address that it listens on.
    ///
    /// # Errors
    /// Whatever the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves on threads of their own until the process ends; `tell` hears of every request. There is no state to be saved, so
    /// nothing is lost by ending at any moment.
    ///
    /// # Errors
    /// When not one thread can be started.
    pub fn start(self, tell: impl Fn(Told) + Send + Sync + 'static) -> io::Result<()> {
        let (server, tell) = (Arc::new(self), Arc::new(tell));
        for number in 0..server.limits.connections.max(1) {
            let (server, tell) = (server.clone(), tell.clone());
            let life = move || {
                loop {
                    match server.listener.accept() {
                        Ok((stream, peer)) => tell(server.serve(&stream, peer)),
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
        Ok(())
    }

    fn serve(&self, stream: &TcpStream, peer: SocketAddr) -> Told {
        let request = http::read(&mut Bounded::new(stream, self.limits.time), BODY);
        let mut identity = None;
        let outcome = request.and_then(|request| self.prove(&request, &mut identity));
        let (status, kind, body) = match outcome {
            Ok(proof) => (200, "application/octet-stream", proof),
            Err(Refusal::Status(status, why)) => (status, "text/plain", format!("{why}\n").into_bytes()),
            Err(Refusal::Gone) => {
                return Told { peer, identity, status: 499, reason: "the client went away".into() };
            }
        };
        let written = http::write(&mut Bounded::new(stream, self.limits.time), status, kind, &body);
        let reason = match (&written, status) {
            (Err(error), _) => format!("the answer did not go out: {error}"),
            (Ok(()), 200) => String::new(),
            (Ok(()), _) => String::from_utf8_lossy(&body).trim_end().to_owned(),
        };
        Told { peer, identity, status, reason }
    }

    /// What goes out says nothing of paths or the system: only which of a few things was wrong.
    fn prove(&self, request: &Request, identity: &mut Option<Vec<u8>>) -> Result<Vec<u8>, Refusal> {
        match (&*request.method, &*request.path) {
            ("POST", "/prove") => {}
            (_, "/prove") => return Err(Refusal::Status(405, "POST a challenge")),
            _ => return Err(Refusal::Status(404, "there is only /prove")),
        }
        let challenge = Challenge::decode(&request.body).map_err(|_| Refusal::Status(400, "not a challenge"))?;
        *identity = Some(challenge.identity().to_vec());
        let proof = self
            .shelf
            .take(challenge.identity())
            .and_then(|held| answer(&challenge, held, self.key.as_ref(), self.limits.answer));
        proof.map(|proof| proof.encode()).map_err(|error| match error {
            Error::Unknown => Refusal::Status(404, "no file of this name is registered"),
            Error::Unproved(Unproved::Challenge) => Refusal::Status(409, "the file here has another root or length"),
            Error::TooLarge { .. } => Refusal::Status(413, "the answer would be too long"),
            Error::Tree(_) => Refusal::Status(500, "the tree cannot be used"),
            _ => Refusal::Status(500, "the file cannot be read"),
        })
    }
}
