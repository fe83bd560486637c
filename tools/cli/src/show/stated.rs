//! Objects against the values that their stores state: lines.

use pfh::Verdict;
use pfh::stated::ObjectJudgement;
use pfh::terminal::render;

/// A line for people.
pub fn line(name: &[u8], judged: &ObjectJudgement) -> String {
    let word = match judged.verdict() {
        Verdict::Verified => "OK",
        Verdict::Differs => "FAILED",
        _ => "nothing to compare with",
    };
    format!("{}: {word}\n", render(name))
}

/// Why an object is not verified by every stated value, with the option that helps.
pub fn sentences(judged: &ObjectJudgement) -> Vec<String> {
    let helped = |said: String| match said.strip_suffix("name the size of its parts") {
        Some(front) => format!("{front}--part-size says the size"),
        None => said,
    };
    judged.sentences().into_iter().map(helped).collect()
}
