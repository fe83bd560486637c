//! Many small files at once: their opens and their first reads go to the kernel together.
//!
//! All else (metadata before and after, the end of the file, the meaning of an error) is
//! [`Reading`]'s, one file after the other, so that both ways of reading say the same of every
//! file.

use crate::entry::{Entry, Origin};
use crate::os::Ring;
use crate::problem::Problem;
use crate::read::Reading;

/// Opens and reads files together, through io_uring. For use by the thread that makes it.
pub struct Batch {
    ring: Ring,
}

/// A file that is to be read together with others.
pub struct Ahead<'a> {
    /// The open file.
    pub reading: &'a mut Reading,
    /// Where its bytes go.
    pub room: &'a mut [u8],
}

impl Batch {
    /// Most files at once.
    pub const WIDTH: usize = Ring::WIDTH;

    /// `None` where the kernel has no io_uring, or keeps it from this process.
    pub fn new() -> Option<Batch> {
        Ring::new().map(|ring| Batch { ring })
    }

    /// Whether the kernel has refused to continue: the owner reads by itself from now on.
    pub fn is_broken(&self) -> bool {
        self.ring.is_broken()
    }

    /// Opens entries, in their order. `None`: not a regular file, or it did not open.
    /// [`Entry::open`] handles those.
    pub fn open<'a>(&mut self, entries: impl Iterator<Item = &'a Entry>) -> Vec<Option<Reading>> {
        let entries: Vec<&Entry> = entries.collect();
        let (mut files, mut specials) = (Vec::new(), Vec::new());
        for (at, entry) in entries.iter().enumerate() {
            if let Origin::File { base, path, special } = &entry.origin {
                files.push((&**base, &path[..]));
                specials.push((at, *special));
            }
        }
        let mut readings: Vec<Option<Reading>> = entries.iter().map(|_| None).collect();
        let opened = self.ring.open(&files);
        for ((fd, (at, special)), (base, path)) in opened.into_iter().zip(specials).zip(files) {
            let reading = fd.and_then(|fd| Reading::file(fd, special, base, path).ok());
            readings[at] = reading.filter(|reading| reading.regular().is_some());
        }
        readings
    }

    /// As [`Reading::read`], once for each file and for all of them together: how many bytes came,
    /// in the files' order.
    pub fn read(&mut self, files: &mut [Ahead<'_>]) -> Vec<Result<usize, Problem>> {
        let mut first = vec![None; files.len()];
        let (mut places, mut jobs) = (Vec::new(), Vec::new());
        for (at, file) in files.iter_mut().enumerate() {
            if let Some(fd) = file.reading.regular() {
                places.push(at);
                jobs.push((fd, file.reading.offset(), &mut *file.room));
            }
        }
        for (at, result) in places.into_iter().zip(self.ring.read(&mut jobs)) {
            first[at] = result;
        }
        files.iter_mut().zip(first).map(|(file, first)| file.reading.read_on(first, file.room)).collect()
    }
}
