//! What `match` and `lookup` compare with: known-set files, lists in any format, and single
//! digests.

use crate::exit::{self, Failure};
use crate::faults::Faults;
use crate::run::algorithms_or_none;
use clap::Args;
use pfh::matching::{self as job, Empty, Gap};
use std::path::PathBuf;

/// Sets and digests.
#[derive(Debug, Clone, Default, Args)]
pub struct Sets {
    /// A file that `pfh known build` made, a list in any format that `pfh check` reads, or a
    /// directory of such files.
    #[arg(short, long = "known", value_name = "FILE")]
    pub known: Vec<PathBuf>,
    /// A digest in hexadecimal digits that is looked for: `match` looks for files that have it,
    /// `lookup` for sets that hold it. What it is of follows from its length, or from -a.
    #[arg(long = "digest", value_name = "HEX")]
    pub digests: Vec<String>,
    /// The class of lists and digests, which have none of their own: bad, notable, good, no-change,
    /// or a name of one's own [default: listed, which is neither good nor bad].
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// An empty file is known as well when its digest is in a set.
    #[arg(long)]
    pub empty_counts: bool,
    /// The algorithm of digests that do not say theirs, and the ones to hash with.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
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
        })
    }
}

/// Prints what of the sets cannot be compared with.
pub struct Gaps {
    faults: Faults<fn(String)>,
}

impl Default for Gaps {
    fn default() -> Self {
        Gaps { faults: Faults::new(exit::say) }
    }
}

impl Gaps {
    /// Prints one.
    pub fn print(&mut self, gap: &Gap<'_>) {
        match gap {
            Gap::Fault { path, line, fault } => self.faults.take(path, *line, fault),
            gap => {
                std::mem::take(self).faults.finish();
                exit::say(crate::show::matching::gap(gap));
            }
        }
    }
}
