//! `pfh tree`: trees beside files, for finding what changed and hashing only that again.

mod build;
mod check;
mod diff;
mod foreign;
pub mod help;
mod print;
mod proof;
mod range;

use crate::exit::{self, Exit};
use crate::progress::Bytes;
use crate::signals::Signals;
use build::Build;
use check::Check;
use clap::{Args, Subcommand};
use pfh::Output;
use pfh::outboard::{self, Failure, Pass};
use pfh::outputs::{self, Outputs};
use pfh::tree::audit::Renewal;
use pfh::tree::outboard::Header;
use print::Said;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A tree that is built anew or brought up to date is recognized by its first bytes; one that is missing is reported when it is read.
const OWN: outputs::Existing = outputs::Existing::Own(0, b"pfh tree");

/// What to do with trees.
#[derive(Subcommand)]
pub enum Tree {
    /// Hash a file and keep its tree beside it.
    Build(Build),
    /// Hash again what changed inside of a file of the same length.
    Update(Update),
    /// Take in what was appended to a file.
    #[command(after_help = help::APPEND)]
    Append(Existing),
    /// Find out which ranges of a file are not what they were.
    Check(Check),
    /// List where two files differ, by their trees alone.
    Diff(diff::Diff),
    /// Prove a part of a file to whoever has the root of the whole.
    Prove(proof::Prove),
    /// Verify such a proof with the root alone.
    Verify(proof::Verify),
    /// Print the roots that other programs compute: fs-verity, Amazon S3, Glacier.
    Root(foreign::Root),
    /// Write the tree of a file in bao's form.
    Export(foreign::Export),
    /// Take a tree from bao's form, without reading the file.
    Import(foreign::Import),
}

/// The file and its tree, threads, output.
#[derive(Args)]
pub struct Existing {
    /// The file.
    pub file: PathBuf,
    /// Where its tree is [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Threads that hash [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// One JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh tree update`
#[derive(Args)]
#[command(after_help = help::UPDATE)]
pub struct Update {
    /// File and tree.
    #[command(flatten)]
    pub on: Existing,
    /// What has changed.
    #[command(flatten)]
    pub changed: Changed,
    /// Write what proves the change to an auditor who has neither file nor tree (`pfh audit renew`).
    #[arg(long, value_name = "UPDATE")]
    pub proof: Option<PathBuf>,
    /// Replace an existing file of --proof; never one that is read.
    #[arg(long)]
    pub force: bool,
}

/// What has changed, by ranges or by a copy.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct Changed {
    /// What has changed: OFFSET:LENGTH in bytes (64KiB:4096), several with commas or the option repeated. That nothing else has is taken on trust; `check` finds out.
    #[arg(long = "range", value_name = "OFFSET:LENGTH", value_parser = range::parse, value_delimiter = ',')]
    pub ranges: Vec<std::ops::Range<u64>>,
    /// A copy of the file as it was when its tree was made: blocks that differ are hashed again.
    #[arg(long, value_name = "COPY")]
    pub changed_since: Option<PathBuf>,
}

/// A root in hexadecimal.
fn root(text: &str) -> Result<[u8; 32], String> {
    let mut root = [0; 32];
    pfh::hex::decode_into(text.to_ascii_lowercase().as_bytes(), &mut root)
        .ok_or_else(|| format!("{text:?} is no root: write its 64 hexadecimal digits"))?;
    Ok(root)
}

/// Runs one of the commands.
pub fn run(tree: &Tree) -> Exit {
    match tree {
        Tree::Build(build) => build.run(),
        Tree::Update(update) => {
            let mut outputs = Outputs::new(update.force);
            outputs.file("--proof", update.proof.as_ref()).reads_all(update.changed.changed_since.as_ref());
            update.on.guarded(outputs, || update.on.follow(|on, pass| on.update(update, pass)))
        }
        Tree::Diff(diff) => diff.run(),
        Tree::Prove(prove) => prove.run(),
        Tree::Verify(verify) => verify.run(),
        Tree::Root(root) => root.run(),
        Tree::Export(export) => export.run(),
        Tree::Import(import) => import.run(),
        Tree::Append(on) => on.guarded(Outputs::new(false), || on.follow(Existing::append)),
        Tree::Check(check) => match check.line() {
            Ok(kept) => check.on.follow(|_, pass| check.run(kept.as_ref(), pass)),
            Err(message) => {
                exit::say(message);
                Exit::Usage
            }
        },
    }
}

impl Existing {
    fn tree(&self) -> PathBuf {
        self.outboard.clone().unwrap_or_else(|| outboard::beside(&self.file))
    }

    /// Does the work if the tree, and what else is written, may be written.
    fn guarded(&self, mut outputs: Outputs, work: impl FnOnce() -> Exit) -> Exit {
        outputs.writes("--outboard", self.tree(), outputs::Kind::File, OWN).reads(&self.file);
        guarded(&outputs, work)
    }

    /// Runs a pass with progress and signals, and prints what came of it.
    fn follow(&self, work: impl FnOnce(&Existing, &mut Pass<'_>) -> Result<Said, Failure>) -> Exit {
        self.end(|on, pass| Ok(work(on, pass)?.print(self.json)))
    }

    /// The same for work that prints by itself.
    fn end(&self, work: impl FnOnce(&Existing, &mut Pass<'_>) -> Result<Exit, Failure>) -> Exit {
        follow(self.threads, self.no_progress, |pass| work(self, pass))
    }

    fn update(&self, update: &Update, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        let tree = self.tree();
        let updated = match &update.changed.changed_since {
            Some(copy) => outboard::update_since(&self.file, copy, &tree, pass)?,
            None => outboard::update(&self.file, &tree, &update.changed.ranges, pass)?,
        };
        if let Some(path) = &update.proof {
            let failed = |error| Failure::Write { file: path.clone(), error };
            let many =
                || std::io::Error::other("too much has changed to be proved: let the auditor take a new commitment");
            let change = updated.change.as_ref().ok_or_else(many).map_err(failed)?;
            let write = || {
                let mut output = Output::file(path)?;
                output.write_all(&Renewal::of(change).encode())?;
                output.commit()
            };
            write().map_err(failed)?;
        }
        Ok(self.root_of(&updated.header, "updated").changed(updated.ranges, updated.computed))
    }

    fn append(&self, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        let (tree, bytes) = outboard::append(&self.file, &self.tree(), pass)?;
        let end = tree.length();
        Ok(self.root_of(&tree.header(), "appended").appended(end - bytes..end))
    }

    fn root_of(&self, tree: &Header, what: &'static str) -> Said {
        Said::new(what, self.file.as_os_str().as_bytes(), tree)
    }
}

/// Does the work if nothing that it writes is read, or somebody else's.
fn guarded(outputs: &Outputs, work: impl FnOnce() -> Exit) -> Exit {
    match outputs.check() {
        Ok(()) => work(),
        Err(refused) => {
            exit::say(refused);
            Exit::Usage
        }
    }
}

/// Runs a pass with progress and signals.
fn follow(threads: Option<u16>, no_progress: bool, work: impl FnOnce(&mut Pass<'_>) -> Result<Exit, Failure>) -> Exit {
    let signals = match Signals::catch() {
        Ok(signals) => signals,
        Err(error) => {
            exit::say(format!("signals cannot be caught: {error}"));
            return Exit::Aborted;
        }
    };
    let cancel = signals.flag();
    let bar = Bytes::open(!no_progress);
    let threads = threads.map_or_else(pfh::processors, usize::from);
    let mut progress = |done, all| bar.show(done, all);
    let result = work(&mut Pass { threads, cancel: &cancel, progress: &mut progress });
    drop(bar);
    result.unwrap_or_else(|failure| {
        exit::say(&failure);
        exit_of(&failure, signals.number())
    })
}

/// 2: what was asked for makes no sense for this file; 3: something cannot be read, so nothing was found out; 4: nothing was written.
fn exit_of(failure: &Failure, signal: i32) -> Exit {
    match failure {
        Failure::Length { .. } | Failure::Range { .. } | Failure::Change(_) => Exit::Usage,
        Failure::Read { .. } | Failure::Tree { .. } => Exit::Incomplete,
        Failure::Write { .. } => Exit::Aborted,
        Failure::Cancelled => Exit::Signal(signal),
    }
}
