//! Errors of Win32 that the documentation names for these calls (winerror.h).

/// ERROR_INVALID_FUNCTION: the driver does not know the control code.
pub const INVALID_FUNCTION: u32 = 1;
/// ERROR_ACCESS_DENIED: it takes an administrator, or a volume is in use.
pub const ACCESS_DENIED: u32 = 5;
/// ERROR_WRITE_PROTECT.
pub const WRITE_PROTECT: u32 = 19;
/// ERROR_NOT_READY: a drive without a medium.
pub const NOT_READY: u32 = 21;
/// ERROR_SECTOR_NOT_FOUND: a read beyond the end of a disk.
pub const SECTOR_NOT_FOUND: u32 = 27;
/// ERROR_SHARING_VIOLATION.
pub const SHARING_VIOLATION: u32 = 32;
/// ERROR_NOT_SUPPORTED.
pub const NOT_SUPPORTED: u32 = 50;
/// ERROR_INVALID_PARAMETER: also a read that is not aligned to sectors.
pub const INVALID_PARAMETER: u32 = 87;
/// ERROR_INSUFFICIENT_BUFFER: nothing fits.
pub const INSUFFICIENT_BUFFER: u32 = 122;
/// ERROR_MORE_DATA: a part of the answer fits.
pub const MORE_DATA: u32 = 234;
/// ERROR_NO_MEDIA_IN_DRIVE.
pub const NO_MEDIA_IN_DRIVE: u32 = 1112;
/// ERROR_IO_DEVICE: a sector cannot be read, say.
pub const IO_DEVICE: u32 = 1117;
/// FVE_E_LOCKED_VOLUME: BitLocker has not been given its key.
pub const LOCKED_VOLUME: u32 = 0x8031_0000;
