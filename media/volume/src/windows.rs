//! Small reads from a few windows that are held: inodes and records lie side by side, and behind
//! an E01 each read of a few bytes would unpack a chunk.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use pfh_bytes::bytes::Bytes;

/// Bytes of a window.
const WINDOW: u64 = 16 << 10;

/// How many are held: half a megabyte for each volume that is open.
const MOST: usize = 32;

/// Reads of this size and more are content, and pass by.
const LARGE: usize = 4096;

/// Other bytes, with a cache of the windows that were read last.
pub struct Windows {
    of: Arc<dyn Bytes>,
    held: Mutex<VecDeque<(u64, Arc<[u8]>)>>,
}

impl Windows {
    /// Windows over these bytes.
    pub fn new(of: Arc<dyn Bytes>) -> Self {
        Windows { of, held: Mutex::default() }
    }

    /// The window with this number; `None` if some of it cannot be read.
    fn window(&self, number: u64) -> Option<Arc<[u8]>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|window| window.0 == number) {
            let found = held.remove(at)?;
            let bytes = found.1.clone();
            held.push_front(found);
            return Some(bytes);
        }
        let start = number * WINDOW;
        let mut bytes = vec![0; self.of.size().checked_sub(start)?.min(WINDOW) as usize];
        self.of.read_exact_at(start, &mut bytes).ok()?;
        let bytes: Arc<[u8]> = bytes.into();
        held.push_front((number, bytes.clone()));
        held.truncate(MOST);
        Some(bytes)
    }
}

impl Bytes for Windows {
    fn size(&self) -> u64 {
        self.of.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.len() >= LARGE || offset >= self.of.size() {
            return self.of.read_at(offset, buffer);
        }
        // An error in the window may be outside the requested range: the medium reports it itself.
        let Some(window) = self.window(offset / WINDOW) else { return self.of.read_at(offset, buffer) };
        let rest = window.get((offset % WINDOW) as usize..).unwrap_or_default();
        let got = rest.len().min(buffer.len());
        buffer[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A medium that cannot be read at one place.
    struct Bad(Vec<u8>, u64);

    impl Bytes for Bad {
        fn size(&self) -> u64 {
            self.0.size()
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            match offset..offset + buffer.len() as u64 {
                range if range.contains(&self.1) => Err(io::Error::other("bad")),
                _ => self.0.read_at(offset, buffer),
            }
        }
    }

    #[test]
    fn windows_show_what_is_there_and_pass_errors_on() {
        let raw: Vec<u8> = (0..100_000_u32).map(|at| (at / 7) as u8).collect();
        let windows = Windows::new(Arc::new(Bad(raw.clone(), 20_000)));
        for offset in [0, 16_380, 19_000, 32_768, 99_990, 99_999, 0] {
            let mut buffer = [0; 10];
            let got = windows.read_at(offset, &mut buffer).unwrap();
            assert!(got > 0);
            assert_eq!(buffer[..got], raw[offset as usize..][..got]);
        }
        assert_eq!(windows.read_at(100_000, &mut [0; 10]).unwrap(), 0);
        windows.read_at(19_995, &mut [0; 10]).unwrap_err();
        for offset in 0..1000 {
            windows.read_at(offset * 97, &mut [0]).unwrap();
        }
        assert!(windows.held.lock().unwrap().len() <= MOST);
    }
}
