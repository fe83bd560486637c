//! `pfh hash`: from a request to an exit code.

use crate::args::{self, StatsForm};
use crate::exit::{self, Exit};
use crate::progress::Line;
use crate::signals::Signals;
use crate::{shown, stats};
use pfh::format::{End, Format, Layout};
use pfh::sink::{About, Manifest, Output};
use pfh::{
    Algorithm, Backend, Descend, Links, Mode, Operands, Order, Ordered, Outcome, Plan, Record, Recurse, Selection, Sink,
};
use pfh::{Separator, Source, Special, Watch};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What either form of the command line asks for.
#[derive(Debug)]
pub struct Request {
    pub paths: Vec<OsString>,
    pub files_from: Option<(PathBuf, Separator)>,
    pub algorithms: Vec<String>,
    pub recurse: Recurse,
    pub links: Links,
    pub special: Special,
    pub one_file_system: bool,
    pub selection: Selection,
    pub memory: Option<u64>,
    pub threads: Option<usize>,
    pub prefetchers: Option<usize>,
    pub mode: Mode,
    pub io: Backend,
    pub order: Order,
    pub format: String,
    pub zero: bool,
    pub output: Option<PathBuf>,
    pub piecewise: Option<u64>,
    pub retries: u32,
    pub stall: Option<Duration>,
    pub progress: bool,
    pub stats: Option<StatsForm>,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            paths: Vec::new(),
            files_from: None,
            algorithms: vec!["sha256".into()],
            recurse: Recurse::No,
            links: Links::Keep,
            special: Special::Skip,
            one_file_system: false,
            selection: Selection::default(),
            memory: None,
            threads: None,
            prefetchers: None,
            mode: Mode::Adaptive,
            io: Backend::Auto,
            order: Order::Path,
            format: "sums".into(),
            zero: false,
            output: None,
            piecewise: None,
            retries: 0,
            stall: None,
            progress: true,
            stats: None,
        }
    }
}

impl TryFrom<args::Hash> for Request {
    type Error = String;

    fn try_from(hash: args::Hash) -> Result<Self, String> {
        let separator = if hash.null { Separator::Nul } else { Separator::Line };
        let selection = Selection::new(&hash.include, &hash.exclude, hash.min_size, hash.max_size);
        if hash.piecewise == Some(0) {
            return Err("--piecewise takes a size of at least one byte".into());
        }
        Ok(Request {
            paths: hash.paths,
            files_from: hash.files_from.map(|file| (file, separator)),
            algorithms: hash.algorithms,
            recurse: if hash.recursive { Recurse::Yes } else { Recurse::No },
            links: if hash.follow { Links::Follow } else { Links::Keep },
            special: if hash.special { Special::Read } else { Special::Skip },
            one_file_system: hash.one_file_system,
            selection: selection.map_err(|e| e.to_string())?,
            memory: hash.memory,
            threads: hash.threads.map(usize::from),
            prefetchers: hash.prefetchers.map(usize::from),
            mode: match hash.mode {
                args::Mode::Adaptive => Mode::Adaptive,
                args::Mode::Mtp => Mode::Mtp,
                args::Mode::Smt => Mode::Smt,
            },
            io: match hash.io {
                args::Io::Auto => Backend::Auto,
                args::Io::Plain => Backend::Plain,
                args::Io::Uring => Backend::Uring,
            },
            order: match hash.order {
                args::Order::Path => Order::Path,
                args::Order::Size => Order::Size,
                args::Order::Inode => Order::Inode,
                args::Order::Extent => Order::Extent,
            },
            format: hash.format,
            zero: hash.zero,
            output: hash.output,
            piecewise: hash.piecewise,
            retries: hash.retries,
            stall: Some(Duration::from_secs(hash.stall_timeout)),
            progress: !hash.no_progress,
            stats: hash.stats,
        })
    }
}

/// Runs a request to its end.
pub fn run(request: Request) -> Exit {
    match try_run(request) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

fn try_run(request: Request) -> Result<Exit, String> {
    let plan = plan(&request)?;
    let signals = Signals::catch().map_err(|e| format!("signals cannot be caught: {e}"))?;
    refuse_overwriting_an_operand(&request)?;
    let source: Box<dyn Source> = Box::new(Ordered::new(operands(&request)?, request.order));
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
    let layout = Layout { end: if request.zero { End::Nul } else { End::Line }, ..Layout::default() };
    let format = request.format.parse::<Format>().map_err(|e| e.to_string())?;
    if plan.piecewise.is_some() && matches!(format, Format::Sums | Format::Bsd) {
        return Err(format!("-f {} has no form for --piecewise: use hashdeep, dfxml, jsonl or csv", format.name()));
    }
    let manifest = Manifest::open(format, layout, &about(&request, &plan), plan.piecewise.is_some(), output);
    let mut manifest = manifest.map_err(|e| format!("-f {}: {e}", format.name()))?;
    // Names that come from a pipe cannot be read twice.
    let again =
        if request.files_from.is_some() { None } else { Some(Box::new(operands(&request)?) as Box<dyn Source>) };
    let line = Line::open(request.progress, again);
    let mut said = Said { manifest: &mut manifest, line: line.as_ref(), unwritten: 0 };
    let mut show = |now: &pfh::Progress| {
        if let Some(line) = &line {
            line.show(now);
        }
    };
    let watch = Watch { cancel: signals.flag().into(), progress: Some(&mut show) };
    let ran = pfh::run(source, &plan, &mut said, watch);
    let unwritten = said.unwritten;
    drop(line);
    let summary = match ran {
        Ok(summary) => summary,
        Err(pfh::Error::Sink(error)) => return Ok(exit::of_output(&error)),
        Err(error) => {
            exit::say(error);
            return Ok(Exit::Aborted);
        }
    };
    // An interrupted run leaves what it has on standard output, and no file: a file appears whole or not at all.
    let ended = if summary.interrupted { manifest.interrupt() } else { manifest.finish(&summary) };
    if let Err(error) = ended {
        return Ok(exit::of_output(&error));
    }
    if let Some(form) = request.stats {
        use std::io::Write;
        let _ = writeln!(io::stderr().lock(), "{}", stats::render(&summary, form));
    }
    Ok(if summary.interrupted {
        exit::say(format!("interrupted: {} records are out, the rest is missing", summary.hashed + summary.failed));
        Exit::Signal(signals.number())
    } else if summary.failed + unwritten > 0 {
        let all = summary.hashed + summary.failed;
        exit::say(format!("{} of {all} files have no digest in the output", summary.failed + unwritten));
        Exit::Incomplete
    } else {
        Exit::Good
    })
}

fn plan(request: &Request) -> Result<Plan, String> {
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for name in request.algorithms.iter().filter(|name| !name.is_empty()) {
        let found = pfh::algorithm(name).map_err(|e| format!("{e}; `pfh algorithms` lists them"))?;
        if !algorithms.contains(&found) {
            algorithms.push(found);
        }
    }
    if algorithms.is_empty() {
        return Err("no algorithm was named".into());
    }
    let mut plan = Plan::new(algorithms);
    if let Some(threads) = request.threads {
        plan.threads = threads;
        plan.prefetchers = threads * 3;
    }
    plan.mode = request.mode;
    plan.backend = request.io;
    plan.prefetchers = match (request.mode, request.prefetchers) {
        (_, Some(prefetchers)) => prefetchers,
        (Mode::Mtp, None) => 1,
        (_, None) => plan.prefetchers,
    };
    if let Some(memory) = request.memory {
        plan.memory =
            usize::try_from(memory).map_err(|_| format!("a table of {memory} bytes does not fit this machine"))?;
    }
    plan.retries = request.retries;
    plan.stall = request.stall.unwrap_or(plan.stall);
    plan.piecewise = request.piecewise;
    Ok(plan)
}

/// What the manifest says of the run. Of the command line it has what decides the digests: manifests of one tree are
/// equal whatever the threads.
fn about(request: &Request, plan: &Plan) -> About {
    let algorithms: Vec<String> = plan.algorithms.iter().map(Algorithm::to_string).collect();
    let mut words: Vec<Vec<u8>> = vec![format!("pfh hash -a {}", algorithms.join(",")).into_bytes()];
    let flags = [
        (request.recurse == Recurse::Yes, "-r"),
        (request.links == Links::Follow, "--follow"),
        (request.special == Special::Read, "--special"),
        (request.one_file_system, "--one-file-system"),
        (request.files_from.is_some(), "--files-from"),
    ];
    words.extend(flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag.as_bytes().to_vec()));
    words.extend(request.files_from.iter().map(|(file, _)| file.as_os_str().as_encoded_bytes().to_vec()));
    words.extend(plan.piecewise.map(|length| format!("--piecewise {length}").into_bytes()));
    words.extend(request.paths.iter().map(|path| path.as_encoded_bytes().to_vec()));
    About {
        algorithms: plan.algorithms.clone(),
        command_line: Some(words.join(&b' ')),
        working_directory: std::env::current_dir().ok().map(|d| d.into_os_string().into_vec()),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

fn operands(request: &Request) -> Result<Operands, String> {
    let descend = Descend {
        recurse: request.recurse,
        links: request.links,
        special: request.special,
        one_file_system: request.one_file_system,
        selection: request.selection.clone(),
    };
    let paths: Vec<Vec<u8>> = request.paths.iter().map(|path| path.clone().into_vec()).collect();
    let Some((file, separator)) = &request.files_from else { return Ok(Operands::new(paths, descend)) };
    let listed = if file == Path::new("-") {
        pfh::names(io::BufReader::new(io::stdin()), *separator)
    } else {
        let open = std::fs::File::open(file);
        let open = open.map_err(|e| format!("{}: {e}", shown(file.as_os_str().as_encoded_bytes())))?;
        pfh::names(io::BufReader::new(open), *separator)
    };
    Ok(Operands::from_paths(Box::new(paths.into_iter().map(Ok).chain(listed)), descend))
}

/// Writing over what is to be hashed would destroy it.
fn refuse_overwriting_an_operand(request: &Request) -> Result<(), String> {
    let Some(output) = request.output.as_ref().and_then(|path| std::fs::metadata(path).ok()) else { return Ok(()) };
    let same =
        |path: &OsString| std::fs::metadata(path).is_ok_and(|m| (m.dev(), m.ino()) == (output.dev(), output.ino()));
    match request.paths.iter().find(|path| same(path)) {
        Some(path) => {
            Err(format!("the output would overwrite {}, which is to be hashed", shown(path.as_encoded_bytes())))
        }
        None => Ok(()),
    }
}

/// Writes records into the manifest and says on standard error what went wrong with single files.
struct Said<'a> {
    manifest: &'a mut Manifest,
    line: Option<&'a Line>,
    /// Records whose name the format cannot hold.
    unwritten: u64,
}

impl Said<'_> {
    fn say(&self, name: &[u8], what: &dyn std::fmt::Display) {
        let message = format!("{}: {what}", shown(name));
        match self.line {
            Some(line) => line.say(&message),
            None => exit::say(message),
        }
    }
}

impl Sink for Said<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        match &record.outcome {
            Outcome::Failed(problem) => self.say(&record.name, problem),
            Outcome::Skipped(skip) => self.say(&record.name, &format_args!("skipped: {}", skip.reason())),
            Outcome::Hashed(_) => {}
        }
        if let Err(why) = self.manifest.write(&record)? {
            self.unwritten += 1;
            self.say(&record.name, &format_args!("not written: {why}"));
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.manifest.flush()
    }
}
