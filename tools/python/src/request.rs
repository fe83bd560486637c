//! Arguments that several jobs have in common.

use crate::error;
use pfh::name_bytes::entered_path;
use pfh::{Addresses, Algorithm, Descend, Input, Levels, Links, Plan, Recurse, Secret};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// One path (text, bytes or `os.PathLike`), or several.
///
/// # Errors
/// `TypeError` for anything else.
pub fn paths(given: &Bound<'_, PyAny>) -> PyResult<Vec<OsString>> {
    let decode = |one: &Bound<'_, PyAny>| -> PyResult<OsString> {
        let os = one.py().import("os")?;
        Ok(entered_path(os.call_method1("fsdecode", (one,))?.extract()?))
    };
    let is_one = given.is_instance_of::<PyString>()
        || given.is_instance_of::<pyo3::types::PyBytes>()
        || given.hasattr("__fspath__")?;
    if is_one {
        return Ok(vec![decode(given)?]);
    }
    given.try_iter()?.map(|one| decode(&one?)).collect()
}

/// One path.
///
/// # Errors
/// `TypeError` for anything else.
pub fn path(given: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let os = given.py().import("os")?;
    Ok(PathBuf::from(entered_path(os.call_method1("fsdecode", (given,))?.extract()?)))
}

/// The key in a file, if one is given.
///
/// # Errors
/// The exception of a file that cannot be read, or has no key.
pub fn secret(py: Python<'_>, file: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Secret>> {
    file.map(|file| secret_of(py, &path(file)?)).transpose()
}

/// The key in this file.
///
/// # Errors
/// As for [`secret`].
pub fn secret_of(py: Python<'_>, file: &Path) -> PyResult<Secret> {
    Secret::read(file).map_err(|unread| error::of_job(py, &unread.into(), Some(file)))
}

/// A name, as `path` takes one.
///
/// # Errors
/// `TypeError` for anything else.
pub fn name(given: &Bound<'_, PyAny>) -> PyResult<OsString> {
    Ok(path(given)?.into_os_string())
}

/// The input of a job of files.
pub fn input(paths: Vec<OsString>, recursive: bool, follow: bool) -> Input {
    let recurse = if recursive { Recurse::Yes } else { Recurse::default() };
    let links = if follow { Links::Follow } else { Links::default() };
    let mut input = Input::new(paths);
    input.descend = Descend { recurse, links, ..Descend::default() };
    input
}

/// The meaning of addresses of stores among these paths.
///
/// # Errors
/// `RequestError` for versions without an address, or of one object exactly.
pub fn addresses(paths: &[OsString], exactly: bool, versions: bool) -> PyResult<Addresses> {
    match (exactly, versions) {
        (true, true) => Err(error::value("exactly and versions exclude each other")),
        (true, false) => Ok(Addresses::Exactly),
        (false, false) => Ok(Addresses::Below),
        (false, true) if paths.iter().any(|path| pfh::is_address(path.as_encoded_bytes())) => Ok(Addresses::Versions),
        (false, true) => Err(error::value(NO_VERSIONS)),
    }
}

/// Why versions are refused.
pub const NO_VERSIONS: &str = "versions is of objects in stores: give the address of some";

/// How many threads hash: 1 to 1024, as the program's `--threads`.
#[derive(Clone, Copy)]
pub struct Threads(u16);

impl Threads {
    /// One.
    pub const ONE: Threads = Threads(1);

    /// How many.
    pub fn number(self) -> usize {
        self.0.into()
    }
}

impl FromPyObject<'_, '_> for Threads {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        // Any integer, however large.
        let given = object.call_method0("__index__")?;
        let number = given.extract::<u16>().ok().filter(|number| (1..=1024).contains(number));
        number.map(Threads).ok_or_else(|| error::value(format!("threads is a number from 1 to 1024, not {given}")))
    }
}

/// The levels of findings, by their ids.
///
/// # Errors
/// `ValueError` if there is no such finding or level, or safety does not allow it.
pub fn levels(given: Option<HashMap<String, String>>) -> PyResult<Levels> {
    let mut levels = Levels::new();
    for (id, level) in given.unwrap_or_default() {
        levels.read(&format!("{id}={level}")).map_err(|refused| error::value(refused.to_string()))?;
    }
    Ok(levels)
}

/// How it reads: threads that hash, bytes of the table.
pub fn plan(algorithms: Vec<Algorithm>, threads: Option<Threads>, memory: Option<usize>) -> Plan {
    let mut plan = Plan::new(algorithms);
    if let Some(threads) = threads {
        plan.threads = threads.number();
        plan.prefetchers = plan.mode.prefetchers(plan.threads);
    }
    plan.memory = memory.unwrap_or(plan.memory);
    plan
}
