//! The table, as it is stored.

use super::kind::{Chance, Kind};
use crate::{MethodName, Score};
use std::sync::LazyLock;

/// The table that is part of the program.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("table.txt")));

/// The kind of two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Program,
    Text,
    Picture,
    Other,
    /// Two kinds.
    Mixed,
}

impl Class {
    pub fn of(kind: Kind) -> Class {
        match kind {
            Kind::Program => Class::Program,
            Kind::Text => Class::Text,
            Kind::Picture => Class::Picture,
            Kind::Other => Class::Other,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Class::Program => "program",
            Class::Text => "text",
            Class::Picture => "picture",
            Class::Other => "other",
            Class::Mixed => "mixed",
        }
    }
}

/// The class of a size in bytes.
pub fn size(bytes: u64) -> &'static str {
    match bytes {
        0..0x1000 => "4k",
        0x1000..0x1_0000 => "64k",
        0x1_0000..0x10_0000 => "1m",
        _ => "more",
    }
}

/// Any kind, any size.
const ANY: &str = "any";

/// Lines of the table.
pub struct Table(Vec<Row>);

/// The scores of unrelated pairs of one class by one method.
#[derive(Debug)]
pub struct Row {
    method: &'static str,
    kind: &'static str,
    size: &'static str,
    /// Unrelated pairs.
    pub pairs: u64,
    /// A score, and how many of them reach it; the best first.
    pub steps: Vec<(u32, u64)>,
}

impl Table {
    /// Malformed lines are left out; a test holds that there are none.
    fn parse(text: &'static str) -> Table {
        let number = |text: &str| text.parse().ok();
        let row = |line: &'static str| {
            let mut fields = line.split(' ');
            let [method, kind, size, pairs] = [(); 4].map(|()| fields.next());
            let steps = fields.map(|step| {
                let (score, count) = step.split_once(':')?;
                Some((score.parse().ok()?, number(count)?))
            });
            let steps: Option<Vec<(u32, u64)>> = steps.collect();
            Some(Row { method: method?, kind: kind?, size: size?, pairs: number(pairs?)?, steps: steps? })
        };
        Table(text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect())
    }

    /// The line of a class; of any kind or size where there is none.
    pub fn find(&self, method: MethodName, kind: Option<Class>, size: Option<&str>) -> Option<&Row> {
        let (kind, size) = (kind.map_or(ANY, Class::word), size.unwrap_or(ANY));
        self.0.iter().find(|row| (row.method, row.kind, row.size) == (method.name(), kind, size))
    }

    #[cfg(test)]
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        let lines = include_str!("table.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(lines, self.0.len());
        self.0.iter()
    }
}

impl Row {
    /// How often a pair of the class reaches a score.
    pub fn chance(&self, score: Score) -> Option<Chance> {
        let is_distance = self.method == MethodName::Tlsh.name();
        let reaches = |step: &u32| match score {
            Score::Similarity(score) => *step >= score.into(),
            Score::Distance(distance) => *step <= distance,
        };
        let (worst, _) = self.steps.last()?;
        // Of scores worse than the worst that were counted nothing is known.
        let is_counted = match score {
            Score::Similarity(score) => !is_distance && u32::from(score) >= *worst,
            Score::Distance(distance) => is_distance && distance <= *worst,
        };
        if !is_counted {
            return None;
        }
        // The worst score that is as good; its count is of all as good.
        let count = self.steps.iter().rev().find(|(step, _)| reaches(step)).map_or(0, |(_, count)| *count);
        Some(match self.pairs.checked_div(count) {
            Some(once_in) => Chance { once_in: once_in.max(1), is_bound: false },
            None => Chance { once_in: self.pairs, is_bound: true },
        })
    }
}
