//! A FUSE filesystem in memory that can be written to, with faults of whole filesystems.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use tempfile::TempDir;

use crate::filesystem::{MountedFolder, regular};

const NOT_CACHED: Duration = Duration::ZERO;

/// A fault of a whole filesystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Names that differ in case alone are one.
    FoldsCase,
    /// Files cannot be synced: EINVAL.
    NoSync,
    /// No time of a file moves after it was made.
    StillTimes,
    /// The change time does not move; the modification time does.
    NoChangeTime,
    /// Reads of more than 1,000 bytes give 1,000, past the page cache.
    ShortReads,
    /// Files are one byte longer than they are stated.
    WrongSizes,
    /// Reads behind the first 64 KiB have one bit turned.
    WrongBytes,
    /// Files that are removed stay.
    Keeps,
}

#[derive(Debug)]
struct Node {
    kind: FileType,
    bytes: Vec<u8>,
    names: BTreeMap<OsString, u64>,
    mode: u16,
    mtime: SystemTime,
    ctime: SystemTime,
}

#[derive(Debug, Default)]
struct State {
    nodes: BTreeMap<u64, Node>,
    last: u64,
}

/// A filesystem that is yet to be mounted, empty, with these faults.
#[derive(Debug)]
pub struct Workplace {
    faults: Vec<Fault>,
    state: Mutex<State>,
}

impl Workplace {
    /// With these faults; honest without any.
    pub fn new(faults: &[Fault]) -> Self {
        let mut state = State::default();
        state.add(FileType::Directory);
        Workplace { faults: faults.to_vec(), state: Mutex::new(state) }
    }

    /// Mounts it in a new temporary directory.
    ///
    /// # Errors
    /// When the kernel or the machine's settings do not allow it.
    pub fn mount(self) -> io::Result<MountedFolder> {
        let room = TempDir::new()?;
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("pfh-workplace".into())];
        config.n_threads = Some(4);
        config.clone_fd = true;
        let session = fuser::spawn_mount(self, room.path(), &config)?;
        Ok(MountedFolder::of(session, room))
    }

    fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A name as it is kept.
    fn kept(&self, name: &OsStr) -> OsString {
        match name.to_str() {
            Some(text) if self.has(Fault::FoldsCase) => text.to_lowercase().into(),
            _ => name.to_owned(),
        }
    }

    fn attributes(&self, state: &State, inode: u64) -> Option<FileAttr> {
        let node = state.nodes.get(&inode)?;
        let longer = u64::from(self.has(Fault::WrongSizes) && node.kind == FileType::RegularFile);
        let size = (node.bytes.len() as u64).saturating_sub(longer);
        Some(FileAttr {
            atime: node.mtime,
            mtime: node.mtime,
            ctime: node.ctime,
            crtime: node.ctime,
            kind: node.kind,
            perm: node.mode,
            ..regular(inode, size)
        })
    }

    /// Lets the times of a file move.
    fn touch(&self, node: &mut Node) {
        let now = SystemTime::now();
        if !self.has(Fault::StillTimes) {
            node.mtime = now;
            if !self.has(Fault::NoChangeTime) {
                node.ctime = now;
            }
        }
    }

    fn make(&self, parent: INodeNo, name: &OsStr, kind: FileType) -> Result<FileAttr, Errno> {
        let (mut state, name) = (self.state(), self.kept(name));
        let names = &state.nodes.get(&parent.0).ok_or(Errno::ENOENT)?.names;
        let inode = match names.get(&name).copied() {
            Some(_) => return Err(Errno::EEXIST),
            None => state.add(kind),
        };
        state.nodes.get_mut(&parent.0).ok_or(Errno::ENOENT)?.names.insert(name, inode);
        self.attributes(&state, inode).ok_or(Errno::ENOENT)
    }

    fn remove(&self, parent: INodeNo, name: &OsStr) -> Result<(), Errno> {
        if self.has(Fault::Keeps) {
            return Err(Errno::EPERM);
        }
        let (mut state, name) = (self.state(), self.kept(name));
        let names = &mut state.nodes.get_mut(&parent.0).ok_or(Errno::ENOENT)?.names;
        let inode = names.remove(&name).ok_or(Errno::ENOENT)?;
        if state.nodes.get(&inode).is_some_and(|node| !node.names.is_empty()) {
            state.nodes.get_mut(&parent.0).ok_or(Errno::ENOENT)?.names.insert(name, inode);
            return Err(Errno::ENOTEMPTY);
        }
        // The node stays for those that have it open.
        Ok(())
    }

    fn opened(&self) -> FopenFlags {
        if self.has(Fault::ShortReads) { FopenFlags::FOPEN_DIRECT_IO } else { FopenFlags::empty() }
    }
}

impl State {
    fn add(&mut self, kind: FileType) -> u64 {
        self.last += 1;
        let now = SystemTime::now();
        let mode = if kind == FileType::Directory { 0o755 } else { 0o644 };
        let node = Node { kind, bytes: Vec::new(), names: BTreeMap::new(), mode, mtime: now, ctime: now };
        self.nodes.insert(self.last, node);
        self.last
    }
}

fn end(result: Result<(), Errno>, reply: ReplyEmpty) {
    match result {
        Ok(()) => reply.ok(),
        Err(errno) => reply.error(errno),
    }
}

impl Filesystem for Workplace {
    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let state = self.state();
        let inode = state.nodes.get(&parent.0).and_then(|node| node.names.get(&self.kept(name)).copied());
        match inode.and_then(|inode| self.attributes(&state, inode)) {
            Some(attributes) => reply.entry(&NOT_CACHED, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _handle: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(&self.state(), inode.0) {
            Some(attributes) => reply.attr(&NOT_CACHED, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        _request: &Request,
        inode: INodeNo,
        mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _handle: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut state = self.state();
        let Some(node) = state.nodes.get_mut(&inode.0) else { return reply.error(Errno::ENOENT) };
        let before = node.mtime;
        self.touch(node);
        if let Some(size) = size {
            node.bytes.resize(size as usize, 0);
        } else {
            node.mtime = before;
        }
        if let Some(mode) = mode {
            node.mode = (mode & 0o777) as u16;
        }
        match mtime {
            Some(TimeOrNow::SpecificTime(time)) if !self.has(Fault::StillTimes) => node.mtime = time,
            _ => {}
        }
        match self.attributes(&state, inode.0) {
            Some(attributes) => reply.attr(&NOT_CACHED, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _mode: u32, _umask: u32, reply: ReplyEntry) {
        match self.make(parent, name, FileType::Directory) {
            Ok(attributes) => reply.entry(&NOT_CACHED, &attributes, Generation(0)),
            Err(errno) => reply.error(errno),
        }
    }

    fn create(
        &self,
        _request: &Request,
        parent: INodeNo,
        name: &OsStr,
        _mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        match self.make(parent, name, FileType::RegularFile) {
            Ok(attributes) => {
                reply.created(&NOT_CACHED, &attributes, Generation(0), FileHandle(0), self.opened());
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn unlink(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        end(self.remove(parent, name), reply);
    }

    fn rmdir(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        end(self.remove(parent, name), reply);
    }

    fn rename(
        &self,
        _request: &Request,
        parent: INodeNo,
        name: &OsStr,
        to: INodeNo,
        new: &OsStr,
        _flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let (mut state, name, new) = (self.state(), self.kept(name), self.kept(new));
        let inode = state.nodes.get_mut(&parent.0).and_then(|node| node.names.remove(&name));
        let Some(inode) = inode else { return reply.error(Errno::ENOENT) };
        match state.nodes.get_mut(&to.0) {
            Some(node) => {
                node.names.insert(new, inode);
                reply.ok();
            }
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _request: &Request, _inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), self.opened());
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
        let state = self.state();
        let Some(node) = state.nodes.get(&inode.0) else { return reply.error(Errno::ENOENT) };
        let most = if self.has(Fault::ShortReads) { 1000 } else { size as usize };
        let from = (offset as usize).min(node.bytes.len());
        let until = from.saturating_add(most.min(size as usize)).min(node.bytes.len());
        let mut bytes = node.bytes[from..until].to_vec();
        if self.has(Fault::WrongBytes) && offset >= 64 << 10 {
            bytes.iter_mut().take(1).for_each(|byte| *byte ^= 1);
        }
        reply.data(&bytes);
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
        let mut state = self.state();
        let Some(node) = state.nodes.get_mut(&inode.0) else { return reply.error(Errno::ENOENT) };
        let (from, until) = (offset as usize, offset as usize + data.len());
        node.bytes.resize(node.bytes.len().max(until), 0);
        node.bytes[from..until].copy_from_slice(data);
        self.touch(node);
        reply.written(data.len() as u32);
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _request: &Request, _inode: INodeNo, _handle: FileHandle, _data: bool, reply: ReplyEmpty) {
        end(if self.has(Fault::NoSync) { Err(Errno::EINVAL) } else { Ok(()) }, reply);
    }

    fn fsyncdir(&self, _request: &Request, _inode: INodeNo, _handle: FileHandle, _data: bool, reply: ReplyEmpty) {
        end(if self.has(Fault::NoSync) { Err(Errno::EINVAL) } else { Ok(()) }, reply);
    }

    fn readdir(&self, _request: &Request, inode: INodeNo, _handle: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let state = self.state();
        let Some(node) = state.nodes.get(&inode.0) else { return reply.error(Errno::ENOENT) };
        for (place, (name, number)) in (1..).zip(&node.names).skip(offset as usize) {
            let kind = state.nodes.get(number).map_or(FileType::RegularFile, |node| node.kind);
            if reply.add(INodeNo(*number), place, kind, OsStr::from_bytes(name.as_bytes())) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _request: &Request, _inode: INodeNo, reply: ReplyStatfs) {
        reply.statfs(1 << 20, 1 << 19, 1 << 19, 1 << 20, 1 << 19, 4096, 255, 4096);
    }
}
