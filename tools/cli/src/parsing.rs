//! From words to the request of a command: what they mean, with the defaults of this user.

use crate::{args, config, door, exit, guess, help, pieces};
use clap::error::ErrorKind;
use clap::{Command, FromArgMatches};
use std::ffi::OsString;

/// A command line as a request.
pub struct CommandLine {
    /// The command's name: `known build`.
    pub name: String,
    /// The arguments as they are meant, with defaults.
    pub arguments: Vec<OsString>,
    /// The request.
    pub cli: args::Cli,
}

/// Why words are not a request.
#[derive(Debug)]
pub enum CommandError {
    /// Something can be typed instead, or the file of defaults is wrong.
    Failed(exit::Failure),
    /// Help is asked for, or clap's own words name the mistake.
    Clap(clap::Error),
}

impl From<exit::Failure> for CommandError {
    fn from(failure: exit::Failure) -> CommandError {
        CommandError::Failed(failure)
    }
}

impl From<guess::Advice> for CommandError {
    fn from(advice: guess::Advice) -> CommandError {
        CommandError::Failed(advice.into())
    }
}

impl std::fmt::Display for CommandError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CommandError::Failed(failure) => failure.fmt(f),
            CommandError::Clap(error) => f.write_str(error.render().to_string().trim_end()),
        }
    }
}

/// The command's name and the arguments as a request. Nothing is printed.
///
/// # Errors
/// Why there is no request.
pub fn parsed(typed: &[OsString]) -> Result<CommandLine, CommandError> {
    let mut root = help::names();
    let arguments = guess::meant(&mut root, typed)?;
    let arguments = config::with_defaults(&root, &help::whole, arguments)?;
    let arguments = door::entered(&root, arguments);
    door::local(&root, &arguments)?;
    let (_, name, _) = pieces::page(&root, &arguments);
    let cli = request(&mut root, &arguments).or_else(|error| {
        if error.kind() == ErrorKind::DisplayVersion {
            return Err(CommandError::Clap(error));
        }
        // Help and errors are written with all pages and what the help adds to them.
        let mut root = help::command_for(&arguments);
        request(&mut root, &arguments).map_err(|error| match guess::refused(&error, &mut root, &arguments) {
            Some(advice) => CommandError::Failed(advice.into()),
            None => CommandError::Clap(error),
        })
    })?;
    Ok(CommandLine { name, arguments, cli })
}

/// The request that clap reads in the arguments.
fn request(root: &mut Command, arguments: &[OsString]) -> Result<args::Cli, clap::Error> {
    let words = [OsString::from("pfh")].into_iter().chain(arguments.iter().cloned());
    root.try_get_matches_from_mut(words).and_then(|matches| args::Cli::from_arg_matches(&matches))
}
