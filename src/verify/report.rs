//! What a verification found, as text and as JSON.

use super::{Summary, Verdict};
use serde_json::{Map, Value, json};

impl Summary {
    /// Lines for people: findings, digests, the verdict with what was compared.
    pub fn text(&self) -> String {
        let findings = self.findings.iter().map(|finding| format!("{finding}\n"));
        let digests = self.digests.iter().map(|digest| format!("{} {digest}\n", digest.algorithm()));
        findings.chain(digests).chain([format!("{}\n", self.sentence())]).collect()
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> String {
        let compared: Vec<Value> = self
            .compared
            .iter()
            .map(|equal| {
                let digest = equal.digest.as_ref().map(ToString::to_string);
                json!({ "what": equal.what, "with": equal.with, "digest": digest })
            })
            .collect();
        let digests: Map<String, Value> =
            self.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
        let findings: Vec<String> = self.findings.iter().map(ToString::to_string).collect();
        let verdict = self.verdict();
        let value = json!({ "verdict": verdict.to_string(), "verified": verdict == Verdict::Verified,
            "complete": self.is_complete(), "compared": compared, "findings": findings, "digests": digests });
        format!("{value}\n")
    }
}
