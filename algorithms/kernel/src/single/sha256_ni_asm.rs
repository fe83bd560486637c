//! SHA-256 with the SHA extensions, four or six messages interleaved, in assembly:
//! [`sha256_ni`](super::sha256_ni) does the same and is the oracle of this. Compiled from
//! intrinsics, four messages are no longer limited by `sha256rnds2` but by the moves around it
//! (every third instruction): the compiler keeps the schedules in registers, has eight too few, and
//! saves and loads the ones that it needs next. Here the states alone stay in registers, two a
//! message, and the schedules in memory, from where `sha256msg1` and `palignr` take them.

use super::sha256_ni::Lane;
use crate::sha256::K;
use core::arch::asm;

/// In memory as `paddd` and `pshufb` demand it: at a multiple of 16 bytes.
#[repr(C, align(64))]
struct AlignedTable<T>(T);

/// The constants of the rounds, and behind them the order of bytes in which words are read.
static CONSTANTS: AlignedTable<[u32; 68]> = {
    let mut all = [0; 68];
    let mut i = 0;
    while i < 64 {
        all[i] = K[i];
        i += 1;
    }
    all[64] = 0x00010203;
    all[65] = 0x04050607;
    all[66] = 0x08090a0b;
    all[67] = 0x0c0d0e0f;
    AlignedTable(all)
};

/// Four rounds of one message, whose next four words of the schedule are in xmm13: `$abef` and
/// `$cdgh` are its registers, `$q` and `$j` say which rounds, 16 · `$q` + 4 · `$j` and on.
macro_rules! rounds {
    ($abef:literal $cdgh:literal, $q:literal $j:literal) => {
        concat!(
            "movdqa xmm0, [{k} + 64 * ",
            $q,
            " + 16 * ",
            $j,
            "]\n",
            "paddd xmm0, xmm13\n",
            "sha256rnds2 xmm",
            $cdgh,
            ", xmm",
            $abef,
            ", xmm0\n",
            "punpckhqdq xmm0, xmm0\n",
            "sha256rnds2 xmm",
            $abef,
            ", xmm",
            $cdgh,
            ", xmm0\n",
        )
    };
}

/// Four words of the message itself, and their rounds.
macro_rules! first {
    ($lane:literal $p:literal $abef:literal $cdgh:literal, $j:literal) => {
        concat!(
            "movdqu xmm13, [{", $p, "} + 16 * ", $j, "]\n",
            "pshufb xmm13, [{k} + 256]\n",
            "movdqa [{w} + 64 * ", $lane, " + 16 * ", $j, "], xmm13\n",
            rounds!($abef $cdgh, 0 $j),
        )
    };
}

/// Four further words (FIPS 180-4, section 6.2.2, step 1), and their rounds. `$j`, `$j1`, `$j2`,
/// `$j3`: the places of the words 16, 12, 8 and 4 before these.
macro_rules! further {
    ($lane:literal $abef:literal $cdgh:literal, $q:literal $j:literal $j1:literal $j2:literal $j3:literal) => {
        concat!(
            "movdqa xmm13, [{w} + 64 * ", $lane, " + 16 * ", $j, "]\n",
            "sha256msg1 xmm13, [{w} + 64 * ", $lane, " + 16 * ", $j1, "]\n",
            "movdqa xmm14, [{w} + 64 * ", $lane, " + 16 * ", $j3, "]\n",
            "movdqa xmm15, xmm14\n",
            "palignr xmm14, [{w} + 64 * ", $lane, " + 16 * ", $j2, "], 4\n",
            "paddd xmm13, xmm14\n",
            "sha256msg2 xmm13, xmm15\n",
            "movdqa [{w} + 64 * ", $lane, " + 16 * ", $j, "], xmm13\n",
            rounds!($abef $cdgh, $q $j),
        )
    };
}

/// A kernel over the lanes that are listed: number, name of the pointer, registers of the state.
macro_rules! kernel {
    ($name:ident, $n:literal, $(($lane:literal $p:ident $pointer:literal $abef:literal $cdgh:literal $x:tt $y:tt))*) => {
        /// Compresses `blocks` blocks of each message.
        ///
        /// # Safety
        /// As [`sha256_ni::compress`](super::sha256_ni::compress) for as many messages.
        #[inline(always)]
        pub(crate) unsafe fn $name(state: *mut u32, messages: *const &[u8], blocks: usize) {
            if blocks == 0 {
                return;
            }
            // The states at the beginning of a block, and the last sixteen words of each schedule.
            let mut before = AlignedTable([0u32; 8 * $n]);
            let mut words = AlignedTable([0u32; 16 * $n]);
            // SAFETY: instructions and states are promised; a message has 64 · `blocks` bytes,
            // a turn reads the next 64; buffers have 32 and 64 bytes a message; K has 64 words and
            // the order of bytes behind them. All registers that are written are named.
            unsafe {
                $(let mut $p = Lane::load(state.add(8 * $lane));)*
                asm!(
                    "2:",
                    $(concat!("movdqa [{before} + 32 * ", $lane, "], xmm", $abef),
                      concat!("movdqa [{before} + 32 * ", $lane, " + 16], xmm", $cdgh),)*
                    $(first!($lane $pointer $abef $cdgh, 0),)*
                    $(first!($lane $pointer $abef $cdgh, 1),)*
                    $(first!($lane $pointer $abef $cdgh, 2),)*
                    $(first!($lane $pointer $abef $cdgh, 3),)*
                    $(further!($lane $abef $cdgh, 1 0 1 2 3),)*
                    $(further!($lane $abef $cdgh, 1 1 2 3 0),)*
                    $(further!($lane $abef $cdgh, 1 2 3 0 1),)*
                    $(further!($lane $abef $cdgh, 1 3 0 1 2),)*
                    $(further!($lane $abef $cdgh, 2 0 1 2 3),)*
                    $(further!($lane $abef $cdgh, 2 1 2 3 0),)*
                    $(further!($lane $abef $cdgh, 2 2 3 0 1),)*
                    $(further!($lane $abef $cdgh, 2 3 0 1 2),)*
                    $(further!($lane $abef $cdgh, 3 0 1 2 3),)*
                    $(further!($lane $abef $cdgh, 3 1 2 3 0),)*
                    $(further!($lane $abef $cdgh, 3 2 3 0 1),)*
                    $(further!($lane $abef $cdgh, 3 3 0 1 2),)*
                    $(concat!("paddd xmm", $abef, ", [{before} + 32 * ", $lane, "]"),
                      concat!("paddd xmm", $cdgh, ", [{before} + 32 * ", $lane, " + 16]"),
                      concat!("add {", $pointer, "}, 64"),)*
                    "dec {blocks}",
                    "jnz 2b",
                    blocks = inout(reg) blocks => _,
                    k = in(reg) CONSTANTS.0.as_ptr(),
                    before = in(reg) before.0.as_mut_ptr(),
                    w = in(reg) words.0.as_mut_ptr(),
                    $($p = inout(reg) (*messages.add($lane)).as_ptr() => _,
                      inout($x) $p.abef, inout($y) $p.cdgh,)*
                    out("xmm0") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
                $($p.store(state.add(8 * $lane));)*
            }
        }
    };
}

kernel!(four, 4, (0 p0 "p0" 1 2 "xmm1" "xmm2") (1 p1 "p1" 3 4 "xmm3" "xmm4") (2 p2 "p2" 5 6 "xmm5" "xmm6")
    (3 p3 "p3" 7 8 "xmm7" "xmm8"));
kernel!(six, 6, (0 p0 "p0" 1 2 "xmm1" "xmm2") (1 p1 "p1" 3 4 "xmm3" "xmm4") (2 p2 "p2" 5 6 "xmm5" "xmm6")
    (3 p3 "p3" 7 8 "xmm7" "xmm8") (4 p4 "p4" 9 10 "xmm9" "xmm10") (5 p5 "p5" 11 12 "xmm11" "xmm12"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use crate::single::sha256_ni;

    #[target_feature(enable = "sha,ssse3,sse4.1")]
    fn both<const N: usize>(states: &[u32; 48], messages: &[&[u8]; 6], blocks: usize) -> ([u32; 48], [u32; 48]) {
        let (mut ours, mut oracle) = (*states, *states);
        // SAFETY: the test has asked for the instructions; there are states and messages of at
        // least `blocks` blocks for six lanes.
        unsafe {
            match N {
                4 => four(ours.as_mut_ptr(), messages.as_ptr(), blocks),
                _ => six(ours.as_mut_ptr(), messages.as_ptr(), blocks),
            }
            sha256_ni::compress::<N>(oracle.as_mut_ptr(), messages.as_ptr(), blocks);
        }
        (ours, oracle)
    }

    #[test]
    fn assembly_equals_intrinsics_for_every_number_of_blocks() {
        if !Isa::ShaNi.detected() {
            println!("skipped: no SHA extensions");
            return;
        }
        let mut random = 7u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random.rotate_left(13)
        };
        let states: [u32; 48] = std::array::from_fn(|_| next());
        // Each message begins at another distance from a multiple of 16.
        let bytes: Vec<u8> = (0..6 * 4099 + 1).map(|_| next() as u8).collect();
        let messages: [&[u8]; 6] = std::array::from_fn(|lane| &bytes[lane * 4099 + 1..][..4096]);
        for blocks in 0..=64 {
            // SAFETY: the instructions have been detected.
            let (four, six) = unsafe { (both::<4>(&states, &messages, blocks), both::<6>(&states, &messages, blocks)) };
            assert_eq!(four.0, four.1, "four messages of {blocks} blocks");
            assert_eq!(six.0, six.1, "six messages of {blocks} blocks");
        }
    }
}
