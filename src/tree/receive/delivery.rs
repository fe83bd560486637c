//! A part of a file on its way, and who sends it.

use super::super::Failure;
use pfh_source::os::handles::AsFd;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Document, Problem, Ranges, Stage, Stream, os};
use std::io::{self, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Between two looks at whether to go on, while nothing comes.
const TICK: Duration = Duration::from_millis(50);
/// The beginning of the name of a sender that connects.
const TCP: &str = "tcp://";

/// Who sends a part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sender {
    /// A file, a block device, a FIFO or another stream of this name; `-` is standard input.
    File(PathBuf),
    /// The first one that connects to this address, `HOST:PORT`.
    Tcp(String),
}

/// A part of a file on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// Who sends it.
    pub sender: Sender,
    /// Where its first byte lies in the whole file.
    pub offset: u64,
    /// Bytes that are read of it; to its end if that is not stated.
    pub length: Option<u64>,
}

impl Sender {
    /// The sender of this name: `tcp://HOST:PORT`, or a file.
    pub fn named(name: impl Into<PathBuf>) -> Sender {
        let name = name.into();
        match name.to_str().and_then(|name| name.strip_prefix(TCP)) {
            Some(address) => Sender::Tcp(address.to_owned()),
            None => Sender::File(name),
        }
    }

    /// Its name.
    pub fn name(&self) -> PathBuf {
        match self {
            Sender::File(path) => path.clone(),
            Sender::Tcp(address) => format!("{TCP}{address}").into(),
        }
    }

    /// The file or stream, if it is one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Sender::File(path) => Some(path),
            Sender::Tcp(_) => None,
        }
    }
}

impl Delivery {
    /// The bytes of a sender from `offset` of the whole file on.
    pub fn new(sender: Sender, offset: u64, length: Option<u64>) -> Delivery {
        Delivery { sender, offset, length }
    }

    /// Opens it. Nothing is read, and nobody is waited for.
    pub(super) fn open(&self) -> Result<Open, Failure> {
        let name = self.sender.name();
        let failed = |error: io::Error| Failure::Read { file: name.clone(), problem: Problem::io(Stage::Open, &error) };
        let from = match &self.sender {
            Sender::Tcp(address) => {
                let listener = TcpListener::bind(address).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                From::Awaited(listener)
            }
            // A FIFO is opened once: a writer that waits would lose its reader between two opens,
            // and the bytes that it had written.
            Sender::File(path) if is_stream(path) => {
                let document = Stream::document(path).map_err(failed)?;
                let waits = !document.as_file().metadata().is_ok_and(|found| found.is_file());
                From::Stream { document, waits }
            }
            Sender::File(path) => match Ranges::open(path.as_os_str().as_bytes()) {
                Ok(file) => From::File(file),
                Err(problem) => return Err(Failure::Read { file: name, problem }),
            },
        };
        let known = match (&from, self.length) {
            (From::File(file), stated) => Some(stated.map_or(file.size(), |stated| stated.min(file.size()))),
            (_, stated) => stated,
        };
        Ok(Open { name, from, known, done: 0 })
    }

    /// The bytes that it brings, as far as they are known before it is read.
    pub(super) fn known(&self) -> Result<Option<u64>, Failure> {
        match (self.length, self.sender.path().filter(|path| !is_stream(path))) {
            (None, Some(path)) => {
                let failed = |problem| Failure::Read { file: path.to_owned(), problem };
                Ok(Some(Ranges::open(path.as_os_str().as_bytes()).map_err(failed)?.size()))
            }
            (stated, _) => Ok(stated),
        }
    }
}

/// Whether this names a stream: its bytes come once, in order.
pub(super) fn is_stream(path: &Path) -> bool {
    use pfh_source::os::FileType;
    let kind = os::stat_path(path).map(|(found, _)| os::file_type(found.mode));
    Stream::of(path).is_some()
        || kind.is_ok_and(|kind| {
            !matches!(kind, FileType::RegularFile | FileType::Directory | FileType::BlockDevice | FileType::Symlink)
        })
}

/// A delivery that is open.
pub(super) struct Open {
    /// The name of its sender.
    pub name: PathBuf,
    from: From,
    /// Bytes that it brings, if that is known.
    pub known: Option<u64>,
    /// Bytes that were read of it, if it is a file.
    done: u64,
}

enum From {
    File(Ranges),
    Stream { document: Document, waits: bool },
    Awaited(TcpListener),
    Connected(TcpStream),
}

/// How the bytes that were asked for came.
pub(super) enum Came {
    /// All of them.
    All,
    /// Fewer: it has ended.
    Ended,
    /// Fewer: there is no going on.
    Stopped,
    /// Fewer: it cannot be read.
    Failed(Problem),
}

impl Open {
    /// The address at which a connection is awaited.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.from {
            From::Awaited(listener) => listener.local_addr().ok(),
            _ => None,
        }
    }

    /// Reads up to `most` bytes in place of those in `bytes`, as long as it may go on.
    pub fn fill(&mut self, bytes: &mut Vec<u8>, most: usize, go_on: &dyn Fn() -> bool) -> Came {
        if let From::File(file) = &self.from {
            let from = self.done.min(file.size());
            let until = file.size().min(from.saturating_add(most as u64));
            return match file.read(from..until, bytes) {
                _ if !go_on() => {
                    bytes.clear();
                    Came::Stopped
                }
                Ok(()) => {
                    self.done = until;
                    if bytes.len() < most { Came::Ended } else { Came::All }
                }
                Err(problem) => {
                    bytes.clear();
                    Came::Failed(problem)
                }
            };
        }
        bytes.resize(most, 0);
        let mut filled = 0;
        let came = loop {
            if filled == most {
                break Came::All;
            }
            if !go_on() {
                break Came::Stopped;
            }
            match self.read(&mut bytes[filled..]) {
                Ok(None) => {}
                Ok(Some(0)) => break Came::Ended,
                Ok(Some(count)) => filled += count,
                Err(_) if !go_on() => break Came::Stopped,
                Err(problem) => break Came::Failed(problem),
            }
        };
        bytes.truncate(filled);
        came
    }

    /// Reads a stream once; `None` if nothing has come.
    fn read(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Problem> {
        let failed = |error: io::Error| Problem::io(Stage::Read, &error);
        match &mut self.from {
            From::File(_) => Ok(Some(0)),
            // Looked at here too: a document's own wait ends with the run alone.
            From::Stream { document, waits } => {
                if *waits && !os::wait_readable_for(document.as_file().as_fd(), TICK).map_err(|e| failed(e.into()))? {
                    return Ok(None);
                }
                document.read(buffer).map(Some).map_err(failed)
            }
            From::Awaited(listener) => match listener.accept() {
                Ok((stream, _)) => {
                    let ready = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(TICK)));
                    ready.map_err(failed)?;
                    self.from = From::Connected(stream);
                    Ok(None)
                }
                Err(error) if is_late(&error) => {
                    thread::sleep(TICK);
                    Ok(None)
                }
                Err(error) => Err(failed(error)),
            },
            From::Connected(stream) => match stream.read(buffer) {
                Err(error) if is_late(&error) => Ok(None),
                read => read.map(Some).map_err(failed),
            },
        }
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// When a file has changed meanwhile.
    pub fn close(self) -> Result<(), Problem> {
        match self.from {
            From::File(file) => file.close(),
            _ => Ok(()),
        }
    }
}

/// Whether nothing has come yet.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
