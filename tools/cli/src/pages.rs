//! Completions and man pages, made from the command line's own definition.

use crate::args::Cli;
use crate::exit::{self, Exit};
use clap::CommandFactory;
use std::io::Write;
use std::path::Path;

/// Prints the completions of one shell.
pub fn completions(shell: clap_complete::Shell) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pfh", &mut text);
    match std::io::stdout().write_all(&text) {
        Ok(()) => Exit::Good,
        Err(error) => exit::of_output(&error),
    }
}

/// Writes `pfh.1` and a page per command into a directory.
pub fn man(directory: &Path) -> Exit {
    match std::fs::create_dir_all(directory).and_then(|()| clap_mangen::generate_to(Cli::command(), directory)) {
        Ok(()) => Exit::Good,
        Err(error) => {
            exit::say(format!("{}: {error}", crate::shown(directory.as_os_str().as_encoded_bytes())));
            Exit::Aborted
        }
    }
}
