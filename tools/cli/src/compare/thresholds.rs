//! `--threshold`: one for all algorithms, or one for each.

use pfh::similarity::Score;
use pfh::sink::compare::Search;

/// The thresholds asked for.
pub struct Thresholds {
    named: Vec<(Option<String>, u32)>,
    parity: bool,
}

impl Thresholds {
    /// Reads `N` and `NAME=N`; `parity`: what is not named is as the reference tools have it.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn parse(texts: &[String], parity: bool) -> Result<Thresholds, String> {
        let mut named = Vec::new();
        for text in texts {
            let (name, number) = match text.split_once('=') {
                Some((name, number)) => {
                    (Some(pfh::algorithm(name).map_err(|e| e.to_string())?.name().to_owned()), number)
                }
                None => (None, text.as_str()),
            };
            let number: u32 = number.parse().map_err(|_| format!("--threshold takes a number, not {text:?}"))?;
            if number > 100 && name.as_deref().is_some_and(|name| name != "tlsh") {
                return Err("a similarity is at most 100".into());
            }
            named.push((name, number));
        }
        Ok(Thresholds { named, parity })
    }

    /// The same one for all, or the defaults.
    pub fn one(number: Option<u32>) -> Thresholds {
        Thresholds { named: number.map(|number| (None, number)).into_iter().collect(), parity: false }
    }

    /// The threshold of an algorithm.
    pub fn of(&self, algorithm: &str) -> Score {
        let fits = |(name, _): &&(Option<String>, u32)| name.as_deref().is_none_or(|name| name == algorithm);
        let found = self.named.iter().rev().find(fits).map(|(_, number)| *number);
        match (found, Search::default_threshold(algorithm, self.parity)) {
            (None, default) => default,
            (Some(number), Score::Distance(_)) => Score::Distance(number),
            // Above 100 nothing is found, whatever the number.
            (Some(number), Score::Similarity(_)) => Score::Similarity(number.min(101) as u8),
        }
    }
}
