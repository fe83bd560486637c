//! Which bytes of two sides a comparison covers.

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The part under verification.
    This,
    /// The side that it is compared with.
    Other,
}

/// In which bytes of an image offsets count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Space {
    /// Those of the imaged medium.
    #[default]
    Content,
    /// Those of the image's files, one after the other.
    Files,
}

/// A range that could not be read, by the offset on its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// On which side.
    pub side: Side,
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
}

/// A range that only one side has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alone {
    /// Which side.
    pub side: Side,
    /// Where it starts there, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// The evidence that states that this part is outside of the comparison; `None` if there is
    /// none.
    pub stated: Option<String>,
}

/// Which bytes of two sides a comparison covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// In which bytes of this side its offsets count.
    pub space: Space,
    /// Bytes of both sides, as far as they are known.
    pub sizes: (u64, Option<u64>),
    /// The compared ranges, as (offset, length) on this side.
    pub compared: Vec<(u64, u64)>,
    /// Ranges that could not be read.
    pub unread: Vec<Unread>,
    /// Ranges that only one side has.
    pub alone: Vec<Alone>,
}

impl Coverage {
    /// All of `size` bytes of the imaged medium, without a part that only one side has.
    pub fn whole(size: u64) -> Self {
        Coverage { sizes: (size, None), compared: vec![(0, size)], ..Coverage::default() }
    }

    /// Ranges of this side that are accounted for.
    pub(super) fn ours(&self) -> impl Iterator<Item = (u64, u64)> {
        let stated = self.alone.iter().filter(|alone| alone.side == Side::This && alone.stated.is_some());
        self.compared.iter().copied().chain(stated.map(|alone| (alone.offset, alone.length)))
    }

    /// Open points, one sentence each. `with` is the name of the other side.
    pub fn gaps(&self, with: &str) -> Vec<String> {
        let mut all = Vec::new();
        for side in [Side::This, Side::Other] {
            let name = if side == Side::This { "the image" } else { with };
            let longer: u64 =
                self.alone.iter().filter(|one| one.side == side && one.stated.is_none()).map(|one| one.length).sum();
            let other = if side == Side::This { with } else { "the image" };
            if longer > 0 {
                all.push(format!("{name} is {longer} bytes longer than {other}"));
            }
            let unread: u64 = self.unread.iter().filter(|one| one.side == side).map(|one| one.length).sum();
            if unread > 0 {
                all.push(format!("{unread} bytes of {name} are unreadable"));
            }
        }
        all
    }
}
