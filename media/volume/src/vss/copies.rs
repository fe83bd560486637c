//! The shadow copies of a volume, oldest first. A store is read when the first copy that needs it
//! is opened, and kept for the others.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::block::wrong;
use super::catalog::{CatalogEntry, Catalogue, Header, MOST_COPIES, StorePlace};
use super::store::{Facts, Store};
use super::view::View;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::guid;
use pfh_bytes::node::Failure;
use pfh_bytes::time::windows;

/// Blocks that all stores of a volume may keep together, in some 500 MB of memory: 128 GiB.
const ROOM: usize = 8 << 20;

/// The shadow copies of a volume.
#[derive(Default)]
pub struct Copies {
    /// Each copy, the oldest first.
    pub members: Vec<Copy>,
    /// The parts of the catalogue that cannot be read.
    pub failed: Vec<Failure>,
    /// Faults and states of them all that an examiner must know.
    pub warnings: Vec<Failure>,
}

/// A shadow copy.
#[derive(Clone)]
pub struct Copy {
    /// Its place in the order of age, from 1.
    pub number: u32,
    /// The GUID of the copy; that of its store, where the header of the store cannot be read.
    pub id: String,
    /// The GUID of the set that it was made in; empty where that cannot be read.
    pub set: String,
    /// When it was made, in nanoseconds since 1970.
    pub created: Option<i128>,
    /// Bytes of the volume at that time.
    pub size: u64,
    stores: Arc<Stores>,
}

impl fmt::Debug for Copy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Copy").field("number", &self.number).field("id", &self.id).finish_non_exhaustive()
    }
}

type OpenShadow = Result<Arc<Store>, Failure>;

/// The stores of all copies.
struct Stores {
    live: Arc<dyn Bytes>,
    /// Where each lies, or why that is not known.
    placed: Vec<Result<StorePlace, Failure>>,
    /// Those that were read, and the descriptors that may still be held.
    read: Mutex<(Vec<Option<OpenShadow>>, usize)>,
}

impl Copies {
    /// Finds the shadow copies of a volume.
    pub fn of(live: &Arc<dyn Bytes>) -> Copies {
        let header = match Header::read(&**live) {
            Ok(Some(header)) => header,
            Ok(None) => return Copies::default(),
            Err(failed) => return Copies { failed: vec![failed], ..Copies::default() },
        };
        let catalogue = Catalogue::read(&**live, header.catalogue);
        let (mut failed, mut placed) = (catalogue.failed, catalogue.placed);
        let (described, warnings) = in_order(catalogue.described);
        let found: Vec<Result<StorePlace, Failure>> = described
            .iter()
            .map(|copy| match placed.iter().position(|store| store.store == copy.store) {
                Some(at) => Ok(placed.swap_remove(at)),
                None => Err(elsewhere(&header, copy)),
            })
            .collect();
        for store in placed {
            let cause = "a store of a shadow copy that this catalogue does not have: of another volume, perhaps";
            failed.push(wrong(store.at, format_args!("{cause} (store {})", guid(store.store))));
        }
        let read = Mutex::new((vec![None; found.len()], ROOM));
        let stores = Arc::new(Stores { live: live.clone(), placed: found, read });
        let members = described.iter().enumerate().map(|(at, copy)| stores.clone().copy(at, copy)).collect();
        Copies { members, failed, warnings }
    }
}

/// The copies from the oldest to the newest: by their numbers, which grow from copy to copy.
fn in_order(mut described: Vec<CatalogEntry>) -> (Vec<CatalogEntry>, Vec<Failure>) {
    described.truncate(MOST_COPIES);
    described.sort_by_key(|copy| (copy.sequence, copy.created));
    let mut warnings = Vec::new();
    for pair in described.windows(2) {
        if pair[0].created > pair[1].created || pair[0].sequence == pair[1].sequence {
            let (number, other) = (pair[0].sequence, pair[1].sequence);
            let cause =
                format_args!("the numbers {number} and {other} of two copies are not in the order of their times");
            warnings.push(wrong(pair[1].at, cause));
        }
    }
    (described, warnings)
}

/// Why a copy has no store in its own catalogue.
fn elsewhere(header: &Header, copy: &CatalogEntry) -> Failure {
    let cause = match header.storage == header.volume {
        true => "the catalogue has no store for this copy".to_owned(),
        false => format!("its store is on another volume ({})", guid(header.storage)),
    };
    wrong(copy.at, cause)
}

impl Stores {
    fn copy(self: Arc<Self>, at: usize, described: &CatalogEntry) -> Copy {
        let facts = self.placed[at].as_ref().ok().and_then(|placed| Facts::read(&*self.live, placed).ok());
        let (id, set) = match facts {
            Some(facts) => (facts.id, facts.set),
            None => (guid(described.store), String::new()),
        };
        let (number, created) = (at as u32 + 1, windows(described.created));
        Copy { number, id, set, created, size: described.size, stores: self }
    }

    /// The store of a copy by its place.
    fn store(&self, at: usize, volume: u64) -> OpenShadow {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let (opened, room) = &mut *read;
        if let Some(opened) = &opened[at] {
            return opened.clone();
        }
        let found = self.placed[at].clone().and_then(|placed| {
            Facts::read(&*self.live, &placed)?;
            Store::read(&*self.live, &placed, volume, room).map(Arc::new)
        });
        opened[at] = Some(found.clone());
        found
    }
}

impl Copy {
    /// The bytes of the volume when the copy was made. All later copies are needed for that: each
    /// store keeps the blocks that were written to until the next was made.
    ///
    /// # Errors
    /// When a store cannot be read.
    pub fn view(&self) -> Result<Arc<View>, Failure> {
        let first = self.number as usize - 1;
        let size = self.size.min(self.stores.live.size());
        let stores = (first..self.stores.placed.len()).map(|at| {
            let found = self.stores.store(at, size);
            found.map_err(|failed| match at == first {
                true => failed,
                false => Failure {
                    cause: format!("the later copy {}, which this one needs, cannot be read: {}", at + 1, failed.cause),
                    ..failed
                },
            })
        });
        Ok(Arc::new(View::new(self.stores.live.clone(), stores.collect::<Result<_, _>>()?, size)))
    }
}
