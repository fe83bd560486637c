//! 7z: a header at the end, folders of one stream each, files in them one after the other.

use super::checked::{Checked, Stated, bomb};
use super::folder::Folder;
use super::folder_row::Row;
use super::limits::Limits;
use super::member::{failure, node};
use super::sevenzip_header::{File, Header, parse};
use super::track::Track;
use super::zip_directory::{u32_at, u64_at};
use crate::bytes::Bytes;
use crate::node::{Content, Failure, Kind, Nodes};
use std::io::Read;
use std::sync::Arc;

/// The longest header.
const HEADER: u64 = 256 << 20;

fn whole(cause: impl Into<String>) -> Failure {
    failure(b"", cause)
}

/// The members, in the order of the header, which is that of their streams.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Result<Nodes, Failure> {
    let header = header(&bytes, limits)?;
    if header.files.len() as u64 > limits.entries {
        return Err(whole(format!("the archive has more than {} members", limits.entries)));
    }
    let row = Row::new(&bytes, &header.packed, &header.folders, limits);
    let mut streams = Vec::new();
    for (number, (folder, substreams)) in header.folders.iter().zip(&header.substreams).enumerate() {
        let most = limits.most(folder.stored(&header.packed));
        let shared = Arc::new(Shared::new(&row, number, folder, (most, substreams.len())));
        let mut start = 0;
        for (size, crc) in substreams {
            streams.push((shared.clone(), start, *size, *crc));
            start += size;
        }
    }
    let mut streams = streams.into_iter();
    let nodes = header.files.into_iter().map(move |file| {
        let stream = if file.has_stream { streams.next() } else { None };
        member(file, stream)
    });
    Ok(Box::new(nodes))
}

fn member(file: File, stream: Option<(Arc<Shared>, u64, u64, Option<u32>)>) -> Result<crate::node::Node, Failure> {
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
        let read = content.open()?.take(4096).read_to_end(&mut target);
        read.map_err(|error| failure(&found.path, format!("the target of the link: {error}")))?;
        (found.kind, found.size) = (Kind::Link(target), None);
    } else {
        found.content = Some(Arc::new(content));
    }
    Ok(found)
}

/// Reads the header, which may be packed itself.
fn header(bytes: &Arc<dyn Bytes>, limits: &Limits) -> Result<Header, Failure> {
    let mut start = [0; 32];
    bytes.read_exact_at(0, &mut start).map_err(|_| whole("the 7z is cut off"))?;
    if crc32fast::hash(&start[12..]) != u32_at(&start, 8) {
        return Err(whole("the CRC of the 7z's first header does not hold"));
    }
    let (offset, length, crc) = (u64_at(&start, 12), u64_at(&start, 20), u32_at(&start, 28));
    if length == 0 {
        return Ok(Header::default());
    }
    let place = offset.checked_add(32).filter(|place| place.checked_add(length).is_some_and(|end| end <= bytes.size()));
    let place = place.ok_or_else(|| whole("the header of the 7z is behind its end: it is cut off"))?;
    if length > HEADER {
        return Err(whole("the header of the 7z is larger than 256 MiB"));
    }
    let mut packed = vec![0; length as usize];
    let at = |cause: String| Failure { offset: Some(place), ..whole(cause) };
    bytes.read_exact_at(place, &mut packed).map_err(|error| at(error.to_string()))?;
    if crc32fast::hash(&packed) != crc {
        return Err(at("the CRC of the 7z's header does not hold".into()));
    }
    for _ in 0..4 {
        let header = match parse(&packed).map_err(|why| at(why.into()))? {
            Ok(header) => return Ok(header),
            Err(header) => header,
        };
        let folder = header.folders.first().ok_or_else(|| at("a packed header without a stream".into()))?;
        if let Some(why) = folder.refusal() {
            return Err(at(format!("the header of the 7z {why}: not even its names can be read")));
        }
        if folder.size() > HEADER || folder.size() > limits.most(folder.stored(&header.packed)) {
            return Err(at("the header of the 7z is larger than 256 MiB".into()));
        }
        let opened = folder.open(bytes, &header.packed, limits);
        let stated = Stated { size: Some(folder.size()), crc: folder.crc };
        let read = opened.and_then(|opened| {
            let mut unpacked = Vec::new();
            Checked::new(opened, Arc::from(&b""[..]), stated, HEADER).read_to_end(&mut unpacked)?;
            Ok(unpacked)
        });
        packed = read.map_err(|error| at(format!("the header of the 7z: {error}")))?;
    }
    Err(at("the header of the 7z is packed again and again".into()))
}

/// A folder whose stream its members share.
struct Shared {
    track: Arc<Track>,
    refusal: Option<&'static str>,
    size: u64,
    most: u64,
    /// How many members it has.
    members: usize,
}

impl Shared {
    fn new(row: &Arc<Row>, number: usize, folder: &Folder, (most, members): (u64, usize)) -> Shared {
        let (row, refusal, size) = (row.clone(), folder.refusal(), folder.size());
        Shared { track: Track::new(move || row.open(number)), refusal, size, most, members }
    }
}

struct Member {
    shared: Option<Arc<Shared>>,
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
        let stated = Stated { size: Some(self.size), crc: self.crc };
        let range = shared.track.range(self.start, self.size);
        Ok(Box::new(Checked::new(range, self.path.clone(), stated, shared.most)))
    }

    fn is_shared(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.members > 1)
    }
}
