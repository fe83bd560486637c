//! Findings by name: a stable id for each fault of a format or a run, and the level that it counts
//! with.

mod level;
mod table;

pub use level::{Level, LevelError, Levels};
pub use table::FindingId;

use crate::{Cause, Problem, Skip, StoreAnswer};
use std::fmt;
use table::{ROWS, Row};

impl FindingId {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The stable id, `area/name`.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// What can be done about it, in a sentence.
    pub fn remedy(self) -> &'static str {
        self.row().remedy
    }

    /// The level without a request.
    pub fn level(self) -> Level {
        self.row().level
    }

    /// The lowest level that a request may give it.
    pub fn lowest(self) -> Level {
        self.row().lowest
    }

    /// Why it has no level below its lowest one.
    pub fn bound(self) -> &'static str {
        match self.lowest() {
            Level::Ignore => "any level is allowed",
            Level::Warn => "something was not read or compared, and that is always said",
            Level::Error => "a difference, or bytes without a digest, always count",
        }
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Problem {
    /// The finding that it is.
    pub fn finding(&self) -> FindingId {
        self.cause.finding()
    }
}

impl Cause {
    /// The finding that it is.
    pub fn finding(&self) -> FindingId {
        use FindingId as Id;
        match self {
            Cause::Os(errno) => match crate::errno_name(*errno) {
                "ENOENT" | "ENOTDIR" => Id::FileMissing,
                "EACCES" | "EPERM" => Id::FileDenied,
                _ => Id::FileUnreadable,
            },
            Cause::Changed(_) => Id::FileChanged,
            Cause::Size { .. } => Id::FileSize,
            Cause::IsDirectory => Id::FileDirectory,
            Cause::Loop => Id::FileLoop,
            Cause::Replaced => Id::FileReplaced,
            Cause::NoFile(_) => Id::FileKind,
            Cause::Special(_) => Id::FileSpecial,
            Cause::Elsewhere => Id::FileElsewhere,
            Cause::Stalled(_) | Cause::Unending { .. } => Id::FileStalled,
            Cause::BadName(_) => Id::FileName,
            Cause::Outside => Id::FileOutside,
            Cause::NeedsLinux(_) => Id::FileSystem,
            Cause::NeedsAdministrator => Id::FileAdministrator,
            Cause::Image(_) => Id::ImageDamaged,
            Cause::Inside(finding, _) => *finding,
            Cause::Unopened(_) => Id::InsideUnopened,
            Cause::Store { answer, .. } => match answer {
                StoreAnswer::NotFound => Id::StoreMissing,
                StoreAnswer::Denied => Id::StoreDenied,
                StoreAnswer::Changed => Id::StoreChanged,
                StoreAnswer::Truncated => Id::StoreTruncated,
                StoreAnswer::BadName => Id::StoreName,
                StoreAnswer::Other => Id::StoreFailed,
            },
        }
    }
}

impl Skip {
    /// The finding that it is.
    pub fn finding(self) -> FindingId {
        use FindingId as Id;
        match self {
            Skip::Symlink => Id::SkipLink,
            Skip::Fifo | Skip::Socket | Skip::CharacterDevice | Skip::BlockDevice => Id::SkipSpecial,
            Skip::OtherFileSystem => Id::SkipFileSystem,
            Skip::Directory => Id::SkipDirectory,
            Skip::Attribute => Id::SkipAttribute,
            Skip::Own | Skip::Unfinished => Id::SkipOutput,
            Skip::Inside(_) => Id::SkipMember,
            Skip::Unopened => Id::SkipContainer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every id that a release had: one may come, none may go.
    const KEPT: &str = include_str!("ids.txt");

    #[test]
    fn ids_are_unique_have_one_form_and_never_vanish() {
        let ids: Vec<&str> = FindingId::ALL.iter().map(|finding| finding.id()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "two findings of one id");
        let is_word = |word: &str| {
            word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
                && word.bytes().next().is_some_and(|byte| byte != b'-')
                && !word.ends_with('-')
        };
        for id in &ids {
            let form = id.split_once('/').is_some_and(|(area, name)| is_word(area) && is_word(name));
            assert!(form, "{id} is not area/name");
        }
        let (kept, now): (BTreeSet<_>, BTreeSet<_>) = (KEPT.lines().collect(), ids.into_iter().collect());
        let gone: Vec<_> = kept.difference(&now).collect();
        let new: Vec<_> = now.difference(&kept).collect();
        assert!(gone.is_empty(), "an id never vanishes: {gone:?}");
        assert!(new.is_empty(), "new ones are entered in ids.txt: {new:?}");
    }

    #[test]
    fn a_row_has_its_sentences_and_a_level_that_is_allowed() {
        for finding in FindingId::ALL {
            let row = finding.row();
            assert!(row.level >= row.lowest, "{finding}");
            for sentence in [row.meaning, row.remedy] {
                assert!(sentence.ends_with('.') && sentence.len() < 110, "{finding}: {sentence}");
            }
        }
    }

    #[test]
    fn a_level_below_the_lowest_is_refused_with_the_reason() {
        let mut levels = Levels::new();
        assert_eq!(levels.of(FindingId::AuditNew), Level::Error);
        levels.read("audit/new=warn").unwrap();
        assert!(!levels.counts(FindingId::AuditNew) && levels.says(FindingId::AuditNew));
        levels.read("audit/new=ignore").unwrap();
        assert!(!levels.says(FindingId::AuditNew) && levels.counts(FindingId::AuditModified));
        for (text, word) in [
            ("check/differs=ignore", "always count"),
            ("file/unreadable=warn", "always count"),
            ("inside/unopened=ignore", "always said"),
            ("audit/new", "ID=LEVEL"),
            ("audit/nothing=warn", "no finding"),
            ("audit/new=loud", "not a level"),
        ] {
            let refused = levels.read(text).unwrap_err().to_string();
            assert!(refused.contains(word), "{text}: {refused}");
        }
        assert_eq!(levels.of(FindingId::CheckDiffers), Level::Error);
        for finding in FindingId::ALL {
            for level in Level::ALL {
                assert_eq!(Levels::new().set(*finding, level).is_ok(), level >= finding.lowest(), "{finding}={level}");
            }
        }
    }
}
