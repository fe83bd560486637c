//! Where a range of an array lies: the layouts of Linux's md driver, as `md(4)` and the pages of
//! the Linux RAID wiki describe them. LVM2's volumes of types `raid0` to `raid10` have the same.

use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// How the bytes of an array are spread over its devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Geometry {
    /// Bands of rows of chunks, one behind the other: RAID 0, and devices one behind the other.
    Bands(Vec<Band>),
    /// The same bytes on each device.
    Mirror,
    /// Rows of chunks with one or two of parity: RAID 4, 5 and 6.
    Parity(Parity),
    /// Chunks in several copies: RAID 10.
    Copies(Copies),
}

/// A range of an array whose rows have the same devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// Where it begins in the array.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// Where its rows begin on each of its devices.
    pub at: u64,
    /// Its devices.
    pub devices: Vec<usize>,
    /// Bytes of a chunk; all of the band where it has one device.
    pub chunk: u64,
    /// Whether the first chunk of a row is counted from the array's start, as Linux before 3.14
    /// did.
    pub is_counted_from_start: bool,
}

/// How chunks of parity go around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// From the last device down, as most.
    Left,
    /// From the first device up.
    Right,
    /// Always on the first device, or devices.
    First,
    /// Always on the last.
    Last,
}

/// Rows of chunks with parity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parity {
    /// Bytes of a chunk.
    pub chunk: u64,
    /// How many devices.
    pub devices: usize,
    /// Where P stands.
    pub turn: Turn,
    /// Whether the chunks of data begin behind the parity, rather than with the first device.
    pub is_symmetric: bool,
    /// Where Q stands, if there is one.
    pub q: Option<Q>,
}

/// Where the second chunk of parity stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Q {
    /// Behind P.
    Behind,
    /// Behind P, and the sum counts columns from the first device, as in DDF; P begins this many
    /// rows further.
    Ddf(u64),
    /// In front of P, with the columns of DDF.
    DdfBefore,
    /// Always on the last device: the others are a RAID 5.
    Last,
}

/// Chunks in several copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    /// Bytes of a chunk.
    pub chunk: u64,
    /// How many devices.
    pub devices: usize,
    /// Copies beside each other.
    pub near: usize,
    /// Copies in other parts of the devices.
    pub far: usize,
    /// How many chunks these parts are away on a device: 1 of the layout `offset`.
    pub stride: u64,
    /// Whether devices are taken in groups between which nothing is copied, and how many each has.
    pub group: Option<usize>,
    /// Whether far copies follow each row.
    pub is_offset: bool,
}

/// A range of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which device.
    pub device: usize,
    /// Where its data lie on it.
    pub at: u64,
}

/// A row with parity: the chunks at one place of all devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Which device has P.
    pub p: usize,
    /// Which device has Q.
    pub q: Option<usize>,
    /// The devices of data, each with its power of 2 in the sum of Q.
    pub data: Vec<(usize, usize)>,
}

/// Where a piece of an array lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// How many bytes of the array lie there in one piece, from the place that was asked for.
    pub length: u64,
    /// Where: each has the same bytes.
    pub places: Vec<Place>,
    /// The row that they can be computed from.
    pub row: Option<Row>,
}

impl Geometry {
    /// Where the byte at `offset` of the array lies, which is within it.
    pub fn locate(&self, offset: u64) -> Option<Piece> {
        match self {
            Geometry::Bands(bands) => {
                let band = bands.get(bands.partition_point(|band| band.end <= offset))?;
                band.locate(offset)
            }
            Geometry::Mirror => None,
            Geometry::Parity(parity) => parity.locate(offset),
            Geometry::Copies(copies) => copies.locate(offset),
        }
    }
}

impl Band {
    fn locate(&self, offset: u64) -> Option<Piece> {
        let (within, devices) = (offset.checked_sub(self.start)?, self.devices.len() as u64);
        let (number, rest) = (within / self.chunk, within % self.chunk);
        let column = if self.is_counted_from_start { offset / self.chunk } else { number } % devices;
        let at = self.at + number / devices * self.chunk + rest;
        let place = Place { device: *self.devices.get(column as usize)?, at };
        let length = (self.chunk - rest).min(self.end - offset);
        Some(Piece { length, places: vec![place], row: None })
    }
}

/// The bands of devices of these sizes in rows of chunks: a longer device goes on alone, or with
/// others as long, behind the end of a shorter one.
pub fn striped(sizes: &[u64], chunk: u64, is_counted_from_start: bool) -> Vec<Band> {
    let mut ends: Vec<u64> = sizes.iter().map(|size| size / chunk * chunk).filter(|size| *size > 0).collect();
    ends.sort_unstable();
    ends.dedup();
    let (mut bands, mut at, mut start) = (Vec::<Band>::new(), 0, 0);
    for end in ends {
        let devices: Vec<usize> = (0..sizes.len()).filter(|device| sizes[*device] >= end).collect();
        let next = start + (end - at) * devices.len() as u64;
        bands.push(Band { start, end: next, at, devices, chunk, is_counted_from_start });
        (at, start) = (end, next);
    }
    bands
}

/// The bands of devices one behind the other.
pub fn linear(sizes: &[u64]) -> Vec<Band> {
    let mut bands = Vec::new();
    let mut start = 0;
    for (device, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0) {
        let end = start + size;
        let devices = vec![device];
        bands.push(Band { start, end, at: 0, devices, chunk: size, is_counted_from_start: false });
        start = end;
    }
    bands
}

impl Parity {
    /// The layout that md counts as `layout` of `level` 4, 5 or 6.
    ///
    /// # Errors
    /// If the number is not known.
    pub fn new(level: i32, layout: u32, chunk: u64, devices: usize) -> Result<Parity, Failure> {
        let turn = |layout: u32| match layout {
            0 | 2 => Some(Turn::Left),
            1 | 3 => Some(Turn::Right),
            4 => Some(Turn::First),
            5 => Some(Turn::Last),
            _ => None,
        };
        let (turn, is_symmetric, q) = match (level, layout) {
            (4, _) => (Some(Turn::Last), false, None),
            (5, _) => (turn(layout), matches!(layout, 2 | 3), None),
            (6, 0..=5) => (turn(layout), matches!(layout, 2 | 3), Some(Q::Behind)),
            (6, 8) => (Some(Turn::Right), false, Some(Q::Ddf(0))),
            (6, 9) => (Some(Turn::Left), false, Some(Q::Ddf(1))),
            (6, 10) => (Some(Turn::Left), true, Some(Q::DdfBefore)),
            (6, 16..=20) => (turn(layout - 16), matches!(layout, 18 | 19), Some(Q::Last)),
            _ => (None, false, None),
        };
        let turn =
            turn.ok_or_else(|| failure(None, format!("RAID {level} of the layout {layout}, which is not known")))?;
        let parity = Parity { chunk, devices, turn, is_symmetric, q };
        match chunk > 0 && devices > parity.checks() {
            true => Ok(parity),
            false => Err(failure(None, format!("RAID {level} of {devices} devices and chunks of {chunk} bytes"))),
        }
    }

    /// How many chunks of a row are parity.
    pub fn checks(&self) -> usize {
        1 + usize::from(self.q.is_some())
    }

    /// Where the parity of a row stands.
    fn checked(&self, row: u64) -> (usize, Option<usize>) {
        // With Q apart the others are a RAID 5 of one device less.
        let around = self.devices - usize::from(self.q == Some(Q::Last));
        let row = row + if let Some(Q::Ddf(further)) = self.q { further } else { 0 };
        let step = (row % around as u64) as usize;
        let p = match self.turn {
            Turn::Left => around - 1 - step,
            Turn::Right => step,
            Turn::First => 0,
            Turn::Last => self.devices - self.checks(),
        };
        let q = self.q.map(|q| match q {
            Q::Behind | Q::Ddf(_) => (p + 1) % self.devices,
            Q::DdfBefore => (p + self.devices - 1) % self.devices,
            Q::Last => self.devices - 1,
        });
        (p, q)
    }

    /// The device of each column of data of a row, in the order of the array.
    fn columns(&self, p: usize, q: Option<usize>) -> Vec<usize> {
        let is_data = |device: &usize| *device != p && Some(*device) != q;
        let first = if self.is_symmetric { p + 1 } else { 0 };
        (first..first + self.devices).map(|device| device % self.devices).filter(is_data).collect()
    }

    fn locate(&self, offset: u64) -> Option<Piece> {
        let columns = (self.devices - self.checks()) as u64;
        let (number, rest) = (offset / self.chunk, offset % self.chunk);
        let (row, column) = (number / columns, (number % columns) as usize);
        let (p, q) = self.checked(row);
        let devices = self.columns(p, q);
        let place = Place { device: *devices.get(column)?, at: row.checked_mul(self.chunk)? + rest };
        let data = match self.q {
            Some(Q::Ddf(_) | Q::DdfBefore) => devices.into_iter().map(|device| (device, device)).collect(),
            // The sum of Q begins behind Q in any order of the data.
            Some(_) => {
                let first = q.unwrap_or_default() + 1;
                let around = (first..first + self.devices).map(|device| device % self.devices);
                around.filter(|device| *device != p && Some(*device) != q).zip(0..).collect()
            }
            None => devices.into_iter().map(|device| (device, 0)).collect(),
        };
        Some(Piece { length: self.chunk - rest, places: vec![place], row: Some(Row { p, q, data }) })
    }
}

impl Copies {
    /// The layout that md counts as `layout` of RAID 10, over devices of `size` bytes each.
    ///
    /// # Errors
    /// If the number is not known, or the layout does not fit the devices.
    pub fn new(layout: u32, chunk: u64, devices: usize, size: u64) -> Result<Copies, Failure> {
        let (near, far) = ((layout & 0xff) as usize, (layout >> 8 & 0xff) as usize);
        let is_offset = layout & 1 << 16 != 0;
        let is_grouped = layout >> 17;
        let wrong = || failure(None, format!("RAID 10 of the layout {layout:#x} over {devices} devices"));
        if near == 0 || far == 0 || near * far > devices || chunk == 0 || is_grouped > 2 {
            return Err(wrong());
        }
        let group = match is_grouped {
            0 => None,
            1 => Some(devices / far),
            _ => Some(near * far),
        };
        if group.is_some_and(|group| group == 0 || !devices.is_multiple_of(group)) {
            return Err(wrong());
        }
        let mut copies = Copies { chunk, devices, near, far, stride: 1, group, is_offset };
        if !is_offset {
            // The part of a device that one set of the near copies takes.
            let used = copies.chunks(size) * (near * far) as u64;
            copies.stride = used.div_ceil(devices as u64) / far as u64;
        }
        Ok(copies)
    }

    /// How many chunks an array over devices of `size` bytes has.
    pub fn chunks(&self, size: u64) -> u64 {
        size / self.chunk / self.far as u64 * self.devices as u64 / self.near as u64
    }

    /// The device `by` further on, within its group.
    fn further(&self, device: usize, by: usize) -> usize {
        match self.group {
            None => (device + by) % self.devices,
            Some(group) => device / group * group + (device % group + by) % group,
        }
    }

    fn locate(&self, offset: u64) -> Option<Piece> {
        let (number, rest) = (offset / self.chunk, offset % self.chunk);
        let first = number.checked_mul(self.near as u64)?;
        let mut places = Vec::new();
        for copy in 0..self.near as u64 {
            let (row, device) = ((first + copy) / self.devices as u64, (first + copy) % self.devices as u64);
            let row = if self.is_offset { row * self.far as u64 } else { row };
            for far in 0..self.far {
                let device = self.further(device as usize, far * self.near);
                let at = row.checked_add(far as u64 * self.stride)?.checked_mul(self.chunk)?.checked_add(rest)?;
                places.push(Place { device, at });
            }
        }
        Some(Piece { length: self.chunk - rest, places, row: None })
    }
}
