//! A verdict, as text and as JSON.

use crate::exit::{self, Exit};
use crate::shown;
use ed25519_dalek::VerifyingKey;
use pfh::hex;
use pfh::tree::audit::{Accepted, Challenge, finds};
use pfh_audit::{Error, Kept};
use serde_json::json;
use std::time::Duration;

/// What an answer was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Leaves and siblings, with the root that is kept.
    Root,
    /// A keyed digest, with that of the auditor's own copy, whose leaves belong to the root that is kept.
    Copy,
    /// A keyed digest, with a token made while the auditor had the data.
    Token,
}

/// What was found out about one file, or a set of them.
pub struct Verdict {
    identity: Vec<u8>,
    algorithm: &'static str,
    /// Leaves asked for, of how many.
    leaves: (u64, u64),
    /// Files that were asked for, of how many, if this is about a set.
    files: Option<(usize, usize)>,
    loss: f64,
    evidence: Evidence,
    transcript: Option<[u8; 32]>,
    /// The key of a genuine signature, and whether it is the one that was named.
    signer: Option<(VerifyingKey, bool)>,
    time: Option<Duration>,
    result: Result<(), Error>,
}

impl Verdict {
    /// A verdict that is not yet there. `loss` is the fraction whose probability of being found is stated.
    pub fn of(kept: &Kept, challenge: &Challenge, loss: f64, evidence: Evidence) -> Verdict {
        let all = kept.commitment.leaf_count();
        Verdict {
            identity: kept.identity.clone(),
            algorithm: kept.commitment.parameters().function().name(),
            leaves: (challenge.sample().size(all), all),
            files: None,
            loss,
            evidence,
            transcript: None,
            signer: None,
            time: None,
            result: Err(Error::Unknown),
        }
    }

    /// A verdict about a set of files under this name.
    pub fn of_set(
        name: &[u8],
        algorithm: &'static str,
        shown: u64,
        all: u64,
        files: (usize, usize),
        loss: f64,
    ) -> Verdict {
        Verdict {
            identity: name.to_vec(),
            algorithm,
            leaves: (shown, all),
            files: Some(files),
            loss,
            evidence: Evidence::Root,
            transcript: None,
            signer: None,
            time: None,
            result: Ok(()),
        }
    }

    /// Takes an answer that proves what was asked. A signature must be genuine, and that of `key` if there is one.
    pub fn accept(&mut self, accepted: &Accepted, key: Option<&VerifyingKey>) -> Result<(), Error> {
        self.transcript = Some(accepted.transcript);
        let signer = accepted.signer()?;
        if let Some(key) = key {
            accepted.signed_by(key)?;
        }
        self.signer = signer.map(|signer| (signer, key.is_some()));
        Ok(())
    }

    pub fn judge(&mut self, result: Result<(), Error>) {
        self.result = result;
    }

    pub fn took(&mut self, time: Duration) {
        self.time = Some(time);
    }

    /// 1 if the answer proves nothing, 3 if there was none.
    pub fn exit(&self) -> Exit {
        match &self.result {
            Ok(()) => Exit::Good,
            Err(error) if error.is_verdict() => Exit::Verdict,
            Err(_) => Exit::Incomplete,
        }
    }

    /// Prints it.
    pub fn print(&self, as_json: bool) -> Exit {
        let line = if as_json { self.json() } else { self.text().into_bytes() };
        match exit::print(&line) {
            Ok(()) => self.exit(),
            Err(error) => exit::of_output(&error),
        }
    }

    /// What was compared with what.
    fn compared(&self) -> String {
        let ((asked, all), algorithm) = (self.leaves, self.algorithm);
        let of = match self.files {
            Some((asked, all)) => format!(" of {all} files ({asked} asked)"),
            None => String::new(),
        };
        match self.evidence {
            Evidence::Root => format!("{asked} of {all} leaves{of} give the kept {algorithm} root"),
            Evidence::Copy => format!(
                "the keyed digest of {asked} of {all} leaves is that of your copy, which gives the kept {algorithm} root"
            ),
            Evidence::Token => format!("the keyed digest of {asked} of {all} leaves is that of the token"),
        }
    }

    fn found(&self) -> String {
        let (asked, all) = self.leaves;
        if asked == all {
            return "any loss is found".into();
        }
        let percent = format!("{:.6}", 100.0 * self.loss);
        let percent = percent.trim_end_matches('0').trim_end_matches('.');
        format!("a loss of {percent} % is found with p = {:.3}", floor(finds(all, asked, self.loss)))
    }

    fn text(&self) -> String {
        let name = shown(&self.identity);
        let time = self.time.map_or_else(String::new, |time| format!("; in {:.3} s", time.as_secs_f64()));
        match &self.result {
            Ok(()) => {
                let signed = match &self.signer {
                    None => String::new(),
                    Some((key, true)) => format!("; signed by {}", hex::encode(key.as_bytes())),
                    Some((key, false)) => {
                        format!("; signed by {}, a key that was not asked for", hex::encode(key.as_bytes()))
                    }
                };
                format!("{name}: PROVED: {}; {}{signed}{time}\n", self.compared(), self.found())
            }
            Err(error) if error.is_verdict() => format!("{name}: REJECTED: {error}{time}\n"),
            Err(error) => format!("{name}: NOT ASKED: {error}\n"),
        }
    }

    fn json(&self) -> Vec<u8> {
        let (word, audit, why) = match &self.result {
            Ok(()) => ("verified", "proved", None),
            Err(error) if error.is_verdict() => ("differs", "rejected", Some(error.to_string())),
            Err(error) => ("nothing-to-compare-with", "not-asked", Some(error.to_string())),
        };
        let mut more = json!({
            "verdict": word,
            "audit": audit,
            "reason": why,
            "leaves": self.leaves.0,
            "leaves_of_file": self.leaves.1,
            "algorithm": self.algorithm,
            "compared_with": match self.evidence {
                Evidence::Root => "root",
                Evidence::Copy => "copy",
                Evidence::Token => "token",
            },
            "finds": {
                "loss": self.loss,
                "probability": floor(finds(self.leaves.1, self.leaves.0, self.loss)),
            },
            "signed": self.signer.is_some(),
            "signed_by": self.signer.map(|(key, _)| hex::encode(key.as_bytes())),
            "signer_was_asked_for": self.signer.map(|(_, named)| named),
            "transcript": self.transcript.map(|transcript| hex::encode(&transcript)),
            "seconds": self.time.map(|time| time.as_secs_f64()),
        });
        if let Some((asked, all)) = self.files {
            more["files_asked"] = json!(asked);
            more["files"] = json!(all);
        }
        let kind: &[u8] = if self.files.is_some() { b"{\"type\":\"audit-set\"" } else { b"{\"type\":\"audit\"" };
        let mut line = kind.to_vec();
        pfh::manifest::jsonl::path(&mut line, &self.identity);
        line.push(b',');
        // The members without the opening brace.
        line.extend_from_slice(&more.to_string().as_bytes()[1..]);
        line.push(b'\n');
        line
    }
}

/// Three decimals, never rounded up: what is stated is held.
fn floor(probability: f64) -> f64 {
    // What was lost in computing is no thousandth.
    if probability >= 1.0 { 1.0 } else { (probability * 1000.0 + 1e-9).floor() / 1000.0 }
}
