//! Every system call of the project, in one folder per platform. `unsafe` is allowed only here.
//!
//! `linux` uses the calls of Linux, `windows` those of Windows; `portable` uses the standard
//! library and POSIX, and is taken on every other system, and on Linux with the feature
//! `portable-os`, so that it is tested. `macos` is `portable` with Apple's own calls where they do
//! more. All have the same functions: the one list below names them.
//! The limits of the other folders are listed in docs/limitations.md. `names`, `handles`,
//! `positioned` and `file_kinds` stand for `std::os::unix` and `std::os::fd` in the rest of the
//! project. Nothing outside of this folder asks which of the folders it has, except by [`DEVICES`],
//! [`UNPROVEN`], [`LISTS_DISKS`] and [`EVICTS`].

#[cfg(not(all(target_os = "linux", not(feature = "portable-os"))))]
#[cfg_attr(target_os = "macos", allow(dead_code, reason = "macos has its own in place of some"))]
mod absent;
#[cfg(any(windows, test))]
mod answers;
mod beside;
#[cfg(unix)]
mod caller;
mod change_times;
pub mod clock;
mod command;
mod confinement;
#[cfg(any(target_os = "macos", test))]
mod dkio;
#[cfg(unix)]
mod errno;
pub mod file_kinds;
mod file_type;
pub mod handles;
mod hidden;
mod hold;
mod how;
pub mod names;
mod notice;
#[cfg(unix)]
mod of_windows;
mod open;
#[cfg(unix)]
mod overdue;
mod patience;
mod patient;
pub mod positioned;
#[cfg(unix)]
mod process;
#[cfg(not(all(target_os = "linux", not(feature = "portable-os"))))]
mod resolve;
#[cfg(unix)]
mod rights;
pub mod seam;
mod secret;
#[cfg(unix)]
mod standard;
#[cfg(all(unix, not(target_os = "macos")))]
mod stated;
pub mod storage;
mod unique;

#[cfg(all(target_os = "linux", not(feature = "portable-os")))]
mod linux;
#[cfg(all(target_os = "linux", not(feature = "portable-os")))]
use linux as platform;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as platform;

#[cfg(not(any(windows, all(target_os = "linux", not(feature = "portable-os")))))]
#[cfg_attr(target_os = "macos", allow(dead_code, unused_imports, reason = "macos has its own in place of some"))]
mod portable;
#[cfg(not(any(windows, target_os = "macos", all(target_os = "linux", not(feature = "portable-os")))))]
use portable as platform;

#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as platform;

pub use beside::SideStream;
#[cfg(unix)]
pub use caller::wait_for_caller;
pub use change_times::ChangeTimes;
pub use command::{Command, Reply};
pub use confinement::Confinement;
#[cfg(unix)]
use errno::terminal;
#[cfg(unix)]
pub use errno::{errno_of, errno_text};
pub use file_type::{FileType, file_type};
pub use hidden::{TypedAnswer, ask_hidden};
pub use hold::VolumeLocks;
pub use how::OpenMode;
pub use notice::Notice;
#[cfg(unix)]
pub use of_windows::{HOLDS, REPLACES_OPEN, hold, usn, volume_of_drive};
pub use open::open_file;
#[cfg(unix)]
pub use overdue::end_when_overdue;
pub use patience::{Patience, patience, retry, set_patience};
pub use patient::{Patient, broken, open_document, write};
#[cfg(windows)]
use platform::terminal;
#[cfg(windows)]
pub use platform::{
    HOLDS, LISTS_DISKS, REPLACES_OPEN, STREAMS, count_names, create_private, device_mounts, device_words, disk_extents,
    disk_volumes, disks, errno_of, errno_text, hand_over, hold, host_name, inherited, link_to_file, others_may_read,
    others_may_write, owner, standard_output_path, start_apart, streams, user, usn, volume_of_drive, wait_for_caller,
    was_closed, when_console_goes,
};
#[cfg(target_os = "macos")]
pub use platform::{
    LISTS_DISKS, STREAMS, device_mounts, device_words, disk_extents, disk_volumes, disks, host_name,
    standard_output_path, streams, user,
};
#[cfg(unix)]
pub use process::{hand_over, start_apart};
#[cfg(unix)]
pub use rights::{count_names, create_private, link_to_file, others_may_read, others_may_write, owner};
pub use secret::secret;
#[cfg(unix)]
pub use standard::{inherited, was_closed};
#[cfg(all(unix, not(target_os = "macos")))]
pub use stated::{
    LISTS_DISKS, STREAMS, device_mounts, device_words, disk_extents, disk_volumes, disks, host_name,
    standard_output_path, streams, user,
};
pub use unique::unique;
// Capabilities and errors.
pub use platform::{DEVICES, EVICTS, Errno, UNPROVEN};
// Walking and reading.
pub use platform::{
    Directory, Ring, advise_little, advise_sequential, change_times, close, descriptors, device_number,
    first_physical_offset, is_rotational, is_timed, is_virtual, list, open_directory, open_operand_directory, read,
    read_at, settle, stat, stat_at, stat_operand, stat_path, wait_readable, wait_readable_for, wait_readable_once,
    widen,
};
// Watching.
pub use platform::Watcher;
// Media and their caches.
pub use platform::{
    ata, data_from, device_of, device_size, direct_alignment, evict, evict_range, open_evidence, open_medium,
    sector_sizes, set_blocking, set_direct, split_device,
};
// Writing.
pub use platform::{
    close_standard_output, create_directory_in, create_in, free_bytes, give_name, give_name_in, is_in_memory,
    is_missing, may_write, narrow, open_to_sync, open_to_write, open_unnamed, open_unnamed_in, remove, remove_in,
    rename, rename_in, rename_new, resemble, reserve, sync, sync_filesystem, truncate, try_lock, write_at,
};
// The machine and this process.
pub use platform::{
    Waits, bound_heaps, children_time, confine, confinement, cpu_time, kernel_text, names_in, processors, system_name,
    thread_time,
};
