//! Digests for programs that want no more than those.

use super::Request;
use crate::algorithms::Algorithm;
use crate::input::Input;
use crate::job::{Error, PathError, Reason};
use crate::pass::pass;
use pfh_digest::{Digest, Hasher};
use pfh_engine::{Cancel, Control, Outcome, Plan, Record, Summary as Run};
use pfh_source::os::names::OsStringExt;
use pfh_source::{Descend, Operands};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// Records that wait for their reader: files are read ahead of it by no more.
const AHEAD: usize = 256;

/// The records of a run, in input order. Dropping it ends the run.
pub struct Records {
    receiver: Option<Receiver<Record>>,
    cancel: Cancel,
    thread: Option<JoinHandle<Result<Run, Error>>>,
}

/// Hashes the input, file by file as records are taken.
///
/// ```
/// use pfh::{Input, Outcome, Recurse, hash};
///
/// let input = Input::new(["src/hash"]).recurse(Recurse::Yes);
/// let mut records = hash::records(input, ["sha256".parse()?])?;
/// for record in &mut records {
///     match &record.outcome {
///         Outcome::Hashed(file) => println!("{}  {}", file.digests[0], String::from_utf8_lossy(&record.name)),
///         Outcome::Skipped(why) => println!("skipped: {}", why.reason()),
///         Outcome::Failed(problem) => println!("no digest: {problem}"),
///     }
/// }
/// assert!(records.finish()?.hashed > 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the input makes no sense, or no thread can be started.
pub fn records(input: Input, algorithms: impl IntoIterator<Item = Algorithm>) -> Result<Records, Error> {
    let request = Request::new(input, algorithms);
    request.check()?;
    let (sender, receiver) = sync_channel(AHEAD);
    let cancel = Cancel::default();
    let ended = cancel.clone();
    let work = move || {
        let control = Control::new().with_cancel(ended);
        let mut hand = |record| sender.send(record).map_err(|_| io::ErrorKind::BrokenPipe.into());
        Ok(pass(request.source()?, || None, &request.plan, &mut hand, &control)?)
    };
    let thread = std::thread::Builder::new().name("pfh-records".into()).spawn(work).map_err(Error::aborted)?;
    Ok(Records { receiver: Some(receiver), cancel, thread: Some(thread) })
}

impl Records {
    /// The counts of the run, after its last record; records that were not taken are passed over.
    ///
    /// # Errors
    /// When the run ended before its time.
    pub fn finish(mut self) -> Result<Run, Error> {
        (&mut self).for_each(drop);
        let ended = self.thread.take().and_then(|thread| thread.join().ok());
        ended.unwrap_or_else(|| Err(Error::aborted(pfh_engine::Error::Panicked)))
    }
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        self.receiver.as_ref()?.recv().ok()
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.cancel.cancel();
        // The thread that waits with a record is refused.
        self.receiver = None;
        self.thread.take().map(JoinHandle::join);
    }
}

/// The digest of one file, which is read once.
///
/// ```
/// let digest = pfh::hash_file("src/lib.rs", "sha256")?;
/// assert_eq!(digest, pfh::sha256(std::fs::read("src/lib.rs")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the name is of no algorithm, and when the file cannot be read to its end or is not a file.
pub fn hash_file<A>(path: impl AsRef<Path>, algorithm: A) -> Result<Digest, Error>
where
    A: TryInto<Algorithm, Error: Into<Reason>>,
{
    let (path, algorithm) = (path.as_ref(), algorithm.try_into().map_err(Error::request)?);
    // `-` is a file here, and not standard input.
    let name: OsString = if path == Path::new("-") { "./-".into() } else { path.into() };
    let plan = Plan::new([algorithm]);
    let mut records: Vec<Record> = Vec::new();
    pass(
        Box::new(Operands::new(vec![name.into_vec()], Descend::default())),
        || None,
        &plan,
        &mut records,
        &Control::new(),
    )?;
    match records.pop().map(|record| record.outcome) {
        Some(Outcome::Hashed(mut hashed)) if hashed.digests.len() == 1 => Ok(hashed.digests.remove(0)),
        Some(Outcome::Failed(problem)) => Err(Error::input(PathError::new(path, problem))),
        Some(Outcome::Skipped(skip)) => Err(Error::input(PathError::new(path, skip.reason()))),
        _ => Err(Error::aborted(pfh_engine::Error::Panicked)),
    }
}

/// The SHA-256 of bytes.
///
/// ```
/// assert!(pfh::sha256("abc").to_string().starts_with("ba7816bf"));
/// ```
pub fn sha256(bytes: impl AsRef<[u8]>) -> Digest {
    let mut hasher = hasher_of_sha256();
    hasher.update(bytes.as_ref());
    hasher.finalize()
}

/// A hasher of SHA-256.
///
/// # Panics
/// Never: the registry has it.
pub(crate) fn hasher_of_sha256() -> Hasher {
    "sha256".parse::<pfh_digest::Algorithm>().expect("the registry has it").hasher()
}
