//! A tree as storage across a network has it: each process that reads has a latency and a rate of
//! its own. Mounts DIRECTORY at PLACE, read-only, says `mounted`, and stays until its standard
//! input ends; for `bench/run cluster --only scaling`.
//!
//! Operands: DIRECTORY PLACE MILLISECONDS BYTES, the latency of an open or a read, and the bytes
//! that a process reads in a second. Nothing is cached: each read of a program is one here.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{Read, stdin};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, UNIX_EPOCH};

use fuser::{
    Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, MountOption,
    OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, Request,
};

/// Requests that wait at the same time: more than there are workers.
const THREADS: usize = 32;
/// The kernel keeps names and attributes that long: the tree does not change.
const KEPT: Duration = Duration::from_secs(3600);
/// The name of the tree's root.
const ROOT: usize = 1;

struct Storage {
    latency: Duration,
    rate: f64,
    /// The path of each inode, from 1.
    paths: RwLock<(Vec<PathBuf>, HashMap<PathBuf, usize>)>,
    open: RwLock<HashMap<u64, Arc<File>>>,
    /// When the line of each process is free again.
    lines: Mutex<HashMap<u32, Instant>>,
    /// The process of each thread.
    processes: Mutex<HashMap<u32, u32>>,
    opened: Mutex<u64>,
}

fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storage {
    fn path(&self, inode: INodeNo) -> Option<PathBuf> {
        let paths = self.paths.read().unwrap_or_else(PoisonError::into_inner);
        paths.0.get(usize::try_from(inode.0).ok()?).cloned()
    }

    fn inode(&self, path: PathBuf) -> u64 {
        let mut paths = self.paths.write().unwrap_or_else(PoisonError::into_inner);
        let next = paths.0.len();
        let inode = *paths.1.entry(path.clone()).or_insert(next);
        if inode == next {
            paths.0.push(path);
        }
        inode as u64
    }

    fn attributes(&self, path: &Path) -> Result<FileAttr, Errno> {
        let found = path.symlink_metadata().map_err(errno)?;
        Ok(attributes(self.inode(path.to_owned()), &found))
    }

    /// The process that a request is of: the kernel names its thread.
    fn process(&self, thread: u32) -> u32 {
        let find = || {
            let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
            status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok())
        };
        *held(&self.processes).entry(thread).or_insert_with(|| find().unwrap_or(thread))
    }

    /// Waits as long as the storage takes to hand that many bytes to a process: its reads share a
    /// line, their latencies overlap.
    fn wait(&self, request: &Request, bytes: usize) {
        let process = self.process(request.pid());
        let now = Instant::now();
        let free = {
            let mut lines = held(&self.lines);
            let line = lines.entry(process).or_insert(now);
            *line = now.max(*line) + Duration::from_secs_f64(bytes as f64 / self.rate);
            *line
        };
        std::thread::sleep((free + self.latency).saturating_duration_since(Instant::now()));
    }
}

fn errno(error: std::io::Error) -> Errno {
    Errno::from_i32(error.raw_os_error().unwrap_or(5))
}

fn kind(found: &std::fs::FileType) -> FileType {
    match (found.is_dir(), found.is_symlink()) {
        (true, _) => FileType::Directory,
        (_, true) => FileType::Symlink,
        _ => FileType::RegularFile,
    }
}

fn attributes(inode: u64, found: &Metadata) -> FileAttr {
    let time = |seconds: i64, nanoseconds: i64| {
        UNIX_EPOCH + Duration::new(seconds.max(0).unsigned_abs(), u32::try_from(nanoseconds).unwrap_or(0))
    };
    FileAttr {
        ino: INodeNo(inode),
        size: found.size(),
        blocks: found.blocks(),
        atime: time(found.atime(), found.atime_nsec()),
        mtime: time(found.mtime(), found.mtime_nsec()),
        ctime: time(found.ctime(), found.ctime_nsec()),
        crtime: UNIX_EPOCH,
        kind: kind(&found.file_type()),
        perm: (found.mode() & 0o7777) as u16,
        nlink: 1,
        uid: found.uid(),
        gid: found.gid(),
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

impl Filesystem for Storage {
    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let Some(parent) = self.path(parent) else { return reply.error(Errno::ENOENT) };
        match self.attributes(&parent.join(name)) {
            Ok(attributes) => reply.entry(&KEPT, &attributes, Generation(0)),
            Err(errno) => reply.error(errno),
        }
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        match self.path(inode).ok_or(Errno::ENOENT).and_then(|path| self.attributes(&path)) {
            Ok(attributes) => reply.attr(&KEPT, &attributes),
            Err(errno) => reply.error(errno),
        }
    }

    fn readlink(&self, _request: &Request, inode: INodeNo, reply: ReplyData) {
        let link = self.path(inode).ok_or(Errno::ENOENT).and_then(|path| path.read_link().map_err(errno));
        match link {
            Ok(target) => reply.data(target.as_os_str().as_bytes()),
            Err(errno) => reply.error(errno),
        }
    }

    fn open(&self, request: &Request, inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        match self.path(inode).ok_or(Errno::ENOENT).and_then(|path| File::open(path).map_err(errno)) {
            Ok(file) => {
                let handle = {
                    let mut opened = held(&self.opened);
                    *opened += 1;
                    *opened
                };
                self.open.write().unwrap_or_else(PoisonError::into_inner).insert(handle, Arc::new(file));
                self.wait(request, 0);
                reply.opened(FileHandle(handle), FopenFlags::FOPEN_DIRECT_IO);
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn release(
        &self,
        _request: &Request,
        _inode: INodeNo,
        handle: FileHandle,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&handle.0);
        reply.ok();
    }

    fn read(
        &self,
        request: &Request,
        _inode: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let file = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&handle.0).cloned();
        let Some(file) = file else { return reply.error(Errno::EBADF) };
        let mut bytes = vec![0; size as usize];
        match file.read_at(&mut bytes, offset) {
            Ok(length) => {
                self.wait(request, length);
                reply.data(&bytes[..length]);
            }
            Err(error) => reply.error(errno(error)),
        }
    }

    fn readdir(&self, _request: &Request, inode: INodeNo, _handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let Some(path) = self.path(inode) else { return reply.error(Errno::ENOENT) };
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) => return reply.error(errno(error)),
        };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for (place, entry) in (1..).zip(entries).skip(offset as usize) {
            let Ok(found) = entry.file_type() else { continue };
            if reply.add(INodeNo(self.inode(entry.path())), place, kind(&found), entry.file_name()) {
                break;
            }
        }
        reply.ok();
    }
}

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.to_str()?.parse::<f64>().ok()).filter(|n| *n > 0.0);
    let ([from, place, _, _], Some(latency), Some(rate)) = (&words[..], number(2), number(3)) else {
        eprintln!("operands: DIRECTORY PLACE MILLISECONDS BYTES");
        return ExitCode::from(2);
    };
    let root = PathBuf::from(from);
    let storage = Storage {
        latency: Duration::from_secs_f64(latency / 1e3),
        rate,
        // Inode 0 is none.
        paths: RwLock::new((vec![PathBuf::new(), root.clone()], HashMap::from([(root, ROOT)]))),
        open: RwLock::default(),
        lines: Mutex::default(),
        processes: Mutex::default(),
        opened: Mutex::default(),
    };
    let mut config = Config::default();
    config.mount_options = vec![MountOption::RO, MountOption::FSName("pfh-storage".into())];
    config.n_threads = Some(THREADS);
    config.clone_fd = true;
    match fuser::spawn_mount(storage, place, &config) {
        Ok(session) => {
            println!("mounted");
            // Until the caller closes its end, or ends.
            let _ = stdin().read_to_end(&mut Vec::new());
            drop(session);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", Path::new(place).display());
            ExitCode::FAILURE
        }
    }
}
