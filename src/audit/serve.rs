//! `serve`: answers challenges over HTTP for all files below a directory that have a tree beside
//! them.

use super::Error;
use crate::{key, rendered, shown};
use pfh_audit::{Limits, Served, Server, Shelf};
use pfh_engine::Control;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// What one request may cost.
    pub limits: Limits,
}

impl Request {
    /// On loopback, port 8417, with the usual limits and unsigned answers.
    pub fn new(directory: impl Into<PathBuf>) -> Request {
        let (directory, limits) = (directory.into(), Limits::default());
        Request { directory, listen: "127.0.0.1:8417".into(), key: None, limits }
    }
}

/// What happens. Events of answers come on the server's threads. The text of an event is a line for
/// people.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The server listens. An error of the sink ends it.
    Listening {
        /// Where.
        address: SocketAddr,
        /// How many files it answers for.
        files: usize,
        /// The directory.
        directory: &'a Path,
    },
    /// A request was answered or refused. An error of the sink changes nothing.
    Answered(&'a Served),
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Listening { address, files, directory } => {
                write!(f, "http://{address}: {files} files of {}", shown(directory))
            }
            Event::Answered(Served { peer, identity, status, reason }) => {
                let identity = identity.as_deref().map_or_else(|| "-".to_owned(), rendered);
                f.write_str(format!("{peer}: {identity}: {status} {reason}").trim_end())
            }
        }
    }
}

/// Serves until the control is cancelled. There is no state to be saved, so nothing is lost by
/// ending at any moment.
///
/// # Errors
/// When the directory cannot be listed or holds no file with a tree, the address cannot be had, the
/// sink refuses [`Event::Listening`], or one of the server's threads panicked.
pub fn run(
    request: &Request,
    sink: impl Fn(&Event<'_>) -> io::Result<()> + Send + Sync + 'static,
    control: &Control<'_>,
) -> Result<(), Error> {
    let key = request.key.as_deref().map(key::signing).transpose()?;
    let directory = request.directory.as_path();
    let unread = |problem: pfh_source::Problem| Error::Read { path: directory.to_owned(), why: problem.to_string() };
    let shelf = Shelf::open(directory).map_err(unread)?;
    let files = shelf.identities().count();
    if files == 0 {
        return Err(Error::Empty(directory.to_owned()));
    }
    let failed = |error| Error::Server { what: request.listen.clone(), error };
    let server = Server::bind(&request.listen, shelf, key, request.limits).map_err(failed)?;
    let address = server.address().map_err(failed)?;
    let sink = std::sync::Arc::new(sink);
    let answers = sink.clone();
    let started = server.start(move |told| drop(answers(&Event::Answered(&told))));
    let health = started.map_err(|error| Error::Server { what: "no thread".into(), error })?;
    sink(&Event::Listening { address, files, directory }).map_err(Error::Sink)?;
    while !control.is_cancelled() {
        if health.has_panicked() {
            return Err(Error::Panicked);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
