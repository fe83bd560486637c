//! `pfh list`: the contents of images and archives.

use crate::exit::{self, Exit, Failure};
use crate::input::{Input, Inside};
use crate::leveling::Leveling;
use crate::session::Session;
use crate::show::list as lines;
use clap::{Args, ValueEnum};
use pfh::Level;
use pfh::list::{self as job, Event, NameChoice, NameRow, Request, Row};
use pfh::manifest::row::line;
use std::io::{self, Write};

/// Which names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NamesArg {
    /// Those that the file system lists.
    Live,
    /// Those that it has forgotten.
    Deleted,
    /// Space that no file has.
    Unallocated,
}

/// Arguments of `pfh list`.
#[derive(Debug, Args)]
pub struct List {
    /// The input.
    #[command(flatten)]
    pub input: Input,
    /// Print a JSON object per file, with all metadata.
    #[arg(long, conflicts_with = "bodyfile")]
    pub json: bool,
    /// Print a body file for mactime.
    #[arg(long)]
    pub bodyfile: bool,
    /// Print what each byte of an image or archive is; residue is exit 3.
    #[arg(long, conflicts_with_all = ["bodyfile", "only"])]
    pub account: bool,
    /// Print the account as a page in HTML, with a bar for each medium.
    #[arg(long, requires = "account", conflicts_with = "json")]
    pub page: bool,
    /// Only live files, or only deleted ones.
    #[arg(long, value_enum, value_name = "STATE")]
    pub only: Option<NamesArg>,
    /// How much findings count.
    #[command(flatten)]
    pub levels: Leveling,
}

/// Runs a request to its end.
pub fn run(list: &List) -> Exit {
    exit::end(try_run(list))
}

fn try_run(list: &List) -> Result<Exit, Failure> {
    // This command is for nothing else.
    let how = list.input.inside.inside.unwrap_or_default();
    let inside = Inside { inside: Some(how), ..list.input.inside.clone() };
    let input = Input { inside, ..list.input.clone() };
    let request = Request::new(input.asked()?).only(match list.only {
        None => NameChoice::All,
        Some(NamesArg::Live) => NameChoice::Live,
        Some(NamesArg::Deleted) => NameChoice::Deleted,
        Some(NamesArg::Unallocated) => NameChoice::Unallocated,
    });
    let request = request.levels(list.levels.asked());
    let session = Session::open(false)?;
    if list.account {
        return account(list, &request, &session);
    }
    let mut out = pfh::Output::standard().rendered();
    let ran = job::run(&request, &mut |event| show(list, &session, &mut out, &event), &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    out.flush().map_err(|error| Failure::output(&error))?;
    drop(out);
    if summary.interrupted {
        return Ok(session.interrupted("the list is not whole"));
    }
    if summary.is_empty() && list.only.is_none() {
        exit::say("nothing to list: no image, file system or archive that is known is among the files, or it is empty");
        return Ok(Exit::Incomplete);
    }
    Ok(if summary.faults > 0 { Exit::Incomplete } else { Exit::Good })
}

/// Prints the account of each medium.
fn account(list: &List, request: &Request, session: &Session) -> Result<Exit, Failure> {
    let mut out = pfh::Output::standard().rendered();
    let mut page = lines::Page::default();
    let mut show = |row: Row<'_>| {
        if let Row::Failed { name, problem } = &row
            && problem.level != Level::Ignore
        {
            session.about(name, crate::remedy::problem(problem));
        }
        if list.page {
            page.take(&row);
            return Ok(());
        }
        let line = if list.json { line(&NameRow::of_account(&row, &request.levels)) } else { lines::text_of(&row) };
        out.write_all(line.as_bytes())
    };
    let ran = job::account(request, &mut show, &session.control());
    let sums = ran.map_err(|error| session.ended(error))?;
    if list.page {
        out.write_all(page.end().as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    out.flush().map_err(|error| Failure::output(&error))?;
    drop(out);
    if sums.interrupted {
        return Ok(session.interrupted("the account is not whole"));
    }
    if sums.accounts == 0 && sums.failed == 0 {
        exit::say("nothing to account for: no image, file system or archive that is known is among the files");
        return Ok(Exit::Incomplete);
    }
    Ok(if sums.is_whole() { Exit::Good } else { Exit::Incomplete })
}

fn show(list: &List, session: &Session, out: &mut impl Write, event: &Event<'_>) -> io::Result<()> {
    if let Event::Failed { name, problem } = event
        && problem.level != Level::Ignore
    {
        session.about(name, crate::remedy::problem(problem));
    }
    let line = if list.json {
        Some(line(&NameRow::of(event)).into_bytes())
    } else if list.bodyfile {
        lines::body(event)
    } else {
        lines::text(event).map(String::into_bytes)
    };
    line.map_or(Ok(()), |line| out.write_all(&line))
}
