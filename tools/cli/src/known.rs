//! `pfh known build` and `pfh known info`.

use crate::exit::{self, Exit, Failure};
use crate::faults::Faults;
use crate::run::algorithms_or_none;
use crate::session::Session;
use crate::show::known as show;
use crate::size;
use clap::{Args, Subcommand};
use pfh::Control;
use pfh::known::build::{self, Event};
use pfh::known::export::{self, To};
use pfh::known::{Class, MalformedClass, Packages, SetsRow, info};
use pfh::manifest::row::line;
use pfh::matching::Gap;
use pfh::terminal::render as shown;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum KnownCommand {
    /// Compile sets of any format into one file.
    Build(Box<Compile>),
    /// Describe a known-set file.
    Info(Info),
    /// Export a set for The Sleuth Kit, hashdeep, NSRL, EnCase or Project VIC.
    #[command(after_help = EXPORT)]
    Export(Export),
}

/// The file to write, as an operand or as everywhere else.
#[derive(Debug, Args)]
pub struct Out {
    /// Output file; it appears only when it is complete.
    #[arg(value_name = "OUT", id = "out", required_unless_present = "output")]
    operand: Option<PathBuf>,
    /// Output file, instead of OUT.
    #[arg(short, long, value_name = "OUT", conflicts_with = "out")]
    output: Option<PathBuf>,
}

impl Out {
    pub fn path(&self) -> &Path {
        self.output.as_deref().or(self.operand.as_deref()).unwrap_or(Path::new(""))
    }
}

/// Arguments of `pfh known export`.
#[derive(Debug, Args)]
pub struct Export {
    /// A known-set file, or a manifest in any format that `check` reads.
    #[arg(value_name = "SET")]
    pub set: PathBuf,
    #[command(flatten)]
    pub output: Out,
    /// idx (an index for hfind), kdb (The Sleuth Kit's database), encase (.hash), vics (Project
    /// VIC's JSON), hashdeep, or rdsv2 (NSRLFile.txt).
    #[arg(long, value_name = "FORMAT")]
    pub to: To,
    /// Algorithm of an index: md5 or sha1 [default: md5, if the set has it].
    #[arg(short, long = "algorithm", value_name = "NAME")]
    pub algorithm: Option<String>,
    /// Only entries of these classes, separated by commas; for a manifest, the class of all its
    /// entries.
    #[arg(long, value_name = "CLASSES", value_delimiter = ',')]
    pub class: Vec<String>,
    /// Replace an existing file, but never the set.
    #[arg(long)]
    pub force: bool,
}

/// Faults of a manifest that are named.
const NAMED: u64 = 10;

const EXPORT: &str = "\
A known-set file holds only digests and can become idx, kdb, encase or vics. hashdeep and rdsv2 also need names and sizes, and rdsv2 the
SHA-1 and MD5 of each file, so export them from the manifest that the set was built from; likewise kdb and vics with names. Entries that
lack a required field are left out and counted. An index is named after its algorithm (set-md5.idx, set-sha1.idx), as hfind expects.

Exit codes: 0 everything was exported; 2 usage, or the format cannot hold the set; 3 entries were left out, or a line of the manifest is
not a record (if nothing could be exported, no file is written); 4 the set or the output failed.";

/// Arguments of `pfh known build`.
#[derive(Debug, Args)]
pub struct Compile {
    #[command(flatten)]
    pub output: Out,
    /// Known-good sets: lists, or directories of lists.
    #[arg(long, value_name = "FILE")]
    pub good: Vec<PathBuf>,
    /// Known-bad set.
    #[arg(long, value_name = "FILE")]
    pub bad: Vec<PathBuf>,
    /// Notable set; counts as bad in a verdict.
    #[arg(long, value_name = "FILE")]
    pub notable: Vec<PathBuf>,
    /// Set of the files of an unmodified system.
    #[arg(long, value_name = "FILE")]
    pub no_change: Vec<PathBuf>,
    /// Set of a class of your own.
    #[arg(long, value_name = "NAME=FILE")]
    pub class: Vec<String>,
    /// Apply this delta (an SQL script) of NSRL's RDSv3 to a copy of the one given database;
    /// several in order of publication.
    #[arg(long, value_name = "FILE")]
    pub delta: Vec<PathBuf>,
    /// Read sets and their descriptions from FILE: a JSON object per line with file, class, and
    /// optionally name, version, product, algorithm, packages, deltas.
    #[arg(long, value_name = "FILE")]
    pub sets: Vec<PathBuf>,
    /// The columns of tables in their order: an algorithm, digest, or - for a column that is passed
    /// over [default: found by their labels or contents].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true)]
    pub columns: Vec<String>,
    /// Algorithm of untagged digests [default: MD5, SHA-1 and SHA-2 by length].
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Store the package of each entry (NSRL RDSv3).
    #[arg(long)]
    pub packages: bool,
    /// The sets are files and directories: store the digests of their aligned blocks of these sizes
    /// (512,4096), for `match --sectors`.
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size::parse_block,
        conflicts_with_all = ["delta", "packages"])]
    pub blocks: Vec<u32>,
    /// With --inside the sets are not lists, but files, directories, images and archives: their
    /// contents are hashed, by -a or MD5, SHA-1 and SHA-256.
    #[cfg(feature = "inside")]
    #[command(flatten)]
    pub inside: crate::input::Inside,
    /// Memory for sorting (a bare number is MiB).
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub memory: Option<u64>,
    /// Directory for sorted runs [default: OUT.work]; an interrupted build resumes from it.
    #[arg(long, value_name = "DIR")]
    pub work: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// Arguments of `pfh known info`.
#[derive(Debug, Args)]
pub struct Info {
    /// A known-set file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Read the whole file and compare it with the digest it states.
    #[arg(long)]
    pub verify: bool,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Runs a request to its end.
pub fn run(request: &KnownCommand) -> Exit {
    exit::end(match request {
        KnownCommand::Build(compile) => compiled(compile),
        KnownCommand::Info(request) => described(request),
        KnownCommand::Export(request) => exported(request),
    })
}

/// The job that is asked for.
fn asked(compile: &Compile) -> Result<build::Request, Failure> {
    let mut request = build::Request::new(compile.output.path());
    let classes = [
        (&compile.good, Class::Good),
        (&compile.bad, Class::Bad),
        (&compile.notable, Class::Notable),
        (&compile.no_change, Class::NoChange),
    ];
    for (paths, class) in classes {
        request.sets.extend(paths.iter().map(|path| (path.clone(), class.clone())));
    }
    for text in &compile.class {
        let (class, path) =
            text.split_once('=').ok_or_else(|| format!("--class {}: NAME=FILE", shown(text.as_bytes())))?;
        request.sets.push((path.into(), class.parse().map_err(|error: MalformedClass| Failure::usage(error))?));
    }
    (request.lists, request.deltas) = (compile.sets.clone(), compile.delta.clone());
    request.assumed = algorithms_or_none(&compile.algorithms)?;
    request.columns = compile.columns.clone();
    request.packages = if compile.packages { Packages::Remember } else { Packages::Forget };
    if let Some(memory) = compile.memory {
        request.memory = usize::try_from(memory).map_err(Failure::usage)?;
    }
    request.work = compile.work.clone().unwrap_or(request.work);
    request.replace = compile.force;
    request.blocks.clone_from(&compile.blocks);
    #[cfg(feature = "inside")]
    {
        request.inside = compile.inside.asked()?;
    }
    Ok(request)
}

fn compiled(compile: &Compile) -> Result<Exit, Failure> {
    let request = asked(compile)?;
    let session = Session::open(!compile.no_progress)?;
    let mut faults = Faults::new(|message: String| session.message(message));
    let mut say = |event: Event<'_>| {
        match event {
            Event::Fault { path, line, fault } => faults.take(path, line, fault),
            Event::Unread { name, problem } => session.about(name, problem),
            Event::Guessed { path, algorithms } => session.message(Gap::Guessed { path, algorithms }),
            _ => {}
        }
        Ok(())
    };
    let built = build::run(&request, &mut say, &session.control());
    faults.finish();
    let built = built.map_err(|error| session.ended(error))?;
    session.close();
    show::built(&built).iter().for_each(exit::say);
    Ok(if built.is_complete() { Exit::Good } else { Exit::Incomplete })
}

fn described(args: &Info) -> Result<Exit, Failure> {
    let mut request = info::Request::new(&args.file);
    request.verify = args.verify;
    let summary = info::run(&request, &mut |_| Ok(()), &Control::new());
    let summary = summary.map_err(|error| Failure::of(&error, Exit::Aborted))?;
    let text = if args.json { line(&SetsRow::of(&summary)) } else { show::info_text(&summary) };
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(Exit::Good)
}

fn exported(args: &Export) -> Result<Exit, Failure> {
    let mut request = export::Request::new(&args.set, args.output.path(), args.to);
    let named: Vec<String> = args.algorithm.iter().cloned().collect();
    request.algorithm = algorithms_or_none(&named)?.first().map(|algorithm| **algorithm);
    for class in args.class.iter().filter(|class| !class.is_empty()) {
        request.classes.push(class.parse().map_err(|error: MalformedClass| Failure::usage(error))?);
    }
    request.replace = args.force;
    let session = Session::open(false)?;
    let mut faults = 0;
    let mut say = |event: export::Event<'_>| {
        faults += 1;
        if faults <= NAMED {
            session.message(format_args!("{}: {}", pfh::terminal::shown(&args.set), show::fault(event)));
        }
        Ok(())
    };
    let ran = export::run(&request, &mut say, &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    session.close();
    if faults > NAMED {
        exit::say(format_args!("and {} more", faults - NAMED));
    }
    exit::say(summary.sentence());
    Ok(if summary.is_complete() { Exit::Good } else { Exit::Incomplete })
}
