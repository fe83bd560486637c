//! The bytes of a medium that are decoded as they are read, for those who list the names in it: the
//! threads that decode go ahead of them.
//!
//! Structures are read in small steps, here and there. The pages that they lie in are held apart
//! from contents, whose decoding would push them out. A page behind the one that was read before
//! has the next ones decoded ahead (inode tables, the MFT, the leaves of a catalogue); a reader of
//! a file system may have others looked at that it will come to.

use super::decoders::{Decoders, Room};
use pfh_container::Units;
use pfh_volume::Bytes;
use std::cell::Cell;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Bytes of a page: those of a chunk of most E01 images.
const PAGE: u64 = 32 << 10;
/// Pages that are decoded ahead of those who read one behind the other, at most: one at first, and
/// twice as many with each page that is read.
const AHEAD: u64 = 8;
/// Places that are read side by side: inodes, directories, descriptions of groups.
const PLACES: usize = 8;

thread_local! {
    /// Whether this thread reads structures.
    static IS_LISTING: Cell<bool> = const { Cell::new(false) };
}

/// Work that reads structures.
pub fn listing<T>(work: impl FnOnce() -> T) -> T {
    let was = IS_LISTING.replace(true);
    let done = work();
    IS_LISTING.set(was);
    done
}

/// A medium, with threads that decode ahead.
pub struct ServedMedium {
    pages: Arc<Pages>,
    decoders: Weak<Decoders>,
}

struct Pages {
    of: Arc<dyn Bytes>,
    held: Units,
    /// Where pages are read; the place that was read last is in front.
    places: Mutex<Vec<Place>>,
    _room: Room,
}

/// A place where pages are read one behind the other.
struct Place {
    /// The page that was read last.
    page: u64,
    /// The first page behind it that was not asked for.
    asked: u64,
    /// How many are decoded ahead.
    ahead: u64,
}

impl ServedMedium {
    /// These bytes, which are decoded as they are read, with the threads that decode, if there are
    /// any and memory for it.
    pub fn over(of: Arc<dyn Bytes>, decoders: Option<&Arc<Decoders>>) -> Arc<dyn Bytes> {
        let Some(decoders) = decoders else { return of };
        let most = (decoders.memory() / 8).min(16 << 20);
        let room = if most >= 8 * PAGE as usize { decoders.room(most) } else { None };
        let Some(room) = room else { return of };
        let pages = Pages { of, held: Units::most(most), places: Mutex::default(), _room: room };
        Arc::new(ServedMedium { pages: Arc::new(pages), decoders: Arc::downgrade(decoders) })
    }

    /// Has the pages behind this one decoded, if the one in front of it was read before.
    fn follow(&self, number: u64) {
        let mut places = self.pages.places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.first().is_some_and(|place| place.page == number) {
            return;
        }
        let at = places.iter().position(|place| place.page == number || place.page + 1 == number);
        let mut place = at.map_or(Place { page: number, asked: number + 1, ahead: 0 }, |at| places.remove(at));
        let mut wanted = 0..0;
        if place.page != number {
            place.ahead = (2 * place.ahead).clamp(1, AHEAD);
            let end = (number + 1 + place.ahead).min(self.pages.of.size().div_ceil(PAGE));
            wanted = place.asked.max(number + 1)..end;
            (place.page, place.asked) = (number, place.asked.max(end));
        }
        places.insert(0, place);
        places.truncate(PLACES);
        drop(places);
        let Some(decoders) = self.decoders.upgrade().filter(|_| !wanted.is_empty()) else { return };
        for page in wanted {
            let pages = self.pages.clone();
            decoders.soon(move || {
                // Who listed may be behind it by now.
                let places = pages.places.lock().unwrap_or_else(PoisonError::into_inner);
                let is_due = places.iter().any(|place| (place.page + 1..=place.page + AHEAD).contains(&page));
                drop(places);
                if is_due {
                    _ = pages.page(page);
                }
            });
        }
    }
}

impl Pages {
    fn page(&self, number: u64) -> io::Result<Arc<Vec<u8>>> {
        self.held.get(number, || {
            let start = number * PAGE;
            let mut bytes = vec![0; self.of.size().saturating_sub(start).min(PAGE) as usize];
            self.of.read_exact_at(start, &mut bytes)?;
            Ok(bytes)
        })
    }
}

impl Bytes for ServedMedium {
    fn size(&self) -> u64 {
        self.pages.of.size()
    }

    fn is_decoded(&self) -> bool {
        true
    }

    fn ahead(&self, work: Box<dyn FnOnce() + Send>) {
        // A sweep over a rotating disk reads in its own order.
        if let Some(decoders) = self.decoders.upgrade().filter(|_| IS_LISTING.get()) {
            decoders.soon(move || listing(work));
        }
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if !IS_LISTING.get() || buffer.len() as u64 > PAGE {
            return self.pages.of.read_at(offset, buffer);
        }
        let mut done = 0;
        while done < buffer.len() {
            let at = offset.saturating_add(done as u64);
            if at >= self.size() {
                break;
            }
            self.follow(at / PAGE);
            // Of a page that is damaged in part, the rest can be read.
            let Ok(page) = self.pages.page(at / PAGE) else {
                return match self.pages.of.read_at(at, &mut buffer[done..]) {
                    Ok(got) => Ok(done + got),
                    Err(_) if done > 0 => Ok(done),
                    Err(error) => Err(error),
                };
            };
            let part = page.get((at % PAGE) as usize..).unwrap_or_default();
            let got = part.len().min(buffer.len() - done);
            buffer[done..done + got].copy_from_slice(&part[..got]);
            done += got;
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_source::Alone;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Bytes whose reads are counted, with a damaged place.
    struct Medium {
        bytes: Vec<u8>,
        damaged: Option<u64>,
        reads: AtomicUsize,
    }

    impl Bytes for Medium {
        fn size(&self) -> u64 {
            self.bytes.size()
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            self.reads.fetch_add(1, Ordering::SeqCst);
            let length = (buffer.len() as u64).min(self.size().saturating_sub(offset));
            let bad = self.damaged.filter(|bad| (offset..offset + length).contains(bad));
            match bad {
                Some(bad) if bad == offset => Err(io::Error::other("damaged")),
                Some(bad) => self.bytes.read_at(offset, &mut buffer[..(bad - offset) as usize]),
                None => self.bytes.read_at(offset, buffer),
            }
        }
    }

    fn medium(length: usize, damaged: Option<u64>) -> Arc<Medium> {
        let bytes = (0..length).map(|at| (at / 7 + at / 4099) as u8).collect();
        Arc::new(Medium { bytes, damaged, reads: AtomicUsize::new(0) })
    }

    #[test]
    fn structures_are_read_as_they_are() {
        let length = 20 * PAGE as usize + 1234;
        for damaged in [None, Some(5 * PAGE + 700)] {
            let decoders = Decoders::new(3, 64 << 20, &Alone::default());
            let medium = medium(length, damaged);
            let served = ServedMedium::over(medium.clone(), Some(&decoders));
            let places = [0, 1, PAGE - 3, PAGE, 5 * PAGE + 699, 5 * PAGE + 700, 5 * PAGE + 701, 6 * PAGE - 1];
            let ends = [length as u64 - 5, length as u64, u64::MAX - 1];
            for offset in places.into_iter().chain((0..40).map(|step| step * 16_000)).chain(ends) {
                for size in [0, 1, 100, 4096, 2 * PAGE as usize] {
                    let (mut found, mut plain) = (vec![0; size], vec![0; size]);
                    let exactly = |of: &dyn Bytes, into: &mut [u8]| {
                        of.read_exact_at(offset, into).map_err(|error| (error.kind(), error.to_string()))
                    };
                    let read = listing(|| exactly(&*served, &mut found));
                    assert_eq!(read, exactly(&*medium, &mut plain), "{size} at {offset}");
                    assert!(read.is_err() || found == plain, "{size} at {offset}");
                }
            }
        }
    }

    #[test]
    fn pages_one_behind_the_other_are_decoded_ahead_and_once() {
        let decoders = Decoders::new(1, 64 << 20, &Alone::default());
        let medium = medium(64 * PAGE as usize, None);
        let served = ServedMedium::over(medium.clone(), Some(&decoders));
        let mut part = [0; 256];
        // Two places in turn, as inodes and the descriptions of their groups.
        for offset in (0..4 * PAGE + 256).step_by(256) {
            listing(|| served.read_exact_at(offset, &mut part)).unwrap();
            listing(|| served.read_exact_at(40 * PAGE + offset % 1024, &mut part)).unwrap();
        }
        assert!(decoders.begin(|| true).wait(), "behind all that was asked for");
        // Pages 0 to 4, those ahead of page 4, and page 40.
        assert_eq!(medium.reads.load(Ordering::SeqCst) as u64, 5 + AHEAD + 1);
        // Contents are read by themselves.
        let before = medium.reads.load(Ordering::SeqCst);
        served.read_exact_at(5 * PAGE, &mut part).unwrap();
        assert_eq!(medium.reads.load(Ordering::SeqCst), before + 1);
    }

    #[test]
    fn work_is_done_ahead_of_a_listing_alone() {
        let decoders = Decoders::new(1, 64 << 20, &Alone::default());
        let served = ServedMedium::over(medium(1000, None), Some(&decoders));
        let done = Arc::new(AtomicUsize::new(0));
        let work = |count: usize| -> Box<dyn FnOnce() + Send> {
            let done = done.clone();
            Box::new(move || _ = done.fetch_add(count, Ordering::SeqCst))
        };
        served.ahead(work(1));
        listing(|| served.ahead(work(10)));
        listing(|| served.ahead(Box::new(|| panic!("a defect"))));
        listing(|| served.ahead(work(100)));
        assert!(decoders.begin(|| true).wait(), "behind all that was asked for");
        assert_eq!(done.load(Ordering::SeqCst), 110);
        drop(decoders);
        listing(|| served.ahead(work(1000)));
        assert_eq!(done.load(Ordering::SeqCst), 110);
    }

    #[test]
    fn nothing_is_held_without_threads_or_memory() {
        let decoders = Decoders::new(2, 1 << 20, &Alone::default());
        let bytes: Arc<dyn Bytes> = medium(1000, None);
        for decoders in [None, Some(&decoders)] {
            assert!(Arc::ptr_eq(&ServedMedium::over(bytes.clone(), decoders), &bytes));
        }
        assert!(decoders.room(1 << 20).is_some());
    }
}
