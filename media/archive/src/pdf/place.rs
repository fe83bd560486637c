//! Where objects are.

/// Where an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At this offset.
    At(u64),
    /// In the stream of objects of this number.
    Within(u32),
}

impl Place {
    /// Its offset, if it has one of its own.
    pub fn offset(self) -> Option<u64> {
        if let Place::At(offset) = self { Some(offset) } else { None }
    }
}

/// An object by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The number.
    pub number: u32,
    /// Where it is.
    pub place: Place,
}
