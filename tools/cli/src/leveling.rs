//! How much findings count: `--level ID=LEVEL`, on every command that says findings.

use clap::Args;
use pfh::{FindingId, Level, LevelError, Levels, Plan};

/// The levels that are asked for.
#[derive(Debug, Clone, Default, Args)]
pub struct Leveling {
    /// Level of a finding: ignore, warn or error, as far as safety allows; `pfh help findings`
    /// lists all.
    #[arg(long, value_name = "ID=LEVEL", value_delimiter = ',', value_parser = one)]
    pub level: Vec<(FindingId, Level)>,
}

/// Reads `ID=LEVEL`; one that safety does not allow is refused.
fn one(text: &str) -> Result<(FindingId, Level), LevelError> {
    let mut levels = Levels::new();
    let finding = levels.read(text)?;
    Ok((finding, levels.of(finding)))
}

impl Leveling {
    /// The levels. The last one of a finding counts.
    pub fn asked(&self) -> Levels {
        let mut levels = Levels::new();
        for (finding, level) in &self.level {
            // One that is not allowed was refused when it was read.
            let _ = levels.set(*finding, *level);
        }
        levels
    }

    /// A plan with these levels.
    pub fn plan(&self, mut plan: Plan) -> Plan {
        plan.levels = self.asked();
        plan
    }
}
