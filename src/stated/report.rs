//! What came of objects, as lines.

use super::claim::Claim;
use super::judge::{Came, Judged};
use super::summary::Summary;
use crate::Verdict;
use data_encoding::BASE64;
use pfh_source::terminal::render;
use serde_json::{Map, Value, json};

/// What is to be said of an object that is not simply verified, a sentence each.
pub fn sentences(judged: &Judged) -> Vec<String> {
    let differs = judged.findings.iter().filter_map(|(claim, came)| match came {
        Came::Differs(found) => {
            let parts = claim.parts.map(|parts| format!(" of {parts} parts")).unwrap_or_default();
            let (by, algorithm, stated) = (&claim.by, claim.digest.algorithm(), &claim.digest);
            Some(format!("{by} states {algorithm}{parts} {stated}, the object has {found}"))
        }
        _ => None,
    });
    let mut all: Vec<String> = differs.collect();
    all.extend(judged.not_compared().map(|what| format!("not compared: {what}")));
    if judged.verdict() == Verdict::NothingToCompareWith {
        all.extend(judged.remarks.iter().cloned());
        if all.is_empty() {
            all.push("the store states nothing of it".into());
        }
    }
    all
}

/// A line for people.
pub fn line(name: &[u8], judged: &Judged) -> String {
    let word = match judged.verdict() {
        Verdict::Verified => "OK",
        Verdict::Differs => "FAILED",
        _ => "nothing to compare with",
    };
    format!("{}: {word}\n", render(name))
}

/// A JSON object per line.
pub fn json(name: &[u8], judged: &Judged) -> String {
    let finding = |(claim, came): &(Claim, Came)| {
        let mut object = Map::new();
        object.insert("by".into(), claim.by.to_string().into());
        object.insert("algorithm".into(), claim.digest.algorithm().to_string().into());
        object.insert("stated".into(), claim.digest.to_string().into());
        if let Some(parts) = claim.parts {
            object.insert("parts".into(), parts.get().into());
        }
        let result = match came {
            Came::Same(size) => {
                size.iter().for_each(|size| drop(object.insert("part_size".into(), (*size).into())));
                "same"
            }
            Came::Differs(found) => {
                object.insert("found".into(), found.to_string().into());
                "differs"
            }
            Came::NotCompared(_) => "not-compared",
        };
        object.insert("result".into(), result.into());
        Value::from(object)
    };
    let mut object = Map::new();
    object.insert("type".into(), "object".into());
    object.insert("verdict".into(), judged.verdict().to_string().into());
    object.insert("path".into(), String::from_utf8_lossy(name).into());
    if str::from_utf8(name).is_err() {
        object.insert("path_b64".into(), BASE64.encode(name).into());
    }
    object.insert("stated".into(), judged.findings.iter().map(finding).collect());
    object.insert("remarks".into(), sentences(judged).into());
    Value::from(object).to_string() + "\n"
}

/// The counts and the verdict as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let object = json!({
        "type": "summary",
        "verdict": summary.verdict().to_string(),
        "objects": summary.objects(),
        "verified": summary.verified,
        "failed": summary.different,
        "nothing": summary.nothing,
        "unread": summary.unread,
        "compared": summary.by,
        "not_compared": summary.not_compared(),
    });
    object.to_string() + "\n"
}
