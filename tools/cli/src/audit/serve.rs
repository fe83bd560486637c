//! `pfh audit serve`

use super::Stop;
use crate::exit::{self, Exit};
use crate::signals::Signals;
use crate::{shown, size};
use clap::Args;
use pfh_audit::{Limits, Server, Shelf, Told};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The server.
#[derive(Args)]
#[command(after_help = super::help::SERVE)]
pub struct Serve {
    /// Files below it that have a tree beside them when the server starts are answered for; nothing else is ever opened.
    #[arg(value_name = "DIRECTORY")]
    pub directory: PathBuf,
    /// Address and port; port 0 lets the system choose. Whoever can connect can ask, so think before listening on more than loopback.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8417")]
    pub listen: String,
    /// Sign answers with this Ed25519 private key (PEM or hexadecimal).
    #[arg(long, value_name = "KEY")]
    pub key: Option<PathBuf>,
    /// Bytes of leaves that one answer may hold [default: no limit]. Answers are written leaf by leaf, in the memory of one.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub most: Option<u64>,
    /// Time for a request to come in, and again for its answer to go out; each MiB of leaves adds a second.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Connections served at the same time.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub connections: u16,
    /// Say nothing of requests.
    #[arg(short, long)]
    pub quiet: bool,
}

pub fn run(serve: &Serve) -> Result<Exit, Stop> {
    let aborted = |what: &str, error: std::io::Error| Stop(format!("{what}: {error}"), Exit::Aborted);
    let signals = Signals::catch().map_err(|error| aborted("signals cannot be caught", error))?;
    let key = serve.key.as_deref().map(pfh::key::signing).transpose().map_err(Stop::usage)?;
    let name = shown(serve.directory.as_os_str().as_bytes());
    let shelf =
        Shelf::open(&serve.directory).map_err(|problem| Stop(format!("{name}: {problem}"), Exit::Incomplete))?;
    let files = shelf.identities().count();
    if files == 0 {
        return Err(Stop::usage(format!("{name}: no file below it has a tree beside it: `pfh tree build` makes one")));
    }
    let limits = Limits {
        answer: serve.most.unwrap_or(u64::MAX),
        time: Duration::from_secs(serve.timeout),
        connections: usize::from(serve.connections),
    };
    let server = Server::bind(&serve.listen, shelf, key, limits).map_err(|error| aborted(&serve.listen, error))?;
    let address = server.address().map_err(|error| aborted(&serve.listen, error))?;
    let quiet = serve.quiet;
    let tell = move |Told { peer, identity, status, reason }: Told| {
        if !quiet {
            let identity = identity.map_or_else(|| "-".to_owned(), |identity| shown(&identity));
            exit::say(format!("{peer}: {identity}: {status} {reason}").trim_end());
        }
    };
    server.start(tell).map_err(|error| aborted("no thread", error))?;
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = writeln!(stdout, "http://{address}: {files} files of {name}").and_then(|()| stdout.flush()) {
        return Err(Stop(String::new(), exit::of_output(&error)));
    }
    while !signals.flag().load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(Exit::Signal(signals.number()))
}
