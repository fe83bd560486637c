//! The superblock of a member of an array of md, in its versions 0.90 and 1.x, after the page "RAID
//! superblock formats" of the Linux RAID wiki and `md(4)`.

use std::ops::Range;
use std::sync::Arc;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, byte, failure, is_at, le16, le32, le64, read, read_some, uuid};
use pfh_bytes::node::Failure;

const SECTOR: u64 = 512;
const MAGIC: u32 = 0xa92b_4efc;
/// Bytes of a superblock 1.x before the roles, and the most roles.
const HEAD: usize = 256;
const MOST_ROLES: usize = 1920;
/// Bytes of a superblock 0.90, which stands in the last of the whole 64 KiB.
const OLD: usize = 4096;
const OLD_RESERVED: u64 = 64 << 10;
/// The most bytes of the list of bad blocks.
const MOST_BAD: usize = 1 << 20;

// Features of 1.x.
const RECOVERY_OFFSET: u32 = 2;
const RESHAPE: u32 = 4;
const BAD_BLOCKS: u32 = 8;
const REPLACEMENT: u32 = 16;
const JOURNAL: u32 = 0x200;
const KNOWN: u32 = 0x1fff;

/// The statements of a member on its array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberStatement {
    /// RAID 0 to 10, −1 for devices one behind the other.
    pub level: i32,
    /// By md's numbers.
    pub layout: u32,
    /// Bytes of a chunk.
    pub chunk: u64,
    /// How many devices the array has.
    pub devices: usize,
    /// How many bytes of each device are used; of levels that use all of each it says nothing.
    pub used: u64,
    /// How much of each device has right parity.
    pub in_sync: u64,
    /// The reason why the array cannot be read even from whole devices: it is being changed.
    pub refused: Option<&'static str>,
    /// Whether the last writes may stand in a journal on another device.
    pub has_journal: bool,
    /// The role of each device by its number: which of the array's it is, or [`NONE`].
    pub roles: Vec<usize>,
}

/// The role of a device that holds nothing of the array.
pub const NONE: usize = usize::MAX;

/// A member of an array.
#[derive(Clone)]
pub struct Member {
    /// The array's identifier.
    pub set: [u8; 16],
    /// The array's name.
    pub name: String,
    /// Counts up with each change of the array.
    pub events: u64,
    /// The device's number.
    pub number: usize,
    /// Its statements on the array.
    pub stated: MemberStatement,
    /// The medium, and the range of it that holds data.
    pub bytes: Arc<dyn Bytes>,
    /// Where its data begin.
    pub start: u64,
    /// How many bytes of data there may be.
    pub length: u64,
    /// How many of them are valid.
    pub valid: u64,
    /// Ranges of its data that were lost.
    pub bad: Vec<Range<u64>>,
}

impl Member {
    /// Reads the superblock of a volume; `None` if it has none.
    ///
    /// # Errors
    /// If it has one that is damaged, or leads out of the volume.
    pub fn read(bytes: &Arc<dyn Bytes>) -> Result<Option<Member>, Failure> {
        let mut failed = None;
        for at in places(bytes.size()) {
            match newer(bytes, at) {
                Ok(None) => {}
                Ok(Some(found)) => return Ok(Some(found)),
                Err(failure) => failed = failed.or(Some(failure)),
            }
        }
        match (failed, old(bytes)) {
            (_, Ok(Some(found))) => Ok(Some(found)),
            (Some(failure), _) | (None, Err(failure)) => Err(failure),
            (None, Ok(None)) => Ok(None),
        }
    }
}

/// Whether a medium has a superblock 1.0, behind all data: the first bytes of the medium are the
/// array's. In front of a superblock 1.1 or 1.2 nothing of the array stands.
pub fn is_member_to_the_end(bytes: &Arc<dyn Bytes>) -> bool {
    places(bytes.size()).last().is_some_and(|at| at > 4096 && !matches!(newer(bytes, at), Ok(None)))
}

/// Where superblocks 1.2, 1.1 and 1.0 stand.
fn places(size: u64) -> impl Iterator<Item = u64> {
    let last = (size / SECTOR).checked_sub(16).map(|at| at & !7);
    [Some(8), Some(0), last].into_iter().flatten().map(|sector| sector * SECTOR)
}

fn sum(words: impl Iterator<Item = u32>) -> u32 {
    let sum: u64 = words.map(u64::from).sum();
    (sum as u32).wrapping_add((sum >> 32) as u32)
}

/// A superblock 1.x that may stand at this place.
fn newer(bytes: &Arc<dyn Bytes>, at: u64) -> Result<Option<Member>, Failure> {
    let head = read_some(&**bytes, at, HEAD)?;
    // It states its own place: one that states another is a copy.
    let is_one = head.len() == HEAD && le32(&head, 0) == MAGIC && le32(&head, 4) == 1;
    if !is_one || le64(&head, 144) != at / SECTOR {
        return Ok(None);
    }
    let wrong = |cause: &str| failure(Some(at), format!("a member of a Linux RAID: {cause}"));
    let count = le32(&head, 220) as usize;
    if count > MOST_ROLES {
        return Err(wrong("its superblock states too many devices"));
    }
    let whole = read(&**bytes, at, HEAD + 2 * count)?;
    let words = whole.chunks_exact(4).enumerate().filter(|(index, _)| *index != 54).map(|(_, word)| le32(word, 0));
    let rest = whole.chunks_exact(4).remainder();
    let rest = (rest.len() == 2).then(|| u32::from(le16(rest, 0)));
    if sum(words.chain(rest)) != le32(&head, 216) {
        return Err(wrong("the checksum of its superblock is wrong"));
    }
    let features = le32(&head, 8);
    if features & !KNOWN != 0 {
        return Err(wrong(&format!("features {:#x} that are not known", features & !KNOWN)));
    }
    let bytes_of = |sectors: u64| sectors.checked_mul(SECTOR).ok_or_else(|| wrong("its superblock leads beyond 2^64"));
    let role = |role: u16| match role {
        0xfffd.. => NONE,
        role => usize::from(role),
    };
    let (start, length) = (bytes_of(le64(&head, 128))?, bytes_of(le64(&head, 136))?);
    if start.checked_add(length).is_none_or(|end| end > bytes.size()) {
        return Err(wrong(&format!(
            "its data end at {}, behind its own end at {}",
            start.saturating_add(length),
            bytes.size()
        )));
    }
    let resync = le64(&head, 208);
    let stated = MemberStatement {
        level: le32(&head, 72) as i32,
        layout: le32(&head, 76),
        chunk: bytes_of(le32(&head, 88).into())?,
        devices: le32(&head, 92) as usize,
        used: bytes_of(le64(&head, 80))?,
        in_sync: resync.saturating_mul(SECTOR),
        refused: (features & RESHAPE != 0).then_some("it is being changed to another form"),
        has_journal: features & JOURNAL != 0,
        roles: whole[HEAD..].chunks_exact(2).map(|entry| role(le16(entry, 0))).collect(),
    };
    let recovered = le64(&head, 152);
    let valid = if features & RECOVERY_OFFSET != 0 { recovered.saturating_mul(SECTOR).min(length) } else { length };
    Ok(Some(Member {
        set: array(&head, 16),
        name: name(&head[32..64]),
        events: le64(&head, 200),
        // A replacement has the role of the device whose place it takes later.
        number: if features & REPLACEMENT != 0 { NONE } else { le32(&head, 160) as usize },
        stated,
        bytes: bytes.clone(),
        start,
        length,
        valid,
        bad: if features & BAD_BLOCKS != 0 { bad(bytes, at, &head, start, length)? } else { Vec::new() },
    }))
}

/// The name of an array without that of the machine; a number as below `/dev`.
fn name(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    let whole = String::from_utf8_lossy(&field[..end]);
    let name = whole.rsplit(':').next().unwrap_or_default();
    match name {
        _ if name.is_empty() || name.contains('/') => "md".to_owned(),
        _ if name.bytes().all(|byte| byte.is_ascii_digit()) => format!("md{name}"),
        _ => name.to_owned(),
    }
}

/// The list of bad blocks, as ranges of the data.
fn bad(bytes: &Arc<dyn Bytes>, at: u64, head: &[u8], start: u64, length: u64) -> Result<Vec<Range<u64>>, Failure> {
    let (shift, size, offset) = (byte(head, 184 + 1), usize::from(le16(head, 186)), le32(head, 188) as i32);
    if size == 0 || offset == 0 {
        return Ok(Vec::new());
    }
    let place = at.checked_add_signed(i64::from(offset) * SECTOR as i64);
    let wrong = || failure(Some(at), "a member of a Linux RAID: its list of bad blocks leads nowhere");
    let size = (size * SECTOR as usize).min(MOST_BAD);
    let list = read(&**bytes, place.ok_or_else(wrong)?, size)?;
    let mut found: Vec<Range<u64>> = Vec::new();
    for entry in list.chunks_exact(8).map(|entry| le64(entry, 0)).take_while(|entry| *entry != u64::MAX && *entry != 0)
    {
        let sector = |value: u64| value.checked_shl(shift.into()).and_then(|sector| sector.checked_mul(SECTOR));
        let (first, count) = (sector(entry >> 10), sector(entry & 0x3ff));
        let (Some(first), Some(count)) = (first, count) else { return Err(wrong()) };
        let first = first.saturating_sub(start).min(length);
        found.push(first..first.saturating_add(count).min(length));
    }
    found.sort_by_key(|range| range.start);
    Ok(found)
}

/// A superblock 0.90, in the byte order of the machine that wrote it.
fn old(bytes: &Arc<dyn Bytes>) -> Result<Option<Member>, Failure> {
    let Some(at) = (bytes.size() / OLD_RESERVED * OLD_RESERVED).checked_sub(OLD_RESERVED) else { return Ok(None) };
    let whole = read_some(&**bytes, at, OLD)?;
    let is_little = is_at(&whole, 0, &MAGIC.to_le_bytes());
    if whole.len() < OLD || !is_little && !is_at(&whole, 0, &MAGIC.to_be_bytes()) {
        return Ok(None);
    }
    let word = |index: usize| {
        let bytes = array(&whole, 4 * index);
        if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    };
    let wide = |index: usize| match is_little {
        true => u64::from(word(index)) | u64::from(word(index + 1)) << 32,
        false => u64::from(word(index + 1)) | u64::from(word(index)) << 32,
    };
    if word(1) != 0 {
        return Ok(None);
    }
    let wrong = |cause: &str| failure(Some(at), format!("a member of a Linux RAID: {cause}"));
    if sum((0..OLD / 4).filter(|index| *index != 38).map(word)) != word(38) {
        return Err(wrong("the checksum of its superblock is wrong"));
    }
    // A device's number, and its state: active and in sync, not faulty.
    let role = |at: usize| if word(at + 4) & 7 == 6 { word(at + 3) as usize } else { NONE };
    let (events, checked) = (wide(39), wide(41));
    let is_clean = word(33) & 1 != 0;
    let in_sync = match is_clean {
        true if events == checked && word(43) != u32::MAX => u64::from(word(43)) * SECTOR,
        true => u64::MAX,
        false => 0,
    };
    let mut set = [0; 16];
    for (index, place) in [5, 13, 14, 15].into_iter().enumerate() {
        set[4 * index..4 * index + 4].copy_from_slice(&word(place).to_be_bytes());
    }
    let minor = word(2);
    let is_reshaped = minor > 90 && wide(44) != u64::MAX;
    Ok(Some(Member {
        set,
        name: format!("md{}", word(11)),
        events,
        number: word(992) as usize,
        stated: MemberStatement {
            level: word(7) as i32,
            layout: word(64),
            chunk: word(65).into(),
            devices: word(10) as usize,
            used: u64::from(word(8)) * 1024,
            in_sync,
            refused: is_reshaped.then_some("it is being changed to another form"),
            has_journal: false,
            roles: (0..27).map(|index| role(128 + 32 * index)).collect(),
        },
        bytes: bytes.clone(),
        start: 0,
        length: at,
        valid: at,
        bad: Vec::new(),
    }))
}

impl Member {
    /// The array's name and identifier, for messages.
    pub fn array(&self) -> String {
        format!("{} ({})", self.name, uuid(self.set))
    }
}
