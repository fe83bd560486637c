//! `pfh info`: what an image states of itself.

use crate::exit::{self, Exit, Failure};
use clap::Args;
use pfh::info::{self as job, Request};
use pfh::terminal::render;
use std::path::PathBuf;

/// Arguments of `pfh info`.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Info {
    /// Image (E01, Ex01, AFF4, DMG, VHD, VHDX, VMDK, QCOW2, raw or split), by its first file.
    #[arg(value_name = "IMAGE")]
    pub image: PathBuf,
}

const EXITS: &str = "\
Only headers are read: `pfh verify IMAGE` compares the stored digests with the content, `pfh list IMAGE` shows the files in it.

Exit codes: 0 the headers were read; 2 usage, or a format that is not read; 3 the image could not be opened.";

/// Runs a request to its end.
pub fn run(info: &Info) -> Exit {
    exit::end(try_run(info))
}

fn try_run(info: &Info) -> Result<Exit, Failure> {
    let facts = job::run(&Request::new(&info.image)).map_err(|error| Failure::of(&error, Exit::Aborted))?;
    let widest = facts.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
    let line = |(label, value): &(String, String)| format!("{label:widest$}  {}\n", render(value.as_bytes()));
    let text: String = facts.iter().map(line).collect();
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(Exit::Good)
}
