//! `pfh match --similar`: files against lists of similarity digests.

use crate::compare::{Thresholds, list_algorithms, load_list};
use crate::exit::{self, Exit, Failure};
use crate::input::Input;
use crate::run::{Run, Taker, Voice};
use crate::shown;
use pfh::format::pairs::{self, Form, Pair};
use pfh::similarity::{Degenerate, Evidence, Named, Score};
use pfh::sink::Output;
use pfh::sink::compare::{Collection, Lookup, stored};
use pfh::{Algorithm, Outcome, Record};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What is asked for.
#[derive(Debug)]
pub struct Similar {
    /// The files to look at.
    pub input: Input,
    /// A list of similarity digests, or an index made of one.
    pub similar: OsString,
    /// The algorithm, where the list holds several [default: that of the list's first record].
    pub algorithm: Option<String>,
    /// The least score of a match, or the greatest distance for tlsh [default: ssdeep=1, sdhash=21, mrsh-v2=21, tlsh=30].
    pub threshold: Option<u32>,
    /// Make an index of the list (ssdeep), which later runs open in place of it; without a PATH do nothing else.
    pub write_index: Option<PathBuf>,
    /// Also matches of saturated sdhash digests.
    pub saturated: bool,
    /// text (as `ssdeep -m` prints), csv or jsonl.
    pub format: String,
    /// Write to a file that appears whole or not at all.
    pub output: Option<PathBuf>,
    /// How it is carried out.
    pub run: Run,
}

/// Runs a request to its end.
///
/// # Errors
/// A sentence for the user where the request makes no sense.
pub fn run(request: &Similar) -> Result<Exit, Failure> {
    let form: Form = request.format.parse().map_err(|e: pairs::UnknownForm| Failure::usage(e))?;
    let memory = request.run.memory.map_or(pfh::DEFAULT_MEMORY, |memory| memory as usize);
    let name = shown(request.similar.as_encoded_bytes());
    let (lookup, faults) = match known(request, memory)? {
        Ok(known) => known,
        Err(error) => {
            exit::say(format!("{name}: {error}"));
            return Ok(Exit::Aborted);
        }
    };
    if request.write_index.is_some() && !request.input.is_named() {
        return Ok(if faults > 0 { Exit::Incomplete } else { Exit::Good });
    }
    let algorithm = pfh::algorithm(lookup.algorithm()).map_err(Failure::usage)?;
    let plan = request.run.plan(vec![algorithm])?;
    let source = request.input.source()?;
    let output = match &request.output {
        None => Output::standard(),
        Some(path) => match Output::file(path) {
            Ok(output) => output,
            Err(error) => {
                exit::say(format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())));
                return Ok(Exit::Aborted);
            }
        },
    };
    let threshold = Thresholds::one(request.threshold).of(algorithm.name());
    let list = request.similar.as_encoded_bytes().to_vec();
    let mut matched =
        Matched { lookup, form, threshold, list, output, matches: 0, shows: request.saturated, saturated: 0 };
    pairs::head(form, matched.output.room());
    let ended = match request.run.carry_out(source, request.input.again(), &plan, &mut matched) {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    if let Err(error) = if ended.summary.interrupted { matched.flush() } else { matched.output.commit() } {
        return Ok(exit::of_output(&error));
    }
    request.run.tell(&ended.summary);
    if matched.saturated > 0 {
        exit::say(format!(
            "{} matches of digests that are saturated, which match random data and so anything, are left out (--saturated shows them)",
            matched.saturated
        ));
    }
    Ok(match ended.exit(faults) {
        Exit::Good if matched.matches == 0 => Exit::Verdict,
        exit => exit,
    })
}

/// The known list, and how many of its lines were not taken. The inner error is of a file that cannot be read or written.
fn known(request: &Similar, memory: usize) -> Result<io::Result<(Lookup, u64)>, String> {
    let path = Path::new(&request.similar);
    if stored::Stored::is_one(path) {
        if request.write_index.is_some() {
            return Err("--write-index needs a list; this is an index already".into());
        }
        return Ok(Lookup::open(path).map(|lookup| (lookup, 0)));
    }
    if let Err(error) = std::fs::metadata(path) {
        return Ok(Err(error));
    }
    let limit = memory.max(1 << 20);
    let algorithm: Algorithm = match &request.algorithm {
        Some(name) => pfh::algorithm(name).map_err(|e| e.to_string())?,
        None => *list_algorithms(&request.similar, limit)
            .first()
            .ok_or_else(|| format!("{}: no list of digests", shown(request.similar.as_encoded_bytes())))?,
    };
    let mut collections = [Collection::new(algorithm)];
    let faults = load_list(&request.similar, limit, &mut collections);
    let [collection] = collections;
    if let Some(index) = &request.write_index {
        let written = Output::file(index).and_then(|mut output| {
            stored::write(&collection, memory, &mut output)?;
            output.commit()
        });
        match written {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Err(error.to_string()),
            Err(error) => return Ok(Err(error)),
            Ok(()) => return Ok(Lookup::open(index).map(|lookup| (lookup, faults))),
        }
    }
    Ok(Lookup::new(collection, memory).map(|lookup| (lookup, faults)))
}

/// Writes the matches of each file, in the order of the files.
struct Matched {
    lookup: Lookup,
    form: Form,
    threshold: Score,
    list: Vec<u8>,
    output: Output,
    matches: u64,
    /// Whether matches of saturated digests are shown, and how many were not.
    shows: bool,
    saturated: u64,
}

impl Taker for Matched {
    fn take(&mut self, record: Record, _: &Voice<'_>) -> io::Result<()> {
        let Outcome::Hashed(hashed) = &record.outcome else { return Ok(()) };
        let Some(digest) = hashed.digests.first() else { return Ok(()) };
        let algorithm = self.lookup.algorithm();
        // `ssdeep -m` names the list in front of the name.
        let with_list = self.form == Form::Text && Named::find(algorithm).is_none_or(|method| method == Named::Ssdeep);
        for found in self.lookup.similar(digest, self.threshold)? {
            if found.degenerate == Some(Degenerate::Saturated) && !self.shows {
                self.saturated += 1;
                continue;
            }
            let known = if with_list { [&self.list[..], b":", &found.name].concat() } else { found.name };
            let (a, b) = if with_list { (&known[..], &record.name[..]) } else { (&record.name[..], &known[..]) };
            let (score, degenerate) = (found.score, found.degenerate);
            let pair = Pair { a, b, algorithm, score, evidence: Evidence::default(), degenerate };
            pairs::pair(self.form, self.output.room(), &pair);
            self.matches += 1;
        }
        self.output.advance()
    }

    fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut self.output)
    }
}
