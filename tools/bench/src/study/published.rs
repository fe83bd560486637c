//! The study's own times of 2014, as far as they are published in figures: what stands beside a repetition.

use crate::message::Method;
use crate::statistics::{Line, Point, least_squares};

/// One program of the study on one system: elapsed milliseconds over MiB.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// `linux` or `windows`.
    pub system: &'static str,
    /// The study's name of the language, such as `c_openssl`.
    pub language: &'static str,
    /// The algorithm.
    pub method: Method,
    /// MiB and milliseconds, shortest message first.
    pub times: Vec<(f64, f64)>,
}

/// How far a value may be off, in milliseconds: half a pixel of the plot, and the rounding of where it was drawn.
pub const READING_ERROR: f64 = 60.0;

/// Every program whose times could be read off.
pub fn published() -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    for line in include_str!("../../data/study-2014.csv").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&'static str> = line.split(',').collect();
        let number = |text: &str| text.parse::<f64>().expect("a number of ours");
        let [system, language, method, size, time] = fields[..] else { panic!("five fields of ours") };
        let method: Method = method.parse().expect("an algorithm of ours");
        let at = (number(size), number(time));
        let same = |p: &&mut Program| (p.system, p.language, p.method) == (system, language, method);
        match programs.iter_mut().find(same) {
            Some(program) => program.times.push(at),
            None => programs.push(Program { system, language, method, times: vec![at] }),
        }
    }
    programs
}

impl Program {
    /// The study's line y = a + bx over these sizes.
    pub fn line(&self) -> Line {
        let points: Vec<Point> = self.times.iter().map(|&(x, y)| Point { x, y }).collect();
        least_squares(&points).expect("five sizes")
    }

    /// Milliseconds on the longest message, 1024 MiB.
    pub fn longest(&self) -> f64 {
        self.times.last().expect("five sizes").1
    }

    /// Milliseconds per MiB on the longest message.
    pub fn cost(&self) -> f64 {
        self.longest() / self.times.last().expect("five sizes").0
    }

    /// What the runners of today are called that do the same; a trailing hyphen stands for any version.
    pub fn today(&self) -> Option<&'static str> {
        match self.language {
            "c_openssl" => Some("c-openssl"),
            "java" => Some("java-"),
            "python" => Some("python"),
            "ruby" => Some("ruby"),
            "c#" => Some("csharp-"),
            // WinCrypto runs on Windows only.
            _ => None,
        }
    }

    /// The system and the language, for people.
    pub fn label(&self) -> String {
        let language = match self.language {
            "c_openssl" => "C, OpenSSL",
            "c_wincrypto" => "C, WinCrypto",
            "c#" => "C#",
            "java" => "Java",
            "python" => "Python",
            "ruby" => "Ruby",
            other => other,
        };
        format!("{language} ({}, 2014)", if self.system == "linux" { "Linux" } else { "Windows" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(system: &str, language: &str, method: Method) -> Program {
        let same = |p: &Program| (p.system, p.language, p.method) == (system, language, method);
        published().into_iter().find(same).unwrap()
    }

    #[test]
    fn everything_that_could_be_read_is_there() {
        let all = published();
        // Four languages on Linux and six on Windows, four algorithms; C# with two of them spreads too far.
        assert_eq!(all.len(), 4 * 4 + 6 * 4 - 2);
        for program in &all {
            let sizes: Vec<f64> = program.times.iter().map(|time| time.0).collect();
            assert_eq!(sizes, [512.0, 640.0, 768.0, 896.0, 1024.0], "{program:?}");
        }
    }

    /// Hashing takes time in proportion, so that what was read off must lie on a line through 0 as well as the reading allows: a dot taken
    /// for another's would not.
    #[test]
    fn what_was_read_lies_on_lines() {
        for program in published() {
            for &(size, time) in &program.times {
                let expected = program.cost() * size;
                // Java on Linux and C# leave the line by some per cent of their own.
                let allowed = 2.0 * READING_ERROR + 0.04 * expected;
                assert!((time - expected).abs() <= allowed, "{program:?}: {time} at {size}, not {expected:.0}");
            }
        }
    }

    /// The study's words: Java on Linux takes 1.6 to 3.7 times as long as OpenSSL; Python and Ruby take what OpenSSL takes, for they use it;
    /// on Windows Java is ahead of OpenSSL with SHA-512.
    #[test]
    fn the_studys_findings_come_out() {
        let over = |language: &str, method| {
            of("linux", language, method).longest() / of("linux", "c_openssl", method).longest()
        };
        let java: Vec<f64> = Method::ALL[..4].iter().map(|&method| over("java", method)).collect();
        let (least, most) = (java.iter().copied().fold(f64::MAX, f64::min), java.iter().copied().fold(0.0, f64::max));
        assert!((1.6..1.7).contains(&least) && (3.65..3.75).contains(&most), "{java:?}");
        for (language, &method) in
            ["python", "ruby"].into_iter().flat_map(|l| Method::ALL[..4].iter().map(move |m| (l, m)))
        {
            assert!((0.95..1.05).contains(&over(language, method)), "{language} {method}");
        }
        assert!(of("windows", "java", Method::Sha512).longest() < of("windows", "c_openssl", Method::Sha512).longest());
    }
}
