//! `pfh bench self`: the speed of this machine, in under a minute, and the settings that suit it.

use crate::args::SelfArgs;
use crate::forecast::sample::Scratch;
use crate::pipeline::{FileTree, pass};
use crate::report::align;
use crate::statistics::{median, quantile};
use crate::{Error, machine::Machine};
use pfh::{Algorithm, Digest, Mode, Plan};
use serde::Serialize;
use std::time::{Duration, Instant};

/// One algorithm on one processor.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// The algorithm.
    pub algorithm: String,
    /// MB/s of one long message: the best and the median of the rounds.
    pub one: (f64, f64),
    /// MB/s of 96 messages of 16 KiB: the best and the median.
    pub many: (f64, f64),
}

/// One way to set the pipeline, on a warm tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Setting {
    /// adaptive, mtp or smt.
    pub mode: String,
    /// Threads that hash.
    pub threads: usize,
    /// Threads that read besides.
    pub prefetchers: usize,
    /// MiB of the RAM table.
    pub memory: usize,
    /// Seconds: the best and the median of the rounds.
    pub wall: (f64, f64),
    /// CPU seconds, the median.
    pub cpu: f64,
}

/// All results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelfReport {
    /// Where.
    pub machine: Machine,
    /// Kernels.
    pub kernels: Vec<Kernel>,
    /// Settings of the pipeline, the fastest first.
    pub settings: Vec<Setting>,
    /// Megabytes of the tree that the settings were measured on.
    pub tree_megabytes: f64,
}

/// Time given to each kernel and round.
const SLICE: Duration = Duration::from_millis(60);
const ROUNDS: usize = 5;

impl SelfArgs {
    /// Measures kernels, then settings.
    pub fn measure(&self) -> Result<SelfReport, Error> {
        let named = |name: &String| name.parse::<pfh::Algorithm>().map_err(|error| Error::Usage(error.to_string()));
        let algorithms: Vec<Algorithm> = self.algorithms.iter().map(named).collect::<Result<_, _>>()?;
        let kernels = kernels(&algorithms)?;
        let parent = self.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let scratch = Scratch::create(&parent)?;
        // Like a home directory: many small files, some large ones.
        let small = FileTree::create(&scratch.0.join("small"), 1500, 16 << 10, 1)?;
        let large = FileTree::create(&scratch.0.join("large"), 3, 16 << 20, 1)?;
        let settings = settings(&scratch.0, Machine::look().processors)?;
        let tree_megabytes = (small.bytes + large.bytes) as f64 / 1e6;
        Ok(SelfReport { machine: Machine::look(), kernels, settings, tree_megabytes })
    }
}

/// Runs `work` until the slice is over, and gives MB/s for `bytes` per call.
fn rate(bytes: usize, mut work: impl FnMut()) -> f64 {
    let (start, mut calls) = (Instant::now(), 0u32);
    while start.elapsed() < SLICE {
        work();
        calls += 1;
    }
    bytes as f64 * f64::from(calls) / start.elapsed().as_secs_f64() / 1e6
}

fn kernels(algorithms: &[Algorithm]) -> Result<Vec<Kernel>, Error> {
    let long: Vec<u8> = (0..1u32 << 20).map(|i| (i.wrapping_mul(2654435761) >> 24) as u8).collect();
    let messages: Vec<Vec<u8>> = (0..96).map(|k| long[k * 37..k * 37 + (16 << 10)].to_vec()).collect();
    let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let mut rates = vec![(Vec::new(), Vec::new()); algorithms.len()];
    for algorithm in algorithms {
        let alone: Vec<Digest> = slices.iter().map(|message| algorithm.digest(message)).collect();
        if pfh::hash_many(**algorithm, &slices) != alone {
            return Err(Error::Wrong(format!("{algorithm}: many messages at once give other digests than one by one")));
        }
    }
    for _ in 0..ROUNDS {
        for (algorithm, (one, many)) in algorithms.iter().zip(&mut rates) {
            one.push(rate(long.len(), || drop(std::hint::black_box(algorithm.digest(&long)))));
            many.push(rate(96 << 14, || drop(std::hint::black_box(pfh::hash_many(**algorithm, &slices)))));
        }
    }
    let best = |rates: &[f64]| (quantile(rates, 1.0), median(rates));
    let kernel = |(algorithm, (one, many)): (&Algorithm, &(Vec<f64>, Vec<f64>))| Kernel {
        algorithm: algorithm.to_string(),
        one: best(one),
        many: best(many),
    };
    Ok(algorithms.iter().zip(&rates).map(kernel).collect())
}

fn settings(root: &std::path::Path, processors: usize) -> Result<Vec<Setting>, Error> {
    let sha256 = "sha256".parse::<pfh::Algorithm>().map_err(|error| Error::Failed(error.to_string()))?;
    let mut plans = Vec::new();
    let half = processors.div_ceil(2);
    for threads in if half == processors { vec![processors] } else { vec![half, processors] } {
        for memory in [32, 128] {
            let common = Plan { threads, memory: memory << 20, ..Plan::new(vec![sha256]) };
            plans.push(("smt", Plan { mode: Mode::Smt, prefetchers: 0, ..common.clone() }));
            for prefetchers in [1, 2 * threads] {
                plans.push(("mtp", Plan { mode: Mode::Mtp, prefetchers, ..common.clone() }));
            }
            for prefetchers in [threads, 3 * threads] {
                plans.push(("adaptive", Plan { mode: Mode::Adaptive, prefetchers, ..common.clone() }));
            }
        }
    }
    let mut times = vec![(Vec::new(), Vec::new()); plans.len()];
    let mut answer: Option<Vec<String>> = None;
    for _ in 0..ROUNDS {
        for ((mode, plan), (walls, cpus)) in plans.iter().zip(&mut times) {
            let pass = pass(root, plan)?;
            if answer.get_or_insert_with(|| pass.digests.clone()) != &pass.digests {
                return Err(Error::Wrong(format!("{mode} gives another manifest than the settings before")));
            }
            walls.push(pass.wall.as_secs_f64());
            cpus.push(pass.cpu);
        }
    }
    let mut settings: Vec<Setting> = plans
        .iter()
        .zip(&times)
        .map(|((mode, plan), (walls, cpus))| Setting {
            mode: (*mode).to_owned(),
            threads: plan.threads,
            prefetchers: plan.prefetchers,
            memory: plan.memory >> 20,
            wall: (quantile(walls, 0.0), median(walls)),
            cpu: median(cpus),
        })
        .collect();
    settings.sort_by(|s, t| s.wall.0.total_cmp(&t.wall.0));
    Ok(settings)
}

impl SelfReport {
    /// The findings as tables, and the settings to run with.
    pub fn table(&self) -> String {
        let mut kernels = vec![["algorithm", "one", "median", "many", "median", "gain"].map(str::to_owned).to_vec()];
        for kernel in &self.kernels {
            kernels.push(vec![
                kernel.algorithm.clone(),
                format!("{:.0}", kernel.one.0),
                format!("{:.0}", kernel.one.1),
                format!("{:.0}", kernel.many.0),
                format!("{:.0}", kernel.many.1),
                format!("{:.2}x", kernel.many.0 / kernel.one.0),
            ]);
        }
        let heads = ["mode", "threads", "prefetchers", "MiB", "best ms", "median ms", "CPU ms", "MB/s"];
        let mut settings = vec![heads.map(str::to_owned).to_vec()];
        for s in &self.settings {
            settings.push(vec![
                s.mode.clone(),
                s.threads.to_string(),
                s.prefetchers.to_string(),
                s.memory.to_string(),
                format!("{:.1}", s.wall.0 * 1e3),
                format!("{:.1}", s.wall.1 * 1e3),
                format!("{:.1}", s.cpu * 1e3),
                format!("{:.0}", self.tree_megabytes / s.wall.0),
            ]);
        }
        let best = &self.settings[0];
        format!(
            "{}, {} processors, {}\n\nMB/s on one processor: one message of 1 MiB; 96 messages of 16 KiB\n{}\n\
             sha256 over {:.0} MB in 1,503 files, warm\n{}\n\
             fastest here: pfh hash --mode {} --threads {} --prefetchers {} --memory {}MiB\n\
             Settings within a few percent of each other are equal; the defaults are meant for cold disks too.\n",
            self.machine.processor,
            self.machine.processors,
            self.machine.features.join(" "),
            align(&kernels),
            self.tree_megabytes,
            align(&settings),
            best.mode,
            best.threads,
            best.prefetchers,
            best.memory
        )
    }
}
