//! The two sides of a comparison: directories and lists; a catalogue of a directory is a list.

use super::request::Request;
use super::tree::Tree;
use crate::check::{self, Ledger, Task, Turn};
use crate::job::Error;
use crate::objects;
use pfh_custody::seal::HeldSeal;
use pfh_engine::Control;
use pfh_source::Links;
use pfh_source::os::names::OsStrExt;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffSide {
    /// The first.
    A,
    /// The second.
    B,
}

impl fmt::Display for DiffSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DiffSide::A => "A",
            DiffSide::B => "B",
        })
    }
}

/// A side, opened.
pub enum Side {
    /// A directory, or the members of a container.
    Directory(Tree),
    /// A list, read.
    List(Box<List>),
}

/// A list, and where its names start.
pub struct List {
    /// Which side it is.
    pub which: DiffSide,
    /// The file.
    pub path: PathBuf,
    /// Its seal, if it has one.
    pub held: Option<HeldSeal>,
    /// Its records.
    pub ledger: Ledger,
    /// The start of its names, which is left out; with a closing slash, or empty.
    pub base: Vec<u8>,
    asked: check::Request,
}

impl Side {
    /// Opens a side: a list is read.
    ///
    /// # Errors
    /// When a list cannot be read, or its seal does not hold.
    pub fn open(request: &Request, which: DiffSide) -> Result<Side, Error> {
        let name: &OsString = &request.sides[which as usize];
        let path = Path::new(name);
        if let Some(folder) = objects::folder(name.as_bytes()) {
            return Ok(Side::Directory(Tree::objects(folder)));
        }
        if name != "-" && path.is_dir() {
            return Ok(Side::Directory(Tree::directory(name.as_bytes().to_vec())));
        }
        #[cfg(feature = "audit")]
        if name != "-" && pfh_outboard::is_catalogue(path).unwrap_or(false) {
            // Read as a list: no file of the directory is needed.
            let (path, asked) = (path.to_owned(), check::Request::new(path));
            let ledger = catalogued(&path)?;
            return Ok(Side::List(Box::new(List { which, path, held: None, ledger, base: Vec::new(), asked })));
        }
        #[cfg(feature = "inside")]
        if name != "-"
            && let Some(tree) = Tree::container(request, name.as_bytes())
        {
            return Ok(Side::Directory(tree));
        }
        let asked = check::Request::new(path)
            .algorithms(request.algorithms.clone())
            .end(request.end)
            .columns(request.columns.clone())
            .plan(request.plan.clone())
            .task(Task::Audit { below: Vec::new(), follow: request.links == Links::Follow });
        let (held, ledger) = check::open(Turn::of(&asked))?;
        let held = held.into_iter().next();
        let list = List { which, path: path.to_owned(), held, ledger, base: Vec::new(), asked };
        Ok(Side::List(Box::new(list)))
    }

    /// The tree, if its files are read.
    pub fn tree(&self) -> Option<&Tree> {
        match self {
            Side::Directory(tree) => Some(tree),
            Side::List(_) => None,
        }
    }
}

/// The entries of a catalogue that `tree build` made of a directory, if they give its root.
#[cfg(feature = "audit")]
fn catalogued(path: &Path) -> Result<Ledger, Error> {
    let catalogue = pfh_outboard::Catalogue::open(path)?;
    catalogue.prove_all()?;
    let name = catalogue.algorithm()?;
    let algorithm: crate::Algorithm = name.parse().map_err(Error::request)?;
    let mut found = Ledger { algorithms: vec![algorithm.into()], ..Ledger::default() };
    let mut wrong = 0;
    catalogue.each(&mut |entry| match crate::Digest::from_bytes(algorithm.into(), &entry.digest) {
        Ok(digest) => {
            let mut listing = pfh_ledger::Listing::default();
            (listing.name, listing.size, listing.digests) = (entry.name, Some(entry.size), vec![digest]);
            found.entries.push(listing);
        }
        Err(_) => wrong += 1,
    })?;
    match wrong {
        0 => Ok(found),
        _ => Err(pfh_outboard::CatalogueError::Damaged(path.to_owned()).into()),
    }
}

impl List {
    /// Whether it names no file.
    pub fn is_empty(&self) -> bool {
        self.ledger.entries.is_empty()
    }

    /// The names of its entries, without `./` in front.
    pub fn names(&self) -> Vec<Vec<u8>> {
        self.ledger.entries.iter().map(|entry| pfh_ledger::plain(&entry.name)).collect()
    }

    /// Finds out by the files of a directory the algorithms of digests without a name, and which
    /// prefix names have there.
    ///
    /// # Errors
    /// When a thread panicked.
    pub fn settle(&mut self, request: &Request, root: &[u8], control: &Control<'_>) -> Result<(), Error> {
        let asked = self.asked.clone().plan(request.plan.clone()).root(OsStr::from_bytes(root));
        check::settle(Turn::of(&asked), &mut self.ledger, control)?;
        let prefix = pfh_ledger::plain(&check::find(Turn::of(&asked), &self.ledger).prefix);
        self.strip(prefix);
        Ok(())
    }

    /// Takes a directory off all names.
    pub fn strip(&mut self, base: Vec<u8>) {
        self.base = if base.is_empty() || base.ends_with(b"/") { base } else { [&base[..], b"/"].concat() };
        #[cfg(feature = "inside")]
        {
            // The container that its names are inside of is not a file of the tree.
            let base = &self.base;
            let holds = |name: &[u8]| base.starts_with(&crate::inside::name::prefix(&pfh_ledger::plain(name)));
            self.ledger.entries.retain(|entry| !holds(&entry.name));
        }
        let base = &self.base;
        self.ledger.respell(|name| pfh_ledger::folded(name, |_| false));
        for name in self.ledger.entries.iter_mut().map(|entry| &mut entry.name) {
            *name = below(name, base);
        }
        for name in self.ledger.unhashed.iter_mut().map(|unhashed| &mut unhashed.name) {
            *name = below(name, base);
        }
    }
}

/// In front of names that do not start in the base: no name of a file begins with it, so none of
/// them is taken for one that does.
const OUTSIDE: u8 = 0;

/// A name below the base.
fn below(name: &[u8], base: &[u8]) -> Vec<u8> {
    let name = pfh_ledger::plain(name);
    match name.strip_prefix(base) {
        Some(rest) => rest.to_vec(),
        None => [&[OUTSIDE], &name[..]].concat(),
    }
}

/// A name as it is printed.
pub fn printed(name: &[u8]) -> Vec<u8> {
    name.strip_prefix(&[OUTSIDE]).unwrap_or(name).to_vec()
}

/// The name of a file in a walked directory, below that.
pub fn within<'a>(directory: &[u8], name: &'a [u8]) -> &'a [u8] {
    let rest = name.strip_prefix(directory).unwrap_or(name);
    if objects::folder(directory).is_some() {
        return rest;
    }
    let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
    &rest[slashes..]
}
