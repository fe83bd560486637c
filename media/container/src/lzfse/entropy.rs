//! The entropy coding of LZFSE: finite states, whose bits are read from the end to the start.

/// Bits that are read from the end of some bytes to their start.
pub struct Bits<'a> {
    bytes: &'a [u8],
    held: u64,
    count: u32,
}

impl<'a> Bits<'a> {
    /// Begins at the end of `bytes`. The last byte has `spare` bits that are not used.
    pub fn new(bytes: &'a [u8], spare: u32) -> Option<Bits<'a>> {
        let mut bits = Bits { bytes, held: 0, count: 0 };
        bits.fill();
        // The unused bits are zeros.
        (spare < 8 && bits.take(spare)? == 0).then_some(bits)
    }

    fn fill(&mut self) {
        while self.count <= 56 {
            let Some((last, rest)) = self.bytes.split_last() else { return };
            self.held = self.held << 8 | u64::from(*last);
            self.count += 8;
            self.bytes = rest;
        }
    }

    /// The next `count` bits, 32 at most; `None` if there are fewer.
    pub fn take(&mut self, count: u32) -> Option<u32> {
        if count == 0 {
            return Some(0);
        }
        if self.count < count {
            self.fill();
        }
        self.count = self.count.checked_sub(count)?;
        let found = self.held >> self.count & ((1 << count) - 1);
        u32::try_from(found).ok()
    }
}

/// A state: its output, and the states that may follow.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    bits: u8,
    base: u16,
    symbol: u8,
}

/// The states of one alphabet.
pub struct States(Vec<State>);

impl States {
    /// The `count` states (a power of two) of symbols with these frequencies; `None` if they are
    /// more. States without a symbol lead nowhere.
    pub fn new(count: u32, frequencies: &[u16]) -> Option<States> {
        let mut states = Vec::with_capacity(count as usize);
        for (symbol, &frequency) in frequencies.iter().enumerate().filter(|(_, frequency)| **frequency > 0) {
            let frequency = u32::from(frequency);
            if states.len() + frequency as usize > count as usize {
                return None;
            }
            // States of a symbol take `bits` or one fewer, so that they reach all states together.
            let bits = frequency.leading_zeros() - count.leading_zeros();
            let longer = ((2 * count) >> bits) - frequency;
            for index in 0..frequency {
                let (bits, base) = match index < longer {
                    true => (bits, ((frequency + index) << bits) - count),
                    false => (bits - 1, (index - longer) << (bits - 1)),
                };
                let (bits, base, symbol) = (bits as u8, base as u16, symbol as u8);
                states.push(State { bits, base, symbol });
            }
        }
        Some(States(states))
    }

    /// The symbol of a state, which goes on to the next one.
    pub fn next(&self, state: &mut u16, bits: &mut Bits<'_>) -> Option<u8> {
        let found = self.0.get(usize::from(*state))?;
        *state = found.base + bits.take(u32::from(found.bits))? as u16;
        Some(found.symbol)
    }

    /// The number of a state: the base of its symbol and some bits behind those of the state.
    pub fn value(&self, state: &mut u16, bits: &mut Bits<'_>, table: &[(u32, u8)]) -> Option<usize> {
        let found = self.0.get(usize::from(*state))?;
        let &(base, more) = table.get(usize::from(found.symbol))?;
        *state = found.base + bits.take(u32::from(found.bits))? as u16;
        Some((base + bits.take(u32::from(more))?) as usize)
    }
}
