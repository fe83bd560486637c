//! A bounded cache of the last reads: pages of tables, and unpacked units of compressed content.

use super::{Failure, within_unit};
use crate::Bytes;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are held at most of one image; the largest unit counts alone.
const MOST: usize = 16 << 20;
/// Bytes of a page of a table.
const PAGE: u64 = 16 << 10;

/// Units by number, the one used last in front.
#[derive(Default)]
pub struct Held {
    units: Mutex<VecDeque<(u64, Arc<[u8]>)>>,
}

impl Held {
    /// A unit; `make` gives it if it is not held. The cache is not locked meanwhile.
    pub fn get<E>(&self, number: u64, make: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Arc<[u8]>, E> {
        {
            let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = units.iter().position(|unit| unit.0 == number)
                && let Some(found) = units.remove(at)
            {
                let bytes = found.1.clone();
                units.push_front(found);
                return Ok(bytes);
            }
        }
        let bytes: Arc<[u8]> = make()?.into();
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        let most = (MOST / bytes.len().max(1)).clamp(1, 64);
        units.push_front((number, bytes.clone()));
        units.truncate(most);
        Ok(bytes)
    }

    /// Fills `buffer` from `offset` on, as far as a unit reaches, of media data of `size` bytes in
    /// units of `unit` bytes each. The last one may be shorter than that.
    ///
    /// # Errors
    /// Those of `make`; malformed where the last unit ends in front of `offset`.
    pub fn read(
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

/// A file whose pages are held, for tables that are read one entry at a time.
pub struct Paged {
    of: Arc<dyn Bytes>,
    held: Held,
}

impl Paged {
    /// A cache over these bytes.
    pub fn new(of: Arc<dyn Bytes>) -> Paged {
        Paged { of, held: Held::default() }
    }

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// Those of the file; `UnexpectedEof` behind its end.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let size = self.of.size();
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut done = 0;
        while done < buffer.len() {
            let at = offset + done as u64;
            let number = at / PAGE;
            let page = self.held.get(number, || {
                let mut page = vec![0; (size - number * PAGE).min(PAGE) as usize];
                self.of.read_exact_at(number * PAGE, &mut page).map(|()| page)
            })?;
            let rest = page.get((at % PAGE) as usize..).unwrap_or_default();
            let got = rest.len().min(buffer.len() - done);
            buffer[done..done + got].copy_from_slice(&rest[..got]);
            done += got;
        }
        Ok(())
    }

    /// This many bytes at `offset`.
    ///
    /// # Errors
    /// Those of [`read`](Paged::read).
    pub fn array<const N: usize>(&self, offset: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read(offset, &mut bytes).map(|()| bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_show_what_is_there() {
        let raw: Vec<u8> = (0..100_000_u32).map(|at| (at / 7) as u8).collect();
        let paged = Paged::new(Arc::new(raw.clone()));
        for offset in [0, 16_380, 32_764, 99_992, 5] {
            assert_eq!(paged.array::<8>(offset).unwrap(), raw[offset as usize..][..8]);
        }
        assert!(paged.array::<8>(99_993).is_err() && paged.array::<8>(u64::MAX).is_err());
        let held = Held::default();
        for number in 0..1000 {
            let unit = held.get(number, || Ok::<_, ()>(vec![0; 1 << 20])).unwrap();
            assert_eq!(unit.len(), 1 << 20);
        }
        assert!(held.units.lock().unwrap().len() <= 16);
    }
}
