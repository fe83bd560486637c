//! `pfh match`: files against known sets, or against lists of similarity digests.

use crate::exit::{self, Exit};
use crate::input::Input;
use crate::reference::{Opened, Sets};
use crate::run::{Run, Taker, Voice, algorithms};
use crate::shown;
use crate::similar::{self, Similar};
use clap::Args;
use pfh::format::verdict::Form;
use pfh::known::Verdict;
use pfh::outputs::Outputs;
use pfh::sink::matching::{Counts, Matching};
use pfh::sink::{About, Output};
use pfh::{Algorithm, Record};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// What to match with what.
#[derive(Debug, Default, Args)]
pub struct Match {
    /// What is read.
    #[command(flatten)]
    pub input: Input,
    /// What it is compared with.
    #[command(flatten)]
    pub sets: Sets,
    /// In place of known sets: a list of similarity digests, or an index made of one. Files that are similar are written.
    #[arg(long, value_name = "LIST", conflicts_with_all = ["known", "digests"])]
    pub similar: Option<OsString>,
    /// With --similar: the least score of a match, or the greatest distance for tlsh [default: ssdeep=1, sdhash=21,
    /// mrsh-v2=21, tlsh=30].
    #[arg(long, value_name = "N", requires = "similar")]
    pub threshold: Option<u32>,
    /// With --similar: also matches of sdhash digests that are saturated, which match random data; otherwise they are counted only.
    #[arg(long, requires = "similar")]
    pub saturated: bool,
    /// With --similar: make an index of the list (ssdeep), which later runs open in place of it; without a PATH do nothing
    /// else.
    #[arg(long, value_name = "FILE", requires = "similar")]
    pub write_index: Option<PathBuf>,
    /// Write only files of these verdicts: bad, good, known, maybe, unknown, error [default: all; as text and with nothing but sets
    /// of the bad, all but unknown].
    #[arg(long, value_name = "VERDICT", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Verdicts that make the exit code 1.
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', default_value = "bad")]
    pub fail_on: Vec<String>,
    /// text, jsonl, csv or dfxml; with --similar text (as `ssdeep -m` prints), csv or jsonl.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

/// Runs a request to its end.
pub fn run(request: &Match) -> Exit {
    if let Err(refused) = guarded(request).check() {
        exit::say(refused);
        return Exit::Usage;
    }
    let ran = match &request.similar {
        Some(list) => similar::run(&Similar {
            input: request.input.clone(),
            similar: list.clone(),
            algorithm: request.sets.algorithms.first().cloned(),
            threshold: request.threshold,
            write_index: request.write_index.clone(),
            saturated: request.saturated,
            format: request.format.clone(),
            output: request.output.clone(),
            run: request.run.clone(),
        }),
        None => try_run(request),
    };
    match ran {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

/// What is read and written.
fn guarded(request: &Match) -> Outputs {
    let mut outputs = Outputs::new(request.force);
    outputs.file("--output", request.output.as_ref()).file("--write-index", request.write_index.as_ref());
    request.input.guard(outputs.reads_all(&request.sets.known).reads_all(&request.similar));
    outputs
}

/// Verdicts by their words, or by those without `known-`.
///
/// # Errors
/// A sentence for the user.
pub fn verdicts(words: &[String]) -> Result<Vec<Verdict>, String> {
    let find = |word: &String| {
        let short = |verdict: &Verdict| verdict.name().strip_prefix("known-") == Some(word);
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == word || short(verdict)).ok_or_else(|| {
            format!("{} is no verdict: bad, good, known, maybe, unknown or error", shown(word.as_bytes()))
        })
    };
    words.iter().filter(|word| !word.is_empty()).map(find).collect()
}

fn try_run(request: &Match) -> Result<Exit, String> {
    let form: Form = request.format.parse().map_err(|e: pfh::format::UnknownFormat| e.to_string())?;
    let (mut only, fail_on) = (verdicts(&request.only)?, verdicts(&request.fail_on)?);
    let Opened { reference, mut gaps } = request.sets.open()?;
    let mut needed = reference.algorithms();
    if needed.is_empty() {
        // Each of them was said to be empty.
        exit::say("nothing to compare with: no set holds a digest");
        return Ok(Exit::Incomplete);
    }
    if !request.sets.algorithms.is_empty() {
        let named = algorithms(&request.sets.algorithms)?;
        needed.retain(|algorithm| named.contains(algorithm));
        needed = if needed.is_empty() { named } else { needed };
    }
    for (set, records) in reference.left_out(&needed) {
        let (name, names) = (
            shown(set.name.as_bytes()),
            needed.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", "),
        );
        exit::say(format!(
            "{name}: at most {records} of {} records have a digest of {names}: nothing is compared with the rest",
            set.records
        ));
        gaps += 1;
    }
    for list in request.sets.without_class() {
        let name = shown(list.as_os_str().as_encoded_bytes());
        exit::say(format!(
            "{name}: a list of no class: files in it are `known`, neither good nor bad; --class bad makes them known-bad, exit code 1"
        ));
    }
    let hits_only = only.is_empty() && form == Form::Text && reference.is_of_the_bad();
    if hits_only {
        only = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Unknown).collect();
    }
    let single = request.sets.digests.len();
    let plan = request.run.plan(needed)?;
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
    let about = about(request, &plan.algorithms);
    let matching = Matching::open(reference, &only, form, &about, output).map_err(|e| format!("-f {form}: {e}"))?;
    let mut matched = Matched(matching);
    let ended = match request.run.carry_out(source, request.input.again(), &plan, &mut matched) {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    if ended.summary.interrupted {
        // Like every output of a run that was interrupted: whole records, no end, and a file gets no name.
        return Ok(matched.0.flush().map_or_else(|error| exit::of_output(&error), |()| ended.exit(0)));
    }
    let counts = match matched.0.finish(ended.summary.skipped) {
        Ok(counts) => counts,
        Err(error) => return Ok(exit::of_output(&error)),
    };
    request.run.tell(&ended.summary);
    let more = if hits_only && counts.of(Verdict::Unknown) > 0 { "; --only unknown lists those" } else { "" };
    exit::say(told(&counts, ended.summary.skipped) + more);
    let known = Verdict::ALL.iter().filter(|v| !matches!(v, Verdict::Unknown | Verdict::Error));
    let nothing_found = single > 0 && known.map(|verdict| counts.of(*verdict)).sum::<u64>() == 0;
    let counted = |verdict: &Verdict| counts.of(*verdict) > 0;
    let (absent, present): (Vec<Verdict>, Vec<Verdict>) =
        fail_on.into_iter().partition(|verdict| *verdict == Verdict::Unknown);
    // A file that is known to be bad stays so, whatever could not be read besides. That one is unknown says little where a set was
    // read in part.
    Ok(match ended.exit(0) {
        _ if present.iter().any(counted) => Exit::Verdict,
        _ if gaps == 0 && (nothing_found || absent.iter().any(counted)) => Exit::Verdict,
        Exit::Good if gaps > 0 => Exit::Incomplete,
        exit => exit,
    })
}

/// The counts for people.
fn told(counts: &Counts, skipped: u64) -> String {
    let mut words: Vec<String> = counts.words().iter().map(|(word, count)| format!("{count} {word}")).collect();
    if skipped > 0 {
        words.push(format!("{skipped} skipped"));
    }
    words.join(", ")
}

fn about(request: &Match, algorithms: &[Algorithm]) -> About {
    let mut words: Vec<Vec<u8>> = vec![b"pfh match".to_vec()];
    for known in &request.sets.known {
        words.push([b"--known ", known.as_os_str().as_encoded_bytes()].concat());
    }
    words.extend(request.sets.digests.iter().map(|digest| format!("--digest {digest}").into_bytes()));
    words.extend(request.input.words());
    words.extend(request.input.paths.iter().map(|path| path.as_encoded_bytes().to_vec()));
    About {
        algorithms: algorithms.to_vec(),
        command_line: Some(words.join(&b' ')),
        working_directory: None,
        base: None,
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

struct Matched(Matching);

impl Taker for Matched {
    fn take(&mut self, record: Record, _: &Voice<'_>) -> io::Result<()> {
        self.0.write(&record)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    /// A skip has a line of its own in the output, and needs no second one.
    fn tells(&self, record: &Record) -> bool {
        !(matches!(record.outcome, pfh::Outcome::Skipped(_)) && self.0.lists_skips())
    }
}
