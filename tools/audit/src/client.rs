//! The auditor's side over HTTP.

use crate::Error;
use pfh_tree::audit::{Challenge, Proof};
use std::time::{Duration, Instant};

/// Bytes of an answer beyond the leaves: siblings, framing.
const BESIDE: u64 = 64 << 20;
/// Characters of a refusal that are kept.
const REASON: usize = 200;

/// An answer, and how long it took.
#[derive(Debug)]
pub struct Answered {
    /// The answer, which is yet to be judged.
    pub proof: Proof,
    /// From sending the challenge to the last byte of the answer. A server that must fetch the leaves from elsewhere takes longer; it
    /// proves nothing.
    pub time: Duration,
}

/// Sends a challenge to a server and takes its answer. `url` is the server's, without a path; `leaves` the bytes of the leaves asked
/// for, which bounds what is read.
///
/// # Errors
/// When the server cannot be asked, refuses, or answers with what is no proof.
pub fn ask(url: &str, challenge: &Challenge, leaves: u64, timeout: Duration) -> Result<Answered, Error> {
    // No proxy, no redirect: the question goes to the server that was named.
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(timeout))
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .build()
        .into();
    let transport = |error| Error::Transport(Box::new(error));
    let url = format!("{}/prove", url.trim_end_matches('/'));
    let from = Instant::now();
    let mut response = agent
        .post(&url)
        .header("content-type", "application/octet-stream")
        .send(&challenge.encode()[..])
        .map_err(transport)?;
    let status = response.status().as_u16();
    let most = if status == 200 { leaves.saturating_add(BESIDE) } else { 64 << 10 };
    let bytes = response.body_mut().with_config().limit(most).read_to_vec().map_err(transport)?;
    let time = from.elapsed();
    if status != 200 {
        let text = String::from_utf8_lossy(&bytes);
        let reason = text.trim().chars().take(REASON).map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' });
        return Err(Error::Refused { status, reason: reason.collect() });
    }
    Ok(Answered { proof: Proof::decode(&bytes).map_err(Error::Answer)?, time })
}
