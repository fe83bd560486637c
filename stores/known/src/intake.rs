//! Takes digests in any order and keeps them as sorted runs, in bounded memory: while one half of
//! the memory fills, the other half is sorted and written.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use pfh_digest::{Algorithm, Digest};

use crate::Error;
use crate::journal::{Journal, Progress, Run};
use crate::row::{self, LONGEST, Rows, SHORTEST};

/// Digests in memory, by algorithm.
#[derive(Default)]
struct Bank {
    tables: Vec<(Algorithm, Box<dyn Rows>)>,
    bytes: usize,
}

impl Bank {
    fn take(&mut self, digest: &Digest, origin: u32) {
        let algorithm = digest.algorithm();
        let at = self.tables.iter().position(|(known, _)| *known == algorithm).unwrap_or_else(|| {
            self.tables.push((algorithm, row::rows(algorithm.length())));
            self.tables.len() - 1
        });
        let rows = &mut self.tables[at].1;
        rows.push(digest.bytes(), origin);
        self.bytes += rows.width();
    }
}

/// Whether digests of an algorithm can be in a set: they have bytes, and enough of them to identify
/// anything.
pub fn identifies(algorithm: Algorithm) -> bool {
    (SHORTEST..=LONGEST).contains(&algorithm.length())
}

type WrittenRuns = (Journal, Vec<Run>);

/// Where digests go while inputs are read.
pub struct Intake {
    bank: Bank,
    limit: usize,
    spilled: usize,
    jobs: Option<SyncSender<(Bank, Progress)>>,
    emptied: Receiver<Bank>,
    writer: Option<JoinHandle<Result<WrittenRuns, Error>>>,
}

impl Intake {
    /// Starts with the runs of an earlier build; `memory` bytes at most are held.
    ///
    /// # Errors
    /// When the thread that writes cannot be started.
    pub fn start(journal: Journal, runs: Vec<Run>, memory: usize) -> std::io::Result<Intake> {
        let (jobs, taken) = sync_channel::<(Bank, Progress)>(0);
        let (give_back, emptied) = sync_channel(2);
        let named = std::thread::Builder::new().name("pfh-runs".into());
        let writer = named.spawn(move || write(journal, runs, &taken, &give_back))?;
        let (bank, limit) = (Bank::default(), memory / 2);
        Ok(Intake { bank, limit, spilled: 0, jobs: Some(jobs), emptied, writer: Some(writer) })
    }

    /// Takes a digest of an algorithm that [`identifies`].
    pub fn take(&mut self, digest: &Digest, origin: u32) {
        self.bank.take(digest, origin);
    }

    /// Whether it is time to [`spill`](Intake::spill).
    pub fn is_full(&self) -> bool {
        self.bank.bytes >= self.limit
    }

    /// Hands the rows in memory over to be sorted and written; `progress` is how far they bring the
    /// build.
    pub fn spill(&mut self, progress: Progress) -> Result<(), Error> {
        let next = if self.spilled == 0 { Some(Bank::default()) } else { self.emptied.recv().ok() };
        self.spilled += 1;
        let sent = match (next, &self.jobs) {
            (Some(next), Some(jobs)) => jobs.send((std::mem::replace(&mut self.bank, next), progress)).is_ok(),
            _ => false,
        };
        // The writer ends early only with an error, which is reported at its end.
        if sent { Ok(()) } else { Err(self.ended().map_or_else(|error| error, |_| Error::Cancelled)) }
    }

    /// Writes the rest; gives the journal and all runs.
    pub fn finish(mut self, progress: Progress) -> Result<WrittenRuns, Error> {
        self.spill(progress)?;
        self.ended()
    }

    fn ended(&mut self) -> Result<WrittenRuns, Error> {
        self.jobs = None;
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Err(Error::Cancelled),
        }
    }
}

impl Drop for Intake {
    /// An intake that is given up still finishes the run it is writing: the next build goes on from
    /// it.
    fn drop(&mut self) {
        let _ = self.ended();
    }
}

fn write(
    mut journal: Journal,
    mut runs: Vec<Run>,
    taken: &Receiver<(Bank, Progress)>,
    give_back: &SyncSender<Bank>,
) -> Result<WrittenRuns, Error> {
    while let Ok((mut bank, progress)) = taken.recv() {
        pfh_source::fail_point("runs");
        let mut new = Vec::new();
        for (number, (algorithm, rows)) in bank.tables.iter_mut().enumerate() {
            if rows.is_empty() {
                continue;
            }
            let (file, path) = journal.place(number);
            let (count, crc) = rows.spill(&path).map_err(Error::io(&path))?;
            new.push(Run { algorithm: algorithm.to_string(), file, rows: count, crc });
        }
        journal.append(&progress, &new).map_err(Error::io("the journal"))?;
        runs.extend(new);
        bank.bytes = 0;
        let _ = give_back.send(bank);
    }
    Ok((journal, runs))
}
