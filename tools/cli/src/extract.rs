//! `pfh extract`: members of an image or archive as files.

use crate::exit::{self, Exit, Failure};
use crate::finish;
use crate::input::{Inside, Opening};
use crate::leveling::Leveling;
use crate::session::Session;
use crate::show::extract as show;
use crate::size;
use crate::volume_keys::VolumeKeys;
use clap::Args;
use pfh::Level;
use pfh::extract::{self as job, Event, Limits, Request, Row};
use pfh::manifest::row;
use std::ffi::OsString;
use std::path::PathBuf;

/// An image, its members, and the directory that they go to.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Extract {
    /// Image or archive.
    #[arg(value_name = "IMAGE")]
    pub image: PathBuf,
    /// Files or directories in it, as `list` prints them [default: all].
    #[arg(value_name = "MEMBER")]
    pub members: Vec<OsString>,
    /// Write below DIR, which is new or empty.
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Also deleted files whose content still exists, as name!deleted-INODE.
    #[arg(long)]
    pub deleted: bool,
    /// Depth of nested containers: 2 also extracts archives in the image [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: Option<u32>,
    /// End when SIZE is written [default: 1TiB].
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub most_bytes: Option<u64>,
    /// End when N files are written [default: 10,000,000].
    #[arg(long, value_name = "N")]
    pub most_files: Option<u64>,
    /// Treat the file as a raw medium, even if its bytes look like an image format.
    #[arg(long)]
    pub raw_medium: bool,
    #[command(flatten)]
    pub keys: VolumeKeys,
    /// Let a container expand to SIZE beyond 1,100 times its own size [default: 16GiB]; more is an
    /// error (a bomb).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub expand: Option<u64>,
    #[command(flatten)]
    pub levels: Leveling,
    /// Print a JSON object for each member.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Do not print a line for each file.
    #[arg(short, long)]
    pub quiet: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
    /// Do not enter the kernel's sandbox, which allows writing to the outputs only.
    #[arg(long)]
    pub no_sandbox: bool,
}

const EXITS: &str = "\
Each file is read back and compared with the bytes that came out of the image; a line has its SHA-256, as `pfh check` reads it. Modification
and access times are kept, owners and permissions are not. Links, devices and directories without files are not made: links are named.
Nothing is written outside of DIR or through a link. A member that cannot be read to its end leaves no file.

Exit codes: 0 every member is a file; 2 usage, or DIR is not empty; 3 a member or link was not written, or there was none; 4 the output
failed.";

/// Runs a request to its end.
pub fn run(extract: &Extract) -> Exit {
    exit::end(try_run(extract))
}

impl Extract {
    fn request(&self) -> Result<Request, Failure> {
        let inside = Inside {
            inside: Some(Opening::Strict),
            depth: Some(self.depth.unwrap_or(1)),
            deleted: self.deleted,
            raw: self.raw_medium,
            keys: self.keys.clone(),
            expand: self.expand,
            ..Inside::default()
        };
        let members = self.members.iter().map(|name| name.as_encoded_bytes().to_vec()).collect();
        let usual = Limits::default();
        let limits =
            Limits { bytes: self.most_bytes.unwrap_or(usual.bytes), files: self.most_files.unwrap_or(usual.files) };
        let request = Request::new(&self.image, &self.to).inside(inside.options()?).members(members);
        Ok(request.limits(limits).levels(self.levels.asked()))
    }
}

fn try_run(extract: &Extract) -> Result<Exit, Failure> {
    let request = extract.request()?;
    request.check().map_err(Failure::refused)?;
    let session = Session::open(!extract.no_progress)?;
    let mut events = |event: Event<'_>| {
        if extract.json {
            session.print(row::line(&Row::of(&event)).as_bytes())?;
        }
        match event {
            Event::Written { path, digest, .. } if !extract.quiet && !extract.json => {
                return session.print(&show::line(path, digest));
            }
            Event::Skipped { level: Level::Ignore, .. } | Event::Failed { level: Level::Ignore, .. } => {}
            Event::Skipped { name, skip, .. } => {
                session.about(name, format_args!("not made: {}", crate::remedy::skip(&skip)));
            }
            Event::Failed { name, problem, .. } => session.about(name, show::problem(problem)),
            _ => {}
        }
        Ok(())
    };
    let summary = job::run(&request, &mut events, &session.control()).map_err(|error| session.ended(error))?;
    session.close();
    finish::count(&[("files", summary.files), ("bytes", summary.bytes), ("errors", summary.failed)]);
    if summary.interrupted {
        return Ok(session.interrupted(show::sentence(&summary, &extract.to)));
    }
    if extract.json {
        session.print(row::line(&Row::end(&summary)).as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    exit::say(show::sentence(&summary, &extract.to));
    Ok(if summary.is_whole() { Exit::Good } else { Exit::Incomplete })
}
