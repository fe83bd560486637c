//! Audits of a storage server as text and JSON.

use super::{counted, many};
use pfh::Verdict;
#[cfg(feature = "serve")]
use pfh::audit::Served;
use pfh::audit::demo::{self, Asked, Scene, Server};
use pfh::audit::{AuditVerdict, Event, Evidence, renew};
use pfh::hex;
use pfh::manifest::row::{self, Hex, Path, Word};
use pfh::terminal::render;
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
enum With {
    Root,
    Copy,
    Token,
}

/// A verdict over an answer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line<'a> {
    r#type: Kind,
    #[serde(flatten)]
    name: Path<'a>,
    algorithm: &'a str,
    audit: Outcome,
    compared_with: With,
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
}

/// A verdict as a line of JSON.
pub fn json(verdict: &AuditVerdict) -> String {
    let (word, audit, reason) = match &verdict.result {
        Ok(()) => (Verdict::Verified, Outcome::Proved, None),
        Err(error) if error.is_verdict() => (Verdict::Differs, Outcome::Rejected, Some(error.to_string())),
        Err(error) => (Verdict::NothingToCompareWith, Outcome::NotAsked, Some(error.to_string())),
    };
    row::line(&Line {
        r#type: if verdict.files.is_some() { Kind::AuditSet } else { Kind::Audit },
        name: Path(&verdict.identity),
        algorithm: verdict.algorithm,
        audit,
        compared_with: match verdict.evidence {
            Evidence::Copy => With::Copy,
            Evidence::Token => With::Token,
            _ => With::Root,
        },
        files: verdict.files.map(|(_, all)| all),
        files_asked: verdict.files.map(|(asked, _)| asked),
        finds: Finds { loss: verdict.loss, probability: floor(verdict.finds()) },
        leaves: verdict.leaves.0,
        leaves_of_file: verdict.leaves.1,
        reason,
        seconds: verdict.time.map(|time| time.as_secs_f64()),
        signed: verdict.signer.is_some(),
        signed_by: verdict.signer.as_ref().map(|(key, _)| Hex(key.as_bytes())),
        signer_was_asked_for: verdict.signer.map(|(_, named)| named),
        transcript: verdict.transcript.as_ref().map(|transcript| Hex(&transcript[..])),
        verdict: Word(word),
    })
}

/// A verdict as a line for people.
pub fn text(verdict: &AuditVerdict) -> String {
    let name = render(&verdict.identity);
    let time = verdict.time.map_or_else(String::new, |time| format!("; in {:.3} s", time.as_secs_f64()));
    match &verdict.result {
        Ok(()) => {
            let signed = match &verdict.signer {
                None => String::new(),
                Some((key, true)) => format!("; signed by {}", hex::encode(key.as_bytes())),
                Some((key, false)) => {
                    format!("; signed by {}, a key that was not asked for", hex::encode(key.as_bytes()))
                }
            };
            format!("{name}: PROVED: {}; {}{signed}{time}\n", compared(verdict), found(verdict))
        }
        Err(error) if error.is_verdict() => format!("{name}: REJECTED: {error}{time}\n"),
        Err(error) => format!("{name}: NOT ASKED: {error}\n"),
    }
}

/// The two sides of the comparison.
fn compared(verdict: &AuditVerdict) -> String {
    let ((asked, all), algorithm) = (verdict.leaves, verdict.algorithm);
    let all = many(all, "leaf", "leaves");
    let of = match verdict.files {
        Some((asked, all)) => format!(" of {} ({asked} asked)", counted(all as u64, "file")),
        None => String::new(),
    };
    match verdict.evidence {
        Evidence::Copy => {
            format!("the keyed digest of {asked} of {all} is that of your copy, which gives the kept {algorithm} root")
        }
        Evidence::Token => format!("the keyed digest of {asked} of {all} is that of the token"),
        _ => {
            let give = if asked == 1 { "gives" } else { "give" };
            format!("{asked} of {all}{of} {give} the kept {algorithm} root")
        }
    }
}

fn found(verdict: &AuditVerdict) -> String {
    let (asked, all) = verdict.leaves;
    if asked == all {
        return "any loss is found".into();
    }
    let percent = format!("{:.6}", 100.0 * verdict.loss);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    format!("a loss of {percent} % is found with p = {:.3}", floor(verdict.finds()))
}

/// Rounded down: a probability is never stated higher than it is.
fn floor(probability: f64) -> f64 {
    // The last digits that computing lost make no thousandth.
    if probability >= 1.0 { 1.0 } else { (probability * 1000.0 + 1e-9).floor() / 1000.0 }
}

fn renewed(summary: &renew::Summary) -> String {
    let range = |range: &std::ops::Range<u64>| format!("{}:{}", range.start, range.end - range.start);
    format!(
        "{}: from the kept {} root to {}: nothing changed but the leaves at {}",
        render(&summary.identity),
        summary.commitment.parameters().function().name(),
        hex::encode(summary.commitment.root()),
        summary.ranges.iter().map(range).collect::<Vec<_>>().join(",")
    )
}

/// One question and its answer on the stage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Staged<'a> {
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

/// A scene as a line of JSON.
pub fn scene_json(scene: &Scene) -> String {
    row::line(&Staged {
        r#type: StagedKind::Scene,
        challenge: match scene.asked {
            Asked::Plain => "plain",
            Asked::Leaves => "leaves",
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
    })
}

/// The objects on the stage.
pub fn stage(bytes: u64) -> String {
    format!("M: {} of random bytes. C: a fresh random number for each question.\n", pfh::terminal::size_text(bytes))
}

/// A scene as lines for people.
pub fn scene(scene: &Scene) -> String {
    let who = match (scene.asked, scene.server) {
        (_, Server::Honest) => "an honest server, which has M",
        (Asked::Plain, _) => "a server that deleted M and kept the state of SHA-256 after it",
        (Asked::Leaves, Server::Digests) => "a server that deleted M and kept all digests of its tree",
        (Asked::Leaves, Server::Replay) => "a server that deleted M and kept its digests and an earlier answer",
    };
    let asked = match scene.asked {
        Asked::Plain => "plain challenge, expects H(M||C)",
        Asked::Leaves => "challenge over leaves, expects the kept root",
    };
    let Scene { keeps, question, answer, .. } = scene;
    let verdict = match &scene.why {
        None => "PASSES".to_owned(),
        Some(why) => format!("REJECTED: {why}"),
    };
    format!("\n{who} ({keeps} bytes)\n  {asked}\n  question {question} bytes, answer {answer} bytes\n  {verdict}\n")
}

/// The end of the demonstration.
pub fn moral(summary: &demo::Summary) -> String {
    let moral = match summary.is_as_claimed() {
        true => "Without the data the plain challenge can be answered, and the challenge over leaves cannot",
        false => "This differs from the paper",
    };
    format!("\n{moral} ({:.1} s).\n", summary.took.as_secs_f64())
}

/// The sentence of an event that is not a verdict.
pub fn sentence(event: &Event<'_>) -> String {
    let shown = |path: &std::path::Path| render(path.as_os_str().as_encoded_bytes());
    match event {
        Event::Judged(verdict) => text(verdict).trim_end().to_owned(),
        Event::Partly { name, proved, of } => {
            let files = if *of == 1 { "file proved its part" } else { "files proved their part" };
            format!("{}: {proved} of {of} {files}", render(name))
        }
        Event::LastToken(path) => format!("{}: that was the last token", shown(path)),
        Event::Missed(error) => crate::remedy::sentence(error),
        Event::Renewed(summary) => renewed(summary),
        #[cfg(feature = "serve")]
        Event::Listening { address, files, directory } => {
            format!("http://{address}: {} of {}", counted(*files as u64, "file"), shown(directory))
        }
        #[cfg(feature = "serve")]
        Event::Answered(Served { peer, identity, status, reason, .. }) => {
            let identity = identity.as_deref().map_or_else(|| "-".to_owned(), render);
            format!("{peer}: {identity}: {status} {reason}").trim_end().to_owned()
        }
        _ => String::new(),
    }
}
