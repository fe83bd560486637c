//! A volume that is open: its MFT, and the maps of records and clusters in use.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::attribute::{ATTRIBUTE_LIST, Attribute, DATA};
use super::record::{NUMBER, Record};
use super::stream::Stream;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, failure, le16, le64, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// The longest list of attributes: four times as long as Windows allows.
const LONGEST_LIST: u64 = 1 << 20;

/// The most records that one file may be spread over.
const MOST_RECORDS: usize = 8192;

/// A volume.
pub struct Ntfs {
    pub bytes: Arc<dyn Bytes>,
    pub cluster_size: u64,
    pub clusters: u64,
    pub record_size: usize,
    pub index_size: usize,
    /// Where the MFT lies, and how many records it has.
    pub mft: Layout,
    pub records: u64,
    /// Where the map of clusters in use lies.
    pub bitmap: Layout,
    /// The part of the map that was read last.
    pub held: Mutex<Option<(u64, Arc<[u8]>)>>,
}

/// Everything that the MFT stores about a file.
pub struct File {
    pub record: Record,
    /// The attributes of all its records.
    pub attributes: Vec<Attribute>,
}

impl Ntfs {
    /// How many bytes the volume has as it counts itself; runs may not leave them.
    pub fn size(&self) -> u64 {
        self.clusters * self.cluster_size
    }

    /// Where a stream lies, as [`Stream::layout`].
    pub fn layout(&self, stream: &Stream) -> Result<Layout, Failure> {
        stream.layout(self.cluster_size, self.size())
    }

    /// Bytes of a stream that lies in clusters; `length` is bounded by the caller.
    pub fn read(&self, layout: &Layout, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
        let mut found = Vec::with_capacity(length);
        for run in layout.window(from, from.saturating_add(length as u64)) {
            let length = usize::try_from(run.length).unwrap_or(usize::MAX);
            match run.medium_offset {
                Some(offset) => found.extend(read(&*self.bytes, offset, length)?),
                None => found.resize(found.len() + length, 0),
            }
        }
        Ok(found)
    }

    /// Where a record stands on the medium.
    pub fn record_offset(&self, number: u64) -> Option<u64> {
        let from = number.checked_mul(self.record_size as u64)?;
        self.mft.window(from, from.checked_add(1)?).first()?.medium_offset
    }

    /// A record of the MFT.
    pub fn record(&self, number: u64) -> Result<Record, Failure> {
        if number >= self.records {
            return Err(failure(None, format!("record {number} is not one of the MFT's")));
        }
        let raw = self.read(&self.mft, number * self.record_size as u64, self.record_size)?;
        let wrong = |failed: Failure| failure(self.record_offset(number), format!("record {number}: {}", failed.cause));
        Record::new(number, raw).map_err(wrong)
    }

    /// A file with the attributes of all the records that its list names.
    pub fn file(&self, number: u64) -> Result<File, Failure> {
        let record = self.record(number)?;
        let attributes = self.all_attributes(&record)?;
        Ok(File { record, attributes })
    }

    /// The attributes of a record, and those of the records that its list names.
    pub fn all_attributes(&self, record: &Record) -> Result<Vec<Attribute>, Failure> {
        let mut attributes = record.attributes.clone();
        let Some(list) = Stream::of(&attributes, ATTRIBUTE_LIST, &[])? else { return Ok(attributes) };
        if list.size > LONGEST_LIST {
            return Err(failure(None, format!("a list of attributes of {} bytes", list.size)));
        }
        let raw = match &list.resident {
            Some(raw) => raw.to_vec(),
            None => self.read(&self.layout(&list)?, 0, usize::try_from(list.size).unwrap_or(0))?,
        };
        let mut others = BTreeSet::new();
        let mut at = 0;
        while at + 26 <= raw.len() {
            others.insert(le64(&raw, at + 16) & NUMBER);
            match usize::from(le16(&raw, at + 4)) {
                length @ 26.. => at += length,
                _ => return Err(failure(None, "the list of attributes contradicts itself")),
            }
        }
        others.remove(&record.number);
        if others.len() > MOST_RECORDS {
            return Err(failure(None, format!("a file in {} records", others.len())));
        }
        for number in others {
            let other = self.record(number)?;
            if other.base != record.number {
                let cause = format!("record {number} belongs to another file than {}", record.number);
                return Err(failure(self.record_offset(number), cause));
            }
            attributes.extend(other.attributes);
        }
        Ok(attributes)
    }

    /// Whether a cluster is in use.
    pub fn is_used(&self, cluster: u64) -> Result<bool, Failure> {
        const WINDOW: u64 = 1 << 15;
        let (window, at) = (cluster / 8 / WINDOW, cluster / 8 % WINDOW);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match &*held {
            Some((place, bytes)) if *place == window => bytes.clone(),
            _ => {
                let left = self.bitmap.end().saturating_sub(window * WINDOW).min(WINDOW);
                let bytes: Arc<[u8]> = self.read(&self.bitmap, window * WINDOW, left as usize)?.into();
                *held = Some((window, bytes.clone()));
                bytes
            }
        };
        if at >= bytes.len() as u64 {
            return Err(failure(None, "the map of clusters is too short"));
        }
        Ok(byte(&bytes, at as usize) >> (cluster % 8) & 1 == 1)
    }

    /// Whether all clusters of a layout are free; `false` too if it cannot be known.
    pub fn is_free(&self, layout: &Layout) -> bool {
        layout.runs().iter().all(|run| {
            let Some(offset) = run.medium_offset else { return true };
            let clusters = offset / self.cluster_size..(offset + run.length).div_ceil(self.cluster_size);
            clusters.into_iter().all(|cluster| matches!(self.is_used(cluster), Ok(false)))
        })
    }

    /// Where the unnamed stream of a file of the system lies, with its size.
    pub fn system_file(&self, number: u64) -> Result<(Layout, u64), Failure> {
        let stream = Stream::of(&self.file(number)?.attributes, DATA, &[])?;
        let stream = stream.ok_or_else(|| failure(None, format!("record {number} has no data")))?;
        Ok((self.layout(&stream)?, stream.size))
    }
}
