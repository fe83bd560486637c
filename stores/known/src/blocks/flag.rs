//! Blocks that say little of the file that they are in, because other files have such blocks too.
//! The rules follow Garfinkel and McCarrin, Hash-based carving (2015), section 4: non-probative
//! blocks of office documents, pictures and logs are ramps, histograms and white space.

use pfh_manifest::row::Words;
use std::collections::HashMap;

/// Files that a block may be in before it counts as common.
pub const COMMON: u32 = 8;

/// Why a block says little of the file that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// All bytes are the same.
    Constant,
    /// At most eight different bytes.
    FewValues,
    /// More than three quarters are spaces, tabs and line ends.
    WhiteSpace,
    /// More than half of the 4-byte numbers are one more than the number before.
    Ramp,
    /// More than a quarter of the 4-byte numbers are the same.
    Histogram,
    /// Fewer than two bits of entropy for each byte.
    LowEntropy,
    /// It is in more than [`COMMON`] of the known files.
    Common,
}

impl Words for Flag {
    const ALL: &'static [Flag] = &Flag::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Flag {
    /// All of them.
    pub const ALL: [Flag; 7] = [
        Flag::Constant,
        Flag::FewValues,
        Flag::WhiteSpace,
        Flag::Ramp,
        Flag::Histogram,
        Flag::LowEntropy,
        Flag::Common,
    ];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Flag::Constant => "constant",
            Flag::FewValues => "few-values",
            Flag::WhiteSpace => "white-space",
            Flag::Ramp => "ramp",
            Flag::Histogram => "histogram",
            Flag::LowEntropy => "low-entropy",
            Flag::Common => "common",
        }
    }

    /// The flag that the bytes of a block call for, by the first rule that holds.
    pub fn of(block: &[u8]) -> Option<Flag> {
        let mut counts = [0u32; 256];
        block.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        let length = block.len() as f64;
        match counts.iter().filter(|count| **count > 0).count() {
            0 | 1 => return Some(Flag::Constant),
            2..=8 => return Some(Flag::FewValues),
            _ => {}
        }
        let white: u32 = [b' ', b'\t', b'\n', b'\r'].iter().map(|byte| counts[usize::from(*byte)]).sum();
        if f64::from(white) > 0.75 * length {
            return Some(Flag::WhiteSpace);
        }
        let words: Vec<u32> = block.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let steps = words.windows(2).filter(|pair| pair[0].wrapping_add(1) == pair[1]).count();
        if steps > words.len() / 2 {
            return Some(Flag::Ramp);
        }
        let mut same: HashMap<u32, usize> = HashMap::new();
        words.iter().for_each(|word| *same.entry(*word).or_default() += 1);
        if same.values().any(|count| *count > words.len() / 4) {
            return Some(Flag::Histogram);
        }
        let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
        let entropy: f64 = shares.map(|share| -share * share.log2()).sum();
        (entropy < 2.0).then_some(Flag::LowEntropy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_holds_for_what_it_is_about() {
        let noise: Vec<u8> = (0..512u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert_eq!(Flag::of(&noise), None);
        assert_eq!(Flag::of(&[0; 512]), Some(Flag::Constant));
        assert_eq!(Flag::of(&b"ABCDEFG.".repeat(64)), Some(Flag::FewValues));
        let mut white = vec![b' '; 512];
        white[..20].copy_from_slice(b"a log with long gaps");
        assert_eq!(Flag::of(&white), Some(Flag::WhiteSpace));
        let ramp: Vec<u8> = (7000..7128u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(Flag::of(&ramp), Some(Flag::Ramp));
        let mut tail = noise.clone();
        tail[300..].fill(0);
        assert_eq!(Flag::of(&tail), Some(Flag::Histogram));
        // Three bytes of each word are one value, the fourth one of sixteen others: 1.8 bits.
        let odd = |word: u32| 16 + (word / 4 % 16) as u8;
        let sparse: Vec<u8> = (0..512u32).map(|n| if n % 4 == n / 4 % 4 { odd(n / 4) } else { 9 }).collect();
        assert_eq!(Flag::of(&sparse), Some(Flag::LowEntropy));
        let text = b"The quick brown fox jumps over the lazy dog, and nobody knows why it does so again. ".repeat(7);
        assert_eq!(Flag::of(&text[..512]), None);
        let names: std::collections::HashSet<_> = Flag::ALL.iter().map(|flag| flag.name()).collect();
        assert_eq!(names.len(), Flag::ALL.len());
    }
}
