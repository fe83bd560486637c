//! The result of a check, of files against manifests or of objects against their store.

use crate::value::value;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The result of a check.
pub struct Checked {
    /// `verified`, `differs`, `incomplete` or `nothing-to-compare-with`.
    pub verdict: String,
    /// The verdict by the rules of `strict` and `lenient`, which count lines that are not records:
    /// the exit code of the program follows from it.
    pub conclusion: String,
    /// Files that are as the manifests have them.
    pub verified: u64,
    /// Files that the manifests have.
    pub expected: u64,
    /// Verified files by algorithm.
    pub by_algorithm: BTreeMap<String, u64>,
    /// Each file with its result: `right`, `wrong`, `missing`, `unread` or `ignored`; in an audit
    /// its class.
    pub files: Vec<(OsString, &'static str)>,
    /// Entries of the manifests that were not compared, a sentence each.
    pub not_compared: Vec<String>,
    /// The manifests' lines that are not records, each with its number.
    pub faults: Vec<(u64, String)>,
    /// Whether all that the manifests hold was compared and is right, by the rules of `strict` and
    /// `lenient`.
    pub good: bool,
    /// Those of several manifests that could not be checked, and why.
    pub unchecked: Vec<(OsString, String)>,
    /// Of a share, for each manifest: `read` of `files` files with `bytes` of `total` bytes, how
    /// many were `never` checked, and how many seconds ago the `oldest` check was.
    pub shares: Vec<BTreeMap<&'static str, Option<u64>>>,
    /// A dictionary for each file, and one for each manifest, as the program prints them with
    /// `--json --all`.
    pub rows: Py<PyList>,
}

value!(Checked {
    verdict,
    conclusion,
    verified,
    expected,
    by_algorithm,
    files,
    not_compared,
    faults,
    good,
    unchecked,
    shares,
    rows,
});
