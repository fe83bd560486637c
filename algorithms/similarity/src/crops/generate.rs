//! Generation.

use super::digest::{Digest, LEAST_POINTS, MOST_POINTS, Point};
use super::pyramid::{self, Octave, POINT, Plane, Reducer, SCALES};
use crate::pictures::{PictureBytes, decode};
use crate::{Hasher, NoDigest};

/// The least difference from the surroundings, of a luma from 0 to 255.
const LEAST_CONTRAST: i32 = (3 << POINT) / 2;
/// By how much one curvature may be stronger than the other one: along an edge no place is one.
const EDGE: i64 = 10;
/// Samples of a side of the surroundings.
const SAMPLES: usize = 8;
/// Deviations between two samples.
const STEP: f64 = 1.5;

/// One input on its way to a digest.
#[derive(Clone, Debug, Default)]
pub struct Generator(PictureBytes);

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self) -> Result<Digest, NoDigest> {
        let mut reduced = Reducer::default();
        self.0.decode(&mut reduced)?;
        of(reduced)
    }
}

/// The digest of a file.
pub fn of_file(bytes: &[u8]) -> Result<Digest, NoDigest> {
    let mut reduced = Reducer::default();
    decode(bytes, &mut reduced)?;
    of(reduced)
}

fn of(reduced: Reducer) -> Result<Digest, NoDigest> {
    let plane = reduced.plane();
    let mut found = Vec::new();
    pyramid::octaves(&plane, |number, octave| points(number as u32, octave, &mut found));
    // The strongest ones; of equal ones those at the top.
    found.sort_by_key(|(contrast, point)| (std::cmp::Reverse(*contrast), *point));
    found.truncate(MOST_POINTS);
    let mut points: Vec<Point> = found.into_iter().map(|(_, point)| point).collect();
    points.sort_unstable();
    points.dedup();
    if points.len() < LEAST_POINTS { Err(NoDigest::LowEntropy) } else { Ok(Digest::new(points)) }
}

/// The points of an octave with their contrast.
fn points(number: u32, octave: &Octave, found: &mut Vec<(i32, Point)>) {
    for scale in 1..=SCALES {
        let [below, own, above] = [scale - 1, scale, scale + 1].map(|scale| &octave.differences[scale]);
        for y in 1..own.height - 1 {
            for x in 1..own.width - 1 {
                let value = own.at(x, y);
                if value.abs() < LEAST_CONTRAST || !is_extreme(value, [below, own, above], x, y) || is_edge(own, x, y) {
                    continue;
                }
                let place = (offset([own.at(x - 1, y), value, own.at(x + 1, y)]), x);
                let line = (offset([own.at(x, y - 1), value, own.at(x, y + 1)]), y);
                let size = offset([below.at(x, y), value, above.at(x, y)]);
                let [x, y] = [place, line].map(|(offset, place)| place as i32 * 16 + offset);
                // In sixteenths of an octave.
                let size = (16 * (number as i32 * 3 + scale as i32) + size) / 3;
                let own_size = size - 16 * number as i32;
                let deviation = 1.6 * 2f64.powf(f64::from(own_size) / 16.0);
                let Some(form) = form(&octave.blurred[scale], [x, y], deviation, value > 0) else { continue };
                // A picture is at most 2,048 pixels wide, so that places fit.
                let [x, y] = [x, y].map(|place| (place << number).clamp(0, u16::MAX.into()) as u16);
                found.push((value.abs(), Point { y, x, size: size as u8, form }));
            }
        }
    }
}

fn is_extreme(value: i32, planes: [&Plane; 3], x: usize, y: usize) -> bool {
    let around = |plane: &Plane, own: bool| {
        (y - 1..=y + 1).all(|line| {
            let row = &plane.pixels[line * plane.width + x - 1..=line * plane.width + x + 1];
            row.iter().enumerate().all(|(at, other)| {
                (own && line == y && at == 1) || if value > 0 { value > *other } else { value < *other }
            })
        })
    };
    around(planes[1], true) && around(planes[0], false) && around(planes[2], false)
}

fn is_edge(plane: &Plane, x: usize, y: usize) -> bool {
    let at = |x, y| i64::from(plane.at(x, y));
    let twice = 2 * at(x, y);
    let [xx, yy] = [at(x - 1, y) + at(x + 1, y) - twice, at(x, y - 1) + at(x, y + 1) - twice];
    // Four times the mixed one.
    let xy = at(x + 1, y + 1) + at(x - 1, y - 1) - at(x - 1, y + 1) - at(x + 1, y - 1);
    let determinant = 16 * xx * yy - xy * xy;
    determinant <= 0 || 16 * (xx + yy) * (xx + yy) * EDGE >= (EDGE + 1) * (EDGE + 1) * determinant
}

/// Where the top of a parabola through three values is, in sixteenths of the distance of two.
fn offset([before, own, after]: [i32; 3]) -> i32 {
    let bend = before - 2 * own + after;
    if bend == 0 { 0 } else { (8 * (before - after) / bend).clamp(-8, 8) }
}

/// The form of the surroundings of a place, which is in sixteenths of a pixel. None where they are
/// not all in the picture.
fn form(plane: &Plane, [x, y]: [i32; 2], deviation: f64, is_dark: bool) -> Option<u64> {
    let step = (STEP * deviation * 16.0).round() as i32;
    let reach = step * (SAMPLES as i32 - 1) / 2 + 16;
    let [wide, high] = [plane.width, plane.height].map(|side| 16 * (side as i32 - 1));
    if x < reach || y < reach || x + reach > wide || y + reach > high {
        return None;
    }
    let place = |at: i32, number: usize| at + step * (2 * number as i32 - (SAMPLES as i32 - 1)) / 2;
    let sample = |x: i32, y: i32| {
        let [left, top] = [x, y].map(|place| (place >> 4) as usize);
        let [across, down] = [x & 15, y & 15];
        let line = |y| plane.at(left, y) * (16 - across) + plane.at(left + 1, y) * across;
        i64::from((line(top) * (16 - down) + line(top + 1) * down) >> 8)
    };
    let samples: [[i64; SAMPLES]; SAMPLES] =
        std::array::from_fn(|line| std::array::from_fn(|column| sample(place(x, column), place(y, line))));
    let coefficients = crate::pictures::transform::<SAMPLES, SAMPLES>(&samples, 0);
    let mut form = u64::from(is_dark);
    for (at, coefficient) in coefficients.iter().flatten().enumerate().skip(1) {
        form |= u64::from(*coefficient > 0) << at;
    }
    Some(form)
}
