//! The name, the words and the numbers of a method.

use crate::foreign::{Foreign, OwnMethod};
use crate::{ParseError, Score};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Reads the text of a digest.
pub type Reads = fn(&str) -> Result<Foreign, ParseError>;

/// All that others must know of a method. Two profiles are equal when their names are.
#[derive(Clone, Copy)]
pub struct Profile {
    /// The name on the command line and in lists, in lower case, without a colon.
    pub name: &'static str,
    /// Other spellings of it.
    pub aliases: &'static [&'static str],
    /// The text of an input that has no digest.
    pub absent: &'static str,
    /// The usual reason why an input has none, in a few words.
    pub lacking: &'static str,
    /// The same of several inputs, all that it may be.
    pub lacking_all: &'static str,
    /// The word for one of the counted things that two inputs share.
    pub unit: &'static str,
    /// The score that pairs must reach unless another is asked for; its kind is that of the
    /// method's scores.
    pub threshold: Score,
    /// The same where pairs are to be those of the reference tool.
    pub reference: Score,
    /// Features that two inputs must share where those decide and no other number is asked for: as
    /// many as unrelated files have in common once in 10,000 pairs, or less.
    pub shared: u64,
    /// Hexadecimal digits of a digest, where it consists of nothing else.
    pub digits: Option<usize>,
    /// Whether its digests are their features: shared ones are found without a comparison of each
    /// two.
    pub is_features: bool,
    /// Whether a text looks like one of its digests; it may still be malformed.
    pub marks: fn(&[u8]) -> bool,
    /// Reads the text of a digest with an empty name; `None` where digests have a kind of
    /// [`Content`](crate::Content), which says how.
    pub read: Option<Reads>,
}

/// The text of an input that has no digest: shorter than 512 bytes for sdhash, longer than 192 GiB
/// for ssdeep, without a window that varies for shingles, of another kind for strings, imports,
/// text and pictures, a picture without contrast.
pub const ABSENT: &str = "none";

impl Profile {
    /// A method without anything of its own: similarities; pairs are reported from 21 on.
    pub(crate) const fn plain(name: &'static str) -> Profile {
        Profile {
            name,
            aliases: &[],
            absent: ABSENT,
            lacking: "too short",
            lacking_all: "too short, too plain or too long",
            unit: "feature",
            threshold: Score::Similarity(21),
            reference: Score::Similarity(1),
            shared: 10,
            digits: None,
            is_features: false,
            marks: |_| false,
            read: None,
        }
    }

    /// The profile of a method of one's own, with these pairs reported: those that reach
    /// `threshold`. Change what differs:
    /// `Profile { unit: "word", ..Profile::new::<Self>("mine", Score::Similarity(50)) }`.
    pub const fn new<M: OwnMethod>(name: &'static str, threshold: Score) -> Profile {
        let read: Reads = |text| text.parse().map(Foreign::new::<M>);
        Profile { threshold, reference: threshold, read: Some(read), ..Profile::plain(name) }
    }

    /// Whether two digests have a distance, from 0 on, and not a similarity.
    pub fn has_distances(&self) -> bool {
        matches!(self.threshold, Score::Distance(_))
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Profile) -> bool {
        self.name == other.name
    }
}

impl Eq for Profile {}

impl PartialOrd for Profile {
    fn partial_cmp(&self, other: &Profile) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Profile {
    fn cmp(&self, other: &Profile) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Profile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
