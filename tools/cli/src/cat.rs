//! `pfh cat`: the bytes of one member of an image, a file system or an archive.

use crate::exit::{self, Exit, Failure};
use crate::input::{Inside, Opening};
use crate::session::Session;
use crate::show::cat as show;
use crate::size;
use crate::volume_keys::VolumeKeys;
use clap::Args;
use pfh::cat::{self as job, Event, FoundMember, Part, Request};
use std::ffi::OsString;
use std::path::PathBuf;

/// A member, and which of its bytes.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Cat {
    /// Name of the member, exactly as `list` and `hash --inside` print it:
    /// case.E01!/p2/Users/a.zip!/b.doc.
    #[arg(value_name = "MEMBER")]
    pub name: OsString,
    /// Print where its bytes lie, not the bytes: a row per run.
    #[arg(long)]
    pub runs: bool,
    /// The bytes behind its end in its last block.
    #[arg(long, conflicts_with = "raw")]
    pub slack: bool,
    /// Its bytes as they are stored, before they are decompressed.
    #[arg(long, conflicts_with = "runs")]
    pub raw: bool,
    /// Print a JSON object per run.
    #[arg(long, requires = "runs")]
    pub json: bool,
    /// Write to FILE, which appears only when all bytes are in it.
    #[arg(short, long, value_name = "FILE", conflicts_with = "runs")]
    pub output: Option<PathBuf>,
    /// Replace an existing file, but never one that is read.
    #[arg(long)]
    pub force: bool,
    /// Treat the file as a raw medium, even if its bytes look like an image format: for names that
    /// `list --raw` printed.
    #[arg(long)]
    pub raw_medium: bool,
    /// Depth of nested containers [default: 64].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: Option<u32>,
    #[command(flatten)]
    pub keys: VolumeKeys,
    /// Let a container expand to SIZE beyond 1,100 times its own size [default: 16GiB]; more is an
    /// error (a bomb).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub expand: Option<u64>,
    /// Do not enter the kernel's sandbox, which allows writing to the outputs only.
    #[arg(long)]
    pub no_sandbox: bool,
}

const EXITS: &str = "\
Names of deleted members end with !deleted-INODE, those of free space with !unallocated, as `list` prints them. On a terminal, control
characters are shown escaped. Offsets of --runs are bytes: in the file, in its volume or archive, and on the medium.

Exit codes: 0 all bytes are written; 2 usage, or the name is not one of a member; 3 no member has that name, two have it, or it could not be
read to its end (standard output has the bytes before); 4 the output failed.";

/// The deepest member has a name of its own: it is opened however deep it lies.
const DEEPEST: u32 = 64;

/// Runs a request to its end.
pub fn run(cat: &Cat) -> Exit {
    exit::end(try_run(cat))
}

impl Cat {
    fn request(&self) -> Result<Request, Failure> {
        let inside = Inside {
            inside: Some(Opening::Strict),
            depth: Some(self.depth.unwrap_or(DEEPEST)),
            raw: self.raw_medium,
            keys: self.keys.clone(),
            expand: self.expand,
            ..Inside::default()
        };
        let part = match (self.slack, self.raw) {
            (true, _) => Part::Slack,
            (_, true) => Part::Stored,
            _ => Part::Content,
        };
        let request = Request::new(self.name.as_encoded_bytes()).part(part).inside(inside.options()?);
        Ok(request.replace(self.force))
    }
}

/// Names the problems of the containers that the member is in.
fn beside(session: &Session, found: &FoundMember) {
    for (name, problem) in &found.beside {
        session.about(name, format_args!("note: {}", crate::remedy::problem(problem)));
    }
}

fn try_run(cat: &Cat) -> Result<Exit, Failure> {
    let request = cat.request()?;
    let session = Session::open(false)?;
    if cat.runs {
        request.check().map_err(|error| session.ended(error))?;
        let found = job::find(&request, &session.control()).map_err(|error| session.ended(error))?;
        beside(&session, &found);
        let Some(runs) = found.runs() else {
            session.about(&found.name, show::why_no_runs(&found));
            return Ok(Exit::Incomplete);
        };
        let text = if cat.json { show::json(&found, &runs) } else { show::text(&found, &runs) };
        exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
        return Ok(Exit::Good);
    }
    let mut take = |event: Event<'_>| {
        if let Event::Found(found) = event {
            beside(&session, found);
        }
        Ok(())
    };
    let output = session.destination(cat.output.as_ref());
    job::write(&request, &output, &mut take, &session.control()).map_err(|error| session.ended(error))?;
    Ok(Exit::Good)
}
