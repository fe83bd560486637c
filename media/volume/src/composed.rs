//! Volumes that are pieces of something larger: members of arrays, physical volumes, devices of one
//! file system; and the volumes that they make up, from one medium or several.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::btrfs::{self, Superblock};
use crate::lvm::{self, Physical};
use crate::raid::{self, Member};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;

/// The identifier that the pieces of one whole have in common: of an array, of a physical volume in
/// a group, of a file system.
pub type Key = Vec<u8>;

/// A volume that is a piece.
#[derive(Clone)]
pub struct Piece {
    /// Its part of the name of the whole, `p2`; empty for a medium without partitions.
    label: Vec<u8>,
    bytes: Arc<dyn Bytes>,
    of: Of,
}

#[derive(Clone)]
enum Of {
    Array(Box<Member>),
    Group(Box<Physical>),
    System(Box<Superblock>),
    /// It is a piece, and cannot be read.
    Damaged(Failure),
}

/// A volume out of pieces.
pub struct ComposedVolume {
    /// Its name: `GROUP/VOLUME`, the array's, or `p1+p2` of a file system; empty for a file system
    /// over whole media.
    pub name: Vec<u8>,
    /// Its bytes.
    pub bytes: Arc<dyn Bytes>,
    /// The label of the piece that it is, alone.
    pub alone: Option<Vec<u8>>,
}

/// The volumes that pieces make up.
#[derive(Default)]
pub struct Composition {
    /// Volumes in order of their kind and name; a failure stands for one that cannot be read, and
    /// its path is the name.
    pub volumes: Vec<Result<ComposedVolume, Failure>>,
    /// Pieces that were left out, though all volumes can be read.
    pub warnings: Vec<Failure>,
    /// Whether nothing is missing that other media may hold.
    pub is_complete: bool,
    /// The keys of all pieces that are there or are missing.
    pub keys: BTreeSet<Key>,
}

fn key(kind: &str, id: &[u8]) -> Key {
    [kind.as_bytes(), id].concat()
}

impl Piece {
    /// The volume of these bytes, if it is a piece of something larger.
    pub fn of(label: &[u8], bytes: &Arc<dyn Bytes>) -> Option<Piece> {
        let of = match Member::read(bytes) {
            Ok(Some(member)) => Of::Array(Box::new(member)),
            Err(failure) => Of::Damaged(failure),
            Ok(None) => Of::inner(bytes)?,
        };
        Some(Piece { label: label.to_vec(), bytes: bytes.clone(), of })
    }

    /// Its label, as it was given.
    pub fn label(&self) -> &[u8] {
        &self.label
    }
}

impl Of {
    /// The kind of a piece that may also lie in an array.
    fn inner(bytes: &Arc<dyn Bytes>) -> Option<Of> {
        if lvm::is_physical_volume(&**bytes) {
            return Some(match Physical::read(bytes) {
                Ok(physical) => Of::Group(Box::new(physical)),
                Err(failure) => Of::Damaged(failure),
            });
        }
        btrfs::of_several(bytes).map(|found| Of::System(Box::new(found)))
    }
}

/// Whether a medium without a partition table is a piece itself.
pub fn is_piece(bytes: &Arc<dyn Bytes>) -> bool {
    Piece::of(b"", bytes).is_some()
}

/// Whether a whole medium is a member of an array by a superblock at its end: a partition table on
/// it is then that of the array.
pub fn is_whole_member(bytes: &Arc<dyn Bytes>) -> bool {
    raid::is_member_to_the_end(bytes)
}

/// The volumes that these pieces make up.
pub fn compose(pieces: &[Piece]) -> Composition {
    let mut found = Composition { is_complete: true, ..Composition::default() };
    let mut inner: Vec<Piece> = Vec::new();
    let mut sets: Vec<([u8; 16], Vec<Member>)> = Vec::new();
    for piece in pieces {
        match &piece.of {
            Of::Array(member) => match sets.iter_mut().find(|(set, _)| *set == member.set) {
                Some((_, set)) => set.push((**member).clone()),
                None => sets.push((member.set, vec![(**member).clone()])),
            },
            Of::Damaged(failure) => {
                found.volumes.push(Err(Failure { path: piece.label.clone(), ..failure.clone() }));
            }
            _ => inner.push(piece.clone()),
        }
    }
    for (set, members) in &sets {
        found.array(set, members, &mut inner);
    }
    found.groups(&inner);
    found.systems(&inner);
    found
}

impl Composition {
    /// An array: its content is a volume, or a piece of a larger one.
    fn array(&mut self, set: &[u8; 16], members: &[Member], inner: &mut Vec<Piece>) {
        self.keys.insert(key("md", set));
        let Some(assembled) = raid::assemble(members) else { return };
        self.is_complete &= assembled.is_complete;
        let name = self.free_name(assembled.name.into_bytes());
        self.warnings.extend(assembled.warnings.into_iter().map(|failed| Failure { path: name.clone(), ..failed }));
        match assembled.array {
            Err(failure) => self.volumes.push(Err(Failure { path: name, ..failure })),
            Ok(array) => {
                let bytes: Arc<dyn Bytes> = Arc::new(array);
                match Of::inner(&bytes) {
                    Some(of) => inner.push(Piece { label: name, bytes, of }),
                    None => self.volumes.push(Ok(ComposedVolume { name, bytes, alone: None })),
                }
            }
        }
    }

    /// A name that no other volume has.
    fn free_name(&self, name: Vec<u8>) -> Vec<u8> {
        let is_taken = |name: &[u8]| {
            self.volumes.iter().any(|volume| match volume {
                Ok(volume) => volume.name == name,
                Err(failure) => failure.path == name,
            })
        };
        let numbered = |number: u32| [&name[..], format!("-{number}").as_bytes()].concat();
        if !is_taken(&name) {
            return name;
        }
        (2..).map(numbered).find(|name| !is_taken(name)).unwrap_or(name)
    }

    /// Logical volumes.
    fn groups(&mut self, pieces: &[Piece]) {
        let physical: Vec<(Physical, Arc<dyn Bytes>)> = pieces
            .iter()
            .filter_map(|piece| match &piece.of {
                Of::Group(physical) => Some(((**physical).clone(), piece.bytes.clone())),
                _ => None,
            })
            .collect();
        let found = lvm::logical_volumes(&physical);
        self.is_complete &= found.missing.is_empty();
        let ids = physical.iter().map(|(physical, _)| &physical.id).chain(&found.missing);
        self.keys.extend(ids.map(|id| key("pv", id.as_bytes())));
        self.warnings.extend(found.warnings);
        let volume = |found: lvm::LogicalVolume| ComposedVolume { name: found.name, bytes: found.bytes, alone: None };
        self.volumes.extend(found.volumes.into_iter().map(|found| found.map(volume)));
    }

    /// File systems over several devices.
    fn systems(&mut self, pieces: &[Piece]) {
        let devices: Vec<(Vec<u8>, Superblock, Arc<dyn Bytes>)> = pieces
            .iter()
            .filter_map(|piece| match &piece.of {
                Of::System(found) => Some((piece.label.clone(), (**found).clone(), piece.bytes.clone())),
                _ => None,
            })
            .collect();
        for joined in btrfs::joined_volumes(devices) {
            self.keys.insert(key("fs", &joined.id));
            self.is_complete &= joined.is_complete;
            let name = self.free_name(joined.name);
            let second = |id: u64| Failure {
                path: name.clone(),
                cause: format!("Btrfs: a second device {id} is left out"),
                ..Failure::default()
            };
            self.warnings.extend(joined.seconds.into_iter().map(second));
            self.volumes.push(Ok(ComposedVolume { name, bytes: joined.bytes, alone: joined.alone }));
        }
    }
}
