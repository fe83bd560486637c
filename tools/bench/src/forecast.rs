//! `pfh bench forecast`: what a case will take, with intervals.

use crate::amount::{parse_bytes, show_bytes, show_seconds};
use crate::pipeline::{Cost, Tree, pass};
use crate::report::align;
use crate::statistics::{Interval, median};
use crate::study::{Program, READING_ERROR, StudyResult, Time, published};
use crate::{Error, message::Method};
use pfh::{Algorithm, Plan};
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Cases that papers forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Preset {
    /// The study's 722 GB, its Table 15
    #[value(name = "study-722gb")]
    Study,
}

/// What is asked.
#[derive(Debug, Clone, clap::Args)]
pub struct Forecast {
    /// Bytes of the case: 722GB, 4TB
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, required_unless_present = "preset")]
    pub bytes: Option<u64>,
    /// Files of the case
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub files: u64,
    /// Algorithms that pfh computes, each forecast by itself
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',', default_value = "sha256")]
    pub algorithms: Vec<String>,
    /// A case from a paper in place of --bytes
    #[arg(long, value_enum, conflicts_with = "bytes")]
    pub preset: Option<Preset>,
    /// Where the evidence lies: a file or device that is read, and never written, at places all over it
    #[arg(long, value_name = "PATH")]
    pub device: Option<PathBuf>,
    /// A finished `pfh bench languages`: its programs are forecast too
    #[arg(long, value_name = "DIR")]
    pub study: Option<PathBuf>,
    /// Where files to measure with are written and removed again (the system's temporary directory)
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// A line of the forecast.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expected {
    /// What does the work.
    pub who: String,
    /// The algorithm.
    pub algorithm: String,
    /// Seconds of computing.
    pub computing: f64,
    /// Its 95 % interval.
    pub computing_interval: Interval,
    /// Seconds of reading.
    pub reading: f64,
    /// Its 95 % interval.
    pub reading_interval: Interval,
    /// Seconds that it takes: whatever is longer where both go on at the same time, their sum where not.
    pub takes: f64,
    /// Its 95 % interval.
    pub takes_interval: Interval,
    /// The study's own way to scale up, t(1024 MiB) × bytes / 10^9, for its programs; seconds.
    pub scaled_as_in_the_study: Option<f64>,
}

const DRAWS: usize = 1000;
const ROUNDS: usize = 7;

impl Forecast {
    /// Bytes and files of the case.
    pub fn case(&self) -> (u64, u64) {
        match self.preset {
            Some(Preset::Study) => (722_000_000_000, self.files),
            None => (self.bytes.unwrap_or(0), self.files),
        }
    }

    /// Measures pfh and the device, takes the programs from a study, and forecasts them all.
    pub fn expect(&self, study: Option<&StudyResult>) -> Result<Vec<Expected>, Error> {
        let (bytes, files) = self.case();
        let parent = self.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let scratch = Scratch::create(&parent)?;
        let small = Tree::create(&scratch.0.join("small"), 2000, 4096, 1)?;
        let large = Tree::create(&scratch.0.join("large"), 4, 24 << 20, 1)?;

        // The device, as pfh's own readers read it: an algorithm that costs next to nothing, pages dropped before.
        let cheap = plan("xxh3-128")?;
        let (mut cold_small, mut cold_large) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            for (tree, times) in [(&small, &mut cold_small), (&large, &mut cold_large)] {
                tree.evict()?;
                times.push(pass(&tree.root, &cheap)?.wall.as_secs_f64());
            }
        }
        let mut reading = Cost::of((&small, &cold_small), (&large, &cold_large), DRAWS, 1);
        if let Some(device) = &self.device {
            let rates = sample(device)?;
            let mut random = crate::random::Random::new(2);
            reading.at.1 = median(&rates);
            for draw in &mut reading.draws {
                draw.1 = median(&random.resample(&rates));
            }
        }

        let mut lines = Vec::new();
        for name in &self.algorithms {
            let plan = plan(name)?;
            let (mut warm_small, mut warm_large) = (Vec::new(), Vec::new());
            pass(&small.root, &plan)?;
            pass(&large.root, &plan)?;
            for _ in 0..ROUNDS {
                warm_small.push(pass(&small.root, &plan)?.wall.as_secs_f64());
                warm_large.push(pass(&large.root, &plan)?.wall.as_secs_f64());
            }
            let computing = Cost::of((&small, &warm_small), (&large, &warm_large), DRAWS, 1);
            // Reading and hashing go on at the same time.
            let both = |computing: f64, reading: f64| computing.max(reading);
            lines.push(line("pfh", name, &computing, &reading, (bytes, files), both));
        }
        if let Some(result) = study {
            for (row, method) in result.rows.iter().flat_map(|row| Method::ALL.map(|method| (row, method))) {
                if !self.algorithms.iter().any(|name| name == method.name()) {
                    continue;
                }
                let Some(estimate) = result.estimate(&row.name, method, Time::Wall) else { continue };
                let of = |line: &crate::statistics::Line| (line.a.max(0.0) / 1e3, line.b / 1e3 / f64::from(1 << 20));
                let computing = Cost { at: of(&estimate.line), draws: estimate.draws.iter().map(of).collect() };
                // The study's programs read a file, and then hash it.
                let both = |computing: f64, reading: f64| computing + reading;
                let mut expected = line(&row.label, method.name(), &computing, &reading, (bytes, files), both);
                expected.scaled_as_in_the_study = Some(estimate.line.at(1024.0) / 1e3 * bytes as f64 / 1e9);
                lines.push(expected);
            }
        }
        if self.preset == Some(Preset::Study) {
            lines.extend(self.algorithms.iter().flat_map(|name| of_2014(name, bytes)));
        }
        Ok(lines)
    }

    /// The forecast as a table.
    pub fn table(&self, lines: &[Expected]) -> String {
        let (bytes, files) = self.case();
        let heads = ["who", "algorithm", "computing", "95 %", "reading", "95 %", "takes", "95 %", "the study's way"];
        let mut table = vec![heads.map(str::to_owned).to_vec()];
        let range = |interval: Interval| format!("{} .. {}", show_seconds(interval.low), show_seconds(interval.high));
        for e in lines {
            table.push(vec![
                e.who.clone(),
                e.algorithm.clone(),
                show_seconds(e.computing),
                range(e.computing_interval),
                show_seconds(e.reading),
                range(e.reading_interval),
                show_seconds(e.takes),
                range(e.takes_interval),
                e.scaled_as_in_the_study.map_or("-".to_owned(), show_seconds),
            ]);
        }
        format!(
            "{} in {files} files\n{}\
             pfh: all threads, reading and hashing at the same time. Programs: one thread, reading, then hashing. 2014: the study's own, \
             computing only, read off its plots.\n",
            show_bytes(bytes),
            align(&table)
        )
    }
}

/// What the study's own programs took, scaled up as its Table 15 does: t(1024 MiB) × bytes / 10^9, computing only. The interval is that of the
/// plot that the times were read off.
fn of_2014(name: &str, bytes: u64) -> Vec<Expected> {
    let scale = bytes as f64 / 1e9 / 1e3;
    let expect = |program: Program| {
        let takes = program.longest() * scale;
        let interval = Interval { low: takes - READING_ERROR * scale, high: takes + READING_ERROR * scale };
        let nothing = Interval { low: 0.0, high: 0.0 };
        Expected {
            who: program.label(),
            algorithm: name.to_owned(),
            computing: takes,
            computing_interval: interval,
            reading: 0.0,
            reading_interval: nothing,
            takes,
            takes_interval: interval,
            scaled_as_in_the_study: Some(takes),
        }
    };
    published().into_iter().filter(|program| program.method.name() == name).map(expect).collect()
}

fn plan(name: &str) -> Result<Plan, Error> {
    let algorithm: Algorithm = pfh::algorithm(name).map_err(|error| Error::Usage(error.to_string()))?;
    Ok(Plan::new(vec![algorithm]))
}

fn line(
    who: &str,
    algorithm: &str,
    computing: &Cost,
    reading: &Cost,
    (bytes, files): (u64, u64),
    both: impl Fn(f64, f64) -> f64,
) -> Expected {
    let (c, r) = (computing.drawn(files, bytes), reading.drawn(files, bytes));
    let takes: Vec<f64> = c.iter().zip(&r).map(|(&c, &r)| both(c, r)).collect();
    let (computed, read) = (computing.seconds(files, bytes), reading.seconds(files, bytes));
    Expected {
        who: who.to_owned(),
        algorithm: algorithm.to_owned(),
        computing: computed,
        computing_interval: Interval::of(&c),
        reading: read,
        reading_interval: Interval::of(&r),
        takes: both(computed, read),
        takes_interval: Interval::of(&takes),
        scaled_as_in_the_study: None,
    }
}

/// Seconds per byte at 16 places of a file or device, opened for reading only, past the page cache as far as the kernel
/// lets it.
fn sample(path: &Path) -> Result<Vec<f64>, Error> {
    let read = || -> std::io::Result<Vec<f64>> {
        let mut file = File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let part = (16u64 << 20).min(length / 16);
        let mut buffer = vec![0; 1 << 20];
        let mut rates = Vec::new();
        for place in 0..16 {
            let at = length / 16 * place;
            pfh::evict_range(&file, at, part)?;
            file.seek(SeekFrom::Start(at))?;
            let (start, mut got) = (Instant::now(), 0);
            while got < part {
                match file.read(&mut buffer)? {
                    0 => break,
                    n => got += n as u64,
                }
            }
            if got > 0 {
                rates.push(start.elapsed().as_secs_f64() / got as f64);
            }
        }
        Ok(rates)
    };
    let rates = read().map_err(Error::file(path))?;
    match rates.is_empty() {
        true => Err(Error::Usage(format!("{}: too short to measure", path.display()))),
        false => Ok(rates),
    }
}

/// A directory that is removed in the end.
pub(crate) struct Scratch(pub PathBuf);

impl Scratch {
    pub fn create(parent: &Path) -> Result<Scratch, Error> {
        let path = parent.join(format!("pfh-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(Error::file(&path))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays, and is in the temporary directory.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_of_two_or_their_sum() {
        let cost = |a, b| Cost { at: (a, b), draws: vec![(a, b); 10] };
        let (computing, reading) = (cost(1e-5, 1e-9), cost(1e-4, 5e-10));
        let e = line("x", "md5", &computing, &reading, (722_000_000_000, 500_000), |c, r| c.max(r));
        assert!((e.computing - 727.0).abs() < 1e-9 && (e.reading - 411.0).abs() < 1e-9, "{e:?}");
        assert_eq!((e.takes, e.takes_interval.low), (e.computing, e.computing_interval.low));
        let e = line("x", "md5", &computing, &reading, (722_000_000_000, 500_000), |c, r| c + r);
        assert!((e.takes - 1138.0).abs() < 1e-9);
    }

    #[test]
    fn the_studys_case_scales_as_it_does() {
        let lines = of_2014("md5", 722_000_000_000);
        let c = lines.iter().find(|line| line.who == "C, OpenSSL (Linux, 2014)").unwrap();
        // 2.83 s for 1024 MiB, times 722.
        assert!((c.takes - 2043.0).abs() < 10.0 && c.takes_interval.high - c.takes < 50.0, "{c:?}");
        assert!(of_2014("blake3", 1).is_empty());
    }

    #[test]
    fn a_device_is_sampled_and_a_short_one_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("evidence");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        assert_eq!(sample(&path).unwrap().len(), 16);
        std::fs::write(&path, []).unwrap();
        assert!(matches!(sample(&path), Err(Error::Usage(_))));
        assert!(matches!(sample(&directory.path().join("none")), Err(Error::File { .. })));
    }
}
