//! `pfh match`: files against what is known.

use crate::exit::{self, Exit};
use crate::similar::{self, Similar};
use clap::Args;

/// What `pfh match` is asked for.
#[derive(Debug, Args)]
pub struct Match {
    #[command(flatten)]
    pub similar: Similar,
}

/// Runs a request to its end.
pub fn run(request: &Match) -> Exit {
    match similar::run(&request.similar) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}
