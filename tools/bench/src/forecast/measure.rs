//! Measures the program itself on a sample, and keeps the results for later forecasts.

use super::model::Run;
use super::sample::{Layout, Point, Sample};
use super::sizes::Sizes;
use crate::machine::Machine;
use crate::random::Random;
use crate::statistics::median;
use crate::{Error, amount};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The algorithm that costs next to nothing: the rest of its time is reading.
const READING: &str = "xxh3-128";

/// Hashes trees and measures the time.
pub trait Hashes {
    /// Hashes everything below `roots`; CPU seconds of all its threads, and seconds that passed.
    fn hash(&mut self, algorithm: &str, roots: &[PathBuf]) -> Result<(f64, f64), Error>;
}

/// `pfh hash -r` as users run it: a process of its own for every run, its start included.
pub struct Program(pub PathBuf);

impl Hashes for Program {
    fn hash(&mut self, algorithm: &str, roots: &[PathBuf]) -> Result<(f64, f64), Error> {
        let (used, start) = (pfh::process::children_time(), Instant::now());
        let ran = Command::new(&self.0)
            .args(["hash", "--recursive", "--algorithm", algorithm, "--"])
            .args(roots)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(Error::file(&self.0))?;
        let (wall, cpu) = (start.elapsed(), pfh::process::children_time() - used);
        match ran.status.success() {
            true => Ok((cpu.as_secs_f64(), wall.as_secs_f64())),
            // A time that skips work says nothing.
            false => Err(Error::Failed(format!(
                "pfh hash -a {algorithm} failed on the sample ({}): {}",
                ran.status,
                String::from_utf8_lossy(&ran.stderr).trim()
            ))),
        }
    }
}

/// The measurements of the device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// Runs whose files were not in the page cache.
    pub cold: Vec<Run>,
    /// The same runs with the files in it.
    pub warm: Vec<Run>,
    /// Seconds per byte at places of the file or device that was named, instead of the cold runs'.
    pub rates: Option<Vec<f64>>,
}

/// All measurements: enough to forecast other cases of the same law later, or on another machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurements {
    /// The form of this file.
    pub pfh_forecast_fit: u32,
    /// The program that was measured.
    pub version: String,
    /// Where.
    pub machine: Machine,
    /// Where the sizes come from.
    pub law: String,
    /// The sizes of the case.
    pub sizes: Sizes,
    /// Names below the case that could not be read.
    pub unread: u64,
    /// Files and bytes of the sample.
    pub sample: (u64, u64),
    /// CPU seconds that the fresh pages of a whole RAM table cost: the most that filling it can.
    pub table: f64,
    /// Runs of each algorithm, files in the page cache.
    pub algorithms: Vec<(String, Vec<Run>)>,
    /// The device, where the sample lies on one.
    pub device: Option<Device>,
}

/// The form that this program writes.
pub const FORM: u32 = 1;

/// How much is measured.
#[derive(Debug, Clone)]
pub struct Effort<'a> {
    /// Bytes of the sample at most.
    pub bytes: u64,
    /// Files of the sample at most.
    pub files: u64,
    /// Rounds.
    pub rounds: usize,
    /// Where the sample is written.
    pub parent: &'a Path,
    /// Ends the work.
    pub stop: &'a AtomicBool,
}

impl Measurements {
    /// Writes a sample of `sizes`, hashes it in rounds, and removes it again. All algorithms have
    /// their turn in each round, in random order, so that a disturbance falls on all alike.
    pub fn take(
        (law, sizes, unread): (String, Sizes, u64),
        algorithms: &[String],
        effort: &Effort<'_>,
        program: &mut dyn Hashes,
        bar: &ProgressBar,
    ) -> Result<Measurements, Error> {
        let stopped = || effort.stop.load(Ordering::Relaxed);
        let layout = Layout::of(&sizes, effort.bytes, effort.files, 1);
        let whole = layout.points.last().map_or((0, 0), |point| (point.files, point.bytes));
        bar.set_length(layout.bytes());
        bar.set_message("writing the sample");
        let sample = Sample::create(layout, effort.parent, 1, &mut |bytes| {
            bar.inc(bytes);
            !stopped()
        })?;
        let cold = !sample.is_in_memory();
        // The whole counts twice: it is nearest to the case.
        let last = sample.points().len() - 1;
        let points: Vec<usize> = (0..=last).chain([last]).collect();
        let passes = algorithms.len() + if cold { 2 } else { 0 };
        bar.set_length(((1 + effort.rounds * points.len()) * passes) as u64);
        bar.set_position(0);

        let mut random = Random::new(2);
        let mut runs: Vec<(String, Vec<Run>)> = algorithms.iter().map(|name| (name.clone(), Vec::new())).collect();
        let mut device = cold.then(|| Device { cold: Vec::new(), warm: Vec::new(), rates: None });
        let mut places = Random::new(3);
        let mut run = |name: &str, point: &Point, evicted: bool| {
            if stopped() {
                return Err(Error::Interrupted);
            }
            if evicted {
                sample.evict(point)?;
            }
            bar.set_message(format!("{name}, {} in {} files", amount::show_bytes(point.bytes), point.files));
            let (cpu, wall) = program.hash(name, &sample.roots(point, &mut places))?;
            bar.inc(1);
            Ok(Run { files: point.files, bytes: point.bytes, cpu, wall })
        };
        // Once for nothing: pages come into the cache, the program's own too.
        for name in algorithms {
            run(name, &sample.points()[last], false)?;
        }
        for _ in 0..effort.rounds {
            let mut turns: Vec<(usize, usize)> =
                (0..passes).flat_map(|pass| points.iter().map(move |&point| (pass, point))).collect();
            random.shuffle(&mut turns);
            for (pass, point) in turns {
                let point = &sample.points()[point];
                match (runs.get_mut(pass), &mut device) {
                    (Some((name, runs)), _) => runs.push(run(name, point, false)?),
                    (None, Some(device)) if pass == algorithms.len() => device.cold.push(run(READING, point, true)?),
                    (None, Some(device)) => device.warm.push(run(READING, point, false)?),
                    (None, None) => {}
                }
            }
        }
        bar.finish_and_clear();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (machine, algorithms) = (Machine::look(), runs);
        Ok(Measurements {
            pfh_forecast_fit: FORM,
            version,
            machine,
            law,
            sizes,
            unread,
            sample: whole,
            table: table(),
            algorithms,
            device,
        })
    }

    /// Reads the results that an earlier forecast kept.
    pub fn read(path: &Path) -> Result<Measurements, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
        let malformed = |reason: String| Error::Malformed { path: path.to_owned(), reason };
        let measured: Measurements =
            serde_json::from_str(&text).map_err(|error| malformed(format!("no saved fit: {error}")))?;
        if measured.pfh_forecast_fit != FORM {
            return Err(malformed(format!(
                "a saved fit of form {}, and this program reads {FORM}",
                measured.pfh_forecast_fit
            )));
        }
        let sizes = Sizes::of(measured.sizes.rows().iter().copied()).map_err(malformed)?;
        if sizes != measured.sizes {
            return Err(malformed("its sizes are not in order".to_owned()));
        }
        let device = measured.device.iter().flat_map(|device| device.cold.iter().chain(&device.warm));
        let wrong = |run: &Run| !(run.cpu.is_finite() && run.cpu >= 0.0 && run.wall.is_finite() && run.wall >= 0.0);
        if !(measured.table.is_finite() && measured.table >= 0.0) {
            return Err(malformed("the cost of its table is not a time".to_owned()));
        }
        if measured.algorithms.iter().flat_map(|(_, runs)| runs).chain(device).any(wrong) {
            return Err(malformed("a time in it is none".to_owned()));
        }
        Ok(measured)
    }

    /// Whether it was measured on a machine like this one, as far as times depend on it.
    pub fn is_of(&self, machine: &Machine) -> bool {
        let facts = |m: &Machine| (m.processor.clone(), m.processors, m.features.clone(), m.memory >> 30);
        facts(&self.machine) == facts(machine)
    }
}

/// CPU seconds of touching as much fresh memory as a RAM table has: the median of five.
fn table() -> f64 {
    let used = || pfh::process::cpu_time().as_secs_f64();
    let touch = |_| {
        let before = used();
        let mut memory = vec![0_u8; pfh::DEFAULT_MEMORY];
        memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        drop(std::hint::black_box(memory));
        used() - before
    };
    median(&(0..5).map(touch).collect::<Vec<f64>>())
}

/// A bar in the program's style.
pub fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template("{bar:30} {percent:>3}% {msg}").expect("a good template"));
    bar
}
