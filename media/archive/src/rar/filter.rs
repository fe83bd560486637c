//! The filters of RAR, which undo a change of a range of bytes.

use super::bits::wrong;
use std::io;

/// The size that addresses are counted within.
const SPACE: u32 = 1 << 24;

/// A filter with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Differences of this many interleaved channels.
    Delta(usize),
    /// Targets of calls, and of jumps as well; positions go round at 16 MiB in RAR 5.
    Calls { and_jumps: bool, goes_round: bool },
    /// Targets of ARM's calls.
    Arm,
    /// Targets of Itanium's branches.
    Itanium,
    /// Pixels of three bytes: bytes of a line, and the place of red.
    Pixels(usize, usize),
    /// Samples of this many channels.
    Samples(usize),
}

impl Filter {
    /// The bytes of a range that begins there in the member.
    ///
    /// # Errors
    /// When its parameters make no sense.
    pub fn apply(self, mut data: Vec<u8>, at: u64) -> io::Result<Vec<u8>> {
        match self {
            Filter::Delta(channels) => return delta(&data, channels),
            Filter::Calls { and_jumps, goes_round } => calls(&mut data, at as u32, and_jumps, goes_round),
            Filter::Arm => arm(&mut data, at as u32),
            Filter::Itanium => itanium(&mut data, at as u32),
            Filter::Pixels(line, red) => return pixels(&data, line, red),
            Filter::Samples(channels) => return samples(&data, channels),
        }
        Ok(data)
    }
}

fn word(data: &[u8], at: usize) -> u32 {
    pfh_bytes::field::le32(data, at)
}

fn delta(data: &[u8], channels: usize) -> io::Result<Vec<u8>> {
    if channels == 0 || channels > 1024 {
        return Err(wrong("a filter of no channels"));
    }
    let mut out = vec![0; data.len()];
    let mut from = data.iter();
    for channel in 0..channels {
        let mut value = 0_u8;
        for (place, byte) in out.iter_mut().skip(channel).step_by(channels).zip(&mut from) {
            value = value.wrapping_sub(*byte);
            *place = value;
        }
    }
    Ok(out)
}

fn calls(data: &mut [u8], start: u32, and_jumps: bool, goes_round: bool) {
    let mut at = 0;
    while at + 4 < data.len() {
        let opcode = data[at];
        at += 1;
        if opcode != 0xe8 && !(and_jumps && opcode == 0xe9) {
            continue;
        }
        let place = start.wrapping_add(at as u32);
        let offset = if goes_round { place % SPACE } else { place };
        let address = word(data, at);
        let found = if address & 0x8000_0000 != 0 {
            (address.wrapping_add(offset) & 0x8000_0000 == 0).then(|| address.wrapping_add(SPACE))
        } else {
            (address < SPACE).then(|| address.wrapping_sub(offset))
        };
        if let Some(found) = found {
            data[at..at + 4].copy_from_slice(&found.to_le_bytes());
        }
        at += 4;
    }
}

fn arm(data: &mut [u8], start: u32) {
    for (index, code) in data.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        if code[3] == 0xeb {
            let offset = start.wrapping_add(index as u32 * 4) / 4;
            let target = u32::from_le_bytes([code[0], code[1], code[2], 0]).wrapping_sub(offset);
            code[..3].copy_from_slice(&target.to_le_bytes()[..3]);
        }
    }
}

/// Slots of a bundle that may hold a branch, by its template from 16 on.
const SLOTS: [u8; 16] = [4, 4, 6, 6, 0, 0, 7, 7, 4, 4, 0, 0, 4, 4, 0, 0];

fn itanium(data: &mut [u8], start: u32) {
    let mut number = start >> 4;
    let mut at = 0;
    while at + 21 < data.len() {
        let template = usize::from(data[at] & 0x1f);
        let slots = template.checked_sub(16).map_or(0, |template| SLOTS[template]);
        for slot in (0..3).filter(|slot| slots >> slot & 1 == 1) {
            let first = slot * 41 + 5;
            if field(&data[at..], first + 37, 4) == 5 {
                let place = field(&data[at..], first + 13, 20);
                set_field(&mut data[at..], first + 13, place.wrapping_sub(number) & 0xf_ffff);
            }
        }
        number = number.wrapping_add(1);
        at += 16;
    }
}

/// Bits of a bundle, at most 20.
fn field(data: &[u8], first: usize, count: u32) -> u32 {
    word(data, first / 8) >> (first % 8) & ((1 << count) - 1)
}

fn set_field(data: &mut [u8], first: usize, value: u32) {
    let (at, shift) = (first / 8, first % 8);
    let found = word(data, at) & !(0xf_ffff << shift) | value << shift;
    data[at..at + 4].copy_from_slice(&found.to_le_bytes());
}

fn pixels(data: &[u8], line: usize, red: usize) -> io::Result<Vec<u8>> {
    let line = line.checked_sub(3).filter(|line| *line <= data.len() && red <= 2);
    let line = line.ok_or_else(|| wrong("a filter of pixels with an impossible line"))?;
    let mut out = vec![0_u8; data.len()];
    let mut from = data.iter();
    for channel in 0..3 {
        let mut left = 0_u8;
        for at in (channel..out.len()).step_by(3) {
            let predicted = if at >= line + 3 {
                let (up, corner) = (i32::from(out[at - line]), i32::from(out[at - line - 3]));
                let base = i32::from(left) + up - corner;
                let [far_left, far_up, far_corner] =
                    [i32::from(left), up, corner].map(|value| (base - value).unsigned_abs());
                if far_left <= far_up && far_left <= far_corner {
                    left
                } else if far_up <= far_corner {
                    up as u8
                } else {
                    corner as u8
                }
            } else {
                left
            };
            left = predicted.wrapping_sub(from.next().copied().unwrap_or(0));
            out[at] = left;
        }
    }
    for at in (red..out.len().saturating_sub(2)).step_by(3) {
        let green = out[at + 1];
        out[at] = out[at].wrapping_add(green);
        out[at + 2] = out[at + 2].wrapping_add(green);
    }
    Ok(out)
}

fn samples(data: &[u8], channels: usize) -> io::Result<Vec<u8>> {
    if channels == 0 || channels > 128 {
        return Err(wrong("a filter of no channels"));
    }
    let mut out = vec![0; data.len()];
    let mut from = data.iter();
    for channel in 0..channels {
        let (mut last, mut last_delta) = (0_u8, 0_i32);
        let (mut deltas, mut weights, mut errors) = ([0_i32; 3], [0_i32; 3], [0_u32; 7]);
        for (count, place) in out.iter_mut().skip(channel).step_by(channels).enumerate() {
            deltas = [last_delta, last_delta - deltas[0], deltas[1]];
            let sum: i32 = deltas.iter().zip(&weights).map(|(delta, weight)| delta * weight).sum();
            let predicted = (i32::from(last) * 8 + sum) >> 3;
            let byte = from.next().copied().unwrap_or(0);
            let value = (predicted as u8).wrapping_sub(byte);
            last_delta = i32::from(value.wrapping_sub(last) as i8);
            last = value;
            *place = value;
            let error = i32::from(byte as i8) << 3;
            errors[0] = errors[0].wrapping_add(error.unsigned_abs());
            for (pair, delta) in deltas.iter().enumerate() {
                errors[pair * 2 + 1] = errors[pair * 2 + 1].wrapping_add((error - delta).unsigned_abs());
                errors[pair * 2 + 2] = errors[pair * 2 + 2].wrapping_add((error + delta).unsigned_abs());
            }
            if count % 32 == 0 {
                adapt(&mut weights, &mut errors);
            }
        }
    }
    Ok(out)
}

/// Changes the weight whose change would have given the smallest error, and forgets the errors:
/// the first is that of no change, then one for less and one for more of each weight.
pub fn adapt(weights: &mut [i32], errors: &mut [u32]) {
    let best = errors.iter().enumerate().min_by_key(|(_, error)| **error).map_or(0, |(best, _)| best);
    if let Some(weight) = best.checked_sub(1).and_then(|best| weights.get_mut(best / 2)) {
        match best % 2 {
            1 if *weight >= -16 => *weight -= 1,
            0 if *weight < 16 => *weight += 1,
            _ => {}
        }
    }
    errors.fill(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_distances_again() {
        // A call at 100 whose target is 0x1234, counted from the start of the member.
        let call = [0xe8, 0x34, 0x12, 0, 0];
        let three = Filter::Calls { and_jumps: false, goes_round: false };
        let found = three.apply(call.to_vec(), 100).unwrap();
        assert_eq!(found[1..], (0x1234_u32 - 101).to_le_bytes());
        let jump = [0xe9, 0x34, 0x12, 0, 0];
        assert_eq!(three.apply(jump.to_vec(), 100).unwrap(), jump);
        let five = Filter::Calls { and_jumps: true, goes_round: true };
        assert_eq!(five.apply(jump.to_vec(), 100 + (1 << 24)).unwrap()[1..], (0x1234_u32 - 101).to_le_bytes());
        let arm = Filter::Arm.apply(vec![0x34, 0x12, 0, 0xeb], 0x100).unwrap();
        assert_eq!(arm, [0xf4, 0x11, 0, 0xeb]);
    }

    #[test]
    fn channels_are_put_together() {
        assert_eq!(Filter::Delta(2).apply(vec![0xff, 0xff, 0xfe, 0xfe], 0).unwrap(), [1, 2, 2, 4]);
        assert!(Filter::Delta(0).apply(vec![1], 0).is_err() && Filter::Samples(0).apply(vec![1], 0).is_err());
        // Pixels of one colour each: the first states it, and green is taken from its neighbours.
        let flat = Filter::Pixels(9, 0).apply(vec![0xf6, 0, 0, 0, 0xec, 0, 0, 0, 0xe2, 0, 0, 0], 0).unwrap();
        assert_eq!(flat, [30, 20, 50, 30, 20, 50, 30, 20, 50, 30, 20, 50]);
        assert!(Filter::Pixels(2, 0).apply(vec![0; 12], 0).is_err());
        // Silence stays silent.
        assert_eq!(Filter::Samples(2).apply(vec![0; 64], 0).unwrap(), vec![0; 64]);
    }
}
