//! What a verification has found, and what it amounts to.

use super::evidence::Evidence;
use crate::exit::{self, Exit};
use pfh::Digest;
use serde_json::{Map, Value, json};

/// Something that was compared and is equal.
struct Equal {
    what: String,
    with: String,
    digest: Option<String>,
}

/// All findings, in the order in which they were made.
#[derive(Default)]
pub struct Findings {
    lines: Vec<String>,
    equal: Vec<Equal>,
    is_wrong: bool,
    is_open: bool,
}

impl Findings {
    /// Something to know.
    pub fn note(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Something that contradicts the image, or itself.
    pub fn bad(&mut self, line: String) {
        exit::say(&line);
        self.lines.push(line);
        self.is_wrong = true;
    }

    /// Something that could not be read, understood or compared.
    pub fn open(&mut self, line: String) {
        exit::say(&line);
        self.lines.push(line);
        self.is_open = true;
    }

    /// Two things were compared, and are equal.
    pub fn equal(&mut self, what: String, with: String, digest: Option<&Digest>) {
        self.equal.push(Equal { what, with, digest: digest.map(ToString::to_string) });
    }

    /// A digest that is stated, and the one that was found.
    pub fn compare(&mut self, what: &str, by: &str, stated: &Digest, found: &Digest) {
        if stated == found {
            self.lines.push(format!("{what}: {found}, as stated by {by}"));
            self.equal(what.to_owned(), by.to_owned(), Some(found));
        } else {
            self.bad(format!("{what}: stated by {by}: {stated}, found: {found}: DIFFERENT"));
        }
    }

    /// What was found beside the image.
    pub fn take(&mut self, evidence: Evidence) {
        evidence.notes.into_iter().for_each(|line| self.note(line));
        evidence.wrong.into_iter().for_each(|line| self.bad(line));
        evidence.open.into_iter().for_each(|line| self.open(line));
    }

    /// What is printed, line by line.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    fn verdict(&self) -> &'static str {
        match (self.is_wrong, self.equal.is_empty() || self.is_open) {
            (true, _) => "differs",
            (false, false) => "verified",
            (false, true) => "nothing-to-compare-with",
        }
    }

    /// The last line for people: a good verdict names its evidence.
    pub fn verdict_line(&self) -> String {
        let mut with: Vec<String> = Vec::new();
        for equal in &self.equal {
            let text = format!("{} with {}", equal.what, equal.with);
            if !with.contains(&text) {
                with.push(text);
            }
        }
        let compared = with.join("; ");
        match (self.verdict(), with.is_empty()) {
            ("verified", _) => format!("verified: {compared}"),
            ("differs", _) => "NOT VERIFIED: it differs".into(),
            (_, true) => "not verified: nothing to compare with".into(),
            (_, false) => format!("not verified: not all could be compared; equal: {compared}"),
        }
    }

    /// As JSON.
    pub fn json(&self, digests: Map<String, Value>) -> Value {
        let compared: Vec<Value> = self
            .equal
            .iter()
            .map(|equal| json!({ "what": equal.what, "with": equal.with, "digest": equal.digest }))
            .collect();
        let verdict = self.verdict();
        json!({ "verdict": verdict, "verified": verdict == "verified", "complete": !self.is_open,
                "compared": compared, "findings": self.lines, "digests": digests })
    }

    /// 0 verified, 1 something differs, 3 nothing was compared or not all could be.
    pub fn exit(&self) -> Exit {
        match self.verdict() {
            "verified" => Exit::Good,
            "differs" => Exit::Verdict,
            _ => Exit::Incomplete,
        }
    }
}
