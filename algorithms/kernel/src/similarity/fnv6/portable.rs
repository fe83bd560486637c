//! The portable form, and the step that all wide forms take.

/// States that can be advanced at once.
pub const STATES: usize = 12;

/// All states side by side, byte after byte: the states are independent, so their multiplications
/// overlap.
pub fn portable(states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
    fn lanes<const N: usize>(states: &mut [u8; STATES], bytes: &[u8]) {
        let mut wide: [u32; N] = std::array::from_fn(|i| u32::from(states[i]));
        for &byte in bytes {
            for state in &mut wide {
                *state = state.wrapping_mul(19) ^ u32::from(byte);
            }
        }
        for (state, wide) in states.iter_mut().zip(wide) {
            *state = wide as u8 & 63;
        }
    }
    match count {
        0 => {}
        1 => lanes::<1>(states, bytes),
        2 => lanes::<2>(states, bytes),
        3 | 4 => lanes::<4>(states, bytes),
        5..=8 => lanes::<8>(states, bytes),
        _ => lanes::<STATES>(states, bytes),
    }
}

/// A bit of a state after, or before, each of 64 bytes; of one state or of several side by side.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub trait Plane: Copy {
    /// `self ^ other`
    fn xor(self, other: Self) -> Self;
    /// `self & other`
    fn and(self, other: Self) -> Self;
    /// Bit `t` is the XOR of bits 0 to `t`.
    fn running_xor(self) -> Self;
    /// The bit before each byte, from that after each, and from that before all of them, which
    /// every bit of `start` is.
    fn before(self, start: Self) -> Self;
}

/// The six bits of the state after each of 64 bytes, from the bits before them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub fn run<P: Plane>(start: &[P; 6], c: &[P; 6]) -> [P; 6] {
    // 19·h = h + 2h + 16h. `h_k` holds bit k after each byte, `p_k` before it.
    let h0 = c[0].running_xor().xor(start[0]);
    let p0 = h0.before(start[0]);
    let h1 = c[1].xor(p0).running_xor().xor(start[1]);
    let p1 = h1.before(start[1]);
    let carry2 = p1.and(p0);
    let h2 = c[2].xor(p1).xor(carry2).running_xor().xor(start[2]);
    let p2 = h2.before(start[2]);
    let carry3 = p2.and(p1).xor(carry2.and(p2.xor(p1)));
    let h3 = c[3].xor(p2).xor(carry3).running_xor().xor(start[3]);
    let p3 = h3.before(start[3]);
    let carry4 = p3.and(p2).xor(carry3.and(p3.xor(p2)));
    // Four words meet at bit 4; the second bit of their sum goes to bit 5.
    let carry4_p0 = carry4.xor(p0);
    let h4 = c[4].xor(p3).xor(carry4_p0).running_xor().xor(start[4]);
    let p4 = h4.before(start[4]);
    let carry5 = p4.and(p3).xor(p4.xor(p3).and(carry4_p0)).xor(carry4.and(p0));
    let h5 = c[5].xor(p4).xor(p1).xor(carry5).running_xor().xor(start[5]);
    [h0, h1, h2, h3, h4, h5]
}
