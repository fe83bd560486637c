//! `serve`: the page of a case for browsers on this machine, up to date while jobs run.
//!
//! `/` is the page that [`write`](super::write) would write now; `/events` (server-sent events)
//! names its version, and the page takes `/` again when that is another one. The server listens on
//! 127.0.0.1 alone, answers requests that name it as their host, and writes nothing.
//!
//! ```
//! use pfh::report::{self, serve};
//! use pfh::{Cancel, Control};
//! use std::io::{Read, Write};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-report-serve-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! std::fs::write(room.join("list.md5"), "900150983cd24fb0d6963f7d28e17f72  letter\n")?;
//! let request = serve::Request::new(report::Request::new([&room]));
//! let cancel = Cancel::default();
//! let mut look = |event: serve::Event<'_>| {
//!     if let serve::Event::Listening(address) = event {
//!         let cancel = cancel.clone();
//!         std::thread::spawn(move || {
//!             let mut stream = std::net::TcpStream::connect(address)?;
//!             write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
//!             let read = stream.read_to_string(&mut String::new());
//!             cancel.cancel();
//!             read
//!         });
//!     }
//!     Ok(())
//! };
//! let summary = serve::run(&request, &mut look, &Control::new().with_cancel(cancel.clone()))?;
//! assert_eq!((summary.answered, summary.refused), (1, 0));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod folder;

use super::Problem;
use super::request::Request as Report;
use crate::job::Error;
pub use answer::RequestOutcome;
use answer::Server;
use pfh_engine::Control;
use pfh_source::os::wait_for_caller;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a wait for a connection lasts between two looks at the control.
const STEP: Duration = Duration::from_millis(100);
/// How long connections have for their end when the job is cancelled.
const PARTING: Duration = Duration::from_millis(500);
/// Answers that wait to be counted.
const WAITING: usize = 1024;

/// The page, and its place.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The input. Outputs in it are not written.
    pub report: Report,
    /// The port on 127.0.0.1; 0 lets the system choose.
    pub port: u16,
}

impl Request {
    /// On a port that the system chooses.
    pub fn new(report: Report) -> Request {
        Request { report, port: 0 }
    }

    /// Whether the run may start. The port is tried by the run.
    ///
    /// # Errors
    /// As [`report::Request::check`](Report::check), and when standard input is to be read: a page
    /// that is made again and again needs files.
    pub fn check(&self) -> Result<(), Error> {
        self.report.check()?;
        if self.report.paths.iter().any(|path| path == "-") {
            return Err(Error::request(Problem::Stream));
        }
        Ok(())
    }
}

/// An event meanwhile. Events come on the thread that called [`run`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The server listens here, the first event.
    Listening(SocketAddr),
    /// A request was answered or refused.
    Answered(&'a RequestOutcome),
}

/// Receives the events. An error ends the job with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The counts of the requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that were refused, and connections without one.
    pub refused: u64,
}

/// Serves until the control is cancelled; that is its good end.
///
/// # Errors
/// When the request is refused, the port cannot be had, the events are refused, or a thread of the
/// server panicked. Files that cannot be read are on the page.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, request.port));
    let failed = |error| Error::aborted(Problem::Listen { address: wanted, error });
    let listener = TcpListener::bind(wanted).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let server = Arc::new(Server::new(request.report.clone(), address));
    let (sender, receiver) = sync_channel(WAITING);
    let mut summary = Summary::default();
    events(Event::Listening(address)).map_err(Error::Sink)?;
    let ended = loop {
        if control.is_cancelled() {
            break Ok(());
        }
        if server.has_panicked() {
            break Err(Error::aborted(Problem::Panicked));
        }
        if let Err(error) = take(&receiver, &mut summary, events) {
            break Err(error);
        }
        match wait_for_caller(&listener, STEP) {
            Ok(true) => server.accept(&listener, &sender),
            Ok(false) => {}
            Err(_) => thread::sleep(STEP),
        }
    };
    server.stop();
    let end = Instant::now() + PARTING;
    while server.is_busy() && Instant::now() < end {
        thread::sleep(STEP / 10);
    }
    ended?;
    take(&receiver, &mut summary, events)?;
    Ok(summary)
}

/// Counts the requests, and hands them out.
fn take(receiver: &Receiver<RequestOutcome>, summary: &mut Summary, events: &mut Events<'_>) -> Result<(), Error> {
    for served in receiver.try_iter() {
        let count = if served.status == 200 { &mut summary.answered } else { &mut summary.refused };
        *count += 1;
        events(Event::Answered(&served)).map_err(Error::Sink)?;
    }
    Ok(())
}
