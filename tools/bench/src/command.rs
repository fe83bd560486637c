//! Runs each part of `pfh bench`.

use crate::args::{Bench, SizesOf, Time};
use crate::forecast::sizes::Sizes;
use crate::languages::describe;
use crate::machine::Machine;
use crate::study::StudyResult;
use crate::{Error, papers, report};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// How a benchmark that was done ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchEnd {
    /// Every answer was right.
    Good,
    /// Some program gave a wrong digest or failed: its times do not count, the others' do.
    Wrong,
    /// A part of the input could not be read.
    Incomplete,
}

/// Runs one part. Its results go to `out`, its progress to standard error. `stop` ends long work
/// that would leave files behind. `program` is the file that starts pfh: some benchmarks measure it
/// as users run it.
pub fn run(bench: &Bench, program: &Path, out: &mut dyn Write, stop: &AtomicBool) -> Result<BenchEnd, Error> {
    let complete = |unread: u64| if unread == 0 { BenchEnd::Good } else { BenchEnd::Incomplete };
    match bench {
        Bench::Languages(languages) => {
            if languages.list {
                let listed = languages.listed()?;
                eprint!("{}", describe(&listed.missing));
                for row in &listed.rows {
                    let methods = row.methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(" ");
                    say(out, &format!("{:20} {:24} {methods}\n", row.name, row.label))?;
                }
                return Ok(BenchEnd::Good);
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
            Ok(BenchEnd::Good)
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
                return Ok(BenchEnd::Good);
            }
            let study = if papers.out.join("result.json").exists() { Some(load(&papers.out)?) } else { None };
            let plain = load_plain(&papers.out)?;
            let judge = |repeated: &[papers::PartOutcome]| {
                let (study, plain) = (study.as_ref(), plain.as_ref());
                papers::claims::judge(&papers::claims::Evidence { repeated, study, plain })
            };
            let mut wrote = Vec::new();
            let machine = Machine::look();
            let corpus = match &papers.corpus {
                Some(corpus) => corpus.display().to_string(),
                None => "1,600 files of random bytes, 110 MB: `--corpus` takes another".to_owned(),
            };
            let measured = format!(
                "Measured on {} with {} processors ({}), {}; corpus: {corpus}; the least of {} rounds",
                machine.processor,
                machine.processors,
                machine.features.join(" "),
                machine.kernel,
                papers.rounds
            );
            // A run that is interrupted has its report and page as far as it came.
            let found = papers.measure(program, &mut |found, progress| {
                let judged = judge(found);
                wrote = report::write(&papers.out, study.as_ref(), found, &judged, Time::default())?;
                if let Some(path) = &papers.html {
                    let body = papers::page::body(found, &judged, progress, &measured);
                    std::fs::write(path, report::page(papers::page::TITLE, &body)).map_err(Error::file(path))?;
                    wrote.push(path.clone());
                }
                Ok(())
            })?;
            announce(&wrote);
            let judged = judge(&found);
            let answer = papers::Answer { pfh_papers: 2, claims: &judged, parts: &found };
            let shown = if papers.json { json(&answer) } else { papers::text(&found) + &papers::claims::text(&judged) };
            say(out, &shown)?;
            Ok(BenchEnd::Good)
        }
        Bench::Fit(fit) => {
            say(out, &if fit.json { json(&fit.fitted()?) } else { fit.table()? })?;
            Ok(BenchEnd::Good)
        }
    }
}

/// Reads the result of a finished study.
fn load(from: &Path) -> Result<StudyResult, Error> {
    let path = from.join("result.json");
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text).map_err(|error| Error::Malformed { path, reason: error.to_string() })
}

/// The study without SHA instructions that belongs to another one, if there is one.
fn load_plain(out: &Path) -> Result<Option<StudyResult>, Error> {
    let plain = out.join(papers::claims::PLAIN_STUDY);
    plain.join("result.json").exists().then(|| load(&plain)).transpose()
}

/// Writes the report's files, prints its tables, and tells whether every digest was right.
fn finish(directory: &Path, result: &StudyResult, time: Time, out: &mut dyn Write) -> Result<BenchEnd, Error> {
    let repeated = papers::load(directory)?;
    let plain = load_plain(directory)?;
    let evidence = papers::claims::Evidence { repeated: &repeated, study: Some(result), plain: plain.as_ref() };
    let judged = papers::claims::judge(&evidence);
    announce(&report::write(directory, Some(result), &repeated, &judged, time)?);
    say(out, &report::text(result, time))?;
    let wrong = result.cells.iter().any(|cell| !cell.faults.is_empty());
    Ok(if wrong { BenchEnd::Wrong } else { BenchEnd::Good })
}

fn announce(paths: &[PathBuf]) {
    paths.iter().for_each(|path| eprintln!("wrote {}", path.display()));
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("plain data becomes JSON") + "\n"
}

fn say(out: &mut dyn Write, text: &str) -> Result<(), Error> {
    out.write_all(text.as_bytes()).map_err(Error::Output)
}
