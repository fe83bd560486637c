//! The limits of files, of pictures and of contrast.

/// The largest file that is decoded, in bytes: it is in memory meanwhile.
pub const LARGEST: u64 = 64 << 20;
/// The most pixels of a picture that is decoded: they are in memory meanwhile, with up to six bytes
/// each.
pub const MOST_PIXELS: u64 = 1 << 26;
/// A picture with less contrast than this, in PDQ's measure of 0 to 100, has no digest: all such
/// pictures are alike.
pub const LEAST_QUALITY: u32 = 50;
