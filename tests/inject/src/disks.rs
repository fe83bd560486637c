//! Disks that are read and written no faster than their rates: a FUSE filesystem whose sources have
//! known bytes, and whose targets remember how much of a source was written to them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use fuser::{
    BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs,
    ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use tempfile::TempDir;

use crate::content::content;
use crate::filesystem::{MountedFolder, regular};

/// Attributes are never cached: targets grow.
const NOT_CACHED: Duration = Duration::ZERO;
/// A request that comes this long after the last one ended finds the disk as if it had never
/// stopped: the time that a program needs to ask again, and no more.
const PREPARED: Duration = Duration::from_micros(500);
/// Bytes after which those of a source repeat: a multiple of no block's length.
const PERIOD: usize = (4 << 20) + 4099;
/// The longest request of the kernel.
const LONGEST: usize = 16 << 20;
/// Bytes between the beginnings of two sources in the bytes that repeat.
const APART: u64 = 1_000_003;

/// A disk, by its use: a source that is read, or a target for a copy of a source.
#[derive(Debug, Clone)]
pub struct Disk {
    /// The name of its file.
    pub name: String,
    /// The number of the source whose bytes it has, or is to have.
    pub source: u64,
    /// Bytes.
    pub length: u64,
    /// Bytes per second.
    pub rate: f64,
    /// Whether it is a target: empty, and written.
    pub is_target: bool,
}

/// The part of a target that was written.
#[derive(Debug, Default)]
struct WrittenRanges {
    /// Beginnings and ends of ranges that do not touch.
    ranges: BTreeMap<u64, u64>,
    /// Some byte was not that of the source.
    is_other: bool,
}

impl WrittenRanges {
    fn add(&mut self, new: Range<u64>) {
        let Range { mut start, mut end } = new;
        let touching: Vec<(u64, u64)> =
            self.ranges.range(..=end).filter(|(_, upto)| **upto >= start).map(|(from, upto)| (*from, *upto)).collect();
        for (from, upto) in touching {
            self.ranges.remove(&from);
            (start, end) = (start.min(from), end.max(upto));
        }
        self.ranges.insert(start, end);
    }

    fn end(&self) -> u64 {
        self.ranges.values().max().copied().unwrap_or(0)
    }

    fn is_whole(&self, length: u64) -> bool {
        !self.is_other && (length == 0 || self.ranges.len() == 1 && self.ranges.get(&0) == Some(&length))
    }
}

type Answer = Box<dyn FnOnce() + Send>;

/// A disk in use: its requests are carried out one after the other.
struct Running {
    disk: Disk,
    queue: Sender<(usize, Answer)>,
    written: Mutex<WrittenRanges>,
}

impl Running {
    fn start(disk: Disk) -> Running {
        let (queue, requests) = channel::<(usize, Answer)>();
        let rate = disk.rate;
        // It ends when the filesystem does.
        std::thread::spawn(move || {
            let mut done = Instant::now();
            for (length, answer) in requests {
                let now = Instant::now();
                let begins = done.max(now.checked_sub(PREPARED).unwrap_or(now));
                done = begins + Duration::from_secs_f64(length as f64 / rate);
                std::thread::sleep(done.saturating_duration_since(now));
                answer();
            }
        });
        Running { disk, queue, written: Mutex::default() }
    }

    fn written(&self) -> std::sync::MutexGuard<'_, WrittenRanges> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attributes(&self, inode: u64) -> FileAttr {
        let size = if self.disk.is_target { self.written().end() } else { self.disk.length };
        FileAttr { perm: 0o644, ..regular(inode, size) }
    }

    /// Where its bytes at an offset are among those that repeat.
    fn place(&self, offset: u64) -> usize {
        ((self.disk.source * APART + offset) % PERIOD as u64) as usize
    }
}

/// Disks that are not in use yet.
pub struct Disks(Arc<Mount>);

struct Mount {
    disks: Vec<Running>,
    /// The bytes of all sources, and again their beginning, so that a request finds its bytes in
    /// one piece.
    bytes: Arc<Vec<u8>>,
}

impl Disks {
    /// These disks.
    pub fn new(disks: Vec<Disk>) -> Disks {
        let mut bytes = content(7, PERIOD as u64);
        while bytes.len() < PERIOD + LONGEST {
            let more = (PERIOD + LONGEST - bytes.len()).min(PERIOD);
            bytes.extend_from_within(..more);
        }
        Disks(Arc::new(Mount { disks: disks.into_iter().map(Running::start).collect(), bytes: Arc::new(bytes) }))
    }

    /// Mounts them as files in a new temporary directory.
    ///
    /// # Errors
    /// When the kernel or the machine's settings do not allow it.
    pub fn mount(&self) -> io::Result<MountedFolder> {
        let room = TempDir::new()?;
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("pfh-disks".into())];
        config.n_threads = Some(4);
        config.clone_fd = true;
        let session = fuser::spawn_mount(Files(self.0.clone()), room.path(), &config)?;
        Ok(MountedFolder::of(session, room))
    }

    /// The names of the targets that are whole copies; all targets are empty then.
    pub fn take_copies(&self) -> Vec<String> {
        let targets = self.0.disks.iter().filter(|running| running.disk.is_target);
        let mut names = Vec::new();
        for target in targets {
            let written = std::mem::take(&mut *target.written());
            names.extend(written.is_whole(target.disk.length).then(|| target.disk.name.clone()));
        }
        names
    }
}

/// The files of mounted disks.
struct Files(Arc<Mount>);

impl Files {
    fn disk(&self, inode: INodeNo) -> Option<&Running> {
        self.0.disks.get(usize::try_from(inode.0.checked_sub(2)?).ok()?)
    }
}

impl Filesystem for Files {
    fn lookup(&self, _request: &Request, _parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.0.disks.iter().zip(2..).find(|(running, _)| OsStr::new(&running.disk.name) == name) {
            Some((running, inode)) => reply.entry(&NOT_CACHED, &running.attributes(inode), Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        match self.disk(inode) {
            Some(running) => reply.attr(&NOT_CACHED, &running.attributes(inode.0)),
            None if inode == INodeNo::ROOT => {
                reply.attr(&NOT_CACHED, &FileAttr { kind: FileType::Directory, perm: 0o755, ..regular(1, 0) });
            }
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        _request: &Request,
        inode: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _handle: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let Some(running) = self.disk(inode) else { return reply.error(Errno::ENOENT) };
        match size {
            Some(0) if running.disk.is_target => *running.written() = WrittenRanges::default(),
            Some(size) if size != running.attributes(inode.0).size => return reply.error(Errno::EPERM),
            _ => {}
        }
        reply.attr(&NOT_CACHED, &running.attributes(inode.0));
    }

    fn open(&self, _request: &Request, _inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        // Each request of a program is one here, past the page cache.
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _request: &Request,
        inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let Some(running) = self.disk(inode) else { return reply.error(Errno::ENOENT) };
        let left = running.attributes(inode.0).size.saturating_sub(offset);
        let length = left.min(u64::from(size)) as usize;
        let (place, bytes) = (running.place(offset), self.0.bytes.clone());
        let answer = Box::new(move || reply.data(&bytes[place..place + length]));
        running.queue.send((length, answer)).expect("the disk runs as long as the filesystem");
    }

    fn write(
        &self,
        _request: &Request,
        inode: INodeNo,
        _handle: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let Some(running) = self.disk(inode).filter(|running| running.disk.is_target) else {
            return reply.error(Errno::EROFS);
        };
        let end = offset + data.len() as u64;
        if end > running.disk.length {
            return reply.error(Errno::ENOSPC);
        }
        let place = running.place(offset);
        {
            let mut written = running.written();
            written.is_other |= self.0.bytes[place..place + data.len()] != *data;
            written.add(offset..end);
        }
        let length = data.len();
        let answer = Box::new(move || reply.written(length as u32));
        running.queue.send((length, answer)).expect("the disk runs as long as the filesystem");
    }

    fn fallocate(
        &self,
        _request: &Request,
        _inode: INodeNo,
        _handle: FileHandle,
        _offset: u64,
        _length: u64,
        _mode: i32,
        reply: ReplyEmpty,
    ) {
        reply.error(Errno::EOPNOTSUPP);
    }

    fn fsync(&self, _request: &Request, _inode: INodeNo, _handle: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        // A write that was answered is on the disk.
        reply.ok();
    }

    fn statfs(&self, _request: &Request, _inode: INodeNo, reply: ReplyStatfs) {
        let blocks = 1 << 30;
        reply.statfs(blocks, blocks, blocks, 1 << 20, 1 << 20, 4096, 255, 4096);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Need, lacks};

    #[test]
    fn a_target_is_a_copy_when_all_of_it_was_written() {
        let mut written = WrittenRanges::default();
        for range in [10..20, 0..10, 30..40] {
            written.add(range);
        }
        assert!(!written.is_whole(40) && written.end() == 40);
        written.add(15..30);
        assert!(written.is_whole(40) && !written.is_whole(41));
        assert!(!WrittenRanges { is_other: true, ..written }.is_whole(40));
    }

    #[test]
    fn copies_and_their_time() {
        if lacks(&[Need::Fuse]) {
            return;
        }
        let length = 6 << 20;
        let disk = |name: &str, source, is_target| Disk { name: name.into(), source, length, rate: 60e6, is_target };
        let disks = Disks::new(vec![disk("one", 0, false), disk("other", 1, false), disk("copy", 0, true)]);
        let mounted = disks.mount().unwrap();
        let [one, other] = ["one", "other"].map(|name| std::fs::read(mounted.file(name)).unwrap());
        assert!(one.len() == length as usize && one != other);
        let begin = Instant::now();
        std::fs::write(mounted.file("copy"), &one).unwrap();
        // No faster than the rate: a lower bound holds on any machine.
        assert!(begin.elapsed().as_secs_f64() > 0.09, "{:?}", begin.elapsed());
        assert_eq!(disks.take_copies(), ["copy"]);
        assert_eq!(disks.take_copies(), [""; 0], "they are taken once");
        std::fs::write(mounted.file("copy"), &other).unwrap();
        assert_eq!(disks.take_copies(), [""; 0], "another source's bytes");
        std::fs::write(mounted.file("copy"), &one[..1000]).unwrap();
        assert_eq!(disks.take_copies(), [""; 0], "a part");
        assert!(std::fs::write(mounted.file("one"), b"x").is_err(), "a source");
    }
}
