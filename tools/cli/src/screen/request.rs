//! The request of the screen's words: as of those that are typed.

use super::words::line;
use crate::args::Command;
use crate::{acquire, parsing, remedy};
use pfh::acquire::Request;
use std::ffi::OsString;

/// The request of a command line's words, and how that is recorded.
///
/// # Errors
/// Why the words are none, in a sentence.
pub fn request(words: &[OsString]) -> Result<Request, String> {
    let parsed = parsing::parsed(words).map_err(|unparsed| unparsed.to_string())?;
    let Command::Acquire(args) = parsed.cli.command else {
        return Err("these words are not those of an acquisition".to_owned());
    };
    if args.dry_run || parsed.cli.on_finish.is_some() {
        return Err("--dry-run and --on-finish are options of the command line".to_owned());
    }
    let request = acquire::request(&args, Some(line(words))).map_err(|failure| failure.to_string())?;
    request.check().map_err(|error| pfh::with_names(&remedy::sentence(&error)))?;
    Ok(request)
}
