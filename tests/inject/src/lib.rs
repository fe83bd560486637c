//! Ways to make a program fail, for tests that know the program only by running it.
//!
//! - [`Files`]: a FUSE filesystem of files that misbehave in stated ways: errors in a range, short
//!   reads, sizes that lie, stalls, changes while being read, directories of millions of names.
//! - [`Workplace`]: a FUSE filesystem to be written to, with faults of whole filesystems.
//! - [`Latency`]: a device that answers several reads at a time; [`Files::after`] puts files on
//!   one.
//! - [`Spindle`]: the cost of reads from a rotating disk; [`Files::on`] puts files on one.
//! - [`Disks`]: sources and targets that are read and written no faster than their rates.
//! - [`Trial`]: one bounded run of a program: time limit, output, exit code, peak memory.
//! - [`Injection`]: an errno at the N-th call of a system call, through strace.
//! - [`Allocations`]: memory that cannot be had at the N-th allocation.
//! - [`Loop`], [`Zram`], [`Tmpfs`]: block devices and file systems that a test makes for itself.
//! - [`executable`]: a program that a test makes and runs.
//! - [`Browser`]: a page in Chromium, in bounded time; [`Tab`]: one that stays open.
//! - [`Recording`]: the writes and syncs of a program, and the states that a power cut may leave of
//!   it.
//! - [`content`], [`random`], [`families`]: bytes of a seed, and files that are alike;
//!   [`digest_by`], [`sha256_of`]: the digests that other programs find.
//! - [`lacks`]: the injections of a test that this machine does not allow. Such a test says
//!   `skipped: …`; with `PFH_REQUIRE_INJECTORS` in the environment (CI) it fails instead.
//!
//! On Windows there are the bytes, [`Trial`] and [`lacks`] alone.
#![forbid(unsafe_code)]

#[cfg(unix)]
mod allocations;
#[cfg(unix)]
mod answers;
#[cfg(unix)]
mod browser;
mod content;
#[cfg(unix)]
mod device;
#[cfg(unix)]
mod disks;
mod errno;
#[cfg(unix)]
mod executable;
#[cfg(unix)]
mod filesystem;
#[cfg(unix)]
mod latency;
mod need;
mod oracle;
#[cfg(unix)]
mod powercut;
#[cfg(unix)]
mod spindle;
#[cfg(unix)]
mod tab;
mod trial;
#[cfg(unix)]
mod workplace;

#[cfg(unix)]
pub use allocations::Allocations;
#[cfg(unix)]
pub use browser::Browser;
pub use content::{content, families, random};
#[cfg(unix)]
pub use device::{Loop, Tmpfs, Zram};
#[cfg(unix)]
pub use disks::{Disk, Disks};
pub use errno::Injection;
#[cfg(unix)]
pub use executable::executable;
#[cfg(unix)]
pub use filesystem::{File, Files, MountedFolder};
#[cfg(unix)]
pub use fuser::Errno;
#[cfg(unix)]
pub use latency::Latency;
pub use need::{Need, lacks};
pub use oracle::{digest_by, sha256_of};
#[cfg(unix)]
pub use powercut::Recording;
#[cfg(unix)]
pub use spindle::Spindle;
#[cfg(unix)]
pub use tab::Tab;
pub use trial::{Outcome, Trial};
#[cfg(unix)]
pub use workplace::{Fault, Workplace};

/// How many changed copies of an image or archive a test tries: 300, or as `PFH_MUTANTS` says.
pub fn mutants() -> u64 {
    std::env::var("PFH_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}
