//! The disk that a differencing image is a difference to.

use super::failure::Failure;
use super::image::Disk;
use super::kind::Kind;
use super::siblings::{Siblings, sibling};
use super::{END, START};
use crate::Bytes;
use std::io;
use std::sync::Arc;

/// How many images may be differences to one another.
const DEEPEST: u32 = 32;

/// The files of an image, as its parents see them: how deep they are is counted.
struct Chain<'a> {
    files: &'a dyn Siblings,
    depth: u32,
    first: String,
}

/// The parent of an image.
pub struct Parent {
    disk: Box<dyn Disk>,
    name: String,
}

impl Siblings for Chain<'_> {
    fn open(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        self.files.open(name)
    }

    fn first(&self) -> &str {
        &self.first
    }

    fn depth(&self) -> u32 {
        self.depth
    }
}

/// Opens the parent that one of these names stands for, which an image wrote down: a path of the
/// machine that it was made on, of which the last part counts, since only files beside the image
/// are read. With `raw` its bytes are the disk, whatever they look like.
pub fn open(files: &dyn Siblings, names: &[String], raw: bool) -> Result<Parent, Failure> {
    let missing = || Failure::refused(format!("a difference to {}, which is not beside it", shown(names)));
    if files.depth() >= DEEPEST {
        return Err(Failure::refused(format!("more than {DEEPEST} images that are differences to one another")));
    }
    let last = |name: &String| name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let mut lasts: Vec<String> = names.iter().map(last).filter(|name| !name.is_empty()).collect();
    lasts.dedup();
    let found = lasts.iter().find_map(|name| match sibling(files, name) {
        Ok(file) => Some(Ok((name.clone(), file))),
        Err(Failure::Io(error)) => Some(Err(Failure::Io(error))),
        Err(_) => None,
    });
    let (name, file) = found.ok_or_else(missing)??;
    if name == files.first() {
        return Err(Failure::malformed(format!("a difference to {name:?}, which it is itself")));
    }
    let within = |failure: Failure| match failure {
        Failure::Io(error) => Failure::Io(error),
        Failure::Refused(what) => Failure::refused(format!("its parent {name:?}: {what}")),
        failure @ Failure::Malformed { .. } => Failure::malformed(format!("its parent {name:?}: {failure}")),
    };
    let (mut start, mut end) = (vec![0; START.min(file.size() as usize)], vec![0; END.min(file.size() as usize)]);
    file.read_exact_at(0, &mut start)?;
    file.read_exact_at(file.size() - end.len() as u64, &mut end)?;
    let chain = Chain { files, depth: files.depth() + 1, first: name.clone() };
    let disk = match Kind::recognize(&start, &end).filter(|_| !raw) {
        Some(kind) => super::open::open(kind, file, &chain).map_err(within)?,
        None => Box::new(Raw(file)),
    };
    Ok(Parent { disk, name })
}

fn shown(names: &[String]) -> String {
    names
        .iter()
        .find(|name| !name.is_empty())
        .map_or_else(|| "a parent without a name".to_owned(), |name| format!("{name:?}"))
}

impl Parent {
    /// That it is the disk which the difference was made to, as both write it down.
    pub fn expect(&self, identity: &str) -> Result<(), Failure> {
        match self.disk.identity() {
            Some(own) if own.eq_ignore_ascii_case(identity) => Ok(()),
            own => {
                let own = own.unwrap_or_else(|| "none".to_owned());
                let what = format!(
                    "its parent {:?} is another disk, or was changed: identity {own}, not {identity}",
                    self.name
                );
                Err(Failure::malformed(what))
            }
        }
    }

    /// Fills `buffer` from `offset` on; what is behind the parent's end is zero.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Failure> {
        let there = self.disk.size().saturating_sub(offset).min(buffer.len() as u64) as usize;
        let (own, rest) = buffer.split_at_mut(there);
        rest.fill(0);
        self.disk.read_exact_at(offset, own).map_err(Failure::Io)
    }

    /// What is to be said of an image that has this parent.
    pub fn note(&self) -> String {
        format!("a difference to {:?}, which is read with it", self.name)
    }
}

/// A parent of bare bytes.
struct Raw(Arc<dyn Bytes>);

impl Bytes for Raw {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }
}

impl Disk for Raw {
    fn kind(&self) -> Kind {
        Kind::Vmdk
    }
}
