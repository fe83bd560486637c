//! Other programs.

use std::io;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// Starts a program in a process group of its own, which `^C` does not reach.
///
/// # Errors
/// The system's.
pub fn start_apart(command: &mut Command) -> io::Result<Child> {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP).spawn()
}

/// Runs another program in the place of this one, and ends with its exit code: Windows cannot
/// replace a process. It returns only if that program cannot be started, with the error.
pub fn hand_over(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(4)),
        Err(error) => error,
    }
}
