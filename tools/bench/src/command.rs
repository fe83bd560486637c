//! The arguments of `pfh bench`, and what each part of it does.

use crate::languages::{Languages, describe};
use crate::study::{StudyResult, Time};
use crate::{Error, report};
use std::io::Write;
use std::path::{Path, PathBuf};

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
}

/// Does what is asked. What it finds goes to `out`, what it does to standard error. The exit code: 0, or 1 when a digest
/// was wrong; see [`Error::exit_code`] for the others.
pub fn run(bench: &Bench, out: &mut dyn Write) -> Result<u8, Error> {
    match bench {
        Bench::Languages(languages) => {
            let prepared = languages.prepare()?;
            eprint!("{}", describe(&prepared.missing));
            if languages.list {
                for row in &prepared.rows {
                    let methods = row.methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(" ");
                    say(out, &format!("{:20} {:24} {methods}\n", row.name, row.label))?;
                }
                return Ok(0);
            }
            let result = languages.study(prepared)?;
            let json = serde_json::to_string(&result).expect("plain data becomes JSON");
            let path = languages.out.join("result.json");
            std::fs::write(&path, json).map_err(Error::file(&path))?;
            finish(&languages.out, &result, languages.time, out)
        }
        Bench::Report { from, time } => finish(from, &load(from)?, *time, out),
    }
}

/// Reads the result of a finished study.
fn load(from: &Path) -> Result<StudyResult, Error> {
    let path = from.join("result.json");
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text).map_err(|error| Error::Malformed { path, reason: error.to_string() })
}

fn finish(_directory: &Path, result: &StudyResult, time: Time, out: &mut dyn Write) -> Result<u8, Error> {
    say(out, &report::text(result, time))?;
    Ok(u8::from(result.cells.iter().any(|cell| !cell.faults.is_empty())))
}

fn say(out: &mut dyn Write, text: &str) -> Result<(), Error> {
    out.write_all(text.as_bytes()).map_err(Error::file(Path::new("standard output")))
}
