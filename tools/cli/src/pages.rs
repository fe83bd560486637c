//! Completions and man pages, made from the command line's own definition.

use crate::args::Cli;
use crate::exit::{self, Exit};
use clap::CommandFactory;
use pfh::outputs::{Existing, Kind, Outputs};
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

/// The pages' names: a page for each command and each command below it.
fn names(command: &clap::Command, above: &str, names: &mut Vec<String>) {
    let name = if above.is_empty() { command.get_name().to_owned() } else { format!("{above}-{}", command.get_name()) };
    names.push(format!("{name}.1"));
    command.get_subcommands().for_each(|below| self::names(below, &name, names));
}

/// Writes `pfh.1` and a page per command into a directory. Pages that were made so before are
/// replaced, other files are not.
pub fn man(directory: &Path, force: bool) -> Exit {
    let mut all = Vec::new();
    names(&Cli::command(), "", &mut all);
    names(&crate::paper::page(), "", &mut all);
    let mut outputs = Outputs::new(force);
    outputs.writes("DIRECTORY", directory, Kind::Directory, Existing::Welcome);
    if directory.is_dir() {
        for name in all {
            outputs.writes("DIRECTORY", directory.join(name), Kind::File, Existing::Own(0, b".ie \\n(.g"));
        }
    }
    if let Err(refused) = outputs.check() {
        exit::say(refused);
        return Exit::Usage;
    }
    let made = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), directory))
        .and_then(|()| clap_mangen::generate_to(crate::paper::page(), directory));
    match made {
        Ok(()) => Exit::Good,
        Err(error) => {
            exit::say(format!("{}: {error}", pfh::terminal::render(directory.as_os_str().as_encoded_bytes())));
            Exit::Aborted
        }
    }
}
