//! The numbers of the method.

/// Bytes of a window.
pub const WINDOW: usize = 32;
/// The level of ordinary inputs: one window in 2^5 is kept.
pub const LEVEL: u8 = 5;
/// The coarsest level: the name of a window has six bits for it.
pub const COARSEST: u8 = 63;
/// Bytes up to which an input is so short that all windows are kept.
pub const SHORT: u64 = 128;
/// Windows of an input at most; a longer one has a coarser level.
pub const MOST: usize = 1 << 16;
/// Windows without which two inputs score nothing, and without which one input has no digest worth
/// comparing.
pub const LEAST_SHARED: u64 = 5;
/// Characters of a string, at least: shorter ones are mostly code that happens to be printable.
pub const LEAST_STRING: usize = 6;
/// Bytes of an executable, at least: the header of Mach-O with 32 bits.
pub const LEAST_HEADER: u64 = 28;
/// Different bytes in a window, at least: runs of zeros and other fillings say nothing.
pub const LEAST_DISTINCT: u32 = 4;

/// The level of an input of this length that has not too many windows: from 0, up to
/// [`LEVEL`], one for each doubling of [`SHORT`].
pub const fn least_level(length: u64) -> u8 {
    let mut level = 0;
    while level < LEVEL && length > SHORT << level {
        level += 1;
    }
    level
}
