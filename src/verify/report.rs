//! What a verification found, as text and as JSON.

use super::{Summary, Verdict};
use crate::verdict::{Comparison, Evidence, Outcome, Side, Space};
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
            .equal()
            .map(|equal| {
                let digest = equal.digest().map(ToString::to_string);
                json!({ "what": equal.what, "with": equal.with, "digest": digest })
            })
            .collect();
        let digests: Map<String, Value> =
            self.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
        let findings: Vec<String> = self.findings.iter().map(ToString::to_string).collect();
        let comparisons: Vec<Value> = self.comparisons.iter().map(comparison).collect();
        let verdict = self.verdict();
        let value = json!({ "verdict": verdict.to_string(), "verified": verdict == Verdict::Verified,
            "complete": self.is_complete(), "compared": compared, "comparisons": comparisons,
            "missing": self.missing(), "findings": findings, "digests": digests });
        format!("{value}\n")
    }
}

/// A comparison with what it covers.
fn comparison(one: &Comparison) -> Value {
    let evidence = match &one.evidence {
        Evidence::Bytes => "bytes".to_owned(),
        Evidence::Digest(digest) => digest.algorithm().to_string(),
        Evidence::Checksums => "checksums".to_owned(),
        Evidence::Fact => "fact".to_owned(),
    };
    let (result, differing) = match &one.outcome {
        Outcome::Equal => ("equal", &[][..]),
        Outcome::Unequal(ranges) => ("unequal", &ranges[..]),
    };
    let side = |side: Side| if side == Side::This { "this" } else { "other" };
    let over = &one.coverage;
    let unread =
        over.unread.iter().map(|gap| json!({ "side": side(gap.side), "offset": gap.offset, "length": gap.length }));
    let alone = over.alone.iter().map(|part| {
        json!({ "side": side(part.side), "offset": part.offset, "length": part.length, "stated-by": part.stated })
    });
    json!({ "about": one.about.to_string(), "what": one.what, "with": one.with, "evidence": evidence,
        "result": result, "of": if over.space == Space::Files { "files" } else { "content" },
        "size": over.sizes.0, "other-size": over.sizes.1, "ranges": over.compared, "differing": differing,
        "unreadable": unread.collect::<Vec<_>>(), "alone": alone.collect::<Vec<_>>() })
}
