//! PPMd, variant H (Dmitry Shkarin, in the public domain), with the range coder without carries.
//! The model goes on from block to block while the coder begins again, which the crate `ppmd-rust`
//! has no way to do.

use super::bits::Bits;
use super::ppmd_coder::Coder;
use super::ppmd_store::{STATE, Store, UNIT};
use std::io;

/// The highest frequency.
pub const MOST: u32 = 124;
const BINARY: [u16; 8] = [0x3cdd, 0x1f3f, 0x59bf, 0x48f3, 0x64a1, 0x5abc, 0x6632, 0x6051];

/// An estimate of how often the next symbol is not in a context.
#[derive(Clone, Copy, Default)]
pub struct See {
    pub sum: u16,
    pub shift: u8,
    pub count: u8,
}

/// The model.
pub struct Ppmd {
    pub(super) store: Store,
    pub(super) coder: Coder,
    order: u32,
    pub(super) lowest: u32,
    highest: u32,
    pub(super) found: u32,
    pub(super) fall: u32,
    pub(super) escape: u32,
    pub(super) success: u32,
    pub(super) high_bits: u32,
    pub(super) run: i32,
    pub(super) first_run: i32,
    pub(super) see: Box<[[See; 16]; 25]>,
    pub(super) binary: Box<[[u16; 64]; 128]>,
    pub(super) groups: [u8; 256],
}

impl Ppmd {
    /// A model of this order in that many bytes.
    ///
    /// # Errors
    /// When there is not as much memory.
    pub fn new(order: u32, size: usize) -> io::Result<Ppmd> {
        let mut groups = [0; 256];
        let (mut group, mut left) = (3_u8, 1_u8);
        for (count, place) in groups.iter_mut().enumerate() {
            *place = if count < 3 { count as u8 } else { group };
            if count >= 3 {
                left -= 1;
                if left == 0 {
                    group += 1;
                    left = group - 2;
                }
            }
        }
        let mut model = Ppmd {
            store: Store::new(size)?,
            coder: Coder::default(),
            order,
            lowest: 0,
            highest: 0,
            found: 0,
            fall: 0,
            escape: 0,
            success: 0,
            high_bits: 0,
            run: 0,
            first_run: 0,
            see: Box::new([[See::default(); 16]; 25]),
            binary: Box::new([[0; 64]; 128]),
            groups,
        };
        model.restart();
        Ok(model)
    }

    /// The coder begins again with the next bytes.
    ///
    /// # Errors
    /// Those of the input.
    pub fn begin(&mut self, bits: &mut Bits) -> io::Result<()> {
        self.coder = Coder { low: 0, range: u32::MAX, code: bits.bits(32)? };
        Ok(())
    }

    pub(super) fn restart(&mut self) {
        self.store.clear();
        self.fall = self.order;
        self.first_run = -(self.order.min(12) as i32) - 1;
        self.run = self.first_run;
        self.success = 0;
        // Neither fails in a memory that is empty and of a megabyte at least.
        let root = self.store.context().unwrap_or(UNIT);
        let states = self.store.take(128).unwrap_or(UNIT);
        (self.lowest, self.highest, self.found) = (root, root, states);
        self.store.set_half(root, 256);
        self.store.set_half(root + 2, 257);
        self.store.set_word(root + 4, states);
        self.store.set_word(root + 8, 0);
        for symbol in 0..256 {
            let at = states + symbol * STATE;
            self.store.set_byte(at, symbol as u8);
            self.store.set_byte(at + 1, 1);
            self.store.set_word(at + 2, 0);
        }
        for (frequency, row) in self.binary.iter_mut().enumerate() {
            for (at, value) in row.iter_mut().enumerate() {
                *value = (1 << 14) - BINARY[at % 8] / (frequency as u16 + 2);
            }
        }
        for (group, row) in self.see.iter_mut().enumerate() {
            row.fill(See { sum: (5 * group as u16 + 10) << 3, shift: 3, count: 4 });
        }
    }

    pub(super) fn count(&self, context: u32) -> u32 {
        self.store.half(context)
    }

    pub(super) fn sum(&self, context: u32) -> u32 {
        self.store.half(context + 2)
    }

    pub(super) fn states(&self, context: u32) -> u32 {
        self.store.word(context + 4)
    }

    pub(super) fn suffix(&self, context: u32) -> u32 {
        self.store.word(context + 8)
    }

    pub(super) fn symbol_of(&self, state: u32) -> u8 {
        self.store.byte(state)
    }

    pub(super) fn frequency(&self, state: u32) -> u32 {
        self.store.byte(state + 1).into()
    }

    fn successor(&self, state: u32) -> u32 {
        self.store.word(state + 2)
    }

    fn set_successor(&mut self, state: u32, to: u32) {
        self.store.set_word(state + 2, to);
    }

    /// The state of a symbol in a context that has it.
    fn find(&self, context: u32, symbol: u8) -> u32 {
        if self.count(context) == 1 {
            return context + 2;
        }
        let states = self.states(context);
        let all = self.store.range(states, self.count(context) * STATE);
        let place = all.chunks_exact(STATE as usize).position(|state| state[0] == symbol);
        states + place.unwrap_or(0) as u32 * STATE
    }

    pub(super) fn add(&mut self, context: u32, state: u32, more: u32) -> u32 {
        let frequency = self.frequency(state) + more;
        let sum = self.sum(context) + more;
        self.store.set_half(context + 2, sum);
        self.store.set_byte(state + 1, frequency as u8);
        frequency
    }

    /// The contexts that follow the found state, which so far is followed by text alone.
    fn create(&mut self) -> Option<u32> {
        let mut context = self.lowest;
        let branch = self.successor(self.found);
        let symbol = self.symbol_of(self.found);
        let mut waiting = Vec::with_capacity(64);
        if self.fall != 0 {
            waiting.push(self.found);
        }
        while self.suffix(context) != 0 {
            context = self.suffix(context);
            let state = self.find(context, symbol);
            let successor = self.successor(state);
            if successor != branch {
                context = successor;
                if waiting.is_empty() {
                    return Some(context);
                }
                break;
            }
            waiting.push(state);
        }
        let symbol = self.store.byte(branch);
        let frequency = if self.count(context) == 1 {
            self.frequency(context + 2)
        } else {
            let part = self.frequency(self.find(context, symbol)).saturating_sub(1);
            let rest = self.sum(context).saturating_sub(self.count(context) + part).max(1);
            1 + if 2 * part <= rest { u32::from(5 * part > rest) } else { (2 * part + rest - 1) / (2 * rest) + 1 }
        };
        while let Some(state) = waiting.pop() {
            let made = self.store.context()?;
            self.store.set_half(made, 1);
            self.store.set_byte(made + 2, symbol);
            self.store.set_byte(made + 3, frequency as u8);
            self.store.set_word(made + 4, branch + 1);
            self.store.set_word(made + 8, context);
            self.set_successor(state, made);
            context = made;
        }
        Some(context)
    }

    pub(super) fn update(&mut self) {
        if self.grow().is_none() {
            self.restart();
        }
    }

    fn grow(&mut self) -> Option<()> {
        let (context, symbol) = (self.lowest, self.symbol_of(self.found));
        let frequency = self.frequency(self.found);
        let suffix = self.suffix(context);
        if frequency < MOST / 4 && suffix != 0 {
            let mut state = self.find(suffix, symbol);
            if self.count(suffix) == 1 {
                let frequency = self.frequency(state);
                self.store.set_byte(state + 1, (frequency + u32::from(frequency < 32)) as u8);
            } else {
                if state != self.states(suffix) && self.frequency(state) >= self.frequency(state - STATE) {
                    self.store.swap(state, state - STATE);
                    state -= STATE;
                }
                if self.frequency(state) < MOST - 9 {
                    self.add(suffix, state, 2);
                }
            }
        }
        if self.fall == 0 {
            let next = self.create()?;
            (self.lowest, self.highest) = (next, next);
            self.set_successor(self.found, next);
            return Some(());
        }
        self.store.set_byte(self.store.text, symbol);
        self.store.text += 1;
        if self.store.text >= self.store.start {
            return None;
        }
        let mut most = self.store.text;
        let mut least = self.successor(self.found);
        if least == 0 {
            self.set_successor(self.found, most);
            least = context;
        } else {
            if least <= most {
                least = self.create()?;
            }
            self.fall -= 1;
            if self.fall == 0 {
                most = least;
                self.store.text -= u32::from(self.highest != self.lowest);
            }
        }
        let mut upper = std::mem::replace(&mut self.highest, least);
        self.lowest = least;
        let count = self.count(context);
        let rest = self.sum(context).wrapping_sub(count).wrapping_sub(self.frequency(self.found).wrapping_sub(1));
        let frequency = self.frequency(self.found);
        while upper != context {
            self.widen(upper, count, rest, (symbol, frequency, most))?;
            upper = self.suffix(upper);
        }
        Some(())
    }

    /// Adds a symbol to a context.
    fn widen(
        &mut self,
        context: u32,
        count: u32,
        rest: u32,
        (symbol, frequency, successor): (u8, u32, u32),
    ) -> Option<()> {
        let had = self.count(context);
        let mut sum;
        if had == 1 {
            let states = self.store.take(1)?;
            self.store.copy(context + 2, states, STATE);
            self.store.set_word(context + 4, states);
            let old = self.frequency(states);
            let old = if old < MOST / 4 - 1 { old * 2 } else { MOST - 4 };
            self.store.set_byte(states + 1, old as u8);
            sum = old + self.escape + u32::from(count > 3);
        } else {
            if had.is_multiple_of(2) {
                let states = self.store.grow(self.states(context), had / 2)?;
                self.store.set_word(context + 4, states);
            }
            sum = self.sum(context);
            sum += u32::from(2 * had < count) + 2 * u32::from(4 * had <= count && sum <= 8 * had);
        }
        let state = self.states(context) + had * STATE;
        let part = 2 * (sum + 6) * frequency;
        let whole = rest.wrapping_add(sum);
        let part = if part < whole.wrapping_mul(6) {
            let part = 1 + u32::from(part > whole) + u32::from(part >= 4 * whole);
            sum += 3;
            part
        } else {
            let many = [9, 12, 15].iter().filter(|times| part >= whole.wrapping_mul(**times)).count() as u32;
            sum += 4 + many;
            4 + many
        };
        self.store.set_half(context, had + 1);
        self.store.set_half(context + 2, sum);
        self.store.set_byte(state, symbol);
        self.store.set_byte(state + 1, part as u8);
        self.set_successor(state, successor);
        Some(())
    }

    /// Halves the frequencies of the context, and keeps them in order.
    pub(super) fn rescale(&mut self) {
        let context = self.lowest;
        let states = self.states(context);
        let mut state = self.found;
        while state != states {
            self.store.swap(state, state - STATE);
            state -= STATE;
        }
        let adder = u32::from(self.fall != 0);
        let count = self.count(context);
        let mut escape = self.sum(context).wrapping_sub(self.frequency(states));
        let mut sum = (self.frequency(states) + 4 + adder) >> 1;
        self.store.set_byte(states + 1, sum as u8);
        for number in 1..count {
            let mut at = states + number * STATE;
            escape = escape.wrapping_sub(self.frequency(at));
            let frequency = (self.frequency(at) + adder) >> 1;
            sum += frequency;
            self.store.set_byte(at + 1, frequency as u8);
            while at != states && frequency > self.frequency(at - STATE) {
                self.store.swap(at, at - STATE);
                at -= STATE;
            }
        }
        let used = (0..count).take_while(|number| self.frequency(states + number * STATE) > 0).count() as u32;
        if used < count {
            escape = escape.wrapping_add(count - used);
            self.store.set_half(context, used);
            let units = count.div_ceil(2);
            if used == 1 {
                let mut frequency = self.frequency(states);
                loop {
                    escape >>= 1;
                    frequency = (frequency + 1) >> 1;
                    if escape <= 1 {
                        break;
                    }
                }
                self.store.copy(states, context + 2, STATE);
                self.store.set_byte(context + 3, frequency as u8);
                self.found = context + 2;
                self.store.drop(states, units);
                return;
            }
            if units != used.div_ceil(2) {
                let states = self.store.shrink(states, units, used.div_ceil(2));
                self.store.set_word(context + 4, states);
            }
        }
        self.store.set_half(context + 2, sum.wrapping_add(escape.wrapping_sub(escape >> 1)));
        self.found = self.states(context);
    }

    pub(super) fn next_context(&mut self) {
        let successor = self.successor(self.found);
        if self.fall == 0 && successor >= self.store.start {
            (self.lowest, self.highest) = (successor, successor);
        } else {
            self.update();
        }
    }
}
