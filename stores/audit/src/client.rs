//! The auditor's side over HTTP.

use crate::Error;
use pfh_tree::WireError;
use pfh_tree::audit::{AnswerError, Challenge, Commitment, KeyedAnswer, ProvenAnswer};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

/// Bytes of an answer beyond the leaves: siblings, framing.
const BESIDE: u64 = 64 << 20;
/// Characters of a refusal that are kept.
const REASON: usize = 200;
/// Between two looks whether to go on.
const LOOK: Duration = Duration::from_millis(50);
/// Bytes of leaves for which a second is added to the time that an answer may take.
pub(crate) const PER_SECOND: u64 = 1 << 20;

/// An answer that proves the challenged leaves, and how long it took.
#[derive(Debug)]
pub struct TimedAnswer<T> {
    /// The answer.
    pub answer: T,
    /// From sending the challenge to the last byte of the answer. A server that must fetch the
    /// leaves from elsewhere takes longer; it proves nothing.
    pub time: Duration,
}

/// Copies the bytes that another reader reads.
struct CopyingReader<'a, R> {
    from: R,
    to: Option<&'a mut dyn Write>,
    failed: Option<io::Error>,
    read: u64,
}

impl<R: Read> Read for CopyingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.read += read as u64;
        if let Some(to) = &mut self.to
            && let Err(error) = to.write_all(&buffer[..read])
        {
            self.failed = Some(error);
            return Err(io::ErrorKind::Other.into());
        }
        Ok(read)
    }
}

/// The head of an answer: its status, and the length that it states.
type Head = (u16, Option<u64>);

/// An answer whose head has come, and whose bytes come from the thread that speaks with the server:
/// who waits for them looks meanwhile whether to go on.
struct Arriving<'a> {
    head: Head,
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    read: usize,
    cancel: &'a AtomicBool,
}

impl Read for Arriving<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            let Some(piece) = waited(&self.pieces, self.cancel)? else { return Ok(0) };
            (self.piece, self.read) = (piece?, 0);
        }
        let count = buffer.len().min(self.piece.len() - self.read);
        buffer[..count].copy_from_slice(&self.piece[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

/// The next message; `None` when no more comes.
fn waited<T>(messages: &Receiver<T>, cancel: &AtomicBool) -> io::Result<Option<T>> {
    loop {
        match messages.recv_timeout(LOOK) {
            Ok(message) => return Ok(Some(message)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) if cancel.load(Ordering::Relaxed) => {
                return Err(io::Error::other("interrupted"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Sends the challenge, and hands the answer on until nobody takes it.
fn exchange(
    (agent, url, challenge): (ureq::Agent, String, Vec<u8>),
    most: u64,
    heads: &Sender<Result<Head, ureq::Error>>,
    pieces: &SyncSender<io::Result<Vec<u8>>>,
) {
    let sent = agent.post(&url).header("content-type", "application/octet-stream").send(&challenge[..]);
    let mut response = match sent {
        Ok(response) => response,
        Err(error) => {
            let _ = heads.send(Err(error));
            return;
        }
    };
    let length = response.headers().get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
    let _ = heads.send(Ok((response.status().as_u16(), length)));
    let mut body = response.body_mut().with_config().limit(most).reader();
    loop {
        let mut piece = vec![0; 1 << 16];
        let read = body.read(&mut piece).map(|read| piece.truncate(read));
        let is_last = read.is_err() || piece.is_empty();
        if pieces.send(read.map(|()| piece)).is_err() || is_last {
            return;
        }
    }
}

/// A challenge on its way to a server, whose answer of at most that many bytes is read as it comes.
fn post<'a>(
    url: &str,
    path: &str,
    challenge: &Challenge,
    (leaves, most): (u64, u64),
    timeout: Duration,
    cancel: &'a AtomicBool,
) -> Result<Arriving<'a>, Error> {
    // No proxy, no redirect: the question goes to the server that was named.
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(timeout.saturating_add(Duration::from_secs(leaves / PER_SECOND))))
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .build()
        .into();
    let sent = (agent, format!("{}/{path}", url.trim_end_matches('/')), challenge.encode());
    let (heads, head) = mpsc::channel();
    let (sender, pieces) = mpsc::sync_channel(4);
    let thread = std::thread::Builder::new().name("pfh-ask".into());
    thread.spawn(move || exchange(sent, most, &heads, &sender)).map_err(Error::Interrupted)?;
    let head = waited(&head, cancel).map_err(Error::Interrupted)?.ok_or(Error::Cut)?;
    let head = head.map_err(|error| Error::Transport(Box::new(error)))?;
    let mut arriving = Arriving { head, pieces, piece: Vec::new(), read: 0, cancel };
    if head.0 == 200 {
        return Ok(arriving);
    }
    let mut bytes = Vec::new();
    arriving.by_ref().take(64 << 10).read_to_end(&mut bytes).map_err(Error::Interrupted)?;
    let text = String::from_utf8_lossy(&bytes);
    let reason = text.trim().chars().take(REASON).map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' });
    Err(Error::Refused { status: head.0, reason: reason.collect() })
}

/// Sends a challenge to a server and judges its answer as it comes, in bounded memory. `url` is the
/// server's, without a path; `copy` gets the bytes of the answer, good or bad. `timeout` is for an
/// answer of no bytes; each MiB of leaves adds a second. `cancel` ends the waiting.
///
/// # Errors
/// When the server cannot be asked or refuses, when its answer proves nothing, or when it is
/// cancelled.
pub fn ask(
    url: &str,
    challenge: &Challenge,
    commitment: &Commitment,
    timeout: Duration,
    copy: Option<&mut dyn Write>,
    cancel: &AtomicBool,
) -> Result<TimedAnswer<ProvenAnswer>, Error> {
    let leaves = challenge.sample().size(commitment.leaf_count());
    let leaves = leaves.saturating_mul(commitment.parameters().leaf_length() as u64);
    let from = Instant::now();
    let most = leaves.saturating_add(BESIDE);
    let body = post(url, "prove", challenge, (leaves, most), timeout, cancel)?;
    let stated = body.head.1;
    let mut body = CopyingReader { from: io::BufReader::with_capacity(1 << 16, body), to: copy, failed: None, read: 0 };
    let judged = commitment.judge(challenge, &mut body);
    let time = from.elapsed();
    match (judged, body.failed) {
        (_, Some(error)) => Err(Error::Evidence(error)),
        // A server that sends nothing at all has not answered.
        (Err(AnswerError::Malformed(_)), None) if body.read == 0 => Err(Error::Cut),
        // Nor has one whose answer ended before the length that it stated.
        (Err(AnswerError::Malformed(WireError::Truncated)), None)
            if stated.is_some_and(|stated| body.read < stated) =>
        {
            Err(Error::Interrupted(io::ErrorKind::UnexpectedEof.into()))
        }
        (Err(AnswerError::Read(error)), None) => Err(Error::Interrupted(error)),
        (Err(AnswerError::Malformed(malformed)), None) => Err(Error::Answer(malformed)),
        (Err(AnswerError::Rejected(rejected)), None) => Err(Error::Rejected(rejected)),
        (Ok(answer), None) => Ok(TimedAnswer { answer, time }),
    }
}

/// Asks a server for the keyed digest of the leaves: 32 bytes, which are yet to be compared.
///
/// # Errors
/// When the server cannot be asked, refuses, or answers with another number of bytes; when it is
/// cancelled.
pub fn ask_keyed(
    url: &str,
    challenge: &Challenge,
    commitment: &Commitment,
    timeout: Duration,
    cancel: &AtomicBool,
) -> Result<TimedAnswer<KeyedAnswer>, Error> {
    let leaves = challenge.sample().size(commitment.leaf_count());
    let leaves = leaves.saturating_mul(commitment.parameters().leaf_length() as u64);
    let from = Instant::now();
    let mut bytes = Vec::new();
    let mut body = post(url, "prove-keyed", challenge, (leaves, 64), timeout, cancel)?;
    body.by_ref().take(64).read_to_end(&mut bytes).map_err(Error::Interrupted)?;
    let time = from.elapsed();
    match <[u8; 32]>::try_from(&bytes[..]) {
        Ok(bytes) => Ok(TimedAnswer { answer: KeyedAnswer::from_bytes(bytes), time }),
        Err(_) => Err(Error::Answer(WireError::Truncated)),
    }
}
