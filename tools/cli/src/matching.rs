//! `pfh match`: files against what is known.

use crate::exit::{self, Exit};
use crate::input::Input;
use crate::run::Run;
use crate::similar::{self, Similar, Wanted};
use clap::Args;
use std::path::PathBuf;

/// What to match with what.
#[derive(Debug, Default, Args)]
pub struct Match {
    /// What is read.
    #[command(flatten)]
    pub input: Input,
    /// Lists of similarity digests.
    #[command(flatten)]
    pub wanted: Wanted,
    /// text (as `ssdeep -m` prints), csv or jsonl.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

/// Runs a request to its end.
pub fn run(request: &Match) -> Exit {
    match try_run(request) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

fn try_run(request: &Match) -> Result<Exit, String> {
    let Match { input, wanted, format, output, run } = request;
    let list = wanted.similar.as_ref().ok_or("nothing to match with: give --similar LIST")?;
    similar::run(&Similar { list, wanted, input, format, output: output.as_deref(), run })
}
