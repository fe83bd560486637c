//! A read-only FUSE filesystem, one directory deep, whose files misbehave as set.

use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEntry, ReplyOpen, Request,
};
use tempfile::TempDir;

use crate::answers::Answers;
use crate::content::{byte, content};
use crate::{Latency, Spindle};

/// Attributes are never cached: a file's attributes may change from call to call.
const NOT_CACHED: Duration = Duration::ZERO;

/// The directory of invented names, and its first file; real files are numbered from 2 on.
const NAMES_DIRECTORY: u64 = 1 << 40;

/// Bytes of each file in the directory of invented names.
const NAMED_FILE_BYTES: u64 = 16;

/// One file, honest until it is set otherwise: its bytes are [`content`]`(seed, length)`, or those
/// that it was given.
#[derive(Debug)]
pub struct File {
    name: Vec<u8>,
    seed: u64,
    length: u64,
    held: Option<Vec<u8>>,
    later: Option<Vec<u8>>,
    later_errno: Option<Errno>,
    touched: bool,
    flips: Option<u64>,
    opens: AtomicU64,
    stated: Option<u64>,
    errors: Vec<(Range<u64>, Errno, Option<u64>)>,
    most: usize,
    grows: u64,
    rewritten: bool,
    stall: Option<(u64, Duration)>,
    cached: bool,
    failures: AtomicU64,
    looks: AtomicU64,
}

impl File {
    /// An honest file of `length` bytes.
    pub fn new(name: impl AsRef<[u8]>, length: u64) -> Self {
        let name = name.as_ref().to_vec();
        let seed = name.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &letter| {
            (hash ^ u64::from(letter)).wrapping_mul(0x0100_0000_01B3)
        });
        File {
            name,
            seed,
            length,
            held: None,
            later: None,
            later_errno: None,
            touched: false,
            flips: None,
            opens: AtomicU64::new(0),
            stated: None,
            errors: Vec::new(),
            most: usize::MAX,
            grows: 0,
            rewritten: false,
            stall: None,
            cached: false,
            failures: AtomicU64::new(0),
            looks: AtomicU64::new(0),
        }
    }

    /// An honest file of these bytes.
    pub fn of(name: impl AsRef<[u8]>, bytes: Vec<u8>) -> Self {
        File { held: Some(bytes.clone()), ..File::new(name, bytes.len() as u64) }
    }

    /// From the second time on that it is opened, it has these bytes, which are as many.
    pub fn then(mut self, bytes: Vec<u8>) -> Self {
        assert_eq!(bytes.len() as u64, self.length, "no look at its size tells it");
        self.later = Some(bytes);
        self
    }

    /// From the second time on that it is opened, no byte of it can be read.
    pub fn then_fails(mut self, errno: Errno) -> Self {
        self.later_errno = Some(errno);
        self
    }

    /// The first read of the byte at `offset` gives it with one bit turned, as a bad cable does.
    pub fn flips_once(mut self, offset: u64) -> Self {
        self.flips = Some(offset);
        self
    }

    /// From the second time on that it is opened, its change time is another.
    pub fn then_touched(mut self) -> Self {
        self.touched = true;
        self
    }

    /// The bytes of an honest read of the whole file.
    pub fn bytes(&self) -> Vec<u8> {
        self.held.clone().unwrap_or_else(|| content(self.seed, self.length))
    }

    /// Its size as `stat` states it, at any length.
    pub fn states(mut self, size: u64) -> Self {
        self.stated = Some(size);
        self
    }

    /// Reading any byte of the range fails, each time.
    pub fn fails_in(mut self, range: Range<u64>, errno: Errno) -> Self {
        self.errors.push((range, errno, None));
        self
    }

    /// Reading the byte at `offset` fails `times` times, then works.
    pub fn fails_at_first(mut self, offset: u64, errno: Errno, times: u64) -> Self {
        self.errors.push((offset..offset + 1, errno, Some(times)));
        self
    }

    /// No read gives more than `most` bytes.
    pub fn reads_of(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Each look at its attributes finds it `bytes` longer, with another change time; the length
    /// read stays.
    pub fn grows(mut self, bytes: u64) -> Self {
        self.grows = bytes;
        self
    }

    /// Each look at its attributes finds another change time (ctime); size and modification time
    /// stay.
    pub fn is_rewritten(mut self) -> Self {
        self.rewritten = true;
        self
    }

    /// A read of the byte at `offset` takes `time`.
    pub fn stalls_at(mut self, offset: u64, time: Duration) -> Self {
        self.stall = Some((offset, time));
        self
    }

    /// Reads go through the page cache and its read-ahead; else each read of the program is one
    /// read here (`direct_io`).
    pub fn cached(mut self) -> Self {
        self.cached = true;
        self
    }

    /// The same, with its bytes in memory: they cost no processor time when they are read.
    pub fn held(mut self) -> Self {
        self.held = Some(self.bytes());
        self
    }

    fn attributes(&self, inode: u64) -> FileAttr {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let touched = self.touched && self.opens.load(Ordering::Relaxed) > 1;
        let changed = if self.rewritten || self.grows > 0 { look } else { u64::from(touched) };
        let size = self.stated.unwrap_or(self.length) + look * self.grows;
        let mut attributes = regular(inode, size);
        attributes.ctime = day(1) + Duration::from_micros(changed);
        if self.grows > 0 {
            attributes.mtime = attributes.ctime;
        }
        attributes
    }

    /// The result of a read of `size` bytes at `offset`: bytes up to the first error, or that error
    /// when it is first.
    fn read(&self, answers: &Answers, opening: u64, offset: u64, size: usize) -> Result<Vec<u8>, Errno> {
        if let Some(errno) = self.later_errno.filter(|_| opening > 0) {
            return Err(errno);
        }
        let mut end = self.length.min(offset.saturating_add(size.min(self.most) as u64));
        if let Some((_, time)) = self.stall.filter(|(at, _)| (offset..end).contains(at)) {
            answers.stall(time);
        }
        for (range, errno, times) in &self.errors {
            // An error may lie at the end of the file, where a read asks for bytes beyond it.
            let asked = offset..offset.saturating_add(size as u64);
            if range.start >= asked.end || range.end <= asked.start {
                continue;
            }
            // Where the page cache asks, a short answer would mean the end of the file: the whole
            // request fails.
            if range.start > offset && !self.cached {
                end = end.min(range.start);
            } else if times.is_none_or(|times| self.failures.fetch_add(1, Ordering::Relaxed) < times) {
                return Err(*errno);
            }
        }
        let range = offset..end.max(offset);
        let mut bytes = match self.later.as_ref().filter(|_| opening > 0).or(self.held.as_ref()) {
            Some(bytes) => bytes[range.start.min(self.length) as usize..range.end.min(self.length) as usize].to_vec(),
            None => range.clone().map(|at| byte(self.seed, at)).collect(),
        };
        if let Some(at) = self.flips.filter(|at| range.contains(at))
            && self.failures.fetch_add(1, Ordering::Relaxed) == 0
        {
            bytes[(at - range.start) as usize] ^= 0x10;
        }
        Ok(bytes)
    }
}

/// The files of a filesystem that is yet to be mounted.
#[derive(Debug, Default)]
pub struct Files {
    files: Vec<File>,
    names: u64,
    disk: Option<Mutex<Spindle>>,
    latency: Option<Latency>,
    /// Where each file begins on the disk.
    places: Vec<u64>,
    answers: Arc<Answers>,
}

impl Files {
    /// No files.
    pub fn new() -> Self {
        Files::default()
    }

    /// One more file in the root directory.
    pub fn with(mut self, file: File) -> Self {
        self.files.push(file);
        self
    }

    /// A directory `names` of this many files of 16 bytes, which takes no storage at all.
    pub fn with_names(mut self, count: u64) -> Self {
        self.names = count;
        self
    }

    /// On a rotating disk, each at a place of its own that depends on its name alone: files of an
    /// old disk lie in no order. Each read takes as long as the disk takes, one after the other.
    pub fn on(mut self, disk: Spindle, size: u64) -> Self {
        let free = |file: &File| size.saturating_sub(file.length).max(1);
        self.places = self.files.iter().map(|file| file.seed % free(file)).collect();
        self.disk = Some(Mutex::new(disk));
        self
    }

    /// On a device that takes the same time for each read, and several at a time.
    pub fn after(mut self, latency: Latency) -> Self {
        self.latency = Some(latency);
        self
    }

    /// Takes the time that the device takes.
    fn charge(&self, inode: INodeNo, offset: u64, length: usize) {
        if let Some(latency) = &self.latency {
            latency.pass();
        }
        let place = inode.0.checked_sub(2).and_then(|number| self.places.get(number as usize));
        let (Some(disk), Some(place)) = (&self.disk, place) else { return };
        // Held meanwhile: there is one head.
        let mut disk = disk.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = disk.charge(place + offset, length as u64);
        std::thread::sleep(cost);
    }

    /// Mounts them in a new temporary directory.
    ///
    /// # Errors
    /// When the kernel or the machine's settings do not allow it.
    pub fn mount(self) -> io::Result<MountedFolder> {
        let room = TempDir::new()?;
        let mut config = Config::default();
        config.mount_options = vec![MountOption::RO, MountOption::FSName("pfh-inject".into())];
        // One stalled read must not keep the other files from being read.
        config.n_threads = Some(self.latency.as_ref().map_or(4, Latency::most));
        config.clone_fd = true;
        let answers = self.answers.clone();
        let session = fuser::spawn_mount(self, room.path(), &config)?;
        Ok(MountedFolder { session: Some(session), room: Some(room), answers })
    }

    fn file(&self, inode: INodeNo) -> Option<&File> {
        self.files.get(usize::try_from(inode.0.checked_sub(2)?).ok()?)
    }

    fn find(&self, parent: INodeNo, name: &OsStr) -> Option<FileAttr> {
        if parent == INodeNo::ROOT {
            if self.names > 0 && name == "names" {
                return Some(directory(NAMES_DIRECTORY));
            }
            let place = self.files.iter().position(|file| file.name == name.as_bytes())?;
            return Some(self.files[place].attributes(place as u64 + 2));
        }
        if parent.0 != NAMES_DIRECTORY {
            return None;
        }
        let number: u64 = name.to_str()?.strip_prefix('f')?.parse().ok()?;
        (number < self.names).then(|| regular(NAMES_DIRECTORY + 1 + number, NAMED_FILE_BYTES))
    }

    fn attributes(&self, inode: INodeNo) -> Option<FileAttr> {
        match inode.0 {
            1 | NAMES_DIRECTORY => Some(directory(inode.0)),
            number if number > NAMES_DIRECTORY => Some(regular(number, NAMED_FILE_BYTES)),
            number => self.file(inode).map(|file| file.attributes(number)),
        }
    }
}

/// Midnight of a day after 1 January 2020, UTC: times in this filesystem do not depend on when it
/// runs.
fn day(number: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_577_836_800 + number * 86_400)
}

pub(crate) fn regular(inode: u64, size: u64) -> FileAttr {
    FileAttr {
        ino: INodeNo(inode),
        size,
        blocks: size.div_ceil(512),
        atime: day(0),
        mtime: day(0),
        ctime: day(1),
        crtime: day(0),
        kind: FileType::RegularFile,
        perm: 0o444,
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

fn directory(inode: u64) -> FileAttr {
    FileAttr { kind: FileType::Directory, perm: 0o755, nlink: 2, ..regular(inode, 0) }
}

impl Filesystem for Files {
    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        match self.find(parent, name) {
            Some(attributes) => reply.entry(&NOT_CACHED, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(inode) {
            Some(attributes) => reply.attr(&NOT_CACHED, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _request: &Request, inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        let cached = self.file(inode).is_some_and(|file| file.cached);
        let opening = self.file(inode).map_or(0, |file| file.opens.fetch_add(1, Ordering::Relaxed));
        reply.opened(FileHandle(opening), if cached { FopenFlags::empty() } else { FopenFlags::FOPEN_DIRECT_IO });
    }

    fn read(
        &self,
        _request: &Request,
        inode: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        if inode.0 > NAMES_DIRECTORY {
            let bytes: Vec<u8> =
                (offset..NAMED_FILE_BYTES.min(offset + u64::from(size))).map(|at| byte(inode.0, at)).collect();
            return reply.data(&bytes);
        }
        let _due = self.answers.due();
        match self.file(inode).map(|file| file.read(&self.answers, handle.0, offset, size as usize)) {
            Some(Ok(bytes)) => {
                self.charge(inode, offset, bytes.len());
                reply.data(&bytes);
            }
            Some(Err(errno)) => reply.error(errno),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn readdir(&self, _request: &Request, inode: INodeNo, _handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        if inode.0 == NAMES_DIRECTORY {
            for number in offset..self.names {
                let inode = INodeNo(NAMES_DIRECTORY + 1 + number);
                if reply.add(inode, number + 1, FileType::RegularFile, format!("f{number:09}")) {
                    break;
                }
            }
            return reply.ok();
        }
        let names = (self.names > 0).then_some((NAMES_DIRECTORY, FileType::Directory, &b"names"[..]));
        let files = (2..).zip(&self.files).map(|(number, file)| (number, FileType::RegularFile, &file.name[..]));
        for (place, (number, kind, name)) in (1..).zip(names.into_iter().chain(files)).skip(offset as usize) {
            if reply.add(INodeNo(number), place, kind, OsStr::from_bytes(name)) {
                break;
            }
        }
        reply.ok();
    }
}

/// A mounted filesystem; unmounted when dropped, even while somebody still reads in it.
#[derive(Debug)]
pub struct MountedFolder {
    session: Option<BackgroundSession>,
    room: Option<TempDir>,
    answers: Arc<Answers>,
}

impl MountedFolder {
    /// Another filesystem of this crate.
    pub(crate) fn of(session: BackgroundSession, room: TempDir) -> MountedFolder {
        MountedFolder { session: Some(session), room: Some(room), answers: Arc::default() }
    }

    /// The mount point.
    pub fn path(&self) -> &Path {
        self.room.as_ref().expect("present until dropped").path()
    }

    /// The path of one of its files.
    pub fn file(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path().join(Path::new(name.as_ref()))
    }
}

impl Drop for MountedFolder {
    fn drop(&mut self) {
        // Lazily first: an orderly unmount would wait for, or fail on, a reader that hangs.
        if let Some(room) = &self.room {
            let _ = std::process::Command::new("umount")
                .arg("-l")
                .arg(room.path())
                .stderr(std::process::Stdio::null())
                .status();
        }
        self.answers.end();
        drop(self.session.take());
        if let Some(room) = self.room.take() {
            // Never recursively: had the unmount failed, that would descend into a filesystem.
            let path = room.keep();
            let _ = std::fs::remove_dir(path);
        }
    }
}
