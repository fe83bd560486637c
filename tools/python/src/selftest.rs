//! A test of this machine and a directory of it.

use crate::cancel::Token;
use crate::job::{self, Hooks};
use crate::request;
use crate::rows::{Found, Rows, ended};
use pfh::selftest::{Request, Row, Standing, TestRow, TestsSum, digests as known, run};
use pfh::verdict::Verdict;
use pyo3::prelude::*;

/// Tests pfh on this machine and in a directory: known digests on every instruction set of the
/// processor, images, lists and a seal that are part of pfh, the file system, and speeds.
///
/// A dictionary for each test: its `group`, `name` and `standing` (`holds`, `note`, `less-safe`,
/// `untried`, `wrong`), the facts in `detail`, and where something does not hold the `consequence`
/// and the `remedy`. `size` bytes are written and read for the speeds. All that is made in the
/// directory is removed.
#[pyfunction]
#[pyo3(signature = (directory = None, *, size = 67108864, cancel = None))]
pub fn selftest(
    py: Python<'_>,
    directory: Option<&Bound<'_, PyAny>>,
    size: u64,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let path = directory.map_or_else(|| Ok(".".into()), request::path)?;
    let mut asked = Request::new(path).bytes(size);
    // This interpreter, once for each instruction set: a process has one.
    let program: Option<std::ffi::OsString> = py.import("sys")?.getattr("executable")?.extract()?;
    if let Some(program) = program.filter(|program| !program.is_empty()) {
        let script = "import pfh._pfh; print(pfh._pfh._selftest_digests())";
        asked = asked.again([program, "-c".into(), script.into()]);
    }
    let (ran, found) = job::run_with(py, &Hooks { job: "selftest", on_event: None, cancel }, |control| {
        let mut found = Found::default();
        let mut rows = |row: &Row| {
            found.row(&TestRow::of(row));
            if !matches!(row.standing, Standing::Holds | Standing::Note) {
                found.messages.push(format!("{}: {}", row.name, row.detail));
            }
            Ok(())
        };
        let ran = run(&asked, &mut rows, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    let mut found = found;
    found.summary(&TestsSum::of(&summary));
    let exit = match summary.verdict() {
        Verdict::Verified => 0,
        Verdict::Differs => 1,
        _ => 3,
    };
    found.rows(py, exit)
}

/// The line of known digests with the kernels of this process.
#[pyfunction]
#[pyo3(name = "_selftest_digests")]
pub fn selftest_digests() -> String {
    known().to_string()
}
