//! The commands `pfh` and `pfh-bench`, in this process.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Carries out the command line `words`, whose first is the program's name, as the program does,
/// and gives the code to exit with. `program` is the file that starts it again; `bench` selects
/// `pfh-bench`. For processes that do nothing else: signals are caught, and usage errors end the
/// process.
#[pyfunction]
#[pyo3(name = "_command")]
pub fn command(py: Python<'_>, words: Vec<OsString>, program: PathBuf, bench: bool) -> u8 {
    let role = if bench { pfh_cli::Role::Bench } else { pfh_cli::Role::Pfh };
    let call = pfh_cli::Call { words, program: Ok(program), role };
    py.detach(|| pfh_cli::main(&call))
}
