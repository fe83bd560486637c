//! The account of a medium: what each of its bytes is, by its partition table and its file systems.

pub use pfh_bytes::account::{Account, Claims, Extent, Holds, Layers, looks_like, residue, said};

use crate::file_system::{FileSystem, Options, VolumeContent};
use crate::lvm;
use crate::partition::{PartitionTable, Scheme, Usage, partitions};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Failure, Kind, Node};
use std::collections::HashSet;
use std::sync::Arc;

/// The account of a medium: its tables, and its volumes each with their own account.
///
/// # Errors
/// If it cannot be read.
pub fn medium(bytes: &Arc<dyn Bytes>) -> Result<Account, Failure> {
    let table = partitions(bytes)?;
    if table.scheme == Scheme::None {
        return volume(bytes);
    }
    let mut claims = Claims::default();
    table.warnings.iter().for_each(|warning| claims.fault(warning.clone()));
    let mut opaque = Vec::new();
    for part in table.partitions.iter().filter(|part| part.usage == Usage::Partition) {
        let name = part.number.map_or_else(Vec::new, |number| format!("p{number}/").into_bytes());
        let account = part.open(bytes).and_then(|inner| volume(&inner));
        let mut account = match account {
            Ok(account) => account,
            Err(fault) => {
                claims.fault(Failure { path: [&name, &fault.path[..]].concat(), ..fault });
                continue;
            }
        };
        opaque.extend(account.opaque.drain(..).map(|of| [&name[..], &of].concat()));
        claims.add_part(part.start, &name, account);
    }
    // The disc that the others lie beside comes first and is beneath them.
    claims.add_beneath(bytes.size(), tables(&table));
    for part in table.partitions.iter().filter(|part| part.usage == Usage::Unallocated) {
        let mut gap = Claims::default();
        gap.add(part.start..part.start.saturating_add(part.length), Holds::Free, b"in no partition");
        claims.add_beneath(bytes.size(), gap);
    }
    let mut account = claims.close(&**bytes)?;
    account.opaque = opaque;
    Ok(account)
}

/// The tables themselves.
fn tables(table: &PartitionTable) -> Claims {
    let (mut claims, sector) = (Claims::default(), u64::from(table.sector_size));
    match table.scheme {
        Scheme::None => {}
        Scheme::Mbr | Scheme::Gpt => {
            claims.add(0..440, Holds::Reserved, b"boot code");
            claims.add(440..512, Holds::Structure, b"MBR");
        }
        Scheme::Apm => claims.add(0..sector, Holds::Structure, b"driver descriptor"),
    }
    for (range, name) in &table.structures {
        claims.add(range.clone(), Holds::Structure, name.as_bytes());
    }
    claims
}

/// The account of one volume.
fn volume(bytes: &Arc<dyn Bytes>) -> Result<Account, Failure> {
    if lvm::is_physical_volume(&**bytes) {
        let (claims, opaque) = lvm::claims(bytes)?;
        return Ok(Account { opaque, ..claims.close(&**bytes)? });
    }
    match crate::detect::file_system(bytes.clone())? {
        VolumeContent::FileSystem(system) => file_system(&system, bytes),
        VolumeContent::Unknown => Claims::default().close(&**bytes),
        VolumeContent::Volumes(volumes) => whole(bytes, volumes.kind),
        VolumeContent::Encrypted(kind) => whole(bytes, kind),
        VolumeContent::Locked(locked) => whole(bytes, locked.format),
        VolumeContent::Unread(kind) => whole(bytes, &kind),
    }
}

/// Bytes of a format that is not itemised.
fn whole(bytes: &Arc<dyn Bytes>, kind: &str) -> Result<Account, Failure> {
    let mut claims = Claims::default();
    claims.add(0..bytes.size(), Holds::Structure, kind.as_bytes());
    Ok(Account { opaque: vec![Vec::new()], ..claims.close(&**bytes)? })
}

/// The account of a file system.
///
/// # Errors
/// If it cannot be read.
pub fn file_system(system: &FileSystem, bytes: &Arc<dyn Bytes>) -> Result<Account, Failure> {
    let layers = system.volume.clone().layers()?;
    let (mut claims, mut free) = (layers.own, Claims::default());
    system.warnings.iter().for_each(|warning| claims.fault(warning.clone()));
    let mut given = HashSet::new();
    for node in system.nodes(Options { deleted: false, unallocated: true }) {
        let node = match node {
            Ok(node) => node,
            Err(fault) => {
                claims.fault(fault);
                continue;
            }
        };
        let unallocated = node.kind == Kind::Unallocated;
        let holds = match &node.path[..] {
            path if unallocated && path.starts_with(b"$Slack/") => Holds::Slack,
            path if unallocated && path.starts_with(b"$Unallocated/") => Holds::Free,
            // Lost and bad clusters are nobody's.
            _ if unallocated => continue,
            _ => Holds::Content,
        };
        // Further names of a file claim nothing more. An empty file may share the number of
        // another.
        let is_first = node.size == Some(0) || node.id.is_none_or(|id| given.insert((id, stream_of(&node))));
        if holds == Holds::Free || is_first || holds == Holds::Slack {
            let into = if holds == Holds::Free { &mut free } else { &mut claims };
            claim(into, &node, holds);
        }
    }
    claims.add_beneath(bytes.size(), layers.beneath);
    claims.add_beneath(bytes.size(), free);
    let mut opaque = Vec::new();
    if !layers.is_itemised {
        let mut rest = Claims::default();
        rest.add(0..bytes.size(), Holds::Structure, format!("{}, not itemised", system.kind).as_bytes());
        claims.add_beneath(bytes.size(), rest);
        opaque.push(Vec::new());
    }
    Ok(Account { opaque, ..claims.close(&**bytes)? })
}

/// The name of a stream of a file, which is one more content of its number.
fn stream_of(node: &Node) -> Vec<u8> {
    if node.kind == Kind::Stream { node.path.clone() } else { Vec::new() }
}

fn claim(claims: &mut Claims, node: &Node, holds: Holds) {
    let places = node.content.as_ref().and_then(|content| content.places()).unwrap_or_default();
    for run in places {
        if let Some(start) = run.medium_offset {
            claims.add_once(start..start.saturating_add(run.length), holds, &node.path);
        }
    }
}
