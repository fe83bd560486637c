//! Findings by name: a stable id for each fault of a format or a run, and the level that it counts
//! with.

mod level;
mod levels;
mod table;

pub use level::Level;
pub use levels::{LevelError, Levels};
pub use table::FindingId;

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
            assert!(finding.level() >= finding.lowest(), "{finding}");
            for sentence in [finding.meaning(), finding.remedy()] {
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
