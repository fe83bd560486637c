//! VHDX, after Microsoft's "VHDX Format Specification" (MS-VHDX). All numbers are little-endian.

use super::paged::PagedFile;
use super::parent::{Parent, Parents};
use super::{Disk, Failure, Kind, stored, within_unit};
use crate::Bytes;
use crate::crc32c;
use crate::field::{le16, le32, le64};
use std::io;
use std::sync::Arc;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
/// Bytes of a header, and of a region table.
const HEADER: usize = 4096;
const TABLE: usize = 64 << 10;
/// The largest disk, by the specification: 64 TiB.
const LARGEST: u64 = 64 << 40;

/// A GUID as it stands in a file.
type Guid = [u8; 16];

/// Of the first three fields the bytes are reversed in the file.
const fn guid(text: u128) -> Guid {
    let b = text.to_be_bytes();
    [b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]]
}

const BLOCKS: Guid = guid(0x2DC2_7766_F623_4200_9D64_115E_9BFD_4A08);
const METADATA: Guid = guid(0x8B7C_A206_4790_4B9A_B8FE_575F_050F_886E);
const FILE_PARAMETERS: Guid = guid(0xCAA1_6737_FA36_4D43_B3B6_33F0_AA44_E76B);
const DISK_SIZE: Guid = guid(0x2FA5_4224_CD1B_4876_B211_5DBE_D83B_F4B8);
const LOGICAL_SECTOR: Guid = guid(0x8141_BF1D_A96F_4709_BA47_F233_A8FA_AB5F);
const PARENT: Guid = guid(0xA8D3_5F2D_B30B_454D_ABF7_D3D8_4834_AB0C);
/// The only kind of locator: keys and values.
const LOCATOR: Guid = guid(0xB04A_EFB7_D19E_4A81_B789_25B8_E944_5913);
/// Bytes of a locator.
const LONGEST_LOCATOR: u64 = 1 << 20;
const KNOWN: [Guid; 6] = [
    FILE_PARAMETERS,
    DISK_SIZE,
    LOGICAL_SECTOR,
    guid(0xCDA3_48C7_445D_4471_9CC9_E988_5251_C556), // physical sector size
    guid(0xBECA_12AB_B2E6_4523_93EF_C309_E000_C746), // the disk's identifier
    PARENT,
];

/// A VHDX, open.
struct Vhdx {
    file: Arc<dyn Bytes>,
    tables: PagedFile,
    size: u64,
    sector: u32,
    block: u64,
    /// Payload blocks between two entries that are for bitmaps.
    ratio: u64,
    table: u64,
    identity: Guid,
    /// The disk that this one is a difference to.
    parent: Option<Parent>,
}

/// Opens a VHDX.
pub fn open(file: Arc<dyn Bytes>, files: &dyn Parents) -> Result<Box<dyn Disk>, Failure> {
    let header = header(&*file)?;
    if header[48..64] != [0; 16] {
        return Err(Failure::refused(
            "its log was not replayed (it was in use, or not closed): its writes are not on the disk yet",
        ));
    }
    let version = le16(&header, 66);
    if version != 1 {
        return Err(Failure::refused(format!("version {version} of the format")));
    }
    let regions = regions(&*file)?;
    let metadata = Metadata::read(&*file, regions.metadata)?;
    let Metadata { size, sector, block, ref locator } = metadata;
    let ratio = (u64::from(sector) << 23) / block;
    let blocks = size.div_ceil(block);
    let entries = match locator {
        // A block of bitmaps stands behind each full turn, and the last.
        Some(_) => blocks.div_ceil(ratio) * (ratio + 1),
        None => blocks + blocks.saturating_sub(1) / ratio,
    };
    let (table, length) = regions.blocks;
    if entries * 8 > length || table.checked_add(length).is_none_or(|end| end > file.size()) {
        return Err(Failure::at(table, format!("a table of {length} bytes for {blocks} blocks")));
    }
    let parent = locator.as_ref().map(|locator| parent_of(locator, files)).transpose()?;
    let mut identity = [0; 16];
    identity.copy_from_slice(&header[32..48]);
    Ok(Box::new(Vhdx {
        tables: PagedFile::new(file.clone()),
        file,
        size,
        sector,
        block,
        ratio,
        table,
        identity,
        parent,
    }))
}

/// A GUID as text.
fn shown(id: &Guid) -> String {
    let part = |places: &[usize]| places.iter().map(|at| format!("{:02x}", id[*at])).collect::<String>();
    let parts = [&[3, 2, 1, 0][..], &[5, 4], &[7, 6], &[8, 9], &[10, 11, 12, 13, 14, 15]];
    format!("{{{}}}", parts.map(part).join("-"))
}

/// The parent that a locator describes, whose identity is one of the two that it states.
fn parent_of(locator: &[u8], files: &dyn Parents) -> Result<Parent, Failure> {
    let wrong = || Failure::malformed("the locator of its parent leads out of itself");
    if !locator.starts_with(&LOCATOR) {
        return Err(Failure::refused("a difference to a parent that is located in a way that is not known"));
    }
    let text = |at: u32, length: u16| -> Result<String, Failure> {
        let bytes = locator.get(at as usize..).and_then(|rest| rest.get(..length.into())).ok_or_else(wrong)?;
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        Ok(String::from_utf16_lossy(&units))
    };
    let (mut names, mut linked) = (Vec::new(), Vec::new());
    for entry in locator.get(20..).ok_or_else(wrong)?.chunks_exact(12).take(le16(locator, 18).into()) {
        let key = text(le32(entry, 0), le16(entry, 8))?;
        let value = text(le32(entry, 4), le16(entry, 10))?;
        match key.as_str() {
            "parent_linkage" | "parent_linkage2" => linked.push(value),
            "relative_path" => names.insert(0, value),
            "absolute_win32_path" | "volume_path" => names.push(value),
            _ => {}
        }
    }
    let parent = files.parent(&names, false)?;
    let expected = linked.iter().map(|identity| parent.expect(identity));
    expected
        .reduce(|one, other| one.or(other))
        .unwrap_or_else(|| Err(Failure::malformed("no identity of its parent")))?;
    Ok(parent)
}

/// Whether the checksum at byte 4 is that of the rest.
fn is_sound(bytes: &[u8]) -> bool {
    let sum = crc32c(crc32c(crc32c(!0, &bytes[..4]), &[0; 4]), &bytes[8..]);
    !sum == le32(bytes, 4)
}

/// The header in force: the sound one of the two with the higher number.
fn header(file: &dyn Bytes) -> Result<Vec<u8>, Failure> {
    let mut best: Option<Vec<u8>> = None;
    for at in [64 * KIB, 128 * KIB] {
        let mut header = vec![0; HEADER];
        file.read_exact_at(at, &mut header)?;
        let is_newer = best.as_ref().is_none_or(|best| le64(best, 8) < le64(&header, 8));
        if header.starts_with(b"head") && is_sound(&header) && is_newer {
            best = Some(header);
        }
    }
    best.ok_or_else(|| Failure::at(64 * KIB, "neither of the two headers has its checksum"))
}

/// Where the table of blocks and the metadata are: offset and length in bytes.
struct Regions {
    blocks: (u64, u64),
    metadata: (u64, u64),
}

fn regions(file: &dyn Bytes) -> Result<Regions, Failure> {
    let mut bytes = vec![0; TABLE];
    let mut found = None;
    for at in [192 * KIB, 256 * KIB] {
        file.read_exact_at(at, &mut bytes)?;
        if bytes.starts_with(b"regi") && is_sound(&bytes) {
            found = Some(at);
            break;
        }
    }
    let at = found.ok_or_else(|| Failure::at(192 * KIB, "neither of the two region tables has its checksum"))?;
    let (mut blocks, mut metadata) = (None, None);
    let count = le32(&bytes, 8) as usize;
    if count > 2047 {
        return Err(Failure::at(at, format!("a region table of {count} entries")));
    }
    for entry in bytes[16..].chunks_exact(32).take(count) {
        let place = (le64(entry, 16), u64::from(le32(entry, 24)));
        let slot = match &entry[..16] {
            id if *id == BLOCKS => &mut blocks,
            id if *id == METADATA => &mut metadata,
            _ if le32(entry, 28) & 1 == 0 => continue,
            _ => return Err(Failure::refused("a region of a kind that is not known, and is required")),
        };
        if slot.replace(place).is_some() {
            return Err(Failure::at(at, "a region that is listed twice"));
        }
    }
    match (blocks, metadata) {
        (Some(blocks), Some(metadata)) => Ok(Regions { blocks, metadata }),
        _ => Err(Failure::at(at, "no region of the blocks, or none of the metadata")),
    }
}

/// The disk as the metadata describe it.
struct Metadata {
    size: u64,
    sector: u32,
    block: u64,
    /// Of a difference: where its parent is.
    locator: Option<Vec<u8>>,
}

impl Metadata {
    fn read(file: &dyn Bytes, (at, length): (u64, u64)) -> Result<Metadata, Failure> {
        let mut table = vec![0; TABLE];
        file.read_exact_at(at, &mut table)?;
        let count = usize::from(le16(&table, 10));
        if !table.starts_with(b"metadata") || count > 2047 {
            return Err(Failure::at(at, "no table of metadata"));
        }
        let (mut parameters, mut size, mut sector, mut locator) = (None, None, None, None);
        for entry in table[32..].chunks_exact(32).take(count) {
            let mut id = [0; 16];
            id.copy_from_slice(&entry[..16]);
            let (place, bytes, flags) = (u64::from(le32(entry, 16)), u64::from(le32(entry, 20)), le32(entry, 24));
            // A user's entry may have the identifier of one of the system's.
            if flags & 1 != 0 || !KNOWN.contains(&id) {
                if flags & 4 != 0 {
                    return Err(Failure::refused("metadata of a kind that is not known, and is required"));
                }
                continue;
            }
            if place + bytes > length {
                return Err(Failure::at(at, "metadata outside of their region"));
            }
            let mut value = [0; 8];
            if id == FILE_PARAMETERS || id == DISK_SIZE || id == LOGICAL_SECTOR {
                let took = if id == LOGICAL_SECTOR { 4 } else { 8 };
                file.read_exact_at(at.saturating_add(place), &mut value[..took])?;
            }
            if id == PARENT {
                let mut found = vec![0; bytes.min(LONGEST_LOCATOR) as usize];
                file.read_exact_at(at.saturating_add(place), &mut found)?;
                locator = Some(found);
            }
            match id {
                FILE_PARAMETERS => parameters = Some((le32(&value, 0), le32(&value, 4))),
                DISK_SIZE => size = Some(u64::from_le_bytes(value)),
                LOGICAL_SECTOR => sector = Some(le32(&value, 0)),
                _ => {}
            }
        }
        let (Some((block, flags)), Some(size), Some(sector)) = (parameters, size, sector) else {
            return Err(Failure::at(at, "no size of the disk, of its sectors or of its blocks"));
        };
        let locator = match (flags & 2 != 0, locator) {
            (true, None) => return Err(Failure::at(at, "a difference to a parent that it does not name")),
            (true, locator) => locator,
            (false, _) => None,
        };
        let block = u64::from(block);
        let fits = block.is_power_of_two() && (MIB..=256 * MIB).contains(&block);
        if !fits || ![512, 4096].contains(&sector) || size > LARGEST || !size.is_multiple_of(u64::from(sector)) {
            let what = format!("a disk of {size} bytes with sectors of {sector} and blocks of {block} bytes");
            return Err(Failure::at(at, what));
        }
        Ok(Metadata { size, sector, block, locator })
    }
}

impl Vhdx {
    /// The bitmap of a block of a difference: how far from `inside` on the sectors are alike, and
    /// whether they are its own.
    fn alike(&self, number: u64, inside: u64, room: usize) -> Result<(usize, bool), Failure> {
        let turn = number / self.ratio;
        let place = self.table + (turn * (self.ratio + 1) + self.ratio) * 8;
        let entry = u64::from_le_bytes(self.tables.array(place)?);
        let bitmap = (entry >> 20).checked_mul(MIB).filter(|at| entry & 7 == 6 && *at >= MIB);
        let bitmap = bitmap.ok_or_else(|| Failure::at(place, "a block that is there in part, without its bitmap"))?;
        let sector = u64::from(self.sector);
        let first = number % self.ratio * (self.block / sector);
        let is_own = |inside: u64| -> Result<bool, Failure> {
            let bit = first + inside / sector;
            Ok(self.tables.array::<1>(bitmap.saturating_add(bit / 8))?[0] >> (bit % 8) & 1 != 0)
        };
        let own = is_own(inside)?;
        let mut end = (inside / sector + 1) * sector;
        while end < inside + room as u64 && is_own(end)? == own {
            end += sector;
        }
        Ok((room.min((end - inside) as usize), own))
    }

    fn read(&self, number: u64, inside: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let place = self.table + (number + number / self.ratio) * 8;
        let entry = u64::from_le_bytes(self.tables.array(place)?);
        let mut buffer = buffer;
        let mut state = entry & 7;
        if state == 7 && self.parent.is_some() {
            let (take, is_own) = self.alike(number, inside, buffer.len())?;
            buffer = &mut buffer[..take];
            state = if is_own { 6 } else { 0 };
        }
        match (state, &self.parent) {
            (0, Some(parent)) => parent.read(number * self.block + inside, buffer)?,
            // Never written, undefined, zero, unmapped.
            (0..=3, _) => buffer.fill(0),
            (6, _) => {
                let at = (entry >> 20).checked_mul(MIB).filter(|at| *at >= MIB);
                let at = at.ok_or_else(|| Failure::at(place, "a block that lies on the headers"))?;
                return Ok(stored(&*self.file, at.saturating_add(inside), buffer)?);
            }
            (state, _) => return Err(Failure::at(place, format!("a block of the state {state}"))),
        }
        Ok(buffer.len())
    }
}

impl Bytes for Vhdx {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((number, inside, take)) = within_unit(self.size, self.block, offset, buffer.len()) else {
            return Ok(0);
        };
        Ok(self.read(number, inside, &mut buffer[..take])?)
    }
}

impl Disk for Vhdx {
    fn kind(&self) -> Kind {
        Kind::Vhdx
    }

    fn sector(&self) -> u32 {
        self.sector
    }

    fn identity(&self) -> Option<String> {
        Some(shown(&self.identity))
    }

    fn notes(&self) -> Vec<String> {
        self.parent.iter().map(Parent::note).collect()
    }
}
