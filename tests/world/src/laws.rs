//! The laws that hold in every world, and their judges.

use crate::account::{Account, End};
use crate::judge;
use crate::past::Past;
use crate::step::Job;
use std::fmt;

/// A law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Law {
    /// A digest is only of bytes that stood in the file at one moment.
    Stood,
    /// Each input has one result, and a file that nobody disturbed has its digest.
    Once,
    /// An output is the old one or the new one, never half of one, and nothing is left beside it.
    Whole,
    /// A verdict is only of files that were compared.
    Compared,
    /// The summary counts the results.
    Counted,
    /// The next command says the truth, after any fault.
    Next,
    /// Memory in flight is at most the table and a slab of each reader.
    Bounded,
    /// Evidence is as it was left.
    Untouched,
    /// Each job ends, and without a panic.
    Ended,
}

/// A law that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// Which.
    pub law: Law,
    /// By which claim.
    pub claim: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.law, self.claim)
    }
}

/// Collects breaches.
#[derive(Debug, Default)]
pub struct Court(Vec<Breach>);

impl Court {
    /// The claim must hold by this law.
    pub fn demand(&mut self, law: Law, holds: bool, claim: impl FnOnce() -> String) {
        if !holds {
            self.0.push(Breach { law, claim: claim() });
        }
    }
}

/// All laws that a step broke.
pub fn breaches(account: &Account, past: &Past) -> Vec<Breach> {
    let mut court = Court::default();
    court.demand(Law::Ended, !account.endless, || format!("{} calls of the system", account.calls));
    court.demand(Law::Untouched, account.altered.is_empty(), || format!("{:?}", account.altered));
    for (step, claims) in &account.jobs {
        court.demand(Law::Ended, claims.end != End::Panicked, || format!("{step} panicked"));
        let killed = account.is_killed();
        match &step.job {
            // The results of a job that was killed were never seen.
            _ if killed => {}
            Job::Hash { .. } => judge::hash::judge(account, past, (step, claims), &mut court),
            Job::Check(list) => judge::check::judge(account, past, list, claims, &mut court),
            Job::Audit(list) => judge::audit::judge(account, past, list, claims, &mut court),
            Job::Update(list) => judge::update::judge(account, past, list, claims, &mut court),
            Job::Acquire => judge::image::acquired(account, past, claims, &mut court),
            Job::Verify => judge::image::verified(account, claims, &mut court),
        }
    }
    judge::written::judge(account, past, &mut court);
    court.0
}
