//! The headers of LHA, levels 0 to 3, with the extensions of several programs.

use super::member::{failure, from_filetime};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, byte, le16, le32, le64, read, read_some};
use pfh_bytes::node::{Failure, Times};

/// The longest header.
const HEADER: u64 = 1 << 20;

/// The fields of a header.
#[derive(Debug, Default)]
pub struct Header {
    pub method: [u8; 5],
    pub path: Vec<u8>,
    /// Where its stored bytes begin, and how many they are.
    pub data: u64,
    pub stored: u64,
    pub size: u64,
    /// The CRC-16 of its bytes.
    pub crc: Option<u16>,
    pub mode: Option<u16>,
    pub times: Times,
}

/// Parts of a name, as the headers give them.
#[derive(Default)]
struct Name {
    plain: Vec<u8>,
    file: Option<Vec<u8>>,
    directory: Option<Vec<u8>>,
    wide_file: Option<Vec<u8>>,
    wide_directory: Option<Vec<u8>>,
}

/// CRC-16 as ARC and LHA have it.
pub fn crc16(sum: u16, bytes: &[u8]) -> u16 {
    const TABLE: [u16; 256] = {
        let mut table = [0; 256];
        let mut at = 0;
        while at < 256 {
            let (mut value, mut bit) = (at as u16, 0);
            while bit < 8 {
                value = (value >> 1) ^ (0xa001 * (value & 1));
                bit += 1;
            }
            table[at] = value;
            at += 1;
        }
        table
    };
    bytes.iter().fold(sum, |sum, byte| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ byte)])
}

/// Whether a member begins here.
pub fn is_header(start: &[u8]) -> bool {
    let is_method = match start.get(2..7) {
        Some([b'-', b'l', b'h' | b'z', kind, b'-']) => kind.is_ascii_lowercase() || kind.is_ascii_digit(),
        Some([b'-', b'p', b'm', kind, b'-']) => matches!(kind, b'0'..=b'2' | b's'),
        _ => false,
    };
    // The least of a header, by its level.
    is_method
        && match (start.get(20), byte(start, 0), le16(start, 0)) {
            (Some(0 | 1), length, _) => length >= 20,
            (Some(2), _, length) => length >= 24,
            (Some(3), _, length) => length == 4,
            _ => false,
        }
}

impl Header {
    /// The header at `at`; `None` where the archive ends.
    pub fn read(bytes: &dyn Bytes, at: u64) -> Result<Option<Header>, Failure> {
        let fail = |cause: &str| Err(Failure { offset: Some(at), ..failure(b"", cause) });
        let start = read_some(bytes, at, 32)?;
        if matches!(start.first(), None | Some(0)) && !(byte(&start, 20) == 2 && is_header(&start)) {
            return Ok(None);
        }
        if !is_header(&start) {
            return fail("no header where one must be: nothing behind it is read");
        }
        let mut header = Header { method: array(&start, 2), ..Header::default() };
        (header.stored, header.size) = (u64::from(le32(&start, 7)), u64::from(le32(&start, 11)));
        let found = match start[20] {
            0 | 1 => header.read_old(bytes, at, start[20]),
            2 => {
                let length = u64::from(le16(&start, 0));
                let found = header.read_new(bytes, at, length, 24, 2);
                // The program for OS-9/68000 leaves the two bytes of the length out of it.
                match found {
                    Err(_) if byte(&start, 23) == b'K' => header.read_new(bytes, at, length + 2, 24, 2),
                    found => found,
                }
            }
            _ => header.read_new(bytes, at, u64::from(le32(&start, 24)), 28, 4),
        };
        match found {
            Ok(()) => Ok(Some(header)),
            Err(failed) if failed.offset.is_some() => Err(failed),
            Err(failed) => Err(Failure { offset: Some(at), ..failed }),
        }
    }

    /// Levels 0 and 1: a sum over the first part.
    fn read_old(&mut self, bytes: &dyn Bytes, at: u64, level: u8) -> Result<(), Failure> {
        let fail = |cause: &str| Err(failure(b"", cause));
        let length = usize::from(read(bytes, at, 1)?[0]) + 2;
        let raw = read(bytes, at, length)?;
        let sum = raw[2..].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        if sum != raw[1] {
            return fail("a header whose sum does not hold: nothing behind it is read");
        }
        let end = 22 + usize::from(raw[21]);
        let Some(plain) = raw.get(22..end).map(<[u8]>::to_vec) else {
            return fail("a name that leads out of its header");
        };
        let mut name = Name { plain, ..Name::default() };
        // An old program for DOS writes no CRC.
        self.crc = (raw.len() >= end + 2).then(|| le16(&raw, end));
        let system = byte(&raw, end + 2);
        self.data = at + length as u64;
        if level == 1 {
            let mut whole = raw;
            let next = le16(&whole, whole.len() - 2);
            let more = self.extend(bytes, &mut whole, u64::from(next), 2, &mut name)?;
            let Some(stored) = self.stored.checked_sub(more) else {
                return fail("further headers that are longer than the member");
            };
            (self.stored, self.data) = (stored, self.data + more);
        } else if system == b'U' && raw.len() >= end + 15 {
            self.times.modified = Some(i128::from(le32(&raw, end + 4)) * 1_000_000_000);
            self.mode = Some(le16(&raw, end + 8));
        }
        let is_unix = matches!(system, b'U' | b'A' | b'9' | b'K' | b'3' | b'X' | b'm');
        self.path = name.path(!is_unix);
        Ok(())
    }

    /// Levels 2 and 3: the length of all headers.
    fn read_new(&mut self, bytes: &dyn Bytes, at: u64, length: u64, first: usize, width: usize) -> Result<(), Failure> {
        if length > HEADER || length < (first + width) as u64 {
            return Err(failure(b"", format!("a header of {length} bytes: nothing behind it is read")));
        }
        let mut raw = read(bytes, at, length as usize)?;
        self.crc = Some(le16(&raw, 21));
        self.times.modified = Some(i128::from(le32(&raw, 15)) * 1_000_000_000);
        self.data = at + length;
        let next = if width == 2 { u64::from(le16(&raw, first)) } else { u64::from(le32(&raw, first)) };
        let mut name = Name::default();
        let all = raw.split_off(first + width);
        self.walk(&mut raw, all, next, width, &mut name)?;
        self.path = name.path(false);
        Ok(())
    }

    /// Further headers behind one of level 1; gives their length.
    fn extend(
        &mut self,
        bytes: &dyn Bytes,
        whole: &mut Vec<u8>,
        first: u64,
        width: usize,
        name: &mut Name,
    ) -> Result<u64, Failure> {
        let (start, mut all, mut next) = (self.data, Vec::new(), first);
        while next > 0 {
            if next < 3 || all.len() as u64 + next > HEADER {
                return Err(failure(b"", format!("a further header of {next} bytes: nothing behind it is read")));
            }
            all.extend(read(bytes, start + all.len() as u64, next as usize)?);
            next = u64::from(le16(&all, all.len() - 2));
        }
        let length = all.len() as u64;
        self.walk(whole, all, first, width, name)?;
        Ok(length)
    }

    /// Reads further headers: each has its kind, its bytes, and the length of the next one.
    fn walk(
        &mut self,
        whole: &mut Vec<u8>,
        all: Vec<u8>,
        first: u64,
        width: usize,
        name: &mut Name,
    ) -> Result<(), Failure> {
        let (base, mut at, mut length, mut sum) = (whole.len(), 0, first as usize, None);
        whole.extend(all);
        while length > 0 {
            let header = whole.get(base + at..).and_then(|rest| rest.get(..length)).filter(|_| length > width);
            let Some(header) = header else {
                return Err(failure(b"", "a further header that leads out of the headers: nothing behind it is read"));
            };
            let body = &header[1..length - width];
            match header[0] {
                0x00 if body.len() >= 2 => sum = Some((base + at + 1, le16(body, 0))),
                0x01 => name.file = Some(body.to_vec()),
                0x02 => name.directory = Some(body.to_vec()),
                0x41 if body.len() >= 24 => {
                    let time = |at| Some(le64(body, at)).filter(|ticks| *ticks != 0).map(from_filetime);
                    (self.times.born, self.times.modified, self.times.accessed) = (time(0), time(8), time(16));
                }
                0x42 if body.len() >= 16 => (self.stored, self.size) = (le64(body, 0), le64(body, 8)),
                0x44 => name.wide_file = Some(narrow(body)),
                0x45 => name.wide_directory = Some(narrow(body)),
                0x50 if body.len() >= 2 => self.mode = Some(le16(body, 0)),
                0x54 if body.len() >= 4 => self.times.modified = Some(i128::from(le32(body, 0)) * 1_000_000_000),
                _ => {}
            }
            at += length;
            let next = base + at - width;
            length = if width == 2 { usize::from(le16(whole, next)) } else { le32(whole, next) as usize };
        }
        if let Some((place, stated)) = sum {
            whole[place..place + 2].fill(0);
            let found = crc16(0, whole);
            if found != stated {
                let cause = format!(
                    "headers with the CRC {found:04x} and not {stated:04x} as they state: nothing behind them is read"
                );
                return Err(failure(b"", cause));
            }
        }
        Ok(())
    }
}

/// UTF-16 in the bytes that names have; the separator of directories becomes a slash.
fn narrow(body: &[u8]) -> Vec<u8> {
    let units = body.chunks_exact(2).map(|unit| le16(unit, 0)).map(|unit| if unit == 0xffff { 0x2f } else { unit });
    pfh_bytes::text::utf16(&units.collect::<Vec<u16>>())
}

impl Name {
    /// The whole of it.
    fn path(self, has_backslashes: bool) -> Vec<u8> {
        let slash = |mut name: Vec<u8>, also: u8| {
            name.iter_mut().filter(|byte| **byte == 0xff || **byte == also).for_each(|byte| *byte = b'/');
            name
        };
        let also = if has_backslashes { b'\\' } else { 0xff };
        let file = self.wide_file.or(self.file).unwrap_or_else(|| slash(self.plain, also));
        let directory = self.wide_directory.or_else(|| self.directory.map(|name| slash(name, also)));
        match directory {
            Some(mut directory) if !directory.is_empty() => {
                if directory.last() != Some(&b'/') {
                    directory.push(b'/');
                }
                directory.extend(file);
                directory
            }
            _ => file,
        }
    }
}
