//! The weight of a window that many inputs hold.

/// Headers, footers and licences are in many files that have nothing else in common, and the parts
/// that a program writes into each of its documents are in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rarity {
    /// A window in more than 32 inputs counts half, in more than 64 a quarter, in more than 128
    /// an eighth.
    #[default]
    Files,
    /// A window in more than 4 documents counts a quarter, in more than 16 a sixteenth, in more
    /// than 64 a 64th.
    Documents,
    /// Each imported name counts the same: the set of common functions that a program calls
    /// distinguishes it too.
    Even,
}

impl Rarity {
    /// The weight of a window that few inputs hold.
    pub(super) const WHOLE: u32 = 64;

    /// From 0 for a window that few inputs hold to 3.
    pub fn class(self, holders: usize) -> u32 {
        let bound = |class: u32| match self {
            Rarity::Files => 32 << class,
            Rarity::Documents => 4 << (2 * class),
            Rarity::Even => usize::MAX,
        };
        (0..3).take_while(|&class| holders > bound(class)).count() as u32
    }

    /// The weight of a window of a class, in 64ths.
    pub fn weight(self, class: u32) -> u32 {
        match self {
            Rarity::Files => Rarity::WHOLE >> class,
            Rarity::Documents => Rarity::WHOLE >> (2 * class),
            Rarity::Even => Rarity::WHOLE,
        }
    }
}
