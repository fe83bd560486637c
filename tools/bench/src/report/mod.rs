//! A study's results for people, for spreadsheets and for documents.

mod facts;
mod figure;
mod heat;
mod html;
mod plot;
mod table;
mod then;

use crate::Error;
use crate::papers::claims::{self, JudgedClaim};
use crate::papers::{self, PartOutcome};
use crate::study::{StudyResult, Time};
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub use figure::{by_algorithm, linux, windows};
pub use heat::heat_map;
pub use html::{html, page};
pub use plot::begin as begin_picture;
pub use table::{align, text};
pub use then::then_and_now;

/// Every process of a study as comma-separated values: a header line, then row, algorithm, bytes,
/// process, repeat, and nanoseconds of wall time and CPU time. Names of rows have no comma or
/// quote: they come from file names of runners.
pub fn csv(result: &StudyResult) -> String {
    let mut text = String::from("row,algorithm,bytes,process,repeat,wall_ns,cpu_ns\n");
    for cell in &result.cells {
        for (process, repeats) in cell.processes.iter().enumerate() {
            for (repeat, (wall, cpu)) in repeats.iter().enumerate() {
                let of = &cell.cell;
                writeln!(text, "{},{},{},{process},{repeat},{wall},{cpu}", of.row, of.method, of.bytes)
                    .expect("a string takes it");
            }
        }
    }
    text
}

/// Writes tables, comma-separated values, figures and the HTML report of the results into
/// `directory`, and gives their paths.
pub fn write(
    directory: &Path,
    result: Option<&StudyResult>,
    repeated: &[PartOutcome],
    judged: &[JudgedClaim],
    time: Time,
) -> Result<Vec<PathBuf>, Error> {
    let mut files = vec![("report.html", html(result, repeated, judged, time))];
    if let Some(result) = result {
        files.extend([
            ("tables.txt", text(result, time)),
            ("results.csv", csv(result)),
            ("figure-1.svg", linux(result, time)),
            ("figure-2.svg", windows()),
            ("by-algorithm.svg", by_algorithm(result, time)),
            ("heat-map.svg", heat_map(result, time)),
        ]);
    }
    if !repeated.is_empty() {
        files.extend([
            ("papers.txt", papers::text(repeated) + &claims::text(judged)),
            ("papers.csv", papers::csv(repeated)),
        ]);
    }
    if !repeated.is_empty() || result.is_some() {
        files.push(("claims.csv", claims::csv(judged)));
    }
    let mut paths = Vec::new();
    for (name, content) in files {
        let path = directory.join(name);
        std::fs::write(&path, content).map_err(Error::file(&path))?;
        paths.push(path);
    }
    Ok(paths)
}
