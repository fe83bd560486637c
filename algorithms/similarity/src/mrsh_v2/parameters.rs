//! The method with its parameters.

/// Whether the first and the last chunk enter the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ends {
    /// They do: the reference's plain build.
    Kept,
    /// They do not, so that a fragment's digest holds only chunks of the whole: the reference's
    /// `-Dnetwork` build.
    Dropped,
}

/// The method with its parameters. Digests made with different parameters must not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MrshV2 {
    /// The reference's `b`: a chunk ends on average after this many bytes and the skip. 8 to
    /// 65,536.
    pub(crate) block_size: u32,
    /// Chunks that a filter holds. 8 to 400.
    pub(crate) maximum: u32,
    /// Chunks below which a filter is not compared. 1 to `maximum`.
    pub(crate) minimum: u32,
    pub(crate) ends: Ends,
}

impl MrshV2 {
    /// mrsh-v2 2.0: block size 160, 160 chunks per filter, no filter under 8 compared.
    pub const PLAIN: MrshV2 = MrshV2 { block_size: 160, maximum: 160, minimum: 8, ends: Ends::Kept };
    /// The same built with `-Dnetwork`.
    pub const NETWORK: MrshV2 = MrshV2 { ends: Ends::Dropped, ..MrshV2::PLAIN };

    /// Other parameters: block size 8 to 65,536, `maximum` chunks per filter 8 to 400, `minimum` to
    /// compare 1 to `maximum`. None where one is out of its range.
    pub fn with_parameters(block_size: u32, maximum: u32, minimum: u32, ends: Ends) -> Option<MrshV2> {
        let fits =
            (8..=65_536).contains(&block_size) && (8..=400).contains(&maximum) && (1..=maximum).contains(&minimum);
        fits.then_some(MrshV2 { block_size, maximum, minimum, ends })
    }

    /// Bytes that the rolling hash skips after a cut: a quarter of the block size.
    pub fn skip(&self) -> usize {
        self.block_size as usize / 4
    }
}

impl Default for MrshV2 {
    fn default() -> MrshV2 {
        MrshV2::PLAIN
    }
}
