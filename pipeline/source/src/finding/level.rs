//! The level of a finding.

use std::fmt;

/// How much a finding counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// It is in the rows, and nothing else.
    Ignore,
    /// It is said as well; the exit code is that of a run without it.
    Warn,
    /// It is said, and decides the verdict and the exit code.
    Error,
}

impl Level {
    /// Every level, the lowest first.
    pub const ALL: [Level; 3] = [Level::Ignore, Level::Warn, Level::Error];

    /// The word in requests and output.
    pub fn name(self) -> &'static str {
        match self {
            Level::Ignore => "ignore",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
