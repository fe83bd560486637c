//! Sets of functions.

/// A set of functions, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set(pub(super) u8);

impl Set {
    /// MD5.
    pub const MD5: Set = Set(1);
    /// SHA-1.
    pub const SHA1: Set = Set(2);
    /// SHA-256 or SHA-224.
    pub const SHA256: Set = Set(4);
    /// SHA-512 or one that differs from it by its initial state and output.
    pub const SHA512: Set = Set(8);
    /// All four.
    pub const ALL: Set = Set(15);

    /// The functions of both.
    pub const fn and(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    /// The functions of this one that are not in the other.
    pub const fn without(self, other: Set) -> Set {
        Set(self.0 & !other.0)
    }

    /// Whether each function of the other is in this one.
    pub const fn has(self, other: Set) -> bool {
        self.0 & other.0 == other.0
    }

    /// Number of functions.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no function in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each set: of none, one, some or all functions.
    pub fn every() -> impl Iterator<Item = Set> {
        (0..=Set::ALL.0).map(Set)
    }

    /// Its functions, each as a set.
    pub fn each(self) -> impl Iterator<Item = Set> {
        [Set::MD5, Set::SHA1, Set::SHA256, Set::SHA512].into_iter().filter(move |one| self.has(*one))
    }
}
