//! What a comparison found, as lines for people and for programs.

use super::class::{Class, Difference};
use super::summary::Summary;
use pfh_digest::Algorithm;
use pfh_manifest::jsonl;
use pfh_source::terminal::render;
use serde_json::json;

/// A line for people: class, name, and where it came from.
pub fn text(difference: &Difference) -> String {
    let mut line = format!("{:<8}  {}", difference.class.name(), render(&difference.name));
    if let Some(from) = &difference.from {
        line += &format!("  (from {})", render(from));
    }
    if let Some(rot) = difference.rot {
        line += &format!("  ({})", rot.sentence());
    }
    if difference.partly {
        line += "  (some digests are the same)";
    }
    if let Some(cause) = &difference.cause {
        line += &format!("  ({cause})");
    }
    line + "\n"
}

/// A JSON object per line; names that are not UTF-8 stand exactly in `…_b64`.
pub fn json(difference: &Difference) -> Vec<u8> {
    let mut line = b"{\"type\":\"diff\"".to_vec();
    jsonl::field(&mut line, "class", difference.class.name());
    jsonl::path(&mut line, &difference.name);
    if let Some(from) = &difference.from {
        jsonl::named_path(&mut line, "from", from);
    }
    if let Some(rot) = difference.rot {
        jsonl::field(&mut line, "evidence", rot.name());
    }
    if difference.partly {
        line.extend_from_slice(b",\"partly\":true");
    }
    if let Some(cause) = &difference.cause {
        jsonl::field(&mut line, "cause", cause);
    }
    line.extend_from_slice(b"}\n");
    line
}

/// The counts and the verdict as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let mut object = json!({
        "type": "summary",
        "verdict": summary.verdict().to_string(),
        "algorithms": summary.computed.iter().map(Algorithm::to_string).collect::<Vec<_>>(),
        "skipped": summary.skipped.iter().sum::<u64>(),
        "not_compared": summary.not_compared,
    });
    for class in Class::ALL {
        object[class.name()] = summary.counts.of(class).into();
    }
    if let Some(used) = summary.cache {
        object["reused"] = used.reused.into();
    }
    for (key, base) in ["base_a", "base_b"].into_iter().zip(&summary.bases).filter(|(_, base)| !base.is_empty()) {
        object[key] = String::from_utf8_lossy(base).into();
    }
    object.to_string() + "\n"
}
