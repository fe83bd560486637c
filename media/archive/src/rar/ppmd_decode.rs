//! How PPMd's model finds the next symbol: in the context that it stands in, or by leaving it for
//! shorter ones, whose symbols are those that were not excluded before.

use super::bits::{Bits, wrong};
use super::ppmd::{MOST, Ppmd};
use super::ppmd_store::STATE;
use std::io;

const ESCAPES: [u8; 16] = [25, 14, 9, 7, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 2];

impl Ppmd {
    /// The next symbol.
    ///
    /// # Errors
    /// Those of the input, and when the bytes are not PPMd's.
    pub fn symbol(&mut self, bits: &mut Bits) -> io::Result<u8> {
        let mut masked = [false; 256];
        if self.count(self.lowest) != 1 {
            if let Some(symbol) = self.plain(bits, &mut masked)? {
                return Ok(symbol);
            }
        } else if let Some(symbol) = self.one(bits, &mut masked)? {
            return Ok(symbol);
        }
        loop {
            self.coder.normalize(bits)?;
            let hidden = self.count(self.lowest);
            while self.count(self.lowest) == hidden {
                self.fall += 1;
                self.lowest = self.suffix(self.lowest);
                if self.lowest == 0 {
                    self.restart();
                    return Err(wrong("PPMd: the mark of its end within a member"));
                }
            }
            if let Some(symbol) = self.rest(bits, &mut masked, hidden)? {
                return Ok(symbol);
            }
        }
    }

    /// A symbol of a context with several.
    fn plain(&mut self, bits: &mut Bits, masked: &mut [bool; 256]) -> io::Result<Option<u8>> {
        let (states, count, sum) = (self.states(self.lowest), self.count(self.lowest), self.sum(self.lowest));
        let threshold = self.coder.threshold(sum)?;
        let mut below = 0;
        for number in 0..count {
            let state = states + number * STATE;
            let frequency = self.frequency(state);
            if threshold >= below + frequency {
                below += frequency;
                continue;
            }
            self.coder.decode(below, frequency);
            self.coder.normalize(bits)?;
            let symbol = self.symbol_of(state);
            self.found = state;
            if number == 0 {
                self.success = u32::from(2 * frequency > sum);
                self.run += self.success as i32;
            } else {
                self.success = 0;
            }
            let frequency = self.add(self.lowest, state, 4);
            if number == 0 {
                if frequency > MOST {
                    self.rescale();
                }
            } else if frequency > self.frequency(state - STATE) {
                self.store.swap(state, state - STATE);
                self.found = state - STATE;
                if frequency > MOST {
                    self.rescale();
                }
            }
            self.next_context();
            return Ok(Some(symbol));
        }
        self.success = 0;
        if threshold >= sum {
            return Err(wrong("PPMd: a number that stands for nothing"));
        }
        self.coder.decode(below, sum.saturating_sub(below));
        self.high_bits = bits_of(self.symbol_of(self.found), 3);
        self.hide(masked, states, count);
        Ok(None)
    }

    /// The symbol of a context with one.
    fn one(&mut self, bits: &mut Bits, masked: &mut [bool; 256]) -> io::Result<Option<u8>> {
        let state = self.lowest + 2;
        let (symbol, frequency) = (self.symbol_of(state), self.frequency(state));
        self.high_bits = bits_of(self.symbol_of(self.found), 3);
        let others = match self.count(self.suffix(self.lowest)) {
            0 | 1 => 0,
            2 => 2,
            3..=11 => 4,
            _ => 6,
        };
        let place = self.success + (self.run as u32 >> 26 & 0x20) + others + bits_of(symbol, 4) + self.high_bits;
        let row = frequency.clamp(1, 128) as usize - 1;
        let chance = u32::from(self.binary[row][place as usize]);
        let bound = (self.coder.range >> 14) * chance;
        let less = chance - ((chance + 32) >> 7);
        if self.coder.code < bound {
            self.binary[row][place as usize] = (less + 128) as u16;
            self.coder.range = bound;
            self.coder.normalize(bits)?;
            self.found = state;
            self.success = 1;
            self.run += 1;
            self.store.set_byte(state + 1, (frequency + u32::from(frequency < 128)) as u8);
            self.next_context();
            return Ok(Some(symbol));
        }
        self.binary[row][place as usize] = less as u16;
        self.escape = ESCAPES[(less >> 10) as usize & 15].into();
        self.coder.low = self.coder.low.wrapping_add(bound);
        self.coder.code = self.coder.code.wrapping_sub(bound);
        self.coder.range = (self.coder.range & !0x3fff).wrapping_sub(bound);
        masked[usize::from(symbol)] = true;
        self.success = 0;
        Ok(None)
    }

    fn hide(&self, masked: &mut [bool; 256], states: u32, count: u32) {
        for state in self.store.range(states, count * STATE).chunks_exact(STATE as usize) {
            masked[usize::from(state[0])] = true;
        }
    }

    /// Which estimate a context has beside its masked symbols; `None` for the root.
    fn estimate(&self, hidden: u32) -> Option<(usize, usize)> {
        let context = self.lowest;
        let count = self.count(context);
        if count == 256 {
            return None;
        }
        let seen = count - hidden;
        let above = self.count(self.suffix(context)).wrapping_sub(count);
        let column = u32::from(seen < above)
            + 2 * u32::from(self.sum(context) < 11 * count)
            + 4 * u32::from(hidden > seen)
            + self.high_bits;
        Some((usize::from(self.groups[seen as usize - 1]).min(24), column as usize & 15))
    }

    /// A symbol of a context beside those that are masked.
    fn rest(&mut self, bits: &mut Bits, masked: &mut [bool; 256], hidden: u32) -> io::Result<Option<u8>> {
        let (states, count) = (self.states(self.lowest), self.count(self.lowest));
        let all = self.store.range(states, count * STATE).chunks_exact(STATE as usize);
        let shown: u32 = all.filter(|state| !masked[usize::from(state[0])]).map(|state| u32::from(state[1])).sum();
        let estimate = self.estimate(hidden);
        let escape = estimate.map_or(1, |(row, column)| {
            let see = &mut self.see[row][column];
            let part = see.sum >> see.shift;
            see.sum -= part;
            u32::from(part).max(1)
        });
        let total = shown + escape;
        let threshold = self.coder.threshold(total)?;
        if threshold >= shown {
            if threshold >= total {
                return Err(wrong("PPMd: a number that stands for nothing"));
            }
            self.coder.decode(shown, escape);
            if let Some((row, column)) = estimate {
                let see = &mut self.see[row][column];
                see.sum = see.sum.wrapping_add(total as u16);
            }
            self.hide(masked, states, count);
            return Ok(None);
        }
        let mut below = 0;
        for number in 0..count {
            let state = states + number * STATE;
            let symbol = self.symbol_of(state);
            if masked[usize::from(symbol)] {
                continue;
            }
            let frequency = self.frequency(state);
            if threshold >= below + frequency {
                below += frequency;
                continue;
            }
            self.coder.decode(below, frequency);
            self.coder.normalize(bits)?;
            if let Some((row, column)) = estimate {
                let see = &mut self.see[row][column];
                if see.shift < 7 {
                    see.count = see.count.wrapping_sub(1);
                    if see.count == 0 {
                        see.sum <<= 1;
                        see.count = (3_u32 << see.shift) as u8;
                        see.shift += 1;
                    }
                }
            }
            self.found = state;
            self.run = self.first_run;
            if self.add(self.lowest, state, 4) > MOST {
                self.rescale();
            }
            self.update();
            return Ok(Some(symbol));
        }
        Err(wrong("PPMd: a symbol that is not there"))
    }
}

/// Whether a symbol is 64 or more, as a bit.
fn bits_of(symbol: u8, bit: u32) -> u32 {
    (u32::from(symbol) + 0xc0) >> (8 - bit) & (1 << bit)
}

#[cfg(test)]
mod tests {
    use super::super::bits::Pieces;
    use super::*;
    use std::io::Write;
    use std::sync::Arc;

    #[test]
    fn what_another_model_packed_comes_out() {
        // Numbers, text that repeats itself, and noise: more than the model has room for.
        let mut plain: Vec<u8> =
            (0..60_000).flat_map(|number: u32| format!("{number} of all\n").into_bytes()).collect();
        let mut noise = 1_u32;
        plain.extend((0..400_000).map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        }));
        for order in [2, 8, 40] {
            let mut encoder = ppmd_rust::Ppmd7aEncoder::new(Vec::new(), order, 1 << 20).unwrap();
            encoder.write_all(&plain).unwrap();
            let packed = encoder.finish(false).unwrap();
            let end = packed.len() as u64;
            let mut bits = Bits::new(Pieces::new(Arc::new(packed), &[(0, end)]));
            let mut model = Ppmd::new(order, 1 << 20).unwrap();
            model.begin(&mut bits).unwrap();
            let is = |byte: &u8| model.symbol(&mut bits).is_ok_and(|found| found == *byte);
            assert!(plain.iter().all(is), "order {order}");
        }
    }
}
