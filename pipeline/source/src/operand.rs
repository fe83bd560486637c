//! Operands: the names that the user gave, turned into items. Directories are walked, files and
//! standard input are one item each.

use crate::base::Base;
use crate::descend::{Descend, Recurse};
use crate::entry::{Entry, Item, Origin};
use crate::os::{self, FileType};
use crate::problem::{Cause, Problem, Stage};
use crate::select::AskedName;
use crate::source::Source;
use crate::stream::Stream;
use crate::streams::streams;
use crate::unnumbered::UnnumberedItem;
use crate::walk::Walk;
use std::collections::VecDeque;
use std::sync::Arc;

/// A path as bytes, or (the part of it that can be shown, why it cannot be one).
pub type OperandPath = Result<Vec<u8>, (Vec<u8>, Problem)>;

/// Paths to hash, in order.
pub type Paths = Box<dyn Iterator<Item = OperandPath> + Send>;

/// The source behind the command line: operands in their order, directories in byte order of their
/// names.
pub struct Operands {
    paths: Paths,
    descend: Arc<Descend>,
    walk: Option<Walk>,
    here: Arc<Base>,
    /// Streams of the operand that came last.
    pending: VecDeque<UnnumberedItem>,
    number: u64,
}

impl Operands {
    /// Operands given as byte paths.
    pub fn new<P: Into<Vec<u8>> + Send + 'static>(paths: Vec<P>, descend: Descend) -> Self {
        Self::from_paths(Box::new(paths.into_iter().map(|p| Ok(p.into()))), descend)
    }

    /// Operands that come one by one, from a list file for example (see [`names`](crate::names)).
    pub fn from_paths(paths: Paths, descend: Descend) -> Self {
        let here = Base::of_operands(descend.hold);
        Operands { paths, descend: Arc::new(descend), walk: None, here, pending: VecDeque::new(), number: 0 }
    }

    fn operand(&mut self, path: Vec<u8>) -> Option<UnnumberedItem> {
        let selection = &self.descend.selection;
        if let Some(stream) = Stream::named(&path) {
            return Some(UnnumberedItem::Origin(Origin::Stream(stream), None));
        }
        let recurse = self.descend.recurse != Recurse::No;
        let mut stat = None;
        if recurse || selection.needs_size() {
            match os::stat_operand(&path) {
                Err(errno) => return Some(UnnumberedItem::Problem(path, Problem::os(Stage::Open, errno))),
                Ok(found) if os::file_type(found.mode) == FileType::Directory => {
                    if !recurse {
                        return Some(UnnumberedItem::Problem(path, Problem::new(Stage::Open, Cause::IsDirectory)));
                    }
                    match Walk::open(&path, self.descend.clone()) {
                        Ok(walk) => self.walk = Some(walk),
                        Err(problem) => return Some(UnnumberedItem::Problem(path, problem)),
                    }
                    return None;
                }
                Ok(found) => stat = Some(found),
            }
        }
        let name = path.rsplit(|&b| b == b'/').next().unwrap_or(&path);
        let asked = AskedName { printed: &path, below: &path, name };
        if !selection.takes_file(&asked) || stat.is_some_and(|s| !selection.takes_size(s.size)) {
            return None;
        }
        let base = self.here.clone();
        if self.descend.streams {
            self.pending.extend(streams(&base, &path, &self.descend));
        }
        Some(UnnumberedItem::Origin(Origin::File { base, path: path.into(), special: self.descend.special }, stat))
    }
}

impl Source for Operands {
    fn pull(&mut self) -> Option<Item> {
        loop {
            let found = match &mut self.walk {
                _ if !self.pending.is_empty() => self.pending.pop_front()?,
                Some(walk) => match walk.next() {
                    Some(found) => found,
                    None => {
                        self.walk = None;
                        continue;
                    }
                },
                None => match self.paths.next()? {
                    Err((name, problem)) => UnnumberedItem::Problem(name, problem),
                    Ok(path) => match self.operand(path) {
                        Some(found) => found,
                        None => continue,
                    },
                },
            };
            let number = self.number;
            self.number += 1;
            return Some(match found {
                UnnumberedItem::Origin(origin, stat) => Item::Entry(Entry { number, origin, stat }),
                UnnumberedItem::Skipped(name, skip) => Item::Skipped { number, name, skip },
                UnnumberedItem::Problem(name, problem) => Item::Problem { number, name, problem },
            });
        }
    }
}
