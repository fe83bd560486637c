//! Walks one directory tree: iterative, relative to descriptors, in byte order, with no limit on
//! depth or path length.

use crate::base::Base;
use crate::descend::{Descend, Links, Recurse};
use crate::entry::{Origin, Skip};
use crate::listing::Names;
use crate::os::{self, Directory, Errno, FileType};
use crate::problem::{Cause, Problem, Stage};
use crate::select::AskedName;
use crate::stat::Stat;
use crate::streams::streams;
use crate::unnumbered::UnnumberedItem;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// Directories kept open on the way down; older ones are opened again by path when the walk returns
/// to them. Fewer where few files may be open.
const OPEN: usize = 8;

struct Frame {
    names: Names,
    /// Length of the path of this directory, with its closing slash.
    path: usize,
    directory: Option<Directory>,
    identity: (u64, u128),
}

pub(crate) struct Walk {
    base: Arc<Base>,
    descend: Arc<Descend>,
    device: u64,
    /// Path of the directory at hand below the base, with its closing slash.
    path: Vec<u8>,
    frames: Vec<Frame>,
    /// Most frames whose directory stays open.
    open: usize,
    ancestors: HashSet<(u64, u128)>,
    pending: VecDeque<UnnumberedItem>,
}

impl Walk {
    pub(crate) fn open(operand: &[u8], descend: Arc<Descend>) -> Result<Self, Problem> {
        let directory = os::open_operand_directory(operand).map_err(|e| Problem::os(Stage::Open, e))?;
        let stat = os::stat(&directory).map_err(|e| Problem::os(Stage::Walk, e))?;
        let mut prefix = operand.to_vec();
        if prefix.last() != Some(&b'/') {
            prefix.push(b'/');
        }
        let again = directory.try_clone().map_err(|e| Problem::io(Stage::Walk, &e))?;
        let base = Arc::new(Base {
            directory: Some(Arc::new(again)),
            prefix: prefix.into(),
            links: descend.links,
            hold: descend.hold,
            past: false,
        });
        let mut walk = Walk {
            base,
            descend,
            device: stat.device,
            path: Vec::new(),
            frames: Vec::new(),
            open: (os::descriptors() / 8).clamp(1, OPEN),
            ancestors: HashSet::new(),
            pending: VecDeque::new(),
        };
        if walk.descend.streams {
            walk.pending.extend(streams(&Base::of_operands(walk.descend.hold), operand, &walk.descend));
        }
        walk.enter(directory, (stat.device, stat.inode));
        Ok(walk)
    }

    /// Lists an open directory whose path is `self.path` and makes it the one at hand.
    fn enter(&mut self, directory: Directory, identity: (u64, u128)) {
        let (names, failed) = Names::list(&directory);
        if let Some(errno) = failed {
            let problem = Problem::os(Stage::Walk, errno);
            self.pending.push_back(UnnumberedItem::Problem(self.full(b""), problem));
        }
        self.ancestors.insert(identity);
        self.frames.push(Frame { names, path: self.path.len(), directory: Some(directory), identity });
        if self.frames.len() > self.open {
            let closed = self.frames.len() - self.open - 1;
            self.frames[closed].directory = None;
        }
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.ancestors.remove(&frame.identity);
        }
        let path = self.frames.last().map_or(0, |f| f.path);
        self.path.truncate(path);
    }

    fn full(&self, name: &[u8]) -> Vec<u8> {
        let mut full = [&self.base.prefix, &self.path[..], name].concat();
        if name.is_empty() && full.len() > 1 {
            full.pop();
        }
        full
    }

    /// The descriptor of the directory at hand, opened again when it had to be closed for its
    /// descendants.
    fn here(&mut self) -> Result<&Directory, Errno> {
        let base = self.base.directory.as_ref().ok_or(Errno::BADF)?;
        let frame = self.frames.last_mut().ok_or(Errno::BADF)?;
        if frame.directory.is_none() {
            let path = if self.path.is_empty() { b"." } else { &self.path[..self.path.len() - 1] };
            let again = os::open_directory(base, path, self.descend.links)?;
            let stat = os::stat(&again)?;
            if (stat.device, stat.inode) != frame.identity {
                return Err(Errno::STALE);
            }
            frame.directory = Some(again);
        }
        frame.directory.as_ref().ok_or(Errno::BADF)
    }

    pub(crate) fn next(&mut self) -> Option<UnnumberedItem> {
        loop {
            if let Some(found) = self.pending.pop_front() {
                return Some(found);
            }
            let named = match self.frames.last_mut()?.names.next() {
                Some(Ok(named)) => named,
                Some(Err(errno)) => {
                    return Some(UnnumberedItem::Problem(self.full(b""), Problem::os(Stage::Walk, errno)));
                }
                None => {
                    self.leave();
                    continue;
                }
            };
            if let Some(found) = self.visit(&named.0, named.1) {
                return Some(found);
            }
        }
    }

    fn visit(&mut self, name: &[u8], mut kind: FileType) -> Option<UnnumberedItem> {
        let mut stat: Option<Stat> = None;
        let follow = self.descend.links == Links::Follow;
        let sized = self.descend.selection.needs_size() && kind == FileType::RegularFile;
        if kind == FileType::Unknown || sized || (kind == FileType::Symlink && follow) {
            let links = self.descend.links;
            match self.here().and_then(|here| os::stat_at(here, name, links)) {
                Ok(found) => {
                    kind = os::file_type(found.mode);
                    stat = Some(found);
                }
                Err(errno) => return Some(UnnumberedItem::Problem(self.full(name), Problem::os(Stage::Walk, errno))),
            }
        }
        let selection = &self.descend.selection;
        let path = || [&self.path[..], name].concat();
        // Without patterns nothing is put together for them.
        let (printed, below) = if selection.is_all() { Default::default() } else { (self.full(name), path()) };
        let asked = AskedName { printed: &printed, below: &below, name };
        let skip = match kind {
            FileType::Directory => {
                if !selection.enters(&asked) {
                    return None;
                }
                if self.descend.recurse == Recurse::Flat {
                    return Some(UnnumberedItem::Skipped(self.full(name), Skip::Directory));
                }
                return self.descend_into(name);
            }
            FileType::RegularFile | FileType::Placeholder => None,
            FileType::Symlink => Some(Skip::Symlink),
            FileType::Fifo => Some(Skip::Fifo),
            FileType::Socket => Some(Skip::Socket),
            FileType::CharacterDevice | FileType::Unknown => Some(Skip::CharacterDevice),
            FileType::BlockDevice => Some(Skip::BlockDevice),
        };
        if !selection.takes_file(&asked) || stat.is_some_and(|s| !selection.takes_size(s.size)) {
            return None;
        }
        if let Some(skip) = skip {
            return Some(UnnumberedItem::Skipped(self.full(name), skip));
        }
        if kind == FileType::Placeholder {
            return Some(UnnumberedItem::Problem(self.full(name), Problem::new(Stage::Walk, Cause::Elsewhere)));
        }
        let path = path();
        if self.descend.streams {
            self.pending.extend(streams(&self.base, &path, &self.descend));
        }
        let origin = Origin::File { base: self.base.clone(), path: path.into(), special: self.descend.special };
        Some(UnnumberedItem::Origin(origin, stat))
    }

    fn descend_into(&mut self, name: &[u8]) -> Option<UnnumberedItem> {
        let links = self.descend.links;
        let opened = self.here().and_then(|here| {
            let directory = os::open_directory(here, name, links)?;
            let stat = os::stat(&directory)?;
            Ok((directory, stat))
        });
        let (directory, stat) = match opened {
            Ok(opened) => opened,
            Err(errno) => return Some(UnnumberedItem::Problem(self.full(name), Problem::os(Stage::Walk, errno))),
        };
        let identity = (stat.device, stat.inode);
        if self.ancestors.contains(&identity) {
            return Some(UnnumberedItem::Problem(self.full(name), Problem::new(Stage::Walk, Cause::Loop)));
        }
        if self.descend.one_file_system && stat.device != self.device {
            return Some(UnnumberedItem::Skipped(self.full(name), Skip::OtherFileSystem));
        }
        self.path.extend_from_slice(name);
        if self.descend.streams {
            self.pending.extend(streams(&self.base, &self.path, &self.descend));
        }
        self.path.push(b'/');
        self.enter(directory, identity);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_whose_content_is_elsewhere_is_an_error_and_is_not_opened() {
        let room = tempfile::tempdir().unwrap();
        let operand = room.path().as_os_str().as_encoded_bytes();
        let mut walk = Walk::open(operand, Arc::new(Descend::default())).unwrap();
        let Some(UnnumberedItem::Problem(path, problem)) = walk.visit(b"cloud.docx", FileType::Placeholder) else {
            panic!("no problem")
        };
        assert!(path.ends_with(b"/cloud.docx"), "{path:?}");
        assert_eq!((problem.stage, problem.code()), (Stage::Walk, "elsewhere"));
    }
}
