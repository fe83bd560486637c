//! `pfh known build` and `pfh known info`.

use crate::exit::{self, Exit};
use crate::faults::Faults;
use crate::gauge::Gauge;
use crate::run::algorithms;
use crate::signals::Signals;
use crate::{shown, size};
use clap::{Args, Subcommand};
use pfh::known::{
    Build, Built, Class, DEFAULT_MEMORY, DEFAULT_RESIDENT, Error, Input, KnownSet, Pace, Packages, Set, Step,
    is_database,
};
use pfh::outputs::{Existing, Kind, Outputs};
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub enum Known {
    /// Compile sets of any format into one file.
    Build(Box<Compile>),
    /// What a known-set file holds.
    Info(Info),
}

/// What to compile.
#[derive(Debug, Args)]
pub struct Compile {
    /// The file to write; it appears whole or not at all.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// A set of what is known to be good.
    #[arg(long, value_name = "FILE")]
    pub good: Vec<PathBuf>,
    /// A set of what is known to be bad.
    #[arg(long, value_name = "FILE")]
    pub bad: Vec<PathBuf>,
    /// A set of what is to be looked at; counts as bad in a verdict.
    #[arg(long, value_name = "FILE")]
    pub notable: Vec<PathBuf>,
    /// A set of what is part of a system as delivered.
    #[arg(long, value_name = "FILE")]
    pub no_change: Vec<PathBuf>,
    /// A set of a class of one's own.
    #[arg(long, value_name = "NAME=FILE")]
    pub class: Vec<String>,
    /// A delta of NSRL's RDSv3, an SQL script, to the one database that is named; several in the order in which they were published.
    /// It is run in a copy in the work directory.
    #[arg(long, value_name = "FILE")]
    pub delta: Vec<PathBuf>,
    /// Sets with more said of them: a JSON object per line with file, class, and maybe name, version, product, algorithm, packages,
    /// deltas.
    #[arg(long, value_name = "FILE")]
    pub sets: Vec<PathBuf>,
    /// The algorithm of digests that do not say theirs [default: MD5, SHA-1 and SHA-2 by length].
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Each entry remembers its package, where the set has packages (NSRL RDSv3).
    #[arg(long)]
    pub packages: bool,
    /// Memory for sorting. A bare number counts MiB.
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub memory: Option<u64>,
    /// Where sorted runs lie meanwhile [default: OUT.work]; a build that was killed goes on from there.
    #[arg(long, value_name = "DIR")]
    pub work: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// No progress on standard error, which is shown only where that is a terminal.
    #[arg(long)]
    pub no_progress: bool,
}

/// What to tell of a file.
#[derive(Debug, Args)]
pub struct Info {
    /// The known-set file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Read all of it and compare it with the digest that it states.
    #[arg(long)]
    pub verify: bool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Runs a request to its end.
pub fn run(request: &Known) -> Exit {
    let ended = match request {
        Known::Build(compile) => build(compile),
        Known::Info(request) => info(request),
    };
    ended.unwrap_or_else(|message| {
        exit::say(message);
        Exit::Usage
    })
}

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

fn build(compile: &Compile) -> Result<Exit, String> {
    let inputs = inputs(compile)?;
    if inputs.is_empty() {
        return Err("no set was named: give --good, --bad, --notable, --no-change, --class or --sets".into());
    }
    guarded(compile, &inputs).check().map_err(|refused| refused.to_string())?;
    let memory = compile.memory.map_or(Ok(DEFAULT_MEMORY), usize::try_from);
    let signals = Signals::catch().map_err(|e| format!("signals cannot be caught: {e}"))?;
    if let Some(parent) = compile.output.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
        return Err(format!("{}: no such directory", name(parent)));
    }
    let reading = Gauge::open(!compile.no_progress, "reading");
    let mut writing: Option<Gauge> = None;
    let mut faults = Faults::new(|message: String| reading.say(&message));
    let build = Build {
        inputs,
        output: compile.output.clone(),
        work: compile.work.clone(),
        memory: memory.map_err(|e| e.to_string())?,
        fault: &mut |path, line, fault| faults.take(path, line, fault),
        progress: &mut |pace: &Pace| match pace.step {
            Step::Reading => reading.tell(pace.done, pace.all, &format!("{} records", pace.records)),
            Step::Writing => {
                let writing = writing.get_or_insert_with(|| Gauge::open(!compile.no_progress, "writing"));
                writing.tell(pace.done, pace.all, &format!("{} digests", pace.done));
            }
        },
        cancel: signals.flag(),
    };
    let built = build.run();
    faults.finish();
    drop((reading, writing));
    let built = match built {
        Ok(built) => built,
        Err(Error::Cancelled) => {
            exit::say(Error::Cancelled);
            return Ok(Exit::Signal(signals.number()));
        }
        Err(error) => {
            exit::say(error);
            return Ok(Exit::Aborted);
        }
    };
    tell(&built);
    let faults: u64 = built.sets.iter().map(|set| set.faults).sum();
    if faults > 0 {
        exit::say(format!("{faults} places hold no record; what they were meant to hold is not in the file"));
    }
    let empty = built.sets.iter().filter(|set| set.is_empty());
    let empty = empty
        .map(|Set { name, source, format, .. }| {
            exit::say(format!(
                "{source}: no digest was found in it (read as {format}): the set {} is empty",
                shown(name.as_bytes())
            ));
        })
        .count();
    Ok(if faults > 0 || empty > 0 { Exit::Incomplete } else { Exit::Good })
}

/// What is read and written.
fn guarded(compile: &Compile, inputs: &[Input]) -> Outputs {
    let beside = |ending: &str| {
        let mut name = compile.output.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    // A set that a build made is what the next one replaces.
    let set = Existing::Own(0, b"pfh known set\n");
    let mut outputs = Outputs::new(compile.force);
    outputs.writes("OUT", &compile.output, Kind::File, set);
    let work = compile.work.clone().unwrap_or_else(|| beside(".work"));
    outputs.writes("--work", &work, Kind::Directory, Existing::Refused);
    // Runs of an earlier build are removed, which must not be anybody else's files of such names.
    let names_inputs = |name: &str| {
        let text = std::fs::read_to_string(work.join(name)).unwrap_or_default();
        text.lines().next().is_some_and(|line| line.starts_with('{') && line.contains("\"pfh-known\""))
    };
    let is_ours = names_inputs("journal") || names_inputs("journal.new");
    // After a power cut the half set of a build that is under way may hold anything, its mark included.
    outputs.writes("OUT", beside(".partial"), Kind::File, if is_ours { Existing::Welcome } else { set });
    let existing = if is_ours { Existing::Welcome } else { Existing::Refused };
    for entry in std::fs::read_dir(&work).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_work = |start: &&[u8]| name.starts_with(start);
        if [&b"run-"[..], b"applied-", b"journal", b"lock"].iter().any(is_work) && entry.path().is_file() {
            outputs.writes("--work", entry.path(), Kind::File, existing);
        }
    }
    for input in inputs {
        outputs.reads(&input.path).reads_all(&input.deltas);
    }
    outputs.reads_all(&compile.sets);
    outputs
}

fn tell(built: &Built) {
    let digests: Vec<String> = built.digests.iter().map(|(name, count)| format!("{count} {name}")).collect();
    if built.resumed > 0 {
        exit::say(format!("{} records were there already from a build that had been interrupted", built.resumed));
    }
    let sets = match built.sets.len() {
        1 => "1 set".to_owned(),
        count => format!("{count} sets"),
    };
    let digests = if digests.is_empty() { "none".to_owned() } else { digests.join(", ") };
    exit::say(format!("{sets}, distinct digests: {digests}"));
}

fn inputs(compile: &Compile) -> Result<Vec<Input>, String> {
    let assumed = if compile.algorithms.is_empty() { Vec::new() } else { algorithms(&compile.algorithms)? };
    let packages = if compile.packages { Packages::Remember } else { Packages::Forget };
    let input =
        |path: &Path, class: &Class| Input { assumed: assumed.clone(), packages, ..Input::new(path, class.clone()) };
    let mut inputs = Vec::new();
    let classes = [
        (&compile.good, Class::Good),
        (&compile.bad, Class::Bad),
        (&compile.notable, Class::Notable),
        (&compile.no_change, Class::NoChange),
    ];
    for (paths, class) in classes {
        inputs.extend(paths.iter().map(|path| input(path, &class)));
    }
    for text in &compile.class {
        let (class, path) =
            text.split_once('=').ok_or_else(|| format!("--class {}: NAME=FILE", shown(text.as_bytes())))?;
        let class = class.parse::<Class>().map_err(|e| e.to_string())?;
        inputs.push(input(Path::new(path), &class));
    }
    if !compile.delta.is_empty() {
        let mut databases: Vec<&mut Input> = inputs.iter_mut().filter(|input| is_database(&input.path)).collect();
        let [database] = &mut databases[..] else {
            let count = databases.len();
            return Err(format!(
                "--delta belongs to one database, and {count} were named: say which with \"deltas\" in --sets"
            ));
        };
        database.deltas.clone_from(&compile.delta);
    }
    for path in &compile.sets {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", name(path)))?;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let described = described(line, &input).map_err(|why| format!("{}:{}: {why}", name(path), number + 1))?;
            inputs.push(described);
        }
    }
    Ok(inputs)
}

/// A set of a list of sets.
fn described(line: &str, input: &dyn Fn(&Path, &Class) -> Input) -> Result<Input, String> {
    let value: serde_json::Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
    let object = value.as_object().ok_or("not a JSON object")?;
    const KNOWN: [&str; 8] = ["file", "class", "name", "version", "product", "algorithm", "packages", "deltas"];
    if let Some(other) = object.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(format!("{}: known are {}", shown(other.as_bytes()), KNOWN.join(", ")));
    }
    let text = |key: &str| object.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let file = text("file").ok_or("no file")?;
    let class = text("class").ok_or("no class")?.parse::<Class>().map_err(|e| e.to_string())?;
    let mut described = input(Path::new(&file), &class);
    described.name = text("name");
    described.version = text("version");
    described.product = text("product");
    if let Some(algorithm) = text("algorithm") {
        described.assumed = algorithms(&[algorithm])?;
    }
    if let Some(deltas) = object.get("deltas") {
        let names = deltas.as_array().into_iter().flatten().map(|name| name.as_str().map(PathBuf::from));
        described.deltas =
            names.collect::<Option<_>>().filter(|_| deltas.is_array()).ok_or("deltas: an array of names")?;
    }
    if object.get("packages").and_then(serde_json::Value::as_bool) == Some(true) {
        described.packages = Packages::Remember;
    }
    Ok(described)
}

fn info(request: &Info) -> Result<Exit, String> {
    let known = match KnownSet::open(&request.file, DEFAULT_RESIDENT) {
        Ok(known) => known,
        Err(error) => {
            exit::say(error);
            return Ok(Exit::Aborted);
        }
    };
    let digest = match request.verify.then(|| known.verify()).transpose() {
        Ok(digest) => digest.map(|bytes| pfh::hex::encode(&bytes)),
        Err(error @ Error::Damaged(..)) => {
            exit::say(error);
            return Ok(Exit::Verdict);
        }
        Err(error) => {
            exit::say(error);
            return Ok(Exit::Aborted);
        }
    };
    let empties = empties(&known).map_err(|e| e.to_string())?;
    let text = if request.json { json(&known, digest, &empties) } else { lines(&known, digest, &empties) };
    match exit::print(text.as_bytes()) {
        Ok(()) => Ok(Exit::Good),
        Err(error) => Ok(exit::of_output(&error)),
    }
}

/// The sets that hold the empty file's digest, by name.
fn empties(known: &KnownSet) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    for (algorithm, _) in known.algorithms() {
        for hit in known.find_certain(&algorithm.digest(b""))?.iter().flat_map(|hits| hits.iter()) {
            let name = &known.sets()[hit.set].name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    Ok(names)
}

fn json(known: &KnownSet, digest: Option<String>, empties: &[String]) -> String {
    let counts: serde_json::Map<_, _> =
        known.algorithms().map(|(algorithm, rows)| (algorithm.to_string(), rows.into())).collect();
    let filters: Vec<_> = known
        .filters()
        .map(|(algorithm, set, entries)| serde_json::json!({ "set": known.sets()[set].name, "algorithm": algorithm.name(), "entries": entries }))
        .collect();
    let value = serde_json::json!({
        "sets": known.sets(), "digests": counts, "filters": filters, "hold_the_empty_file": empties, "blake3": digest,
    });
    value.to_string() + "\n"
}

fn lines(known: &KnownSet, digest: Option<String>, empties: &[String]) -> String {
    let mut text = String::new();
    for set in known.sets() {
        let Set { name, format, records, faults, source, .. } = set;
        let more: Vec<&str> = [&set.version, &set.product].into_iter().flatten().map(String::as_str).collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        let line = format!("{:<10} {name}{more}: {records} records from {source} ({format})", set.class().name());
        text += &shown(line.as_bytes());
        if *faults > 0 {
            text += &format!(", {faults} places without a record");
        }
        text.push('\n');
    }
    for (algorithm, rows) in known.algorithms() {
        text += &format!("digests    {algorithm}: {rows}\n");
    }
    for (algorithm, set, entries) in known.filters() {
        text += &format!(
            "filter     {} of {entries} {algorithm}: says maybe or no\n",
            shown(known.sets()[set].name.as_bytes())
        );
    }
    if !empties.is_empty() {
        text += &format!("the empty file is in {}; it makes no file known\n", shown(empties.join(", ").as_bytes()));
    }
    if let Some(digest) = digest {
        text += &format!("whole      BLAKE3 {digest}\n");
    }
    text
}
