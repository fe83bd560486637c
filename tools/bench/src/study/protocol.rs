//! The answer of a runner: `bench/runners/README.md`.

use serde::{Deserialize, Serialize};

/// The first line of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Name of the language's runtime or compiler.
    pub runtime: String,
    /// Its version.
    pub version: String,
    /// Where its hash functions come from.
    pub provider: String,
    /// The algorithm, by the protocol's name.
    pub algorithm: String,
    /// Length of the message in bytes.
    pub bytes: u64,
}

/// One timed repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Counted from 0.
    pub index: u64,
    /// Lower-case hexadecimal digits.
    pub digest: String,
    /// Nanoseconds of a monotonic clock.
    pub wall_ns: u64,
    /// Nanoseconds of CPU time.
    pub cpu_ns: u64,
}

/// All that one process said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its first line.
    pub header: Header,
    /// One line per repeat.
    pub repeats: Vec<Repeat>,
}

impl Answer {
    /// Reads the output of a runner with `--json`. The reason why it cannot be: a line that does
    /// not fit, repeats that are missing or out of order.
    pub fn parse(text: &str, repeats: u64) -> Result<Answer, String> {
        let mut lines = text.lines();
        let header = lines.next().ok_or("no answer")?;
        let header: Header = serde_json::from_str(header).map_err(|error| format!("header: {error}"))?;
        let parsed: Result<Vec<Repeat>, _> = lines.map(serde_json::from_str).collect();
        let parsed = parsed.map_err(|error| format!("repeat: {error}"))?;
        if parsed.len() as u64 != repeats || parsed.iter().enumerate().any(|(i, repeat)| repeat.index != i as u64) {
            return Err(format!("{} repeats asked, {} answered", repeats, parsed.len()));
        }
        Ok(Answer { header, repeats: parsed })
    }

    /// Why its times must not count: it hashed something else, or came to another digest.
    pub fn fault(&self, bytes: u64, expected: &str) -> Option<String> {
        if self.header.bytes != bytes {
            return Some(format!("read {} bytes of a message of {bytes}", self.header.bytes));
        }
        let wrong = self.repeats.iter().find(|repeat| repeat.digest != expected)?;
        Some(format!("digest {} in place of {expected}", wrong.digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"runtime":"R","version":"1","provider":"P","algorithm":"md5","bytes":3}"#;

    fn line(index: u64, digest: &str) -> String {
        format!(r#"{{"index":{index},"digest":"{digest}","wall_ns":5,"cpu_ns":4}}"#)
    }

    #[test]
    fn good_answers() {
        let text = format!("{HEADER}\n{}\n{}\n", line(0, "ab"), line(1, "ab"));
        let answer = Answer::parse(&text, 2).unwrap();
        assert_eq!(answer.repeats[1], Repeat { index: 1, digest: "ab".into(), wall_ns: 5, cpu_ns: 4 });
        assert_eq!(answer.fault(3, "ab"), None);
        assert!(answer.fault(4, "ab").unwrap().contains("3 bytes"));
        assert!(answer.fault(3, "ac").unwrap().contains("in place of ac"));
    }

    #[test]
    fn one_wrong_digest_among_right_ones_is_a_fault() {
        let text = format!("{HEADER}\n{}\n{}\n", line(0, "ab"), line(1, "AB"));
        assert!(Answer::parse(&text, 2).unwrap().fault(3, "ab").is_some());
    }

    #[test]
    fn bad_answers() {
        let few = format!("{HEADER}\n{}\n", line(0, "ab"));
        let twice = format!("{HEADER}\n{}\n{}\n", line(0, "ab"), line(0, "ab"));
        let negative = format!("{HEADER}\n{}", line(0, "ab").replace(":5", ":-5"));
        for text in ["", "{}", "0 ab 5", &few, &twice, &negative, &format!("{HEADER}\nnoise\n")] {
            assert!(Answer::parse(text, 2).is_err(), "{text}");
        }
    }
}
