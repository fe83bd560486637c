//! macOS: the portable folder, and in its stead where Apple's calls do more: disks by the questions
//! of sys/disk.h, reads and writes past the cache, exclusive renames, free space, mounts, and
//! resource forks. Compiled and linked by `cross/macos`, and not yet run on a Mac.

mod calls;
mod disk;
mod disks;
mod files;
mod forks;
mod machine;
mod output;

pub use super::absent::confine::{confine, confinement};
pub use super::absent::device::{ata, data_from, device_of, evict, evict_range, set_direct, split_device};
pub use super::absent::machine::{bound_heaps, names_in, processors};
pub use super::absent::output::{give_name, give_name_in, is_in_memory, open_unnamed, open_unnamed_in, reserve};
pub use super::absent::{
    ring::Ring,
    waits::{Waits, thread_time},
    watch::Watcher,
};
pub use super::portable::{
    Directory, Errno, Quiet, advise_little, advise_sequential, change_times, children_time, close,
    close_standard_output, cpu_time, create_directory_in, create_in, descriptors, first_physical_offset, is_missing,
    is_rotational, is_timed, is_virtual, kernel_text, list, may_write, narrow, open_directory, open_operand_directory,
    open_to_sync, read, remove, remove_in, rename, rename_in, resemble, set_blocking, settle, stat_at, sync_filesystem,
    truncate, try_lock, wait_readable, wait_readable_for, wait_readable_once, widen,
};
pub(super) use super::portable::{open_once, wait_writable, write_once};
pub use disk::{device_number, device_size, device_words, direct_alignment, open_evidence, open_medium, sector_sizes};
pub use disks::{LISTS_DISKS, device_mounts, disk_extents, disk_volumes, disks};
pub use files::{read_at, standard_output_path, stat, stat_operand, stat_path, write_at};
pub use forks::{STREAMS, open_data, streams};
pub use machine::{host_name, system_name, user};
pub use output::{free_bytes, open_to_write, rename_new, sync};

/// Whether block devices can be acquired and written to.
pub const DEVICES: bool = true;

/// The remark on devices that were not yet tried on this system itself.
pub const UNPROVEN: Option<&str> =
    Some("pfh was not yet run on a Mac, nor tried with its disks: docs/macos.md says how to prove them here");

/// Whether [`evict`] does anything: else bytes that are read back may come from the page cache.
pub const EVICTS: bool = false;
