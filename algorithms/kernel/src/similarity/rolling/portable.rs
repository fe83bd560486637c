//! The hash itself and the portable form, with the parts that all wide forms need.

/// Bytes before a position that its hash depends on, the position's own not counted.
pub const LOOK_BACK: usize = 6;

/// The rolling hash of the seven bytes that end at `position`.
///
/// # Panics
/// If there are not seven.
#[inline]
pub fn hash(bytes: &[u8], position: usize) -> u32 {
    let from = position - LOOK_BACK;
    let word = match bytes.get(from..from + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")),
        None => {
            let mut eight = [0; 8];
            eight[..=LOOK_BACK].copy_from_slice(&bytes[from..=position]);
            u64::from_le_bytes(eight)
        }
    };
    const LOW_BYTES: u64 = 0x00ff_00ff_00ff_00ff;
    // Byte j of the word is b_(6 - j) with the weight 2 + j. A product sums four of them in its
    // highest sixteen bits, without a carry.
    let even = (word & LOW_BYTES).wrapping_mul(0x0002_0004_0006_0008) >> 48;
    let odd = (word >> 8 & 0x0000_00ff_00ff_00ff).wrapping_mul(0x0003_0005_0007_0000) >> 48;
    // Byte k is b_k. Neighbours are shifted together: pairs by 5 of 8 bits, pairs of pairs by 10 of
    // 16, and those by 20 of 32.
    let word = (word << 8).swap_bytes();
    let pairs = (word & LOW_BYTES) ^ ((word & !LOW_BYTES) >> 3);
    let fours = (pairs & 0x0000_ffff_0000_ffff) ^ ((pairs & 0xffff_0000_ffff_0000) >> 6);
    let xor = fours as u32 ^ ((fours >> 32) as u32) << 20;
    ((even + odd) as u32).wrapping_add(xor)
}

/// The low half of [`hash`], step by step.
pub fn portable(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>) {
    if start >= bytes.len() {
        return;
    }
    let mut sum = 0u16;
    let mut weighted = 0u16;
    let mut shifted = 0u16;
    let mut feed = |old: u8, new: u8| {
        weighted = weighted.wrapping_sub(sum).wrapping_add(7 * u16::from(new));
        sum = sum.wrapping_add(u16::from(new)).wrapping_sub(u16::from(old));
        shifted = (shifted << 5) ^ u16::from(new);
        sum.wrapping_add(weighted).wrapping_add(shifted)
    };
    for &byte in &bytes[start - LOOK_BACK..start] {
        feed(0, byte);
    }
    if start == LOOK_BACK {
        if feed(0, bytes[start]).wrapping_add(1) & mask == 0 {
            out.push(start as u32);
        }
    } else {
        // The byte that leaves is one that was not fed above, so the first step is made from its
        // window alone.
        let first = hash(bytes, start) as u16;
        if first.wrapping_add(1) & mask == 0 {
            out.push(start as u32);
        }
        feed(0, bytes[start]);
    }
    let olds = &bytes[start - LOOK_BACK..];
    for ((position, &new), &old) in bytes.iter().enumerate().skip(start + 1).zip(olds) {
        if feed(old, new).wrapping_add(1) & mask == 0 {
            out.push(position as u32);
        }
    }
}

/// Appends `p` and the number of each bit that is set in `hits`, in order; `out` has room for 64
/// more.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub fn place(mut hits: u64, p: usize, out: &mut Vec<u32>) {
    // Four places are written whether there are that many or not: the number of hits is not to be
    // guessed by the CPU.
    let count = hits.count_ones() as usize;
    let end = out.len();
    for (i, place) in out.spare_capacity_mut()[..64].iter_mut().enumerate() {
        if i >= 4 && i >= count {
            break;
        }
        place.write((p as u32).wrapping_add(hits.trailing_zeros()));
        hits &= hits.wrapping_sub(1);
    }
    // SAFETY: `count` places behind `end` were written.
    unsafe { out.set_len(end + count) };
}
