//! Windows, by handles: files, their streams and directories, disks and volumes. The effects for a
//! user are listed in docs/windows.md and docs/limitations.md.

mod ask;
mod block;
mod bytes;
mod caller;
mod console;
mod device;
mod directory;
mod ending;
mod errno;
mod facts;
mod files;
mod handle;
mod hold;
mod journal;
mod machine;
mod named;
mod output;
mod paths;
mod process;
mod streams;
mod volumes;

pub use super::absent::confine::{confine, confinement};
pub use super::absent::device::{ata, data_from, device_of, evict, evict_range, set_direct, split_device};
pub use super::absent::machine::{bound_heaps, names_in, processors};
pub use super::absent::output::{
    free_bytes, give_name, give_name_in, is_in_memory, narrow, open_unnamed, open_unnamed_in, resemble, reserve,
};
pub use super::absent::{
    ring::Ring,
    waits::{Waits, thread_time},
    watch::Watcher,
};
pub use block::{open_evidence, open_medium};
pub use bytes::{
    advise_little, advise_sequential, close, read, read_at, set_blocking, wait_readable, wait_readable_for,
    wait_readable_once, widen, write_at,
};
pub(super) use bytes::{wait_writable, write_once};
pub use caller::wait_for_caller;
pub use console::{Quiet, terminal};
pub use device::{device_number, device_size, device_words, direct_alignment, sector_sizes};
pub use directory::Directory;
pub use ending::when_console_goes;
pub use errno::{Errno, errno_of, errno_text};
pub use facts::{stat, stat_path};
pub use files::{
    change_times, count_names, descriptors, first_physical_offset, is_rotational, is_timed, is_virtual, list,
    open_directory, open_operand_directory, owner, settle, stat_at, stat_operand,
};
pub(super) use files::{open_data, open_once};
pub use hold::hold;
pub use journal::usn;
pub use machine::{
    children_time, cpu_time, host_name, inherited, kernel_text, standard_output_path, system_name, user, was_closed,
};
pub use output::{
    close_standard_output, create_directory_in, create_in, create_private, is_missing, link_to_file, may_write,
    open_to_sync, open_to_write, others_may_read, others_may_write, remove, remove_in, rename, rename_in, rename_new,
    sync, sync_filesystem, truncate, try_lock,
};
pub use process::{hand_over, start_apart};
pub use streams::{STREAMS, streams};
pub use volumes::{LISTS_DISKS, device_mounts, disk_extents, disk_volumes, disks, volume_of_drive};

/// Whether a reader can keep writers out.
pub const HOLDS: bool = true;

/// Whether a file can take the place of one that is open: on FAT, and under Wine, it cannot.
pub const REPLACES_OPEN: bool = false;

/// Whether block devices can be acquired and written to.
pub const DEVICES: bool = true;

/// The remark on devices that were not yet tried on this system itself.
pub const UNPROVEN: Option<&str> =
    Some("devices of this system were tried with simulated ones only: docs/windows.md says how to prove them here");

/// Whether [`evict`] does anything: else bytes that are read back may come from the page cache.
pub const EVICTS: bool = false;
