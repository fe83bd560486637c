//! The zip archive of a volume: its directory, and members at any position.

use crate::Bytes;
use crate::disk::Failure;
use crate::disk::paged::PagedFile;
use crate::disk::unpack::{Method, unpack};
use crate::field::{le16, le32, le64};
use crate::units::Units;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest directory, in bytes: some 400,000 members.
const LONGEST: u64 = 64 << 20;
/// Bytes that are compared at once.
const PIECE: u64 = 1 << 20;
/// Bytes at the end of a zip with the longest comment.
const TAIL: u64 = 22 + 65_535;

/// A member of the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its place in the directory, from 0.
    number: u64,
    header: u64,
    method: u16,
    packed: u64,
    /// Bytes of it.
    pub size: u64,
    /// The CRC-32 that is stated.
    pub crc: u32,
}

/// An archive, open.
pub struct Zip {
    file: Arc<dyn Bytes>,
    pages: PagedFile,
    unpacked: Units,
    /// Faults of members that were compared with their CRC-32, by number.
    compared: Mutex<HashMap<u64, Option<String>>>,
    /// By full name: `aff4://…`.
    members: HashMap<String, Member>,
    /// The name of the volume.
    pub volume: String,
}

impl Zip {
    /// Reads the directory.
    pub fn open(file: Arc<dyn Bytes>) -> Result<Zip, Failure> {
        let start = file.size().saturating_sub(TAIL);
        let mut tail = vec![0; (file.size() - start) as usize];
        file.read_exact_at(start, &mut tail)?;
        let ends = |at: &usize| {
            tail[*at..].starts_with(b"PK\x05\x06") && *at + 22 + usize::from(le16(&tail, *at + 20)) == tail.len()
        };
        let end = (0..tail.len().saturating_sub(21)).rev().find(ends);
        let end = end.ok_or_else(|| Failure::malformed("no end of the zip's directory"))?;
        let comment = String::from_utf8_lossy(&tail[end + 22..]).trim_matches(['\0', ' ', '\n', '\r']).to_owned();
        let (mut count, mut length) = (u64::from(le16(&tail, end + 10)), u64::from(le32(&tail, end + 12)));
        let mut place = u64::from(le32(&tail, end + 16));
        let pages = PagedFile::new(file.clone());
        let locator = end.checked_sub(20).filter(|at| tail[*at..].starts_with(b"PK\x06\x07"));
        if let Some(at) = locator {
            let far: [u8; 56] = pages.array(le64(&tail, at + 8))?;
            if !far.starts_with(b"PK\x06\x06") {
                return Err(Failure::malformed("no ZIP64 end of the directory where it is said to be"));
            }
            (count, length, place) = (le64(&far, 32), le64(&far, 40), le64(&far, 48));
        }
        if length > LONGEST || place.checked_add(length).is_none_or(|end| end > file.size()) {
            return Err(Failure::malformed(format!("a directory of {length} bytes at {place}")));
        }
        let mut directory = vec![0; length as usize];
        file.read_exact_at(place, &mut directory)?;
        let mut zip = Zip {
            file,
            pages,
            unpacked: Units::default(),
            compared: Mutex::default(),
            members: HashMap::new(),
            volume: comment,
        };
        let (mut at, mut names) = (0, Vec::new());
        for number in 0..count {
            let (name, member, next) = entry(&directory, at, number)?;
            names.push((name, member));
            at = next;
        }
        if !zip.volume.starts_with("aff4://") {
            let described = names.iter().find(|(name, _)| name == "container.description");
            let described = described.map(|(_, member)| zip.read(member, 4096)).transpose()?.unwrap_or_default();
            zip.volume = String::from_utf8_lossy(&described).trim_matches(['\0', ' ', '\n', '\r']).to_owned();
        }
        if !zip.volume.starts_with("aff4://") {
            return Err(Failure::malformed("the volume states no name of its own"));
        }
        for (name, member) in names {
            let name = zip.full(&name);
            if zip.members.insert(name.clone(), member).is_some() {
                return Err(Failure::malformed(format!("two members of the name {name}")));
            }
        }
        Ok(zip)
    }

    /// The full name of a member: its unescaped name, with the volume's name in front unless it is
    /// a full one.
    fn full(&self, name: &str) -> String {
        let name = unescape(name);
        if name.starts_with("aff4://") { name } else { format!("{}/{name}", self.volume) }
    }

    /// A member by its full name.
    pub fn member(&self, name: &str) -> Option<Member> {
        self.members.get(name).copied()
    }

    /// All members, in order of the directory.
    pub fn members(&self) -> Vec<(&str, Member)> {
        let mut all: Vec<_> = self.members.iter().map(|(name, member)| (name.as_str(), *member)).collect();
        all.sort_by_key(|(_, member)| member.number);
        all
    }

    /// A member whole, if it has no more than `most` bytes.
    pub fn read(&self, member: &Member, most: u64) -> Result<Vec<u8>, Failure> {
        if member.size > most {
            return Err(Failure::refused(format!("a member of {} bytes where {most} are the most", member.size)));
        }
        let mut bytes = vec![0; member.size as usize];
        self.read_at(member, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// Fills `buffer` from an offset of a member on.
    pub fn read_at(&self, member: &Member, offset: u64, buffer: &mut [u8]) -> Result<(), Failure> {
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > member.size) {
            return Err(Failure::at(member.header, "a range that leaves its member"));
        }
        let head: [u8; 30] = self.pages.array(member.header)?;
        if !head.starts_with(b"PK\x03\x04") {
            return Err(Failure::at(member.header, "no member where the directory says one"));
        }
        let at = member.header + 30 + u64::from(le16(&head, 26)) + u64::from(le16(&head, 28));
        match member.method {
            0 if member.packed == member.size => {
                // Small reads come from tables.
                if buffer.len() <= 64 {
                    self.pages.read(at.saturating_add(offset), buffer)?;
                } else {
                    self.file.read_exact_at(at.saturating_add(offset), buffer)?;
                }
            }
            8 => {
                let whole = self.unpacked.get(member.number, || {
                    let left = self.file.size().saturating_sub(at);
                    if member.packed > left {
                        return Err(Failure::at(member.header, "a member that leaves the file"));
                    }
                    let mut packed = vec![0; member.packed as usize];
                    self.file.read_exact_at(at, &mut packed)?;
                    unpack(Method::Deflate, &packed, member.size)
                })?;
                buffer.copy_from_slice(&whole[offset as usize..][..buffer.len()]);
            }
            method => return Err(Failure::refused(format!("a member that is packed by method {method}"))),
        }
        Ok(())
    }
}

impl Zip {
    /// Compares a member with its CRC-32, once.
    ///
    /// # Errors
    /// When it differs, or cannot be read.
    pub fn sound(&self, member: &Member) -> Result<(), Failure> {
        let held = || self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held().get(&member.number).cloned();
        let wrong = match known {
            Some(wrong) => wrong,
            None => {
                let is = self.crc(member)?;
                let what = || format!("a member has the CRC-32 {is:08x}, and {:08x} is stated", member.crc);
                let wrong = (is != member.crc).then(what);
                held().insert(member.number, wrong.clone());
                wrong
            }
        };
        wrong.map_or(Ok(()), |what| Err(Failure::at(member.header, what)))
    }

    fn crc(&self, member: &Member) -> Result<u32, Failure> {
        let (mut sum, mut at, mut room) = (crc32fast::Hasher::new(), 0, Vec::new());
        while at < member.size {
            room.resize((member.size - at).min(PIECE) as usize, 0);
            self.read_at(member, at, &mut room)?;
            sum.update(&room);
            at += room.len() as u64;
        }
        Ok(sum.finalize())
    }
}

/// An entry of the directory: name, member, where the next one is.
fn entry(directory: &[u8], at: usize, number: u64) -> Result<(String, Member, usize), Failure> {
    let wrong = || Failure::malformed("a directory that is shorter than its entries");
    let head = directory.get(at..at + 46).filter(|head| head.starts_with(b"PK\x01\x02")).ok_or_else(wrong)?;
    let (name, extra) = (usize::from(le16(head, 28)), usize::from(le16(head, 30)));
    let next = at + 46 + name + extra + usize::from(le16(head, 32));
    let rest = directory.get(at + 46..next).ok_or_else(wrong)?;
    let (mut packed, mut size) = (u64::from(le32(head, 20)), u64::from(le32(head, 24)));
    let mut header = u64::from(le32(head, 42));
    // ZIP64: those of the three that do not fit above, in this order.
    let mut fields = &rest[name..name + extra];
    while fields.len() >= 4 {
        let (id, length) = (le16(fields, 0), usize::from(le16(fields, 2)));
        let Some(field) = fields.get(4..4 + length) else { break };
        if id == 1 {
            let mut place = 0;
            for slot in [&mut size, &mut packed, &mut header] {
                if *slot == u64::from(u32::MAX) && place + 8 <= field.len() {
                    *slot = le64(field, place);
                    place += 8;
                }
            }
        }
        fields = &fields[4 + length..];
    }
    // Sums of place and length are made without a check from here on.
    if header > 1 << 62 || size > 1 << 62 || packed > 1 << 62 {
        return Err(wrong());
    }
    let member = Member { number, header, method: le16(head, 10), packed, size, crc: le32(head, 16) };
    Ok((String::from_utf8_lossy(&rest[..name]).into_owned(), member, next))
}

/// `aff4%3A%2F%2Fx` is `aff4://x`.
fn unescape(name: &str) -> String {
    let bytes = name.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let hex = (byte == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(hex.unwrap_or(byte));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}
