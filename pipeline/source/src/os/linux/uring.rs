//! io_uring: many opens, or many reads, with one system call and at the same time.
//!
//! Every function here waits for all that it has submitted before it returns, so that the kernel
//! only ever writes to memory that the caller has lent for that time.

use super::files::{DATA, NO_NOATIME, NO_OPENAT2, PIECE, below, resolve};
use crate::base::Base;
use io_uring::{IoUring, Probe, opcode, squeue, types};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::ffi::CString;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often a call that fails for a passing reason is made again before the ring is given up for
/// plain calls.
const SHORT: u32 = 50;
/// Between two looks at a ring that the kernel does not resume, while it holds memory of ours.
const LOST: Duration = Duration::from_millis(100);

/// A ring of one thread.
pub struct Ring {
    ring: IoUring,
    broken: bool,
}

impl Ring {
    /// Most requests at once.
    pub const WIDTH: usize = 16;

    /// A ring, where the kernel has io_uring, lets this process use it, and knows the requests that
    /// are made here. It is to be used by the thread that makes it.
    pub fn new() -> Option<Ring> {
        let entries = Self::WIDTH as u32;
        // One thread only, completions when it asks for them: fewer interruptions (kernel 6.1);
        // older ones do without.
        let ring = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(entries);
        let ring = ring.or_else(|_| IoUring::new(entries)).ok()?;
        let mut probe = Probe::new();
        ring.submitter().register_probe(&mut probe).ok()?;
        let known = probe.is_supported(opcode::OpenAt2::CODE) && probe.is_supported(opcode::Read::CODE);
        known.then_some(Ring { ring, broken: false })
    }

    /// Whether the kernel has refused to resume it. Nothing is asked of such a ring any more:
    /// everything is to be tried again with plain calls.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Opens files below their bases for reading, under the rules of
    /// [`open_file`](crate::os::open_file). `None` says only that it did not work here; `open_file`
    /// is to be asked again and finds out why.
    pub fn open(&mut self, files: &[(&Base, &[u8])]) -> Vec<Option<OwnedFd>> {
        let mut opened: Vec<Option<OwnedFd>> = files.iter().map(|_| None).collect();
        if self.broken || NO_OPENAT2.load(Ordering::Relaxed) {
            return opened;
        }
        let atime = if NO_NOATIME.load(Ordering::Relaxed) { OFlags::empty() } else { OFlags::NOATIME };
        let asked: Vec<_> = files
            .iter()
            .enumerate()
            .filter(|(_, (_, path))| path.len() <= PIECE)
            .filter_map(|(at, &(base, path))| {
                let (directory, links, last) = below(base);
                let how =
                    types::OpenHow::new().flags(u64::from((DATA | last | atime).bits())).resolve(resolve(links).bits());
                Some((at, directory.as_raw_fd(), CString::new(path).ok()?, how))
            })
            .collect();
        let requests = asked.iter().map(|(at, directory, path, how)| {
            let open = opcode::OpenAt2::new(types::Fd(*directory), path.as_ptr(), how);
            open.build().user_data(*at as u64)
        });
        // SAFETY: paths and flags are in `asked`, the directories in `files`; both outlive the
        // call.
        unsafe {
            self.perform(requests, |at, result| {
                if let (Some(slot), 0..) = (opened.get_mut(at), result) {
                    // SAFETY: the kernel has just made this descriptor for us, and nobody else
                    // knows it.
                    *slot = Some(OwnedFd::from_raw_fd(result));
                }
            });
        }
        opened
    }

    /// Reads each file at its offset into its buffer. `None`: nothing was read here, and reading is
    /// to be tried again by `read_at`. The position of a file is not used: a FUSE file system with
    /// direct I/O moves it late, and the next read would bring the same bytes again.
    pub fn read(&mut self, jobs: &mut [(BorrowedFd<'_>, u64, &mut [u8])]) -> Vec<Option<Result<usize, Errno>>> {
        let mut results = vec![None; jobs.len()];
        let requests = jobs.iter_mut().enumerate().map(|(at, (file, offset, buffer))| {
            let length = buffer.len().min(1 << 30) as u32;
            let read = opcode::Read::new(types::Fd(file.as_raw_fd()), buffer.as_mut_ptr(), length);
            read.offset(*offset).build().user_data(at as u64)
        });
        // SAFETY: each buffer is borrowed mutably and alone by its job, and outlives the call, as
        // do the files.
        unsafe {
            self.perform(requests, |at, result| {
                if let Some(slot) = results.get_mut(at) {
                    *slot = match result {
                        0.. => Some(Ok(result as usize)),
                        // EAGAIN: a file system that cannot read without blocking, and O_NONBLOCK
                        // forbids the rest.
                        _ => Some(Err(Errno::from_raw_os_error(-result)))
                            .filter(|r| !matches!(r, Err(Errno::AGAIN | Errno::INTR | Errno::CANCELED | Errno::INVAL))),
                    };
                }
            });
        }
        results
    }

    /// Submits requests, as many at once as the ring holds, and waits for the last of them.
    ///
    /// # Safety
    /// The memory that the requests point to must stay valid, and the memory that they write to
    /// must be used by nobody else, until this function returns. It does not unwind as long as
    /// `requests` and `done` do not.
    unsafe fn perform(&mut self, requests: impl Iterator<Item = squeue::Entry>, mut done: impl FnMut(usize, i32)) {
        let mut requests = requests.peekable();
        let mut under_way = 0;
        let mut short = 0;
        while !self.broken {
            while under_way < Self::WIDTH
                && let Some(request) = requests.peek()
            {
                // SAFETY: the caller vouches for the memory that the request points to.
                if unsafe { self.ring.submission().push(request) }.is_err() {
                    break;
                }
                requests.next();
                under_way += 1;
            }
            if under_way == 0 {
                return;
            }
            if let Err(error) = self.ring.submit_and_wait(under_way) {
                // Interrupted, short of memory, or completions wait to be taken: all of that may
                // pass.
                let errno = error.raw_os_error().map(Errno::from_raw_os_error);
                let passes =
                    matches!(errno, Some(Errno::INTR | Errno::AGAIN | Errno::BUSY | Errno::NOMEM | Errno::NOBUFS));
                short += 1;
                let goes_on = passes && short < SHORT;
                if goes_on && short > 3 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                // The kernel does not know of requests that it has not taken from the queue, and
                // never will: the ring is not entered again.
                let unknown = self.ring.submission().len();
                if !goes_on && unknown >= under_way {
                    self.broken = true;
                    return;
                }
                if !goes_on {
                    // The kernel may still write to memory that cannot be taken back from it: the
                    // memory stays lent until it is done. The thread that watches this one takes it
                    // for lost, and others read the entries that it had in hand.
                    std::thread::sleep(LOST);
                }
            }
            for completion in self.ring.completion() {
                done(completion.user_data() as usize, completion.result());
                under_way -= 1;
            }
        }
    }
}
