//! How often unrelated files reach a score: measured over real files, by their kind and size.
//!
//! `bench/run calibrate` makes the table from packages of Debian and office files. Two files are
//! unrelated if neither holds 1 % of the other's windows; two programs must also come from two
//! source packages. The methods `shingles` and `text` score bytes that both files really hold, and
//! have no such table.

mod kind;
mod table;

pub use kind::{Chance, Kind};

use crate::{MethodName, Score};
use table::{Class, TABLE};

/// Pairs that a class needs: of fewer the next wider one is taken.
const ENOUGH: u64 = 20_000;

impl Chance {
    /// The chance of a score between unrelated files of these kinds, the smaller of them of this
    /// size in bytes. Where kinds or size are not known, any count. `None` for methods that have no
    /// table, and for scores that are not in it.
    pub fn of(method: MethodName, kinds: Option<[Kind; 2]>, smaller: Option<u64>, score: Score) -> Option<Chance> {
        let own = kinds.map(|[a, b]| if a == b { Class::of(a) } else { Class::Mixed });
        let size = smaller.map(table::size);
        let wider = [(own, size), (own, None), (None, size), (None, None)];
        let rows = wider.iter().filter_map(|(kind, size)| TABLE.find(method, *kind, *size));
        let row = rows.min_by_key(|row| row.pairs < ENOUGH)?;
        row.chance(score)
    }

    /// The chance that one of several methods reaches such a score, at most.
    pub fn of_several(self, methods: u64) -> Chance {
        Chance { once_in: (self.once_in / methods.max(1)).max(1), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound_and_answers() {
        assert!(TABLE.rows().count() > 50);
        for row in TABLE.rows() {
            assert!(row.pairs > 0 && row.steps.iter().all(|(_, count)| *count <= row.pairs), "{row:?}");
            assert!(row.steps.is_sorted_by(|x, y| x.1 <= y.1) && !row.steps.is_empty(), "{row:?}");
        }
        for (method, likely, rare) in [
            (MethodName::Sdhash, Score::Similarity(11), Score::Similarity(60)),
            (MethodName::Tlsh, Score::Distance(110), Score::Distance(40)),
            (MethodName::MrshV2, Score::Similarity(2), Score::Similarity(50)),
        ] {
            let [likely, rare] = [likely, rare].map(|score| Chance::of(method, None, None, score).unwrap());
            assert!(likely.once_in < rare.once_in, "{method:?} {likely:?} {rare:?}");
        }
        assert!(
            Chance::of(MethodName::Strings, Some([Kind::Program; 2]), None, Score::Similarity(40)).unwrap().is_bound
        );
        // A better score is not more frequent.
        for kind in [Kind::Program, Kind::Text, Kind::Picture, Kind::Other] {
            let chances: Vec<_> = (10..=100)
                .map(|score| {
                    Chance::of(MethodName::Sdhash, Some([kind; 2]), Some(9_000), Score::Similarity(score)).unwrap()
                })
                .collect();
            assert!(chances.is_sorted_by_key(|chance| chance.once_in), "{chances:?}");
        }
        assert_eq!(Chance::of(MethodName::Shingles, None, None, Score::Similarity(50)), None);
        assert_eq!(Chance::of(MethodName::Sdhash, None, None, Score::Distance(5)), None);
        // Worse than all scores in the table: nobody knows.
        assert_eq!(Chance::of(MethodName::Tlsh, None, None, Score::Distance(400)), None);
        assert_eq!(Chance { once_in: 1_000, is_bound: false }.of_several(4).once_in, 250);
    }
}
