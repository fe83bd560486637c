//! Prefix codes in canonical order, as LZX, LHA and others have them: a code is known by its
//! length, and codes of one length follow one another by symbol. Bits come from the high one on.

/// The longest code.
pub const LONGEST: usize = 16;
/// Bits that are looked up at once.
const FAST: usize = 9;

/// A set of codes.
#[derive(Default)]
pub struct Codes {
    /// For each length the first value of 16 bits behind its codes, and the difference between a
    /// code of that length and the place of its symbol.
    ends: [(u32, i32); LONGEST + 1],
    symbols: Vec<u16>,
    /// Symbol and length, by the first bits; length 0 for longer codes.
    fast: Vec<(u16, u8)>,
}

impl Codes {
    /// The codes of these lengths, 0 for a symbol without one. `None` if there are more codes than
    /// their lengths allow; fewer are allowed, even none.
    pub fn new(lengths: &[u8]) -> Option<Codes> {
        let mut counts = [0_u32; LONGEST + 1];
        for length in lengths {
            *counts.get_mut(usize::from(*length))? += 1;
        }
        counts[0] = 0;
        let mut codes = Codes::default();
        let (mut code, mut place) = (0_u32, 0_u32);
        let mut places = [0_usize; LONGEST + 1];
        for length in 1..=LONGEST {
            code <<= 1;
            places[length] = place as usize;
            let shift = place as i32 - code as i32;
            code += counts[length];
            place += counts[length];
            if code > 1 << length {
                return None;
            }
            codes.ends[length] = (code << (LONGEST - length), shift);
        }
        codes.symbols = vec![0; place as usize];
        for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let place = &mut places[usize::from(*length)];
            codes.symbols[*place] = symbol as u16;
            *place += 1;
        }
        let fast = (0..1_u32 << FAST).map(|start| {
            let found = codes.slow(start << (LONGEST - FAST));
            found.filter(|(_, length)| *length <= FAST as u32).map_or((0, 0), |(symbol, length)| (symbol, length as u8))
        });
        codes.fast = fast.collect();
        Some(codes)
    }

    fn slow(&self, bits: u32) -> Option<(u16, u32)> {
        let length = (1..=LONGEST).find(|length| bits < self.ends[*length].0)?;
        let code = (bits >> (LONGEST - length)) as i32;
        let place = usize::try_from(code + self.ends[length].1).ok()?;
        Some((*self.symbols.get(place)?, length as u32))
    }

    /// The symbol whose code these 16 bits begin with, and the code's length.
    pub fn find(&self, bits: u32) -> Option<(u16, u32)> {
        match self.fast.get((bits >> (LONGEST - FAST)) as usize)? {
            (_, 0) => self.slow(bits),
            (symbol, length) => Some((*symbol, u32::from(*length))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_and_too_many_are_refused() {
        let codes = Codes::new(&[2, 1, 0, 3, 3]).unwrap();
        assert_eq!(codes.find(0x0000), Some((1, 1)));
        assert_eq!(codes.find(0xbfff), Some((0, 2)));
        assert_eq!(codes.find(0xc000), Some((3, 3)));
        assert_eq!(codes.find(0xffff), Some((4, 3)));
        let mut long = [0; 20];
        (0..16).for_each(|at| long[at] = at as u8 + 1);
        long[16] = 16;
        let codes = Codes::new(&long).unwrap();
        assert_eq!(
            (codes.find(0xfffe), codes.find(0xffff), codes.find(0x8000)),
            (Some((15, 16)), Some((16, 16)), Some((1, 2)))
        );
        // One code alone leaves room; an empty set finds nothing.
        assert_eq!(Codes::new(&[0, 1]).unwrap().find(0x8000), None);
        assert_eq!(Codes::new(&[0, 0]).unwrap().find(0), None);
        assert!(Codes::new(&[1, 1, 1]).is_none() && Codes::new(&[17]).is_none());
    }
}
