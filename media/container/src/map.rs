//! GNU ddrescue's map file: which parts of a medium have been read (ddrescue manual, "Mapfile
//! structure").
//!
//! Written and read exactly in that form, so that ddrescue can go on from a map of pfh, and pfh
//! from one of ddrescue.

use std::fmt::Write;

/// The known state of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// `?`
    NonTried,
    /// `*`: a read failed in it, its edges are not known.
    NonTrimmed,
    /// `/`: edges known, inside not read sector by sector.
    NonScraped,
    /// `-`: unreadable.
    Bad,
    /// `+`: read.
    Finished,
}

impl Status {
    const ALL: [(Status, char); 5] = [
        (Status::NonTried, '?'),
        (Status::NonTrimmed, '*'),
        (Status::NonScraped, '/'),
        (Status::Bad, '-'),
        (Status::Finished, '+'),
    ];

    /// The map's character.
    pub fn character(self) -> char {
        Self::ALL.iter().find(|(s, _)| *s == self).map_or('?', |(_, c)| *c)
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, c)| text.len() == 1 && text.starts_with(*c)).map(|(s, _)| *s)
    }
}

/// A part of the medium: `length` bytes from `offset` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// Facts about it.
    pub status: Status,
}

/// A map: blocks that follow each other without gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map {
    blocks: Vec<Block>,
    /// Lines of remarks, without the `#`.
    pub remarks: Vec<String>,
}

/// Why a text is not a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMap {
    /// The line, from 1.
    pub line: usize,
    /// The fault.
    pub what: &'static str,
}

impl std::fmt::Display for BadMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "map file, line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for BadMap {}

impl Map {
    /// A map of `length` bytes, none of them tried yet.
    pub fn new(length: u64) -> Self {
        let blocks = if length == 0 { vec![] } else { vec![Block { offset: 0, length, status: Status::NonTried }] };
        Map { blocks, remarks: Vec::new() }
    }

    /// The parts in order; neighbours differ in status.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Where the map ends, in bytes.
    pub fn end(&self) -> u64 {
        self.blocks.last().map_or(0, |b| b.offset + b.length)
    }

    /// The state of the byte at `offset`.
    pub fn status(&self, offset: u64) -> Option<Status> {
        let at = self.blocks.partition_point(|b| b.offset + b.length <= offset);
        self.blocks.get(at).filter(|b| b.offset <= offset).map(|b| b.status)
    }

    /// The parts with this status, as (offset, length) in bytes.
    pub fn ranges(&self, status: Status) -> impl Iterator<Item = (u64, u64)> {
        self.blocks.iter().filter(move |b| b.status == status).map(|b| (b.offset, b.length))
    }

    /// Bytes with this status.
    pub fn total(&self, status: Status) -> u64 {
        self.ranges(status).map(|(_, length)| length).sum()
    }

    /// Up to where everything from the start on has been dealt with: read, or found unreadable.
    pub fn settled(&self) -> u64 {
        let open = |b: &&Block| !matches!(b.status, Status::Finished | Status::Bad);
        self.blocks.iter().find(open).map_or(self.end(), |b| b.offset)
    }

    /// Gives `length` bytes from `offset` on a status. A range beyond the end makes the map longer;
    /// the gap between is not tried.
    pub fn set(&mut self, offset: u64, length: u64, status: Status) {
        let end = offset + length;
        if length == 0 {
            return;
        }
        if self.end() < end {
            let from = self.end();
            self.blocks.push(Block { offset: from, length: end - from, status: Status::NonTried });
        }
        let first = self.blocks.partition_point(|b| b.offset + b.length <= offset);
        let last = self.blocks.partition_point(|b| b.offset < end);
        let mut fresh: Vec<Block> = Vec::with_capacity(5);
        // The neighbours are taken in, so that runs of one status grow together.
        let (from, to) = (first.saturating_sub(1), (last + 1).min(self.blocks.len()));
        let mut push = |block: Block| match fresh.last_mut() {
            _ if block.length == 0 => {}
            Some(before) if before.status == block.status => before.length += block.length,
            _ => fresh.push(block),
        };
        for old in &self.blocks[from..first] {
            push(*old);
        }
        if let Some(old) = self.blocks.get(first) {
            push(Block { length: offset.saturating_sub(old.offset), ..*old });
        }
        push(Block { offset, length, status });
        if let Some(old) = last.checked_sub(1).and_then(|at| self.blocks.get(at)) {
            push(Block { offset: end, length: (old.offset + old.length).saturating_sub(end), ..*old });
        }
        for old in &self.blocks[last.max(from)..to.max(last)] {
            push(*old);
        }
        self.blocks.splice(from..to, fresh);
    }

    /// Reads a map.
    ///
    /// # Errors
    /// The first line that is wrong: numbers, a status, or blocks that overlap or leave a gap.
    pub fn parse(text: &str) -> Result<Self, BadMap> {
        let mut map = Map::default();
        let mut status_line = false;
        for (number, line) in text.lines().enumerate() {
            let bad = |what| BadMap { line: number + 1, what };
            if let Some(remark) = line.strip_prefix('#') {
                map.remarks.push(remark.strip_prefix(' ').unwrap_or(remark).to_owned());
                continue;
            }
            let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
            match (&words[..], status_line) {
                ([], _) => {}
                // current_pos current_status [current_pass]: says where ddrescue was, nothing about
                // the data.
                ([position, _] | [position, _, _], false) => {
                    parse_number(position).ok_or(bad("the position is not a number"))?;
                    status_line = true;
                }
                ([offset, length, status], true) => {
                    let offset = parse_number(offset).ok_or(bad("an offset is not a number"))?;
                    let length =
                        parse_number(length).filter(|l| *l > 0).ok_or(bad("a length is not a positive number"))?;
                    let status = Status::from_text(status).ok_or(bad("a status is none of ? * / - +"))?;
                    let end = offset.checked_add(length).ok_or(bad("a block beyond 2^64"))?;
                    if map.blocks.is_empty() && offset > 0 {
                        map.set(0, offset, Status::NonTried);
                    }
                    if map.end() != offset {
                        return Err(bad("blocks overlap, or there is a gap between them"));
                    }
                    map.set(offset, end - offset, status);
                }
                _ => return Err(bad("neither a status line nor a block of three words")),
            }
        }
        if !status_line {
            return Err(BadMap { line: text.lines().count().max(1), what: "no status line" });
        }
        Ok(map)
    }

    /// The map as ddrescue writes it: remarks, the status line (where it goes on; `+` when nothing
    /// is left), the blocks.
    pub fn print(&self) -> String {
        let mut text = String::from("# Mapfile. Created by pfh\n");
        for remark in self.remarks.iter().filter(|r| !r.starts_with("Mapfile.") && !is_heading(r)) {
            let _ = writeln!(text, "# {remark}");
        }
        let position = self.settled();
        let state = if position == self.end() { '+' } else { '?' };
        let _ = writeln!(text, "# current_pos  current_status  current_pass");
        let _ = writeln!(text, "0x{position:08X}     {state}               1");
        let _ = writeln!(text, "#      pos        size  status");
        for block in &self.blocks {
            let _ = writeln!(text, "0x{:08X}  0x{:08X}  {}", block.offset, block.length, block.status.character());
        }
        text
    }
}

fn is_heading(remark: &str) -> bool {
    remark.contains("current_pos") || remark.contains("pos        size")
}

fn parse_number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    // from_str_radix takes a sign.
    digits.bytes().next()?.is_ascii_hexdigit().then(|| u64::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ddrescues_own_words() {
        let text = "# Mapfile. Created by GNU ddrescue version 1.27\n# Command line: ddrescue -d a b c\n\
                    # current_pos  current_status  current_pass\n0x0000CA00     +               1\n\
                    #      pos        size  status\n0x00000000  0x0000CA00  +\n0x0000CA00  0x00000200  -\n0x0000CC00  0x7F3400  ?\n";
        let map = Map::parse(text).unwrap();
        assert_eq!(map.ranges(Status::Bad).collect::<Vec<_>>(), [(0xca00, 0x200)]);
        assert_eq!((map.settled(), map.end()), (0xcc00, 0x80_0000));
        assert_eq!(Map::parse(&map.print()).unwrap().blocks(), map.blocks());
        for text in
            ["", "0 +\n0 5", "0 +\n0 5 +\n4 5 +", "0 +\n0 5 +\n6 5 +", "0 +\n0 0 +", "0 +\n0 5 x", "x +", "-1 +"]
        {
            assert!(Map::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_map_is_what_was_set(sets in prop::collection::vec((0..90_u64, 1..30_u64, 0..5_usize), 0..40)) {
            let mut map = Map::new(100);
            let mut bytes = vec![Status::NonTried; 100];
            for (offset, length, status) in sets {
                let status = Status::ALL[status].0;
                map.set(offset, length, status);
                bytes.resize(bytes.len().max((offset + length) as usize), Status::NonTried);
                bytes[offset as usize..(offset + length) as usize].fill(status);
            }
            let mut at = 0;
            for block in map.blocks() {
                prop_assert_eq!(block.offset, at);
                at += block.length;
            }
            prop_assert_eq!(at, bytes.len() as u64);
            prop_assert!(map.blocks().windows(2).all(|w| w[0].status != w[1].status));
            for (offset, status) in bytes.iter().enumerate() {
                prop_assert_eq!(map.status(offset as u64), Some(*status));
            }
            let again = Map::parse(&map.print()).unwrap();
            prop_assert_eq!(again.blocks(), map.blocks());
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in "[0-9a-fx?*/+#\\- \n]{0,80}") {
            if let Ok(map) = Map::parse(&text) {
                let again = Map::parse(&map.print()).unwrap();
                prop_assert_eq!(again.blocks(), map.blocks());
            }
        }
    }
}
