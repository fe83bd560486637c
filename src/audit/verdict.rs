//! The verdict over an answer.

use super::Wrong;
use crate::key::{self, KeyError, VerifyingKey};
use pfh_audit::KeptCommitment;
use pfh_tree::audit::{Challenge, ProvenAnswer, finds};
use std::path::Path;
use std::time::Duration;

/// The evidence that an answer was compared with.
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

/// The result of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The answer proves that the leaves asked for are there.
    Proved,
    /// Nothing was found out: there was no answer.
    NotAsked,
    /// An answer came and proves nothing.
    Rejected,
}

/// The result for one file, or a set of them.
#[derive(Debug)]
#[non_exhaustive]
pub struct AuditVerdict {
    /// The name of the file on both sides.
    pub identity: Vec<u8>,
    /// The function of its tree.
    pub algorithm: &'static str,
    /// Leaves asked for, of how many.
    pub leaves: (u64, u64),
    /// Files that were asked for, of how many, if this is about a set.
    pub files: Option<(usize, usize)>,
    /// The fraction of the leaves whose loss is found with the probability that is stated.
    pub loss: f64,
    /// The evidence that the answer was compared with.
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
    pub(super) fn of(kept: &KeptCommitment, challenge: &Challenge, loss: f64, evidence: Evidence) -> AuditVerdict {
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

    /// A positive verdict about a set of files that each proved their part.
    #[cfg(feature = "serve")]
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

    /// Takes an answer that proves the challenged leaves. A signature must be genuine, and that of
    /// `key` if there is one, which has its file beside it.
    ///
    /// # Errors
    /// When the file holds the private key of the signature.
    pub(super) fn accept(
        &mut self,
        accepted: &ProvenAnswer,
        key: Option<(&Path, &VerifyingKey)>,
    ) -> Result<(), KeyError> {
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

    /// The result of the audit.
    pub fn status(&self) -> Status {
        match &self.result {
            Ok(()) => Status::Proved,
            Err(error) if error.is_verdict() => Status::Rejected,
            Err(_) => Status::NotAsked,
        }
    }

    /// The probability with which the audit finds a loss of [`loss`](AuditVerdict::loss).
    pub fn finds(&self) -> f64 {
        finds(self.leaves.1, self.leaves.0, self.loss)
    }

    /// The same in thousandths, rounded down: a probability is never stated higher than it is.
    pub fn finds_at_least(&self) -> f64 {
        let probability = self.finds();
        // The last digits that computing lost make no thousandth.
        if probability >= 1.0 { 1.0 } else { (probability * 1000.0 + 1e-9).floor() / 1000.0 }
    }
}
