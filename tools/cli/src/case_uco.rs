//! `--case-uco`: an acquisition told in CASE, beside its logs.

use crate::custody::{Logs, now};
use crate::exit::{self, Exit};
use crate::shown;
use pfh::acquire::{Acquisition, case};
use serde_json::json;
use std::io;
use std::path::Path;

fn say(path: &Path, what: &dyn std::fmt::Display) {
    exit::say(format!("{}: {what}", shown(path.as_os_str().as_encoded_bytes())));
}

/// Nothing stands at `path` from here on until the acquisition is complete.
///
/// # Errors
/// The exit to leave with; the reason has been said.
pub fn clear(path: &Path, asked: &Acquisition) -> Result<(), Exit> {
    case::clear(path, asked.source.path(), asked.replace).map_err(|error| {
        say(path, &error);
        Exit::Usage
    })
}

/// Writes the document, whose digest is in the logs before it is on the disk.
///
/// # Errors
/// What the system says of the logs, or of the document; the latter has been said and logged.
pub fn tell(path: &Path, account: &case::Account, logs: &mut Logs) -> io::Result<Result<(), Exit>> {
    match write(path, account, logs) {
        Ok(()) => Ok(Ok(())),
        Err(error) => {
            let what = format!("the CASE document cannot be written: {error}");
            say(path, &what);
            logs.line(&format!("{} failed: {what}", now()))?;
            logs.record("failed", json!({ "cause": what }))?;
            Ok(Err(Exit::Aborted))
        }
    }
}

fn write(path: &Path, account: &case::Account, logs: &mut Logs) -> io::Result<()> {
    let document = case::document(account)?;
    let mut sha256 = pfh::algorithm("sha256").map_err(io::Error::other)?.hasher();
    sha256.update(document.as_bytes());
    let (name, sha256) = (shown(path.as_os_str().as_encoded_bytes()), sha256.finalize().to_string());
    logs.line(&format!("CASE document {name}: sha256 {sha256}"))?;
    logs.record("case", json!({ "path": name, "sha256": sha256 }))?;
    case::write(path, &document)
}
