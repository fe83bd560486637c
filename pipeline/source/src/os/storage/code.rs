//! Control codes (winioctl.h, ntddstor.h, ntddvol.h, mountdev.h).

/// GET_LENGTH_INFORMATION: needs a handle with the right to read.
pub const DISK_GET_LENGTH_INFO: u32 = 0x0007_405c;
/// DISK_GEOMETRY_EX.
pub const DISK_GET_DRIVE_GEOMETRY_EX: u32 = 0x0007_00a0;
/// PARTITION_INFORMATION_EX.
pub const DISK_GET_PARTITION_INFO_EX: u32 = 0x0007_0048;
/// No answer but success or ERROR_WRITE_PROTECT.
pub const DISK_IS_WRITABLE: u32 = 0x0007_0024;
/// STORAGE_PROPERTY_QUERY in, a descriptor out.
pub const STORAGE_QUERY_PROPERTY: u32 = 0x002d_1400;
/// STORAGE_DEVICE_NUMBER.
pub const STORAGE_GET_DEVICE_NUMBER: u32 = 0x002d_1080;
/// No answer but success or an error on the medium; for handles without the right to read.
pub const STORAGE_CHECK_VERIFY2: u32 = 0x002d_0800;
/// VOLUME_DISK_EXTENTS.
pub const VOLUME_GET_VOLUME_DISK_EXTENTS: u32 = 0x0056_0000;
/// MOUNTDEV_NAME.
pub const MOUNTDEV_QUERY_DEVICE_NAME: u32 = 0x004d_0008;
/// No answer: the volume belongs to this handle alone.
pub const LOCK_VOLUME: u32 = 0x0009_0018;
/// No answer: the file system is taken off the volume.
pub const DISMOUNT_VOLUME: u32 = 0x0009_0020;
/// No answer: the file system checks no bounds, so that the last sectors can be read.
pub const ALLOW_EXTENDED_DASD_IO: u32 = 0x0009_0083;
