//! A bounded cache of units that are decoded whole: chunks of images, compressed blocks, pages of
//! tables. Several threads may ask at once: each unit is decoded once, by the first who asks.

use crate::disk::{Failure, within_unit};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that are held at most of one image; the largest unit counts alone.
const MOST: usize = 16 << 20;
/// Units that are held at most.
const COUNT: usize = 256;

/// A decoded unit.
pub trait Unit {
    /// Bytes of memory that it takes.
    fn memory(&self) -> usize;
}

impl Unit for Vec<u8> {
    fn memory(&self) -> usize {
        self.len()
    }
}

/// The place of a unit: empty while it is being decoded, when its lock is held.
type Slot<T> = Arc<Mutex<Option<Arc<T>>>>;

/// Units by number, the one used last in front.
pub struct Units<T = Vec<u8>> {
    held: Mutex<VecDeque<(u64, Slot<T>)>>,
    /// Bytes that are held at most.
    most: usize,
}

impl<T> Default for Units<T> {
    fn default() -> Self {
        Units { held: Mutex::default(), most: MOST }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Unit> Units<T> {
    /// A cache of at most this many bytes; the largest unit counts alone.
    pub fn most(bytes: usize) -> Self {
        Units { most: bytes, ..Units::default() }
    }

    /// A unit; `make` gives it if it is not held. Who asks for a unit that is being decoded waits
    /// for it; others do not. `make` must not ask for the same unit.
    ///
    /// # Errors
    /// Those of `make`, which runs again when the unit is asked for again.
    pub fn get<E>(&self, number: u64, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let slot = self.slot(number);
        let mut held = lock(&slot);
        if let Some(bytes) = &*held {
            return Ok(bytes.clone());
        }
        let made = make().map(Arc::new);
        let most = made.as_ref().map_or(COUNT, |bytes| (self.most / bytes.memory().max(1)).clamp(1, COUNT));
        *held = made.as_ref().ok().cloned();
        lock(&self.held).truncate(most);
        made
    }

    /// The place of a unit, in front of all others from now on.
    fn slot(&self, number: u64) -> Slot<T> {
        let mut units = lock(&self.held);
        let at = units.iter().position(|unit| unit.0 == number);
        let unit = at.and_then(|at| units.remove(at)).unwrap_or_else(|| (number, Slot::default()));
        units.push_front(unit.clone());
        units.truncate(COUNT);
        unit.1
    }
}

impl Units {
    /// Fills `buffer` from `offset` on, as far as a unit reaches, of media data of `size` bytes in
    /// units of `unit` bytes each. The last one may be shorter than that.
    ///
    /// # Errors
    /// Those of `make`; malformed where the last unit ends in front of `offset`.
    pub(crate) fn read(
        &self,
        (size, unit): (u64, u64),
        offset: u64,
        buffer: &mut [u8],
        make: impl FnOnce(u64) -> Result<Vec<u8>, Failure>,
    ) -> io::Result<usize> {
        let Some((number, inside, take)) = within_unit(size, unit, offset, buffer.len()) else { return Ok(0) };
        let bytes = self.get(number, || make(number))?;
        let rest = bytes.get(inside as usize..).unwrap_or_default();
        let take = take.min(rest.len());
        if take == 0 {
            return Err(Failure::malformed(format!("the media data end at byte {offset}")).into());
        }
        buffer[..take].copy_from_slice(&rest[..take]);
        Ok(take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn memory_is_bounded_and_errors_are_not_held() {
        let units = Units::default();
        for number in 0..1000 {
            let unit = units.get(number, || Ok::<_, ()>(vec![0; 1 << 20])).unwrap();
            assert_eq!(unit.len(), 1 << 20);
        }
        assert!(lock(&units.held).len() <= 16);
        assert_eq!(units.get(7, || Err::<Vec<u8>, _>("damaged")), Err("damaged"));
        assert_eq!(*units.get(7, || Ok::<_, ()>(vec![1])).unwrap(), [1]);
        assert_eq!(*units.get(7, || Err("never asked")).unwrap(), [1]);
    }

    #[test]
    fn a_unit_that_many_threads_want_is_decoded_once() {
        let (units, made) = (Units::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for number in 0..32 {
                        let unit = units.get(number, || {
                            made.fetch_add(1, Ordering::SeqCst);
                            std::thread::yield_now();
                            Ok::<_, ()>(vec![number as u8; 1000])
                        });
                        assert_eq!(*unit.unwrap(), vec![number as u8; 1000]);
                    }
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 32);
    }
}
