//! What happens during a comparison, in words.

use super::{Event, Hot, Request, Searched};
use crate::rendered;
use pfh_similarity::Score;
use std::path::Path;

/// Something that this many digests have in common is reported.
const HOT: u64 = 1000;

impl Event<'_> {
    /// Sentences for people; none for what needs no word, and for files that could not be read,
    /// which the caller has the record of.
    pub fn sentences(&self, request: &Request) -> Vec<String> {
        let about = |path: &Path, what: &dyn std::fmt::Display| format!("{}: {what}", crate::shown(path));
        match self {
            Event::Refused(name, why) => vec![format!("{}: {why}", rendered(name))],
            Event::List(problem) => vec![about(problem.path.as_ref(), &problem.wrong)],
            Event::Gathered { directories, comparable } => gathered(*directories, *comparable),
            Event::Without(algorithm, count) => {
                let files = if *count == 1 { "file has" } else { "files have" };
                let name = algorithm.name();
                vec![format!("{count} {files} no digest of {name} (too short, too plain or too long)")]
            }
            Event::Costly(algorithm, hot) => vec![costly(algorithm.name(), hot)],
            Event::Saturated { algorithm, pairs, listed } => {
                let what = if *listed { "are among the pairs" } else { "are left out (--saturated shows them)" };
                let name = algorithm.name();
                let why = "a digest that is saturated, which matches random data and so anything";
                vec![format!("{name}: {pairs} pairs with {why}, {what}")]
            }
            Event::Searched(searched) => searched.sentences(request),
            _ => Vec::new(),
        }
    }
}

fn gathered(directories: u64, comparable: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if directories > 0 {
        let many = if directories == 1 { "directory was" } else { "directories were" };
        lines.push(format!("{directories} {many} left out: -r takes in what is in them"));
    }
    if !comparable {
        lines.push("nothing to compare: fewer than two digests came of what is named".into());
    }
    lines
}

fn costly(name: &str, hot: &Hot) -> String {
    let digests = hot.digests;
    let pairs = digests * (digests - 1) / 2;
    format!(
        "{name}: {digests} digests share {}: up to {pairs} pairs of them are compared, and sorted in $TMPDIR with 16 bytes each; \
         --cluster lists the groups without all pairs, a higher --threshold fewer pairs",
        hot.what
    )
}

impl Searched<'_> {
    /// What the search did.
    pub fn statistics(&self) -> String {
        let (name, found) = (self.algorithm.name(), self.found);
        format!(
            "{name}: {} digests, {} pairs, {} compared, {} passes, {} runs in a temporary file",
            self.digests, found.pairs, found.compared, found.passes, found.spilled
        )
    }

    /// What cost most of the time, the statistics if they were asked for, and what was compared
    /// with what result.
    fn sentences(&self, request: &Request) -> Vec<String> {
        let (name, found) = (self.algorithm.name(), self.found);
        let hottest = found.hottest.iter().take(3).filter(|hot| hot.digests >= HOT && !self.costly);
        let mut lines: Vec<String> = hottest
            .map(|hot| format!("{name}: {} digests share {}; none was left out for it", hot.digests, hot.what))
            .collect();
        if request.statistics {
            lines.push(self.statistics());
        }
        let many = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let best = match self.best {
            Some(Score::Similarity(score)) => format!(", the highest score {score}"),
            Some(Score::Distance(distance)) => format!(", the least distance {distance}"),
            None => String::new(),
        };
        let result = if request.cluster { many(self.written, "group") } else { many(found.pairs, "pair") };
        lines.push(format!("{name}: {} compared, {result}{best}", many(self.digests, "digest")));
        if request.top.is_some() && self.written < found.pairs {
            lines.push(format!("{name}: the {} best are listed", self.written));
        }
        lines
    }
}
