//! The verdicts and scenes as rows: what `--json` prints, and dictionaries in Python.

use super::scene::{ChallengeKind, Scene, Server};
use super::verdict::{AuditVerdict, Evidence};
use crate::verdict::Verdict;
use pfh_manifest::row::{Hex, Mark, Path, Word};
use pfh_source::{FindingId, Levels};
use serde::Serialize;

/// The chance that an audit finds a loss.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Finds {
    loss: f64,
    probability: f64,
}

/// Whether the answer is of one file, or of the root of a set.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Audit,
    AuditSet,
}

/// The outcome of the challenge.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Proved,
    Rejected,
    NotAsked,
}

/// The reference that the answer was compared with.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum AnswerReference {
    Root,
    Copy,
    Token,
}

/// A verdict over an answer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictRow<'a> {
    r#type: Kind,
    #[serde(flatten)]
    name: Path<'a>,
    algorithm: &'a str,
    audit: Outcome,
    compared_with: AnswerReference,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_asked: Option<usize>,
    finds: Finds,
    leaves: u64,
    leaves_of_file: u64,
    reason: Option<String>,
    seconds: Option<f64>,
    signed: bool,
    /// The Ed25519 key that the answer is signed with.
    signed_by: Option<Hex<'a>>,
    signer_was_asked_for: Option<bool>,
    /// The digest of the transcript.
    transcript: Option<Hex<'a>>,
    verdict: Word<Verdict>,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
}

impl<'a> VerdictRow<'a> {
    /// A verdict as a line of JSON, where findings have these levels.
    pub fn of(verdict: &'a AuditVerdict, levels: &Levels) -> VerdictRow<'a> {
        let (word, audit, reason) = match &verdict.result {
            Ok(()) => (Verdict::Verified, Outcome::Proved, None),
            Err(error) if error.is_verdict() => (Verdict::Differs, Outcome::Rejected, Some(error.to_string())),
            Err(error) => (Verdict::NothingToCompareWith, Outcome::NotAsked, Some(error.to_string())),
        };
        VerdictRow {
            r#type: if verdict.files.is_some() { Kind::AuditSet } else { Kind::Audit },
            name: Path(&verdict.identity),
            algorithm: verdict.algorithm,
            audit,
            compared_with: match verdict.evidence {
                Evidence::Copy => AnswerReference::Copy,
                Evidence::Token => AnswerReference::Token,
                _ => AnswerReference::Root,
            },
            files: verdict.files.map(|(_, all)| all),
            files_asked: verdict.files.map(|(asked, _)| asked),
            finds: Finds { loss: verdict.loss, probability: verdict.finds_at_least() },
            leaves: verdict.leaves.0,
            leaves_of_file: verdict.leaves.1,
            reason,
            seconds: verdict.time.map(|time| time.as_secs_f64()),
            signed: verdict.signer.is_some(),
            signed_by: verdict.signer.as_ref().map(|(key, _)| Hex(key.as_bytes())),
            signer_was_asked_for: verdict.signer.map(|(_, named)| named),
            transcript: verdict.transcript.as_ref().map(|transcript| Hex(&transcript[..])),
            verdict: Word(word),
            mark: match word {
                Verdict::Verified => None,
                Verdict::Differs => Some(Mark::at(FindingId::StorageRejected, levels)),
                _ => Some(Mark::at(FindingId::StorageNotAsked, levels)),
            },
        }
    }
}

/// One question and its answer on the stage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneRow<'a> {
    r#type: StagedKind,
    /// `plain`: H(M‖C); `leaves`: `pfh audit challenge`.
    challenge: &'a str,
    /// `honest`; `digests`: it deleted the file and kept digests; `replay`: and an earlier answer.
    server: &'a str,
    keeps_bytes: u64,
    question_bytes: u64,
    answer_bytes: u64,
    passes: bool,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum StagedKind {
    Scene,
}

impl<'a> SceneRow<'a> {
    /// A scene as a line of JSON.
    pub fn of(scene: &'a Scene) -> SceneRow<'a> {
        SceneRow {
            r#type: StagedKind::Scene,
            challenge: match scene.asked {
                ChallengeKind::Plain => "plain",
                ChallengeKind::Leaves => "leaves",
            },
            server: match scene.server {
                Server::Honest => "honest",
                Server::Digests => "digests",
                Server::Replay => "replay",
            },
            keeps_bytes: scene.keeps,
            question_bytes: scene.question,
            answer_bytes: scene.answer,
            passes: scene.passes,
            reason: scene.why.as_deref(),
        }
    }
}
