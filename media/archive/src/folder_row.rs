//! The folders of a 7z archive, one after the other: while one is read, the next ones are decoded
//! by threads that have nothing else to do.

use super::crew::{CrewStream, Hands, Pending, Rest};
use super::folder::Folder;
use super::limits::Limits;
use super::parts::resumed;
use pfh_bytes::bytes::Bytes;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The least of a folder that is worth a thread of its own.
const LEAST: u64 = 256 << 10;

/// A folder, and whether somebody has begun with it.
struct Place {
    folder: Folder,
    state: Mutex<State>,
}

enum State {
    Untouched,
    /// Decoded ahead of its reader.
    Ahead(Pending),
    Opened,
}

/// The folders of an archive.
pub struct Row {
    bytes: Arc<dyn Bytes>,
    packed: Vec<(u64, u64)>,
    limits: Limits,
    /// The limits of a decoder that is one of several.
    alone: Limits,
    places: Vec<Place>,
}

impl Row {
    /// These folders, with the offset behind the header's and the length of each packed stream.
    pub fn new(bytes: &Arc<dyn Bytes>, packed: &[(u64, u64)], folders: &[Folder], limits: &Limits) -> Arc<Row> {
        let place = |folder: &Folder| Place { folder: folder.clone(), state: Mutex::new(State::Untouched) };
        Arc::new(Row {
            bytes: bytes.clone(),
            packed: packed.to_vec(),
            limits: limits.clone(),
            alone: Limits { crew: Hands::default(), ..limits.clone() },
            places: folders.iter().map(place).collect(),
        })
    }

    /// Opens the stream of the folder with this number, and has the next ones decoded if folders
    /// are read in their order.
    ///
    /// # Errors
    /// Those of [`Folder::open`].
    pub fn open(self: &Arc<Self>, number: usize) -> io::Result<CrewStream> {
        let Some(place) = self.places.get(number) else { return Err(io::ErrorKind::NotFound.into()) };
        let state = std::mem::replace(&mut *place.lock(), State::Opened);
        let is_next = number.checked_sub(1).is_none_or(|before| self.places[before].is_opened());
        if is_next {
            self.send(number + 1);
        }
        if let (State::Ahead(pending), Some(crew)) = (state, self.limits.crew.get()) {
            let decoded = pending();
            // Damage is named by the decoder of the whole folder alone.
            if !matches!(decoded.rest, Rest::Failed(_)) {
                return Ok(resumed(crew.clone(), decoded));
            }
        }
        place.folder.open(&self.bytes, &self.packed, &self.limits)
    }

    /// Has folders decoded from this number on, as many as there are other threads and memory for.
    fn send(self: &Arc<Self>, from: usize) {
        let Some(crew) = self.limits.crew.get() else { return };
        let share = (crew.memory() / 2 / crew.width().max(1)) as u64;
        for number in (from..self.places.len()).take(crew.width().saturating_sub(1)) {
            let place = &self.places[number];
            let (size, window) = (place.folder.size(), place.folder.memory());
            let is_sound = place.folder.refusal().is_none()
                && size <= self.limits.most(place.folder.stored(&self.packed))
                && window <= self.limits.window;
            // A long one whose parts several threads decode is left to them.
            let is_worth = size >= LEAST && (size < share || !place.folder.is_cut());
            let mut state = place.lock();
            if !(is_sound && is_worth && matches!(*state, State::Untouched)) {
                continue;
            }
            // A byte more than it has shows that it ends.
            let most = (size + 1).min(share.max(LEAST)) as usize;
            let row = self.clone();
            let open = move || row.places[number].folder.open(&row.bytes, &row.packed, &row.alone);
            match crew.begin(most, window, Box::new(open)) {
                Ok(pending) => *state = State::Ahead(pending),
                Err(_) => return,
            }
        }
    }
}

impl Place {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_opened(&self) -> bool {
        matches!(*self.lock(), State::Opened)
    }
}
