//! The meaning of membership in a set.

use pfh_manifest::row::Words;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The class that a set gets when it is built.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Class {
    /// Its files are known to be bad.
    Bad,
    /// Its files are to be looked at; counts as bad in a verdict.
    Notable,
    /// Its files are known to be good.
    Good,
    /// Its files are part of a system as delivered and unchanged; good or bad is not said.
    NoChange,
    /// A class of one's own.
    Other(String),
}

/// A text that names no class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedClass(String);

impl fmt::Display for MalformedClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a class: letters, digits, - and _, at most 64 of them", self.0)
    }
}

impl std::error::Error for MalformedClass {}

impl FromStr for Class {
    type Err = MalformedClass;

    fn from_str(text: &str) -> Result<Class, MalformedClass> {
        Ok(match text {
            "bad" => Class::Bad,
            "notable" => Class::Notable,
            "good" => Class::Good,
            "no-change" => Class::NoChange,
            other => {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
                if other.is_empty() || other.len() > 64 || !other.bytes().all(plain) {
                    return Err(MalformedClass(other.to_owned()));
                }
                Class::Other(other.to_owned())
            }
        })
    }
}

impl TryFrom<String> for Class {
    type Error = MalformedClass;

    fn try_from(text: String) -> Result<Class, MalformedClass> {
        text.parse()
    }
}

impl From<Class> for String {
    fn from(class: Class) -> String {
        class.name().to_owned()
    }
}

impl Class {
    /// The name: `bad`, `notable`, `good`, `no-change`, or one's own.
    pub fn name(&self) -> &str {
        match self {
            Class::Bad => "bad",
            Class::Notable => "notable",
            Class::Good => "good",
            Class::NoChange => "no-change",
            Class::Other(name) => name,
        }
    }

    /// The class of an entry whose set says more of it. NSRL publishes malicious files among the
    /// others, with the special code M, and those to look at with S (Data Formats of the NSRL
    /// Reference Data Set, "SpecialCode"): known is not good, even if the set is called good.
    ///
    /// Project VIC and CAID publish media of category 0 and 5 beside those that are illegal: they
    /// are not, or nobody has said so (Project VIC, data model 2.0, "Category").
    pub(crate) fn of_entry(&self, tag: Option<&str>, format: &str) -> Class {
        match (self, tag) {
            (Class::Bad | Class::Notable, Some("category 0" | "category 5")) if format == "vics" => {
                Class::Other("uncategorised".to_owned())
            }
            (Class::Bad | Class::Notable, _) => self.clone(),
            (_, Some("special code M")) => Class::Bad,
            (_, Some("special code S")) => Class::Notable,
            _ => self.clone(),
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The verdict of the sets on one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KnownStatus {
    /// At least one set of class bad or notable holds it, even if others call it good.
    KnownBad,
    /// A set of class good holds it, and none of class bad or notable.
    KnownGood,
    /// Only sets that are neither good nor bad hold it.
    Known,
    /// Only a probabilistic filter holds it: it may be known.
    Maybe,
    /// No set holds it.
    Unknown,
    /// Nothing can be said: it could not be read.
    Error,
}

impl Words for KnownStatus {
    const ALL: &'static [KnownStatus] = &KnownStatus::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl KnownStatus {
    /// Every verdict, worst first.
    pub const ALL: [KnownStatus; 6] = [
        KnownStatus::KnownBad,
        KnownStatus::KnownGood,
        KnownStatus::Known,
        KnownStatus::Maybe,
        KnownStatus::Unknown,
        KnownStatus::Error,
    ];

    /// The verdict of sets of these classes; `None` in the list stands for a "maybe".
    pub fn of<'a>(classes: impl IntoIterator<Item = Option<&'a Class>>) -> KnownStatus {
        let one = |class: Option<&Class>| match class {
            None => KnownStatus::Maybe,
            Some(Class::Bad | Class::Notable) => KnownStatus::KnownBad,
            Some(Class::Good) => KnownStatus::KnownGood,
            Some(Class::NoChange | Class::Other(_)) => KnownStatus::Known,
        };
        classes.into_iter().map(one).min().unwrap_or(KnownStatus::Unknown)
    }

    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            KnownStatus::KnownBad => "known-bad",
            KnownStatus::KnownGood => "known-good",
            KnownStatus::Known => "known",
            KnownStatus::Maybe => "maybe",
            KnownStatus::Unknown => "unknown",
            KnownStatus::Error => "error",
        }
    }
}

impl fmt::Display for KnownStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_outweighs_good() {
        let own: Class = "mine".parse().expect("a class");
        let of = |classes: &[&Class]| KnownStatus::of(classes.iter().map(|class| Some(*class)));
        assert_eq!(of(&[]), KnownStatus::Unknown);
        assert_eq!(of(&[&Class::Good, &Class::Notable]), KnownStatus::KnownBad);
        assert_eq!(of(&[&own, &Class::Good]), KnownStatus::KnownGood);
        assert_eq!(of(&[&own, &Class::NoChange]), KnownStatus::Known);
        assert_eq!(KnownStatus::of([None]), KnownStatus::Maybe);
        assert_eq!(KnownStatus::of([None, Some(&own)]), KnownStatus::Known);
    }

    #[test]
    fn malicious_files_of_nsrl_are_not_good() {
        assert_eq!(Class::Good.of_entry(Some("special code M"), "table"), Class::Bad);
        assert_eq!(Class::Good.of_entry(Some("special code S"), "table"), Class::Notable);
        assert_eq!(Class::Other("listed".into()).of_entry(Some("special code M"), "table"), Class::Bad);
        assert_eq!(Class::Good.of_entry(Some("category 1"), "vics"), Class::Good);
    }

    #[test]
    fn media_of_category_0_are_not_illegal() {
        let own = Class::Other("uncategorised".into());
        assert_eq!(Class::Bad.of_entry(Some("category 1"), "vics"), Class::Bad);
        assert_eq!(Class::Bad.of_entry(Some("category 0"), "vics"), own);
        assert_eq!(Class::Notable.of_entry(Some("category 5"), "vics"), own);
        // The categories of other tables are words of their own.
        assert_eq!(Class::Bad.of_entry(Some("category 0"), "table"), Class::Bad);
    }

    #[test]
    fn classes_have_plain_names() {
        assert_eq!(Class::Notable.of_entry(Some("special code M"), "table"), Class::Notable);
        assert!("a b".parse::<Class>().is_err() && "".parse::<Class>().is_err());
    }
}
