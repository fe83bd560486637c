//! How many leaves are asked for.

use super::Stop;
use clap::Args;
use pfh::tree::audit::{Sample, leaves_for};

/// A confidence and a corruption, a number, or all.
#[derive(Args)]
pub struct Options {
    /// Find a corruption of the fraction --corruption with this probability.
    #[arg(long, value_name = "FRACTION", default_value_t = 0.99)]
    pub confidence: f64,
    /// The fraction of leaves that are lost or damaged.
    #[arg(long, value_name = "FRACTION", default_value_t = 0.01)]
    pub corruption: f64,
    /// So many leaves.
    #[arg(long, value_name = "N", conflicts_with_all = ["confidence", "corruption"], value_parser = clap::value_parser!(u32).range(1..))]
    pub leaves: Option<u32>,
    /// All leaves: the only sample that is sure to find a single damaged one.
    #[arg(long, conflicts_with_all = ["confidence", "corruption", "leaves"])]
    pub all: bool,
}

impl Options {
    /// The sample; 459 leaves unless something else is said.
    pub fn sample(&self) -> Result<Sample, Stop> {
        let usage = |error: pfh::tree::audit::ImpossibleSample| Stop::usage(error.to_string());
        match (self.all, self.leaves) {
            (true, _) => Ok(Sample::All),
            (false, Some(leaves)) => Sample::leaves(leaves).map_err(usage),
            (false, None) => leaves_for(self.confidence, self.corruption).and_then(Sample::leaves).map_err(usage),
        }
    }
}
