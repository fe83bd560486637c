//! Facts about the content of one file, which was read or comes from a list.

use pfh_digest::Digest;
use pfh_engine::{HashedFile, Piece};
use pfh_manifest::Times;
use pfh_source::{Note, Time};

/// Facts about the content of one file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The size in bytes.
    pub size: Option<u64>,
    /// Digests of the whole.
    pub digests: &'a [Digest],
    /// A bit for each digest whose algorithm is a guess by its length, lowest first.
    pub guessed: u64,
    /// Digests of windows.
    pub pieces: &'a [Piece],
    /// Timestamps.
    pub times: Times,
    /// In which steps the times are kept, in nanoseconds; 0 where only the times tell.
    pub grain: u32,
    /// Whether the file was read for this comparison: a digest or a window that is not here is not
    /// of the file. A list may just not have it.
    pub read: bool,
    /// Whether its file system keeps no change times.
    pub untimed: bool,
    /// Whether they are of a list that contradicts itself about this file.
    pub contradictory: bool,
}

impl<'a> From<&'a HashedFile> for Facts<'a> {
    fn from(hashed: &'a HashedFile) -> Self {
        Facts {
            size: Some(hashed.closed.size),
            digests: &hashed.digests,
            pieces: &hashed.pieces,
            times: Times::of(&hashed.closed),
            read: true,
            untimed: hashed.closed.notes.contains(&Note::Untimed),
            ..Facts::default()
        }
    }
}

/// Steps in which file systems and formats keep times, in nanoseconds: FAT and formats of whole
/// seconds, milliseconds and microseconds of archives and networks, the 100 ns of NTFS.
const GRAINS: [u32; 5] = [1_000_000_000, 1_000_000, 1_000, 100, 1];

/// The largest step that a time is a whole number of.
pub fn grain_of(time: Time) -> u32 {
    let is_whole =
        |grain: &u32| *grain == 1_000_000_000 && time.nanoseconds == 0 || time.nanoseconds.is_multiple_of(*grain);
    GRAINS.into_iter().find(is_whole).unwrap_or(1)
}

/// Two times of one file, each with the step in which its side keeps times (0: the time tells).
#[derive(Debug, Clone, Copy)]
pub struct Instants {
    one: (Time, u32),
    other: (Time, u32),
}

impl Instants {
    /// Two times, where both are known.
    pub fn new(one: (Option<Time>, u32), other: (Option<Time>, u32)) -> Option<Instants> {
        Some(Instants { one: (one.0?, one.1), other: (other.0?, other.1) })
    }

    /// The step that they are compared in, in nanoseconds: the larger of the two sides'.
    pub fn grain(&self) -> u32 {
        let of = |(time, grain): (Time, u32)| if grain == 0 { grain_of(time) } else { grain };
        of(self.one).max(of(self.other))
    }

    /// Whether both are the same in that step.
    pub fn are_same(&self) -> bool {
        let (one, other) = (self.one.0, self.other.0);
        let grain = self.grain();
        one.seconds == other.seconds && one.nanoseconds / grain == other.nanoseconds / grain
    }

    /// The step, where the two are the same in it alone.
    pub fn cut(&self) -> Option<&'static str> {
        (self.are_same() && self.one.0 != self.other.0).then(|| match self.grain() {
            1_000_000_000 => "whole seconds",
            1_000_000 => "milliseconds",
            1_000 => "microseconds",
            _ => "steps of 100 ns",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_in_the_coarser_step() {
        let time = |nanoseconds| Some(Time { seconds: 7, nanoseconds });
        let cut = |one, other, grain| {
            let both = Instants::new((time(one), grain), (time(other), 0)).unwrap();
            (both.are_same(), both.cut())
        };
        assert_eq!(cut(29_917_810, 29_917_810, 0), (true, None));
        assert_eq!(cut(29_917_810, 29_917_800, 0), (true, Some("steps of 100 ns")));
        assert_eq!(cut(29_917_810, 29_917_000, 0), (true, Some("microseconds")));
        assert_eq!(cut(29_917_810, 29_000_000, 0), (true, Some("milliseconds")));
        assert_eq!(cut(29_917_810, 0, 0), (true, Some("whole seconds")));
        assert_eq!(cut(29_917_810, 29_918_000, 0), (false, None));
        // A list with fractions elsewhere means its whole second; a file system may have cut.
        assert_eq!(cut(0, 700_000_001, 0), (true, Some("whole seconds")));
        assert_eq!(cut(0, 700_000_001, 1), (false, None));
        assert!(Instants::new((None, 0), (time(1), 0)).is_none());
    }
}
