//! `pfh tree check`

use super::Existing;
use super::print::{Expected, Said, Stated};
use crate::shown;
use clap::Args;
use pfh::outboard::{self, Failure, Pass};
use pfh::tree::outboard::Values;
use pfh_audit::Kept;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// `pfh tree check`
#[derive(Args)]
#[command(after_help = super::help::CHECK)]
pub struct Check {
    /// File and tree.
    #[command(flatten)]
    pub on: Existing,
    /// The root that the file must give, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = super::root, conflicts_with = "kept")]
    pub root: Option<[u8; 32]>,
    /// What `pfh audit commit` printed: the file must give the root that is kept. The tree need not be there.
    #[arg(long, value_name = "KEPT")]
    pub kept: Option<PathBuf>,
    /// Which line of KEPT [default: the only one, or the one of FILE as given].
    #[arg(long, value_name = "NAME", requires = "kept")]
    pub identity: Option<OsString>,
}

impl Check {
    /// The line of KEPT that is meant, or a sentence for the user.
    pub fn line(&self) -> Result<Option<Kept>, String> {
        let Some(path) = &self.kept else { return Ok(None) };
        let name = shown(path.as_os_str().as_bytes());
        let bytes = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
        let mut kept = pfh_audit::parse(&bytes).map_err(|error| format!("{name}: {error}"))?;
        if let (1, None) = (kept.len(), &self.identity) {
            return Ok(kept.pop());
        }
        let meant = self.identity.as_deref().unwrap_or(self.on.file.as_os_str()).as_bytes();
        let found = kept.into_iter().find(|kept| kept.identity == meant);
        found.map(Some).ok_or_else(|| format!("{name}: has no line for {}: state one with --identity", shown(meant)))
    }

    /// Hashes the file and compares it with its tree and with what is stated.
    pub fn run(&self, kept: Option<&Kept>, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        let path = self.on.tree();
        let name = self.on.file.as_os_str().as_bytes();
        if let Some(kept) = kept.filter(|_| !path.exists()) {
            let now = outboard::build(&self.on.file, kept.commitment.parameters(), pass)?;
            let expected = Expected { stated: Stated::Kept, root: *kept.commitment.root(), found: *now.root() };
            return Ok(Said::new("checked", name, &now.header())
                .without_tree(now.leaf_count())
                .expected(Some(expected)));
        }
        let tree = outboard::load(&path)?;
        let verdict = outboard::check(&self.on.file, &tree, pass)?;
        let expected = match (self.root, kept) {
            (Some(root), _) => Some(Expected { stated: Stated::Root, root, found: verdict.root }),
            (None, Some(kept)) => {
                let parameters = kept.commitment.parameters();
                // The same function over leaves of another length gives another root, BLAKE3 excepted.
                let found = if parameters == tree.parameters() {
                    verdict.root
                } else {
                    *outboard::build(&self.on.file, parameters, pass)?.root()
                };
                Some(Expected { stated: Stated::Kept, root: *kept.commitment.root(), found })
            }
            (None, None) => None,
        };
        let header = tree.header();
        debug_assert_eq!(header.length, Values::length(&tree));
        Ok(Said::new("checked", name, &header).judged(verdict, path.as_os_str().as_bytes()).expected(expected))
    }
}
