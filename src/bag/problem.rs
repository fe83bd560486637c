//! Why nothing was made of a bag, where no other job has the cause.

use pfh_source::terminal::shown;
use std::path::PathBuf;

/// Why nothing was made of a bag.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A new bag has nothing in it to pack.
    #[error("{}: there is no folder data in it: put the files to be packed there first (mkdir -p BAG/data && mv FILES BAG/data)", shown(.0))]
    NoData(PathBuf),
    /// There is a bag already.
    #[error("{}: is a bag already: `pfh bag update` makes its manifests those of its files", shown(.0))]
    IsBag(PathBuf),
    /// The folder to update is not a readable bag.
    #[error("{}: cannot be updated: {why}", shown(path))]
    NoBag {
        /// The bag.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Digests of this algorithm are not checksums.
    #[error(
        "{0} has no manifests in a bag: equal files need not have equal digests, or unequal ones different digests"
    )]
    Algorithm(String),
    /// A label or a value has a form that bag-info.txt cannot hold.
    #[error("{0:?} is not a line of bag-info.txt: write LABEL=VALUE, the label without a colon or a space at its ends")]
    Info(String),
    /// Files that cannot be in a manifest: nothing was written.
    #[error("{0} of the files could not be read or listed, see above: nothing was written")]
    Files(u64),
    /// Contents that are not those of the manifests: nothing was written.
    #[error("the content of {0} listed above differs from the manifests: nothing was written")]
    Changed(u64),
    /// The caller ended the job: nothing was written.
    #[error("interrupted: nothing was written, and nothing is said")]
    Interrupted,
}
