//! How many leaves are asked for.

use super::Stop;
use clap::Args;
use pfh::tree::audit::{Sample, leaves_for};

/// A confidence and a loss, a number, or all.
#[derive(Args, Debug, Clone)]
pub struct Options {
    /// The loss that is to be found: a fraction of the leaves, lost or damaged (1% or 0.01).
    #[arg(long = "find", alias = "corruption", value_name = "LOSS", value_parser = fraction, default_value = "1%")]
    pub find: f64,
    /// The probability with which it is to be found (.99 or 99%).
    #[arg(long, value_name = "PROBABILITY", value_parser = fraction, default_value = ".99")]
    pub confidence: f64,
    /// Ask for this number of leaves, at most 4,194,304.
    #[arg(long, value_name = "N", conflicts_with_all = ["confidence"], value_parser = clap::value_parser!(u32).range(1..))]
    pub leaves: Option<u32>,
    /// All leaves: the only sample that is sure to find a single damaged one.
    #[arg(long, conflicts_with_all = ["confidence", "find", "leaves"])]
    pub all: bool,
}

/// Reads `1%`, `0.01` or `.01`.
pub fn fraction(text: &str) -> Result<f64, String> {
    let (digits, unit) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let wrong = || format!("{text:?} is no fraction between 0 and 1: write 1% or 0.01");
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    Some(number / unit).filter(|fraction| *fraction > 0.0 && *fraction < 1.0).ok_or_else(wrong)
}

impl Options {
    /// The sample; 459 leaves unless something else is asked for.
    pub fn sample(&self) -> Result<Sample, Stop> {
        let usage = |error: pfh::tree::audit::ImpossibleSample| Stop::usage(error.to_string());
        match (self.all, self.leaves) {
            (true, _) => Ok(Sample::All),
            (false, Some(leaves)) => Sample::leaves(leaves).map_err(usage),
            (false, None) => leaves_for(self.confidence, self.find).and_then(Sample::leaves).map_err(usage),
        }
    }
}
