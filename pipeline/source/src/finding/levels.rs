//! The levels of findings as a request has them.

use super::level::Level;
use super::table::FindingId;
use std::str::FromStr;

/// Why a level is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LevelError {
    /// It has not the form `ID=LEVEL`.
    #[error("{0:?} is not ID=LEVEL, as in audit/new=warn")]
    Form(String),
    /// No finding has this id.
    #[error("no finding is called {0:?}")]
    Unknown(String),
    /// No level has this name.
    #[error("{0:?} is not a level: they are ignore, warn and error")]
    Word(String),
    /// Safety does not allow it.
    #[error("{finding} cannot be set to {level}: {}", .finding.bound())]
    TooLow {
        /// The finding.
        finding: FindingId,
        /// The level that was asked for.
        level: Level,
    },
}

/// The levels of findings: those of the table, but for the ones that a request changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels(Vec<(FindingId, Level)>);

impl Levels {
    /// Those of the table.
    pub fn new() -> Levels {
        Levels::default()
    }

    /// Gives a finding this level; the last request of a finding counts.
    ///
    /// # Errors
    /// If safety does not allow the level: a digest that differs and bytes without a digest always
    /// count.
    pub fn set(&mut self, finding: FindingId, level: Level) -> Result<(), LevelError> {
        if level < finding.lowest() {
            return Err(LevelError::TooLow { finding, level });
        }
        self.0.retain(|(other, _)| *other != finding);
        self.0.push((finding, level));
        Ok(())
    }

    /// Takes `ID=LEVEL`, and gives the finding.
    ///
    /// # Errors
    /// If it has another form, names no finding or no level, or safety does not allow it.
    pub fn read(&mut self, text: &str) -> Result<FindingId, LevelError> {
        let (id, level) = text.split_once('=').ok_or_else(|| LevelError::Form(text.to_owned()))?;
        let finding = id.parse()?;
        let found = Level::ALL.into_iter().find(|one| one.name() == level);
        self.set(finding, found.ok_or_else(|| LevelError::Word(level.to_owned()))?)?;
        Ok(finding)
    }

    /// The level of a finding.
    pub fn of(&self, finding: FindingId) -> Level {
        let found = self.0.iter().find(|(other, _)| *other == finding);
        found.map_or(finding.level(), |(_, level)| *level)
    }

    /// Whether a finding decides the verdict and the exit code.
    pub fn counts(&self, finding: FindingId) -> bool {
        self.of(finding) == Level::Error
    }

    /// Whether a finding is said.
    pub fn says(&self, finding: FindingId) -> bool {
        self.of(finding) != Level::Ignore
    }
}

impl FromStr for FindingId {
    type Err = LevelError;

    fn from_str(id: &str) -> Result<FindingId, LevelError> {
        let found = FindingId::ALL.iter().find(|finding| finding.id() == id);
        found.copied().ok_or_else(|| LevelError::Unknown(id.to_owned()))
    }
}
