//! `pfh diff`: the differences between two states of a tree.

use crate::check::Names;
use crate::colour::{Tone, toned};
use crate::exit::{self, Exit, Failure};
use crate::faults::Faults;
use crate::finish;
use crate::leveling::Leveling;
use crate::run::{Run, algorithms_or_none};
use crate::session::Session;
use crate::show::diff as rows;
use clap::Args;
use pfh::Links;
use pfh::diff::{
    self as job, Class, DiffSide, DiffSum, Difference, DifferenceRow, Event, Extra, Metadata, Request, Summary,
};
use pfh::hash::Reuse;
use pfh::manifest::End;
use pfh::manifest::row::line;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Arguments of `pfh diff`.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Diff {
    /// State before: a directory, an address (s3://bucket/prefix), an image or archive (or a
    /// directory in it, case.E01!/p2/Users), a manifest in any format that pfh reads (- is standard
    /// input), or a catalogue (DIR.pfhtree).
    #[arg(value_name = "A")]
    pub a: OsString,
    /// State after, likewise.
    #[arg(value_name = "B")]
    pub b: OsString,
    /// Algorithm for hashing directories [default: sha256], and of untagged digests in lists.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Report different modification times too.
    #[arg(long)]
    pub metadata: bool,
    /// Ignore files that only B has.
    #[arg(long)]
    pub one_way: bool,
    /// Compare names that differ from those of a list by case, Unicode form or blanks alone.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Names::Exact, hide_default_value = true)]
    pub names: Names,
    /// List only these classes: same, metadata, changed, bit-rot, moved, copied, added, removed,
    /// error [default: all but same]. The exit code considers all.
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_parser = class)]
    pub only: Vec<Class>,
    /// Print a JSON object per name, and one for the whole.
    #[arg(long)]
    pub json: bool,
    /// Print only names, unescaped, each followed by NUL.
    #[arg(short = 'z', long, conflicts_with = "json")]
    pub zero: bool,
    /// Print only the counts.
    #[arg(short, long)]
    pub quiet: bool,
    /// Records of the lists end with NUL (sums and bsd).
    #[arg(long)]
    pub zero_lists: bool,
    /// The columns of the lists in their order, as for check.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "zero_lists"
    )]
    pub columns: Vec<String>,
    /// Follow symbolic links in directories.
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Keep digests in FILE, and do not reread files whose device, inode, size, mtime and ctime are
    /// unchanged. Changes that leave all of these alone are not seen.
    #[arg(long, value_name = "FILE")]
    pub cache: Option<PathBuf>,
    /// Of both sides also the contents of archives and images among their files. An image that is a
    /// side is opened without.
    #[cfg(feature = "inside")]
    #[command(flatten)]
    pub inside: crate::input::Inside,
    /// How much findings count.
    #[command(flatten)]
    pub levels: Leveling,
    /// Reading and hashing.
    #[command(flatten)]
    pub run: Run,
}

const EXITS: &str = "\
A name is same, changed, added, removed, moved (its content has another name in B and is gone from A's place), copied, or bit-rot: its
content changed, but its size and modification time did not. Bit rot is graded by the change time, from the strongest evidence to the
weakest: unchanged, unknown, changed. Two lists are compared without reading a file.

Exit codes: 0 A and B have the same content; 1 they differ; 2 usage; 3 A or B does not exist, something could not be read or compared, or
there was nothing to compare; 4 a list ends in the middle of a document.";

fn class(word: &str) -> Result<Class, job::UnknownClass> {
    word.parse()
}

/// Runs a request to its end.
pub fn run(request: &Diff) -> Exit {
    exit::end(try_run(request))
}

fn try_run(asked: &Diff) -> Result<Exit, Failure> {
    let reuse = |path: &PathBuf| Reuse { path: path.clone(), sample: 0.0 };
    #[cfg_attr(not(feature = "inside"), expect(unused_mut, reason = "containers are opened"))]
    let mut request = Request::new(&asked.a, &asked.b)
        .algorithms_of(algorithms_or_none(&asked.algorithms)?)
        .metadata(if asked.metadata { Metadata::Compared } else { Metadata::Ignored })
        .extra(if asked.one_way { Extra::Welcome } else { Extra::Differs })
        .likely(asked.names.likely())
        .end(if asked.zero_lists { End::Nul } else { End::Line })
        .columns(asked.columns.clone())
        .links(if asked.follow { Links::Follow } else { Links::Keep })
        .reuse(asked.cache.as_ref().map(reuse))
        .plan(asked.levels.plan(asked.run.plan(Vec::new())?));
    #[cfg(feature = "inside")]
    {
        request.inside = asked.inside.asked()?;
    }
    let session = asked.run.session()?.levels(&request.plan.levels);
    let mut faults = Faults::new(|sentence| session.message(sentence));
    let ran = job::run(&request, &mut |event| show(asked, &session, &mut faults, event), &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    faults.finish();
    if asked.json {
        session.print(line(&DiffSum::of(&summary)).as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    session.close();
    let of = |class| summary.counts.of(class);
    finish::count(&[
        ("same", of(Class::Same)),
        ("changed", of(Class::Changed)),
        ("added", of(Class::Added)),
        ("removed", of(Class::Removed)),
        ("errors", of(Class::Error)),
    ]);
    Ok(report(&summary))
}

/// Prints an event.
fn show<S: Fn(String)>(asked: &Diff, session: &Session, faults: &mut Faults<S>, event: Event<'_>) -> io::Result<()> {
    match event {
        Event::Sealed(held) if !asked.quiet => session.message(held),
        Event::Read(which, list) => {
            let name = if which == DiffSide::A { &asked.a } else { &asked.b };
            list.faults.iter().for_each(|(line, fault)| faults.take(Path::new(name), *line, fault));
        }
        Event::Unread(record) => session.unread(record),
        Event::Cached(record) => {
            session.about(&record.name, "its content changed though size, mtime and ctime did not");
        }
        Event::Uncached(why) => session.message(format_args!("{why}: files are hashed without it")),
        Event::Classed(difference) => return classed(asked, session, difference),
        Event::Passed(summary) => session.suspended(|| asked.run.report(summary)),
        _ => {}
    }
    Ok(())
}

fn classed(asked: &Diff, session: &Session, difference: &Difference) -> io::Result<()> {
    let is_wanted = match &asked.only[..] {
        [] if asked.one_way => !matches!(difference.class, Class::Same | Class::Added | Class::Copied),
        [] => difference.class != Class::Same,
        only => only.contains(&difference.class),
    };
    let says = difference.class.finding().is_none_or(|finding| asked.levels.asked().says(finding));
    if asked.quiet || !is_wanted || !says && !asked.json {
        return Ok(());
    }
    if asked.zero {
        return session.print(&[&difference.name[..], &[0]].concat());
    }
    if asked.json {
        return session.print(line(&DifferenceRow::of(difference, &asked.levels.asked())).as_bytes());
    }
    let (line, class) = (rows::text(difference), difference.class.name());
    let tone = match difference.class {
        Class::Same => Tone::Good,
        Class::BitRot => Tone::Bad,
        _ => Tone::Unsure,
    };
    let line = line.strip_prefix(class).map(|rest| toned(class, tone) + rest).unwrap_or(line);
    session.print(line.as_bytes())
}

/// Prints the result, and gives the exit.
fn report(summary: &Summary) -> Exit {
    for sentence in &summary.not_compared {
        exit::say(format!("WARNING: {sentence}"));
    }
    exit::say(summary.sentence());
    if summary.broken { Exit::Aborted } else { Exit::of_verdict(summary.verdict()) }
}
