//! `pfh bench languages`: the study, from building the runners to writing the report.

use crate::args::{Languages, Method};
use crate::machine::Machine;
use crate::message::Message;
use crate::study::{
    Catalogue, Cell, Journal, Missing, Monotonic, Plan, Row, Spawn, Step, StudyResult, find_runners, run,
};
use crate::{Error, amount};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;
use std::time::Duration;

/// The study's sizes, in MiB.
pub const PAPER_SIZES: [u64; 13] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 640, 768, 896, 1024];

/// A study that is ready to run.
pub struct PreparedStudy {
    /// The plan, with a cell for everything that a row can do.
    pub plan: Plan,
    /// The runners, built.
    pub rows: Vec<Row>,
    /// Those that are missing.
    pub missing: Vec<Missing>,
}

impl Languages {
    fn sizes(&self) -> Result<Vec<u64>, Error> {
        let mut sizes: Vec<u64> = match self.sizes.as_str() {
            "paper" => PAPER_SIZES.map(|mebibytes| mebibytes << 20).to_vec(),
            list => list.split(',').map(amount::parse_bytes).collect::<Result<_, _>>().map_err(Error::Usage)?,
        };
        sizes.sort_unstable();
        sizes.dedup();
        match sizes.first() {
            Some(0) | None => Err(Error::Usage("the line needs messages of at least one byte".to_owned())),
            Some(_) => Ok(sizes),
        }
    }

    /// The folder of the runners, and the rows that are wanted.
    fn runners(&self) -> Result<PathBuf, Error> {
        let nowhere = || Error::Usage("no bench/runners here or above: give --runners DIR".to_owned());
        let runners = self.runners.clone().or_else(find_runners).ok_or_else(nowhere)?;
        runners.canonicalize().map_err(Error::file(&runners))
    }

    fn wants(&self, name: &str) -> bool {
        let among = |rows: &[String]| rows.iter().any(|row| name.starts_with(row.as_str()));
        (self.only.is_empty() || among(&self.only)) && !among(&self.without)
    }

    /// Which runners have their tools here. Nothing is built, and nothing written.
    pub fn listed(&self) -> Result<Catalogue, Error> {
        Catalogue::list(&self.runners()?, &self.out.join("built"), &|name| self.wants(name))
    }

    /// Builds the runners and lays out the plan.
    pub fn prepare(&self) -> Result<PreparedStudy, Error> {
        let sizes = self.sizes()?;
        let runners = self.runners()?;
        std::fs::create_dir_all(&self.out).map_err(Error::file(&self.out))?;
        let out = self.out.canonicalize().map_err(Error::file(&self.out))?;
        let bar = ProgressBar::new(0);
        bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}").expect("a good template"));
        // Some builds take minutes without a word of their own.
        bar.enable_steady_tick(Duration::from_millis(200));
        let tell = &mut |done: usize, all: usize, label: &str| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
            bar.set_message(format!("building {label}"));
            // Without a terminal there is no bar.
            if bar.is_hidden() {
                eprintln!("building {label} ({} of {all})", done + 1);
            }
        };
        let built = Catalogue::build(&runners, &out.join("built"), &|name| self.wants(name), tell);
        bar.finish_and_clear();
        let Catalogue { rows, missing } = built?;
        let methods = if self.algorithms.is_empty() { Method::ALL.to_vec() } else { self.algorithms.clone() };
        let mut cells = Vec::new();
        for row in &rows {
            for &method in methods.iter().filter(|method| row.methods.contains(method)) {
                cells.extend(sizes.iter().map(|&bytes| Cell { row: row.name.clone(), method, bytes }));
            }
        }
        let (processes, repeats, seed) = (self.processes, self.repeats, self.seed);
        let plan = Plan { cells, processes, repeats, warmups: self.warmups, warm_bytes: self.warm_bytes, seed };
        Ok(PreparedStudy { plan, rows, missing })
    }

    /// Does the study, or the rest of an interrupted one.
    pub fn study(&self, prepared: PreparedStudy) -> Result<StudyResult, Error> {
        let PreparedStudy { plan, rows, .. } = prepared;
        plan.check()?;
        let data = self.out.join("messages");
        std::fs::create_dir_all(&data).map_err(Error::file(&data))?;
        let messages: Result<Vec<Message>, Error> =
            self.sizes()?.into_iter().map(|bytes| Message::create(&data, bytes, self.seed)).collect();
        let machine = Machine::look();
        let (mut journal, entries) = Journal::open(&self.out.join("journal.jsonl"), &plan, &machine)?;
        if !entries.is_empty() {
            eprintln!("going on after {} of {} processes", entries.len(), plan.jobs().len());
        }
        let bar = ProgressBar::new(plan.jobs().len() as u64);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").expect("a good template");
        bar.set_style(style);
        let mut watch = |step: &Step| {
            bar.set_position(step.done as u64);
            let left =
                step.left.map_or(String::new(), |left| format!("{} left, ", amount::show_seconds(left.as_secs_f64())));
            let cell = &step.job.cell;
            bar.set_message(format!("{left}{} {} {}", cell.row, cell.method, amount::show_bytes(cell.bytes)));
        };
        let (mut spawn, clock) = (Spawn, Monotonic::new());
        let entries = run(&plan, &rows, &messages?, &mut journal, entries, &mut spawn, &clock, &mut watch)?;
        bar.finish_and_clear();
        Ok(StudyResult::gather(plan, machine, &rows, &entries))
    }
}

/// Lists the missing runners.
pub fn describe(missing: &[Missing]) -> String {
    let lines =
        missing.iter().map(|m| format!("left out: {} ({}); to get it: {}\n", m.rows.join(", "), m.reason, m.install));
    lines.collect()
}
