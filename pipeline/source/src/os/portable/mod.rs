//! Any system with the standard library's `std::os::unix` and POSIX: paths in place of descriptors
//! for directories, no rings, no advice to caches, no devices. The effects for a user are listed in
//! docs/limitations.md.

mod attributes;
mod block;
mod directory;
mod errno;
mod files;
mod machine;
mod output;
mod quiet;

pub use super::absent::confine::{confine, confinement};
pub use super::absent::device::{ata, data_from, device_of, evict, evict_range, set_direct, split_device};
pub use super::absent::machine::{bound_heaps, names_in, processors};
pub use super::absent::output::{
    free_bytes, give_name, give_name_in, is_in_memory, open_unnamed, open_unnamed_in, reserve,
};
pub use super::absent::{
    ring::Ring,
    waits::{Waits, thread_time},
    watch::Watcher,
};
pub use attributes::{narrow, resemble};
pub use block::{device_number, device_size, direct_alignment, open_evidence, open_medium, sector_sizes, set_blocking};
pub use directory::Directory;
pub use errno::Errno;
pub use files::{
    advise_little, advise_sequential, change_times, close, descriptors, first_physical_offset, is_rotational, is_timed,
    is_virtual, list, open_directory, open_operand_directory, read, read_at, settle, stat, stat_at, stat_operand,
    stat_path, wait_readable, wait_readable_for, wait_readable_once, widen,
};
pub(super) use files::{open_data, open_once, wait_writable, write_once};
pub use machine::{children_time, cpu_time, kernel_text, system_name};
pub use output::{
    close_standard_output, create_directory_in, create_in, is_missing, may_write, open_to_sync, open_to_write, remove,
    remove_in, rename, rename_in, rename_new, sync, sync_filesystem, truncate, try_lock, write_at,
};
pub use quiet::Quiet;

/// Whether block devices can be acquired and written to.
pub const DEVICES: bool = false;

/// The remark on devices that were not yet tried on this system itself.
pub const UNPROVEN: Option<&str> = None;

/// Whether [`evict`] does anything: else bytes that are read back may come from the page cache.
pub const EVICTS: bool = false;
