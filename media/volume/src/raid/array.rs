//! The bytes of an array, out of those of its devices that are there.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::geometry::{Geometry, Piece, Place, Row};
use super::parity;
use pfh_bytes::bytes::Bytes;

/// The most that is read at a time where bytes are computed.
const MOST: u64 = 1 << 20;

/// A device of an array.
pub struct Device {
    /// The medium that it is on.
    pub bytes: Arc<dyn Bytes>,
    /// Where its data begin there.
    pub start: u64,
    /// How many of them are valid: the rest was not rebuilt yet.
    pub valid: u64,
    /// Ranges of its data that were lost, in order.
    pub bad: Vec<Range<u64>>,
}

/// An array.
pub struct Array {
    /// How its bytes are spread.
    pub geometry: Geometry,
    /// Its devices, those that are missing as `None`.
    pub devices: Vec<Option<Device>>,
    /// How many bytes it has.
    pub size: u64,
    /// How much of each device has right parity.
    pub in_sync: u64,
}

impl Device {
    /// How many bytes from `at` on are valid.
    fn room(&self, at: u64) -> u64 {
        let after = self.bad.partition_point(|range| range.end <= at);
        let end = self.bad.get(after).map_or(self.valid, |range| range.start.min(self.valid));
        end.saturating_sub(at)
    }

    /// How many bytes from `at` on have the same state as that one.
    fn alike(&self, at: u64) -> u64 {
        match self.room(at) {
            0 => {
                let bad = self.bad.iter().find(|range| range.contains(&at));
                bad.map_or(u64::MAX, |range| range.end - at)
            }
            room => room,
        }
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let place = self.start.checked_add(at).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.bytes.read_exact_at(place, buffer)
    }
}

impl Array {
    fn device(&self, index: usize) -> Option<&Device> {
        self.devices.get(index)?.as_ref()
    }

    /// The device, if it has the byte at `at`.
    fn holder(&self, place: Place) -> Option<&Device> {
        self.device(place.device).filter(|device| device.room(place.at) > 0)
    }

    /// The places of a byte of the array.
    fn locate(&self, offset: u64) -> Option<Piece> {
        if self.geometry == Geometry::Mirror {
            let places = (0..self.devices.len()).map(|device| Place { device, at: offset }).collect();
            return Some(Piece { length: self.size - offset, places, row: None });
        }
        self.geometry.locate(offset)
    }

    /// The bytes of a device that is missing, or cannot be read, out of those of the others.
    fn rebuild(&self, row: &Row, place: Place, buffer: &mut [u8]) -> io::Result<()> {
        if place.at.saturating_add(buffer.len() as u64) > self.in_sync {
            return Err(io::Error::other(
                "on a device that is missing, and the array was being written or checked: its parity may be old",
            ));
        }
        let read = |device: usize| -> io::Result<Option<Vec<u8>>> {
            let at = Place { device, at: place.at };
            let Some(held) = self.holder(at).filter(|held| held.room(place.at) >= buffer.len() as u64) else {
                return Ok(None);
            };
            let mut bytes = vec![0; buffer.len()];
            Ok(held.read(place.at, &mut bytes).ok().map(|()| bytes))
        };
        let (mut p, mut q) = (read(row.p)?, row.q.map_or(Ok(None), read)?);
        let (mut missing, mut own) = (None, 0);
        for &(device, column) in &row.data {
            if device == place.device {
                own = column;
                continue;
            }
            match read(device)? {
                Some(bytes) => {
                    if let Some(p) = &mut p {
                        parity::add(p, &bytes, None);
                    }
                    if let Some(q) = &mut q {
                        parity::add(q, &bytes, Some(column));
                    }
                }
                None if missing.is_some() => return Err(lost()),
                None => missing = Some(column),
            }
        }
        let found = match (p, q, missing) {
            (Some(p), _, None) => p,
            (None, Some(mut q), None) => {
                parity::from_q(&mut q, own);
                q
            }
            (Some(p), Some(q), Some(other)) => parity::from_both(&p, &q, own, other),
            _ => return Err(lost()),
        };
        buffer.copy_from_slice(&found);
        Ok(())
    }
}

fn lost() -> io::Error {
    io::Error::other("more devices are missing or damaged here than the array can do without")
}

impl Bytes for Array {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let piece = self.locate(offset).ok_or_else(lost)?;
        let room = piece.length.min(self.size - offset).min(buffer.len() as u64);
        let mut failed = None;
        for place in &piece.places {
            let Some(device) = self.holder(*place) else { continue };
            let room = usize::try_from(room.min(device.room(place.at))).unwrap_or(usize::MAX).min(buffer.len());
            match device.read(place.at, &mut buffer[..room]) {
                Ok(()) => return Ok(room),
                Err(error) => failed = Some(error),
            }
        }
        let (Some(row), [place]) = (&piece.row, &piece.places[..]) else { return Err(failed.unwrap_or_else(lost)) };
        // As far as every device of the row has one state.
        let alike = self.devices.iter().flatten().map(|device| device.alike(place.at)).min().unwrap_or(0);
        let room = room.min(alike).min(MOST) as usize;
        self.rebuild(row, *place, &mut buffer[..room]).map_err(|error| failed.unwrap_or(error))?;
        Ok(room)
    }
}
