//! Disks, opened for reading: their contents and hidden parts. Each on a thread of its own, since
//! one that is dying may never answer.

use super::content::{self, Part};
use super::row::{Content, Disk, Partition};
use pfh_engine::Control;
use pfh_source::device::hidden::HiddenParts;
use pfh_source::device::{Access, Medium};
use pfh_source::os::names::OsStrExt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long all disks together may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks at the control.
const LOOK: Duration = Duration::from_millis(50);

/// Buses whose disks answer ATA commands, perhaps.
const ATA: &[&str] = &["ata", "usb", "sas", "scsi"];

/// The answer of a disk.
struct DiskAnswer {
    hidden: Option<HiddenParts>,
    table: &'static str,
    parts: Vec<Part>,
    /// The contents of the whole disk, if it has no partitions.
    whole: Content,
    /// The contents of the partitions, by their start.
    held: Vec<(u64, Content)>,
}

/// Opens all disks and enters their contents; false if the control cancelled it.
pub(super) fn all(disks: &mut [Disk], control: &Control<'_>) -> bool {
    let (send, answers) = mpsc::channel();
    let mut threads: Vec<Option<JoinHandle<()>>> = Vec::new();
    for (at, disk) in disks.iter().enumerate() {
        let (send, disk) = (send.clone(), disk.clone());
        let work = move || {
            pfh_source::fail_point("disks");
            // Nobody waits any more for a disk that answers too late.
            let _ = send.send((at, probe(&disk)));
        };
        threads.push(std::thread::Builder::new().name(format!("disk {at}")).spawn(work).ok());
    }
    drop(send);
    let (until, mut answered) = (Instant::now() + PATIENCE, vec![false; disks.len()]);
    while Instant::now() < until {
        if control.is_cancelled() {
            return false;
        }
        match answers.recv_timeout(LOOK) {
            Ok((at, found)) => {
                answered[at] = true;
                enter(&mut disks[at], found);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    for (at, thread) in threads.into_iter().enumerate() {
        match thread {
            Some(thread) if answered[at] || thread.is_finished() => {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
            Some(_) => unread(&mut disks[at], &format!("it did not answer within {} s", PATIENCE.as_secs())),
            None => unread(&mut disks[at], "the system gives no further thread"),
        }
    }
    true
}

/// Asks one disk.
fn probe(disk: &Disk) -> Result<DiskAnswer, Content> {
    let medium = Medium::open(disk.path.as_os_str().as_bytes(), Access::Cached).map_err(|problem| {
        if problem.code() == "ENOMEDIUM" { Content::NoMedium } else { Content::Unread(problem.cause.to_string()) }
    })?;
    let hidden = if ATA.contains(&disk.bus.as_str()) { medium.hidden() } else { None };
    let bytes = content::shared(medium);
    let (table, parts) = content::table(&bytes).map_err(Content::Unread)?;
    let mut places: Vec<(u64, u64)> = parts.iter().map(|part| (part.start, part.size)).collect();
    places.extend(disk.partitions.iter().map(|part| (part.start, part.size)));
    places.sort_unstable();
    places.dedup_by_key(|(start, _)| *start);
    let whole = match places.is_empty() {
        true => content::content(&bytes, 0, bytes.size()),
        false => Content::Unknown,
    };
    let held = places.into_iter().map(|(start, size)| (start, content::content(&bytes, start, size))).collect();
    Ok(DiskAnswer { hidden, table, parts, whole, held })
}

/// Enters the answer of a disk.
fn enter(disk: &mut Disk, found: Result<DiskAnswer, Content>) {
    let found = match found {
        Ok(found) => found,
        Err(Content::Unread(cause)) => return unread(disk, &cause),
        Err(other) => {
            disk.content = other;
            return;
        }
    };
    disk.hidden = found.hidden;
    if !found.table.is_empty() {
        found.table.clone_into(&mut disk.table);
    }
    for part in found.parts {
        let known = disk.partitions.iter().position(|known| known.start == part.start);
        let known = known.unwrap_or_else(|| {
            let (number, start, size) = (part.number, part.start, part.size);
            disk.partitions.push(Partition { number, start, size, ..Partition::default() });
            disk.partitions.len() - 1
        });
        let known = &mut disk.partitions[known];
        (known.kind, known.label) = (part.kind, part.label);
        // Calls do not state the number of a volume's partition.
        if known.number == 0 {
            known.number = part.number;
        }
    }
    disk.partitions.sort_by_key(|part| (part.start, part.number));
    for (start, content) in found.held {
        for part in disk.partitions.iter_mut().filter(|part| part.start == start) {
            part.content = better(&part.content, content.clone());
        }
    }
    disk.content = match disk.partitions.is_empty() {
        true => better(&disk.content, found.whole),
        false => Content::Partitions,
    };
}

/// Contents that were read go before those that udev recorded, unless they say less.
fn better(recorded: &Content, read: Content) -> Content {
    match (&read, recorded) {
        (Content::Unknown, Content::FileSystem { .. } | Content::Encrypted(_) | Content::Other(_)) => recorded.clone(),
        _ => read,
    }
}

/// Enters that a disk was not read; the contents that udev recorded stay.
fn unread(disk: &mut Disk, cause: &str) {
    let contents = disk.partitions.iter_mut().map(|part| &mut part.content);
    for content in contents.chain(std::iter::once(&mut disk.content)) {
        if matches!(content, Content::Unasked | Content::Unknown) {
            *content = Content::Unread(cause.to_owned());
        }
    }
}
