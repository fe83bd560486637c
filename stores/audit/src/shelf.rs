//! The files that a server answers for: those below one directory that have a tree beside them when
//! the server starts.

use crate::{AnswerFile, Error};
use pfh_outboard::{self as outboard, JOURNAL, SUFFIX};
use pfh_source::os::names::OsStrExt;
use pfh_source::{Descend, Entry, Item, Operands, Origin, Problem, Ranges, Recurse, Source};
use pfh_tree::audit::ProofError;
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes of a journal at most.
const LONGEST_JOURNAL: u64 = 32 << 20;

/// File and tree by identity, which is the file's path below the directory. Only these names are
/// ever opened: no path that comes from outside is, and each opening stays below the directory and
/// follows no symbolic link (`openat2` with `RESOLVE_BENEATH`).
pub struct Shelf {
    files: BTreeMap<Vec<u8>, (Entry, Entry)>,
}

impl Shelf {
    /// Registers the files below a directory that have a tree beside them.
    ///
    /// # Errors
    /// When the directory, or one below it, cannot be listed: a server that knows half of its files
    /// is of no use.
    pub fn open(directory: &Path) -> Result<Shelf, Problem> {
        let descend = Descend { recurse: Recurse::Yes, ..Descend::default() };
        let mut source = Operands::new(vec![directory.as_os_str().as_bytes().to_vec()], descend);
        let mut entries: BTreeMap<Vec<u8>, Entry> = BTreeMap::new();
        while let Some(item) = source.pull() {
            match item {
                Item::Problem { problem, .. } => return Err(problem),
                // Operands know of no earlier reads.
                Item::Skipped { .. } | Item::Settled { .. } => {}
                Item::Entry(entry) => {
                    if let Origin::File { path, .. } = &entry.origin {
                        entries.insert(path.to_vec(), entry);
                    }
                }
            }
        }
        let with_tree = |(path, entry): (&Vec<u8>, &Entry)| {
            let tree = entries.get(&[&path[..], SUFFIX.as_bytes()].concat())?;
            Some((path.clone(), (entry.clone(), tree.clone())))
        };
        Ok(Shelf { files: entries.iter().filter_map(with_tree).collect() })
    }

    /// The registered files.
    pub fn identities(&self) -> impl Iterator<Item = &[u8]> {
        self.files.keys().map(Vec::as_slice)
    }

    /// Opens a registered file with its tree, and reads nothing but the tree's header.
    ///
    /// # Errors
    /// For other names; when file or tree cannot be opened, or the tree is damaged.
    pub fn take(&self, identity: &[u8]) -> Result<AnswerFile, Error> {
        let (file, tree) = self.files.get(identity).ok_or(Error::Unknown)?;
        let journal = journal(tree);
        let tree = outboard::pages(Ranges::of(tree)?, journal.as_deref()).map_err(ProofError::Tree)?;
        Ok(AnswerFile { file: Ranges::of(file)?, tree })
    }
}

/// The journal of a tree that is being changed, or whose change was interrupted.
fn journal(tree: &Entry) -> Option<Vec<u8>> {
    let mut journal = tree.clone();
    if let Origin::File { path, .. } = &mut journal.origin {
        *path = [&path[..], JOURNAL.as_bytes()].concat().into();
    }
    Ranges::of(&journal).and_then(|file| file.read_all(LONGEST_JOURNAL)).ok()
}
