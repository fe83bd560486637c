//! The command `pfh`, in this process.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Carries out the command line `words`, whose first is the program's name, as the program does,
/// and gives the code to exit with. `program` is the file that starts it again. For processes that
/// do nothing else: signals are caught, and usage errors end the process.
#[pyfunction]
#[pyo3(name = "_command")]
pub fn command(py: Python<'_>, words: Vec<OsString>, program: PathBuf) -> u8 {
    let call = pfh_cli::Call { words, program: Ok(program) };
    py.detach(|| pfh_cli::main(&call))
}
