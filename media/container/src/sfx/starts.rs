//! Places in any bytes where an archive may begin, in one pass.

/// Pairs of bytes that some words have at their start.
pub struct Pairs(Box<[u64; 1024]>);

impl Pairs {
    /// The first two pairs of each word: one of them begins at an even place, wherever the word
    /// does.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a [u8]>) -> Pairs {
        let mut bits = Box::new([0; 1024]);
        for word in words {
            for pair in word.windows(2).take(2) {
                let pair = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
                bits[pair / 64] |= 1 << (pair % 64);
            }
        }
        Pairs(bits)
    }

    fn has(&self, pair: u16) -> bool {
        self.0[usize::from(pair / 64)] >> (pair % 64) & 1 == 1
    }

    /// The places where one of the words may begin, in order.
    pub fn places<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        // Four pairs at once: nearly all bytes are of none.
        let (blocks, rest) = bytes.as_chunks::<8>();
        let may_hold = move |block: &[u8; 8]| {
            let all = u64::from_le_bytes(*block);
            [0, 16, 32, 48].iter().fold(false, |found, shift| found | self.has((all >> shift) as u16))
        };
        let blocks = blocks.iter().enumerate().filter(move |(_, block)| may_hold(block));
        let blocks = blocks.map(|(number, block)| (8 * number, &block[..]));
        blocks.chain([(bytes.len() - rest.len(), rest)]).flat_map(move |(start, block)| self.places_in(start, block))
    }

    /// Those of a few bytes, which begin at an even place.
    fn places_in<'a>(&'a self, start: usize, bytes: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let pairs = bytes.chunks_exact(2).enumerate();
        let found = pairs.filter(|(_, pair)| self.has(u16::from_le_bytes([pair[0], pair[1]])));
        let places = found.map(move |(index, _)| start + 2 * index);
        places.flat_map(|place| [place.checked_sub(1), Some(place)]).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_at_even_and_odd_places() {
        let pairs = Pairs::of([&b"word"[..], b"xyz"]);
        for word in [&b"word"[..], b"xyz"] {
            for before in 0..19 {
                let text = [&vec![b'.'; before][..], word, b"...."].concat();
                assert!(pairs.places(&text).any(|place| place == before), "{before}");
            }
        }
        assert_eq!(pairs.places(b"nothing in here is like one of these").count(), 0);
    }
}
