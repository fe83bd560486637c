//! The method's modes and measures.

/// The shortest input with a digest, in bytes.
pub const MINIMUM_LENGTH: u64 = 512;

/// From this length in bytes on, the reference uses block mode by default.
pub const REFERENCE_STREAM_LIMIT: u64 = 16 << 20;

/// Bytes of a window, and of a feature.
pub(crate) const WINDOW: usize = 64;
/// Elements of a filter in stream mode and in block mode.
pub(super) const STREAM_ELEMENTS: u32 = 160;
pub(super) const BLOCK_ELEMENTS: u32 = 192;

/// The method in one of its modes. Digests of different modes can be compared, as the reference
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sdhash {
    /// Bytes of a block; none in stream mode.
    pub(crate) block: Option<u32>,
}

impl Sdhash {
    /// Stream mode, `sdbf:03`: the reference's choice below 16 MiB, and its `-b 0` for all lengths.
    pub const STREAM: Sdhash = Sdhash { block: None };
    /// Block mode with 16 KiB, `sdbf-dd:03`: the reference's choice from 16 MiB on, and its `-b
    /// 16`.
    pub const BLOCKS: Sdhash = Sdhash { block: Some(16 << 10) };

    /// Block mode with this many KiB, 1 to 16: the reference's `-b`.
    pub fn with_blocks(kib: u32) -> Option<Sdhash> {
        (1..=16).contains(&kib).then_some(Sdhash { block: Some(kib << 10) })
    }

    /// The mode that the reference uses for an input of this length in bytes. (Beyond 128 MiB, it
    /// also cuts the input into segments of that length and makes a digest of each: see
    /// [`Digest::into_segments`](super::Digest::into_segments).)
    pub fn of_reference(length: u64) -> Sdhash {
        if length < REFERENCE_STREAM_LIMIT { Sdhash::STREAM } else { Sdhash::BLOCKS }
    }
}
