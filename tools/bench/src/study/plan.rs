//! The measurements, in order.

use crate::Error;
use crate::message::Method;
use crate::random::Random;
use serde::{Deserialize, Serialize};

/// One square of the study's tables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Name of the row: a language with a library.
    pub row: String,
    /// The algorithm.
    pub method: Method,
    /// Length of the message in bytes.
    pub bytes: u64,
}

/// One process to start.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Job {
    /// The cell to measure.
    pub cell: Cell,
    /// Which of the cell's processes it is, from 0.
    pub process: u32,
}

/// A study, as it was asked for. Two studies with equal plans can be continued as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The cells, in the tables' order.
    pub cells: Vec<Cell>,
    /// Processes per cell.
    pub processes: u32,
    /// Timed repeats per process.
    pub repeats: u32,
    /// Repeats before those, not timed, for compilers and caches: at least this many,
    pub warmups: u32,
    /// and as many as it takes to hash that many bytes: a compiler that works at run time needs
    /// time, not repeats.
    pub warm_bytes: u64,
    /// From which the order and the messages follow.
    pub seed: u64,
}

impl Plan {
    /// Every process of the study: in each round one of every cell, in random order. So a
    /// disturbance of the machine (another guest, a governor, heat) falls on all cells alike, and
    /// not on the last language of a list.
    pub fn jobs(&self) -> Vec<Job> {
        let mut random = Random::new(self.seed);
        let mut jobs = Vec::with_capacity(self.cells.len() * self.processes as usize);
        for process in 0..self.processes {
            let mut round: Vec<Job> = self.cells.iter().map(|cell| Job { cell: cell.clone(), process }).collect();
            random.shuffle(&mut round);
            jobs.extend(round);
        }
        jobs
    }

    /// Repeats before the timed ones for a message of `bytes` bytes.
    pub fn warmups_for(&self, bytes: u64) -> u64 {
        u64::from(self.warmups).max(self.warm_bytes.div_ceil(bytes.max(1)))
    }

    /// Refuses a plan that cannot be measured.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |reason: &str| Err(Error::Usage(reason.to_owned()));
        match self {
            _ if self.cells.is_empty() => wrong("nothing to measure: no runner has any of these algorithms"),
            _ if self.processes == 0 || self.repeats == 0 => wrong("at least one process and one repeat are needed"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let cell = |row: usize, bytes| Cell { row: format!("r{row}"), method: Method::Md5, bytes };
        let cells = (0..10).flat_map(|row| [1, 2, 3].map(|bytes| cell(row, bytes))).collect();
        Plan { cells, processes: 4, repeats: 1, warmups: 2, warm_bytes: 10, seed: 11 }
    }

    #[test]
    fn every_round_has_every_cell_once_in_an_order_of_its_own() {
        let (plan, jobs) = (plan(), plan().jobs());
        let mut orders = Vec::new();
        for (round, jobs) in jobs.chunks(30).enumerate() {
            assert!(jobs.iter().all(|job| job.process == round as u32));
            let order: Vec<Cell> = jobs.iter().map(|job| job.cell.clone()).collect();
            let mut sorted = order.clone();
            sorted.sort();
            assert_eq!(sorted, plan.cells);
            orders.push(order);
        }
        assert_eq!(orders.len(), 4);
        assert!(orders.windows(2).all(|pair| pair[0] != pair[1]) && orders[0] != plan.cells);
        assert_eq!(plan.jobs(), jobs, "the order follows from the seed");
    }

    #[test]
    fn short_messages_are_warmed_up_more_often() {
        assert_eq!([1, 3, 5, 10, 100, 0].map(|bytes| plan().warmups_for(bytes)), [10, 4, 2, 2, 2, 10]);
    }

    #[test]
    fn empty_plans_are_refused() {
        assert!(plan().check().is_ok());
        assert!(Plan { cells: vec![], ..plan() }.check().is_err());
        assert!(Plan { processes: 0, ..plan() }.check().is_err());
        assert!(Plan { repeats: 0, ..plan() }.check().is_err());
    }
}
