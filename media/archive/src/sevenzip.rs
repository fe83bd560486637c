//! 7z: a header at the end, folders of one stream each, files in them one after the other.

use super::checked::{CheckedBytes, StatedSum, bomb};
use super::folder::Folder;
use super::folder_row::Row;
use super::limits::Limits;
use super::member::{failure, node};
use super::sevenzip_header::{File, Header, parse};
use super::track::Track;
use super::zip_directory::{u32_at, u64_at};
use pfh_bytes::account::{self, Claims, Holds};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{is_at, le32, read_some};
use pfh_bytes::node::{Content, Failure, Flaw, Kind, LONGEST_TARGET, Nodes, is_target};
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// The longest header.
const HEADER: u64 = 256 << 20;

fn whole(cause: impl Into<String>) -> Failure {
    failure(b"", cause)
}

/// The members, in the order of the header, which is that of their streams.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Result<Nodes, Failure> {
    let (header, claims) = header(&bytes, limits)?;
    if header.files.len() as u64 > limits.entries {
        return Err(whole(format!("the archive has more than {} members", limits.entries)));
    }
    let row = Row::new(&bytes, &header.packed, &header.folders, limits);
    let (mut streams, mut hidden) = (Vec::new(), Vec::new());
    for (number, (folder, substreams)) in header.folders.iter().zip(&header.substreams).enumerate() {
        let most = limits.most(folder.stored(&header.packed));
        let shared = Arc::new(SharedFolder::new(&row, number, folder, (most, substreams.len())));
        if substreams.is_empty() && folder.size() > 0 {
            hidden.push(residue(format!("folder {number} of {} bytes", folder.size())));
        }
        let mut start = 0;
        for (size, crc) in substreams {
            streams.push((shared.clone(), start, *size, *crc));
            start += size;
        }
    }
    let used = header.files.iter().filter(|file| file.has_stream).count();
    hidden.extend(streams.iter().skip(used).map(|(_, _, size, _)| residue(format!("a stream of {size} bytes"))));
    let mut streams = streams.into_iter();
    let nodes = header.files.into_iter().map(move |file| {
        let stream = if file.has_stream { streams.next() } else { None };
        member(file, stream)
    });
    Ok(Box::new(nodes.chain(hidden.into_iter().chain(unclaimed(&*bytes, claims)).map(Err))))
}

/// The fault of a part that the header has, and none of its members.
fn residue(what: String) -> Failure {
    Failure { flaw: Flaw::Residue, ..whole(format!("residue: {what} that no member has")) }
}

/// The claims of its headers and packed streams.
///
/// # Errors
/// If the header cannot be read.
pub fn claims(bytes: &Arc<dyn Bytes>) -> Result<Claims, Failure> {
    let (_, mut claims) = header(bytes, &Limits::default())?;
    for gap in signatures(&**bytes, claims.clone().gaps(bytes.size())) {
        claims.add(gap, Holds::Reserved, b"signature of the program in front");
    }
    Ok(claims)
}

/// The gaps that are the signature of a program in front: the certificates of Windows.
fn signatures(bytes: &dyn Bytes, gaps: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let is_one = |gap: &Range<u64>| {
        let start = read_some(bytes, gap.start, 16).unwrap_or_default();
        let zeros = start.iter().take_while(|byte| **byte == 0).count().min(7);
        let length = u64::from(le32(&start, zeros));
        // A length, revision 2, and the type of PKCS #7; filled up to eight bytes.
        is_at(&start, zeros + 4, &[0, 2, 2, 0]) && (length..length + 16).contains(&(gap.end - gap.start))
    };
    gaps.into_iter().filter(is_one).collect()
}

/// The failures of bytes that no header and no stream has.
fn unclaimed(bytes: &dyn Bytes, claims: Claims) -> Vec<Failure> {
    let gaps = claims.gaps(bytes.size());
    let signed = signatures(bytes, gaps.clone());
    let gaps = gaps.into_iter().filter(|gap| !signed.contains(gap));
    gaps.filter_map(|gap| account::said(bytes, &gap).unwrap_or_else(Some)).collect()
}

fn member(
    file: File,
    stream: Option<(Arc<SharedFolder>, u64, u64, Option<u32>)>,
) -> Result<pfh_bytes::node::Node, Failure> {
    let mode = file.attributes.filter(|attributes| attributes & 0x8000 != 0).map_or(0, |attributes| attributes >> 16);
    if file.is_anti {
        return Err(failure(&file.path, "is an order to delete a file, and holds nothing"));
    }
    if file.is_directory {
        let mut directory = node(file.path, Kind::Directory);
        directory.times = file.times;
        return Ok(directory);
    }
    let mut found = node(file.path, Kind::File);
    found.times = file.times;
    let path: Arc<[u8]> = found.path.clone().into();
    let content = match (stream, file.has_stream) {
        (Some((shared, start, size, crc)), _) => Member { shared: Some(shared), path, start, size, crc },
        (None, false) => Member { shared: None, path, start: 0, size: 0, crc: None },
        (None, true) => return Err(failure(&found.path, "has no stream where the header promises one")),
    };
    (found.size, found.compressed) = (Some(content.size), content.shared.is_some());
    if mode & 0xF000 == 0xA000 {
        let mut target = Vec::new();
        let read = content.open()?.take(LONGEST_TARGET as u64).read_to_end(&mut target);
        read.map_err(|error| failure(&found.path, format!("the target of the link: {error}")))?;
        if is_target(&target) {
            (found.kind, found.size) = (Kind::Link(target), None);
            return Ok(found);
        }
    }
    found.content = Some(Arc::new(content));
    Ok(found)
}

/// Reads the header, which may be packed itself; and the ranges that it accounts for.
fn header(bytes: &Arc<dyn Bytes>, limits: &Limits) -> Result<(Header, Claims), Failure> {
    let mut start = [0; 32];
    bytes.read_exact_at(0, &mut start).map_err(|_| whole("the 7z is cut off"))?;
    if crc32fast::hash(&start[12..]) != u32_at(&start, 8) {
        return Err(whole("the CRC of the 7z's first header does not hold"));
    }
    let (offset, length, crc) = (u64_at(&start, 12), u64_at(&start, 20), u32_at(&start, 28));
    let mut claims = Claims::default();
    claims.add(0..32, Holds::Structure, b"first header");
    if length == 0 {
        return Ok((Header::default(), claims));
    }
    let place = offset.checked_add(32).filter(|place| place.checked_add(length).is_some_and(|end| end <= bytes.size()));
    let place = place.ok_or_else(|| whole("the header of the 7z is behind its end: it is cut off"))?;
    if length > HEADER {
        return Err(whole("the header of the 7z is larger than 256 MiB"));
    }
    claims.add(place..place + length, Holds::Structure, b"header");
    let mut packed = vec![0; length as usize];
    let at = |cause: String| Failure { offset: Some(place), ..whole(cause) };
    bytes.read_exact_at(place, &mut packed).map_err(|error| at(error.to_string()))?;
    if crc32fast::hash(&packed) != crc {
        return Err(at("the CRC of the 7z's header does not hold".into()));
    }
    for _ in 0..4 {
        let header = match parse(&packed).map_err(|why| at(why.into()))? {
            Ok(header) => {
                streams(&header, Holds::Content, b"packed stream", &mut claims);
                return Ok((header, claims));
            }
            Err(header) => header,
        };
        streams(&header, Holds::Structure, b"packed header", &mut claims);
        let folder = header.folders.first().ok_or_else(|| at("a packed header without a stream".into()))?;
        if let Some(why) = folder.refusal() {
            return Err(at(format!("the header of the 7z {why}: not even its names can be read")));
        }
        if folder.size() > HEADER || folder.size() > limits.most(folder.stored(&header.packed)) {
            return Err(at("the header of the 7z is larger than 256 MiB".into()));
        }
        let opened = folder.open(bytes, &header.packed, limits);
        let stated = StatedSum { size: Some(folder.size()), crc: folder.crc };
        let read = opened.and_then(|opened| {
            let mut unpacked = Vec::new();
            CheckedBytes::new(opened, Arc::from(&b""[..]), stated, HEADER).read_to_end(&mut unpacked)?;
            Ok(unpacked)
        });
        packed = read.map_err(|error| at(format!("the header of the 7z: {error}")))?;
    }
    Err(at("the header of the 7z is packed again and again".into()))
}

/// Takes up the packed streams of a header.
fn streams(header: &Header, holds: Holds, name: &[u8], claims: &mut Claims) {
    for (start, length) in &header.packed {
        // Counted from behind the first header.
        let start = start.saturating_add(32);
        claims.add(start..start.saturating_add(*length), holds, name);
    }
}

/// A folder whose stream its members share.
struct SharedFolder {
    track: Arc<Track>,
    refusal: Option<&'static str>,
    size: u64,
    most: u64,
    /// How many members it has.
    members: usize,
}

impl SharedFolder {
    fn new(row: &Arc<Row>, number: usize, folder: &Folder, (most, members): (u64, usize)) -> SharedFolder {
        let (row, refusal, size) = (row.clone(), folder.refusal(), folder.size());
        SharedFolder { track: Track::new(move || row.open(number)), refusal, size, most, members }
    }
}

struct Member {
    shared: Option<Arc<SharedFolder>>,
    path: Arc<[u8]>,
    start: u64,
    size: u64,
    crc: Option<u32>,
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let Some(shared) = &self.shared else { return Ok(Box::new(std::io::empty())) };
        if let Some(why) = shared.refusal {
            return Err(failure(&self.path, why));
        }
        if shared.size > shared.most {
            return Err(failure(&self.path, bomb(shared.most)));
        }
        let stated = StatedSum { size: Some(self.size), crc: self.crc };
        let range = shared.track.range(self.start, self.size);
        Ok(Box::new(CheckedBytes::new(range, self.path.clone(), stated, shared.most)))
    }

    fn is_shared(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.members > 1)
    }
}
