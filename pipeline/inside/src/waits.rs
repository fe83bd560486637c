//! Media that are pieces of something larger: they wait until all inputs came, since the other
//! pieces may be among those.

use crate::level::Part;
use crate::medium::Watch;
use pfh_source::Inside;
use pfh_volume::{Bytes, Composition, Key, Piece, compose};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// A volume of a medium that is a piece, and its description as a partition.
#[derive(Clone)]
pub struct Lone {
    pub piece: Piece,
    pub number: Option<u32>,
    pub bytes: Arc<dyn Bytes>,
    pub start: u64,
}

/// A medium whose pieces do not make up a whole.
pub struct Waiting {
    /// The start of its printed names, and the name that it is made of.
    pub prefix: Vec<u8>,
    pub name: Vec<u8>,
    pub about: Inside,
    pub medium: Arc<dyn Bytes>,
    pub watch: Arc<Watch>,
    pub pieces: Vec<Lone>,
}

/// Media that wait for each other.
#[derive(Default)]
pub struct Waits {
    media: Vec<Waiting>,
    groups: Option<VecDeque<(Vec<Waiting>, Composition)>>,
}

impl Waits {
    /// Adds a medium, once.
    pub fn add(&mut self, medium: Waiting) {
        if self.media.iter().all(|other| other.prefix != medium.prefix) {
            self.media.push(medium);
        }
    }

    /// The next media that belong together, and the whole that they make up, after all inputs.
    pub fn next(&mut self) -> Option<(Vec<Waiting>, Composition)> {
        let media = &mut self.media;
        self.groups.get_or_insert_with(|| groups(std::mem::take(media)).into()).pop_front()
    }
}

fn composed(media: &[Waiting]) -> Composition {
    let pieces: Vec<Piece> = media.iter().flat_map(|medium| &medium.pieces).map(|part| part.piece.clone()).collect();
    compose(&pieces)
}

/// Brings those together that have a key in common, until nothing changes: a volume in an array may
/// be a piece of another.
fn groups(media: Vec<Waiting>) -> Vec<(Vec<Waiting>, Composition)> {
    let mut groups: Vec<(Vec<Waiting>, Composition)> = media
        .into_iter()
        .map(|medium| {
            let alone = vec![medium];
            let found = composed(&alone);
            (alone, found)
        })
        .collect();
    while let Some((first, second)) = related(&groups) {
        let (media, _) = groups.remove(second);
        groups[first].0.extend(media);
        groups[first].1 = composed(&groups[first].0);
    }
    groups
}

/// Two groups that have a key in common.
fn related(groups: &[(Vec<Waiting>, Composition)]) -> Option<(usize, usize)> {
    let keys: Vec<&BTreeSet<Key>> = groups.iter().map(|(_, found)| &found.keys).collect();
    let pairs = (0..keys.len()).flat_map(|first| (first + 1..keys.len()).map(move |second| (first, second)));
    pairs.into_iter().find(|(first, second)| !keys[*first].is_disjoint(keys[*second]))
}

/// The parts of the whole that these pieces make up.
pub fn parts(found: Composition, pieces: &[Lone]) -> Vec<Part> {
    let volumes = found.volumes.into_iter().map(|volume| match volume {
        Ok(volume) => {
            let own = volume.alone.and_then(|label| pieces.iter().find(|part| part.piece.label() == label));
            match own {
                Some(Lone { number: Some(number), bytes, start, .. }) => {
                    Part::Volume(Some(*number), bytes.clone(), *start)
                }
                _ => Part::Logical(volume.name, volume.bytes),
            }
        }
        Err(failure) => Part::Failure(failure),
    });
    found.warnings.into_iter().map(Part::Failure).chain(volumes).collect()
}
