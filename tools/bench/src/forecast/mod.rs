//! `pfh bench forecast`: the time that a case will take, with intervals.

mod case;
mod device;
mod line;
pub mod measure;
pub mod model;
pub(crate) mod sample;
pub mod sizes;

use crate::amount::{show_bytes, show_seconds};
pub use crate::args::{Device, Forecast, Place, Preset, SizesOf};
use crate::machine::Machine;
use crate::report::align;
use crate::study::StudyResult;
use crate::{Error, args::Method};
pub use case::PrintedProjection;
pub use line::Line;
use line::{Costs, of_2014, of_pfh, of_program};
use measure::{Effort, Hashes, Measurements, Program};
use model::{ExpectedValue, Load};
use serde::Serialize;
use sizes::{FileSizes, Sizes};
use std::sync::atomic::AtomicBool;

/// Files of a sample at most: more take long to write, and do not make the cost of a file better
/// known.
const MOST_FILES: u64 = 20_000;

/// The forecast.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ForecastReport {
    /// The form of this answer.
    pub pfh_forecast: u32,
    /// Bytes of the case.
    pub bytes: u64,
    /// Files of the case.
    pub files: u64,
    /// Where the sizes of its files come from.
    pub sizes: String,
    /// Files and bytes of the sample that was measured.
    pub sample: (u64, u64),
    /// The machine that was measured.
    pub machine: Machine,
    /// Whether that is another machine than this one.
    pub measured_on_another_machine: bool,
    /// Names that could not be read when the sizes were taken.
    pub unread: u64,
    /// The devices of the case, as far as they were named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<Device>,
    /// A paper's projections for the case of a preset.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<PrintedProjection>,
    /// The limits of the forecast.
    pub notes: Vec<String>,
    /// A line for each algorithm of pfh, and each program of a study.
    pub lines: Vec<Line>,
}

impl Forecast {
    /// The sizes of the case's files, and where they come from.
    fn law(&self) -> Result<(String, FileSizes), Error> {
        if let Some(path) = &self.like {
            return Ok((format!("like {}", path.display()), Sizes::below(path)?));
        }
        let known = |sizes| FileSizes { sizes, unread: Vec::new() };
        if let Some(path) = &self.histogram {
            return Ok((format!("of {}", path.display()), known(Sizes::read(path)?)));
        }
        let (files, bytes) = (self.wanted_files().unwrap_or(1), self.wanted_bytes().unwrap_or(0));
        let law = if files == 1 { "one file" } else { "assumed: log-normal, not known" };
        Ok((law.to_owned(), known(Sizes::assumed(bytes, files).map_err(Error::Usage)?)))
    }

    /// The devices of the case that are named.
    fn named(&self) -> Vec<Device> {
        let given = self.devices.iter().filter_map(|place| match place {
            Place::Named(device) => Some(device.clone()),
            Place::Measured(_) => None,
        });
        let given: Vec<Device> = given.collect();
        if given.is_empty() { self.preset.map(Preset::devices).unwrap_or_default() } else { given }
    }

    fn wanted_bytes(&self) -> Option<u64> {
        let named = self.named();
        if named.is_empty() { self.bytes } else { Some(named.iter().map(|device| device.bytes).sum()) }
    }

    fn wanted_files(&self) -> Option<u64> {
        self.files.or(self.preset.and_then(Preset::files))
    }

    /// The device that is to be measured. Refuses combinations that say nothing.
    fn measured_device(&self) -> Result<Option<&std::path::Path>, Error> {
        let usage = |words: &str| Err(Error::Usage(words.to_owned()));
        let mut paths = self.devices.iter().filter_map(Place::path);
        let (first, named) = (paths.next(), self.devices.iter().any(|place| matches!(place, Place::Named(_))));
        let rates = self.named().iter().filter(|device| device.rate.is_some()).count();
        match first {
            Some(_) if self.fit.is_some() => usage("--fit measures nothing: --device PATH is for a forecast that does"),
            Some(_) if paths.next().is_some() || named => {
                usage("--device: one path that is measured, or devices as NAME=SIZE[@RATE]")
            }
            None if named && self.preset.is_some() => usage("--device NAME=SIZE and --preset both say the case"),
            None if named && self.bytes.is_some() => {
                usage("--device NAME=SIZE and --bytes both say the size of the case")
            }
            None if rates != 0 && rates != self.named().len() => usage("--device: a rate for each device, or for none"),
            None if !named
                && self.devices.is_empty()
                && self.bytes.is_none()
                && self.preset.is_none()
                && self.no_sizes() =>
            {
                usage(
                    "the size of the case is missing: --like, --histogram, --bytes, --device NAME=SIZE, --preset or --fit",
                )
            }
            Some(_) if self.bytes.is_none() && self.preset.is_none() && self.no_sizes() => usage(
                "the size of the case is missing: --device PATH measures a device's rate; --bytes, --like … say the case",
            ),
            first => Ok(first),
        }
    }

    fn no_sizes(&self) -> bool {
        self.like.is_none() && self.histogram.is_none() && self.fit.is_none()
    }

    /// The algorithms that are to be measured.
    fn wanted_algorithms(&self) -> Vec<String> {
        let default = if matches!(self.preset, Some(Preset::Mac | Preset::Windows)) { "ssdeep" } else { "sha256" };
        if self.algorithms.is_empty() { vec![default.to_owned()] } else { self.algorithms.clone() }
    }

    /// The files and bytes to hash.
    fn load(&self, sizes: &Sizes) -> Load {
        match (self.wanted_files(), self.wanted_bytes()) {
            (None, None) => Load::certain(sizes.files(), sizes.bytes()),
            (files, bytes) => Load::by_mean(files, bytes, sizes.mean().max(1.0), sizes.uncertainty(), 5),
        }
    }

    /// Measures with the program at `program`, or reads the measurements, and forecasts the case.
    /// `stop` ends the measuring.
    pub fn expect(
        &self,
        study: Option<&StudyResult>,
        program: &std::path::Path,
        stop: &AtomicBool,
    ) -> Result<ForecastReport, Error> {
        for name in &self.algorithms {
            name.parse::<pfh::Algorithm>().map_err(|error| Error::Usage(error.to_string()))?;
        }
        self.measured_device()?;
        let measured = match &self.fit {
            Some(path) => Measurements::read(path)?,
            None => self.measure(&mut Program(program.to_owned()), stop)?,
        };
        if let Some(path) = &self.save {
            let text = serde_json::to_string(&measured).expect("plain data becomes JSON") + "\n";
            std::fs::write(path, text).map_err(Error::file(path))?;
        }
        self.from(&measured, study)
    }

    fn measure(&self, program: &mut dyn Hashes, stop: &AtomicBool) -> Result<Measurements, Error> {
        let (law, FileSizes { sizes, unread }) = self.law()?;
        for name in &unread {
            eprintln!("not read: {name}");
        }
        let algorithms = self.wanted_algorithms();
        let parent = self.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let rounds = self.rounds as usize;
        let effort = Effort { bytes: self.sample.max(1), files: MOST_FILES, rounds, parent: &parent, stop };
        let rates = self.measured_device()?.map(device::rates).transpose()?;
        let bar = measure::bar();
        let mut measured = Measurements::take((law, sizes, unread.len() as u64), &algorithms, &effort, program, &bar)?;
        if rates.is_some() {
            let nothing = || measure::Device { cold: Vec::new(), warm: Vec::new(), rates: None };
            measured.device.get_or_insert_with(nothing).rates = rates;
        }
        Ok(measured)
    }

    /// The forecast from the measurements.
    pub fn from(&self, measured: &Measurements, study: Option<&StudyResult>) -> Result<ForecastReport, Error> {
        let load = self.load(&measured.sizes);
        let (files, bytes) = (load.at.0.round() as u64, load.at.1.round() as u64);
        let machine = Machine::look();
        let another = !measured.is_of(&machine);
        let mut notes = Vec::new();
        if another {
            notes.push(format!(
                "measured on another machine: {}, {} processors; this one is {}, {} processors",
                measured.machine.processor, measured.machine.processors, machine.processor, machine.processors
            ));
        }
        if measured.unread > 0 {
            notes.push(format!("{} names could not be read: their files are missing from the sizes", measured.unread));
        }
        if measured.law.starts_with("assumed") {
            notes.push("the sizes of the files are not known: --like DIR or --histogram FILE says them".to_owned());
        }
        let ratio = load.at.1 / load.at.0.max(1.0) / measured.sizes.mean().max(1.0);
        if !(0.5..=2.0).contains(&ratio) {
            notes.push(format!("files of the case are {ratio:.2} times as long on average as those of the sizes: lanes will fill otherwise"));
        }
        let mut costs = Costs::of(measured);
        let devices = self.named();
        if let Some(seconds) = devices.iter().map(Device::seconds).sum::<Option<f64>>().filter(|seconds| *seconds > 0.0)
        {
            // One device after the other, at the rates that were given.
            costs.at_rate(seconds / load.at.1);
        }
        match &measured.device {
            _ if devices.iter().any(|device| device.rate.is_some()) => {}
            None => notes.push(
                "the sample lay in memory: reading from a device was not measured (--scratch DIR on one)".to_owned(),
            ),
            Some(device) if device.cold.is_empty() => {
                notes.push("the sample lay in memory: the device's cost per file was not measured".to_owned());
            }
            Some(_) => {}
        }

        let asked = match self.algorithms.is_empty() {
            true => measured.algorithms.iter().map(|(name, _)| name.clone()).collect(),
            false => self.algorithms.clone(),
        };
        let mut lines = Vec::new();
        for name in &asked {
            let Some((_, runs)) = measured.algorithms.iter().find(|(found, _)| found == name) else {
                let has = measured.algorithms.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
                return Err(Error::Usage(format!("{name} was not measured for this fit, which has {has}")));
            };
            lines.extend(of_pfh(name, runs, &costs, &load));
        }
        for row in study.iter().flat_map(|study| &study.rows) {
            for method in Method::ALL.into_iter().filter(|method| asked.iter().any(|name| name == method.name())) {
                let of = |study: &&StudyResult| of_program(study, row, method, &costs, &load);
                lines.extend(study.as_ref().and_then(of));
            }
        }
        if self.preset == Some(Preset::Study) {
            lines.extend(asked.iter().flat_map(|name| of_2014(name, bytes)));
        }
        let printed = self.preset.map(Preset::printed).unwrap_or_default();
        if self.preset == Some(Preset::Study) {
            notes.push("722 GB are 722 times 2^30 bytes for pfh too, as the study counts; *: from 512 MB".to_owned());
        }
        Ok(ForecastReport {
            pfh_forecast: 1,
            bytes,
            files,
            sizes: measured.law.clone(),
            sample: measured.sample,
            machine: measured.machine.clone(),
            measured_on_another_machine: another,
            unread: measured.unread,
            devices,
            printed: printed.into_iter().filter(|row| !row.is_a_program() || asked.contains(&row.algorithm)).collect(),
            notes,
            lines,
        })
    }
}

impl ForecastReport {
    /// The forecast as a table.
    pub fn table(&self) -> String {
        let heads = [
            "who",
            "algorithm",
            "CPU",
            "95 %",
            "device",
            "95 %",
            "warm takes",
            "95 %",
            "cold takes",
            "95 %",
            "the study's way",
            "printed",
        ];
        let mut table = vec![heads.map(str::to_owned).to_vec()];
        for line in &self.lines {
            let mut cells = vec![line.who.clone(), line.algorithm.clone()];
            for expected in [Some(line.cpu_warm), line.device, line.takes_warm, line.takes_cold] {
                let show = |e: ExpectedValue| {
                    (show_seconds(e.seconds), format!("{} .. {}", show_seconds(e.low), show_seconds(e.high)))
                };
                let (seconds, range) = expected.map_or(("-".to_owned(), "-".to_owned()), show);
                cells.extend([seconds, range]);
            }
            cells.push(line.scaled_as_in_the_study.map_or("-".to_owned(), show_seconds));
            cells.push(line.printed.clone().unwrap_or_else(|| "-".to_owned()));
            table.push(cells);
        }
        let mut text = format!(
            "{} in {} files, sizes {}; measured on a sample of {} in {} files\n{}",
            show_bytes(self.bytes),
            self.files,
            self.sizes,
            show_bytes(self.sample.1),
            self.sample.0,
            align(&table)
        );
        for line in self.lines.iter().filter_map(|line| Some((line, line.fit?))) {
            let (line, fit) = line;
            text += &format!(
                "{}: {:.1} µs a file and {:.3} ns a byte of CPU, R² {:.4}, runs within {:.1} %\n",
                line.algorithm,
                fit.per_file * 1e6,
                fit.per_byte * 1e9,
                fit.r2,
                fit.spread * 100.0
            );
        }
        text += "pfh: all threads, reading and hashing at the same time; CPU is the sum over threads, files in the page cache. Programs: one \
                 thread, reading, then hashing. 2014: the study's own, computing only.\n";
        text += &case::text(&self.devices, &self.printed);
        for note in &self.notes {
            text += &format!("note: {note}\n");
        }
        text
    }
}
