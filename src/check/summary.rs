//! The results of all manifests together.

use super::Part;
use crate::job;
use crate::verdict::Verdict;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The result of a check.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The result of each manifest, in their order; an audit has one for all.
    pub parts: Vec<Part>,
    /// Those of several manifests that could not be checked, and why.
    pub unchecked: Vec<(PathBuf, job::Error)>,
}

impl Summary {
    /// Files that are as the manifests have them.
    pub fn verified(&self) -> u64 {
        self.parts.iter().map(|part| part.verified).sum()
    }

    /// Files that the manifests have.
    pub fn expected(&self) -> u64 {
        self.parts.iter().map(|part| part.expected).sum()
    }

    /// Verified files by algorithm.
    pub fn by_algorithm(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        for (name, count) in self.parts.iter().flat_map(|part| &part.by_algorithm) {
            *all.entry(name.clone()).or_default() += count;
        }
        all
    }

    /// The verdict over the files of all manifests: the worst of them.
    pub fn verdict(&self) -> Verdict {
        self.worst(Part::verdict)
    }

    /// The verdict over the files, and over the parts of the manifests that were not compared: see
    /// [`Part::conclusion`].
    pub fn conclusion(&self) -> Verdict {
        self.worst(Part::conclusion)
    }

    /// Whether a manifest breaks off in the middle of a document.
    pub fn is_broken(&self) -> bool {
        self.parts.iter().any(Part::is_broken)
    }

    /// A difference is worse than an open point, and that is worse than a good verdict.
    fn worst(&self, of: impl Fn(&Part) -> Verdict) -> Verdict {
        let unchecked = self.unchecked.iter().map(|(_, error)| match error.kind() {
            job::Kind::Negative => Verdict::Differs,
            _ => Verdict::Incomplete,
        });
        let rank = |verdict: &Verdict| match verdict {
            Verdict::Verified => 0,
            Verdict::NothingToCompareWith => 1,
            Verdict::Incomplete => 2,
            Verdict::Differs => 3,
        };
        self.parts.iter().map(of).chain(unchecked).max_by_key(rank).unwrap_or(Verdict::NothingToCompareWith)
    }
}
