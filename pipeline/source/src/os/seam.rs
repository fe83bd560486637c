//! The seam between the program and the system, at which a test plays a world: it sees each call
//! before it is made, and lets it pass, shortens it or refuses it.
//!
//! Only `linux` asks, and only in builds with debug assertions. In all others nothing of it is
//! compiled: a call passes whole.

use super::handles::BorrowedFd;
use super::platform::Errno;
use std::sync::Arc;
use std::time::Duration;

/// The kind of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A file or directory is opened for reading.
    Open,
    /// The metadata of a file are asked for.
    Stat,
    /// The next name of a directory is asked for.
    List,
    /// Bytes are read.
    Read,
    /// A file is opened for writing, or made.
    Create,
    /// Bytes are written.
    Write,
    /// Written bytes, or the names of a directory, are to be on the medium.
    Sync,
    /// A file without a name gets one.
    Name,
    /// A name takes the place of another.
    Rename,
    /// A name is removed.
    Remove,
    /// A file gets another length.
    Truncate,
    /// A file is locked.
    Lock,
}

/// A call that is about to be made.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Call<'a> {
    /// Its kind.
    pub kind: Kind,
    /// The open file; of a call with a name the directory in which relative names start, if it is
    /// not the working directory.
    pub file: Option<BorrowedFd<'a>>,
    /// The name. Empty for a call on the open file itself.
    pub name: &'a [u8],
    /// The offset in bytes, where the call has one.
    pub offset: Option<u64>,
    /// The bytes that are to be written; empty for all other calls.
    pub bytes: &'a [u8],
}

/// The answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It is made.
    Pass,
    /// It is made for this many bytes at most, and for at least one.
    Short(usize),
    /// It fails with this error number, and is not made.
    Fail(i32),
}

/// A test's world around the jobs of this process.
pub trait World: Send + Sync {
    /// Takes part in a call. Any thread may ask, several at a time.
    fn answer(&self, call: &Call<'_>) -> Answer;

    /// The next number that the program draws; `None` leaves it to chance.
    fn number(&self) -> Option<u64> {
        None
    }

    /// The time since 1970 by the world's clock; `None` leaves it to the system.
    fn clock(&self) -> Option<Duration> {
        None
    }
}

/// Puts this world around all jobs of the process, in place of the one before; `None` is the system
/// itself. In builds without debug assertions it does nothing.
pub fn play(world: Option<Arc<dyn World>>) {
    #[cfg(debug_assertions)]
    played::play(world);
    #[cfg(not(debug_assertions))]
    drop(world);
}

/// Whether a world that is [played](play) is asked, on this system and in this build.
pub fn is_played() -> bool {
    cfg!(all(target_os = "linux", not(feature = "portable-os"), debug_assertions))
}

/// Asks the world about a call on an open file.
#[inline]
#[allow(dead_code, reason = "linux alone asks")]
pub(super) fn on(kind: Kind, file: BorrowedFd<'_>) -> Result<(), Errno> {
    ask(&Call { kind, file: Some(file), name: b"", offset: None, bytes: b"" }, 0).map(drop)
}

/// Asks the world about a call on a name, in this directory or else in the working directory.
#[inline]
#[allow(dead_code, reason = "linux alone asks")]
pub(super) fn named(kind: Kind, file: Option<BorrowedFd<'_>>, name: &[u8]) -> Result<(), Errno> {
    ask(&Call { kind, file, name, offset: None, bytes: b"" }, 0).map(drop)
}

/// Asks the world about a read of so much room; how much of it may be filled.
#[inline]
#[allow(dead_code, reason = "linux alone asks")]
pub(super) fn reads(file: BorrowedFd<'_>, room: usize, offset: Option<u64>) -> Result<usize, Errno> {
    ask(&Call { kind: Kind::Read, file: Some(file), name: b"", offset, bytes: b"" }, room)
}

/// Asks the world about a write; how many of the bytes may be written.
#[inline]
#[allow(dead_code, reason = "linux alone asks")]
pub(super) fn writes(file: BorrowedFd<'_>, bytes: &[u8], offset: Option<u64>) -> Result<usize, Errno> {
    ask(&Call { kind: Kind::Write, file: Some(file), name: b"", offset, bytes }, bytes.len())
}

/// The number that the world draws, if there is one.
#[inline]
pub(super) fn number() -> Option<u64> {
    #[cfg(debug_assertions)]
    return played::world()?.number();
    #[cfg(not(debug_assertions))]
    None
}

/// The time by the world's clock, if it has one.
#[inline]
pub(super) fn clock() -> Option<Duration> {
    #[cfg(debug_assertions)]
    return played::world()?.clock();
    #[cfg(not(debug_assertions))]
    None
}

#[inline]
fn ask(call: &Call<'_>, length: usize) -> Result<usize, Errno> {
    #[cfg(debug_assertions)]
    return played::ask(call, length);
    #[cfg(not(debug_assertions))]
    {
        let _ = call;
        Ok(length)
    }
}

#[cfg(debug_assertions)]
mod played {
    use super::{Answer, Call, World};
    use crate::os::Errno;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, PoisonError, RwLock};

    /// Whether there is a world, so that all other tests pay for one load.
    static IS_THERE: AtomicBool = AtomicBool::new(false);
    static WORLD: RwLock<Option<Arc<dyn World>>> = RwLock::new(None);

    pub fn play(world: Option<Arc<dyn World>>) {
        let mut place = WORLD.write().unwrap_or_else(PoisonError::into_inner);
        IS_THERE.store(world.is_some(), Ordering::SeqCst);
        *place = world;
    }

    pub fn world() -> Option<Arc<dyn World>> {
        if !IS_THERE.load(Ordering::SeqCst) {
            return None;
        }
        WORLD.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn ask(call: &Call<'_>, length: usize) -> Result<usize, Errno> {
        match world().map_or(Answer::Pass, |world| world.answer(call)) {
            Answer::Pass => Ok(length),
            Answer::Short(most) => Ok(length.min(most.max(1))),
            Answer::Fail(number) => Err(Errno::from_raw_os_error(number)),
        }
    }
}
