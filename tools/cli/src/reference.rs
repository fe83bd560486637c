//! The reference of `match` and `lookup`: known-set files, lists in any format, and single digests.

use crate::exit::{self, Failure};
use crate::faults::Faults;
use crate::run::algorithms_or_none;
use clap::Args;
use pfh::matching::{self as job, Empty, Gap};
use std::path::PathBuf;

/// Sets and digests.
#[derive(Debug, Clone, Default, Args)]
pub struct Sets {
    /// Known set (from `pfh known build`), list in any format that `pfh check` reads, or directory
    /// of these.
    #[arg(short, long = "known", value_name = "FILE")]
    pub known: Vec<PathBuf>,
    /// Look for this digest: NAME:HEX, or HEX, whose length (or -a) selects the algorithm.
    #[arg(long = "digest", value_name = "HEX")]
    pub digests: Vec<String>,
    /// Class of lists and digests: bad, notable, good, no-change, or any name [default: listed,
    /// which is neither good nor bad].
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// Also match empty files.
    #[arg(long)]
    pub empty_counts: bool,
    /// Algorithms to hash with, and of untagged digests.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The columns of lists in their order, as for check: digest, an algorithm, or - for one that
    /// is passed over.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true)]
    pub columns: Vec<String>,
}

impl Sets {
    /// The sets as the job takes them.
    ///
    /// # Errors
    /// When the class or an algorithm makes no sense.
    pub fn asked(&self) -> Result<job::Sets, Failure> {
        Ok(job::Sets {
            known: self.known.clone(),
            digests: self.digests.clone(),
            class: self
                .class
                .as_deref()
                .map(str::parse)
                .transpose()
                .map_err(|e: pfh::known::MalformedClass| Failure::usage(e))?,
            empty: if self.empty_counts { Empty::Counts } else { Empty::SaysNothing },
            algorithms: algorithms_or_none(&self.algorithms)?,
            columns: self.columns.clone(),
        })
    }
}

/// Prints the parts of the sets that cannot be compared with.
pub struct Gaps {
    faults: Faults<fn(String)>,
    /// A list that is a binary file: that says why it holds no digest.
    binary: Option<PathBuf>,
}

impl Default for Gaps {
    fn default() -> Self {
        Gaps { faults: Faults::new(exit::say), binary: None }
    }
}

impl Gaps {
    /// Prints one.
    pub fn print(&mut self, gap: &Gap<'_>) {
        match gap {
            Gap::Fault { path, line, fault } => self.faults.take(path, *line, fault),
            // It counts all places: those that were not named are not counted twice.
            Gap::Part { path, .. } => {
                self.binary = self.faults.is_binary().then(|| path.to_path_buf());
                self.faults = Faults::new(exit::say);
                exit::say(crate::show::matching::gap(gap));
            }
            Gap::Nothing { path, .. } if self.binary.as_deref() == Some(*path) => {}
            gap => {
                std::mem::take(&mut self.faults).finish();
                exit::say(crate::show::matching::gap(gap));
            }
        }
    }
}
