//! How much a command says, and whether it only says what it would do.

use clap::Args;

/// Messages beside the results.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Saying {
    /// Print only problems on standard error.
    #[arg(short, long)]
    pub quiet: bool,
    /// Print the closing counts even if standard error is not a terminal.
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// List the files that would be read, without reading them.
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}
