//! The weight of a window that many inputs hold.

/// Headers, footers and licences are in many files that have nothing else in common, and the parts
/// that a program writes into each of its documents are in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rarity {
    /// A window in more than 32 inputs counts half, in more than 64 a quarter, in more than 128
    /// an eighth.
    #[default]
    Files,
    /// Of all methods at once: a window in more than 3 inputs counts an eighth, in more than 12 a
    /// 32nd, in more than 48 a 256th, and one that [programs write](super::is_template) into
    /// every file of theirs nothing.
    Related,
    /// Each imported name counts the same: the set of common functions that a program calls
    /// distinguishes it too.
    Even,
}

impl Rarity {
    /// The weight of a window that few inputs hold.
    pub(super) const WHOLE: u32 = 256;

    /// From 0 for a window that few inputs hold to 3.
    pub fn class(self, holders: usize) -> u32 {
        let bound = |class: u32| match self {
            Rarity::Files => 32 << class,
            Rarity::Related => 3 << (2 * class),
            Rarity::Even => usize::MAX,
        };
        (0..3).take_while(|&class| holders > bound(class)).count() as u32
    }

    /// Whether windows of templates count nothing.
    pub fn has_templates(self) -> bool {
        self == Rarity::Related
    }

    /// The weight of a window of a class, in 256ths.
    pub fn weight(self, class: u32) -> u32 {
        match self {
            Rarity::Files => Rarity::WHOLE >> class,
            Rarity::Related => Rarity::WHOLE >> [0, 3, 5, 8][class as usize],
            Rarity::Even => Rarity::WHOLE,
        }
    }
}
