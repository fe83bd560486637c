//! Errors of a request, beyond those that every job has.

use super::Class;
use pfh_manifest::known::export::Form;
use pfh_source::terminal::shown;
use std::path::PathBuf;

/// Errors of a request, or with the files that it names.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing would be in the file.
    #[error("no set is named")]
    NoSet,
    /// A delta is of one database.
    #[error("a delta belongs to one database, and {0} are named")]
    Deltas(usize),
    /// Blocks have no such size.
    #[error("blocks of {0} bytes: a size is a power of two from 512 to 1048576")]
    BlockSize(u32),
    /// Blocks are known by one digest that identifies them.
    #[error("blocks are known by one digest of 16 to 64 bytes, and of their bytes")]
    BlockAlgorithm,
    /// The file would be one of those that are read.
    #[error("{}: lies in {}, whose files are read: name another place", shown(.0), shown(.1))]
    Within(PathBuf, PathBuf),
    /// The file cannot be written there.
    #[error("{}: no such directory", shown(.0))]
    Directory(PathBuf),
    /// A line of a list of sets describes none.
    #[error("{}:{line}: {why}", shown(path))]
    Described {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// A known-set file keeps digests alone, and this form needs names and sizes.
    #[error(
        "{}: a known-set file keeps digests alone: give the list with names and sizes that it was built from",
        .0.name()
    )]
    NeedsFiles(Form),
    /// The form is sorted, and a list is not.
    #[error("{}: it is sorted: build a known-set file first, and export that", .0.name())]
    NeedsOrder(Form),
    /// The entries of a list have one class.
    #[error("the entries of a list have one class")]
    Classes,
    /// The form has no classes, and the set has entries of several.
    #[error("the set has entries of several classes, which an export cannot tell apart: choose by --class {}", listed(.0))]
    Mixed(Vec<Class>),
    /// Nothing of a set can be exported in the form: no file was written.
    #[error("{}: nothing of it can be exported so; no file was written", shown(.0))]
    NothingToExport(PathBuf),
    /// The control cancelled the hashing of the members of a set, or an export.
    #[error("interrupted: no file was written")]
    Interrupted,
    /// There are no sets to look up in.
    #[error("there is nothing to look up in: no set is named")]
    Nowhere,
}

fn listed(classes: &[Class]) -> String {
    classes.iter().map(Class::name).collect::<Vec<_>>().join(", --class ")
}
