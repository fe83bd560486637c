//! Opens a disk image of any kind.

use super::failure::Failure;
use super::image::Disk;
use super::kind::{END, Kind, START};
use super::parent::{Parent, Parents};
use super::siblings::{Siblings, sibling};
use super::{aff4, dmg, ex01, qcow2, vhd, vhdx, vmdk};
use crate::Bytes;
use std::io;
use std::sync::Arc;

/// How many images may be differences to one another.
const DEEPEST: u32 = 32;

/// Opens a disk image of this kind.
///
/// # Errors
/// See [`Failure`].
pub fn open(kind: Kind, file: Arc<dyn Bytes>, files: &dyn Siblings) -> Result<Box<dyn Disk>, Failure> {
    open_in(kind, file, &Chain { files, depth: 0, name: files.first() })
}

fn open_in(kind: Kind, file: Arc<dyn Bytes>, chain: &Chain<'_>) -> Result<Box<dyn Disk>, Failure> {
    match kind {
        Kind::Vhd => vhd::open(file, chain),
        Kind::Vhdx => vhdx::open(file, chain),
        Kind::Vmdk => vmdk::open(file, chain),
        Kind::Qcow2 => qcow2::open(file, chain),
        Kind::Dmg => dmg::open(file),
        Kind::Aff4 => aff4::open(file, chain.files),
        Kind::Ex01 => ex01::open(file, chain.files),
    }
}

/// An image, how many are a difference to it, each to the one before, and its name.
struct Chain<'a> {
    files: &'a dyn Siblings,
    depth: u32,
    name: &'a str,
}

impl Parents for Chain<'_> {
    fn files(&self) -> &dyn Siblings {
        self.files
    }

    fn parent(&self, names: &[String], raw: bool) -> Result<Parent, Failure> {
        if self.depth >= DEEPEST {
            return Err(Failure::refused(format!("more than {DEEPEST} images that are differences to one another")));
        }
        let last = |name: &String| name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let mut lasts: Vec<String> = names.iter().map(last).filter(|name| !name.is_empty()).collect();
        lasts.dedup();
        let found = lasts.into_iter().find_map(|name| match sibling(self.files, &name) {
            Ok(file) => Some(Ok((name, file))),
            // One that is not there may be by another name.
            Err(Failure::Io(error)) => Some(Err(Failure::Io(error))),
            Err(_) => None,
        });
        let (name, file) = found.ok_or_else(|| missing(names))??;
        if name == self.name {
            return Err(Failure::malformed(format!("a difference to {name:?}, which it is itself")));
        }
        let (mut start, mut end) = (vec![0; START.min(file.size() as usize)], vec![0; END.min(file.size() as usize)]);
        file.read_exact_at(0, &mut start)?;
        file.read_exact_at(file.size() - end.len() as u64, &mut end)?;
        let disk = match Kind::recognize(&start, &end).filter(|_| !raw) {
            Some(kind) => {
                let chain = Chain { files: self.files, depth: self.depth + 1, name: &name };
                open_in(kind, file, &chain).map_err(|failure| within(&name, failure))?
            }
            None => Box::new(Raw(file)),
        };
        Ok(Parent::new(disk, name))
    }
}

fn missing(names: &[String]) -> Failure {
    let name = names.iter().find(|name| !name.is_empty());
    let shown = name.map_or_else(|| "a parent without a name".to_owned(), |name| format!("{name:?}"));
    Failure::refused(format!("a difference to {shown}, which is not beside it"))
}

fn within(name: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Io(error) => Failure::Io(error),
        Failure::Refused(what) => Failure::refused(format!("its parent {name:?}: {what}")),
        failure @ Failure::Malformed { .. } => Failure::malformed(format!("its parent {name:?}: {failure}")),
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
