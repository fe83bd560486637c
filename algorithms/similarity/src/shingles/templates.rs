//! Windows that programs write into every file of theirs: styles and themes of empty documents,
//! frames of pages, licences, tables of codes. Two files that share only these have nothing in
//! common but their producer.

use std::sync::LazyLock;

/// The table: a byte of its version, then of each window the upper half of its name, ascending, as
/// the difference to the one before in LEB128. `bench/run templates` makes it out of packages.
const TABLE: &[u8] = include_bytes!("templates.bin");
/// The version of the table's form.
const VERSION: u8 = 1;
/// Upper bits of a name by which a part of the table is found.
const PART: u32 = 12;

/// The halves of names, ascending, and where those begin that have the same uppermost bits.
struct Table {
    halves: Vec<u32>,
    begins: Vec<u32>,
}

static TEMPLATES: LazyLock<Table> = LazyLock::new(|| Table::read(TABLE));

impl Table {
    fn read(bytes: &[u8]) -> Table {
        let (&[VERSION], mut bytes) = bytes.split_first_chunk().expect("the table has a version") else {
            unreachable!("the table is of this version")
        };
        let (mut halves, mut last) = (Vec::with_capacity(bytes.len() / 2), 0u32);
        while !bytes.is_empty() {
            let length = bytes.iter().position(|byte| byte & 0x80 == 0).map_or(bytes.len(), |at| at + 1);
            let (step, rest) = bytes.split_at(length);
            last += step.iter().rev().fold(0, |step, byte| step << 7 | u32::from(byte & 0x7f));
            halves.push(last);
            bytes = rest;
        }
        let begin = |part: u32| halves.partition_point(|half| half >> (32 - PART) < part) as u32;
        let begins = (0..=1 << PART).map(begin).collect();
        Table { halves, begins }
    }

    fn holds(&self, half: u32) -> bool {
        let part = (half >> (32 - PART)) as usize;
        self.halves[self.begins[part] as usize..self.begins[part + 1] as usize].binary_search(&half).is_ok()
    }
}

/// Whether a window is one that programs write into every file of theirs. One of a hundred
/// thousand others is taken for such a one.
pub fn is_template(window: u64) -> bool {
    TEMPLATES.holds((window >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_its_own_and_few_others() {
        let table = &*TEMPLATES;
        assert!(table.halves.is_sorted_by(|a, b| a < b));
        assert!(table.halves.iter().all(|half| table.holds(*half)));
        let mut state = 9u64;
        let others = (0..100_000).filter(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            is_template(state)
        });
        assert!(others.count() <= 3);
    }
}
