//! Opening a volume: its boot sector, its MFT, and the faults and states that an examiner must
//! know.

use std::sync::{Arc, Mutex};

use super::attribute::{ATTRIBUTE_LIST, Attribute, DATA, VOLUME_INFORMATION, VOLUME_NAME};
use super::boot::{self, Boot};
use super::older::snapshots;
use super::record::Record;
use super::stream::Stream;
use super::volume::Ntfs;
use crate::file_system::{FileSystem, VolumeContent};
use crate::vss::Copies;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;
use pfh_bytes::text::{units, utf16};

const MFT: u64 = 0;
const VOLUME: u64 = 3;
const CLUSTERS: u64 = 6;

/// Opens an NTFS volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    open_by(bytes, &**bytes)
}

/// Opens a volume whose boot sector is that of `start`: a file holds the one that stands there.
pub fn open_by(bytes: &Arc<dyn Bytes>, start: &dyn Bytes) -> Result<Option<VolumeContent>, Failure> {
    let Some((mut system, volume)) = system(bytes, start)? else { return Ok(None) };
    let copies = Copies::of(bytes);
    system.warnings.extend(copies.warnings);
    system.unread = copies.failed;
    system.snapshots = snapshots(copies.members, bytes, volume, older);
    Ok(Some(VolumeContent::FileSystem(system)))
}

/// Opens the older state of a volume, beside which nothing is looked for.
fn older(bytes: &Arc<dyn Bytes>) -> Result<Option<FileSystem>, Failure> {
    Ok(system(bytes, &**bytes)?.map(|(system, _)| system))
}

fn system(bytes: &Arc<dyn Bytes>, start: &dyn Bytes) -> Result<Option<(FileSystem, Arc<Ntfs>)>, Failure> {
    let Some(boot) = boot::read(start)? else { return Ok(None) };
    let mut warnings = Vec::new();
    let first = first_record(&**bytes, &boot, &mut warnings)?;
    let mut volume = Ntfs {
        bytes: bytes.clone(),
        cluster_size: boot.cluster_size,
        clusters: boot.clusters,
        record_size: boot.record_size,
        index_size: boot.index_size,
        mft: Layout::default(),
        records: 0,
        bitmap: Layout::default(),
        held: Mutex::default(),
    };
    volume.find_mft(&first).map_err(|failed| failure(failed.offset, format!("MFT: {}", failed.cause)))?;
    match volume.system_file(CLUSTERS) {
        Ok((bitmap, _)) => volume.bitmap = bitmap,
        Err(failed) => warnings.push(failure(failed.offset, format!("map of clusters: {}", failed.cause))),
    }
    let (mut label, size) = (Vec::new(), volume.size());
    match volume.record(VOLUME) {
        Ok(record) => {
            let value =
                |kind: u32| record.attributes.iter().find(|found| found.kind == kind).and_then(Attribute::resident);
            label = utf16(&units(value(VOLUME_NAME).unwrap_or_default()));
            if value(VOLUME_INFORMATION).is_some_and(|raw| le16(raw, 10) & 1 != 0) {
                warnings.push(failure(volume.record_offset(VOLUME), "the volume was not unmounted"));
            }
        }
        Err(failed) => warnings.push(failed),
    }
    if size > bytes.size() {
        let cause = format!("the file system has {size} bytes, the volume only {}", bytes.size());
        warnings.push(failure(Some(0x28), cause));
    }
    let block_size = u32::try_from(boot.cluster_size).unwrap_or(u32::MAX);
    let volume = Arc::new(volume);
    let system = FileSystem {
        kind: "NTFS",
        label,
        id: boot.id,
        block_size,
        size,
        warnings,
        unread: Vec::new(),
        snapshots: Vec::new(),
        volume: volume.clone(),
    };
    Ok(Some((system, volume)))
}

/// The record of the MFT itself, or its copy.
fn first_record(bytes: &dyn Bytes, boot: &Boot, warnings: &mut Vec<Failure>) -> Result<Record, Failure> {
    let record = |cluster: u64| {
        let offset =
            cluster.checked_mul(boot.cluster_size).ok_or_else(|| failure(None, "the MFT is beyond any volume"))?;
        let found = read(bytes, offset, boot.record_size).and_then(|raw| Record::new(MFT, raw));
        found.map_err(|failed| failure(Some(offset), format!("MFT: {}", failed.cause)))
    };
    record(boot.mft).or_else(|failed| {
        let copy = record(boot.mirror).map_err(|_| failed.clone())?;
        warnings.push(failure(failed.offset, format!("{}: its copy is used", failed.cause)));
        Ok(copy)
    })
}

impl Ntfs {
    /// Finds where the MFT lies: first by its own record, then with those that its list names,
    /// which are in the part that is found first.
    fn find_mft(&mut self, first: &Record) -> Result<(), Failure> {
        let missing = || failure(None, "its record states no place");
        let stream = Stream::of(&first.attributes, DATA, &[])?.ok_or_else(missing)?;
        let has_list = first.attributes.iter().any(|found| found.kind == ATTRIBUTE_LIST);
        let size = stream.size;
        self.records = size / self.record_size as u64;
        if has_list {
            let mut begin = stream.clone();
            begin.size = 0;
            self.mft = self.layout(&begin)?;
            let known = self.records;
            self.records = known.min(self.mft.end() / self.record_size as u64);
            let attributes = self.all_attributes(first)?;
            self.mft = self.layout(&Stream::of(&attributes, DATA, &[])?.ok_or_else(missing)?)?;
            self.records = known;
        } else {
            self.mft = self.layout(&stream)?;
        }
        self.mft.disjoint()
    }
}
