//! Names of the pieces of a split raw image.

/// How pieces are numbered: the part behind the last dot of the name that the user gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Suffix {
    /// `000`, `001`, … (dc3dd's `ofs=image.000`).
    #[default]
    Digits,
    /// `001`, `002`, … (dc3dd's `ofs=image.111`): what FTK Imager and most readers expect first.
    DigitsFromOne,
    /// `aaa`, `aab`, … (`split`, dcfldd, dc3dd's `ofs=image.aaa`).
    Letters,
}

impl Suffix {
    /// The suffix of piece `number` (from 0), of at least `width` places. Numbers grow by a place
    /// when they must; letters cannot, and `None` says that they are used up.
    pub fn of(self, number: u64, width: usize) -> Option<String> {
        match self {
            Suffix::Digits => Some(format!("{number:0width$}")),
            Suffix::DigitsFromOne => Some(format!("{:0width$}", number + 1)),
            Suffix::Letters => {
                let mut rest = number;
                let mut letters = vec![b'a'; width];
                for place in letters.iter_mut().rev() {
                    *place += (rest % 26) as u8;
                    rest /= 26;
                }
                (rest == 0).then(|| letters.into_iter().map(char::from).collect())
            }
        }
    }

    /// The same where names must sort in their order, as `cat NAME.*` takes them: `None` where the
    /// number needs more than `width` places.
    pub fn within(self, number: u64, width: usize) -> Option<String> {
        self.of(number, width).filter(|suffix| suffix.len() == width)
    }

    /// Places that the names of `pieces` pieces need, and at least `width`; letters are not
    /// widened.
    pub fn widened(self, pieces: u64, width: usize) -> usize {
        let last = pieces.saturating_sub(1);
        self.of(last, width).map_or(width, |suffix| suffix.len().max(width))
    }

    /// Whether these bytes are the suffix of some piece, of at least `width` places.
    pub fn is_one(self, suffix: &[u8], width: usize) -> bool {
        match self {
            // Numbers grow, but a date is not a number of a piece.
            Suffix::Digits | Suffix::DigitsFromOne => {
                (width..=width + 2).contains(&suffix.len()) && suffix.iter().all(u8::is_ascii_digit)
            }
            Suffix::Letters => suffix.len() == width && suffix.iter().all(u8::is_ascii_lowercase),
        }
    }

    /// The number of the piece (from 0) whose suffix these bytes are, in `width` places.
    pub fn number(self, suffix: &[u8], width: usize) -> Option<u64> {
        if !self.is_one(suffix, width) || suffix.len() != width {
            return None;
        }
        let (base, zero, first) = match self {
            Suffix::Digits => (10, b'0', 0),
            Suffix::DigitsFromOne => (10, b'0', 1),
            Suffix::Letters => (26, b'a', 0),
        };
        let value = suffix
            .iter()
            .try_fold(0_u64, |value, byte| value.checked_mul(base)?.checked_add(u64::from(byte.checked_sub(zero)?)));
        value?.checked_sub(first)
    }

    /// Reads a pattern of dc3dd: `000` (two zeros or more), `111`, `aaa`. Gives the kind and the
    /// width. One place is refused: `.0`, `.1` and `.a` are endings of other files as well,
    /// and are read as pieces only where their sizes are those of a set.
    pub fn parse(pattern: &str) -> Option<(Suffix, usize)> {
        let first = pattern.bytes().next()?;
        let kind = match first {
            b'0' => Suffix::Digits,
            b'1' => Suffix::DigitsFromOne,
            b'a' => Suffix::Letters,
            _ => return None,
        };
        (pattern.len() > 1 && pattern.bytes().all(|b| b == first)).then_some((kind, pattern.len()))
    }
}

/// Cuts a range of an image (offset and length in bytes) at multiples of `piece`: (number of the
/// piece, offset in it, length).
pub fn cut(offset: u64, length: u64, piece: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    let end = offset + length;
    let mut at = offset;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let (number, inside) = (at / piece, at % piece);
        let take = (piece - inside).min(end - at);
        at += take;
        Some((number, inside, take))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn suffixes() {
        let three = |kind: Suffix, number| kind.of(number, 3);
        assert_eq!(three(Suffix::Digits, 7).as_deref(), Some("007"));
        assert_eq!(three(Suffix::DigitsFromOne, 7).as_deref(), Some("008"));
        assert_eq!(three(Suffix::Digits, 1000).as_deref(), Some("1000"));
        assert_eq!(three(Suffix::Letters, 27).as_deref(), Some("abb"));
        assert_eq!(three(Suffix::Letters, 26 * 26 * 26 - 1).as_deref(), Some("zzz"));
        assert_eq!(three(Suffix::Letters, 26 * 26 * 26), None);
        assert_eq!((Suffix::Digits.within(999, 3).as_deref(), Suffix::Digits.within(1000, 3)), (Some("999"), None));
        let widths = [(Suffix::Digits, 1000), (Suffix::Digits, 1001), (Suffix::DigitsFromOne, 1000)];
        assert_eq!(widths.map(|(kind, pieces)| kind.widened(pieces, 3)), [3, 4, 4]);
        for kind in [Suffix::Digits, Suffix::DigitsFromOne, Suffix::Letters] {
            for number in [0, 1, 27, 700, 998] {
                let suffix = kind.of(number, 3).unwrap();
                assert_eq!(kind.number(suffix.as_bytes(), 3), Some(number), "{suffix}");
            }
        }
        assert_eq!(Suffix::Letters.number(b"log", 3), Some(7806));
        assert_eq!(["0", "1", "a"].map(Suffix::parse), [None, None, None]);
        assert_eq!(Suffix::parse("0000"), Some((Suffix::Digits, 4)));
        assert_eq!(Suffix::parse("aa"), Some((Suffix::Letters, 2)));
        assert_eq!((Suffix::parse("ab"), Suffix::parse(""), Suffix::parse("img")), (None, None, None));
    }

    proptest! {
        #[test]
        fn pieces_cover_the_range(offset in 0..1000_u64, length in 0..1000_u64, piece in 1..300_u64) {
            let mut at = offset;
            for (number, inside, take) in cut(offset, length, piece) {
                prop_assert_eq!(number * piece + inside, at);
                prop_assert!(take > 0 && inside + take <= piece);
                at += take;
            }
            prop_assert_eq!(at, offset + length);
        }
    }
}
