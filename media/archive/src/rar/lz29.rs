//! How RAR 3 and 4 pack: blocks of matches and literals by prefix codes, or of PPMd.

use super::bits::{Bits, codes, wrong};
use super::ppmd::Ppmd;
use super::tables::{DISTANCES, LENGTHS, SHORT, bonus};
use super::vm::Programs;
use super::window::Window;
use crate::prefix::Codes;
use std::io;

/// Symbols of the codes: of literals and lengths, of distances, of their low bits, and of the
/// lengths of matches at a distance that was used before.
const MAIN: usize = 299;
const FAR: usize = 60;
const LOW: usize = 17;
const AGAIN: usize = 28;
/// Symbols of one step.
const STEP: usize = 512;

#[derive(Default)]
struct Tables {
    main: Codes,
    far: Codes,
    low: Codes,
    again: Codes,
}

/// The state of the decoder.
pub struct Lz29 {
    lengths: [u8; MAIN + FAR + LOW + AGAIN],
    tables: Tables,
    /// Whether the next member goes on with these tables, and whether the mark of the end of this
    /// one was read.
    has_tables: bool,
    is_ended: bool,
    is_ppmd: bool,
    ppmd: Option<Box<Ppmd>>,
    escape: u8,
    before: [u64; 4],
    last: usize,
    low: u32,
    repeats: u32,
    programs: Programs,
    /// Bytes that PPMd's model may have.
    most: u64,
}

impl Lz29 {
    /// A decoder for the first member of a group.
    pub fn new(most: u64) -> Lz29 {
        Lz29 {
            lengths: [0; MAIN + FAR + LOW + AGAIN],
            tables: Tables::default(),
            has_tables: false,
            is_ended: false,
            is_ppmd: false,
            ppmd: None,
            escape: 2,
            before: [0; 4],
            last: 0,
            low: 0,
            repeats: 0,
            programs: Programs::default(),
            most,
        }
    }

    /// Another member begins.
    ///
    /// # Errors
    /// Those of the input, and contradictions in it.
    pub fn begin(&mut self, bits: &mut Bits) -> io::Result<()> {
        self.is_ended = false;
        if self.has_tables { Ok(()) } else { self.tables(bits) }
    }

    /// The head of a block.
    fn tables(&mut self, bits: &mut Bits) -> io::Result<()> {
        bits.align()?;
        self.has_tables = false;
        self.is_ppmd = bits.bits(1)? == 1;
        if self.is_ppmd {
            return self.model(bits);
        }
        (self.low, self.repeats) = (0, 0);
        if bits.bits(1)? == 0 {
            self.lengths.fill(0);
        }
        bits.lengths(&mut self.lengths, true)?;
        let (main, rest) = self.lengths.split_at(MAIN);
        let (far, rest) = rest.split_at(FAR);
        let (low, again) = rest.split_at(LOW);
        self.tables = Tables { main: codes(main)?, far: codes(far)?, low: codes(low)?, again: codes(again)? };
        self.has_tables = true;
        Ok(())
    }

    fn model(&mut self, bits: &mut Bits) -> io::Result<()> {
        let flags = bits.bits(7)?;
        let memory = if flags & 0x20 != 0 { Some((bits.bits(8)? as usize + 1) << 20) } else { None };
        if flags & 0x40 != 0 {
            self.escape = bits.bits(8)? as u8;
        }
        if let Some(memory) = memory {
            let order = (flags & 0x1f) + 1;
            let order = if order > 16 { 16 + (order - 16) * 3 } else { order };
            if order < 2 {
                return Err(wrong("PPMd: an order that there is not"));
            }
            if memory as u64 > self.most {
                return Err(wrong(&format!("PPMd with a model of {memory} bytes, more than is allowed")));
            }
            self.ppmd = None;
            self.ppmd = Some(Box::new(Ppmd::new(order, memory)?));
        }
        let model = self.ppmd.as_mut().ok_or_else(|| wrong("PPMd: it goes on with a model that there is not"))?;
        // A member behind this one has a head of its own.
        model.begin(bits)
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
            let goes_on = if self.is_ppmd { self.predicted(bits, window)? } else { self.coded(bits, window)? };
            if !goes_on {
                self.is_ended = true;
                return Ok(false);
            }
        }
        Ok(window.written() < end)
    }

    /// Reads the mark behind the last byte of a member that another one goes on from: it says
    /// whether the tables stay.
    pub fn end(&mut self, bits: &mut Bits) {
        if self.is_ended {
            return;
        }
        if self.is_ppmd {
            // The model goes on from its state behind the mark.
            if let Some(model) = &mut self.ppmd
                && model.symbol(bits).is_ok_and(|symbol| symbol == self.escape)
            {
                let _ = model.symbol(bits);
            }
        } else if let Ok(256) = bits.symbol(&self.tables.main)
            && let Ok(true) = self.mark(bits)
            && self.tables(bits).is_err()
        {
            self.has_tables = false;
        }
    }

    /// The mark of an end; whether it is that of a block alone.
    fn mark(&mut self, bits: &mut Bits) -> io::Result<bool> {
        if bits.bits(1)? == 1 {
            self.has_tables = false;
            return Ok(true);
        }
        self.has_tables = bits.bits(1)? == 0;
        Ok(false)
    }

    /// A symbol of prefix codes; whether the member goes on.
    fn coded(&mut self, bits: &mut Bits, window: &mut Window) -> io::Result<bool> {
        match bits.symbol(&self.tables.main)? {
            literal @ 0..256 => window.push(literal as u8),
            256 => {
                if !self.mark(bits)? {
                    return Ok(false);
                }
                self.tables(bits)?;
            }
            257 => {
                let first = bits.bits(8)?;
                self.filter(first, window, |_| bits.bits(8))?;
            }
            258 => {
                if self.last > 0 {
                    window.again(self.before[0], self.last)?;
                }
            }
            symbol @ 259..263 => {
                let distance = self.before[symbol - 259];
                self.before.copy_within(..symbol - 259, 1);
                self.before[0] = distance;
                let (base, extra) = LENGTHS[bits.symbol(&self.tables.again)?];
                self.last = 2 + base as usize + bits.bits(extra.into())? as usize;
                window.again(distance, self.last)?;
            }
            symbol @ 263..271 => {
                let (base, extra) = SHORT[symbol - 263];
                let distance = u64::from(1 + base + bits.bits(extra.into())?);
                self.matched(distance, 2, window)?;
            }
            symbol => {
                let (base, extra) = LENGTHS[symbol - 271];
                let length = 3 + base as usize + bits.bits(extra.into())? as usize;
                let distance = self.distance(bits)?;
                self.matched(distance, length + bonus(distance), window)?;
            }
        }
        Ok(true)
    }

    fn matched(&mut self, distance: u64, length: usize, window: &mut Window) -> io::Result<()> {
        self.before.copy_within(..3, 1);
        (self.before[0], self.last) = (distance, length);
        window.again(distance, length)
    }

    fn distance(&mut self, bits: &mut Bits) -> io::Result<u64> {
        let slot = bits.symbol(&self.tables.far)?;
        let (base, extra) = DISTANCES[slot];
        let extra = u32::from(extra);
        if slot <= 9 {
            return Ok(u64::from(1 + base + bits.bits(extra)?));
        }
        let high = bits.bits(extra - 4)? << 4;
        if self.repeats > 0 {
            self.repeats -= 1;
        } else {
            match bits.symbol(&self.tables.low)? as u32 {
                16 => self.repeats = 15,
                low => self.low = low,
            }
        }
        Ok(u64::from(1 + base + high + self.low))
    }

    /// A filter, whose record comes byte by byte.
    fn filter(
        &mut self,
        first: u32,
        window: &mut Window,
        mut next: impl FnMut(&mut Option<Box<Ppmd>>) -> io::Result<u32>,
    ) -> io::Result<()> {
        let length = match first & 7 {
            6 => next(&mut self.ppmd)? + 7,
            7 => next(&mut self.ppmd)? << 8 | next(&mut self.ppmd)?,
            less => less + 1,
        };
        let record = (0..length).map(|_| next(&mut self.ppmd).map(|byte| byte as u8));
        let record = record.collect::<io::Result<Vec<u8>>>()?;
        let order = self.programs.order(first, &record)?;
        window.filter(order.ahead, order.length, order.filter)
    }

    /// A symbol of PPMd; whether the member goes on.
    fn predicted(&mut self, bits: &mut Bits, window: &mut Window) -> io::Result<bool> {
        let mut next = |model: &mut Option<Box<Ppmd>>| -> io::Result<u32> {
            let model = model.as_mut().ok_or_else(|| wrong("PPMd: no model"))?;
            model.symbol(bits).map(u32::from)
        };
        let symbol = next(&mut self.ppmd)?;
        if symbol != u32::from(self.escape) {
            window.push(symbol as u8);
            return Ok(true);
        }
        match next(&mut self.ppmd)? {
            0 => self.tables(bits)?,
            2 => return Ok(false),
            3 => {
                let first = next(&mut self.ppmd)?;
                self.filter(first, window, next)?;
            }
            4 => {
                let mut distance = 0;
                for _ in 0..3 {
                    distance = distance << 8 | next(&mut self.ppmd)?;
                }
                let length = next(&mut self.ppmd)? as usize + 32;
                window.again(u64::from(distance) + 2, length)?;
            }
            5 => {
                let length = next(&mut self.ppmd)? as usize + 4;
                window.again(1, length)?;
            }
            _ => window.push(self.escape),
        }
        Ok(true)
    }
}
