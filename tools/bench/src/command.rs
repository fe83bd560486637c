//! The arguments of `pfh bench`, and what each part of it does.

use crate::fit::Fit;
use crate::forecast::Place;
use crate::forecast::sizes::Sizes;
use crate::forecast::{Forecast, SizesOf};
use crate::languages::{Languages, describe};
use crate::own::Own;
use crate::papers::{self, Papers};
use crate::study::{StudyResult, Time};
use crate::{Error, report};
use pfh::outputs::{Existing, Kind, Outputs};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Which hash, in which language, on this machine; and what will a case take
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Bench {
    /// Repeat the study of hash functions in languages and libraries on this machine
    Languages(Languages),
    /// Write tables, figures and the HTML report of a finished study again
    Report {
        /// Where the study was done
        #[arg(value_name = "DIR", default_value = "pfh-bench")]
        from: PathBuf,
        /// Which time the tables show
        #[arg(long, value_enum, default_value_t)]
        time: Time,
    },
    /// Say what a case will take: pfh on this machine, and the programs of a study
    Forecast(Forecast),
    /// List how large the files of a directory are, for `forecast --histogram`
    Sizes(SizesOf),
    /// Measure kernels and pipeline in under a minute, and suggest settings
    #[command(name = "self")]
    Own(Own),
    /// Repeat the papers' measurements, beside the papers' own figures
    Papers(Papers),
    /// Fit the study's lines to results that others measured
    Fit(Fit),
}

/// What a study and the papers' measurements leave in their directory.
const FILES: [&str; 10] = [
    "result.json",
    "journal.jsonl",
    papers::KEPT,
    "report.html",
    "tables.txt",
    "results.csv",
    "figure-1.svg",
    "figure-2.svg",
    "heat-map.svg",
    "papers.txt",
];

/// What a page of the papers begins with.
const PAGE: &[u8] = b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>The five papers on this machine</title>";

impl Bench {
    /// What is read and written, for the guard of outputs. In a directory that holds the results of
    /// an earlier run its tables are written again; a file of the same name anywhere else stays.
    pub fn outputs(&self) -> Outputs {
        if let Bench::Forecast(forecast) = self {
            let mut outputs = Outputs::new(forecast.force);
            outputs.reads_all([&forecast.like, &forecast.histogram].into_iter().flatten());
            outputs.reads_all(forecast.devices.iter().filter_map(Place::path));
            outputs.reads_all(forecast.study.iter().map(|study| study.join("result.json")));
            if let Some(path) = &forecast.save {
                outputs.writes("--save", path, Kind::File, Existing::Refused);
            }
            return outputs;
        }
        let (directory, force) = match self {
            Bench::Languages(languages) if !languages.list => (&languages.out, languages.force),
            Bench::Report { from, .. } => (from, false),
            Bench::Papers(papers) if !papers.list => (&papers.out, papers.force),
            _ => return Outputs::new(false),
        };
        let mut outputs = Outputs::new(force);
        outputs.writes("--out", directory, Kind::Directory, Existing::Welcome);
        if let Bench::Papers(Papers { html: Some(page), .. }) = self {
            // A page that was made so before is made again.
            outputs.writes("--html", page, Kind::File, Existing::Own(0, PAGE));
        }
        let is_known = |name: &str| directory.join(name).is_file();
        // The journal names its plan, and the papers' results their parts: another program's files
        // do not.
        let own = [
            ("journal.jsonl", &b"{\"pfh_bench_journal\""[..]),
            ("result.json", b"{\"plan\":{"),
            (papers::KEPT, b"[\n  {\n    \"name\""),
        ];
        let is_own = own.iter().any(|(name, start)| {
            is_known(name) && std::fs::read(directory.join(name)).is_ok_and(|bytes| bytes.starts_with(start))
        });
        let existing = if is_own { Existing::Welcome } else { Existing::Refused };
        for name in FILES.into_iter().chain(["papers.csv"]).filter(|name| is_known(name)) {
            outputs.writes("--out", directory.join(name), Kind::File, existing);
        }
        outputs
    }
}

/// How a benchmark that was done ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every answer was right.
    Good,
    /// Some program gave a wrong digest or failed: its times do not count, the others' do.
    Wrong,
    /// Some of what the answer is about could not be read.
    Incomplete,
}

/// Does what is asked. What it finds goes to `out`, what it does to standard error. `stop` ends
/// what takes long and would leave files behind. `program` is the file that starts pfh: some
/// benchmarks measure it as users run it.
pub fn run(bench: &Bench, program: &Path, out: &mut dyn Write, stop: &AtomicBool) -> Result<Ended, Error> {
    let complete = |unread: u64| if unread == 0 { Ended::Good } else { Ended::Incomplete };
    match bench {
        Bench::Languages(languages) => {
            if languages.list {
                let listed = languages.listed()?;
                eprint!("{}", describe(&listed.missing));
                for row in &listed.rows {
                    let methods = row.methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(" ");
                    say(out, &format!("{:20} {:24} {methods}\n", row.name, row.label))?;
                }
                return Ok(Ended::Good);
            }
            let prepared = languages.prepare()?;
            eprint!("{}", describe(&prepared.missing));
            let result = languages.study(prepared)?;
            let path = languages.out.join("result.json");
            std::fs::write(&path, json(&result)).map_err(Error::file(&path))?;
            finish(&languages.out, &result, languages.time, out)
        }
        Bench::Report { from, time } => finish(from, &load(from)?, *time, out),
        Bench::Forecast(forecast) => {
            let study = forecast.study.as_deref().map(load).transpose()?;
            let found = forecast.expect(study.as_ref(), program, stop)?;
            say(out, &if forecast.json { json(&found) } else { found.table() })?;
            Ok(complete(found.unread))
        }
        Bench::Sizes(SizesOf { directory }) => {
            let found = Sizes::below(directory)?;
            found.unread.iter().for_each(|name| eprintln!("not read: {name}"));
            say(out, &found.sizes.render())?;
            Ok(complete(found.unread.len() as u64))
        }
        Bench::Own(own) => {
            let found = own.measure()?;
            say(out, &if own.json { json(&found) } else { found.table() })?;
            Ok(Ended::Good)
        }
        Bench::Papers(papers) => {
            if papers.list {
                papers.parts(program)?;
                let mut paper = "";
                for item in papers::items::ITEMS {
                    if item.paper != paper {
                        paper = item.paper;
                        say(out, &format!("{paper}\n"))?;
                    }
                    say(out, &format!("  {:11} {:45} {}\n", item.number, item.what, item.command()))?;
                }
                return Ok(Ended::Good);
            }
            let found = papers.measure(program)?;
            let study = if papers.out.join("result.json").exists() { Some(load(&papers.out)?) } else { None };
            told(&report::write(&papers.out, study.as_ref(), &found, Time::default())?);
            if let Some(path) = &papers.html {
                let page = report::page(papers::page::TITLE, &papers::page::body(&found));
                std::fs::write(path, page).map_err(Error::file(path))?;
                told(std::slice::from_ref(path));
            }
            say(out, &if papers.json { json(&found) } else { papers::text(&found) })?;
            Ok(Ended::Good)
        }
        Bench::Fit(fit) => {
            say(out, &if fit.json { json(&fit.fitted()?) } else { fit.table()? })?;
            Ok(Ended::Good)
        }
    }
}

/// Reads the result of a finished study.
fn load(from: &Path) -> Result<StudyResult, Error> {
    let path = from.join("result.json");
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text).map_err(|error| Error::Malformed { path, reason: error.to_string() })
}

/// Writes the report's files, prints its tables, and tells whether every digest was right.
fn finish(directory: &Path, result: &StudyResult, time: Time, out: &mut dyn Write) -> Result<Ended, Error> {
    told(&report::write(directory, Some(result), &papers::load(directory)?, time)?);
    say(out, &report::text(result, time))?;
    let wrong = result.cells.iter().any(|cell| !cell.faults.is_empty());
    Ok(if wrong { Ended::Wrong } else { Ended::Good })
}

fn told(paths: &[PathBuf]) {
    paths.iter().for_each(|path| eprintln!("wrote {}", path.display()));
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data becomes JSON") + "\n"
}

fn say(out: &mut dyn Write, text: &str) -> Result<(), Error> {
    out.write_all(text.as_bytes()).map_err(Error::Output)
}
