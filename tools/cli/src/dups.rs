//! `pfh dups`: files and folders of one content.

mod choice;

use crate::exit::{self, Exit, Failure};
use crate::finish;
use crate::input::{Input, unmatched};
use crate::leveling::Leveling;
use crate::run::{Run, algorithms_or_none};
use crate::session::Session;
use crate::show::dups as rows;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use pfh::dups::{
    self as job, Action, Chunking, DupsSum, Event, FoldersRow, Group, GroupRow, Keep, Request, Script, SharedRow,
    SkippedRow, Summary, UnreadRow,
};
use pfh::manifest::row::line;
use pfh::{Level, Recurse};
use std::io;
use std::path::PathBuf;

/// Arguments of `pfh dups`.
#[derive(Debug, Args)]
#[command(after_help = EXITS, mut_arg("recursive", |recursive| recursive.hide(true)), mut_arg("image", |image| image.hide(true)))]
pub struct Dups {
    /// Input. Directories are always walked; -r is accepted and changes nothing. Empty files are
    /// left out.
    #[command(flatten)]
    pub input: Input,
    /// Compare whole files by this cryptographic algorithm [default: sha256].
    #[arg(short, long = "algorithm", value_name = "NAME")]
    pub algorithm: Option<String>,
    /// Print only the names of redundant copies: all but the first of each group.
    #[arg(long, conflicts_with = "json")]
    pub redundant: bool,
    /// Likewise, unescaped and each followed by NUL, for `xargs -0`.
    #[arg(short = 'z', long, conflicts_with = "json")]
    pub zero: bool,
    /// Print a JSON object per group of files or folders, pair with shared chunks, and one for the
    /// whole.
    #[arg(long)]
    pub json: bool,
    /// Print only the totals.
    #[arg(short, long)]
    pub quiet: bool,
    /// The copy of each group to keep: first (in the order of PATH), oldest, newest, shortest
    /// (name), or under=DIR.
    #[arg(long, value_name = "RULE", default_value = "first", value_parser = OsStringValueParser::new().try_map(|text| Keep::parse(&text)))]
    pub keep: Keep,
    /// Keep all copies below DIR.
    #[arg(long, value_name = "DIR")]
    pub never: Vec<PathBuf>,
    /// Action of the script for the other copies: remove, hardlink, reflink, or move=DIR.
    #[arg(long, value_name = "ACTION", default_value = "remove", requires = "script", value_parser = OsStringValueParser::new().try_map(|text| Action::parse(&text)))]
    pub action: Action,
    /// Ask which copy of each group to keep.
    #[arg(short, long, requires = "script")]
    pub interactive: bool,
    /// Write a shell script to FILE that removes the other copies, each after a last comparison.
    /// Nothing is removed until you run it.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Replace an existing script, but never an input.
    #[arg(long, requires = "script")]
    pub force: bool,
    /// Name the pairs of files that share chunks, and the savings of a store that keeps each chunk
    /// once: chunks of this many bytes, or cut by content (cdc, cdc:16384 for that average).
    #[arg(long, value_name = "CHUNKING")]
    pub chunks: Option<Chunking>,
    /// List the N pairs with the most bytes in common; all are counted.
    #[arg(long, value_name = "N", requires = "chunks")]
    pub top: Option<u64>,
    #[command(flatten)]
    pub levels: Leveling,
    /// Reading and hashing.
    #[command(flatten)]
    pub run: Run,
}

const EXITS: &str = "\
Files of equal size are compared by their first block, then their last, then a digest of all bytes, which confirms each group. Groups are
sorted by wasted space. Names of one inode count as one copy; copies that share storage (reflinks) free nothing. Folders are equal if they
hold the same names with the same contents (empty folders aside); --min-size, --include and --exclude turn the search for folders off.

Exit codes: 0 finished, with or without duplicates; 2 usage; 3 a file could not be read or changed meanwhile, and is in no group; 4 the
output is incomplete.";

/// Runs a request to its end.
pub fn run(request: &Dups) -> Exit {
    exit::end(try_run(request))
}

fn try_run(asked: &Dups) -> Result<Exit, Failure> {
    let least = asked.input.min_size.unwrap_or(1);
    let mut input = Input { min_size: None, ..asked.input.clone() }.asked()?;
    input.descend.recurse = Recurse::Yes;
    let named: Vec<String> = asked.algorithm.iter().cloned().collect();
    let request = Request::new(input)
        .algorithm_of(algorithms_or_none(&named)?.into_iter().next())
        .least(least)
        .chunking(asked.chunks)
        .top(asked.top)
        .keep(asked.keep.clone())
        .never(asked.never.clone())
        .action(asked.action.clone())
        .script(asked.script.clone(), asked.force)
        .plan(asked.levels.plan(asked.run.plan(Vec::new())?));
    if asked.interactive && !choice::is_possible() {
        return Err(Failure::usage("--interactive asks on a terminal, and there is none"));
    }
    let session = asked.run.session()?;
    let mut groups: Vec<Group> = Vec::new();
    let mut take = |event: Event<'_>| match event {
        Event::Group(group) if asked.interactive => {
            groups.push(group.clone());
            Ok(())
        }
        event => show(asked, &session, event),
    };
    let ran = if asked.interactive {
        job::run(&request, &mut take, &session.control())
    } else {
        job::write(&request, &mut take, &session.control())
    };
    let summary = ran.map_err(|error| session.ended(error))?;
    if let (true, Some(path)) = (asked.interactive, &asked.script) {
        session.close();
        let mut script = Script::doing(path, asked.action.clone());
        match choice::ask(&groups)? {
            Some(chosen) => chosen.iter().for_each(|group| script.group(group)),
            None => {
                exit::say("no script was written");
                return Ok(Exit::Good);
            }
        }
        script.finish().map_err(|error| session.ended(error))?;
    }
    if asked.json {
        session.print(line(&DupsSum::of(&summary)).as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    session.close();
    unmatched(&request.input, &session);
    Ok(report(&summary))
}

/// Prints an event.
fn show(asked: &Dups, session: &Session, event: Event<'_>) -> io::Result<()> {
    let line = match event {
        Event::Unread(name, problem) => {
            if problem.level != Level::Ignore {
                session.about(name, problem);
            }
            match asked.json && !asked.quiet {
                true => line(&UnreadRow::of(name, problem)).into_bytes(),
                false => return Ok(()),
            }
        }
        // Of those that do not count the total at the end says how many there are.
        Event::Skipped(name, skip, level) => {
            if level == Level::Error {
                session.about(name, format_args!("skipped: {}", crate::remedy::skip(&skip)));
            }
            match asked.json && !asked.quiet {
                true => line(&SkippedRow::of(name, skip, level)).into_bytes(),
                false => return Ok(()),
            }
        }
        _ if asked.quiet => return Ok(()),
        Event::Group(group) if asked.zero => rows::redundant(group),
        Event::Group(group) if asked.redundant => rows::redundant_text(group).into_bytes(),
        Event::Group(group) if asked.json => line(&GroupRow::of(group)).into_bytes(),
        Event::Group(group) => rows::group_text(group).into_bytes(),
        Event::Folders(_) | Event::Shared(_) if asked.zero || asked.redundant => return Ok(()),
        Event::Folders(folders) if asked.json => line(&FoldersRow::of(folders)).into_bytes(),
        Event::Folders(folders) => rows::folders_text(folders).into_bytes(),
        Event::Shared(shared) if asked.json => line(&SharedRow::of(shared)).into_bytes(),
        Event::Shared(shared) => rows::shared_text(shared).into_bytes(),
        _ => return Ok(()),
    };
    session.print(&line)
}

/// Prints the result of the whole search, and gives the exit.
fn report(summary: &Summary) -> Exit {
    if let Some(store) = &summary.store {
        exit::say(store.sentence());
    }
    exit::say(summary.sentence());
    finish::count(&[
        ("files", summary.files),
        ("bytes", summary.bytes),
        ("errors", summary.failed),
        ("groups", summary.groups),
        ("redundant", summary.redundant),
        ("reclaimable", summary.reclaimable),
    ]);
    if summary.faults > 0 { Exit::Incomplete } else { Exit::Good }
}
