//! Many worlds.

use crate::draw::draw;
use crate::laws::Breach;
use crate::play::{Keep, play};
use crate::random::Random;
use crate::script::Script;
use crate::shrink::shrink;
use std::collections::BTreeMap;
use std::fmt;
use std::io;

/// The worlds of a campaign.
#[derive(Debug, Default)]
pub struct Campaign {
    /// How many were played.
    pub worlds: u64,
    /// Jobs that ran in them.
    pub jobs: u64,
    /// Calls of the system that were seen.
    pub calls: u64,
    /// Acts that came to pass, by their first word.
    pub acts: BTreeMap<String, u64>,
    /// The worlds that broke a law.
    pub failures: Vec<Failure>,
}

/// A world that broke a law.
#[derive(Debug)]
pub struct Failure {
    /// Its number.
    pub seed: u64,
    /// The laws.
    pub breaches: Vec<Breach>,
    /// Its shrunk script.
    pub script: Script,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "world {}:", self.seed)?;
        self.breaches.iter().try_for_each(|breach| writeln!(f, "  {breach}"))?;
        write!(f, "{}", self.script)
    }
}

/// The seed of a world of a campaign.
pub fn seed(campaign: u64, world: u64) -> u64 {
    Random::new(campaign ^ world.wrapping_mul(0xA24B_AED4_963E_E407)).number()
}

/// Plays the worlds `from..to` of a campaign; after `most` that broke a law it ends.
///
/// # Errors
/// The system's, on the files of the worlds themselves.
pub fn run(campaign: u64, from: u64, to: u64, most: usize) -> io::Result<Campaign> {
    let mut all = Campaign::default();
    for number in from..to {
        let seed = seed(campaign, number);
        let script = draw(seed);
        let world = play(&script, Keep::Breaches)?;
        all.worlds += 1;
        all.jobs += world.jobs;
        all.calls += world.calls;
        for (act, count) in world.acts {
            *all.acts.entry(act).or_default() += count;
        }
        if let Some(first) = world.breaches.first() {
            let script = shrink(&script, first.law);
            all.failures.push(Failure { seed, breaches: world.breaches, script });
            if all.failures.len() >= most {
                break;
            }
        }
    }
    Ok(all)
}
