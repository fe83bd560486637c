//! The bytes of a read that were lent, and those that must still be read behind them.

use pfh_source::{Loan, Reading};

/// Fewer than this are copied, if more follow: a piece of its own would cost more.
const LEAST: usize = 16 << 10;

/// Bytes that a read got without a copy, if it got any.
pub(crate) struct Lent(Option<Loan>);

impl Lent {
    /// The next bytes, at most `most`, if the object lends them.
    pub fn of(reading: &mut Reading, most: usize) -> Lent {
        Lent(if most > 0 { reading.lend(most) } else { None })
    }

    /// How many they are.
    pub fn length(&self) -> usize {
        self.0.as_ref().map_or(0, |loan| loan.len())
    }

    /// Whether nothing needs to be read behind them for now. Where the object should have ended, a
    /// read shows whether it has.
    pub fn is_enough(&self, reading: &Reading) -> bool {
        self.length() >= LEAST && reading.offset() < reading.size_hint()
    }

    /// The loan, if it is all of the `filled` bytes; else they are put together in `room`, which
    /// has the bytes behind them.
    pub fn settle(self, filled: usize, room: &mut [u8]) -> Option<Loan> {
        let loan = self.0?;
        if filled == loan.len() {
            return Some(loan);
        }
        room[..loan.len()].copy_from_slice(&loan);
        None
    }
}
