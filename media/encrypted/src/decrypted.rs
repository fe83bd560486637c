//! The plain volume: ranges of the medium, each decrypted, plain, or zeros.

use crate::mode::Cipher;
use pfh_container::Bytes;
use std::io;
use std::sync::Arc;

/// The kind of a range of the plain volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Encrypted at this offset of the medium; the tweak of its first unit follows from the place.
    Encrypted {
        /// Where it lies.
        at: u64,
        /// The place that the cipher counts from, in bytes.
        place: u64,
    },
    /// Plain bytes at this offset of the medium.
    Plain(u64),
    /// Zeros: the volume's own metadata, which do not belong to the volume inside.
    Zeros,
}

/// A range of the plain volume, up to the next.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Where it starts in the plain volume: a multiple of the cipher's unit.
    pub start: u64,
    /// Its kind.
    pub kind: Kind,
}

/// The plain volume.
pub struct PlainVolume {
    of: Arc<dyn Bytes>,
    cipher: Cipher,
    size: u64,
    extents: Vec<Extent>,
    /// Bytes that replace those at the start, of a volume whose boot sector was changed.
    head: Vec<u8>,
}

/// Most bytes that are decrypted at once.
const PIECE: usize = 64 << 10;

impl PlainVolume {
    /// The plain volume of `size` bytes. The first extent starts at 0, and they are in order.
    pub fn new(of: Arc<dyn Bytes>, cipher: Cipher, size: u64, extents: Vec<Extent>) -> PlainVolume {
        PlainVolume { of, cipher, size, extents, head: Vec::new() }
    }

    /// With these first bytes.
    #[must_use]
    pub fn beginning(mut self, head: Vec<u8>) -> PlainVolume {
        self.head = head;
        self
    }

    /// Decrypts the units that hold `buffer`, which is shorter than a unit or not aligned to them.
    fn by_units(&self, at: u64, place: u64, buffer: &mut [u8], limit: u64) -> io::Result<usize> {
        let unit = self.cipher.unit() as u64;
        let before = place % unit;
        let wanted = (before as usize + buffer.len()).next_multiple_of(unit as usize).min(PIECE);
        // The last unit of an extent is whole: extents start at multiples of it.
        let there = usize::try_from(limit.saturating_add(before)).unwrap_or(usize::MAX);
        let mut units = vec![0; wanted.min(there.next_multiple_of(unit as usize))];
        self.of.read_exact_at(at - before, &mut units)?;
        self.cipher.decrypt(place - before, &mut units);
        let got = buffer.len().min(units.len() - before as usize);
        buffer[..got].copy_from_slice(&units[before as usize..before as usize + got]);
        Ok(got)
    }
}

impl Bytes for PlainVolume {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset);
        if left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        if let Some(head) =
            usize::try_from(offset).ok().and_then(|at| self.head.get(at..)).filter(|head| !head.is_empty())
        {
            let got = head.len().min(buffer.len());
            buffer[..got].copy_from_slice(&head[..got]);
            return Ok(got);
        }
        let here = self.extents.partition_point(|extent| extent.start <= offset) - 1;
        let extent = self.extents[here];
        let end = self.extents.get(here + 1).map_or(self.size, |next| next.start).min(self.size);
        let limit = end - offset;
        let room = usize::try_from(limit).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..room];
        let into = offset - extent.start;
        match extent.kind {
            Kind::Zeros => {
                buffer.fill(0);
                Ok(room)
            }
            Kind::Plain(at) => self.of.read_at(at + into, buffer),
            Kind::Encrypted { at, place } => {
                let unit = self.cipher.unit();
                // Numbers of sectors begin again behind the last, as dm-crypt counts.
                let (at, place) = (at + into, place.wrapping_add(into));
                let whole = room - room % unit;
                if place % unit as u64 != 0 || whole == 0 {
                    return self.by_units(at, place, buffer, limit);
                }
                let buffer = &mut buffer[..whole];
                self.of.read_exact_at(at, buffer)?;
                self.cipher.decrypt(place, buffer);
                Ok(whole)
            }
        }
    }
}
