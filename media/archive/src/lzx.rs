//! LZX as cabinets and WIM have it (Microsoft's "LZX Data Compression Format", [MS-PATCH]).

use super::prefix::Codes;
use std::io;

/// Bytes of a frame, which matches do not lead out of.
pub const FRAME: usize = 32 << 10;
/// Lengths of matches that have a code of their own.
const LENGTHS: usize = 249;

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("LZX: {what}"))
}

/// Bits of a chunk: words of 16 bits, low byte first, their high bit first.
struct Bits<'a> {
    chunk: &'a [u8],
    at: usize,
    held: u64,
    count: u32,
    /// Bits that were put behind the end.
    lent: u32,
}

impl Bits<'_> {
    /// Reads on until this number of bits is held.
    fn fill(&mut self, count: u32) {
        while self.count < count {
            let word = match self.chunk.get(self.at..self.at + 2) {
                Some(word) => u64::from(word[0]) | u64::from(word[1]) << 8,
                None if self.at < self.chunk.len() => u64::from(self.chunk[self.at]),
                None => {
                    self.lent += 16;
                    0
                }
            };
            self.at += 2;
            self.held = self.held << 16 | word;
            self.count += 16;
        }
    }

    fn peek(&mut self) -> u32 {
        self.fill(16);
        (self.held >> (self.count - 16)) as u32 & 0xffff
    }

    fn skip(&mut self, count: u32) -> io::Result<()> {
        self.count -= count;
        if self.count < self.lent {
            return Err(wrong("the chunk ends within a code"));
        }
        Ok(())
    }

    fn bits(&mut self, count: u32) -> io::Result<u32> {
        let mut value = 0;
        let mut left = count;
        while left > 0 {
            let part = left.min(16);
            let next = self.peek() >> (16 - part);
            self.skip(part)?;
            value = value << part | next;
            left -= part;
        }
        Ok(value)
    }

    fn symbol(&mut self, codes: &Codes) -> io::Result<usize> {
        let bits = self.peek();
        let (symbol, length) = codes.find(bits).ok_or_else(|| wrong("a code that stands for nothing"))?;
        self.skip(length)?;
        Ok(usize::from(symbol))
    }

    /// Goes to the next word; `is_forced` says that one whole word is skipped where it begins here.
    fn align(&mut self, is_forced: bool) {
        if is_forced && self.count.is_multiple_of(16) {
            self.fill(16);
            self.count -= 16;
        }
        // Whole words that were looked at go back.
        self.at = (self.at - (self.count / 16 * 2) as usize).min(self.chunk.len() + 1);
        (self.held, self.count, self.lent) = (0, 0, 0);
    }

    /// Plain bytes, behind an alignment.
    fn raw(&mut self, length: usize) -> io::Result<&[u8]> {
        let bytes = self.chunk.get(self.at..self.at + length).ok_or_else(|| wrong("the chunk ends within a block"))?;
        self.at += length;
        Ok(bytes)
    }
}

/// The kind of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Verbatim,
    Aligned,
    Plain,
}

/// How a container uses LZX.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// One stream for a folder; it begins with a header.
    Cabinet,
    /// Chunks on their own, whose calls are always those of a file of 12,000,000 bytes.
    Wim,
}

/// A decoder, with the window of the bytes before.
pub struct Lzx {
    used: Use,
    window: Vec<u8>,
    at: usize,
    /// How much of the window was written.
    filled: usize,
    recent: [usize; 3],
    block: Block,
    left: usize,
    is_odd: bool,
    main_lengths: Vec<u8>,
    length_lengths: Vec<u8>,
    main: Codes,
    length: Codes,
    aligned: Codes,
    /// The size of the file whose calls were changed; `None` before the header was read.
    calls: Option<i32>,
    /// Bytes that came out.
    out: u64,
}

/// Base and number of further bits of a slot of distances.
fn slot(number: usize) -> (usize, u32) {
    match number {
        0..4 => (number, 0),
        4..36 => {
            let bits = number as u32 / 2 - 1;
            ((2 + number % 2) << bits, bits)
        }
        _ => ((number - 34) << 17, 17),
    }
}

impl Lzx {
    /// A decoder with a window of 2^`bits` bytes; `None` if there is no such window.
    pub fn new(bits: u32, used: Use) -> Option<Lzx> {
        let slots = match bits {
            15..=19 => 2 * bits as usize,
            20 => 42,
            21 => 50,
            _ => return None,
        };
        let main_lengths = vec![0; 256 + 8 * slots];
        let calls = (used == Use::Wim).then_some(12_000_000);
        Some(Lzx {
            used,
            window: vec![0; 1 << bits],
            at: 0,
            filled: 0,
            recent: [1; 3],
            block: Block::Plain,
            left: 0,
            is_odd: false,
            main_lengths,
            length_lengths: vec![0; LENGTHS],
            main: Codes::default(),
            length: Codes::default(),
            aligned: Codes::default(),
            calls,
            out: 0,
        })
    }

    /// Decodes a chunk that gives exactly `length` bytes, and appends them to `out`.
    ///
    /// # Errors
    /// When it does not, or is damaged. Nothing behind it can be decoded then.
    pub fn decode(&mut self, chunk: &[u8], length: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let mut bits = Bits { chunk, at: 0, held: 0, count: 0, lent: 0 };
        if self.calls.is_none() {
            self.calls = Some(if bits.bits(1)? == 1 { bits.bits(32)? as i32 } else { 0 });
        }
        let from = out.len();
        let end = from + length;
        while out.len() < end {
            if self.left == 0 {
                self.begin(&mut bits)?;
                continue;
            }
            let before = out.len();
            match self.block {
                Block::Plain => {
                    let length = self.left.min(end - before);
                    out.extend_from_slice(bits.raw(length)?);
                    self.keep(&out[before..]);
                }
                kind => self.element(&mut bits, kind, end, out)?,
            }
            self.left =
                self.left.checked_sub(out.len() - before).ok_or_else(|| wrong("a match leads out of its block"))?;
        }
        if self.left == 0 && self.is_odd && bits.at < chunk.len() {
            self.is_odd = false;
        }
        let start = self.out;
        self.out += length as u64;
        // Beyond 2^15 frames no calls are changed.
        if let Some(size) = self.calls.filter(|size| *size != 0 && start < 1 << 30) {
            restore(&mut out[from..], start as i32, size);
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.window[self.at] = *byte;
            self.at = (self.at + 1) & (self.window.len() - 1);
        }
        self.filled = (self.filled + bytes.len()).min(self.window.len());
    }

    /// A literal or a match.
    fn element(&mut self, bits: &mut Bits<'_>, kind: Block, end: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let symbol = bits.symbol(&self.main)?;
        if symbol < 256 {
            out.push(symbol as u8);
            self.keep(&[symbol as u8]);
            return Ok(());
        }
        let (number, mut length) = ((symbol - 256) >> 3, (symbol & 7) + 2);
        if length == 9 {
            length += bits.symbol(&self.length)?;
        }
        let distance = match number {
            0 => self.recent[0],
            1 | 2 => {
                self.recent.swap(0, number);
                self.recent[0]
            }
            _ => {
                let (base, more) = slot(number);
                let further = if kind == Block::Aligned && more >= 3 {
                    let high = bits.bits(more - 3)? as usize;
                    high << 3 | bits.symbol(&self.aligned)?
                } else {
                    bits.bits(more)? as usize
                };
                let distance = base + further - 2;
                self.recent = [distance, self.recent[0], self.recent[1]];
                distance
            }
        };
        if distance == 0 || distance > self.filled {
            return Err(wrong("a match leads in front of the start"));
        }
        if length > end - out.len() || length > self.left {
            return Err(wrong("a match leads out of its frame"));
        }
        let mask = self.window.len() - 1;
        let mut source = self.at.wrapping_sub(distance) & mask;
        for _ in 0..length {
            let byte = self.window[source];
            self.window[self.at] = byte;
            out.push(byte);
            source = (source + 1) & mask;
            self.at = (self.at + 1) & mask;
        }
        self.filled = (self.filled + length).min(self.window.len());
        Ok(())
    }

    /// Reads the header of a block.
    fn begin(&mut self, bits: &mut Bits<'_>) -> io::Result<()> {
        if std::mem::take(&mut self.is_odd) {
            // Plain blocks of odd length are filled up.
            bits.at += 1;
        }
        let kind = bits.bits(3)?;
        self.left = match self.used {
            Use::Cabinet => bits.bits(24)? as usize,
            Use::Wim if bits.bits(1)? == 1 => FRAME,
            Use::Wim if self.window.len() > FRAME => bits.bits(24)? as usize,
            Use::Wim => bits.bits(16)? as usize,
        };
        if self.left == 0 {
            return Err(wrong("an empty block"));
        }
        match kind {
            1 => self.block = Block::Verbatim,
            2 => {
                self.block = Block::Aligned;
                let mut lengths = [0; 8];
                for length in &mut lengths {
                    *length = bits.bits(3)? as u8;
                }
                self.aligned = Codes::new(&lengths).ok_or_else(|| wrong("too many codes"))?;
            }
            3 => {
                self.block = Block::Plain;
                self.is_odd = self.left % 2 == 1;
                bits.align(true);
                for index in 0..3 {
                    let raw = bits.raw(4)?;
                    self.recent[index] = u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]) as usize;
                }
                return Ok(());
            }
            _ => return Err(wrong("a block of a kind that there is not")),
        }
        lengths(bits, &mut self.main_lengths[..256])?;
        lengths(bits, &mut self.main_lengths[256..])?;
        lengths(bits, &mut self.length_lengths)?;
        self.main = Codes::new(&self.main_lengths).ok_or_else(|| wrong("too many codes"))?;
        self.length = Codes::new(&self.length_lengths).ok_or_else(|| wrong("too many codes"))?;
        Ok(())
    }
}

/// Lengths of codes, as differences to those of the block before.
fn lengths(bits: &mut Bits<'_>, lengths: &mut [u8]) -> io::Result<()> {
    let mut first = [0; 20];
    for length in &mut first {
        *length = bits.bits(4)? as u8;
    }
    let codes = Codes::new(&first).ok_or_else(|| wrong("too many codes"))?;
    let changed = |old: u8, code: usize| ((17 + usize::from(old) - code) % 17) as u8;
    let mut at = 0;
    while at < lengths.len() {
        let (count, length) = match bits.symbol(&codes)? {
            17 => (4 + bits.bits(4)? as usize, 0),
            18 => (20 + bits.bits(5)? as usize, 0),
            19 => {
                let count = 4 + bits.bits(1)? as usize;
                let code = bits.symbol(&codes)?;
                if code > 16 {
                    return Err(wrong("a run of a run"));
                }
                (count, changed(lengths[at], code))
            }
            code => (1, changed(lengths[at], code)),
        };
        let run = lengths.get_mut(at..at + count).ok_or_else(|| wrong("more lengths than codes"))?;
        run.fill(length);
        at += count;
    }
    Ok(())
}

/// Calls of x86 whose targets were made absolute become relative again.
fn restore(frame: &mut [u8], start: i32, size: i32) {
    let end = frame.len().saturating_sub(10);
    let mut at = 0;
    while at < end {
        if frame[at] != 0xe8 {
            at += 1;
            continue;
        }
        let place = start + at as i32;
        let target = i32::from_le_bytes([frame[at + 1], frame[at + 2], frame[at + 3], frame[at + 4]]);
        if target >= -place && target < size {
            let relative = if target >= 0 { target.wrapping_sub(place) } else { target.wrapping_add(size) };
            frame[at + 1..at + 5].copy_from_slice(&relative.to_le_bytes());
        }
        at += 5;
    }
}
