//! Packs as RAR does, from given steps: with codes of one length each, so that a symbol is its own
//! code. No constant is shared with the reader.

/// Versions of the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    Two,
    Three,
    Five,
}

/// A step of a packed stream.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    Literals(&'a [u8]),
    /// A match: how far back, and how long.
    Match(u32, u32),
    /// A match at the distance that is the n-th of those used last.
    Again(usize, u32),
    /// The last match once more.
    Repeat,
    /// A match of two bytes (RAR 2 and 3).
    Short(u32),
    /// Differences of two channels in this many bytes that follow (RAR 5).
    Delta(u8),
}

/// The state that a packer keeps from one member to the next.
pub struct Packer {
    version: Version,
    /// All plain bytes so far.
    pub plain: Vec<u8>,
    before: [u32; 4],
    last: u32,
    is_begun: bool,
    bytes: Vec<u8>,
    /// Bits of the last byte that are free.
    free: u32,
}

impl Packer {
    pub fn new(version: Version) -> Packer {
        let (plain, bytes) = (Vec::new(), Vec::new());
        Packer { version, plain, before: [0; 4], last: 0, is_begun: false, bytes, free: 0 }
    }

    fn put(&mut self, value: u32, count: u32) {
        for at in (0..count).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            self.free -= 1;
            *self.bytes.last_mut().unwrap() |= ((value >> at & 1) as u8) << self.free;
        }
    }

    /// Tables: the codes of their lengths have five bits each, and so these lengths stand as they
    /// are.
    fn tables(&mut self) {
        let (firsts, sizes): (u32, &[(u32, u32)]) = match self.version {
            Version::Two => (19, &[(298, 9), (48, 6), (28, 5)]),
            Version::Three => (20, &[(299, 9), (60, 6), (17, 5), (28, 5)]),
            Version::Five => (20, &[(306, 9), (64, 6), (16, 4), (44, 6)]),
        };
        if self.version != Version::Five {
            // Neither sound nor PPMd, and no lengths of before.
            self.put(0, 2);
        }
        (0..firsts).for_each(|_| self.put(5, 4));
        for (count, length) in sizes {
            (0..*count).for_each(|_| self.put(*length, 5));
        }
    }

    fn main(&mut self, symbol: u32) {
        self.put(symbol, 9);
    }

    /// The slot of a value, its base, and how many bits are added.
    fn slot(value: u32, per: u32) -> (u32, u32, u32) {
        let slots = (0..).map(|slot| match slot < 2 * per {
            true => (slot, slot, 0),
            false => {
                let extra = slot / per - 1;
                (slot, (per | (slot % per)) << extra, extra)
            }
        });
        slots.take_while(|(_, base, _)| *base <= value).last().unwrap()
    }

    fn distance(&mut self, distance: u32) {
        let value = distance - 1;
        let (slot, base, extra) = Packer::slot(value, 2);
        let rest = value - base;
        self.put(slot, 6);
        match self.version {
            Version::Three if slot > 9 => {
                self.put(rest >> 4, extra - 4);
                self.put(rest & 15, 5);
            }
            Version::Five if extra >= 4 => {
                self.put(rest >> 4, extra - 4);
                self.put(rest & 15, 4);
            }
            _ => self.put(rest, extra),
        }
    }

    /// The symbol of a length from `first` on, with its bits.
    fn length(&mut self, first: Option<u32>, value: u32, width: u32) {
        let (slot, base, extra) = Packer::slot(value, 4);
        match first {
            Some(first) => self.main(first + slot),
            None => self.put(slot, width),
        }
        self.put(value - base, extra);
    }

    fn copy(&mut self, distance: u32, length: u32) {
        for _ in 0..length {
            self.plain.push(self.plain[self.plain.len() - distance as usize]);
        }
        self.last = length;
    }

    fn far(distance: u32) -> u32 {
        u32::from(distance >= 0x2000) + u32::from(distance >= 0x40000)
    }

    fn step(&mut self, step: Step<'_>) {
        let is = |version: Version| self.version == version;
        let (two, five) = (is(Version::Two), is(Version::Five));
        match step {
            Step::Literals(bytes) => {
                bytes.iter().for_each(|byte| self.main((*byte).into()));
                self.plain.extend(bytes);
            }
            Step::Match(distance, length) => {
                let bonus = match five {
                    true => [0x100, 0x2000, 0x40000].iter().filter(|from| distance > **from).count() as u32,
                    false => Packer::far(distance),
                };
                let (first, least) = if two {
                    (270, 3)
                } else if five {
                    (262, 2)
                } else {
                    (271, 3)
                };
                self.length(Some(first), length - least - bonus, 0);
                self.distance(distance);
                self.before.copy_within(..3, 1);
                self.before[0] = distance;
                self.copy(distance, length);
            }
            Step::Again(slot, length) => {
                let distance = self.before[slot];
                self.main(
                    slot as u32
                        + if two {
                            257
                        } else if five {
                            258
                        } else {
                            259
                        },
                );
                let bonus = if two { u32::from(distance >= 0x101) + Packer::far(distance) } else { 0 };
                self.length(None, length - 2 - bonus, if five { 6 } else { 5 });
                // RAR 2 keeps the others where they are, and its last one goes.
                self.before.copy_within(..if two { 3 } else { slot }, 1);
                self.before[0] = distance;
                self.copy(distance, length);
            }
            Step::Repeat => {
                self.main(if two {
                    256
                } else if five {
                    257
                } else {
                    258
                });
                if two {
                    self.before.copy_within(..3, 1);
                }
                self.copy(self.before[0], self.last);
            }
            Step::Short(distance) => {
                let starts = [(0, 2), (4, 2), (8, 3), (16, 4), (32, 5), (64, 6), (128, 6), (192, 6)];
                let at = starts.iter().rposition(|(base, _)| *base < distance).unwrap();
                self.main(at as u32 + if two { 261 } else { 263 });
                self.put(distance - 1 - starts[at].0, starts[at].1);
                self.before.copy_within(..3, 1);
                self.before[0] = distance;
                self.copy(distance, 2);
            }
            Step::Delta(length) => {
                self.main(256);
                // From here on, that many bytes, each number in one byte; two channels.
                for (value, count) in [(0, 2), (0, 8), (0, 2), (length.into(), 8), (0, 3), (1, 5)] {
                    self.put(value, count);
                }
            }
        }
    }

    /// The packed bytes of another member, and its plain ones before a filter.
    pub fn member(&mut self, steps: &[Step<'_>]) -> (Vec<u8>, Vec<u8>) {
        let from = self.plain.len();
        (self.bytes, self.free) = (Vec::new(), 0);
        let has_tables = !self.is_begun;
        if has_tables {
            self.tables();
        }
        self.is_begun = true;
        steps.iter().for_each(|step| self.step(*step));
        let mut packed = std::mem::take(&mut self.bytes);
        if self.version == Version::Five {
            // One block, the last one.
            let bits = packed.len() as u32 * 8 - self.free;
            let size = (packed.len() as u16).to_le_bytes();
            let flags = 0x48 | u8::from(has_tables) << 7 | ((bits - 1) % 8) as u8;
            packed.splice(..0, [flags, 0x5a ^ flags ^ size[0] ^ size[1], size[0], size[1]]);
        }
        (packed, self.plain[from..].to_vec())
    }
}
