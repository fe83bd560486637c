//! A verdict, as text and as JSON.

use crate::exit::{self, Exit};
use crate::shown;
use ed25519_dalek::VerifyingKey;
use pfh::tree::audit::{Challenge, Proof};
use pfh_audit::{Error, Kept};
use serde_json::json;
use std::time::Duration;

/// What was found out about one file.
pub struct Verdict {
    identity: Vec<u8>,
    /// Leaves asked for, of how many.
    leaves: (u64, u64),
    transcript: Option<[u8; 32]>,
    signed: bool,
    time: Option<Duration>,
    result: Result<(), Error>,
}

impl Verdict {
    /// A verdict that is not yet there.
    pub fn of(kept: &Kept, challenge: &Challenge) -> Verdict {
        let all = kept.commitment.leaf_count();
        Verdict {
            identity: kept.identity.clone(),
            leaves: (challenge.indices(all).len() as u64, all),
            transcript: None,
            signed: false,
            time: None,
            result: Err(Error::Unknown),
        }
    }

    /// Judges a proof; the answer may have to be signed.
    pub fn of_proof(
        &mut self,
        kept: &Kept,
        challenge: &Challenge,
        proof: &Proof,
        key: Option<&VerifyingKey>,
    ) -> Result<(), Error> {
        self.transcript = Some(*proof.transcript_digest());
        match key {
            Some(key) => kept.commitment.verify_signed(challenge, proof, key)?,
            None => kept.commitment.verify(challenge, proof)?,
        }
        self.signed = key.is_some();
        Ok(())
    }

    /// Leaves that were asked for.
    pub fn leaves(&self) -> u64 {
        self.leaves.0
    }

    pub fn judge(&mut self, result: Result<(), Error>) {
        self.result = result;
    }

    pub fn took(&mut self, time: Duration) {
        self.time = Some(time);
    }

    /// Prints it. 1 if the answer proves nothing, 3 if there was none.
    pub fn print(&self, as_json: bool) -> Exit {
        let line = if as_json { self.json() } else { self.text().into_bytes() };
        if let Err(error) = exit::print(&line) {
            return exit::of_output(&error);
        }
        match &self.result {
            Ok(()) => Exit::Good,
            Err(error) if error.is_verdict() => Exit::Verdict,
            Err(_) => Exit::Incomplete,
        }
    }

    fn text(&self) -> String {
        let (name, (asked, all)) = (shown(&self.identity), self.leaves);
        let time = self.time.map_or_else(String::new, |time| format!(", in {:.3} s", time.as_secs_f64()));
        let signed = if self.signed { ", signed" } else { "" };
        match &self.result {
            Ok(()) => format!("{name}: PROVED: {asked} of {all} leaves{signed}{time}\n"),
            Err(error) if error.is_verdict() => format!("{name}: REJECTED: {error}{time}\n"),
            Err(error) => format!("{name}: NOT ASKED: {error}\n"),
        }
    }

    fn json(&self) -> Vec<u8> {
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let mut more = json!({
            "leaves": self.leaves.0,
            "leaves_of_file": self.leaves.1,
            "signed": self.signed,
            "transcript": self.transcript.map(hex),
            "seconds": self.time.map(|time| time.as_secs_f64()),
        });
        let (word, why) = match &self.result {
            Ok(()) => ("proved", None),
            Err(error) if error.is_verdict() => ("rejected", Some(error.to_string())),
            Err(error) => ("not-asked", Some(error.to_string())),
        };
        more["verdict"] = json!(word);
        more["reason"] = json!(why);
        let mut line = b"{\"type\":\"audit\"".to_vec();
        pfh::format::jsonl::path(&mut line, &self.identity);
        line.push(b',');
        // The members without the opening brace.
        line.extend_from_slice(&more.to_string().as_bytes()[1..]);
        line.push(b'\n');
        line
    }
}
