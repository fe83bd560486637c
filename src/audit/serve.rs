//! `serve`: answers challenges over HTTP for all files below a directory that have a tree beside
//! them.

use super::{Error, Event, Events, Problem};
use crate::key::{self, SigningKey};
use pfh_audit::{Limits, Server, Shelf};
use pfh_engine::Control;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Answers that wait for the caller.
const WAITING: usize = 1024;

/// A directory, and where the server listens.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Files below it that have a tree beside them when the server starts are answered for; nothing
    /// else is ever opened.
    pub directory: PathBuf,
    /// Address and port; port 0 lets the system choose.
    pub listen: String,
    /// The file of the private key that answers are signed with.
    pub key: Option<PathBuf>,
    /// The most that one request may cost.
    pub limits: Limits,
}

impl Request {
    /// On loopback, port 8417, with the usual limits and unsigned answers.
    pub fn new(directory: impl Into<PathBuf>) -> Request {
        let (directory, limits) = (directory.into(), Limits::default());
        Request { directory, listen: "127.0.0.1:8417".into(), key: None, limits }
    }

    /// Whether the key is one. The directory and the address are tried by the run.
    ///
    /// # Errors
    /// When it is none, or cannot be read.
    pub fn check(&self) -> Result<(), Error> {
        self.signing().map(drop)
    }

    /// The key that signs the answers.
    fn signing(&self) -> Result<Option<SigningKey>, Error> {
        Ok(self.key.as_deref().map(key::signing).transpose()?)
    }
}

/// Serves until the control is cancelled. There are no data to be saved, so nothing is lost by
/// ending at any moment.
///
/// # Errors
/// When the directory cannot be listed or holds no file with a tree, the address cannot be had, the
/// events are refused, or one of the server's threads panicked.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<(), Error> {
    let key = request.signing()?;
    let directory = request.directory.as_path();
    let unread = |problem: pfh_source::Problem| Problem::Read { path: directory.to_owned(), why: problem.to_string() };
    let shelf = Shelf::open(directory).map_err(unread)?;
    let files = shelf.identities().count();
    if files == 0 {
        return Err(Problem::Empty(directory.to_owned()).into());
    }
    let failed = |error| Problem::Server { what: request.listen.clone(), error };
    let server = Server::bind(&request.listen, shelf, key, request.limits).map_err(failed)?;
    let address = server.address().map_err(failed)?;
    // This thread hands the answers of the server's threads to the caller. A caller that takes
    // nothing for a while holds up the threads and no memory.
    let (served, answers) = sync_channel(WAITING);
    let started = server.start(move |answer| drop(served.send(answer)));
    let health = started.map_err(|error| Problem::Server { what: "no thread".into(), error })?;
    events(Event::Listening { address, files, directory }).map_err(Error::Sink)?;
    while !control.is_cancelled() {
        if health.has_panicked() {
            return Err(Problem::Panicked.into());
        }
        match answers.recv_timeout(Duration::from_millis(100)) {
            Ok(answer) => events(Event::Answered(&answer)).map_err(Error::Sink)?,
            Err(RecvTimeoutError::Timeout) => {}
            // The threads hand answers out as long as they live.
            Err(RecvTimeoutError::Disconnected) => return Err(Problem::Panicked.into()),
        }
    }
    Ok(())
}
