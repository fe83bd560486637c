//! Names from a list that is not trusted, each below one directory and never outside it.

use crate::address::is_address;
use crate::base::Base;
use crate::descend::{Links, Special};
use crate::entry::{Entry, Item, Origin};
use crate::names::NameRow;
use crate::os::{self, names::is_absolute};
use crate::problem::{Cause, Problem, Stage};
use crate::source::Source;
use std::sync::Arc;

/// Says which absolute names are taken.
type Takes = Box<dyn Fn(&[u8]) -> bool + Send>;

/// Files below a directory, by name. Links are followed as far as they stay in it; a name that
/// leads out is a problem.
pub struct FolderSource {
    base: Arc<Base>,
    /// Where absolute names start, if they are taken, and which of them are.
    absolute: Option<(Arc<Base>, Takes)>,
    names: NameRow,
    number: u64,
}

impl FolderSource {
    /// The names below `root`; in the output they stand as they are.
    ///
    /// # Errors
    /// When `root` is not a directory that can be opened.
    pub fn open(root: &[u8], names: NameRow) -> Result<Self, Problem> {
        let directory = os::open_operand_directory(root).map_err(|e| Problem::os(Stage::Open, e))?;
        let (directory, prefix) = (Some(Arc::new(directory)), Box::default());
        let base = Base { directory, prefix, links: Links::Within, hold: false, past: false };
        Ok(FolderSource { base: Arc::new(base), absolute: None, names, number: 0 })
    }

    /// The same, with absolute names that `takes` accepts left as they are, wherever they lead.
    /// Relative ones stay below the root all the same, and other absolute ones are problems.
    #[must_use]
    pub fn with_absolute(mut self, takes: impl Fn(&[u8]) -> bool + Send + 'static) -> Self {
        self.absolute = Some((Base::of_operands(false), Box::new(takes)));
        self
    }
}

impl Source for FolderSource {
    fn pull(&mut self) -> Option<Item> {
        let path = self.names.next()?;
        let number = self.number;
        self.number += 1;
        // A list must not make the program speak with anybody.
        if is_address(&path) {
            return Some(Item::Problem { number, name: path, problem: Problem::new(Stage::Walk, Cause::Outside) });
        }
        let base = match &self.absolute {
            Some((absolute, takes)) if is_absolute(&path) && takes(&path) => absolute,
            _ => &self.base,
        };
        let origin = Origin::File { base: base.clone(), path: path.into(), special: Special::Skip };
        Some(Item::Entry(Entry { number, origin, stat: None }))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_leads_out() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(room.path().join("secret"), "secret").unwrap();
        std::fs::write(root.join("file"), "file").unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink(room.path().join("secret"), root.join("absolute")).unwrap();
        symlink("../file", root.join("sub/in")).unwrap();
        let secret = room.path().join("secret");
        let names: [&[u8]; 7] = [
            b"file",
            b"sub/in",
            b"sub/../file",
            b"../secret",
            b"out",
            b"absolute",
            crate::os::names::OsStrExt::as_bytes(secret.as_os_str()),
        ];
        let names: NameRow = names.iter().collect();
        let mut within =
            FolderSource::open(crate::os::names::OsStrExt::as_bytes(root.as_os_str()), names).expect("a directory");
        let mut opened = Vec::new();
        while let Some(Item::Entry(entry)) = within.pull() {
            opened.push(entry.open().map(drop).map_err(|problem| problem.cause));
        }
        assert_eq!(opened[..3], [Ok(()), Ok(()), Ok(())]);
        assert!(opened[3..].iter().all(|opened| *opened == Err(Cause::Outside)), "{opened:?}");
    }
}
