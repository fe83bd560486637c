//! The auditor's side over HTTP.

use crate::Error;
use pfh_tree::Malformed;
use pfh_tree::audit::{Accepted, Challenge, Commitment, KeyedAnswer, Refused};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// Bytes of an answer beyond the leaves: siblings, framing.
const BESIDE: u64 = 64 << 20;
/// Characters of a refusal that are kept.
const REASON: usize = 200;
/// Bytes of leaves for which a second is added to the time that an answer may take.
pub(crate) const PER_SECOND: u64 = 1 << 20;

/// An answer that proves the challenged leaves, and how long it took.
#[derive(Debug)]
pub struct Answered<T> {
    /// The answer.
    pub answer: T,
    /// From sending the challenge to the last byte of the answer. A server that must fetch the
    /// leaves from elsewhere takes longer; it proves nothing.
    pub time: Duration,
}

/// Copies the bytes that another reader reads.
struct Copied<'a, R> {
    from: R,
    to: Option<&'a mut dyn Write>,
    failed: Option<io::Error>,
    read: u64,
}

impl<R: Read> Read for Copied<'_, R> {
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

/// A challenge on its way to a server, whose answer is read as it comes.
fn post(
    url: &str,
    path: &str,
    challenge: &Challenge,
    leaves: u64,
    timeout: Duration,
) -> Result<ureq::http::Response<ureq::Body>, Error> {
    // No proxy, no redirect: the question goes to the server that was named.
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(timeout.saturating_add(Duration::from_secs(leaves / PER_SECOND))))
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .build()
        .into();
    let transport = |error| Error::Transport(Box::new(error));
    let mut response = agent
        .post(&format!("{}/{path}", url.trim_end_matches('/')))
        .header("content-type", "application/octet-stream")
        .send(&challenge.encode()[..])
        .map_err(transport)?;
    let status = response.status().as_u16();
    if status == 200 {
        return Ok(response);
    }
    let bytes = response.body_mut().with_config().limit(64 << 10).read_to_vec().map_err(transport)?;
    let text = String::from_utf8_lossy(&bytes);
    let reason = text.trim().chars().take(REASON).map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' });
    Err(Error::Refused { status, reason: reason.collect() })
}

/// Sends a challenge to a server and judges its answer as it comes, in bounded memory. `url` is the
/// server's, without a path; `copy` gets the bytes of the answer, good or bad. `timeout` is for an
/// answer of no bytes; each MiB of leaves adds a second.
///
/// # Errors
/// When the server cannot be asked or refuses; when its answer proves nothing.
pub fn ask(
    url: &str,
    challenge: &Challenge,
    commitment: &Commitment,
    timeout: Duration,
    copy: Option<&mut dyn Write>,
) -> Result<Answered<Accepted>, Error> {
    let leaves = challenge.sample().size(commitment.leaf_count());
    let leaves = leaves.saturating_mul(commitment.parameters().leaf_length() as u64);
    let from = Instant::now();
    let mut response = post(url, "prove", challenge, leaves, timeout)?;
    let stated = response.headers().get("content-length").and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let body = response.body_mut().with_config().limit(leaves.saturating_add(BESIDE)).reader();
    let mut body = Copied { from: io::BufReader::with_capacity(1 << 16, body), to: copy, failed: None, read: 0 };
    let judged = commitment.judge(challenge, &mut body);
    let time = from.elapsed();
    match (judged, body.failed) {
        (_, Some(error)) => Err(Error::Evidence(error)),
        // A server that sends nothing at all has not answered.
        (Err(Refused::Malformed(_)), None) if body.read == 0 => Err(Error::Cut),
        // Nor has one whose answer ended before the length that it stated.
        (Err(Refused::Malformed(Malformed::Truncated)), None) if stated.is_some_and(|stated| body.read < stated) => {
            Err(Error::Interrupted(io::ErrorKind::UnexpectedEof.into()))
        }
        (Err(Refused::Read(error)), None) => Err(Error::Interrupted(error)),
        (Err(Refused::Malformed(malformed)), None) => Err(Error::Answer(malformed)),
        (Err(Refused::Rejected(rejected)), None) => Err(Error::Rejected(rejected)),
        (Ok(answer), None) => Ok(Answered { answer, time }),
    }
}

/// Asks a server for the keyed digest of the leaves: 32 bytes, which are yet to be compared.
///
/// # Errors
/// When the server cannot be asked, refuses, or answers with another number of bytes.
pub fn ask_keyed(
    url: &str,
    challenge: &Challenge,
    commitment: &Commitment,
    timeout: Duration,
) -> Result<Answered<KeyedAnswer>, Error> {
    let leaves = challenge.sample().size(commitment.leaf_count());
    let leaves = leaves.saturating_mul(commitment.parameters().leaf_length() as u64);
    let from = Instant::now();
    let mut response = post(url, "prove-keyed", challenge, leaves, timeout)?;
    let bytes = response.body_mut().with_config().limit(64).read_to_vec();
    let bytes = bytes.map_err(|error| Error::Transport(Box::new(error)))?;
    let time = from.elapsed();
    match <[u8; 32]>::try_from(&bytes[..]) {
        Ok(bytes) => Ok(Answered { answer: KeyedAnswer::from_bytes(bytes), time }),
        Err(_) => Err(Error::Answer(Malformed::Truncated)),
    }
}
