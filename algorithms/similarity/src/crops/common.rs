//! The points that two pictures have in common: at the same places of one scene, if one picture is
//! laid over the other.

use super::digest::{Digest, Point};
use crate::pdq::Orientation;

/// The bits of a form that decide: the low frequencies, whose sums are at most this; the others
/// change with each writing of a JPEG.
const HIGHEST: u32 = 6;
/// The bits of [`HIGHEST`] and the point's own kind.
const DECIDING: u64 = low(HIGHEST);
/// In how many of these bits two points of one place may differ.
const MOST_BITS: u32 = 4;
/// Two halves of these bits; all of one are equal. Two points that differ in one
/// bit are always found, others often.
pub(crate) const HALVES: [u64; 2] = halves();
/// Pairs of points that are looked at: more do not say more.
const MOST_PAIRS: usize = 96;
/// From that many common places on no better way to lay one picture over the other is looked for:
/// of two copies most are at once.
const ENOUGH: u8 = 32;
/// By how much the sizes of a place may differ from that of all, in sixteenths of an octave.
const SIZES: i64 = 8;

const fn low(highest: u32) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < 64 {
        if at / 8 + at % 8 <= highest {
            bits |= 1 << at;
        }
        at += 1;
    }
    bits
}

/// The deciding bits in turns, and the point's own kind in both.
const fn halves() -> [u64; 2] {
    let (mut halves, mut at, mut turn) = ([1, 1], 1, 0);
    while at < 64 {
        if DECIDING >> at & 1 != 0 {
            halves[turn] |= 1 << at;
            turn = 1 - turn;
        }
        at += 1;
    }
    halves
}

/// Whether two forms, the second as it is turned, are alike.
pub(crate) fn is_alike(one: u64, other: u64) -> bool {
    let differ = one ^ other;
    (differ & DECIDING).count_ones() <= MOST_BITS && HALVES.iter().any(|half| differ & half == 0)
}

/// How many places two pictures have in common, in the orientation of the second where they are
/// most.
pub fn common(a: &Digest, b: &Digest) -> u8 {
    let of = |orientation: Orientation| {
        let forms: Vec<u64> = b.points().iter().map(|point| turned(orientation, point.form)).collect();
        let alike = (0..a.points().len()).flat_map(|i| (0..forms.len()).map(move |j| (i, j)));
        let alike = alike.filter(|&(i, j)| is_alike(a.points()[i].form, forms[j]));
        count(a, b, orientation, alike)
    };
    Orientation::ALL.into_iter().map(of).max().unwrap_or(0)
}

/// Those of a point in a turned picture.
pub(crate) fn turned(orientation: Orientation, form: u64) -> u64 {
    let [across, down, diagonal] = orientation.parts();
    let columns = if across { 0xaaaa_aaaa_aaaa_aaaa } else { 0 };
    let rows = if down { 0xff00_ff00_ff00_ff00 } else { 0 };
    let form = form ^ columns ^ rows;
    if diagonal { transposed(form) } else { form }
}

fn transposed(mut form: u64) -> u64 {
    // Blocks of 1, 2 and 4 bits change places across the diagonal.
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let both = (form ^ form >> shift) & mask;
        form ^= both ^ both << shift;
    }
    form
}

/// Two points with the same surroundings, the first picture's, and the second one's as it is
/// turned.
#[derive(Clone, Copy)]
struct Match {
    bits: u32,
    a: [i64; 2],
    b: [i64; 2],
    /// By how much larger the second is, in sixteenths of an octave.
    size: i64,
}

/// How many places two pictures have in common in one orientation of the second. `candidates` are
/// the numbers of points with alike surroundings.
pub(crate) fn count(
    a: &Digest,
    b: &Digest,
    orientation: Orientation,
    candidates: impl Iterator<Item = (usize, usize)>,
) -> u8 {
    let [across, down, diagonal] = orientation.parts();
    let place = |point: &Point, is_turned: bool| {
        let [x, y] = [point.x, point.y].map(i64::from);
        let x = if is_turned && across { -x } else { x };
        let y = if is_turned && down { -y } else { y };
        if is_turned && diagonal { [y, x] } else { [x, y] }
    };
    let of = |(i, j): (usize, usize)| {
        let (one, other) = (&a.points()[i], &b.points()[j]);
        Match {
            bits: ((one.form ^ turned(orientation, other.form)) & DECIDING).count_ones(),
            a: place(one, false),
            b: place(other, true),
            size: i64::from(other.size) - i64::from(one.size),
        }
    };
    let mut matches: Vec<Match> = candidates.map(of).collect();
    matches.sort_by_key(|of| (of.bits, of.a, of.b));
    matches.truncate(MOST_PAIRS);
    let mut best = 0;
    for (at, first) in matches.iter().enumerate() {
        for second in &matches[at + 1..] {
            best = best.max(laid(&matches, first, second));
            if best >= ENOUGH {
                return best;
            }
        }
    }
    best
}

/// How many places agree if two of them do.
fn laid(matches: &[Match], first: &Match, second: &Match) -> u8 {
    if (first.size - second.size).abs() > SIZES {
        return 0;
    }
    let apart = |one: [i64; 2], other: [i64; 2]| [other[0] - one[0], other[1] - one[1]];
    let [of_a, of_b] = [apart(first.a, second.a), apart(first.b, second.b)];
    let squared = |[x, y]: [i64; 2]| x * x + y * y;
    // Two that are close say little of the scale.
    let (long_a, long_b) = (squared(of_a), squared(of_b));
    if long_a < 40 * 40 * 256 / 16 || long_b < 40 * 40 * 256 / 16 {
        return 0;
    }
    // The scale is dot / long_a, in 2^12ths.
    let dot = of_a[0] * of_b[0] + of_a[1] * of_b[1];
    if dot <= 0 {
        return 0;
    }
    let scale = (dot << 12) / long_a;
    let slack = |scale: i64| 32 + scale * 32 / 4096;
    let near = |of: &Match| {
        let [x, y] = apart(first.a, of.a);
        let expected = [first.b[0] + ((x * scale) >> 12), first.b[1] + ((y * scale) >> 12)];
        let [off_x, off_y] = apart(expected, of.b);
        off_x.abs().max(off_y.abs()) <= slack(scale)
    };
    if !near(second) {
        return 0;
    }
    // 16 log2 of the scale, from the sizes, must be the same.
    let sizes = (first.size + second.size) / 2;
    let octave = (16.0 * (scale as f64 / 4096.0).log2()).round() as i64;
    if (octave - sizes).abs() > SIZES {
        return 0;
    }
    // Each place once, in either picture.
    let mut taken: Vec<([i64; 2], [i64; 2])> = Vec::new();
    for of in matches.iter().filter(|of| (of.size - octave).abs() <= SIZES && near(of)) {
        let is_new =
            |(a, b): &([i64; 2], [i64; 2])| squared(apart(*a, of.a)) >= 64 * 64 && squared(apart(*b, of.b)) >= 64 * 64;
        if taken.iter().all(is_new) {
            taken.push((of.a, of.b));
        }
    }
    // Fits: at most MOST_PAIRS.
    taken.len() as u8
}
