//! Logical volumes that are arrays of others: LVM2's types of dm-raid, whose state stands in a
//! volume of metadata beside each (`dm-raid.rst` of Linux's documentation).

use std::sync::Arc;

use super::group::Raid;
use crate::raid::{Array, Copies, Device, Geometry, Parity, striped};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, le32, le64, read_some};
use pfh_bytes::node::Failure;

type OpenMember = Result<Arc<dyn Bytes>, Failure>;

const SECTOR: u64 = 512;

/// The metadata of a device of an array.
#[derive(Clone, Copy)]
struct State {
    events: u64,
    /// A bit for each device that failed.
    failed: u64,
    /// How much of the device holds valid data, in sectors.
    recovered: u64,
    /// How much of the array is in sync.
    synced: u64,
    is_reshaped: bool,
}

fn state(bytes: &dyn Bytes) -> Result<Option<State>, Failure> {
    let head = read_some(bytes, 0, 64)?;
    if !is_at(&head, 0, b"DmRd") {
        return Ok(None);
    }
    let number = |at: usize| le64(&head, at);
    let is_reshaped = le32(&head, 4) & 1 != 0 && le32(&head, 60) & 1 != 0;
    Ok(Some(State { events: number(16), failed: number(24), recovered: number(32), synced: number(40), is_reshaped }))
}

/// Level and layout by md's numbers.
fn layout(raid: &Raid) -> Option<(i32, u32)> {
    Some(match raid.name.as_str() {
        "raid0" | "raid0_meta" => (0, 0),
        "raid1" => (1, 0),
        // Parity on the first device, unlike md's own level 4.
        "raid4" => (5, 4),
        "raid5_la" => (5, 0),
        "raid5_ra" => (5, 1),
        "raid5" | "raid5_ls" => (5, 2),
        "raid5_rs" => (5, 3),
        "raid5_n" => (5, 5),
        "raid6" | "raid6_zr" => (6, 8),
        "raid6_nr" => (6, 9),
        "raid6_nc" => (6, 10),
        "raid6_n_6" => (6, 5),
        "raid6_la_6" => (6, 16),
        "raid6_ra_6" => (6, 17),
        "raid6_ls_6" => (6, 18),
        "raid6_rs_6" => (6, 19),
        "raid10" | "raid10_near" => (10, 0x100 | u32::try_from(raid.copies).ok().filter(|copies| *copies < 256)?),
        _ => return None,
    })
}

/// A logical volume of `length` bytes over these devices, each with its volume of metadata.
pub fn array(raid: &Raid, devices: Vec<(Option<OpenMember>, OpenMember)>, length: u64) -> OpenMember {
    let wrong = |cause: String| failure(None, cause);
    let (level, layout) = layout(raid).ok_or_else(|| wrong(format!("a logical volume of the type {}", raid.name)))?;
    let count = devices.len();
    let size = devices.iter().filter_map(|(_, data)| data.as_ref().ok()).map(|data| data.size()).min().unwrap_or(0);
    let chunk = raid.chunk;
    let (geometry, spare) = match level {
        0 if chunk > 0 => (Geometry::Bands(striped(&vec![size; count], chunk, false)), 0),
        1 => (Geometry::Mirror, count.saturating_sub(1)),
        10 => {
            let copies = Copies::new(layout, chunk, count, size)?;
            (Geometry::Copies(copies), count - count.div_ceil(copies.near))
        }
        _ => {
            let parity = Parity::new(level, layout, chunk, count)?;
            (Geometry::Parity(parity), parity.checks())
        }
    };
    let mut states = Vec::new();
    for (metadata, _) in &devices {
        states.push(match metadata {
            Some(Ok(bytes)) => state(&**bytes)?,
            _ => None,
        });
    }
    let newest = states.iter().flatten().copied().max_by_key(|state| state.events);
    if newest.is_some_and(|newest| newest.is_reshaped) {
        return Err(wrong("it is being changed to another form".to_owned()));
    }
    let mut missing = Vec::new();
    let mut opened = Vec::new();
    for (index, ((_, data), state)) in devices.into_iter().zip(&states).enumerate() {
        let is_out = newest.is_some_and(|newest| {
            index < 64 && newest.failed >> index & 1 != 0
                || state.is_some_and(|state| state.events.saturating_add(1) < newest.events)
        });
        opened.push(match data {
            Ok(bytes) if !is_out => {
                let valid = state.map_or(u64::MAX, |state| state.recovered.saturating_mul(SECTOR));
                Some(Device { valid: valid.min(bytes.size()), bytes, start: 0, bad: Vec::new() })
            }
            Ok(_) => {
                missing.push(format!("{index} failed"));
                None
            }
            Err(failed) => {
                missing.push(format!("{index}: {}", failed.cause));
                None
            }
        });
    }
    if missing.len() > spare {
        return Err(wrong(format!("{} of {count} devices of a {} ({})", missing.len(), raid.name, missing.join("; "))));
    }
    let in_sync = newest.map_or(u64::MAX, |newest| newest.synced.saturating_mul(SECTOR));
    Ok(Arc::new(Array { geometry, devices: opened, size: length, in_sync }))
}

/// A mirror of these copies, one or more of them there.
pub fn mirror(copies: Vec<OpenMember>, length: u64) -> OpenMember {
    let mut failed = None;
    let mut devices = Vec::new();
    for copy in copies {
        devices.push(match copy {
            Ok(bytes) => Some(Device { bytes, start: 0, valid: length, bad: Vec::new() }),
            Err(failure) => {
                failed = Some(failure);
                None
            }
        });
    }
    match failed.filter(|_| devices.iter().all(Option::is_none)) {
        Some(failed) => Err(failed),
        None => Ok(Arc::new(Array { geometry: Geometry::Mirror, devices, size: length, in_sync: u64::MAX })),
    }
}
