//! The disks as rows of JSON: what `--json` prints, and dictionaries in Python.

use super::row::{Content, Disk, Holder, Mount, Partition};
use crate::acquire::HiddenRow;
use pfh_manifest::row;
use pfh_source::os::names::OsStrExt;
use serde::Serialize;

mod word {
    pfh_manifest::constants! { Disk = "disk" }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MountRow<'a> {
    #[serde(flatten)]
    at: row::Path<'a>,
    writable: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct HolderRow<'a> {
    alias: &'a str,
    kind: &'a str,
    name: &'a str,
}

#[derive(Serialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ContentRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    state: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PartitionRow<'a> {
    content: ContentRow<'a>,
    holders: Vec<HolderRow<'a>>,
    kind: &'a str,
    label: &'a str,
    mounts: Vec<MountRow<'a>>,
    name: &'a str,
    number: u32,
    #[serde(flatten)]
    path: Option<row::Path<'a>>,
    size: u64,
    start: u64,
    write_blocked: bool,
}

/// A disk with its partitions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskRow<'a> {
    r#type: row::Is<word::Disk>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backing_file: Option<String>,
    bus: &'a str,
    content: ContentRow<'a>,
    encrypted: bool,
    firmware: &'a str,
    hidden: Option<HiddenRow>,
    holders: Vec<HolderRow<'a>>,
    model: &'a str,
    mounts: Vec<MountRow<'a>>,
    name: &'a str,
    partitions: Vec<PartitionRow<'a>>,
    #[serde(flatten)]
    path: row::Path<'a>,
    physical_sector: u32,
    removable: bool,
    rotational: Option<bool>,
    sector: u32,
    serial: &'a str,
    size: u64,
    table: &'a str,
    temperature: Option<f64>,
    write_blocked: bool,
    wwid: &'a str,
}

fn content_row(content: &Content) -> ContentRow<'_> {
    let state = |state| ContentRow { state, ..ContentRow::default() };
    let known = |name, format| ContentRow { format: Some(format), ..state(name) };
    match content {
        Content::FileSystem { format, label } => ContentRow {
            label: Some(label).filter(|label| !label.is_empty()).map(|l| l.as_str()),
            ..known("file-system", format)
        },
        Content::Encrypted(name) => known("encrypted", name),
        Content::Other(name) => known("other", name),
        Content::Partitions => state("partitions"),
        Content::NoMedium => state("no-medium"),
        Content::Unknown => state("unknown"),
        Content::Unread(cause) => ContentRow { cause: Some(cause), ..state("unread") },
        Content::Unasked => state("not-asked"),
    }
}

fn mount_rows(mounts: &[Mount]) -> Vec<MountRow<'_>> {
    mounts
        .iter()
        .map(|mount| MountRow { at: row::Path(mount.at.as_os_str().as_bytes()), writable: mount.writable })
        .collect()
}

fn holder_rows(holders: &[Holder]) -> Vec<HolderRow<'_>> {
    holders.iter().map(|one| HolderRow { alias: &one.alias, kind: &one.kind, name: &one.name }).collect()
}

impl<'a> DiskRow<'a> {
    /// A disk as a line of JSON.
    pub fn of(disk: &'a Disk) -> DiskRow<'a> {
        DiskRow {
            r#type: row::Is(word::Disk),
            backing_file: disk.backing_file.as_ref().map(|file| file.to_string_lossy().into_owned()),
            bus: &disk.bus,
            content: content_row(&disk.content),
            encrypted: disk.is_encrypted(),
            firmware: &disk.firmware,
            hidden: disk.hidden.as_ref().map(HiddenRow::from),
            holders: holder_rows(&disk.holders),
            model: &disk.model,
            mounts: mount_rows(&disk.mounts),
            name: &disk.name,
            partitions: disk.partitions.iter().map(partition_row).collect(),
            path: row::Path(disk.path.as_os_str().as_bytes()),
            physical_sector: disk.physical_sector,
            removable: disk.removable,
            rotational: disk.rotational,
            sector: disk.sector,
            serial: &disk.serial,
            size: disk.size,
            table: &disk.table,
            temperature: disk.temperature,
            write_blocked: disk.write_blocked,
            wwid: &disk.wwid,
        }
    }
}

fn partition_row(part: &Partition) -> PartitionRow<'_> {
    PartitionRow {
        content: content_row(&part.content),
        holders: holder_rows(&part.holders),
        kind: &part.kind,
        label: &part.label,
        mounts: mount_rows(&part.mounts),
        name: &part.name,
        number: part.number,
        path: part.path.as_ref().map(|path| row::Path(path.as_os_str().as_bytes())),
        size: part.size,
        start: part.start,
        write_blocked: part.write_blocked,
    }
}
