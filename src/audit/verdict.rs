//! A verdict over an answer, as values, as text and as JSON.

use super::Wrong;
use crate::key::{self, KeyError, VerifyingKey};
use crate::rendered;
use pfh_audit::Kept;
use pfh_digest::hex;
use pfh_tree::audit::{Accepted, Challenge, finds};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// What an answer was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// Leaves and siblings, with the root that is kept.
    Root,
    /// A keyed digest, with that of the auditor's own copy, whose leaves belong to the root that is
    /// kept.
    Copy,
    /// A keyed digest, with a token made while the auditor had the data.
    Token,
}

/// What an audit came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The answer proves that the leaves asked for are there.
    Proved,
    /// Nothing was found out: there was no answer.
    NotAsked,
    /// An answer came and proves nothing.
    Rejected,
}

/// What was found out about one file, or a set of them.
#[derive(Debug)]
#[non_exhaustive]
pub struct AuditVerdict {
    /// What both sides call the file.
    pub identity: Vec<u8>,
    /// The function of its tree.
    pub algorithm: &'static str,
    /// Leaves asked for, of how many.
    pub leaves: (u64, u64),
    /// Files that were asked for, of how many, if this is about a set.
    pub files: Option<(usize, usize)>,
    /// The fraction of the leaves whose loss is found with the probability that is stated.
    pub loss: f64,
    /// What the answer was compared with.
    pub evidence: Evidence,
    /// The digest that a signature is over.
    pub transcript: Option<[u8; 32]>,
    /// The key of a genuine signature, and whether it is the one that was named.
    pub signer: Option<(VerifyingKey, bool)>,
    /// From the question to the end of the answer.
    pub time: Option<Duration>,
    /// Why the answer proves nothing, or why there is none.
    pub result: Result<(), Wrong>,
}

impl AuditVerdict {
    /// A verdict that is not yet there.
    pub(super) fn of(kept: &Kept, challenge: &Challenge, loss: f64, evidence: Evidence) -> AuditVerdict {
        let all = kept.commitment.leaf_count();
        AuditVerdict {
            identity: kept.identity.clone(),
            algorithm: kept.commitment.parameters().function().name(),
            leaves: (challenge.sample().size(all), all),
            files: None,
            loss,
            evidence,
            transcript: None,
            signer: None,
            time: None,
            result: Err(Wrong::Unknown),
        }
    }

    /// A positive verdict about a set of files, each of which proved its part.
    pub(super) fn of_set(
        identity: &[u8],
        algorithm: &'static str,
        leaves: (u64, u64),
        files: (usize, usize),
        loss: f64,
    ) -> AuditVerdict {
        AuditVerdict {
            identity: identity.to_vec(),
            algorithm,
            leaves,
            files: Some(files),
            loss,
            evidence: Evidence::Root,
            transcript: None,
            signer: None,
            time: None,
            result: Ok(()),
        }
    }

    /// Takes an answer that proves what was asked. A signature must be genuine, and that of `key`
    /// if there is one, which has its file beside it.
    ///
    /// # Errors
    /// When the file holds the private key of the signature.
    pub(super) fn accept(&mut self, accepted: &Accepted, key: Option<(&Path, &VerifyingKey)>) -> Result<(), KeyError> {
        self.transcript = Some(accepted.transcript);
        let is_signed = key.map_or(Ok(()), |(_, key)| accepted.signed_by(key));
        if let (Some((path, _)), Err(_)) = (key, &is_signed) {
            key::not_private(path, |key| accepted.signed_by(key).is_ok())?;
        }
        self.result = match (accepted.signer(), is_signed) {
            (Ok(signer), Ok(())) => {
                self.signer = signer.map(|signer| (signer, key.is_some()));
                Ok(())
            }
            (Err(rejected), _) | (_, Err(rejected)) => Err(rejected.into()),
        };
        Ok(())
    }

    /// What the audit came to.
    pub fn status(&self) -> Status {
        match &self.result {
            Ok(()) => Status::Proved,
            Err(error) if error.is_verdict() => Status::Rejected,
            Err(_) => Status::NotAsked,
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

    /// A line for people.
    pub fn text(&self) -> String {
        let name = rendered(&self.identity);
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

    /// One JSON object and a line feed.
    pub fn json(&self) -> Vec<u8> {
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
        crate::jsonl::object(if self.files.is_some() { "audit-set" } else { "audit" }, &self.identity, &more)
    }
}

/// Three decimals, never rounded up: what is stated is held.
fn floor(probability: f64) -> f64 {
    // What was lost in computing is no thousandth.
    if probability >= 1.0 { 1.0 } else { (probability * 1000.0 + 1e-9).floor() / 1000.0 }
}
