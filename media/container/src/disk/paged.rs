//! Files of tables that are read one entry at a time.

use crate::Bytes;
use crate::units::Units;
use std::io;
use std::sync::Arc;

/// Bytes of a page of a table.
const PAGE: u64 = 16 << 10;

/// A file whose pages are held, for tables that are read one entry at a time.
pub struct PagedFile {
    of: Arc<dyn Bytes>,
    units: Units,
}

impl PagedFile {
    /// A cache over these bytes.
    pub fn new(of: Arc<dyn Bytes>) -> PagedFile {
        PagedFile { of, units: Units::default() }
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
            let page = self.units.get(number, || {
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
    /// Those of [`read`](PagedFile::read).
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
        let paged = PagedFile::new(Arc::new(raw.clone()));
        for offset in [0, 16_380, 32_764, 99_992, 5] {
            assert_eq!(paged.array::<8>(offset).unwrap(), raw[offset as usize..][..8]);
        }
        assert!(paged.array::<8>(99_993).is_err() && paged.array::<8>(u64::MAX).is_err());
    }
}
