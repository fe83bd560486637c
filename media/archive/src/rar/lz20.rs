//! How RAR 2 packs: blocks of matches and literals by prefix codes, or of samples that are
//! predicted.

use super::bits::{Bits, codes, wrong};
use super::filter::adapt;
use super::tables::{DISTANCES, LENGTHS, SHORT, bonus};
use super::window::Window;
use crate::prefix::Codes;
use std::io;

/// Symbols of the codes: of literals and lengths, of distances, of the lengths of matches at a
/// distance that was used before, and of the samples of a channel.
const MAIN: usize = 298;
const FAR: usize = 48;
const AGAIN: usize = 28;
const SAMPLES: usize = 257;
/// Symbols of one step.
const STEP: usize = 512;

#[derive(Clone, Copy, Default)]
struct Channel {
    weights: [i32; 5],
    deltas: [i32; 4],
    last_delta: i32,
    last: u8,
    count: u32,
    errors: [u32; 11],
}

/// The state of the decoder.
pub struct Lz20 {
    lengths: [u8; SAMPLES * 4],
    /// Codes of literals, distances and lengths; or one for each channel.
    tables: Vec<Codes>,
    is_sound: bool,
    before: [u64; 4],
    last: usize,
    channels: [Channel; 4],
    count: usize,
    current: usize,
    delta: i32,
}

impl Lz20 {
    /// A decoder for the first member of a group.
    pub fn new() -> Lz20 {
        Lz20 {
            lengths: [0; SAMPLES * 4],
            tables: Vec::new(),
            is_sound: false,
            before: [0; 4],
            last: 0,
            channels: [Channel::default(); 4],
            count: 1,
            current: 0,
            delta: 0,
        }
    }

    /// Another member begins.
    ///
    /// # Errors
    /// Those of the input, and contradictions in it.
    pub fn begin(&mut self, bits: &mut Bits) -> io::Result<()> {
        if self.tables.is_empty() { self.tables(bits) } else { Ok(()) }
    }

    /// The head of a block.
    fn tables(&mut self, bits: &mut Bits) -> io::Result<()> {
        self.is_sound = bits.bits(1)? == 1;
        if bits.bits(1)? == 0 {
            self.lengths.fill(0);
        }
        let mut all = MAIN + FAR + AGAIN;
        if self.is_sound {
            self.count = bits.bits(2)? as usize + 1;
            self.current = if self.current < self.count { self.current } else { 0 };
            all = SAMPLES * self.count;
        }
        let mut firsts = [0_u8; 19];
        for length in &mut firsts {
            *length = bits.bits(4)? as u8;
        }
        let firsts = codes(&firsts)?;
        let mut at = 0;
        while at < all {
            let (value, count) = match bits.symbol(&firsts)? {
                16 if at == 0 => return Err(wrong("a length that repeats none")),
                16 => (self.lengths[at - 1], 3 + bits.bits(2)?),
                17 => (0, 3 + bits.bits(3)?),
                18 => (0, 11 + bits.bits(7)?),
                length => ((self.lengths[at] + length as u8) & 0xf, 1),
            };
            let end = (at + count as usize).min(all);
            self.lengths[at..end].fill(value);
            at = end;
        }
        self.tables.clear();
        if self.is_sound {
            for channel in self.lengths[..all].chunks(SAMPLES) {
                self.tables.push(codes(channel)?);
            }
        } else {
            let (main, rest) = self.lengths[..all].split_at(MAIN);
            let (far, again) = rest.split_at(FAR);
            for lengths in [main, far, again] {
                self.tables.push(codes(lengths)?);
            }
        }
        Ok(())
    }

    /// Decodes a little more, up to `end` bytes of the member; whether there may be more.
    ///
    /// # Errors
    /// Those of the input, and contradictions in it.
    pub fn step(&mut self, bits: &mut Bits, window: &mut Window, end: u64) -> io::Result<bool> {
        for _ in 0..STEP {
            if window.written() >= end {
                return Ok(false);
            }
            if self.is_sound { self.sample(bits, window)? } else { self.coded(bits, window)? }
        }
        Ok(window.written() < end)
    }

    /// Behind the last byte of a member that another one goes on from: tables for it may follow.
    pub fn end(&mut self, bits: &mut Bits) {
        let (place, mark) = if self.is_sound { (self.current, 256) } else { (0, 269) };
        if bits.has_bytes(5).unwrap_or(false)
            && let Some(codes) = self.tables.get(place)
            && bits.symbol(codes).is_ok_and(|symbol| symbol == mark)
            && self.tables(bits).is_err()
        {
            self.tables.clear();
        }
    }

    fn matched(&mut self, distance: u64, length: usize, window: &mut Window) -> io::Result<()> {
        self.before.copy_within(..3, 1);
        (self.before[0], self.last) = (distance, length);
        window.again(distance, length)
    }

    fn coded(&mut self, bits: &mut Bits, window: &mut Window) -> io::Result<()> {
        let [main, far, again] = &self.tables[..] else { return Err(wrong("a block without tables")) };
        match bits.symbol(main)? {
            literal @ 0..256 => window.push(literal as u8),
            256 => self.matched(self.before[0], self.last, window)?,
            symbol @ 257..261 => {
                let distance = self.before[symbol - 257];
                let (base, extra) = LENGTHS[bits.symbol(again)?];
                let length = 2 + base as usize + bits.bits(extra.into())? as usize;
                let length = length + usize::from(distance >= 0x101) + bonus(distance);
                self.matched(distance, length, window)?;
            }
            symbol @ 261..269 => {
                let (base, extra) = SHORT[symbol - 261];
                let distance = u64::from(1 + base + bits.bits(extra.into())?);
                self.matched(distance, 2, window)?;
            }
            269 => self.tables(bits)?,
            symbol => {
                let (base, extra) = LENGTHS[symbol - 270];
                let length = 3 + base as usize + bits.bits(extra.into())? as usize;
                let (base, extra) = DISTANCES[bits.symbol(far)?];
                let distance = u64::from(1 + base + bits.bits(extra.into())?);
                self.matched(distance, length + bonus(distance), window)?;
            }
        }
        Ok(())
    }

    fn sample(&mut self, bits: &mut Bits, window: &mut Window) -> io::Result<()> {
        let codes = self.tables.get(self.current).ok_or_else(|| wrong("a block without tables"))?;
        let symbol = bits.symbol(codes)?;
        if symbol == 256 {
            return self.tables(bits);
        }
        let channel = &mut self.channels[self.current];
        channel.count += 1;
        let [first, second, third, _] = channel.deltas;
        channel.deltas = [channel.last_delta, channel.last_delta - first, second, third];
        let taps = channel.deltas.iter().chain([&self.delta]);
        let sum: i32 = taps.zip(&channel.weights).map(|(delta, weight)| delta * weight).sum();
        let predicted = (i32::from(channel.last) * 8 + sum) >> 3;
        let value = (predicted as u8).wrapping_sub(symbol as u8);
        let error = i32::from(symbol as u8 as i8) << 3;
        channel.errors[0] = channel.errors[0].wrapping_add(error.unsigned_abs());
        for (pair, delta) in channel.deltas.iter().chain([&self.delta]).enumerate() {
            channel.errors[pair * 2 + 1] = channel.errors[pair * 2 + 1].wrapping_add((error - delta).unsigned_abs());
            channel.errors[pair * 2 + 2] = channel.errors[pair * 2 + 2].wrapping_add((error + delta).unsigned_abs());
        }
        channel.last_delta = i32::from(value.wrapping_sub(channel.last) as i8);
        self.delta = channel.last_delta;
        channel.last = value;
        if channel.count.is_multiple_of(32) {
            adapt(&mut channel.weights, &mut channel.errors);
        }
        self.current = (self.current + 1) % self.count;
        window.push(value);
        Ok(())
    }
}
