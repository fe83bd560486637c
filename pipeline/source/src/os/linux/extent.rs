//! Where a file's first byte lies on its medium (FIEMAP), for reading rotational disks in one
//! sweep.

use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, ioctl};
use std::ffi::c_void;
use std::os::fd::AsFd;

/// `struct fiemap` with room for one `struct fiemap_extent` (linux/fiemap.h).
#[repr(C)]
#[derive(Default)]
struct Fiemap {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    logical: u64,
    physical: u64,
    extent_length: u64,
    reserved64: [u64; 2],
    extent_flags: u32,
    reserved32: [u32; 3],
}

/// FS_IOC_FIEMAP = _IOWR('f', 11, struct fiemap), whose size without extents is 32.
const FS_IOC_FIEMAP: Opcode = rustix::ioctl::opcode::read_write::<[u8; 32]>(b'f', 11);

struct MapFirst(Fiemap);

// SAFETY: the opcode is FIEMAP's, the pointer is to a Fiemap whose extent_count (1) matches the
// room behind it, and the kernel writes no more than that.
unsafe impl Ioctl for MapFirst {
    type Output = Option<u64>;
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        FS_IOC_FIEMAP
    }

    fn as_ptr(&mut self) -> *mut c_void {
        (&raw mut self.0).cast()
    }

    unsafe fn output_from_ptr(_: IoctlOutput, pointer: *mut c_void) -> Result<Self::Output, Errno> {
        // SAFETY: the pointer is the one from as_ptr, still borrowed by the caller.
        let map = unsafe { &*pointer.cast::<Fiemap>() };
        Ok((map.mapped_extents > 0).then_some(map.physical))
    }
}

/// The physical offset in bytes of the file's first extent; `None` where the file has none (empty,
/// inline) or the file system cannot say.
pub fn first_physical_offset(fd: impl AsFd) -> Option<u64> {
    let ask = MapFirst(Fiemap { length: u64::MAX, extent_count: 1, ..Fiemap::default() });
    // SAFETY: MapFirst upholds the ioctl's contract, see its impl.
    unsafe { ioctl(fd, ask) }.ok().flatten()
}
