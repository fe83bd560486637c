//! Linux, through `rustix` and `io_uring`.

mod ata;
mod attributes;
mod beneath;
mod block;
mod change;
mod confine;
mod device;
mod directory;
mod extent;
mod files;
mod heap;
mod machine;
mod output;
mod quiet;
mod settle;
mod uring;
mod waits;
mod watch;

pub use ata::ata;
pub use attributes::{narrow, resemble};
pub use block::{
    data_from, device_of, device_size, direct_alignment, evict, evict_range, open_evidence, open_medium, sector_sizes,
    set_blocking, set_direct, split_device,
};
pub use change::{change_times, is_timed};
pub use confine::{confine, confinement};
pub use device::is_rotational;
pub use directory::Directory;
pub use extent::first_physical_offset;
pub use files::{
    advise_little, advise_sequential, close, descriptors, device_number, is_virtual, list, open_directory,
    open_operand_directory, read, read_at, stat, stat_at, stat_operand, stat_path, wait_readable, wait_readable_for,
    wait_readable_once, widen,
};
pub(super) use files::{open_data, open_once, wait_writable, write_once};
pub use heap::bound_heaps;
pub use machine::{cpu_time, kernel_text, names_in, processors, system_name};
pub use output::{
    close_standard_output, create_directory_in, create_in, free_bytes, give_name, give_name_in, is_in_memory,
    is_missing, may_write, open_to_sync, open_to_write, open_unnamed, open_unnamed_in, remove, remove_in, rename,
    rename_in, rename_new, reserve, sync, sync_filesystem, truncate, try_lock, write_at,
};
pub use quiet::Quiet;
pub use rustix::io::Errno;
pub use settle::settle;
pub use uring::Ring;
pub use waits::{Waits, children_time, thread_time};
pub use watch::Watcher;

/// Whether block devices can be acquired and written to.
pub const DEVICES: bool = true;

/// The remark on devices that were not yet tried on this system itself.
pub const UNPROVEN: Option<&str> = None;

/// Whether [`evict`] does anything: else bytes that are read back may come from the page cache.
pub const EVICTS: bool = true;
