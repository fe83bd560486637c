//! The header of a 7z archive: packed streams, folders, and the files in them.

use super::folder::{Coder, Folder};
use super::member::from_filetime;
use pfh_bytes::node::Times;
use pfh_bytes::text::utf16;

/// A file as the header states it.
#[derive(Debug, Clone, Default)]
pub struct File {
    pub path: Vec<u8>,
    pub has_stream: bool,
    pub is_directory: bool,
    pub is_anti: bool,
    pub attributes: Option<u32>,
    pub times: Times,
}

/// The content of a header.
#[derive(Debug, Default)]
pub struct Header {
    /// Where packed streams start, behind the signature header, and how long each is.
    pub packed: Vec<(u64, u64)>,
    pub folders: Vec<Folder>,
    /// Of each folder, the sizes and CRCs of the files in it.
    pub substreams: Vec<Vec<(u64, Option<u32>)>>,
    pub files: Vec<File>,
}

type HeaderResult<T> = Result<T, &'static str>;
const CUT: &str = "the header ends too early";
const WRONG: &str = "the header contradicts itself";
/// The most entries of a list that takes memory before its content is read.
const MANY: u64 = 1 << 24;

/// The bytes of a header that are left.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn byte(&mut self) -> HeaderResult<u8> {
        let (first, rest) = self.0.split_first().ok_or(CUT)?;
        self.0 = rest;
        Ok(*first)
    }

    fn bytes(&mut self, length: u64) -> HeaderResult<&'a [u8]> {
        let (taken, rest) = usize::try_from(length).ok().and_then(|at| self.0.split_at_checked(at)).ok_or(CUT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> HeaderResult<u32> {
        Ok(self.bytes(4)?.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn u64(&mut self) -> HeaderResult<u64> {
        Ok(self.bytes(8)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// 7z's number: the ones in front say how many bytes follow.
    fn number(&mut self) -> HeaderResult<u64> {
        let first = self.byte()?;
        let more = first.leading_ones();
        let mut value = 0;
        for at in 0..more {
            value |= u64::from(self.byte()?) << (8 * at);
        }
        if more < 7 {
            let high = u64::from(first) & ((1 << (7 - more)) - 1);
            value |= high << (8 * more);
        }
        Ok(value)
    }

    /// A number of things that each take at least that many bits of the header.
    fn count(&mut self) -> HeaderResult<usize> {
        let count = self.number()?;
        // Each has a byte at least, or a bit of a vector.
        if count > MANY || count > 8 * (self.0.len() as u64 + 1) {
            return Err(WRONG);
        }
        Ok(count as usize)
    }

    fn bits(&mut self, count: usize) -> HeaderResult<Vec<bool>> {
        let bytes = self.bytes(count.div_ceil(8) as u64)?;
        Ok((0..count).map(|at| bytes[at / 8] & (0x80 >> (at % 8)) != 0).collect())
    }

    fn optional_bits(&mut self, count: usize) -> HeaderResult<Vec<bool>> {
        if self.byte()? != 0 { Ok(vec![true; count]) } else { self.bits(count) }
    }

    fn digests(&mut self, count: usize) -> HeaderResult<Vec<Option<u32>>> {
        let defined = self.optional_bits(count)?;
        defined.into_iter().map(|is| is.then(|| self.u32()).transpose()).collect()
    }
}

/// Reads a header, whose first byte says which it is: `Ok(Err(_))` is one that is packed itself.
pub fn parse(bytes: &[u8]) -> HeaderResult<Result<Header, Header>> {
    let mut cursor = Cursor(bytes);
    let mut header = Header::default();
    match cursor.byte()? {
        0x17 => {
            header.streams(&mut cursor)?;
            return Ok(Err(header));
        }
        1 => {}
        _ => return Err("there is no header where one must be"),
    }
    loop {
        match cursor.byte()? {
            0 => return Ok(Ok(header)),
            2 => loop {
                if cursor.number()? == 0 {
                    break;
                }
                let length = cursor.number()?;
                cursor.bytes(length)?;
            },
            3 => return Err("the archive has additional streams, which nobody writes"),
            4 => header.streams(&mut cursor)?,
            5 => header.files(&mut cursor)?,
            _ => return Err(WRONG),
        }
    }
}

impl Header {
    fn streams(&mut self, cursor: &mut Cursor<'_>) -> HeaderResult<()> {
        let mut stated = false;
        loop {
            match cursor.byte()? {
                0 => break,
                6 => self.packed(cursor)?,
                7 => self.unpacking(cursor)?,
                8 => {
                    self.substreams(cursor)?;
                    stated = true;
                }
                _ => return Err(WRONG),
            }
        }
        if !stated {
            self.substreams = self.folders.iter().map(|folder| vec![(folder.size(), folder.crc)]).collect();
        }
        Ok(())
    }

    fn packed(&mut self, cursor: &mut Cursor<'_>) -> HeaderResult<()> {
        let mut start = cursor.number()?;
        let count = cursor.count()?;
        loop {
            match cursor.byte()? {
                0 => break,
                9 => {
                    for _ in 0..count {
                        let length = cursor.number()?;
                        self.packed.push((start, length));
                        start = start.checked_add(length).ok_or(WRONG)?;
                    }
                }
                0x0A => drop(cursor.digests(count)?),
                _ => return Err(WRONG),
            }
        }
        if self.packed.len() == count { Ok(()) } else { Err(WRONG) }
    }

    fn unpacking(&mut self, cursor: &mut Cursor<'_>) -> HeaderResult<()> {
        if cursor.byte()? != 0x0B {
            return Err(WRONG);
        }
        let count = cursor.count()?;
        if cursor.byte()? != 0 {
            return Err("the header refers to a stream outside of it");
        }
        let mut next = 0;
        for _ in 0..count {
            let folder = self.folder(cursor, next)?;
            next += folder.packed.len();
            self.folders.push(folder);
        }
        if next > self.packed.len() {
            return Err(WRONG);
        }
        loop {
            match cursor.byte()? {
                0 => return Ok(()),
                0x0C => {
                    for folder in &mut self.folders {
                        for coder in &mut folder.coders {
                            coder.size = cursor.number()?;
                        }
                    }
                }
                0x0A => {
                    let digests = cursor.digests(count)?;
                    self.folders.iter_mut().zip(digests).for_each(|(folder, crc)| folder.crc = crc);
                }
                _ => return Err(WRONG),
            }
        }
    }

    fn folder(&self, cursor: &mut Cursor<'_>, first: usize) -> HeaderResult<Folder> {
        let mut folder = Folder::default();
        let (mut inputs, count) = (0, cursor.number()?);
        if !(1..=32).contains(&count) {
            return Err("a folder with no coder, or with more than 32");
        }
        for _ in 0..count {
            let flags = cursor.byte()?;
            let id = cursor.bytes(u64::from(flags & 15))?.iter().fold(0, |id: u64, byte| id << 8 | u64::from(*byte));
            let (ins, outs) = if flags & 0x10 != 0 { (cursor.number()?, cursor.number()?) } else { (1, 1) };
            if ins == 0 || ins > 4 || outs != 1 || flags & 0x80 != 0 {
                return Err("a coder of a form that nobody writes");
            }
            let length = if flags & 0x20 != 0 { cursor.number()? } else { 0 };
            let properties = cursor.bytes(length)?.to_vec();
            folder.coders.push(Coder { id, properties, inputs: inputs..inputs + ins as usize, size: 0 });
            inputs += ins as usize;
        }
        for _ in 1..count {
            let (input, output) = (cursor.number()?, cursor.number()?);
            if input >= inputs as u64 || output >= count {
                return Err(WRONG);
            }
            folder.bound.push((input as usize, output as usize));
        }
        let packed = (inputs + 1).checked_sub(count as usize).filter(|packed| *packed > 0).ok_or(WRONG)?;
        let mut place = |input: usize, at: usize| {
            let taken = input >= inputs || folder.bound.iter().any(|(bound, _)| *bound == input);
            folder.packed.push((input, first + at));
            if taken { Err(WRONG) } else { Ok(()) }
        };
        if packed == 1 {
            let free = (0..inputs).find(|input| !folder.bound.iter().any(|(bound, _)| bound == input)).ok_or(WRONG)?;
            folder.packed.push((free, first));
        } else {
            for at in 0..packed {
                place(usize::try_from(cursor.number()?).map_err(|_| WRONG)?, at)?;
            }
        }
        let main = (0..count as usize).find(|output| !folder.bound.iter().any(|(_, bound)| bound == output));
        folder.main = main.ok_or(WRONG)?;
        Ok(folder)
    }

    fn substreams(&mut self, cursor: &mut Cursor<'_>) -> HeaderResult<()> {
        let mut kind = cursor.byte()?;
        let mut counts = vec![1; self.folders.len()];
        if kind == 0x0D {
            let mut all = 0u64;
            for count in &mut counts {
                *count = cursor.number()?;
                all = all.saturating_add(*count);
                if all > MANY {
                    return Err("more than 16,777,216 files");
                }
            }
            kind = cursor.byte()?;
        }
        let mut sizes: Vec<Vec<u64>> = Vec::new();
        for (folder, count) in self.folders.iter().zip(&counts) {
            let (mut of, mut left) = (Vec::new(), folder.size());
            for _ in 1..*count {
                let size = if kind == 9 { cursor.number()? } else { return Err(WRONG) };
                left = left.checked_sub(size).ok_or(WRONG)?;
                of.push(size);
            }
            if *count > 0 {
                of.push(left);
            }
            sizes.push(of);
        }
        if kind == 9 {
            kind = cursor.byte()?;
        }
        let known = |folder: &Folder, count: u64| count == 1 && folder.crc.is_some();
        let mut digests = Vec::new().into_iter();
        while kind != 0 {
            let unknown = self.folders.iter().zip(&counts).filter(|(folder, count)| !known(folder, **count));
            let unknown: u64 = unknown.map(|(_, count)| *count).sum();
            match kind {
                0x0A => digests = cursor.digests(unknown as usize)?.into_iter(),
                _ => return Err(WRONG),
            }
            kind = cursor.byte()?;
        }
        for ((folder, count), sizes) in self.folders.iter().zip(&counts).zip(sizes) {
            let crc = |_: &u64| if known(folder, *count) { folder.crc } else { digests.next().flatten() };
            let crcs: Vec<Option<u32>> = sizes.iter().map(crc).collect();
            self.substreams.push(sizes.into_iter().zip(crcs).collect());
        }
        Ok(())
    }

    fn files(&mut self, cursor: &mut Cursor<'_>) -> HeaderResult<()> {
        let count = cursor.count()?;
        let mut files = vec![File { has_stream: true, ..File::default() }; count];
        let mut empty: Vec<usize> = Vec::new();
        loop {
            let kind = cursor.number()?;
            if kind == 0 {
                break;
            }
            let length = cursor.number()?;
            let mut field = Cursor(cursor.bytes(length)?);
            match kind {
                0x0E => {
                    let bits = field.bits(count)?;
                    empty = (0..count).filter(|at| bits[*at]).collect();
                    for at in &empty {
                        (files[*at].has_stream, files[*at].is_directory) = (false, true);
                    }
                }
                0x0F => {
                    let bits = field.bits(empty.len())?;
                    empty.iter().zip(bits).for_each(|(at, is)| files[*at].is_directory = !is);
                }
                0x10 => {
                    let bits = field.bits(empty.len())?;
                    empty.iter().zip(bits).for_each(|(at, is)| files[*at].is_anti = is);
                }
                0x11 => names(&mut field, &mut files)?,
                0x12..=0x14 => {
                    for (at, time) in optional(&mut field, count, Cursor::u64)?.into_iter().enumerate() {
                        let time = time.map(from_filetime);
                        let times = &mut files[at].times;
                        *[&mut times.born, &mut times.accessed, &mut times.modified][kind as usize - 0x12] = time;
                    }
                }
                0x15 => {
                    let found = optional(&mut field, count, Cursor::u32)?;
                    files.iter_mut().zip(found).for_each(|(file, attributes)| file.attributes = attributes);
                }
                _ => {}
            }
        }
        self.files = files;
        Ok(())
    }
}

fn names(field: &mut Cursor<'_>, files: &mut [File]) -> HeaderResult<()> {
    if field.byte()? != 0 {
        return Err("the header refers to a stream outside of it");
    }
    let mut units = field.0.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    for file in files {
        let mut name = Vec::new();
        loop {
            match units.next().ok_or(CUT)? {
                0 => break,
                unit => name.push(unit),
            }
        }
        file.path = utf16(&name);
    }
    Ok(())
}

/// One value for each file that has one.
fn optional<'a, T>(
    field: &mut Cursor<'a>,
    count: usize,
    mut one: impl FnMut(&mut Cursor<'a>) -> HeaderResult<T>,
) -> HeaderResult<Vec<Option<T>>> {
    let defined = field.optional_bits(count)?;
    if field.byte()? != 0 {
        return Err("the header refers to a stream outside of it");
    }
    defined.into_iter().map(|is| is.then(|| one(field)).transpose()).collect()
}
