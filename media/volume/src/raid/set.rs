//! The members of one array, brought together.

use super::array::{Array, Device};
use super::geometry::{Copies, Geometry, Parity, linear, striped};
use super::superblock::{Member, NONE};
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// An array of the members that were there.
pub struct RaidArray {
    /// Its name.
    pub name: String,
    /// Its bytes, or why they cannot be read.
    pub array: Result<Array, Failure>,
    /// Devices that are missing or were left out, though all can be read.
    pub warnings: Vec<Failure>,
    /// Whether each of its devices is there and up to date.
    pub is_complete: bool,
}

/// The most devices that Linux counts, which bounds the memory that a hostile superblock takes.
const MOST_DEVICES: usize = 1920;

/// Brings the members of one array together, which have one identifier.
pub fn assemble(members: &[Member]) -> Option<RaidArray> {
    // The statements of the newest member count.
    let newest = members.iter().max_by_key(|member| member.events)?;
    let stated = &newest.stated;
    let name = newest.name.clone();
    let says = |cause: String| failure(None, format!("the array {}: {cause}", newest.array()));
    if stated.devices == 0 || stated.devices > MOST_DEVICES {
        let array = Err(says(format!("{} devices", stated.devices)));
        return Some(RaidArray { name, array, warnings: Vec::new(), is_complete: false });
    }
    let mut devices: Vec<Option<&Member>> = vec![None; stated.devices];
    let mut warnings = Vec::new();
    let mut spares = 0;
    for member in members {
        let role = stated.roles.get(member.number).copied().unwrap_or(NONE);
        if member.events.saturating_add(1) < newest.events {
            warnings.push(says(format!(
                "device {} is left out: it is older ({} changes, the newest {})",
                member.number, member.events, newest.events
            )));
        } else if let Some(place) = devices.get_mut(role) {
            match place {
                Some(_) => warnings.push(says(format!("a second device {role} is left out"))),
                None => *place = Some(member),
            }
        } else {
            spares += 1;
        }
    }
    let missing: Vec<String> =
        devices.iter().zip(0..).filter(|(device, _)| device.is_none()).map(|(_, role)| format!("{role}")).collect();
    if !missing.is_empty() {
        let spare = if spares > 0 { format!(", {spares} spare") } else { String::new() };
        let list = missing.join(", ");
        warnings.push(says(format!("{} of {} devices are missing: {list}{spare}", missing.len(), stated.devices)));
    }
    if stated.has_journal {
        warnings.push(says("a journal, which is not replayed: the last writes may be missing".to_owned()));
    }
    let is_complete = missing.is_empty() && devices.iter().flatten().all(|member| member.valid == member.length);
    let array = build(newest, &devices).map_err(|failed| says(failed.cause));
    // Said as the reason then.
    let array = match (array, missing.is_empty()) {
        (Err(failed), false) => {
            let list = missing.join(", ");
            Err(Failure { cause: format!("{}; missing devices: {list} of {}", failed.cause, stated.devices), ..failed })
        }
        (array, _) => array,
    };
    if array.is_err() {
        warnings.clear();
    }
    Some(RaidArray { name, array, warnings, is_complete })
}

fn build(newest: &Member, members: &[Option<&Member>]) -> Result<Array, Failure> {
    let stated = &newest.stated;
    let wrong = |cause: String| failure(None, cause);
    if let Some(cause) = stated.refused {
        return Err(wrong(cause.to_owned()));
    }
    let chunk = stated.chunk;
    let whole = |size: u64| size.checked_div(chunk).map_or(size, |chunks| chunks * chunk);
    let sizes = || -> Result<Vec<u64>, Failure> {
        let size = |member: &Option<&Member>| {
            let member = member.ok_or_else(|| wrong("no device of it can be missing".to_owned()))?;
            Ok(whole(member.length))
        };
        members.iter().map(size).collect()
    };
    let count = members.len();
    let used = whole(stated.used);
    // Of the levels with spare devices, how many may be missing.
    let (geometry, size, spare) = match stated.level {
        -1 => {
            let bands = linear(&sizes()?);
            let size = bands.last().map_or(0, |band| band.end);
            (Geometry::Bands(bands), size, 0)
        }
        0 if chunk > 0 => {
            let sizes = sizes()?;
            let is_even = sizes.windows(2).all(|pair| pair[0] == pair[1]);
            let is_counted_from_start = match (stated.layout, is_even) {
                (_, true) | (2, _) => false,
                (1, _) => true,
                _ => {
                    let cause = "RAID 0 over devices of several sizes, which does not say in which of two layouts";
                    return Err(wrong(cause.to_owned()));
                }
            };
            let bands = striped(&sizes, chunk, is_counted_from_start);
            let size = bands.last().map_or(0, |band| band.end);
            (Geometry::Bands(bands), size, 0)
        }
        1 => (Geometry::Mirror, stated.used, count - 1),
        level @ (4..=6) => {
            let parity = Parity::new(level, stated.layout, chunk, count)?;
            let columns = (count - parity.checks()) as u64;
            let size = used.checked_mul(columns).ok_or_else(|| wrong("more than 2^64 bytes".to_owned()))?;
            (Geometry::Parity(parity), size, parity.checks())
        }
        10 => {
            let copies = Copies::new(stated.layout, chunk, count, used)?;
            let size = copies.chunks(used).saturating_mul(chunk);
            // Whether those that are missing are needed shows when their bytes are.
            (Geometry::Copies(copies), size, count - count.div_ceil(copies.near * copies.far))
        }
        level => return Err(wrong(format!("of the level {level}, which is not read"))),
    };
    let missing = members.iter().filter(|member| member.is_none()).count();
    if missing > spare {
        return Err(wrong(format!("it can do without {spare} devices, and {missing} are missing")));
    }
    let uses_all = matches!(stated.level, -1 | 0);
    let device = |member: &Member| Device {
        bytes: member.bytes.clone(),
        start: member.start,
        valid: if uses_all { member.length } else { member.valid },
        bad: member.bad.clone(),
    };
    for member in members.iter().flatten().filter(|_| !uses_all) {
        if member.length < stated.used {
            return Err(wrong(format!("device {} is smaller than it says", member.number)));
        }
    }
    let devices = members.iter().map(|member| member.map(device)).collect();
    Ok(Array { geometry, devices, size, in_sync: stated.in_sync })
}
