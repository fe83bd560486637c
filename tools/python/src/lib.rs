//! The Python package `pfh`: a binding of the library's jobs, and the command in process.
//!
//! Each file binds one job or one kind of value; the work of a job is the library's. Jobs run on a
//! thread of their own while the calling thread waits without the interpreter's lock and looks for
//! signals (`job`). Buffers of Python are read where they lie (`buffer`).

mod acquire;
mod arrow;
mod audit;
mod bag;
mod buffer;
mod cancel;
mod cat;
mod check;
mod checked;
mod checking;
mod command;
mod compare;
mod compat;
mod diff;
mod digests;
mod disks;
mod dups;
mod error;
mod export;
mod extract;
mod feeding;
mod files;
mod groups;
mod hashing;
mod interpreter;
mod job;
mod known;
mod list;
mod log;
mod many;
mod matching;
mod objects;
mod progress;
mod queue;
mod record;
mod report;
mod request;
mod rows;
mod run;
mod sectors;
mod selftest;
mod similarity;
mod stated;
mod taking;
mod tree;
mod update;
mod value;
mod verify;
mod walk;
mod walked;

/// The names that `pfh` re-exports.
#[pyo3::pymodule(gil_used = false)]
mod _pfh {
    #[pymodule_export]
    use super::acquire::acquire;
    #[pymodule_export]
    use super::arrow::Values;
    #[pymodule_export]
    use super::audit::{ask, challenge, commit, prove, verify as audit_verify};
    #[pymodule_export]
    use super::bag::{create_bag, update_bag, validate_bag};
    #[pymodule_export]
    use super::cancel::Token;
    #[pymodule_export]
    use super::cat::{cat, cat_to, member_runs};
    #[pymodule_export]
    use super::check::check;
    #[pymodule_export]
    use super::checking::{check_records, check_verdict};
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::compare::compare;
    #[pymodule_export]
    use super::compat::{Blake2s, Blake3, tlsh_distance};
    #[pymodule_export]
    use super::diff::diff;
    #[pymodule_export]
    use super::digests::Digests;
    #[pymodule_export]
    use super::disks::disks;
    #[pymodule_export]
    use super::dups::dups;
    #[pymodule_export]
    use super::export::export;
    #[pymodule_export]
    use super::extract::extract;
    #[pymodule_export]
    use super::files::{Files, hash_files};
    #[pymodule_export]
    use super::groups::group_similar;
    #[pymodule_export]
    use super::hashing::{Hash, algorithms, file_digest, new};
    #[pymodule_export]
    use super::known::Known;
    #[pymodule_export]
    use super::list::list;
    #[pymodule_export]
    use super::many::hash_many;
    #[pymodule_export]
    use super::matching::find;
    #[pymodule_export]
    use super::progress::Step;
    #[pymodule_export]
    use super::queue::{Queue, Ticket};
    #[pymodule_export]
    use super::report::report;
    #[pymodule_export]
    use super::sectors::match_sectors;
    #[pymodule_export]
    use super::selftest::{selftest, selftest_digests};
    #[pymodule_export]
    use super::similarity::Similarity;
    #[pymodule_export]
    use super::tree::HashTree;
    #[pymodule_export]
    use super::update::update_manifest;
    #[pymodule_export]
    use super::verify::verify;
    use pyo3::prelude::*;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's own name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::interpreter::claim(module.py())?;
        crate::job::count_panics();
        let ending = wrap_pyfunction!(crate::interpreter::ending, module)?;
        module.py().import("atexit")?.call_method1("register", (ending,)).map(drop)
    }
}
