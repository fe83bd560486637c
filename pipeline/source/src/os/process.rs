//! Other programs, for both folders of Unix: `linux` and `portable`.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Starts a program in a process group of its own, which `^C` does not reach.
///
/// # Errors
/// The system's.
pub fn start_apart(command: &mut Command) -> io::Result<Child> {
    command.process_group(0).spawn()
}

/// Puts another program in the place of this one, with its signals, standard streams and exit code.
/// It returns only if that program cannot be started, with the error.
pub fn hand_over(command: &mut Command) -> io::Error {
    command.exec()
}
