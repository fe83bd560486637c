//! The messages of jobs for `logging.getLogger("pfh")`. Without a handler nothing is shown.

use pyo3::prelude::*;

/// How loud a message is, as the module `logging` counts.
#[derive(Clone, Copy)]
pub enum Level {
    /// Jobs begin and end.
    Debug = 10,
    /// An event during one.
    Info = 20,
    /// Something was not read or not understood; the result says so as well.
    Warning = 30,
}

/// Logs a sentence. No job fails by an exception of a handler.
pub fn log(py: Python<'_>, level: Level, sentence: impl FnOnce() -> String) {
    let say = || -> PyResult<()> {
        let logger = py.import("logging")?.call_method1("getLogger", ("pfh",))?;
        if logger.call_method1("isEnabledFor", (level as i32,))?.extract()? {
            // As an argument: a name may hold a percent sign.
            logger.call_method1("log", (level as i32, "%s", sentence()))?;
        }
        Ok(())
    };
    if let Err(error) = say() {
        error.write_unraisable(py, None);
    }
}
