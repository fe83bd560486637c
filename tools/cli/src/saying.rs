//! How much a command says, and whether it only says what it would do.

use clap::Args;

/// What is said beside the results.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Saying {
    /// Say nothing on standard error but what is the matter.
    #[arg(short, long)]
    pub quiet: bool,
    /// Close with a line of counts also where standard error is no terminal.
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// List what would be read, and read none of it.
    #[arg(short = 'n', long)]
    pub dry_run: bool,
}
