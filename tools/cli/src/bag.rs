//! `pfh bag`: packages of files with their manifests.

use crate::exit::{self, Exit, Failure};
use crate::leveling::Leveling;
use crate::run::{Run, algorithms_or_none};
use crate::session::Session;
use crate::show::bag as rows;
use clap::{Args, Subcommand};
use pfh::bag::{self as job, Event, FindingRow, MadeRow, Request, SummaryRow};
use pfh::manifest::row::line;
use std::io;
use std::path::PathBuf;

/// Bags by BagIt 1.0 (RFC 8493): files below `data`, manifests beside it.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Bag {
    /// Make a bag of a folder whose files are below its `data`.
    #[command(after_help = CREATE)]
    Create(Write),
    /// Compare every file of a bag with each of its manifests.
    #[command(after_help = VALIDATE)]
    Validate(BagFolder),
    /// Bring the manifests of a bag up to date with its files.
    #[command(after_help = UPDATE)]
    Update(Write),
}

/// A bag that is read.
#[derive(Debug, Args)]
pub struct BagFolder {
    /// The folder of the bag.
    #[arg(value_name = "BAG")]
    pub bag: PathBuf,
    /// Print a JSON object per finding, and one for the whole bag.
    #[arg(long)]
    pub json: bool,
    /// Print only the verdict.
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub levels: Leveling,
    /// Reading and hashing.
    #[command(flatten)]
    pub run: Run,
}

/// A bag that is written.
#[derive(Debug, Args)]
pub struct Write {
    /// Input and output.
    #[command(flatten)]
    pub read: BagFolder,
    /// Algorithms of the manifests [default: sha512]; an update adds these to those of the bag.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Add a line to bag-info.txt: `Source-Organization=The Archive`.
    #[arg(long, value_name = "LABEL=VALUE", value_parser = pair)]
    pub info: Vec<(String, String)>,
    /// Create: replace existing manifests. Update: accept files whose content differs from the
    /// manifests.
    #[arg(long)]
    pub force: bool,
}

const CREATE: &str = "\
Files below BAG/data are only read: `mkdir -p BAG/data && mv FILES BAG/data && pfh bag create BAG`. bagit.txt is written last, so that an
interrupted run leaves no bag.

Exit codes: 0 the bag was made; 2 usage, or a bag or another file is in the way; 3 an entry below data could not be read or is not a
file, and nothing was written; 4 a file could not be written.";

const VALIDATE: &str = "\
A bag is valid if its files, tag files and Payload-Oxum are complete and match every manifest of every algorithm. Files of fetch.txt are
listed and never fetched. Names that lead out of the bag make it invalid and are not opened.

Exit codes: 0 the bag is valid (warnings go to standard error); 1 it is invalid or not a bag; 2 usage; 3 files are missing and listed in
fetch.txt, could not be read, or have only digests of unknown algorithms.";

const UPDATE: &str = "\
New and removed files are printed (+ and -) and accepted. A file whose content differs from the manifests may be damaged and is refused,
unless --force is given. Entries of fetch.txt stay listed.

Exit codes: 0 the manifests match the files; 1 contents changed, and nothing was written; 2 usage, or the bag cannot be read in full; 3 an
entry below data could not be read, and nothing was written; 4 a file could not be written.";

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let pair = text.split_once('=').map(|(label, value)| (label.to_owned(), value.to_owned()));
    pair.ok_or("write LABEL=VALUE")
}

/// Runs a request to its end.
pub fn run(request: &Bag) -> Exit {
    exit::end(match request {
        Bag::Create(write) => made(write, Making::Create),
        Bag::Update(write) => made(write, Making::Update),
        Bag::Validate(read) => validated(read),
    })
}

/// How a bag is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Making {
    Create,
    Update,
}

fn validated(read: &BagFolder) -> Result<Exit, Failure> {
    let request = Request::new(&read.bag).plan(read.levels.plan(read.run.plan(Vec::new())?));
    let session = read.run.session()?;
    let ran = job::validate(&request, &mut |event| show(read, &session, event), &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    end(read, &session, &line(&SummaryRow::of(&summary)))?;
    exit::say(summary.sentence());
    Ok(Exit::of_verdict(summary.verdict()))
}

fn made(write: &Write, made: Making) -> Result<Exit, Failure> {
    let Write { read, algorithms, info, force } = write;
    let request = Request::new(&read.bag)
        .algorithms_of(algorithms_or_none(algorithms)?)
        .info(info.clone())
        .replace(*force)
        .plan(read.levels.plan(read.run.plan(Vec::new())?));
    let session = read.run.session()?;
    let mut sink = |event: Event<'_>| show(read, &session, event);
    let ran = match made {
        Making::Create => job::create(&request, &mut sink, &session.control()),
        Making::Update => job::update(&request, &mut sink, &session.control()),
    };
    let summary = ran.map_err(|error| session.ended(error))?;
    end(read, &session, &line(&MadeRow::of(&summary)))?;
    exit::say(summary.made());
    Ok(if summary.raised > 0 { Exit::Incomplete } else { Exit::Good })
}

/// Prints an event. Warnings are on standard error, where they disturb no list.
fn show(read: &BagFolder, session: &Session, event: Event<'_>) -> io::Result<()> {
    match event {
        Event::Found(finding) if read.json => {
            session.print(line(&FindingRow::of(finding, &read.levels.asked())).as_bytes())
        }
        Event::Found(finding) if finding.severity == job::Severity::Warning => {
            session.about(&finding.path, format_args!("warning: {}", finding.what));
            Ok(())
        }
        Event::Found(finding) if !read.quiet => session.print(rows::text(finding).as_bytes()),
        Event::Updated(name, is_there) if !read.quiet && !read.json => {
            let mark = if is_there { '+' } else { '-' };
            session.print(format!("{mark} {}\n", pfh::terminal::render(name)).as_bytes())
        }
        _ => Ok(()),
    }
}

fn end(read: &BagFolder, session: &Session, json: &str) -> Result<(), Failure> {
    if read.json {
        session.print(json.as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    session.close();
    Ok(())
}
