//! What was found in a bag, as lines for people and for programs.

use super::event::Finding;
use super::summary::Summary;
use pfh_digest::Algorithm;
use pfh_manifest::jsonl;
use pfh_source::terminal::render;
use serde_json::json;

/// A finding for people.
pub fn text(finding: &Finding) -> String {
    format!("{:<10}  {}: {}\n", finding.severity.name(), render(&finding.path), render(finding.what.as_bytes()))
}

/// A finding as one JSON object.
pub fn json(finding: &Finding) -> Vec<u8> {
    let mut line = b"{\"type\":\"finding\"".to_vec();
    jsonl::field(&mut line, "severity", finding.severity.name());
    jsonl::path(&mut line, &finding.path);
    jsonl::field(&mut line, "what", &finding.what);
    line.extend_from_slice(b"}\n");
    line
}

/// What became of the bag, as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let object = json!({
        "type": "summary",
        "verdict": summary.verdict().to_string(),
        "version": summary.version.map(|(major, minor)| format!("{major}.{minor}")),
        "algorithms": summary.algorithms.iter().map(Algorithm::to_string).collect::<Vec<_>>(),
        "files": summary.files,
        "bytes": summary.bytes,
        "tag_files": summary.tags,
        "to_fetch": summary.fetch,
        "errors": summary.errors,
        "incomplete": summary.incomplete,
        "warnings": summary.warnings,
    });
    object.to_string() + "\n"
}

/// What was packed, as one JSON object. There is no verdict: nothing was compared.
pub fn made_json(summary: &Summary) -> String {
    let object = json!({
        "type": "summary",
        "algorithms": summary.algorithms.iter().map(Algorithm::to_string).collect::<Vec<_>>(),
        "files": summary.files,
        "bytes": summary.bytes,
        "tag_files": summary.tags,
    });
    object.to_string() + "\n"
}
