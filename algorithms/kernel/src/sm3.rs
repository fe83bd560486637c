//! SM3 (GB/T 32905-2016; ISO/IEC 10118-3:2018). State: eight words; block: 64 bytes.

use crate::vector::{Vector, block_be, load_rows, store_rows};
use std::hint::black_box;

/// Initial state (section 4.1).
pub const INITIAL: [u32; 8] =
    [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e];

/// The constants (section 4.2), each as its round rotates it.
static T: [u32; 64] = {
    let mut all = [0; 64];
    let mut round = 0;
    while round < 64 {
        let constant: u32 = if round < 16 { 0x79cc4519 } else { 0x7a879d8a };
        all[round] = constant.rotate_left(round as u32 % 32);
        round += 1;
    }
    all
};

/// P0 (section 4.4).
#[inline(always)]
fn p0<V: Vector>(x: V) -> V {
    x.xor3(x.rotate_left::<9, 23>(), x.rotate_left::<17, 15>())
}

/// P1 (section 4.4).
#[inline(always)]
fn p1<V: Vector>(x: V) -> V {
    x.xor3(x.rotate_left::<15, 17>(), x.rotate_left::<23, 9>())
}

/// FF and GG of the first sixteen rounds (section 4.3).
#[inline(always)]
fn parity<V: Vector>(x: V, y: V, z: V) -> V {
    x.xor3(y, z)
}

/// FF of the other rounds.
#[inline(always)]
fn majority<V: Vector>(x: V, y: V, z: V) -> V {
    x.majority(y, z)
}

/// GG of the other rounds.
#[inline(always)]
fn choice<V: Vector>(x: V, y: V, z: V) -> V {
    x.select(y, z)
}

/// Compresses `blocks` blocks of each message into `state`.
///
/// # Safety
/// The CPU has the instruction set of `V`; `state` is 8 rows of `V::LANES` words; `messages` points
/// to `V::LANES` slices of at least 64 · `blocks` bytes each.
#[inline(always)]
pub(crate) unsafe fn compress<V: Vector<Word = u32>>(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let mut before: [V; 8] = unsafe { load_rows(state) };
    // Were the constants known to the compiler, it would add each as the last term of its sum,
    // which every round's latency hangs on.
    let t = black_box(&T);
    for block in 0..blocks {
        // SAFETY: block < blocks.
        let mut w: [V; 16] = unsafe { block_be(messages, 64 * block) };
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = before;
        macro_rules! round {
            ($ff:ident, $gg:ident, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident, $f:ident, $g:ident, $h:ident,
             $i:literal, $t:expr) => {
                let turned = $a.rotate_left::<12, 20>();
                // SAFETY: as on entry.
                let ss1 = turned.add($e.add(unsafe { V::splat($t[$i]) })).rotate_left::<7, 25>();
                let both = w[$i].xor(w[($i + 4) % 16]);
                $d = $ff($a, $b, $c).add($d.add(both)).add(ss1.xor(turned));
                $h = p0($gg($e, $f, $g).add($h.add(w[$i])).add(ss1));
                $b = $b.rotate_left::<9, 23>();
                $f = $f.rotate_left::<19, 13>();
            };
        }
        // The word of four rounds later.
        macro_rules! schedule {
            ($i:literal) => {
                let sum = w[($i + 4) % 16].xor3(w[($i + 11) % 16], w[($i + 1) % 16].rotate_left::<15, 17>());
                w[($i + 4) % 16] = p1(sum).xor3(w[($i + 7) % 16].rotate_left::<7, 25>(), w[($i + 14) % 16]);
            };
        }
        macro_rules! nothing {
            ($i:literal) => {};
        }
        macro_rules! sixteen {
            ($ff:ident, $gg:ident, $first:ident, $t:expr) => {
                $first!(0);
                round!($ff, $gg, a, b, c, d, e, f, g, h, 0, $t);
                $first!(1);
                round!($ff, $gg, d, a, b, c, h, e, f, g, 1, $t);
                $first!(2);
                round!($ff, $gg, c, d, a, b, g, h, e, f, 2, $t);
                $first!(3);
                round!($ff, $gg, b, c, d, a, f, g, h, e, 3, $t);
                $first!(4);
                round!($ff, $gg, a, b, c, d, e, f, g, h, 4, $t);
                $first!(5);
                round!($ff, $gg, d, a, b, c, h, e, f, g, 5, $t);
                $first!(6);
                round!($ff, $gg, c, d, a, b, g, h, e, f, 6, $t);
                $first!(7);
                round!($ff, $gg, b, c, d, a, f, g, h, e, 7, $t);
                $first!(8);
                round!($ff, $gg, a, b, c, d, e, f, g, h, 8, $t);
                $first!(9);
                round!($ff, $gg, d, a, b, c, h, e, f, g, 9, $t);
                $first!(10);
                round!($ff, $gg, c, d, a, b, g, h, e, f, 10, $t);
                $first!(11);
                round!($ff, $gg, b, c, d, a, f, g, h, e, 11, $t);
                schedule!(12);
                round!($ff, $gg, a, b, c, d, e, f, g, h, 12, $t);
                schedule!(13);
                round!($ff, $gg, d, a, b, c, h, e, f, g, 13, $t);
                schedule!(14);
                round!($ff, $gg, c, d, a, b, g, h, e, f, 14, $t);
                schedule!(15);
                round!($ff, $gg, b, c, d, a, f, g, h, e, 15, $t);
            };
        }
        let (first, rest) = t.split_at(16);
        sixteen!(parity, parity, nothing, first);
        for t in rest.chunks_exact(16) {
            sixteen!(majority, choice, schedule, t);
        }
        let after = [a, b, c, d, e, f, g, h];
        let mut i = 0;
        while i < 8 {
            before[i] = before[i].xor(after[i]);
            i += 1;
        }
    }
    // SAFETY: the caller's promise.
    unsafe { store_rows(state, before) }
}
